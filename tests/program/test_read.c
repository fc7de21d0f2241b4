// Reading: every field of the example program, truncation, limits, error packets, chunks, and running out of memory.
#include "program/golden.h"
#include "program/tests.h"
#include "reprise/program.h"
#include "support/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rp_program *parse_golden(void)
{
    rp_program *program = NULL;
    uint8_t *bytes = golden_bytes(golden_words, GOLDEN_WORDS);
    assert_int_equal(rp_program_parse(bytes, GOLDEN_BYTES, NULL, &program, NULL), RP_STATUS_OK);
    free(bytes); // the program must not need them any more
    return program;
}

static void assert_text(rp_text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.data, expected, text.size + 1); // the zero byte too
}

static void objects_are_read(void **state)
{
    (void)state;
    rp_program *program = parse_golden();
    assert_int_equal(program->input_count, 2);
    assert_int_equal(program->inputs[0], 0);
    assert_int_equal(program->inputs[1], 3);
    assert_int_equal(program->output, 2);
    assert_true(program->output_external);
    assert_int_equal(program->output_width, 2);
    assert_int_equal(program->output_height, 1);
    assert_int_equal(program->output_channels, 4);

    assert_int_equal(program->buffer_count, 6);
    const rp_program_buffer *frame = &program->buffers[1];
    assert_int_equal(frame->size_bytes, 512);
    assert_int_equal(frame->usage, RP_USAGE_UNIFORM | RP_USAGE_COPY_DST);
    assert_int_equal(frame->data_size_bytes, 5);
    assert_memory_equal(frame->data, ((const uint8_t[]){0, 0, 0x80, 0x3f, 7}), 5);
    assert_text(frame->label, "frame");
    assert_text(program->buffers[2].label, "");
    assert_int_equal(program->buffers[2].data_size_bytes, 0);
    assert_text(program->buffers[4].label, "\xc3\xa9/w"); // its bytes end on a word

    assert_int_equal(program->shader_count, 2);
    assert_text(program->shaders[0].wgsl, "@compute");
    assert_text(program->shaders[1].wgsl, "// ");
    assert_int_equal(program->pipeline_count, 2);
    assert_int_equal(program->pipelines[1].shader, 1);
    assert_text(program->pipelines[0].entry_point, "main");

    assert_int_equal(program->bind_group_count, 2);
    const rp_program_bind_group *group = &program->bind_groups[0];
    assert_int_equal(group->pipeline, 0);
    assert_int_equal(group->entry_count, 3);
    assert_int_equal(group->entries[1].binding, 1);
    assert_int_equal(group->entries[1].buffer, 1);
    assert_int_equal(group->entries[1].offset, 256);
    assert_int_equal(group->entries[1].size_bytes, 16);
    assert_int_equal(program->bind_groups[1].group, 3);
    assert_int_equal(program->bind_groups[1].entry_count, 0);
    rp_program_destroy(&program);
    assert_null(program);
}

static void operations_and_meta_are_read(void **state)
{
    (void)state;
    rp_program *program = parse_golden();
    assert_int_equal(program->operation_count, 3);
    const rp_program_operation *write = &program->operations[0];
    assert_int_equal(write->kind, RP_OPERATION_WRITE);
    assert_int_equal(write->write.buffer, 1);
    assert_int_equal(write->write.offset, 4);
    assert_int_equal(write->write.size_bytes, 8);
    assert_memory_equal(write->write.data, ((const uint8_t[]){0, 0, 0, 0x40, 9, 0, 0, 0}), 8);
    const rp_program_operation *submit = &program->operations[1];
    assert_int_equal(submit->kind, RP_OPERATION_SUBMIT);
    assert_int_equal(submit->submit.command_count, 2);
    const rp_program_command *dispatch = &submit->submit.commands[0], *copy = &submit->submit.commands[1];
    assert_int_equal(dispatch->kind, RP_COMMAND_DISPATCH);
    assert_int_equal(dispatch->dispatch.x, 3);
    assert_int_equal(dispatch->dispatch.y, 2);
    assert_int_equal(dispatch->dispatch.z, 1);
    assert_int_equal(copy->kind, RP_COMMAND_COPY);
    assert_int_equal(copy->copy.source, 3);
    assert_int_equal(copy->copy.source_offset, 16);
    assert_int_equal(copy->copy.destination, 2);
    assert_int_equal(copy->copy.destination_offset, 0);
    assert_int_equal(copy->copy.size_bytes, 32);
    assert_int_equal(program->operations[2].submit.commands[0].dispatch.pipeline, 1);
    assert_int_equal(program->operations[2].submit.commands[0].dispatch.bind_group, 1);

    assert_true(program->meta.present);
    assert_int_equal(program->meta.precision, RP_PRECISION_FP32);
    assert_int_equal(program->meta.tile_count, 2);
    assert_int_equal(program->meta.kernel_bits, RP_KERNEL_DIRECT | RP_KERNEL_IMPLICIT_GEMM);
    assert_int_equal(program->meta.frame_buffer, 1);
    assert_int_equal(program->meta.weight_buffer_count, 2);
    assert_int_equal(program->meta.weight_buffers[0], 4);
    assert_int_equal(program->meta.weight_buffers[1], 0);
    assert_int_equal(program->trailing_size_bytes, 0);
    rp_program_destroy(&program);
}

