// What a program needs is held against what a device has, before anything is created.
#include "gpu/tests.h"

#include "gpu/programs.h"
#include "gpu/replay.h"

#include <string.h>

static uint32_t features_of(const char *wgsl)
{
    return rp_wgsl_features((rp_text){wgsl, (uint32_t)strlen(wgsl)});
}

// WGSL's grammar of directives: before all else, in any order, with comments (which nest) and blanks between.
static void enables_are_found(void **state)
{
    (void)state;
    assert_int_equal(features_of("enable f16;"), RP_FEATURE_SHADER_F16);
    assert_int_equal(features_of("\n// enable f16;\n/* /* enable */ f16; */ enable\tsubgroups ;"),
                     RP_FEATURE_SUBGROUPS);
    assert_int_equal(features_of(";; enable f16, subgroups; const x = 1;"),
                     RP_FEATURE_SHADER_F16 | RP_FEATURE_SUBGROUPS);
    assert_int_equal(features_of("diagnostic(off, chromium.subgroup_matrix_uniformity);\n"
                                 "requires packed_4x8_integer_dot_product;\n"
                                 "enable chromium_experimental_subgroup_matrix;enable f16;"),
                     RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX | RP_FEATURE_SHADER_F16);
    assert_int_equal(features_of("enable wgpu_cooperative_matrix;"), RP_FEATURE_WGPU_COOPERATIVE_MATRIX);
}

