// Recording: every weight file records and validates, bytes are reproducible, sizes from 1 × 1 to 8192 × 8192 hold.
#include "tests.h"

#include "base/file.h"
#include "oidn/config.h"
#include "oidn/pack.h"
#include "oidn/record_network.h"
#include "support/failing_allocator.h"
#include "support/weights.h"

#include <stdlib.h>
#include <string.h>

static rp_model *load(const char *name)
{
    rp_error error;
    rp_model *model = NULL;
    char *path = weights_path(name);
    if (!path)
        skip();
    if (rp_model_load(path, NULL, &model, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    free(path);
    return model;
}

static rp_program *record(const rp_model *model, const rp_record_desc *desc, bool denoise)
{
    rp_error error;
    rp_program *program = NULL;
    rp_status status =
        denoise ? rp_record_denoise(model, desc, &program, &error) : rp_record_network(model, desc, &program, &error);
    if (status != RP_STATUS_OK)
        fail_msg("%s", error.message);
    return program;
}

// Serializes, reads back (which validates every rule of the format), serializes again; gives the first bytes.
static uint8_t *round_trip(const rp_program *program, size_t *size)
{
    rp_error error;
    uint8_t *bytes = NULL, *again = NULL;
    size_t again_size;
    rp_program *parsed = NULL;
    assert_int_equal(rp_program_serialize(program, NULL, &bytes, size, &error), RP_STATUS_OK);
    if (rp_program_parse(bytes, *size, NULL, &parsed, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(rp_program_serialize(parsed, NULL, &again, &again_size, &error), RP_STATUS_OK);
    assert_int_equal(*size, again_size);
    assert_memory_equal(bytes, again, again_size);
    rp_free(NULL, again);
    rp_program_destroy(&parsed);
    return bytes;
}

static void every_weight_file_records_and_validates(void **state)
{
    (void)state;
    static const rp_precision precisions[] = {RP_PRECISION_FP32, RP_PRECISION_FP16};
    static const rp_kernel kernels[] = {RP_KERNEL_SETTING_AUTO, RP_KERNEL_SETTING_IMPLICIT_GEMM,
                                        RP_KERNEL_SETTING_DIRECT};
    static const uint32_t kernel_bits[] = {RP_KERNEL_DIRECT | RP_KERNEL_IMPLICIT_GEMM, RP_KERNEL_IMPLICIT_GEMM,
                                           RP_KERNEL_DIRECT};
    for (size_t file = 0; file < WEIGHT_FILE_COUNT; file++) {
        rp_model *model = load(weight_files[file]);
        for (size_t p = 0; p < 2; p++)
            for (size_t k = 0; k < 3; k++) {
                rp_record_desc desc = {.width = 50, .height = 33, .precision = precisions[p], .kernel = kernels[k]};
                desc.caps.features = RP_FEATURE_SHADER_F16;
                rp_program *program = record(model, &desc, false);
                assert_int_equal(program->input_count, model->info.input_channels / 3);
                assert_int_equal(program->meta.kernel_bits, kernel_bits[k]);
                assert_int_equal(program->meta.precision, precisions[p]);
                assert_int_equal(program->meta.tile_count, 0);
                assert_int_equal(program->meta.weight_buffer_count, model->layer_count);
                size_t size;
                rp_free(NULL, round_trip(program, &size));
                rp_program_destroy(&program);
            }
        rp_model_destroy(&model);
    }
}

static void the_same_input_gives_the_same_bytes(void **state)
{
    (void)state;
    rp_record_desc desc = {.width = 300, .height = 200, .hdr = true, .max_tile_edge = 128, .input_scale = 0.5f};
    rp_model *first_model = load("rt_hdr_alb_nrm_small"), *second_model = load("rt_hdr_alb_nrm_small");
    rp_program *first = record(first_model, &desc, true), *second = record(second_model, &desc, true);
    size_t first_size, second_size;
    uint8_t *first_bytes = round_trip(first, &first_size), *second_bytes = round_trip(second, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first_bytes, second_bytes, first_size);
    rp_free(NULL, first_bytes);
    rp_free(NULL, second_bytes);
    rp_program_destroy(&first);
    rp_program_destroy(&second);
    rp_model_destroy(&first_model);
    rp_model_destroy(&second_model);
}

static void sizes_from_one_pixel_to_8192_record(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1},   {3, 2},   {15, 17},     {16, 16},
                                        {509, 1}, {1, 509}, {8192, 8192}, {70000, 3}};
    rp_model *model = load("rt_hdr_alb_nrm");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        // 8192 × 8192 as one tile would need buffers above 4 GiB; its plan is made of tiles.
        rp_record_desc desc = {.width = sizes[i][0], .height = sizes[i][1], .hdr = true, .max_tile_edge = 2048};
        rp_program *program = record(model, &desc, true);
        rp_program_stats stats;
        rp_program_measure(program, &stats);
        assert_true(stats.largest_dispatch <= 65535);
        assert_int_equal(stats.external_bytes, 4ull * 16 * sizes[i][0] * sizes[i][1]);
        assert_int_equal(stats.submit_count, program->meta.tile_count);
        size_t size;
        rp_free(NULL, round_trip(program, &size));
        rp_program_destroy(&program);
    }
    rp_model_destroy(&model);
}

static void an_image_that_fits_no_buffer_is_refused(void **state)
{
    (void)state;
    rp_model *model = load("rt_hdr");
    rp_program *program = NULL;
    rp_error error;
    rp_record_desc desc = {.width = 8192, .height = 8192, .hdr = true}; // 32 channels at full size: 8 GiB
    assert_int_equal(rp_record_denoise(model, &desc, &program, &error), RP_STATUS_TOO_LARGE);
    assert_null(program);
    desc.width = desc.height = UINT32_MAX;
    assert_int_equal(rp_record_denoise(model, &desc, &program, &error), RP_STATUS_TOO_LARGE);
    desc.width = 0;
    assert_int_equal(rp_record_denoise(model, &desc, &program, &error), RP_STATUS_INVALID_ARGUMENT);
    rp_model_destroy(&model);
}

static void a_dispatch_folds_when_a_row_of_groups_is_too_long(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 65535, 65536, 100000, 4294836225};
    uint32_t x, y;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_int_equal(rp_fold_groups(counts[i], 65535, &x, &y, NULL), RP_STATUS_OK);
        assert_true(x <= 65535 && y <= 65535);
        // Every group exists, and fewer than one row is idle: kernels bound the position that they compute.
        assert_true((uint64_t)x * y >= counts[i] && (uint64_t)x * y - counts[i] < y);
    }
    assert_int_equal(rp_fold_groups(4294836226, 65535, &x, &y, NULL), RP_STATUS_TOO_LARGE);
}

