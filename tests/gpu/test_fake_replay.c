// The replayer on the made-up WebGPU: the calls that it makes, and that every failure of every call has its status,
// comes with the implementation's message, and leaves nothing behind.
#include "gpu/tests.h"

#include "gpu/fake_webgpu.h"
#include "gpu/gpu.h"
#include "gpu/programs.h"
#include "support/failing_allocator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t input[SAMPLE_BYTES / 4] = {10, 20, 30, 40, 50, 60, 70, 80};

static void nothing_is_left(void)
{
    assert_int_equal(fake_live(), 0);
    assert_int_equal(fake.scopes, 0);
    assert_int_equal(fake.bad_handles, 0);
}

typedef struct outcome {
    rp_status create, run;
    char message[500];
    uint32_t output[SAMPLE_BYTES / 4];
    uint32_t progress_calls, cancel_at; // cancels at that call, from 1
} outcome;

static bool count_progress(void *user, uint32_t done, uint32_t total)
{
    outcome *o = user;
    assert_int_equal(total, 2);
    assert_int_equal(done, o->progress_calls);
    return ++o->progress_calls != o->cancel_at;
}

// The whole life of a device and a replay, as `fake` says.
static outcome live(const rp_library *library, bool progress, uint32_t cancel_at)
{
    outcome o = {.cancel_at = cancel_at};
    rp_gpu *gpu = NULL;
    rp_replay *replay = NULL;
    rp_error error = {0};
    o.create = rp_gpu_create_with(library, &(rp_gpu_desc){0}, &gpu, &error);
    assert_int_equal(o.create, RP_STATUS_OK);
    o.create = rp_replay_create(gpu, sample_program(), &replay, &error);
    const void *inputs[] = {input};
    rp_replay_run_desc run = {.inputs = inputs,
                              .input_count = 1,
                              .output = o.output,
                              .output_size_bytes = sizeof o.output,
                              .progress = progress ? count_progress : NULL,
                              .user = &o};
    if (o.create == RP_STATUS_OK)
        o.run = rp_replay_run(replay, &run, &error);
    else
        assert_null(replay);
    snprintf(o.message, sizeof o.message, "%s", error.message);
    rp_replay_destroy(&replay);
    assert_null(replay);
    rp_gpu_destroy(&gpu);
    nothing_is_left();
    return o;
}

// ---- What it calls

