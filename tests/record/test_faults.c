// What the recorder refuses: at the call, with the reader's statuses, and for good.
#include "record/tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Buffers 0 (storage), 1 (uniform), 2 (copy target only), pipelines 0 and 1, bind group 0 for pipeline 0.
static rp_recorder *begin(uint32_t max_workgroups)
{
    rp_recorder *recorder;
    uint32_t id;
    assert_int_equal(
        rp_recorder_create(&(rp_recorder_desc){.max_workgroups_per_dimension = max_workgroups}, &recorder, NULL),
        RP_STATUS_OK);
    const uint32_t usages[] = {RP_USAGE_STORAGE | RP_USAGE_COPY_SRC | RP_USAGE_COPY_DST,
                               RP_USAGE_UNIFORM | RP_USAGE_COPY_DST, RP_USAGE_COPY_DST};
    for (size_t i = 0; i < 3; i++)
        rp_recorder_create_buffer(recorder, &(rp_buffer_desc){.label = "b", .size_bytes = 1024, .usage = usages[i]},
                                  &id, NULL);
    rp_recorder_create_shader(recorder, "x", &id, NULL);
    rp_recorder_create_pipeline(recorder, 0, "a", &id, NULL);
    rp_recorder_create_pipeline(recorder, 0, "b", &id, NULL);
    assert_int_equal(rp_recorder_create_bind_group(recorder, 0, 0, &(rp_program_entry){.buffer = 0}, 1, &id, NULL),
                     RP_STATUS_OK);
    return recorder;
}

static const rp_recorder_result plain_result = {.output = 0};

// The call failed with this status; it must be kept to the end. Ends the recorder.
static void expect(rp_recorder *recorder, rp_status got, rp_status status, const rp_error *error)
{
    rp_error again;
    rp_program *program = NULL;
    uint32_t id = 0;
    assert_int_equal(got, status);
    assert_int_equal(error->status, status);
    assert_true(error->offset == RP_NO_OFFSET);
    assert_int_equal(rp_recorder_submit(recorder, &again), status);
    assert_string_equal(again.message, error->message);
    assert_int_equal(rp_recorder_create_shader(recorder, "ok", &id, &again), status);
    assert_int_equal(id, RP_NO_ID);
    assert_int_equal(rp_recorder_finish(recorder, &plain_result, &program, &again), status);
    assert_string_equal(again.message, error->message);
    assert_null(program);
    rp_recorder_destroy(&recorder);
}