static void kernels_that_do_not_fit_the_caps_are_refused(void **state)
{
    (void)state;
    rp_model *model = load("rt_hdr_small");
    rp_program *program = NULL;
    rp_record_desc desc = {.width = 16, .height = 16, .precision = RP_PRECISION_FP16};
    assert_int_equal(rp_record_network(model, &desc, &program, NULL), RP_STATUS_UNSUPPORTED);
    desc.precision = RP_PRECISION_FP32;
    desc.kernel = RP_KERNEL_SETTING_SUBGROUP_MATRIX;
    assert_int_equal(rp_record_network(model, &desc, &program, NULL), RP_STATUS_UNSUPPORTED);
    desc.kernel = RP_KERNEL_SETTING_IMPLICIT_GEMM;
    desc.caps.max_workgroup_storage_bytes = 4096;
    assert_int_equal(rp_record_network(model, &desc, &program, NULL), RP_STATUS_UNSUPPORTED);
    // Without a demand, the plain kernel takes its place.
    desc.kernel = RP_KERNEL_SETTING_AUTO;
    program = record(model, &desc, false);
    assert_int_equal(program->meta.kernel_bits, RP_KERNEL_DIRECT);
    rp_program_destroy(&program);
    rp_model_destroy(&model);
}

// A layer with known values: weight of output o, input i, tap t is o × 1000 + i × 10 + t.
static void packed_weights_stand_where_the_kernels_read_them(void **state)
{
    (void)state;
    enum { OUTPUTS = 5, SOURCE = 8, SKIP = 3, INPUTS = SOURCE + SKIP };
    static float weights[OUTPUTS * INPUTS * 9], biases[OUTPUTS];
    for (int o = 0; o < OUTPUTS; o++) {
        biases[o] = (float)-o;
        for (int i = 0; i < INPUTS; i++)
            for (int t = 0; t < 9; t++)
                weights[(o * INPUTS + i) * 9 + t] = (float)(o * 1000 + i * 10 + t);
    }
    rp_tza_tensor weight = {.type = RP_TENSOR_FLOAT, .data = (const uint8_t *)weights};
    rp_tza_tensor bias = {.type = RP_TENSOR_FLOAT, .data = (const uint8_t *)biases};
    rp_layer layer = {.name = "test",
                      .source_channels = SOURCE,
                      .skip_channels = SKIP,
                      .output_channels = OUTPUTS,
                      .weight = &weight,
                      .bias = &bias};
    uint8_t *bytes;
    size_t size;
    assert_int_equal(rp_pack_layer(&layer, RP_PRECISION_FP32, NULL, &bytes, &size, NULL), RP_STATUS_OK);
    // Two output blocks; three input blocks (two of the source, one of the skip).
    assert_int_equal(size, (2 + 9 * 3 * 2 * 4) * 16);
    const float *values = (const float *)(const void *)bytes;
    const struct {
        size_t vector, lane;
        float value;
    } expected[] = {
        {0, 3, -3},                                   // bias of output 3
        {1, 0, -4},                                   // of output 4
        {1, 1, 0},                                    // padding
        {2 + ((0 * 3 + 0) * 2 + 0) * 4 + 1, 2, 2010}, // tap 0, input 1, output 2
        {2 + ((8 * 3 + 1) * 2 + 1) * 4 + 3, 0, 4078}, // tap 8, input 7, output 4
        {2 + ((4 * 3 + 2) * 2 + 0) * 4 + 2, 1, 1104}, // tap 4, input 10 (skip lane 2), output 1
        {2 + ((4 * 3 + 2) * 2 + 0) * 4 + 3, 1, 0},    // past the skip: padding
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(values[expected[i].vector * 4 + expected[i].lane] == expected[i].value);
    rp_free(NULL, bytes);
}

static const uint32_t denoise_words[] = {1,     64, 48, 1, 0, 0, 16384,     256, 256, 256,
                                         65535, 0,  0,  1, 1, 0, 16,        16,  16, // one matrix configuration
                                         0,     0,  0,  1, 0, 0, 0x3f000000};

static void configuration_words_give_what_the_structured_call_gives(void **state)
{
    (void)state;
    char *path = weights_path("rt_hdr_alb");
    if (!path)
        skip();
    uint8_t *tza = NULL, *packet = NULL;
    size_t tza_size, packet_size, size;
    assert_int_equal(rp_file_read(path, 1 << 24, NULL, &tza, &tza_size, NULL), RP_STATUS_OK);
    free(path);
    assert_int_equal(
        rp_record_denoise_packet(tza, tza_size, denoise_words, sizeof denoise_words, NULL, &packet, &packet_size),
        RP_STATUS_OK);
    rp_model *model = load("rt_hdr_alb");
    rp_record_desc desc = {.width = 64, .height = 48, .precision = RP_PRECISION_FP32, .hdr = true, .input_scale = 0.5f};
    rp_program *program = record(model, &desc, true);
    uint8_t *bytes = round_trip(program, &size);
    assert_int_equal(size, packet_size);
    assert_memory_equal(bytes, packet, size);
    rp_free(NULL, bytes);
    rp_free(NULL, packet);
    rp_program_destroy(&program);
    rp_model_destroy(&model);

    assert_int_equal(rp_inspect_model_packet(tza, tza_size, NULL, &packet, &packet_size), RP_STATUS_OK);
    static const uint8_t expected[] = {'M', 'O', 'D', 'L', 1, 0, 0, 0, 2, 0, 0, 0};
    assert_int_equal(packet_size, sizeof expected);
    assert_memory_equal(packet, expected, sizeof expected);
    rp_free(NULL, packet);
    rp_free(NULL, tza);
}

static void faulty_packets_come_back_as_error_packets(void **state)
{
    (void)state;
    uint8_t *packet;
    size_t size;
    assert_int_equal(rp_error_packet("why", NULL, &packet, &size), RP_STATUS_OK);
    static const uint8_t expected[] = {'E', 'R', 'R', 'O', 3, 0, 0, 0, 'w', 'h', 'y', 0};
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(packet, expected, size);
    rp_free(NULL, packet);
    assert_int_equal(rp_inspect_model_packet("garbage", 7, NULL, &packet, &size), RP_STATUS_OK);
    assert_memory_equal(packet, "ERRO", 4);
    rp_free(NULL, packet);
    assert_int_equal(rp_record_network_packet(NULL, 0, NULL, 0, NULL, &packet, &size), RP_STATUS_OK);
    assert_memory_equal(packet, "ERRO", 4);
    rp_free(NULL, packet);
}

static void faulty_configuration_words_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t word;
        uint32_t value;
        rp_status status;
    } faults[] = {
        {0, 2, RP_STATUS_BAD_VERSION},         {3, 3, RP_STATUS_BAD_VALUE},
        {4, 4, RP_STATUS_BAD_VALUE},           {13, 0x40000000, RP_STATUS_BAD_COUNT},
        {14, 2, RP_STATUS_BAD_VALUE},          {15, 2, RP_STATUS_BAD_VALUE},
        {19, 3, RP_STATUS_BAD_VALUE},          {20, 2, RP_STATUS_BAD_VALUE},
        {21, 2, RP_STATUS_BAD_VALUE},          {22, 2, RP_STATUS_BAD_VALUE},
        {23, 2, RP_STATUS_BAD_VALUE},          {25, 0x7f800000, RP_STATUS_BAD_VALUE},
        {25, 0xbf800000, RP_STATUS_BAD_VALUE}, {25, 0x7fc00000, RP_STATUS_BAD_VALUE},
    };
    rp_arena arena;
    rp_arena_init(&arena, NULL);
    rp_record_desc desc = {0};
    rp_error error;
    assert_int_equal(rp_config_parse(denoise_words, sizeof denoise_words, true, &arena, &desc, &error), RP_STATUS_OK);
    assert_int_equal(desc.caps.matrix_config_count, 1);
    assert_true(desc.caps.matrix_configs[0].component_f16 && !desc.caps.matrix_configs[0].result_f16);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        uint32_t words[sizeof denoise_words / 4];
        memcpy(words, denoise_words, sizeof words);
        words[faults[i].word] = faults[i].value;
        assert_int_equal(rp_config_parse(words, sizeof words, true, &arena, &desc, &error), faults[i].status);
        assert_int_equal(error.offset, faults[i].word * 4);
    }
    for (size_t size = 0; size < sizeof denoise_words; size++) {
        uint8_t *exact = malloc(size ? size : 1);
        memcpy(exact, denoise_words, size);
        assert_int_not_equal(rp_config_parse(exact, size, true, &arena, &desc, &error), RP_STATUS_OK);
        free(exact);
    }
    rp_arena_free(&arena);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    rp_model *model = load("rt_ldr_small");
    for (size_t n = 1;; n++) {
        failing_allocator failing;
        failing_allocator_init(&failing, n);
        rp_record_desc desc = {.allocator = &failing.hook, .width = 20, .height = 20, .transfer = RP_TRANSFER_NONE};
        rp_program *program = NULL;
        rp_error error;
        rp_status status = rp_record_denoise(model, &desc, &program, &error);
        if (status == RP_STATUS_OK) {
            rp_program_destroy(&program);
            assert_int_equal(failing.live, 0);
            assert_true(n > 10);
            break;
        }
        assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
        assert_null(program);
        assert_int_equal(failing.live, 0);
    }
    rp_model_destroy(&model);
}

int test_record(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_weight_file_records_and_validates),
        cmocka_unit_test(the_same_input_gives_the_same_bytes),
        cmocka_unit_test(sizes_from_one_pixel_to_8192_record),
        cmocka_unit_test(an_image_that_fits_no_buffer_is_refused),
        cmocka_unit_test(a_dispatch_folds_when_a_row_of_groups_is_too_long),
        cmocka_unit_test(kernels_that_do_not_fit_the_caps_are_refused),
        cmocka_unit_test(packed_weights_stand_where_the_kernels_read_them),
        cmocka_unit_test(configuration_words_give_what_the_structured_call_gives),
        cmocka_unit_test(faulty_packets_come_back_as_error_packets),
        cmocka_unit_test(faulty_configuration_words_are_refused),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