static void a_run_makes_these_calls_in_this_order(void **state)
{
    (void)state;
    rp_library library = fake_library();
    rp_gpu *gpu = NULL;
    rp_replay *replay = NULL;
    rp_error error;
    assert_int_equal(rp_gpu_create_with(&library, &(rp_gpu_desc){0}, &gpu, &error), RP_STATUS_OK);
    assert_int_equal(rp_replay_create(gpu, sample_program(), &replay, &error), RP_STATUS_OK);
    fake.log[0] = '\0';
    const void *inputs[] = {input};
    uint32_t output[SAMPLE_BYTES / 4];
    rp_replay_run_desc run = {.inputs = inputs, .input_count = 1, .output = output, .output_size_bytes = sizeof output};
    assert_int_equal(rp_replay_run(replay, &run, &error), RP_STATUS_OK);
    static const char expected[] = "DevicePushErrorScope\nDevicePushErrorScope\nDevicePushErrorScope\n"
                                   "QueueWriteBuffer\n"
                                   "DeviceCreateCommandEncoder\n"
                                   "CommandEncoderBeginComputePass\n"
                                   "ComputePassEncoderSetPipeline\n"
                                   "ComputePassEncoderSetBindGroup\n"
                                   "ComputePassEncoderDispatchWorkgroups\n"
                                   "ComputePassEncoderDispatchWorkgroups\n" // the same pass, pipeline and bindings
                                   "ComputePassEncoderEnd\n"
                                   "ComputePassEncoderRelease\n"
                                   "CommandEncoderCopyBufferToBuffer\n" // ends the pass
                                   "CommandEncoderBeginComputePass\n"
                                   "ComputePassEncoderSetPipeline\n"
                                   "ComputePassEncoderSetBindGroup\n"
                                   "ComputePassEncoderDispatchWorkgroups\n"
                                   "ComputePassEncoderEnd\n"
                                   "ComputePassEncoderRelease\n"
                                   "CommandEncoderFinish\n"
                                   "CommandEncoderRelease\n"
                                   "QueueSubmit\n"
                                   "CommandBufferRelease\n"
                                   "QueueWriteBuffer\n" // the program's own
                                   "DeviceCreateCommandEncoder\n"
                                   "CommandEncoderBeginComputePass\n"
                                   "ComputePassEncoderSetPipeline\n"
                                   "ComputePassEncoderSetBindGroup\n"
                                   "ComputePassEncoderDispatchWorkgroups\n"
                                   "ComputePassEncoderEnd\n"
                                   "ComputePassEncoderRelease\n"
                                   "CommandEncoderFinish\n"
                                   "CommandEncoderRelease\n"
                                   "QueueSubmit\n"
                                   "CommandBufferRelease\n"
                                   "DeviceCreateBuffer\n" // to read back through
                                   "DeviceCreateCommandEncoder\n"
                                   "CommandEncoderCopyBufferToBuffer\n"
                                   "CommandEncoderFinish\n"
                                   "CommandEncoderRelease\n"
                                   "QueueSubmit\n"
                                   "CommandBufferRelease\n"
                                   "DevicePopErrorScope\nDevicePopErrorScope\nDevicePopErrorScope\n"
                                   "BufferMapAsync\n"
                                   "BufferGetConstMappedRange\n"
                                   "BufferUnmap\n";
    assert_string_equal(fake.log, expected);
    // The next run keeps the readback buffer.
    fake.log[0] = '\0';
    assert_int_equal(rp_replay_run(replay, &run, &error), RP_STATUS_OK);
    assert_int_equal(fake_count("DeviceCreateBuffer"), 0);
    // Without output nothing is copied, and the end is waited for.
    fake.log[0] = '\0';
    run.output = NULL;
    run.output_size_bytes = 0;
    assert_int_equal(rp_replay_run(replay, &run, &error), RP_STATUS_OK);
    assert_int_equal(fake_count("BufferMapAsync"), 0);
    assert_int_equal(fake_count("QueueOnSubmittedWorkDone"), 1);
    rp_replay_destroy(&replay);
    rp_gpu_destroy(&gpu);
    nothing_is_left();
}

static void creation_makes_each_object_once(void **state)
{
    (void)state;
    rp_library library = fake_library();
    rp_gpu *gpu = NULL;
    rp_replay *replay = NULL;
    rp_error error;
    assert_int_equal(rp_gpu_create_with(&library, &(rp_gpu_desc){0}, &gpu, &error), RP_STATUS_OK);
    assert_int_equal(rp_replay_create(gpu, sample_program(), &replay, &error), RP_STATUS_OK);
    assert_int_equal(fake.live[FAKE_BUFFER], 5);
    assert_int_equal(fake.live[FAKE_SHADER], 2);
    assert_int_equal(fake.live[FAKE_PIPELINE], 2);
    assert_int_equal(fake.live[FAKE_BIND_GROUP], 2);
    assert_int_equal(fake.live[FAKE_LAYOUT], 0);
    assert_int_equal(fake_count("BufferUnmap"), 1); // the buffer with data
    // What the program has, and COPY_SRC for the output, which the host may replace and so need not have it.
    assert_int_equal(fake.usages, RP_USAGE_STORAGE | RP_USAGE_UNIFORM | RP_USAGE_COPY_DST | RP_USAGE_COPY_SRC);
    rp_replay_destroy(&replay);
    rp_gpu_destroy(&gpu);
    nothing_is_left();
}

