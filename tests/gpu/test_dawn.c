// Small programs on a real device: results are exact integers (also where they are f32), so every value must match.
#include "gpu/tests.h"

#include "gpu/dawn.h"
#include "gpu/programs.h"

#include <stdlib.h>
#include <string.h>

static const char increment_wgsl[] = "@group(0) @binding(0) var<storage, read_write> values: array<u32>;\n"
                                     "@compute @workgroup_size(64)\n"
                                     "fn main(@builtin(global_invocation_id) id: vec3u) {\n"
                                     "    if (id.x < arrayLength(&values)) { values[id.x] = 2 * values[id.x] + 1; }\n"
                                     "}\n";

static void the_device_describes_itself(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    const rp_gpu_info *info = rp_gpu_get_info(gpu);
    print_message("%s, %s, %s, from %s\n", info->name, info->driver, info->backend, info->library);
    assert_true(info->name[0] && info->backend[0] && info->library[0]);
    // WebGPU guarantees every device these.
    assert_true(info->limits.max_buffer_bytes >= 268435456);
    assert_true(info->limits.max_storage_binding_bytes >= 134217728);
    assert_true(info->limits.max_storage_buffers_per_stage >= 8);
    assert_true(info->limits.max_workgroups_per_dimension >= 65535);
    assert_true(info->limits.max_invocations_per_workgroup >= 256);
    assert_true(info->limits.max_workgroup_storage_bytes >= 16384);
    assert_true(info->limits.min_storage_offset_alignment <= 256);
    if (info->features & RP_FEATURE_SUBGROUPS)
        assert_true(info->subgroup_min_size >= 4 && info->subgroup_max_size >= info->subgroup_min_size);

    rp_gpu_info *infos = NULL;
    uint32_t count = 0, found = 0;
    rp_error error;
    assert_int_equal(rp_gpu_enumerate(NULL, &infos, &count, &error), RP_STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        found += !strcmp(infos[i].name, info->name) && infos[i].features == info->features;
    assert_int_equal(found, 1);
    rp_free(NULL, infos);
    rp_gpu_destroy(&gpu);
}

static void saxpy_adds_up(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    uint32_t x = builder_input(&b, COUNT), y = builder_input(&b, COUNT), out = builder_buffer(&b, COUNT, NULL);
    uint32_t pipeline = builder_pipeline(&b,
                                         "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
                                         "@group(0) @binding(1) var<storage, read> y: array<f32>;\n"
                                         "@group(0) @binding(2) var<storage, read_write> out: array<f32>;\n"
                                         "@compute @workgroup_size(64)\n"
                                         "fn saxpy(@builtin(global_invocation_id) id: vec3u) {\n"
                                         "    if (id.x < arrayLength(&out)) { out[id.x] = 3 * x[id.x] + y[id.x]; }\n"
                                         "}\n",
                                         "saxpy");
    uint32_t group = builder_group(&b, pipeline, 3, (uint32_t[]){x, y, out});
    builder_dispatch(&b, pipeline, group, (COUNT + 63) / 64);
    rp_program *program = builder_end(&b, out);
    float xs[COUNT], ys[COUNT], result[COUNT];
    for (int i = 0; i < COUNT; i++) {
        xs[i] = (float)i;
        ys[i] = (float)(1000 - 7 * i);
    }
    play_once(gpu, program, (const void *[]){xs, ys}, result);
    for (int i = 0; i < COUNT; i++)
        if (result[i] != (float)(3 * i + 1000 - 7 * i))
            fail_msg("[%d] is %g", i, (double)result[i]);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

// Three dispatches that depend on one another, workgroup memory and barriers.
static void a_prefix_sum_adds_up(void **state)
{
    (void)state;
    enum { COUNT = 256 * 64 - 100 };
    static const char wgsl[] =
        "@group(0) @binding(0) var<storage, read_write> values: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> sums: array<u32>;\n"
        "var<workgroup> part: array<u32, 256>;\n"
        "fn scan(local: u32, value: u32) -> u32 {\n"
        "    part[local] = value;\n"
        "    workgroupBarrier();\n"
        "    for (var step = 1u; step < 256u; step <<= 1u) {\n"
        "        var add = 0u;\n"
        "        if (local >= step) { add = part[local - step]; }\n"
        "        workgroupBarrier();\n"
        "        part[local] += add;\n"
        "        workgroupBarrier();\n"
        "    }\n"
        "    return part[local];\n"
        "}\n"
        "fn at(i: u32) -> u32 { if (i < arrayLength(&values)) { return values[i]; } return 0; }\n"
        "@compute @workgroup_size(256)\n"
        "fn parts(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32,\n"
        "         @builtin(workgroup_id) group: vec3u) {\n"
        "    let sum = scan(local, at(id.x));\n"
        "    if (id.x < arrayLength(&values)) { values[id.x] = sum; }\n"
        "    if (local == 255) { sums[group.x] = sum; }\n"
        "}\n"
        "@compute @workgroup_size(256)\n"
        "fn totals(@builtin(local_invocation_index) local: u32) {\n"
        "    var value = 0u;\n"
        "    if (local < arrayLength(&sums)) { value = sums[local]; }\n"
        "    let sum = scan(local, value);\n"
        "    if (local < arrayLength(&sums)) { sums[local] = sum; }\n"
        "}\n"
        "@compute @workgroup_size(256)\n"
        "fn add(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u) {\n"
        "    if (group.x > 0 && id.x < arrayLength(&values)) { values[id.x] += sums[group.x - 1]; }\n"
        "}\n";
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    uint32_t values = builder_input(&b, COUNT), sums = builder_buffer(&b, 64, NULL);
    const char *const entry_points[] = {"parts", "totals", "add"};
    const uint32_t counts[] = {64, 1, 64};
    for (int i = 0; i < 3; i++) {
        uint32_t pipeline = builder_pipeline(&b, wgsl, entry_points[i]);
        // An automatic layout has only the bindings that the entry point uses.
        uint32_t group;
        if (i == 1) {
            rp_error error;
            rp_program_entry entry = {.binding = 1, .buffer = sums};
            assert_int_equal(rp_recorder_create_bind_group(b.recorder, pipeline, 0, &entry, 1, &group, &error),
                             RP_STATUS_OK);
        } else {
            group = builder_group(&b, pipeline, 2, (uint32_t[]){values, sums});
        }
        builder_dispatch(&b, pipeline, group, counts[i]);
    }
    rp_program *program = builder_end(&b, values);
    static uint32_t in[COUNT], out[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = i * 2654435761u >> 20;
    play_once(gpu, program, (const void *[]){in}, out);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        sum += in[i];
        if (out[i] != sum)
            fail_msg("[%u] is %u, not %u", i, out[i], sum);
    }
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

// Ten dispatches of x → 2x + 1 in one pass: each sees what the one before wrote.
static void dispatches_of_a_pass_are_in_order(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    uint32_t start[300];
    for (uint32_t i = 0; i < 300; i++)
        start[i] = i;
    uint32_t values = builder_buffer(&b, 300, start);
    uint32_t pipeline = builder_pipeline(&b, increment_wgsl, "main");
    uint32_t group = builder_group(&b, pipeline, 1, &values);
    for (int i = 0; i < 10; i++)
        builder_dispatch(&b, pipeline, group, 5);
    rp_program *program = builder_end(&b, values);
    uint32_t result[300];
    rp_replay *replay = must_upload(gpu, program);
    must_play(replay, NULL, result);
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(result[i], (i + 1) * 1024 - 1);
    // A later run goes on from what this one left.
    must_play(replay, NULL, result);
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(result[i], (i + 1) * 1048576 - 1);
    rp_replay_destroy(&replay);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

// Writes and submits in the order of the program: each copy sees the write before it, not the one after.
static void writes_and_submits_are_in_order(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    rp_error error;
    uint32_t source = builder_buffer(&b, 2, (uint32_t[]){5, 6}), out = builder_buffer(&b, 8, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(rp_recorder_copy(b.recorder, source, 0, out, 8 * i, 8, &error), RP_STATUS_OK);
        builder_submit(&b);
        uint32_t word = 100 + i;
        assert_int_equal(rp_recorder_write(b.recorder, source, i % 2 * 4, &word, 4, &error), RP_STATUS_OK);
    }
    rp_program *program = builder_end(&b, out);
    uint32_t result[8];
    play_once(gpu, program, NULL, result);
    const uint32_t expected[] = {5, 6, 100, 6, 100, 101, 102, 101};
    assert_memory_equal(result, expected, sizeof result);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

// A copy between two dispatches of one submit.
static void a_copy_between_dispatches_is_in_order(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    rp_error error;
    uint32_t values = builder_buffer(&b, 1, (uint32_t[]){1}), kept = builder_buffer(&b, 2, NULL);
    uint32_t pipeline = builder_pipeline(&b, increment_wgsl, "main");
    uint32_t group = builder_group(&b, pipeline, 1, &values);
    builder_dispatch(&b, pipeline, group, 1);
    assert_int_equal(rp_recorder_copy(b.recorder, values, 0, kept, 0, 4, &error), RP_STATUS_OK);
    builder_dispatch(&b, pipeline, group, 1);
    assert_int_equal(rp_recorder_copy(b.recorder, values, 0, kept, 4, 4, &error), RP_STATUS_OK);
    rp_program *program = builder_end(&b, kept);
    uint32_t result[2];
    play_once(gpu, program, NULL, result);
    assert_int_equal(result[0], 3);
    assert_int_equal(result[1], 7);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

static void initial_data_are_followed_by_zeros(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    rp_error error;
    uint32_t id, words[4] = {1, 2, 3, 4};
    rp_buffer_desc desc = {
        .size_bytes = 40, .usage = RP_USAGE_STORAGE | RP_USAGE_COPY_SRC, .data = words, .data_size_bytes = 16};
    assert_int_equal(rp_recorder_create_buffer(b.recorder, &desc, &id, &error), RP_STATUS_OK);
    rp_program *program = builder_end(&b, id);
    uint32_t result[10];
    memset(result, 0xEE, sizeof result);
    play_once(gpu, program, NULL, result);
    const uint32_t expected[10] = {1, 2, 3, 4};
    assert_memory_equal(result, expected, sizeof result);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

// A binding with an offset and a size is all that the shader sees.
static void a_binding_sees_its_range_only(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    rp_error error;
    uint32_t values = builder_buffer(&b, 256, NULL), group;
    uint32_t pipeline = builder_pipeline(&b, increment_wgsl, "main");
    rp_program_entry entry = {.binding = 0, .buffer = values, .offset = 256, .size_bytes = 16};
    assert_int_equal(rp_recorder_create_bind_group(b.recorder, pipeline, 0, &entry, 1, &group, &error), RP_STATUS_OK);
    builder_dispatch(&b, pipeline, group, 1);
    rp_program *program = builder_end(&b, values);
    uint32_t result[256];
    play_once(gpu, program, NULL, result);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(result[i], i >= 64 && i < 68 ? 1 : 0);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

static void features_work_where_they_are_told_of(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    uint32_t features = rp_gpu_get_caps(gpu).features;
    static const struct {
        uint32_t feature;
        const char *wgsl;
        uint32_t expected; // of the first word
    } cases[] = {{RP_FEATURE_SHADER_F16,
                  "enable f16;\n"
                  "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                  "@compute @workgroup_size(1) fn main() {\n"
                  "    var value = f16(out[0]) + 2049.0h;\n" // not a half: rounds to even, 2048
                  "    out[0] = u32(value);\n"
                  "}\n",
                  2048},
                 {RP_FEATURE_SUBGROUPS,
                  "enable subgroups;\n"
                  "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                  "@compute @workgroup_size(64)\n"
                  "fn main(@builtin(subgroup_size) size: u32, @builtin(local_invocation_index) i: u32) {\n"
                  "    let sum = subgroupAdd(1u);\n"
                  "    if (i == 0) { out[0] = 1 + u32(sum != size); }\n"
                  "}\n",
                  1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        builder b = builder_begin();
        uint32_t out = builder_buffer(&b, 1, NULL);
        uint32_t pipeline = builder_pipeline(&b, cases[i].wgsl, "main");
        builder_dispatch(&b, pipeline, builder_group(&b, pipeline, 1, &out), 1);
        rp_program *program = builder_end(&b, out);
        if (features & cases[i].feature) {
            uint32_t result;
            play_once(gpu, program, NULL, &result);
            assert_int_equal(result, cases[i].expected);
        } else {
            rp_replay *replay = NULL;
            rp_error error;
            print_message("without feature %u\n", cases[i].feature);
            assert_int_equal(rp_replay_create(gpu, program, &replay, &error), RP_STATUS_DEVICE_LIMIT);
        }
        rp_program_destroy(&program);
    }
    rp_gpu_destroy(&gpu);
}

// Two devices, two replays of one program on each: none sees another's buffers.
static void replays_are_apart(void **state)
{
    (void)state;
    rp_gpu *gpus[2] = {dawn_or_skip(), dawn_or_skip()};
    builder b = builder_begin();
    uint32_t values = builder_buffer(&b, 4, NULL);
    uint32_t pipeline = builder_pipeline(&b, increment_wgsl, "main");
    builder_dispatch(&b, pipeline, builder_group(&b, pipeline, 1, &values), 1);
    rp_program *program = builder_end(&b, values);
    rp_replay *replays[4];
    for (uint32_t i = 0; i < 4; i++)
        replays[i] = must_upload(gpus[i / 2], program);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t runs = 0; runs <= i; runs++)
            must_play(replays[i], NULL, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t result[4];
        rp_error error;
        assert_int_equal(rp_replay_read(replays[i], values, 0, sizeof result, result, &error), RP_STATUS_OK);
        assert_int_equal(result[3], (2u << i) - 1);
        rp_replay_destroy(&replays[i]);
    }
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpus[0]);
    rp_gpu_destroy(&gpus[1]);
}

static void many_bytes_come_back_whole(void **state)
{
    (void)state;
    enum { WORDS = 3 << 20 };
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    uint32_t values = builder_input(&b, WORDS), out = builder_buffer(&b, WORDS, NULL);
    rp_error error;
    assert_int_equal(rp_recorder_copy(b.recorder, values, 0, out, 0, WORDS * 4, &error), RP_STATUS_OK);
    rp_program *program = builder_end(&b, out);
    uint32_t *words = malloc(WORDS * 8);
    assert_non_null(words);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * 2654435761u;
    play_once(gpu, program, (const void *[]){words}, words + WORDS);
    assert_memory_equal(words, words + WORDS, WORDS * 4);
    free(words);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

int test_dawn(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_describes_itself),
        cmocka_unit_test(saxpy_adds_up),
        cmocka_unit_test(a_prefix_sum_adds_up),
        cmocka_unit_test(dispatches_of_a_pass_are_in_order),
        cmocka_unit_test(writes_and_submits_are_in_order),
        cmocka_unit_test(a_copy_between_dispatches_is_in_order),
        cmocka_unit_test(initial_data_are_followed_by_zeros),
        cmocka_unit_test(a_binding_sees_its_range_only),
        cmocka_unit_test(features_work_where_they_are_told_of),
        cmocka_unit_test(replays_are_apart),
        cmocka_unit_test(many_bytes_come_back_whole),
    };
    return cmocka_run_group_tests_name("programs on a real device", tests, NULL, NULL);
}
