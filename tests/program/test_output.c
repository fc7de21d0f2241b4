// What comes out of a program: its bytes, files, listings, sums.
#include "program/golden.h"
#include "program/tests.h"
#include "reprise/program.h"
#include "support/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// The example with a chunk of five bytes behind it.
static rp_program *parse_golden(uint8_t file[GOLDEN_BYTES + 5])
{
    rp_program *program = NULL;
    uint8_t *bytes = golden_bytes(golden_words, GOLDEN_WORDS);
    memcpy(file, bytes, GOLDEN_BYTES);
    memcpy(file + GOLDEN_BYTES, "TAIL!", 5);
    free(bytes);
    assert_int_equal(rp_program_parse(file, GOLDEN_BYTES + 5, NULL, &program, NULL), RP_STATUS_OK);
    return program;
}

static void a_parsed_file_gives_back_its_bytes(void **state)
{
    (void)state;
    uint8_t file[GOLDEN_BYTES + 5];
    rp_program *program = parse_golden(file);
    uint8_t *bytes;
    size_t size;
    assert_int_equal(rp_program_serialize(program, NULL, &bytes, &size, NULL), RP_STATUS_OK);
    assert_int_equal(size, sizeof file);
    assert_memory_equal(bytes, file, size);
    rp_free(NULL, bytes);
    rp_program_destroy(&program);
}

static void a_saved_program_is_loaded_again(void **state)
{
    (void)state;
    uint8_t file[GOLDEN_BYTES + 5], read[GOLDEN_BYTES + 6];
    char directory[] = "/tmp/reprise_program_XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.oidn", directory);
    rp_program *program = parse_golden(file);
    rp_error error;
    assert_int_equal(rp_program_save(program, path, &error), RP_STATUS_OK);
    rp_program_destroy(&program);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(read, 1, sizeof read, stream), sizeof file);
    fclose(stream);
    assert_memory_equal(read, file, sizeof file);

    assert_int_equal(rp_program_load(path, NULL, &program, &error), RP_STATUS_OK);
    assert_int_equal(program->operation_count, 3);
    rp_program_destroy(&program);
    rp_program_parse_desc small = {.limits = {.max_bytes = sizeof file - 1}};
    assert_int_equal(rp_program_load(path, &small, &program, &error), RP_STATUS_TOO_LARGE);
    // A fault is reported with the path.
    assert_int_equal(truncate(path, 6), 0);
    assert_int_equal(rp_program_load(path, NULL, &program, &error), RP_STATUS_TRUNCATED);
    assert_memory_equal(error.message, path, strlen(path));
    assert_int_equal(error.offset, 4);

    snprintf(path, sizeof path, "%s/none/a.oidn", directory);
    program = parse_golden(file);
    assert_int_equal(rp_program_save(program, path, &error), RP_STATUS_IO);
    rp_program_destroy(&program);
    snprintf(path, sizeof path, "%s/a.oidn", directory);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0); // so nothing else was left in it
}

static void loading_survives_every_failing_allocation(void **state)
{
    (void)state;
    uint8_t file[GOLDEN_BYTES + 5];
    char path[] = "/tmp/reprise_program_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    rp_program *program = parse_golden(file);
    assert_int_equal(write(descriptor, file, sizeof file), sizeof file);
    close(descriptor);
    rp_program_destroy(&program);
    rp_status status = RP_STATUS_OUT_OF_MEMORY;
    for (size_t fail_at = 1; status != RP_STATUS_OK; fail_at++) {
        failing_allocator allocator;
        failing_allocator_init(&allocator, fail_at);
        status = rp_program_load(path, &(rp_program_parse_desc){.allocator = &allocator.hook}, &program, NULL);
        assert_true(status == RP_STATUS_OK || status == RP_STATUS_OUT_OF_MEMORY);
        rp_program_destroy(&program);
        assert_int_equal(allocator.live, 0);
    }
    unlink(path);
}