static void faulty_buffers_are_refused(void **state)
{
    (void)state;
    static const struct {
        rp_buffer_desc desc;
        rp_status status;
    } cases[] = {
        {{.size_bytes = 0, .usage = RP_USAGE_STORAGE}, RP_STATUS_BAD_SIZE},
        {{.size_bytes = 0x100000000, .usage = RP_USAGE_STORAGE}, RP_STATUS_TOO_LARGE},
        {{.size_bytes = 4, .usage = 0}, RP_STATUS_BAD_USAGE},
        {{.size_bytes = 4, .usage = 1024}, RP_STATUS_BAD_VALUE},
        {{.size_bytes = 4, .usage = RP_USAGE_MAP_READ | RP_USAGE_STORAGE}, RP_STATUS_BAD_USAGE},
        {{.size_bytes = 4, .usage = RP_USAGE_STORAGE, .data = "12345", .data_size_bytes = 5}, RP_STATUS_BAD_SIZE},
        {{.size_bytes = 4, .usage = RP_USAGE_STORAGE, .data = "", .data_size_bytes = (size_t)1 << 32},
         RP_STATUS_BAD_SIZE},
        {{.size_bytes = 5, .usage = RP_USAGE_STORAGE, .data = "12345", .data_size_bytes = 5}, RP_STATUS_BAD_ALIGNMENT},
        {{.size_bytes = 4, .usage = RP_USAGE_STORAGE, .label = "\xc0\x80"}, RP_STATUS_BAD_TEXT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_recorder *recorder = begin(0);
        rp_error error;
        uint32_t id;
        expect(recorder, rp_recorder_create_buffer(recorder, &cases[i].desc, &id, &error), cases[i].status, &error);
        assert_int_equal(id, RP_NO_ID);
    }
}

static void faulty_shaders_and_pipelines_are_refused(void **state)
{
    (void)state;
    rp_error error;
    uint32_t id;
    rp_recorder *recorder = begin(0);
    expect(recorder, rp_recorder_create_shader(recorder, "\xed\xa0\x80", &id, &error), RP_STATUS_BAD_TEXT, &error);
    recorder = begin(0);
    expect(recorder, rp_recorder_create_pipeline(recorder, 1, "a", &id, &error), RP_STATUS_BAD_ID, &error);
    assert_string_equal(error.message, "pipeline 2: shader 1 is not one of the 1 shaders");
    recorder = begin(0);
    expect(recorder, rp_recorder_create_pipeline(recorder, 0, "\x80", &id, &error), RP_STATUS_BAD_TEXT, &error);
}

static void faulty_bind_groups_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t pipeline, group, entry_count;
        rp_program_entry entries[2];
        rp_status status;
    } cases[] = {
        {2, 0, 1, {{.buffer = 0}}, RP_STATUS_BAD_ID},
        {0, 4, 1, {{.buffer = 0}}, RP_STATUS_BAD_VALUE},
        {0, 0, 1, {{.buffer = 3}}, RP_STATUS_BAD_ID},
        {0, 0, 1, {{.buffer = 2}}, RP_STATUS_BAD_USAGE},
        {0, 0, 1, {{.binding = 1000}}, RP_STATUS_BAD_VALUE},
        {0, 0, 2, {{.binding = 1}, {.binding = 1, .buffer = 1}}, RP_STATUS_DUPLICATE},
        {0, 0, 1, {{.offset = 4}}, RP_STATUS_BAD_ALIGNMENT},
        {0, 0, 1, {{.size_bytes = 2}}, RP_STATUS_BAD_ALIGNMENT},
        {0, 0, 1, {{.offset = 256, .size_bytes = 772}}, RP_STATUS_BAD_RANGE},
        {0, 0, 1, {{.offset = 1024}}, RP_STATUS_BAD_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_recorder *recorder = begin(0);
        rp_error error;
        uint32_t id;
        rp_status status = rp_recorder_create_bind_group(recorder, cases[i].pipeline, cases[i].group, cases[i].entries,
                                                         cases[i].entry_count, &id, &error);
        expect(recorder, status, cases[i].status, &error);
    }
}

static void faulty_dispatches_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t pipeline, bind_group, x, y, z;
        rp_status status;
    } cases[] = {
        {2, 0, 1, 1, 1, RP_STATUS_BAD_ID},         {0, 1, 1, 1, 1, RP_STATUS_BAD_ID},
        {1, 0, 1, 1, 1, RP_STATUS_BAD_BIND_GROUP}, {0, 0, 101, 1, 1, RP_STATUS_DEVICE_LIMIT},
        {0, 0, 1, 101, 1, RP_STATUS_DEVICE_LIMIT}, {0, 0, 1, 1, 101, RP_STATUS_DEVICE_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_recorder *recorder = begin(100);
        rp_error error;
        assert_int_equal(rp_recorder_dispatch(recorder, 0, 0, 100, 100, 100, NULL), RP_STATUS_OK);
        rp_status status = rp_recorder_dispatch(recorder, cases[i].pipeline, cases[i].bind_group, cases[i].x,
                                                cases[i].y, cases[i].z, &error);
        expect(recorder, status, cases[i].status, &error);
    }
    // Without a limit of its own: WebGPU's.
    rp_recorder *recorder = begin(0);
    rp_error error;
    assert_int_equal(rp_recorder_dispatch(recorder, 0, 0, 65535, 1, 1, NULL), RP_STATUS_OK);
    expect(recorder, rp_recorder_dispatch(recorder, 0, 0, 65536, 1, 1, &error), RP_STATUS_DEVICE_LIMIT, &error);
}

