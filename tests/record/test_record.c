// Tests of the recorder: what it records. What it refuses is in test_faults.c.
#include "program/golden.h"
#include "record/tests.h"
#include "support/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void record_golden_buffers(rp_recorder *recorder, uint32_t ids[6])
{
    static const uint8_t frame[] = {0, 0, 0x80, 0x3f, 7}, weights[] = {0xef, 0xbe, 0xad, 0xde};
    const uint32_t image = RP_USAGE_STORAGE | RP_USAGE_COPY_DST | RP_USAGE_COPY_SRC;
    const uint32_t uniform = RP_USAGE_UNIFORM | RP_USAGE_COPY_DST;
    const rp_buffer_desc descs[] = {
        {.label = "color", .size_bytes = 32, .usage = image},
        {.label = "frame", .size_bytes = 512, .usage = uniform, .data = frame, .data_size_bytes = sizeof frame},
        {.size_bytes = 32, .usage = RP_USAGE_STORAGE | RP_USAGE_COPY_DST},
        {.label = "in", .size_bytes = 64, .usage = image, .data = NULL, .data_size_bytes = 64},
        {.label = "\xc3\xa9/w",
         .size_bytes = 1024,
         .usage = RP_USAGE_STORAGE,
         .data = weights,
         .data_size_bytes = sizeof weights},
        {.label = "", .size_bytes = 12, .usage = uniform},
    };
    for (size_t i = 0; i < 6; i++)
        rp_recorder_create_buffer(recorder, &descs[i], &ids[i], NULL);
}

rp_status record_golden(const rp_allocator *allocator, rp_program **program, rp_error *error)
{
    *program = NULL;
    rp_recorder *recorder;
    rp_status status = rp_recorder_create(&(rp_recorder_desc){.allocator = allocator}, &recorder, error);
    if (status != RP_STATUS_OK)
        return status;
    uint32_t buffers[6], shaders[2], pipelines[2], groups[2];
    record_golden_buffers(recorder, buffers);
    rp_recorder_create_shader(recorder, "@compute", &shaders[0], NULL);
    rp_recorder_create_shader(recorder, "// ", &shaders[1], NULL);
    rp_recorder_create_pipeline(recorder, shaders[0], "main", &pipelines[0], NULL);
    rp_recorder_create_pipeline(recorder, shaders[1], "f", &pipelines[1], NULL);
    const rp_program_entry entries[] = {{.binding = 0, .buffer = buffers[0]},
                                        {.binding = 1, .buffer = buffers[1], .offset = 256, .size_bytes = 16},
                                        {.binding = 7, .buffer = buffers[4], .offset = 512}};
    rp_recorder_create_bind_group(recorder, pipelines[0], 0, entries, 3, &groups[0], NULL);
    rp_recorder_create_bind_group(recorder, pipelines[1], 3, NULL, 0, &groups[1], NULL);
    const uint8_t scale[] = {0, 0, 0, 0x40, 9, 0, 0, 0};
    rp_recorder_dispatch(recorder, pipelines[0], groups[0], 3, 2, 1, NULL);
    rp_recorder_write(recorder, buffers[1], 4, scale, sizeof scale, NULL); // goes first: nothing is submitted yet
    rp_recorder_copy(recorder, buffers[3], 16, buffers[2], 0, 32, NULL);
    rp_recorder_submit(recorder, NULL);
    rp_recorder_submit(recorder, NULL); // records nothing
    rp_recorder_dispatch(recorder, pipelines[1], groups[1], 65535, 1, 1, NULL);
    const uint32_t inputs[] = {buffers[0], buffers[3]}, weights[] = {buffers[4], buffers[0]};
    status = rp_recorder_finish(recorder,
                                &(rp_recorder_result){.inputs = inputs,
                                                      .input_count = 2,
                                                      .output = buffers[2],
                                                      .output_external = true,
                                                      .output_width = 2,
                                                      .output_height = 1,
                                                      .output_channels = 4,
                                                      .meta = {.present = true,
                                                               .precision = RP_PRECISION_FP32,
                                                               .tile_count = 2,
                                                               .kernel_bits = 3,
                                                               .frame_buffer = buffers[1],
                                                               .weight_buffer_count = 2,
                                                               .weight_buffers = weights}},
                                program, error);
    rp_recorder_destroy(&recorder);
    return status;
}