static void a_program_that_does_not_fit_touches_no_device(void **state)
{
    (void)state;
    rp_library library = fake_library();
    fake.limits.maxComputeWorkgroupsPerDimension = 1;
    rp_gpu *gpu = NULL;
    rp_replay *replay = NULL;
    rp_error error;
    assert_int_equal(rp_gpu_create_with(&library, &(rp_gpu_desc){0}, &gpu, &error), RP_STATUS_OK);
    fake.log[0] = '\0';
    assert_int_equal(rp_replay_create(gpu, sample_program(), &replay, &error), RP_STATUS_DEVICE_LIMIT);
    assert_string_equal(fake.log, "");
    rp_gpu_destroy(&gpu);
    assert_int_equal(rp_gpu_create_with(&library, &(rp_gpu_desc){.max_bytes = 100}, &gpu, &error), RP_STATUS_OK);
    fake.log[0] = '\0';
    assert_int_equal(rp_replay_create(gpu, sample_program(), &replay, &error), RP_STATUS_DEVICE_LIMIT);
    assert_string_equal(fake.log, "");
    rp_gpu_destroy(&gpu);
    nothing_is_left();
}

// ---- What goes wrong

static void every_refused_creation_fails_and_leaves_nothing(void **state)
{
    (void)state;
    const struct {
        fake_call call;
        bool in_run;
        rp_status status;
    } cases[] = {{{"DeviceCreateBuffer", 1}, false, RP_STATUS_DEVICE_MEMORY},
                 {{"DeviceCreateBuffer", 5}, false, RP_STATUS_DEVICE_MEMORY},
                 {{"BufferGetMappedRange", 1}, false, RP_STATUS_DEVICE_MEMORY},
                 {{"DeviceCreateShaderModule", 2}, false, RP_STATUS_DEVICE_INTERNAL},
                 {{"DeviceCreateComputePipeline", 2}, false, RP_STATUS_DEVICE_INTERNAL},
                 {{"ComputePipelineGetBindGroupLayout", 1}, false, RP_STATUS_DEVICE_INTERNAL},
                 {{"DeviceCreateBindGroup", 2}, false, RP_STATUS_DEVICE_INTERNAL},
                 {{"DevicePopErrorScope", 1}, false, RP_STATUS_DEVICE_INTERNAL},
                 {{"DeviceCreateCommandEncoder", 1}, true, RP_STATUS_DEVICE_INTERNAL},
                 {{"CommandEncoderBeginComputePass", 2}, true, RP_STATUS_DEVICE_INTERNAL},
                 {{"CommandEncoderFinish", 1}, true, RP_STATUS_DEVICE_INTERNAL},
                 {{"DeviceCreateBuffer", 6}, true, RP_STATUS_DEVICE_MEMORY},
                 {{"DeviceCreateCommandEncoder", 3}, true, RP_STATUS_DEVICE_INTERNAL},
                 {{"CommandEncoderFinish", 3}, true, RP_STATUS_DEVICE_INTERNAL},
                 {{"DevicePopErrorScope", 12}, true, RP_STATUS_DEVICE_INTERNAL},
                 {{"BufferMapAsync", 1}, true, RP_STATUS_DEVICE_INTERNAL},
                 {{"BufferGetConstMappedRange", 1}, true, RP_STATUS_DEVICE_INTERNAL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_library library = fake_library();
        fake.refuse = cases[i].call;
        outcome o = live(&library, false, 0);
        rp_status expected_create = cases[i].in_run ? RP_STATUS_OK : cases[i].status;
        if (o.create != expected_create || (cases[i].in_run && o.run != cases[i].status))
            fail_msg("call %u of %s refused gives %s, %s", cases[i].call.nth, cases[i].call.function,
                     rp_status_name(o.create), rp_status_name(o.run));
    }
}

static const struct {
    uint32_t type;
    rp_status status;
} errors[] = {{WGPUErrorType_Validation, RP_STATUS_DEVICE_VALIDATION},
              {WGPUErrorType_OutOfMemory, RP_STATUS_DEVICE_MEMORY},
              {WGPUErrorType_Internal, RP_STATUS_DEVICE_INTERNAL}};

static const fake_call creating[] = {{"DeviceCreateBuffer", 3},
                                     {"DeviceCreateShaderModule", 1},
                                     {"DeviceCreateComputePipeline", 1},
                                     {"DeviceCreateBindGroup", 1}},
                       running[] = {{"QueueWriteBuffer", 1},
                                    {"QueueWriteBuffer", 2},
                                    {"ComputePassEncoderDispatchWorkgroups", 3},
                                    {"CommandEncoderCopyBufferToBuffer", 1},
                                    {"CommandEncoderFinish", 2},
                                    {"QueueSubmit", 1},
                                    {"QueueSubmit", 3}};

static outcome raise_at(fake_call call, uint32_t type, bool uncaught)
{
    rp_library library = fake_library();
    fake.wrong = call;
    fake.wrong_type = type;
    fake.uncaught = uncaught;
    return live(&library, false, 0);
}

// Whether a scope caught the error or not: the call that led to it fails, with the implementation's words on one line.
static void every_raised_error_is_told(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
        for (int uncaught = 0; uncaught < 2; uncaught++) {
            for (size_t i = 0; i < sizeof creating / sizeof *creating; i++) {
                outcome o = raise_at(creating[i], errors[e].type, uncaught);
                if (o.create != errors[e].status || !strstr(o.message, "made-up error of two lines"))
                    fail_msg("%s: %s: %s", creating[i].function, rp_status_name(o.create), o.message);
            }
            for (size_t i = 0; i < sizeof running / sizeof *running; i++) {
                outcome o = raise_at(running[i], errors[e].type, uncaught);
                assert_int_equal(o.create, RP_STATUS_OK);
                if (o.run != errors[e].status || !strstr(o.message, "made-up error of two lines"))
                    fail_msg("%s: %s: %s", running[i].function, rp_status_name(o.run), o.message);
            }
        }
}

// An error that comes up only while waiting for the bytes fails the run too: no scope is open any more.
static void an_error_while_reading_back_is_told(void **state)
{
    (void)state;
    outcome o = raise_at((fake_call){"BufferMapAsync", 1}, WGPUErrorType_Internal, true);
    assert_int_equal(o.run, RP_STATUS_DEVICE_INTERNAL);
}

static void a_shader_error_comes_with_its_line(void **state)
{
    (void)state;
    rp_library library = fake_library();
    fake.wrong = (fake_call){"DeviceCreateShaderModule", 1};
    fake.wrong_type = WGPUErrorType_Validation;
    fake.compile_line = 12;
    outcome o = live(&library, false, 0);
    assert_int_equal(o.create, RP_STATUS_DEVICE_VALIDATION);
    assert_string_equal(o.message, "shader 0, line 12:7: unresolved value");
    // An implementation without such messages is not asked for them.
    library = fake_library();
    library.profile.compilation_info = false;
    fake.wrong = (fake_call){"DeviceCreateShaderModule", 1};
    fake.wrong_type = WGPUErrorType_Validation;
    o = live(&library, false, 0);
    assert_int_equal(o.create, RP_STATUS_DEVICE_VALIDATION);
    assert_int_equal(fake_count("ShaderModuleGetCompilationInfo"), 0);
}

static void a_lost_device_is_told_wherever_it_is_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof creating / sizeof *creating; i++) {
        rp_library library = fake_library();
        fake.lose = creating[i];
        outcome o = live(&library, false, 0);
        assert_int_equal(o.create, RP_STATUS_DEVICE_LOST);
        assert_non_null(strstr(o.message, "made-up loss"));
    }
    for (size_t i = 0; i < sizeof running / sizeof *running; i++) {
        rp_library library = fake_library();
        fake.lose = running[i];
        outcome o = live(&library, i % 2, 0);
        assert_int_equal(o.run, RP_STATUS_DEVICE_LOST);
        assert_non_null(strstr(o.message, "made-up loss"));
    }
    rp_library library = fake_library();
    fake.lose = (fake_call){"BufferMapAsync", 1};
    assert_int_equal(live(&library, false, 0).run, RP_STATUS_DEVICE_LOST);
}