static void faulty_copies_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t source, source_offset, destination, destination_offset, size_bytes;
        rp_status status;
    } cases[] = {
        {3, 0, 1, 0, 4, RP_STATUS_BAD_ID},        {0, 0, 3, 0, 4, RP_STATUS_BAD_ID},
        {1, 0, 0, 0, 4, RP_STATUS_BAD_USAGE},     {0, 0, 0, 512, 4, RP_STATUS_BAD_VALUE},
        {0, 2, 1, 0, 4, RP_STATUS_BAD_ALIGNMENT}, {0, 0, 1, 2, 4, RP_STATUS_BAD_ALIGNMENT},
        {0, 0, 1, 0, 6, RP_STATUS_BAD_ALIGNMENT}, {0, 4, 1, 0, 1024, RP_STATUS_BAD_RANGE},
        {0, 0, 1, 4, 1024, RP_STATUS_BAD_RANGE},  {0, 4, 1, 0, 0xfffffffc, RP_STATUS_BAD_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_recorder *recorder = begin(0);
        rp_error error;
        rp_status status = rp_recorder_copy(recorder, cases[i].source, cases[i].source_offset, cases[i].destination,
                                            cases[i].destination_offset, cases[i].size_bytes, &error);
        expect(recorder, status, cases[i].status, &error);
    }
}

static void copies_and_writes_of_nothing_may_stand_at_the_end(void **state)
{
    (void)state;
    rp_recorder *recorder = begin(0);
    assert_int_equal(rp_recorder_copy(recorder, 0, 1024, 1, 1024, 0, NULL), RP_STATUS_OK);
    assert_int_equal(rp_recorder_write(recorder, 0, 1024, NULL, 0, NULL), RP_STATUS_OK);
    rp_recorder_destroy(&recorder);
}