static void a_recording_has_the_bytes_of_the_format(void **state)
{
    (void)state;
    uint8_t *golden = golden_bytes(golden_words, GOLDEN_WORDS), *bytes;
    size_t size;
    for (int run = 0; run < 2; run++) { // and every time
        rp_program *program;
        rp_error error;
        if (record_golden(NULL, &program, &error) != RP_STATUS_OK)
            fail_msg("%s", error.message);
        assert_int_equal(rp_program_serialize(program, NULL, &bytes, &size, NULL), RP_STATUS_OK);
        assert_int_equal(size, GOLDEN_BYTES);
        assert_memory_equal(bytes, golden, size);
        rp_free(NULL, bytes);
        rp_program_destroy(&program);
    }
    free(golden);
}

static void recording_survives_every_failing_allocation(void **state)
{
    (void)state;
    rp_status status = RP_STATUS_OUT_OF_MEMORY;
    size_t fail_at = 0;
    while (status != RP_STATUS_OK) {
        failing_allocator allocator;
        failing_allocator_init(&allocator, ++fail_at);
        rp_program *program;
        rp_error error;
        status = record_golden(&allocator.hook, &program, &error);
        if (status != RP_STATUS_OK) {
            assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
            assert_int_equal(error.status, RP_STATUS_OUT_OF_MEMORY);
            assert_null(program);
        }
        rp_program_destroy(&program);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(fail_at > 8); // the recorder, seven tables, the arena and the program at least
}

// Everything so large that it takes a block of memory to itself: 5000 bytes or 300 elements.
static rp_status record_large(const rp_allocator *allocator, rp_program **program, rp_error *error)
{
    enum { SIZE = 5000, COUNT = 300 };
    *program = NULL;
    rp_recorder *recorder;
    rp_status status = rp_recorder_create(&(rp_recorder_desc){.allocator = allocator}, &recorder, error);
    if (status != RP_STATUS_OK)
        return status;
    static char text[SIZE + 1];
    static rp_program_entry entries[COUNT];
    static uint32_t inputs[COUNT];
    memset(text, 'x', SIZE);
    uint32_t shader, pipeline, bind_group;
    for (uint32_t i = 0; i < COUNT; i++) {
        rp_recorder_create_buffer(recorder,
                                  &(rp_buffer_desc){.label = i == 1 ? text : NULL,
                                                    .size_bytes = SIZE,
                                                    .usage = RP_USAGE_STORAGE | RP_USAGE_COPY_DST | RP_USAGE_COPY_SRC,
                                                    .data = i ? NULL : text,
                                                    .data_size_bytes = SIZE},
                                  &inputs[i], NULL);
        entries[i] = (rp_program_entry){.binding = i, .buffer = i};
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        rp_recorder_create_shader(recorder, text + i, &shader, NULL);
        rp_recorder_create_pipeline(recorder, shader, text, &pipeline, NULL);
        rp_recorder_create_bind_group(recorder, pipeline, 0, entries, i ? 1 : COUNT, &bind_group, NULL);
        rp_recorder_dispatch(recorder, pipeline, bind_group, 1, 1, 1, NULL);
        rp_recorder_write(recorder, 0, 0, text, i ? 4 : SIZE, NULL);
    }
    rp_recorder_submit(recorder, NULL);
    status = rp_recorder_finish(recorder,
                                &(rp_recorder_result){.inputs = inputs,
                                                      .input_count = COUNT,
                                                      .meta = {.present = true,
                                                               .precision = RP_PRECISION_FP32,
                                                               .frame_buffer = RP_NO_ID,
                                                               .weight_buffer_count = COUNT,
                                                               .weight_buffers = inputs}},
                                program, error);
    rp_recorder_destroy(&recorder);
    return status;
}

static void large_recordings_survive_every_failing_allocation(void **state)
{
    (void)state;
    rp_status status = RP_STATUS_OUT_OF_MEMORY;
    rp_program *program = NULL;
    for (size_t fail_at = 1; status != RP_STATUS_OK; fail_at++) {
        failing_allocator allocator;
        failing_allocator_init(&allocator, fail_at);
        status = record_large(&allocator.hook, &program, NULL);
        assert_true(status == RP_STATUS_OK || status == RP_STATUS_OUT_OF_MEMORY);
        rp_program_destroy(&program);
        assert_int_equal(allocator.live, 0);
    }
    // And read again.
    uint8_t *bytes, *again;
    size_t size, again_size;
    assert_int_equal(record_large(NULL, &program, NULL), RP_STATUS_OK);
    assert_int_equal(rp_program_serialize(program, NULL, &bytes, &size, NULL), RP_STATUS_OK);
    rp_program_destroy(&program);
    status = RP_STATUS_OUT_OF_MEMORY;
    for (size_t fail_at = 1; status != RP_STATUS_OK; fail_at++) {
        failing_allocator allocator;
        failing_allocator_init(&allocator, fail_at);
        status = rp_program_parse(bytes, size, &(rp_program_parse_desc){.allocator = &allocator.hook}, &program, NULL);
        assert_true(status == RP_STATUS_OK || status == RP_STATUS_OUT_OF_MEMORY);
        if (status == RP_STATUS_OK) {
            assert_int_equal(rp_program_serialize(program, NULL, &again, &again_size, NULL), RP_STATUS_OK);
            assert_int_equal(again_size, size);
            assert_memory_equal(again, bytes, size);
            rp_free(NULL, again);
        }
        rp_program_destroy(&program);
        assert_int_equal(allocator.live, 0);
    }
    rp_free(NULL, bytes);
}

static void many_objects_keep_their_content(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    rp_recorder *recorder;
    assert_int_equal(rp_recorder_create(NULL, &recorder, NULL), RP_STATUS_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t id, words[2] = {i, ~i};
        assert_int_equal(rp_recorder_create_buffer(recorder,
                                                   &(rp_buffer_desc){.size_bytes = 8 + 4 * (uint64_t)i,
                                                                     .usage = RP_USAGE_COPY_DST | RP_USAGE_COPY_SRC,
                                                                     .data = words,
                                                                     .data_size_bytes = sizeof words},
                                                   &id, NULL),
                         RP_STATUS_OK);
        assert_int_equal(id, i);
        assert_int_equal(rp_recorder_write(recorder, i, 4, words, 4, NULL), RP_STATUS_OK);
        if (i)
            assert_int_equal(rp_recorder_copy(recorder, i, 0, i - 1, 4, 4, NULL), RP_STATUS_OK);
    }
    rp_program *program;
    assert_int_equal(rp_recorder_finish(recorder, &(rp_recorder_result){.output = 0}, &program, NULL), RP_STATUS_OK);
    rp_recorder_destroy(&recorder);
    assert_int_equal(program->buffer_count, COUNT);
    assert_int_equal(program->operation_count, COUNT + 1);
    assert_int_equal(program->operations[COUNT].submit.command_count, COUNT - 1);
    assert_false(program->meta.present);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t words[2] = {i, ~i};
        assert_int_equal(program->buffers[i].size_bytes, 8 + 4 * i);
        assert_memory_equal(program->buffers[i].data, words, 8);
        assert_memory_equal(program->operations[i].write.data, words, 4);
        if (i)
            assert_int_equal(program->operations[COUNT].submit.commands[i - 1].copy.source, i);
    }
    rp_program_destroy(&program);
}