static void a_silent_implementation_does_not_hang(void **state)
{
    (void)state;
    const struct {
        fake_call call;
        bool in_run, progress;
    } cases[] = {{{"DevicePopErrorScope", 1}, false, false},
                 {{"DevicePopErrorScope", 10}, true, false},
                 {{"BufferMapAsync", 1}, true, false},
                 {{"QueueOnSubmittedWorkDone", 1}, true, true},
                 {{"QueueOnSubmittedWorkDone", 2}, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_library library = fake_library();
        library.answer_seconds = library.work_seconds = 0.01;
        fake.silent = cases[i].call;
        outcome o = live(&library, cases[i].progress, 0);
        if ((cases[i].in_run ? o.run : o.create) != RP_STATUS_DEVICE_LOST)
            fail_msg("%s without answer gives %s, %s", cases[i].call.function, rp_status_name(o.create),
                     rp_status_name(o.run));
        assert_non_null(strstr(o.message, "0.01 s"));
    }
}

static void progress_counts_the_submits_and_cancels(void **state)
{
    (void)state;
    rp_library library = fake_library();
    outcome o = live(&library, true, 0);
    assert_int_equal(o.run, RP_STATUS_OK);
    assert_int_equal(o.progress_calls, 3);
    for (uint32_t at = 1; at <= 3; at++) {
        library = fake_library();
        o = live(&library, true, at);
        assert_int_equal(o.run, RP_STATUS_CANCELLED);
        assert_int_equal(o.progress_calls, at);
        assert_int_equal(fake_count("BufferMapAsync"), 0);
        // One submit is ahead of what is reported.
        assert_int_equal(fake_count("QueueSubmit"), at - 1 < 2 ? (at == 1 ? 0 : 2) : 2);
    }
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        rp_library library = fake_library();
        failing_allocator allocator;
        failing_allocator_init(&allocator, n);
        rp_gpu_desc desc = {.allocator = &allocator.hook};
        rp_gpu *gpu = NULL;
        rp_replay *replay = NULL;
        rp_error error;
        rp_status status = rp_gpu_create_with(&library, &desc, &gpu, &error);
        if (status == RP_STATUS_OK)
            status = rp_replay_create(gpu, sample_program(), &replay, &error);
        if (status != RP_STATUS_OK)
            assert_null(replay);
        rp_replay_destroy(&replay);
        rp_gpu_destroy(&gpu);
        assert_int_equal(allocator.live, 0);
        nothing_is_left();
        if (status == RP_STATUS_OK) {
            assert_true(n > 3);
            return;
        }
        assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
    }
}

