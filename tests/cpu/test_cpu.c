// The network on the CPU against the double-precision reference, and the placing of its memory.
#include "cpu/network.h"
#include "cpu/placement.h"
#include "cpu/rows.h"
#include "support/failing_allocator.h"
#include "support/reference_network.h"
#include "support/weights.h"
#include "tests.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rp_model *load(const char *name)
{
    char *path = weights_path(name);
    if (!path)
        skip();
    rp_model *model = NULL;
    rp_error error;
    if (rp_model_load(path, NULL, &model, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    free(path);
    return model;
}

static rp_cpu_network *create(const rp_model *model, uint32_t width, uint32_t height, uint32_t threads)
{
    rp_cpu_network *network = NULL;
    rp_error error;
    rp_cpu_network_desc desc = {.model = model, .width = width, .height = height, .thread_count = threads};
    if (rp_cpu_network_create(&desc, &network, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    return network;
}

static void run(rp_cpu_network *network)
{
    rp_error error;
    if (rp_cpu_network_run(network, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
}

// Noise in [0, 1): a linear congruential generator of its own, the same everywhere.
static void fill(float *values, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 8) * 0x1p-24f;
    }
}

// The largest difference from the reference on a random image.
static double difference(const rp_model *model, uint32_t width, uint32_t height)
{
    size_t inputs = (size_t)width * height * model->info.input_channels, outputs = (size_t)width * height * 3;
    double *input = malloc(inputs * sizeof *input), *expected = malloc(outputs * sizeof *expected);
    float *copy = malloc(inputs * sizeof *copy);
    rp_cpu_network *network = create(model, width, height, 0);
    fill(rp_cpu_network_input(network), inputs, width * 31 + height);
    memcpy(copy, rp_cpu_network_input(network), inputs * sizeof *copy);
    for (size_t i = 0; i < inputs; i++)
        input[i] = (double)copy[i];
    assert_true(reference_network(model, input, width, height, expected));
    double largest = 0;
    for (int repeat = 0; repeat < 2; repeat++) { // the second run must find its input and nothing of the first
        run(network);
        assert_memory_equal(copy, rp_cpu_network_input(network), inputs * sizeof *copy);
        for (size_t i = 0; i < outputs; i++) {
            double d = fabs((double)rp_cpu_network_output(network)[i] - expected[i]);
            if (!(d <= largest))
                largest = d;
        }
    }
    rp_cpu_network_destroy(&network);
    free(copy);
    free(expected);
    free(input);
    return largest;
}

static void every_weight_file_matches_the_reference(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{48, 32}, {80, 64}};
    double largest = 0;
    for (size_t i = 0; i < WEIGHT_FILE_COUNT; i++) {
        rp_model *model = load(weight_files[i]);
        for (size_t s = 0; s < 2; s++) {
            double d = difference(model, sizes[s][0], sizes[s][1]);
            if (!(d <= 1e-5))
                fail_msg("%s, %u × %u: largest difference %g", weight_files[i], sizes[s][0], sizes[s][1], d);
            largest = fmax(largest, d);
        }
        rp_model_destroy(&model);
    }
    fprintf(stderr, "largest difference %.3g (bound 1e-5)\n", largest);
}

static void narrow_tiles_match_the_reference(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{16, 16}, {16, 512}, {512, 16}, {272, 48}};
    rp_model *model = load("rt_hdr_alb_nrm");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        assert_true(difference(model, sizes[s][0], sizes[s][1]) <= 1e-5);
    rp_model_destroy(&model);
}

// A layout that the library has no kernel for still gives the right values, a hundred times slower.
static void no_layer_runs_on_a_reference_kernel(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        skip();
    static const uint32_t sizes[][2] = {{16, 16}, {48, 32}, {256, 256}, {16, 256}};
    for (size_t i = 0; i < WEIGHT_FILE_COUNT; i++) {
        rp_model *model = load(weight_files[i]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            rp_cpu_network *network = create(model, sizes[s][0], sizes[s][1], 0);
            for (uint32_t layer = 0; layer < model->layer_count; layer++)
                if (strstr(rp_cpu_network_kernel(network, layer), "ref"))
                    fail_msg("%s, %s, %u × %u: %s", weight_files[i], model->layers[layer].name, sizes[s][0],
                             sizes[s][1], rp_cpu_network_kernel(network, layer));
            rp_cpu_network_destroy(&network);
        }
        rp_model_destroy(&model);
    }
#else
    skip();
#endif
}

// High enough for the upper levels to be joined in bands, with channels-last activations.
static void bands_match_the_reference(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{32, 256}, {16, 272}};
    rp_model *model = load("rt_hdr_alb_nrm_small");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        assert_true(difference(model, sizes[s][0], sizes[s][1]) <= 1e-5);
    rp_model_destroy(&model);
}

static void the_thread_count_changes_no_bit(void **state)
{
    (void)state;
    enum { WIDTH = 144, HEIGHT = 112 };
    rp_model *model = load("rt_ldr");
    float *first = NULL;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        rp_cpu_network *network = create(model, WIDTH, HEIGHT, threads);
        fill(rp_cpu_network_input(network), (size_t)WIDTH * HEIGHT * 3, 7);
        run(network);
        size_t bytes = (size_t)WIDTH * HEIGHT * 3 * sizeof(float);
        if (!first) {
            first = malloc(bytes);
            memcpy(first, rp_cpu_network_output(network), bytes);
        }
        assert_memory_equal(first, rp_cpu_network_output(network), bytes);
        rp_cpu_network_destroy(&network);
    }
    free(first);
    rp_model_destroy(&model);
}