static void the_same_text_is_one_shader_and_one_pipeline(void **state)
{
    (void)state;
    rp_recorder *recorder;
    uint32_t a, b, id;
    char copy[] = "fn a() {}";
    assert_int_equal(rp_recorder_create(NULL, &recorder, NULL), RP_STATUS_OK);
    rp_recorder_create_shader(recorder, "fn a() {}", &a, NULL);
    rp_recorder_create_shader(recorder, "fn b() {}", &b, NULL);
    assert_int_equal(a, 0);
    assert_int_equal(b, 1);
    rp_recorder_create_shader(recorder, copy, &id, NULL);
    assert_int_equal(id, a);
    rp_recorder_create_shader(recorder, "fn b() {}", &id, NULL);
    assert_int_equal(id, b);
    rp_recorder_create_shader(recorder, "fn b() {", &id, NULL); // a prefix is another text
    assert_int_equal(id, 2);

    char entry[] = "a";
    rp_recorder_create_pipeline(recorder, a, "a", &id, NULL);
    assert_int_equal(id, 0);
    rp_recorder_create_pipeline(recorder, b, "a", &id, NULL);
    assert_int_equal(id, 1);
    rp_recorder_create_pipeline(recorder, a, "aa", &id, NULL);
    assert_int_equal(id, 2);
    assert_int_equal(rp_recorder_create_pipeline(recorder, a, entry, &id, NULL), RP_STATUS_OK);
    assert_int_equal(id, 0);
    rp_recorder_destroy(&recorder);
    assert_null(recorder);
    rp_recorder_destroy(&recorder);
    rp_recorder_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_has_the_bytes_of_the_format),
        cmocka_unit_test(recording_survives_every_failing_allocation),
        cmocka_unit_test(large_recordings_survive_every_failing_allocation),
        cmocka_unit_test(many_objects_keep_their_content),
        cmocka_unit_test(the_same_text_is_one_shader_and_one_pipeline),
    };
    int failed = cmocka_run_group_tests_name("recorder", tests, NULL, NULL) + test_faults();
    return failed ? 1 : 0;
}
