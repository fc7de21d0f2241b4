// What goes wrong on a real device: every mistake is told with its status, and nothing hangs or goes on silently.
#include "gpu/tests.h"

#include "gpu/dawn.h"
#include "gpu/gpu.h"
#include "gpu/programs.h"
#include "gpu/replay.h"

#include <string.h>

static const char increment_wgsl[] = "@group(0) @binding(0) var<storage, read_write> values: array<u32>;\n"
                                     "@compute @workgroup_size(1)\n"
                                     "fn main() { values[0] += 1; }\n";

// A program of `submits` submits, each of which adds 1 to the output.
static rp_program *counting_program(uint32_t submits)
{
    builder b = builder_begin();
    uint32_t values = builder_buffer(&b, 4, NULL);
    uint32_t pipeline = builder_pipeline(&b, increment_wgsl, "main");
    uint32_t group = builder_group(&b, pipeline, 1, &values);
    for (uint32_t i = 0; i < submits; i++) {
        builder_dispatch(&b, pipeline, group, 1);
        builder_submit(&b);
    }
    return builder_end(&b, values);
}

// One buffer of 16 bytes bound at binding 0 and dispatched once.
static rp_program *program_of(const char *wgsl, const char *entry_point, uint32_t x)
{
    builder b = builder_begin();
    uint32_t values = builder_buffer(&b, 4, NULL);
    uint32_t pipeline = builder_pipeline(&b, wgsl, entry_point);
    builder_dispatch(&b, pipeline, builder_group(&b, pipeline, 1, &values), x);
    return builder_end(&b, values);
}

// Destroys the device.
static void refuses(rp_gpu *gpu, const rp_program *program, rp_status expected, const char *text)
{
    rp_replay *replay = NULL;
    rp_error error;
    rp_status status = rp_replay_create(gpu, program, &replay, &error);
    if (status == RP_STATUS_OK) {
        uint32_t output[64];
        rp_replay_run_desc run = {.output = output, .output_size_bytes = program->buffers[program->output].size_bytes};
        status = rp_replay_run(replay, &run, &error);
    }
    if (status != expected)
        fail_msg("%s: %s", rp_status_name(status), status == RP_STATUS_OK ? "" : error.message);
    if (!strstr(error.message, text))
        fail_msg("'%s' does not tell of '%s'", error.message, text);
    rp_replay_destroy(&replay);
    rp_gpu_destroy(&gpu);
}

static void wrong_wgsl_is_told_with_its_line(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_program *program = program_of("@group(0) @binding(0) var<storage, read_write> values: array<u32>;\n"
                                     "@compute @workgroup_size(1)\n"
                                     "fn main() {\n"
                                     "    values[0] = nothing;\n"
                                     "}\n",
                                     "main", 1);
    refuses(gpu, program, RP_STATUS_DEVICE_VALIDATION, "shader 0, line 4:17: ");
    rp_program_destroy(&program);
}

static void a_missing_entry_point_is_told(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_program *program = program_of(increment_wgsl, "other", 1);
    refuses(gpu, program, RP_STATUS_DEVICE_VALIDATION, "other");
    rp_program_destroy(&program);
}

static void a_workgroup_too_large_is_told(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_program *program = program_of("@group(0) @binding(0) var<storage, read_write> values: array<u32>;\n"
                                     "@compute @workgroup_size(1024, 1024) fn main() { values[0] = 1; }\n",
                                     "main", 1);
    refuses(gpu, program, RP_STATUS_DEVICE_VALIDATION, "1024");
    rp_program_destroy(&program);
}

static void a_binding_that_the_shader_has_not_is_told(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_program *program = program_of("@group(0) @binding(3) var<storage, read_write> values: array<u32>;\n"
                                     "@compute @workgroup_size(1) fn main() { values[0] = 1; }\n",
                                     "main", 1);
    refuses(gpu, program, RP_STATUS_DEVICE_VALIDATION, "creating bind groups");
    rp_program_destroy(&program);
}

static void a_binding_too_small_for_the_shader_is_told(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_program *program = program_of("@group(0) @binding(0) var<storage, read_write> values: array<u32, 100>;\n"
                                     "@compute @workgroup_size(1) fn main() { values[0] = 1; }\n",
                                     "main", 1);
    refuses(gpu, program, RP_STATUS_DEVICE_VALIDATION, "400");
    rp_program_destroy(&program);
}