static void output_survives_every_failing_allocation(void **state)
{
    (void)state;
    uint8_t file[GOLDEN_BYTES + 5];
    rp_program *program = parse_golden(file);
    rp_status serialized = RP_STATUS_OUT_OF_MEMORY, listed = RP_STATUS_OUT_OF_MEMORY;
    for (size_t fail_at = 1; serialized != RP_STATUS_OK || listed != RP_STATUS_OK; fail_at++) {
        failing_allocator allocator;
        uint8_t *bytes = NULL;
        char *text = NULL;
        size_t size;
        failing_allocator_init(&allocator, fail_at);
        serialized = rp_program_serialize(program, &allocator.hook, &bytes, &size, NULL);
        assert_true(serialized == RP_STATUS_OK || serialized == RP_STATUS_OUT_OF_MEMORY);
        rp_free(&allocator.hook, bytes);
        failing_allocator_init(&allocator, fail_at);
        listed = rp_program_disassemble(program, &allocator.hook, &text, &size, NULL);
        assert_true(listed == RP_STATUS_OK || listed == RP_STATUS_OUT_OF_MEMORY);
        rp_free(&allocator.hook, text);
        assert_int_equal(allocator.live, 0);
    }
    rp_program_destroy(&program);
}

// Hashes from an implementation of FNV-1a in another language.
static void a_listing_names_everything(void **state)
{
    (void)state;
    uint8_t file[GOLDEN_BYTES + 5];
    rp_program *program = parse_golden(file);
    char *text;
    size_t size;
    assert_int_equal(rp_program_disassemble(program, NULL, &text, &size, NULL), RP_STATUS_OK);
    assert_int_equal(strlen(text), size);
    assert_string_equal(text, "input 0: buffer 0\n"
                              "input 1: buffer 3\n"
                              "output: buffer 2, 2 x 1 x 4, external\n"
                              "buffer 0: 'color', 32 bytes, COPY_SRC|COPY_DST|STORAGE\n"
                              "buffer 1: 'frame', 512 bytes, COPY_DST|UNIFORM, data 5 bytes, fnv1a 8f5f1cd6b0a4eb2d\n"
                              "buffer 2: '', 32 bytes, COPY_DST|STORAGE\n"
                              "buffer 3: 'in', 64 bytes, COPY_SRC|COPY_DST|STORAGE\n"
                              "buffer 4: '\xc3\xa9/w', 1024 bytes, STORAGE, data 4 bytes, fnv1a a44e2de07150f42b\n"
                              "buffer 5: '', 12 bytes, COPY_DST|UNIFORM\n"
                              "shader 0: 8 bytes, fnv1a 43df9b2a55366678\n"
                              "shader 1: 3 bytes, fnv1a eed40b17e7152f19\n"
                              "pipeline 0: shader 0, 'main'\n"
                              "pipeline 1: shader 1, 'f'\n"
                              "bind group 0: pipeline 0, group 0\n"
                              "  binding 0: buffer 0, offset 0, the rest\n"
                              "  binding 1: buffer 1, offset 256, 16 bytes\n"
                              "  binding 7: buffer 4, offset 512, the rest\n"
                              "bind group 1: pipeline 1, group 3\n"
                              "operation 0: write buffer 1, offset 4, 8 bytes, fnv1a 345b770bd76cfa7c\n"
                              "operation 1: submit\n"
                              "  dispatch pipeline 0, bind group 0, 3 x 2 x 1\n"
                              "  copy buffer 3, offset 16 to buffer 2, offset 0, 32 bytes\n"
                              "operation 2: submit\n"
                              "  dispatch pipeline 1, bind group 1, 65535 x 1 x 1\n"
                              "meta: fp32, 2 tiles, kernels direct implicit-gemm, frame buffer 1\n"
                              "  weights buffer 4\n"
                              "  weights buffer 0\n"
                              "trailing: 5 bytes, fnv1a 805cc084f6b67166\n");
    rp_free(NULL, text);
    rp_program_destroy(&program);
}