static void other_words_are_no_enables(void **state)
{
    (void)state;
    const char *const texts[] = {"",
                                 ";",
                                 "enable",
                                 "enable ",
                                 "enable f1",
                                 "/*",
                                 "/* /* */",
                                 "//enable f16;",
                                 "enablef16;",
                                 "requires f16;",
                                 "enable f16x;",
                                 "const f16 = 1; enable f16;",
                                 "diagnostic(off, f16);"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (features_of(texts[i]) != 0)
            fail_msg("'%s' gives %u", texts[i], features_of(texts[i]));
    assert_int_equal(features_of("enable f16 ; var<private> subgroups: u32; enable subgroups;"), RP_FEATURE_SHADER_F16);
    // Nothing behind the text's end is looked at.
    assert_int_equal(rp_wgsl_features((rp_text){"enable f16;", 9}), 0);
}

static rp_gpu_info usual_device(void)
{
    return (rp_gpu_info){.name = "usual",
                         .limits = {.max_buffer_bytes = 4096,
                                    .max_storage_binding_bytes = 2048,
                                    .max_uniform_binding_bytes = 1024,
                                    .max_storage_buffers_per_stage = 2,
                                    .max_workgroups_per_dimension = 100,
                                    .min_storage_offset_alignment = 256,
                                    .min_uniform_offset_alignment = 256}};
}

static void check(const rp_program *program, const rp_gpu_info *info, uint64_t max_bytes, const char *expected)
{
    rp_error error;
    rp_status status = rp_needs_check(program, info, max_bytes, &error);
    if (!expected) {
        if (status != RP_STATUS_OK)
            fail_msg("%s", error.message);
        return;
    }
    assert_int_equal(status, RP_STATUS_DEVICE_LIMIT);
    if (!strstr(error.message, expected))
        fail_msg("'%s' does not tell of '%s'", error.message, expected);
}

// Each limit, at its value and one above; both numbers are told.
static void limits_are_exact(void **state)
{
    (void)state;
    rp_gpu_info info = usual_device();
    rp_program program = *sample_program();
    rp_program_buffer buffers[SAMPLE_BUFFERS];
    memcpy(buffers, program.buffers, sizeof buffers);
    program.buffers = buffers;
    check(&program, &info, 0, NULL);

    uint64_t total = 4 * SAMPLE_BYTES + 16;
    check(&program, &info, total, NULL);
    check(&program, &info, total - 1, "144");

    buffers[SAMPLE_WEIGHTS].size_bytes = 4096;
    check(&program, &info, 0, NULL);
    buffers[SAMPLE_WEIGHTS].size_bytes = 4097;
    check(&program, &info, 0, "4097 bytes exceed the device's limit of 4096");
    buffers[SAMPLE_WEIGHTS].size_bytes = SAMPLE_BYTES;

    // A binding "to the end of the buffer" counts what is left.
    buffers[SAMPLE_INPUT].size_bytes = 2048;
    check(&program, &info, 0, NULL);
    buffers[SAMPLE_INPUT].size_bytes = 2052;
    check(&program, &info, 0, "2052 bytes of buffer 0 exceed the device's limit for a storage binding of 2048");
    buffers[SAMPLE_INPUT].usage = RP_USAGE_UNIFORM;
    check(&program, &info, 0, "uniform binding of 1024");
    buffers[SAMPLE_INPUT].size_bytes = 1024;
    check(&program, &info, 0, NULL);
    info.limits.max_storage_binding_bytes = 512;
    buffers[SAMPLE_INPUT].usage = RP_USAGE_UNIFORM | RP_USAGE_STORAGE; // bound either way
    check(&program, &info, 0, NULL);

    info = usual_device();
    memcpy(buffers, sample_program()->buffers, sizeof buffers);
    info.limits.max_storage_buffers_per_stage = 1;
    check(&program, &info, 0, "2 storage buffers, the device's limit is 1");

    info = usual_device();
    info.limits.max_workgroups_per_dimension = 2;
    check(&program, &info, 0, NULL);
    info.limits.max_workgroups_per_dimension = 1;
    check(&program, &info, 0, "dispatch of 2×1×1 workgroups, the device's limit per dimension is 1");
}

static void every_dimension_of_a_dispatch_counts(void **state)
{
    (void)state;
    rp_gpu_info info = usual_device();
    for (int dimension = 0; dimension < 3; dimension++) {
        rp_program program = *sample_program();
        uint32_t size[3] = {1, 1, 1};
        size[dimension] = 101;
        rp_program_command command = {.kind = RP_COMMAND_DISPATCH, .dispatch = {0, 0, size[0], size[1], size[2]}};
        rp_program_operation operation = {.kind = RP_OPERATION_SUBMIT, .submit = {1, &command}};
        program.operations = &operation;
        program.operation_count = 1;
        check(&program, &info, 0, "limit per dimension is 100");
    }
}

static void offsets_keep_the_devices_alignment(void **state)
{
    (void)state;
    rp_gpu_info info = usual_device();
    info.limits.max_storage_binding_bytes = 4096;
    rp_program program = *sample_program();
    rp_program_buffer buffers[SAMPLE_BUFFERS];
    memcpy(buffers, program.buffers, sizeof buffers);
    buffers[SAMPLE_INPUT].size_bytes = 1024;
    program.buffers = buffers;
    rp_program_entry entry = {.binding = 0, .buffer = SAMPLE_INPUT, .offset = 256};
    rp_program_bind_group group = {.pipeline = 0, .entry_count = 1, .entries = &entry};
    program.bind_groups = &group;
    program.bind_group_count = 1;
    check(&program, &info, 0, NULL);
    info.limits.min_storage_offset_alignment = 512;
    check(&program, &info, 0, "offset 256 is no multiple of 512");
}

static void features_are_needed(void **state)
{
    (void)state;
    rp_gpu_info info = usual_device();
    rp_program program = *sample_program();
    rp_program_shader shaders[2] = {program.shaders[0], {{"enable f16; enable subgroups;", 29}}};
    program.shaders = shaders;
    check(&program, &info, 0, "shader 1 enables f16; 'usual' has no shader-f16");
    info.features = RP_FEATURE_SHADER_F16;
    check(&program, &info, 0, "shader 1 enables subgroups");
    info.features |= RP_FEATURE_SUBGROUPS;
    check(&program, &info, 0, NULL);
}

int test_needs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enables_are_found),
        cmocka_unit_test(other_words_are_no_enables),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(every_dimension_of_a_dispatch_counts),
        cmocka_unit_test(offsets_keep_the_devices_alignment),
        cmocka_unit_test(features_are_needed),
    };
    return cmocka_run_group_tests_name("needs", tests, NULL, NULL);
}