static void every_truncated_prefix_is_refused(void **state)
{
    (void)state;
    uint8_t *bytes = golden_bytes(golden_words, GOLDEN_WORDS);
    for (size_t size = 0; size < GOLDEN_BYTES; size++) {
        uint8_t *prefix = malloc(size); // exactly that size, so that ASan sees a read past it
        if (size)
            memcpy(prefix, bytes, size);
        rp_program *program;
        rp_error error;
        rp_status status = rp_program_parse(prefix, size, NULL, &program, &error);
        free(prefix);
        if (size == GOLDEN_META) { // whole without META
            assert_int_equal(status, RP_STATUS_OK);
            assert_false(program->meta.present);
            assert_int_equal(program->meta.frame_buffer, RP_NO_ID);
            rp_program_destroy(&program);
            continue;
        }
        if ((status != RP_STATUS_TRUNCATED && status != RP_STATUS_BAD_COUNT) || error.offset > size)
            fail_msg("%zu bytes: %s, %s", size, rp_status_name(status), error.message);
        assert_null(program);
    }
    free(bytes);
}

static rp_status parse_within(rp_program_limits limits, rp_error *error)
{
    rp_program *program;
    uint8_t *bytes = golden_bytes(golden_words, GOLDEN_WORDS);
    rp_status status =
        rp_program_parse(bytes, GOLDEN_BYTES, &(rp_program_parse_desc){.limits = limits}, &program, error);
    free(bytes);
    rp_program_destroy(&program);
    return status;
}

static void limits_hold_at_their_values_and_not_one_below(void **state)
{
    (void)state;
    rp_error error;
    assert_int_equal(parse_within((rp_program_limits){.max_bytes = GOLDEN_BYTES}, NULL), RP_STATUS_OK);
    assert_int_equal(parse_within((rp_program_limits){.max_bytes = GOLDEN_BYTES - 1}, &error), RP_STATUS_TOO_LARGE);
    assert_true(error.offset == RP_NO_OFFSET);

    // Six buffers are the largest table.
    assert_int_equal(parse_within((rp_program_limits){.max_objects = 6}, NULL), RP_STATUS_OK);
    assert_int_equal(parse_within((rp_program_limits){.max_objects = 5}, &error), RP_STATUS_TOO_LARGE);
    assert_int_equal(error.offset, 10 * 4);

    assert_int_equal(parse_within((rp_program_limits){.max_buffer_bytes = 32 + 512 + 32 + 64 + 1024 + 12}, NULL),
                     RP_STATUS_OK);
    assert_int_equal(parse_within((rp_program_limits){.max_buffer_bytes = 32 + 512 + 32 + 64 + 1024 + 11}, &error),
                     RP_STATUS_TOO_LARGE);
    assert_int_equal(error.offset, 40 * 4);
}

// Header, empty tables but for one buffer (the output), then this many submits of this many dispatches that are not
// looked at, since the limit comes first.
static void commands_and_entries_count_over_the_whole_file(void **state)
{
    (void)state;
    enum { COMMANDS = 3, WORDS = 17 + 2 * (2 + COMMANDS * 6) };
    uint32_t words[WORDS] = {0x4e44494f, 2, 0, 0, 1, 0, 0, 0, 1, 4, 0x84, 0, 0, 0, 0, 0, 2};
    size_t at = 17;
    for (uint32_t submit = 0; submit < 2; submit++) {
        words[at + 1] = COMMANDS;
        at += 2 + COMMANDS * 6;
    }
    uint8_t *bytes = golden_bytes(words, at);
    rp_program *program;
    rp_error error;
    rp_program_parse_desc desc = {.limits = {.max_objects = 2 * COMMANDS - 1}};
    assert_int_equal(rp_program_parse(bytes, at * 4, &desc, &program, &error), RP_STATUS_TOO_LARGE);
    assert_int_equal(error.offset, (17 + 2 + COMMANDS * 6 + 1) * 4);
    desc.limits.max_objects++;
    assert_int_equal(rp_program_parse(bytes, at * 4, &desc, &program, &error), RP_STATUS_BAD_ID); // the pipelines
    free(bytes);

    // Two bind groups of three entries each, likewise.
    uint32_t groups[17 + 2 * 15 + 1] = {0x4e44494f, 2, 0, 0, 1, 0, 0, 0, 1, 4, 0x84, 0, 0, 0, 0, 2};
    groups[16 + 2] = groups[16 + 15 + 2] = 3;
    bytes = golden_bytes(groups, 47);
    desc.limits.max_objects = 5;
    assert_int_equal(rp_program_parse(bytes, 47 * 4, &desc, &program, &error), RP_STATUS_TOO_LARGE);
    assert_int_equal(error.offset, (16 + 15 + 2) * 4);
    free(bytes);
}