static void a_storage_buffer_bound_as_uniform_is_told(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_program *program = program_of("@group(0) @binding(0) var<uniform> values: vec4u;\n"
                                     "@compute @workgroup_size(1) fn main() { _ = values; }\n",
                                     "main", 1);
    refuses(gpu, program, RP_STATUS_DEVICE_VALIDATION, "creating bind groups");
    rp_program_destroy(&program);
}

// A mistake that WebGPU finds only when the commands are recorded: one buffer read and written in a dispatch.
static void an_error_of_a_run_is_told(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    builder b = builder_begin();
    uint32_t values = builder_buffer(&b, 4, NULL);
    uint32_t pipeline = builder_pipeline(&b,
                                         "@group(0) @binding(0) var<storage, read> source: array<u32>;\n"
                                         "@group(0) @binding(1) var<storage, read_write> target_: array<u32>;\n"
                                         "@compute @workgroup_size(1) fn main() { target_[0] = source[1]; }\n",
                                         "main");
    builder_dispatch(&b, pipeline, builder_group(&b, pipeline, 2, (uint32_t[]){values, values}), 1);
    rp_program *program = builder_end(&b, values);
    refuses(gpu, program, RP_STATUS_DEVICE_VALIDATION, "running");
    rp_program_destroy(&program);
}

static void a_dispatch_over_the_limit_is_told(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    uint32_t limit = rp_gpu_get_info(gpu)->limits.max_workgroups_per_dimension;
    rp_recorder *recorder = NULL;
    rp_error error;
    rp_recorder_desc desc = {.max_workgroups_per_dimension = UINT32_MAX};
    assert_int_equal(rp_recorder_create(&desc, &recorder, &error), RP_STATUS_OK);
    builder b = {.recorder = recorder};
    uint32_t values = builder_buffer(&b, 4, NULL);
    uint32_t pipeline = builder_pipeline(&b, increment_wgsl, "main");
    builder_dispatch(&b, pipeline, builder_group(&b, pipeline, 1, &values), limit + 1);
    rp_program *program = builder_end(&b, values);
    refuses(gpu, program, RP_STATUS_DEVICE_LIMIT, "workgroups");
    rp_program_destroy(&program);
}