// ---- Arguments, and bytes to and fro

typedef struct rig {
    rp_gpu *gpu;
    rp_replay *replay;
} rig;

static int set_up(void **state)
{
    static rig r;
    static rp_library library;
    library = fake_library();
    r = (rig){0};
    *state = &r;
    return rp_gpu_create_with(&library, &(rp_gpu_desc){0}, &r.gpu, NULL) ||
           rp_replay_create(r.gpu, sample_program(), &r.replay, NULL);
}

static int tear_down(void **state)
{
    rig *r = *state;
    rp_replay_destroy(&r->replay);
    rp_gpu_destroy(&r->gpu);
    return fake_live() != 0 || fake.bad_handles != 0 || fake.scopes != 0;
}

static void wrong_run_arguments_are_refused(void **state)
{
    rig *r = *state;
    const void *inputs[] = {input, input};
    uint32_t output[SAMPLE_BYTES / 4];
    rp_error error;
    rp_replay_run_desc good = {
        .inputs = inputs, .input_count = 1, .output = output, .output_size_bytes = sizeof output};
    rp_replay_run_desc wrong = good;
    fake.log[0] = '\0';
    wrong.input_count = 2;
    assert_int_equal(rp_replay_run(r->replay, &wrong, &error), RP_STATUS_INVALID_ARGUMENT);
    wrong.input_count = 0;
    assert_int_equal(rp_replay_run(r->replay, &wrong, &error), RP_STATUS_INVALID_ARGUMENT);
    wrong = good;
    wrong.inputs = NULL;
    assert_int_equal(rp_replay_run(r->replay, &wrong, &error), RP_STATUS_INVALID_ARGUMENT);
    wrong = good;
    wrong.output_size_bytes = sizeof output - 4;
    assert_int_equal(rp_replay_run(r->replay, &wrong, &error), RP_STATUS_INVALID_ARGUMENT);
    wrong.output_size_bytes = sizeof output + 4;
    assert_int_equal(rp_replay_run(r->replay, &wrong, &error), RP_STATUS_INVALID_ARGUMENT);
    assert_string_equal(fake.log, "");
    assert_int_equal(rp_replay_run(r->replay, &good, &error), RP_STATUS_OK);
}