// ---- What is no program ------------------------------------------------------------------------------------------

static void expect_error_packet(const void *text, uint32_t length, size_t present, const char *message)
{
    uint8_t packet[512] = {
        'E', 'R', 'R', 'O', (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16), (uint8_t)(length >> 24)};
    memcpy(packet + 8, text, present);
    rp_program *program;
    rp_error error;
    assert_int_equal(rp_program_parse(packet, 8 + present, NULL, &program, &error), RP_STATUS_BAD_MAGIC);
    assert_int_equal(error.offset, 0);
    assert_string_equal(error.message, message);
}

static void an_error_packet_passes_its_message_on(void **state)
{
    (void)state;
    const char *unreadable = "program: an error packet without a readable message, at offset 0";
    expect_error_packet("no tensor\n'x'\0\0", 13, 16,
                        "program: an error packet, not a program: no tensor?'x', at offset 0");
    expect_error_packet("bad \xff\0\0", 5, 8, unreadable);
    expect_error_packet("short\0\0", 9, 8, unreadable);
    expect_error_packet("", UINT32_MAX, 0, unreadable);
    expect_error_packet("", 0, 0, "program: an error packet, not a program: , at offset 0");

    // Cut between characters: 109 of two bytes fit the 219 that are kept.
    char text[400], message[400] = "program: an error packet, not a program: ";
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    size_t used = strlen(message);
    memcpy(message + used, text, 218);
    strcpy(message + used + 218, ", at offset 0");
    expect_error_packet(text, sizeof text, sizeof text, message);
}

static void messages_begin_with_the_source(void **state)
{
    (void)state;
    rp_program *program;
    rp_error error;
    assert_int_equal(rp_program_parse("GIF89a..", 8, &(rp_program_parse_desc){.name = "cat.oidn"}, &program, &error),
                     RP_STATUS_BAD_MAGIC);
    assert_string_equal(error.message, "cat.oidn: the magic 0x38464947 is not a program's 0x4e44494f, at offset 0");
    assert_int_equal(rp_program_load("no/such/file.oidn", NULL, &program, &error), RP_STATUS_IO);
    assert_non_null(strstr(error.message, "no/such/file.oidn"));
    assert_null(program);
}

// ---- What follows the operations ---------------------------------------------------------------------------------

typedef struct chunks {
    uint8_t bytes[GOLDEN_BYTES + 64];
    size_t size;
} chunks;

static chunks golden_with(size_t kept, const void *more, size_t more_size)
{
    chunks file;
    uint8_t *bytes = golden_bytes(golden_words, GOLDEN_WORDS);
    memcpy(file.bytes, bytes, kept);
    memcpy(file.bytes + kept, more, more_size);
    file.size = kept + more_size;
    free(bytes);
    return file;
}

static void expect_trailing(const chunks *file, bool meta, size_t trailing)
{
    rp_program *program;
    rp_error error;
    if (rp_program_parse(file->bytes, file->size, NULL, &program, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(program->meta.present, meta);
    assert_int_equal(program->trailing_size_bytes, trailing);
    assert_memory_equal(program->trailing, file->bytes + file->size - trailing, trailing);
    uint8_t *bytes;
    size_t size;
    assert_int_equal(rp_program_serialize(program, NULL, &bytes, &size, NULL), RP_STATUS_OK);
    assert_int_equal(size, file->size);
    assert_memory_equal(bytes, file->bytes, size);
    rp_free(NULL, bytes);
    rp_program_destroy(&program);
}

static void chunks_that_are_not_known_are_kept(void **state)
{
    (void)state;
    chunks file = golden_with(GOLDEN_BYTES, "NAME\4\0\0\0abcd", 12);
    expect_trailing(&file, true, 12);
    file = golden_with(GOLDEN_BYTES, "?", 1);
    expect_trailing(&file, true, 1);
    file = golden_with(GOLDEN_BYTES, "META\1\0\0\0", 8); // a second one is not looked for
    expect_trailing(&file, true, 8);
    file = golden_with(GOLDEN_META, "NAME\4\0\0\0abcd", 12);
    expect_trailing(&file, false, 12);
    file = golden_with(GOLDEN_META, "MET!", 4);
    expect_trailing(&file, false, 4);
    file = golden_with(GOLDEN_META, "META\2\0\0\0", 8); // a version of the future
    expect_trailing(&file, false, 8);
}

static void meta_that_is_cut_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size, offset;
    } cuts[] = {{"M", 1, 0}, {"MET", 3, 0}, {"META", 4, 4}, {"META\1\0\0", 7, 4}, {"META\1\0\0\0", 8, 8}};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        chunks file = golden_with(GOLDEN_META, cuts[i].bytes, cuts[i].size);
        rp_program *program;
        rp_error error;
        assert_int_equal(rp_program_parse(file.bytes, file.size, NULL, &program, &error), RP_STATUS_TRUNCATED);
        assert_int_equal(error.offset, GOLDEN_META + cuts[i].offset);
    }
}