static void faulty_writes_are_refused(void **state)
{
    (void)state;
    static const uint8_t data[1028] = {0};
    static const struct {
        uint32_t buffer, offset;
        size_t size_bytes;
        rp_status status;
    } cases[] = {
        {3, 0, 4, RP_STATUS_BAD_ID},        {0, 2, 4, RP_STATUS_BAD_ALIGNMENT},
        {0, 0, 3, RP_STATUS_BAD_ALIGNMENT}, {0, 4, 1024, RP_STATUS_BAD_RANGE},
        {0, 1028, 0, RP_STATUS_BAD_RANGE},  {0, 0, (size_t)1 << 32, RP_STATUS_BAD_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_recorder *recorder = begin(0);
        rp_error error;
        rp_status status =
            rp_recorder_write(recorder, cases[i].buffer, cases[i].offset, data, cases[i].size_bytes, &error);
        expect(recorder, status, cases[i].status, &error);
    }
    rp_recorder *recorder = begin(0);
    uint32_t id;
    rp_error error;
    rp_recorder_create_buffer(recorder, &(rp_buffer_desc){.size_bytes = 4, .usage = RP_USAGE_STORAGE}, &id, NULL);
    expect(recorder, rp_recorder_write(recorder, id, 0, data, 4, &error), RP_STATUS_BAD_USAGE, &error);
    assert_string_equal(error.message, "write: destination buffer 3 has usage STORAGE, which lacks COPY_DST");
}

static void faulty_results_are_refused(void **state)
{
    (void)state;
    static const uint32_t outside[] = {3}, twice[] = {0, 0}, one[] = {2};
    static const struct {
        rp_recorder_result result;
        rp_status status;
    } cases[] = {
        {{.output = 3}, RP_STATUS_BAD_ID},
        {{.output = 1}, RP_STATUS_BAD_USAGE}, // the host could not read it
        {{.inputs = outside, .input_count = 1}, RP_STATUS_BAD_ID},
        {{.inputs = twice, .input_count = 2}, RP_STATUS_DUPLICATE},
        {{.output_width = 257, .output_height = 1, .output_channels = 1}, RP_STATUS_BAD_SIZE},
        {{.output_width = 0x10000, .output_height = 0x10000, .output_channels = 0x40000000}, RP_STATUS_BAD_SIZE},
        {{.meta = {.present = true, .frame_buffer = RP_NO_ID}}, RP_STATUS_BAD_VALUE},
        {{.meta = {.present = true, .precision = RP_PRECISION_FP32, .frame_buffer = 0}}, RP_STATUS_BAD_USAGE},
        {{.meta = {.present = true, .precision = RP_PRECISION_FP32, .frame_buffer = 3}}, RP_STATUS_BAD_ID},
        {{.meta = {.present = true,
                   .precision = RP_PRECISION_FP16,
                   .frame_buffer = 1,
                   .weight_buffer_count = 2,
                   .weight_buffers = twice}},
         RP_STATUS_DUPLICATE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_recorder *recorder = begin(0);
        rp_error error;
        rp_program *program;
        rp_status status = rp_recorder_finish(recorder, &cases[i].result, &program, &error);
        assert_null(program);
        expect(recorder, status, cases[i].status, &error);
    }
    // Frame buffers: 12 bytes are too few, and the host must be able to write it.
    static const struct {
        uint32_t size_bytes, usage;
        rp_status status;
    } frames[] = {{12, RP_USAGE_UNIFORM | RP_USAGE_COPY_DST, RP_STATUS_BAD_SIZE},
                  {16, RP_USAGE_UNIFORM, RP_STATUS_BAD_USAGE},
                  {16, RP_USAGE_UNIFORM | RP_USAGE_COPY_DST, RP_STATUS_OK}};
    rp_recorder *recorder;
    rp_program *program;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        recorder = begin(0);
        rp_recorder_result result = {.meta = {.present = true, .precision = RP_PRECISION_FP32}};
        rp_recorder_create_buffer(recorder,
                                  &(rp_buffer_desc){.size_bytes = frames[i].size_bytes, .usage = frames[i].usage},
                                  &result.meta.frame_buffer, NULL);
        rp_error error;
        rp_status status = rp_recorder_finish(recorder, &result, &program, &error);
        rp_program_destroy(&program);
        if (frames[i].status != RP_STATUS_OK) {
            expect(recorder, status, frames[i].status, &error);
        } else {
            assert_int_equal(status, RP_STATUS_OK);
            rp_recorder_destroy(&recorder);
        }
    }
    // Next to the faults, what must pass: 256 pixels, and an output that the host supplies.
    recorder = begin(0);
    rp_recorder_result good = {.inputs = one,
                               .input_count = 1,
                               .output = 1,
                               .output_external = true,
                               .output_width = 256,
                               .output_height = 1,
                               .output_channels = 1};
    assert_int_equal(rp_recorder_finish(recorder, &good, &program, NULL), RP_STATUS_OK);
    rp_program_destroy(&program);
    rp_recorder_destroy(&recorder);
}

static void a_finished_recorder_is_only_good_for_destroying(void **state)
{
    (void)state;
    rp_recorder *recorder = begin(0);
    rp_program *program, *second;
    rp_error error;
    assert_int_equal(rp_recorder_finish(recorder, &plain_result, &program, NULL), RP_STATUS_OK);
    assert_int_equal(rp_recorder_dispatch(recorder, 0, 0, 1, 1, 1, &error), RP_STATUS_INVALID_ARGUMENT);
    assert_int_equal(rp_recorder_finish(recorder, &plain_result, &second, &error), RP_STATUS_INVALID_ARGUMENT);
    assert_null(second);
    rp_recorder_destroy(&recorder);
    assert_int_equal(program->buffer_count, 3); // which does not need the recorder
    assert_string_equal(program->buffers[2].label.data, "b");
    rp_program_destroy(&program);
}

int test_faults(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faulty_buffers_are_refused),
        cmocka_unit_test(faulty_shaders_and_pipelines_are_refused),
        cmocka_unit_test(faulty_bind_groups_are_refused),
        cmocka_unit_test(faulty_dispatches_are_refused),
        cmocka_unit_test(faulty_copies_are_refused),
        cmocka_unit_test(copies_and_writes_of_nothing_may_stand_at_the_end),
        cmocka_unit_test(faulty_writes_are_refused),
        cmocka_unit_test(faulty_results_are_refused),
        cmocka_unit_test(a_finished_recorder_is_only_good_for_destroying),
    };
    return cmocka_run_group_tests_name("recorder faults", tests, NULL, NULL);
}