static void a_listing_keeps_labels_from_acting(void **state)
{
    (void)state;
    uint32_t words[GOLDEN_WORDS];
    memcpy(words, golden_words, sizeof words);
    words[109] = 0x80000010; // and a kernel of the future
    words[15] = 0x0a5c271b;  // ESC, quote, backslash, line feed
    words[23] = 0x9bc2007f;  // DEL, zero, then U+009B, the control sequence introducer in one character
    uint8_t *bytes = golden_bytes(words, GOLDEN_WORDS);
    rp_program *program;
    char *text;
    size_t size;
    assert_int_equal(rp_program_parse(bytes, GOLDEN_BYTES, NULL, &program, NULL), RP_STATUS_OK);
    assert_int_equal(rp_program_disassemble(program, NULL, &text, &size, NULL), RP_STATUS_OK);
    assert_non_null(strstr(text, "buffer 0: '\\x1b\\'\\\\\\x0ar', 32 bytes"));
    assert_non_null(strstr(text, "buffer 1: '\\x7f\\x00\\x9be', 512 bytes"));
    assert_non_null(strstr(text, "kernels subgroup bit-31, frame buffer 1\n"));
    rp_free(NULL, text);
    rp_program_destroy(&program);

    // In a message likewise: the frame buffer's size is below that of its data.
    words[17] = 4;
    free(bytes);
    bytes = golden_bytes(words, GOLDEN_WORDS);
    rp_error error;
    assert_int_equal(rp_program_parse(bytes, GOLDEN_BYTES, NULL, &program, &error), RP_STATUS_BAD_SIZE);
    assert_non_null(strstr(error.message, "buffer 1 ('???e'): 5 bytes"));
    free(bytes);
}

static void sums_are_right(void **state)
{
    (void)state;
    uint8_t file[GOLDEN_BYTES + 5];
    rp_program *program = parse_golden(file);
    rp_program_stats stats;
    rp_program_measure(program, &stats);
    assert_int_equal(stats.buffer_bytes, 32 + 512 + 32 + 64 + 1024 + 12);
    assert_int_equal(stats.data_bytes, 5 + 4);
    assert_int_equal(stats.weight_bytes, 1024 + 32);
    assert_int_equal(stats.external_bytes, 32 + 64 + 32);
    assert_int_equal(stats.largest_binding, 512);
    assert_int_equal(stats.dispatch_count, 2);
    assert_int_equal(stats.copy_count, 1);
    assert_int_equal(stats.submit_count, 2);
    assert_int_equal(stats.write_count, 1);
    assert_int_equal(stats.largest_dispatch, 65535);
    rp_program_destroy(&program);

    // An output that is an input counts once; one that is not external, not at all.
    uint32_t words[GOLDEN_WORDS];
    memcpy(words, golden_words, sizeof words);
    words[5] = 0;
    for (words[6] = 0; words[6] < 2; words[6]++) {
        uint8_t *bytes = golden_bytes(words, GOLDEN_WORDS);
        assert_int_equal(rp_program_parse(bytes, GOLDEN_BYTES, NULL, &program, NULL), RP_STATUS_OK);
        rp_program_measure(program, &stats);
        assert_int_equal(stats.external_bytes, 32 + 64);
        rp_program_destroy(&program);
        free(bytes);
    }
}

int test_output(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parsed_file_gives_back_its_bytes),
        cmocka_unit_test(a_saved_program_is_loaded_again),
        cmocka_unit_test(loading_survives_every_failing_allocation),
        cmocka_unit_test(output_survives_every_failing_allocation),
        cmocka_unit_test(a_listing_names_everything),
        cmocka_unit_test(a_listing_keeps_labels_from_acting),
        cmocka_unit_test(sums_are_right),
    };
    return cmocka_run_group_tests_name("program output", tests, NULL, NULL);
}
