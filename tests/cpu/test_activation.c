// Joining, pooling, packing and unpacking in every layout against plain loops over single values.
#include "cpu/activation.h"
#include "tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const uint32_t layouts[] = {0, 8, 16};
enum { LAYOUT_COUNT = 3, WIDTH = 6, HEIGHT = 8 };

// Every value is its own: where one came from can be told from what it is.
static float value(uint32_t tensor, uint32_t x, uint32_t y, uint32_t c)
{
    return (float)(tensor * 1000000 + (y * 100 + x) * 100 + c + 1);
}

static size_t position(const rp_activation *activation, uint32_t x, uint32_t y, uint32_t c)
{
    size_t block = activation->block;
    return ((c / block * activation->height + y) * activation->width + x) * block + c % block;
}

// Of `channels` real ones; what fills up the last block is zero, as oneDNN leaves it.
static rp_activation make(uint32_t tensor, uint32_t width, uint32_t height, uint32_t channels, uint32_t block)
{
    rp_activation activation = rp_activation_describe(width, height, channels, block);
    size_t bytes;
    assert_true(rp_activation_bytes(&activation, &bytes));
    activation.data = calloc(1, bytes);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < channels; c++)
                activation.data[position(&activation, x, y, c)] = value(tensor, x, y, c);
    return activation;
}

static void joining_puts_the_upsampled_source_before_the_skip(void **state)
{
    (void)state;
    enum { SOURCE = 32, SKIP = 9, HALO = 1 };
    for (size_t i = 0; i < LAYOUT_COUNT; i++)
        for (int upsample = 0; upsample < 2; upsample++) {
            rp_join join = {.source = make(1, WIDTH >> upsample, HEIGHT >> upsample, SOURCE, layouts[i]),
                            .skip = make(2, WIDTH, HEIGHT, SKIP, layouts[i]),
                            .upsample = upsample};
            rp_activation target = make(3, WIDTH, HEIGHT + 2 * HALO, SOURCE + SKIP, layouts[i]);
            for (uint32_t y = 0; y < HEIGHT + 2 * HALO; y++)
                rp_join_row(&target, y, &join, (int64_t)y - HALO, HEIGHT);
            for (uint32_t y = 0; y < HEIGHT + 2 * HALO; y++)
                for (uint32_t x = 0; x < WIDTH; x++)
                    for (uint32_t c = 0; c < target.channels; c++) {
                        float expected = 0;
                        if (y >= HALO && y < HEIGHT + HALO && c < SOURCE + SKIP)
                            expected = c < SOURCE ? value(1, x >> upsample, (y - HALO) >> upsample, c)
                                                  : value(2, x, y - HALO, c - SOURCE);
                        assert_true(target.data[position(&target, x, y, c)] == expected);
                    }
            free(target.data);
            free(join.skip.data);
            free(join.source.data);
        }
}

static void pooling_takes_the_largest_of_four(void **state)
{
    (void)state;
    enum { CHANNELS = 48 };
    for (size_t i = 0; i < LAYOUT_COUNT; i++)
        for (uint32_t largest = 0; largest < 4; largest++) {
            rp_activation source = make(1, WIDTH, HEIGHT, CHANNELS, layouts[i]);
            rp_activation target = make(2, WIDTH / 2, HEIGHT / 2, CHANNELS, layouts[i]);
            for (uint32_t y = 0; y < HEIGHT; y++)
                for (uint32_t x = 0; x < WIDTH; x++)
                    if (y % 2 * 2 + x % 2 == largest)
                        for (uint32_t c = 0; c < CHANNELS; c++)
                            source.data[position(&source, x, y, c)] += 5000000;
            for (uint32_t y = 0; y < HEIGHT / 2; y++)
                rp_pool_row(&target, y, &source);
            for (uint32_t y = 0; y < HEIGHT / 2; y++)
                for (uint32_t x = 0; x < WIDTH / 2; x++)
                    for (uint32_t c = 0; c < CHANNELS; c++)
                        assert_true(target.data[position(&target, x, y, c)] ==
                                    value(1, 2 * x + largest % 2, 2 * y + largest / 2, c) + 5000000);
            free(target.data);
            free(source.data);
        }
}

static void packing_fills_up_and_unpacking_undoes_it(void **state)
{
    (void)state;
    static const uint32_t counts[] = {3, 6, 9, 16};
    for (size_t i = 0; i < LAYOUT_COUNT; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            uint32_t channels = counts[k];
            rp_activation packed = make(1, WIDTH, HEIGHT, channels, 0), back = make(2, WIDTH, HEIGHT, channels, 0);
            rp_activation blocked = make(3, WIDTH, HEIGHT, channels, layouts[i]);
            for (size_t n = 0; n < (size_t)WIDTH * HEIGHT * blocked.channels; n++)
                blocked.data[n] = -1; // memory is reused: nothing of before may stay
            for (uint32_t y = 0; y < HEIGHT; y++)
                rp_pack_row(&blocked, y, packed.data, channels);
            for (uint32_t y = 0; y < HEIGHT; y++)
                for (uint32_t x = 0; x < WIDTH; x++)
                    for (uint32_t c = 0; c < blocked.channels; c++)
                        assert_true(blocked.data[position(&blocked, x, y, c)] ==
                                    (c < channels ? value(1, x, y, c) : 0));
            for (uint32_t y = 0; y < HEIGHT; y++)
                rp_unpack_row(back.data, channels, y, &blocked);
            assert_memory_equal(packed.data, back.data, (size_t)WIDTH * HEIGHT * channels * sizeof(float));
            free(blocked.data);
            free(back.data);
            free(packed.data);
        }
}

int test_activations(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joining_puts_the_upsampled_source_before_the_skip),
        cmocka_unit_test(pooling_takes_the_largest_of_four),
        cmocka_unit_test(packing_fills_up_and_unpacking_undoes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