static void a_total_over_the_limit_is_told(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_gpu_destroy(&gpu);
    rp_error error;
    rp_replay *replay = NULL;
    assert_int_equal(rp_gpu_create(&(rp_gpu_desc){.software = true, .max_bytes = 15}, &gpu, &error), RP_STATUS_OK);
    rp_program *program = counting_program(1);
    assert_int_equal(rp_replay_create(gpu, program, &replay, &error), RP_STATUS_DEVICE_LIMIT);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

typedef struct watcher {
    uint32_t calls, stop_at; // at that many submits done
    rp_gpu *destroy;         // the device is destroyed then, instead of cancelling
} watcher;

static bool watch(void *user, uint32_t done, uint32_t total)
{
    watcher *w = user;
    assert_int_equal(total, 8);
    assert_int_equal(done, w->calls++);
    if (done != w->stop_at)
        return true;
    if (w->destroy)
        w->destroy->library.api.device_destroy(w->destroy->device);
    return w->destroy != NULL;
}

static void a_cancelled_replay_runs_again(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_program *program = counting_program(8);
    rp_replay *replay = must_upload(gpu, program);
    uint32_t output[4];
    rp_error error;
    for (uint32_t stop_at = 0; stop_at <= 8; stop_at++) {
        watcher w = {.stop_at = stop_at};
        rp_replay_run_desc run = {.output = output, .output_size_bytes = sizeof output, .progress = watch, .user = &w};
        assert_int_equal(rp_replay_run(replay, &run, &error), RP_STATUS_CANCELLED);
        assert_int_equal(w.calls, stop_at + 1);
    }
    // What was submitted before each cancelling was done: none, then one more than reported, at most eight.
    must_play(replay, NULL, output);
    assert_int_equal(output[0], 0 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 8 + 8);
    watcher w = {.stop_at = UINT32_MAX};
    rp_replay_run_desc run = {.output = output, .output_size_bytes = sizeof output, .progress = watch, .user = &w};
    assert_int_equal(rp_replay_run(replay, &run, &error), RP_STATUS_OK);
    assert_int_equal(w.calls, 9);
    rp_replay_destroy(&replay);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

static void a_lost_device_is_told_and_the_next_one_works(void **state)
{
    (void)state;
    rp_gpu *first = dawn_or_skip();
    rp_gpu_destroy(&first);
    rp_program *program = counting_program(8);
    uint32_t output[4];
    rp_error error;
    for (uint32_t stop_at = 0; stop_at <= 8; stop_at += 4) {
        rp_gpu *gpu = dawn_or_skip();
        rp_replay *replay = must_upload(gpu, program);
        watcher w = {.stop_at = stop_at, .destroy = gpu};
        rp_replay_run_desc run = {.output = output, .output_size_bytes = sizeof output, .progress = watch, .user = &w};
        rp_status status = rp_replay_run(replay, &run, &error);
        if (status != RP_STATUS_DEVICE_LOST)
            fail_msg("%s: %s", rp_status_name(status), status == RP_STATUS_OK ? "" : error.message);
        assert_int_equal(rp_replay_run(replay, &run, &error), RP_STATUS_DEVICE_LOST);
        rp_replay_destroy(&replay);
        rp_gpu_destroy(&gpu);
    }
    // Lost between uploading and running.
    rp_gpu *gpu = dawn_or_skip();
    rp_replay *replay = must_upload(gpu, program);
    gpu->library.api.device_destroy(gpu->device);
    rp_replay_run_desc run = {.output = output, .output_size_bytes = sizeof output};
    assert_int_equal(rp_replay_run(replay, &run, &error), RP_STATUS_DEVICE_LOST);
    rp_replay_destroy(&replay);
    rp_gpu_destroy(&gpu);
    // Lost before uploading.
    gpu = dawn_or_skip();
    gpu->library.api.device_destroy(gpu->device);
    assert_int_equal(rp_replay_create(gpu, program, &replay, &error), RP_STATUS_DEVICE_LOST);
    rp_gpu_destroy(&gpu);

    gpu = dawn_or_skip();
    play_once(gpu, program, NULL, output);
    assert_int_equal(output[0], 8);
    rp_gpu_destroy(&gpu);
    rp_program_destroy(&program);
}

// An error that no scope of ours caught still fails the next run.
static void an_uncaught_error_fails_the_run(void **state)
{
    (void)state;
    rp_gpu *gpu = dawn_or_skip();
    rp_program *program = counting_program(1);
    rp_replay *replay = must_upload(gpu, program);
    uint32_t output[4] = {0};
    rp_error error;
    gpu->library.api.queue_write_buffer(gpu->queue, replay->buffers[0], 1 << 20, output, 4);
    rp_replay_run_desc run = {.output = output, .output_size_bytes = sizeof output};
    assert_int_equal(rp_replay_run(replay, &run, &error), RP_STATUS_DEVICE_VALIDATION);
    rp_replay_destroy(&replay);
    rp_program_destroy(&program);
    rp_gpu_destroy(&gpu);
}

int test_dawn_errors(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_wgsl_is_told_with_its_line),
        cmocka_unit_test(a_missing_entry_point_is_told),
        cmocka_unit_test(a_workgroup_too_large_is_told),
        cmocka_unit_test(a_binding_that_the_shader_has_not_is_told),
        cmocka_unit_test(a_binding_too_small_for_the_shader_is_told),
        cmocka_unit_test(a_storage_buffer_bound_as_uniform_is_told),
        cmocka_unit_test(an_error_of_a_run_is_told),
        cmocka_unit_test(a_dispatch_over_the_limit_is_told),
        cmocka_unit_test(a_total_over_the_limit_is_told),
        cmocka_unit_test(a_cancelled_replay_runs_again),
        cmocka_unit_test(a_lost_device_is_told_and_the_next_one_works),
        cmocka_unit_test(an_uncaught_error_fails_the_run),
    };
    return cmocka_run_group_tests_name("errors on a real device", tests, NULL, NULL);
}