// No shader runs here, so that every buffer shows what was written and copied.
static void bytes_go_where_they_belong(void **state)
{
    rig *r = *state;
    const void *inputs[] = {input};
    uint32_t bytes[SAMPLE_BYTES / 4];
    rp_error error;
    rp_replay_run_desc run = {.inputs = inputs, .input_count = 1};
    assert_int_equal(rp_replay_run(r->replay, &run, &error), RP_STATUS_OK);
    // The copy was before the write of 77, which hit the second word of the input.
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_SCRATCH, 0, sizeof bytes, bytes, &error), RP_STATUS_OK);
    assert_memory_equal(bytes, input, sizeof bytes);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, 4, 8, bytes, &error), RP_STATUS_OK);
    assert_int_equal(bytes[0], 77);
    assert_int_equal(bytes[1], 30);
    // NULL keeps what the buffer holds.
    inputs[0] = NULL;
    assert_int_equal(rp_replay_run(r->replay, &run, &error), RP_STATUS_OK);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_SCRATCH, 4, 4, bytes, &error), RP_STATUS_OK);
    assert_int_equal(bytes[0], 77);
    // The output is COPY_SRC for us.
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_OUTPUT, 0, sizeof bytes, bytes, &error), RP_STATUS_OK);
    assert_int_equal(bytes[0], 0);
}

static void wrong_reads_are_refused(void **state)
{
    rig *r = *state;
    uint32_t bytes[SAMPLE_BYTES / 4];
    rp_error error;
    fake.log[0] = '\0';
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_BUFFERS, 0, 4, bytes, &error), RP_STATUS_BAD_ID);
    assert_int_equal(rp_replay_read(r->replay, RP_NO_ID, 0, 4, bytes, &error), RP_STATUS_BAD_ID);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, 0, SAMPLE_BYTES + 4, bytes, &error), RP_STATUS_BAD_RANGE);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, 4, SAMPLE_BYTES, bytes, &error), RP_STATUS_BAD_RANGE);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, UINT64_MAX - 3, 8, bytes, &error), RP_STATUS_BAD_RANGE);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, 8, UINT64_MAX - 7, bytes, &error), RP_STATUS_BAD_RANGE);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, 2, 4, bytes, &error), RP_STATUS_BAD_ALIGNMENT);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, 4, 2, bytes, &error), RP_STATUS_BAD_ALIGNMENT);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_WEIGHTS, 0, 4, bytes, &error), RP_STATUS_BAD_USAGE);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, SAMPLE_BYTES, 0, bytes, &error), RP_STATUS_OK);
    assert_string_equal(fake.log, "");
}