// ---- Memory ------------------------------------------------------------------------------------------------------

static void parsing_survives_every_failing_allocation(void **state)
{
    (void)state;
    uint8_t *bytes = golden_bytes(golden_words, GOLDEN_WORDS);
    rp_status status = RP_STATUS_OUT_OF_MEMORY;
    size_t fail_at = 0;
    while (status != RP_STATUS_OK) {
        failing_allocator allocator;
        failing_allocator_init(&allocator, ++fail_at);
        rp_program *program;
        rp_error error;
        status = rp_program_parse(bytes, GOLDEN_BYTES, &(rp_program_parse_desc){.allocator = &allocator.hook}, &program,
                                  &error);
        if (status != RP_STATUS_OK) {
            assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
            assert_int_equal(error.status, RP_STATUS_OUT_OF_MEMORY);
            assert_null(program);
        }
        rp_program_destroy(&program);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(fail_at > 4); // bytes, owner, arena, scratch, tables of ids
    free(bytes);
}

static void a_refused_program_leaves_nothing(void **state)
{
    (void)state;
    uint8_t *bytes = golden_bytes(golden_words, GOLDEN_WORDS);
    for (size_t word = 0; word < GOLDEN_WORDS; word++) {
        uint8_t saved[4];
        memcpy(saved, bytes + word * 4, 4);
        memset(bytes + word * 4, 0xfe, 4);
        failing_allocator allocator;
        failing_allocator_init(&allocator, 0);
        rp_program *program;
        rp_program_parse(bytes, GOLDEN_BYTES, &(rp_program_parse_desc){.allocator = &allocator.hook}, &program, NULL);
        rp_program_destroy(&program);
        assert_int_equal(allocator.live, 0);
        memcpy(bytes + word * 4, saved, 4);
    }
    free(bytes);
}

// A count that would ask for gigabytes never reaches the allocator.
static void counts_are_held_against_the_bytes_before_allocating(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2, 10, 14, 19, 44, 45, 50, 57, 60, 76, 80, 84, 111};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint32_t words[GOLDEN_WORDS];
        memcpy(words, golden_words, sizeof words);
        words[counts[i]] = 0x0ffffff0;
        uint8_t *bytes = golden_bytes(words, GOLDEN_WORDS);
        rp_program *program;
        failing_allocator allocator;
        failing_allocator_init(&allocator, 0);
        assert_int_equal(rp_program_parse(bytes, GOLDEN_BYTES, &(rp_program_parse_desc){.allocator = &allocator.hook},
                                          &program, NULL),
                         RP_STATUS_BAD_COUNT);
        // The bytes, the owner, and a first block of each arena.
        assert_true(allocator.allocations <= 4);
        free(bytes);
    }
}

int test_read(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_read),
        cmocka_unit_test(operations_and_meta_are_read),
        cmocka_unit_test(every_truncated_prefix_is_refused),
        cmocka_unit_test(limits_hold_at_their_values_and_not_one_below),
        cmocka_unit_test(commands_and_entries_count_over_the_whole_file),
        cmocka_unit_test(an_error_packet_passes_its_message_on),
        cmocka_unit_test(messages_begin_with_the_source),
        cmocka_unit_test(chunks_that_are_not_known_are_kept),
        cmocka_unit_test(meta_that_is_cut_is_an_error),
        cmocka_unit_test(parsing_survives_every_failing_allocation),
        cmocka_unit_test(a_refused_program_leaves_nothing),
        cmocka_unit_test(counts_are_held_against_the_bytes_before_allocating),
    };
    return cmocka_run_group_tests_name("program reader", tests, NULL, NULL);
}