// A pixel farther than the receptive field from every edge sees the same values in the same order in any tile. oneDNN
// does not promise that order (docs/cpu.md); where it picks one kernel for both sizes, as here, no bit differs.
static void a_larger_tile_gives_the_same_bits_inside(void **state)
{
    (void)state;
    enum { BORDER = 96, SMALL_WIDTH = 224, SMALL_HEIGHT = 208, LARGE_WIDTH = 288, LARGE_HEIGHT = 256, X = 32, Y = 16 };
    rp_model *model = load("rt_hdr_alb_small");
    uint32_t channels = model->info.input_channels;
    rp_cpu_network *small = create(model, SMALL_WIDTH, SMALL_HEIGHT, 0);
    rp_cpu_network *large = create(model, LARGE_WIDTH, LARGE_HEIGHT, 0);
    fill(rp_cpu_network_input(large), (size_t)LARGE_WIDTH * LARGE_HEIGHT * channels, 11);
    for (size_t y = 0; y < SMALL_HEIGHT; y++)
        memcpy(rp_cpu_network_input(small) + y * SMALL_WIDTH * channels,
               rp_cpu_network_input(large) + ((y + Y) * LARGE_WIDTH + X) * channels,
               SMALL_WIDTH * channels * sizeof(float));
    run(small);
    run(large);
    for (size_t y = BORDER; y < SMALL_HEIGHT - BORDER; y++)
        assert_memory_equal(rp_cpu_network_output(small) + (y * SMALL_WIDTH + BORDER) * 3,
                            rp_cpu_network_output(large) + ((y + Y) * LARGE_WIDTH + X + BORDER) * 3,
                            (SMALL_WIDTH - 2 * BORDER) * 3 * sizeof(float));
    rp_cpu_network_destroy(&large);
    rp_cpu_network_destroy(&small);
    rp_model_destroy(&model);
}

static void sizes_that_are_no_tiles_are_refused(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{0, 16}, {16, 0}, {24, 16}, {16, 1}, {0xfffffff0, 16}};
    rp_model *model = load("rt_ldr_small");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        rp_cpu_network *network;
        rp_cpu_network_desc desc = {.model = model, .width = sizes[s][0], .height = sizes[s][1]};
        assert_int_equal(rp_cpu_network_create(&desc, &network, NULL), RP_STATUS_INVALID_ARGUMENT);
        assert_null(network);
    }
    rp_model_destroy(&model);
}

static void the_host_keeps_its_thread_count(void **state)
{
    (void)state;
    uint32_t before = rp_core_count();
    rp_model *model = load("rt_ldr_small");
    rp_cpu_network *network = create(model, 16, 16, before + 1);
    assert_int_equal(rp_core_count(), before);
    run(network);
    assert_int_equal(rp_core_count(), before);
    rp_cpu_network_destroy(&network);
    rp_model_destroy(&model);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    rp_model *model = load("rt_ldr_small");
    for (size_t n = 1;; n++) {
        failing_allocator failing;
        failing_allocator_init(&failing, n);
        rp_cpu_network *network;
        rp_cpu_network_desc desc = {.allocator = &failing.hook, .model = model, .width = 16, .height = 16};
        rp_status status = rp_cpu_network_create(&desc, &network, NULL);
        if (status == RP_STATUS_OK) {
            assert_true(n > model->layer_count);
            run(network);
            rp_cpu_network_destroy(&network);
            assert_int_equal(failing.live, 0);
            break;
        }
        assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
        assert_null(network);
        assert_int_equal(failing.live, 0);
    }
    rp_model_destroy(&model);
}

static void blocks_alive_together_do_not_overlap(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 200; round++) {
        rp_placed_block blocks[40];
        size_t total, alive[64] = {0};
        for (size_t i = 0; i < 40; i++) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t first = seed >> 8 & 31;
            blocks[i] =
                (rp_placed_block){.bytes = seed >> 13 & 0xfff, .first_step = first, .last_step = first + (seed >> 27)};
        }
        assert_true(rp_place_blocks(blocks, 40, &total));
        for (size_t i = 0; i < 40; i++) {
            assert_int_equal(blocks[i].offset % 64, 0);
            assert_true(blocks[i].offset + blocks[i].bytes <= total);
            for (uint32_t step = blocks[i].first_step; step <= blocks[i].last_step; step++)
                alive[step] += blocks[i].bytes;
            for (size_t k = 0; k < i; k++)
                assert_true(blocks[i].first_step > blocks[k].last_step || blocks[k].first_step > blocks[i].last_step ||
                            blocks[i].offset + blocks[i].bytes <= blocks[k].offset ||
                            blocks[k].offset + blocks[k].bytes <= blocks[i].offset);
        }
        for (size_t step = 0; step < 64; step++)
            assert_true(alive[step] <= total);
    }
    rp_placed_block huge[2] = {{.bytes = SIZE_MAX / 64 * 64 - 64}, {.bytes = 1024}};
    size_t total;
    assert_false(rp_place_blocks(huge, 2, &total));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_weight_file_matches_the_reference),
        cmocka_unit_test(narrow_tiles_match_the_reference),
        cmocka_unit_test(no_layer_runs_on_a_reference_kernel),
        cmocka_unit_test(bands_match_the_reference),
        cmocka_unit_test(the_thread_count_changes_no_bit),
        cmocka_unit_test(a_larger_tile_gives_the_same_bits_inside),
        cmocka_unit_test(the_host_keeps_its_thread_count),
        cmocka_unit_test(sizes_that_are_no_tiles_are_refused),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(blocks_alive_together_do_not_overlap),
    };
    return test_activations() + cmocka_run_group_tests(tests, NULL, NULL);
}