static void the_input_scale_goes_into_the_frame_buffer(void **state)
{
    rig *r = *state;
    const float refused[] = {0, -1, NAN, INFINITY, -INFINITY};
    rp_error error;
    fake.log[0] = '\0';
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(rp_replay_set_input_scale(r->replay, refused[i], &error), RP_STATUS_INVALID_ARGUMENT);
    assert_string_equal(fake.log, "");
    assert_int_equal(rp_replay_set_input_scale(r->replay, 0.25f, &error), RP_STATUS_OK);
    assert_int_equal(fake_count("QueueWriteBuffer"), 1);
    fake.wrong = (fake_call){"QueueWriteBuffer", 2};
    fake.wrong_type = WGPUErrorType_Validation;
    assert_int_equal(rp_replay_set_input_scale(r->replay, 0.25f, &error), RP_STATUS_DEVICE_VALIDATION);
}

static void a_program_without_a_frame_buffer_has_no_input_scale(void **state)
{
    rig *r = *state;
    rp_program program = *sample_program();
    rp_replay *replay = NULL;
    rp_error error;
    program.meta.frame_buffer = RP_NO_ID;
    assert_int_equal(rp_replay_create(r->gpu, &program, &replay, &error), RP_STATUS_OK);
    assert_int_equal(rp_replay_set_input_scale(replay, 1, &error), RP_STATUS_UNSUPPORTED);
    rp_replay_destroy(&replay);
    program.meta = (rp_program_meta){0};
    assert_int_equal(rp_replay_create(r->gpu, &program, &replay, &error), RP_STATUS_OK);
    assert_int_equal(rp_replay_set_input_scale(replay, 1, &error), RP_STATUS_UNSUPPORTED);
    rp_replay_destroy(&replay);
}

// After a loss every call says so, and touches the device no more.
static void a_lost_device_stays_lost(void **state)
{
    rig *r = *state;
    const void *inputs[] = {input};
    rp_replay_run_desc run = {.inputs = inputs, .input_count = 1};
    uint32_t word;
    rp_error error;
    fake.lose = (fake_call){"QueueSubmit", 1};
    assert_int_equal(rp_replay_run(r->replay, &run, &error), RP_STATUS_DEVICE_LOST);
    fake.log[0] = '\0';
    rp_replay *other = NULL;
    assert_int_equal(rp_replay_run(r->replay, &run, &error), RP_STATUS_DEVICE_LOST);
    assert_int_equal(rp_replay_read(r->replay, SAMPLE_INPUT, 0, 4, &word, &error), RP_STATUS_DEVICE_LOST);
    assert_int_equal(rp_replay_set_input_scale(r->replay, 1, &error), RP_STATUS_DEVICE_LOST);
    assert_int_equal(rp_replay_create(r->gpu, sample_program(), &other, &error), RP_STATUS_DEVICE_LOST);
    assert_string_equal(fake.log, "");
}

static void destroying_nothing_is_fine(void **state)
{
    (void)state;
    rp_gpu *gpu = NULL;
    rp_replay *replay = NULL;
    rp_gpu_destroy(NULL);
    rp_gpu_destroy(&gpu);
    rp_replay_destroy(NULL);
    rp_replay_destroy(&replay);
}

int test_fake_replay(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_makes_these_calls_in_this_order),
        cmocka_unit_test(creation_makes_each_object_once),
        cmocka_unit_test(a_program_that_does_not_fit_touches_no_device),
        cmocka_unit_test(every_refused_creation_fails_and_leaves_nothing),
        cmocka_unit_test(every_raised_error_is_told),
        cmocka_unit_test(an_error_while_reading_back_is_told),
        cmocka_unit_test(a_shader_error_comes_with_its_line),
        cmocka_unit_test(a_lost_device_is_told_wherever_it_is_lost),
        cmocka_unit_test(a_silent_implementation_does_not_hang),
        cmocka_unit_test(progress_counts_the_submits_and_cancels),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test_setup_teardown(wrong_run_arguments_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_go_where_they_belong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_reads_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_input_scale_goes_into_the_frame_buffer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_program_without_a_frame_buffer_has_no_input_scale, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lost_device_stays_lost, set_up, tear_down),
        cmocka_unit_test(destroying_nothing_is_fine),
    };
    return cmocka_run_group_tests_name("replay on a made-up WebGPU", tests, NULL, NULL);
}
