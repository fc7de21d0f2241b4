// One mutated field per rule: the example program with one word changed, the status and the offset that must come.
#include "program/golden.h"
#include "program/tests.h"
#include "reprise/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct mutation {
    const char *name;
    uint32_t word, value; // what is put where
    rp_status status;
    uint32_t offset; // of the field at fault
} mutation;

#define AT(word) ((word)*4)

static const mutation mutations[] = {
    {"another magic", 0, 0x4e44494e, RP_STATUS_BAD_MAGIC, AT(0)},
    {"version 1", 1, 1, RP_STATUS_BAD_VERSION, AT(1)},
    {"version 3", 1, 3, RP_STATUS_BAD_VERSION, AT(1)},

    {"more inputs than bytes", 2, UINT32_MAX, RP_STATUS_BAD_COUNT, AT(2)},
    {"an input outside the buffers", 3, 6, RP_STATUS_BAD_ID, AT(3)},
    {"an input without COPY_DST", 4, 4, RP_STATUS_BAD_USAGE, AT(4)},
    {"an input twice", 4, 0, RP_STATUS_DUPLICATE, AT(4)},
    {"an input whose size is odd", 29, 62, RP_STATUS_BAD_ALIGNMENT, AT(4)},
    {"an output outside the buffers", 5, UINT32_MAX, RP_STATUS_BAD_ID, AT(5)},
    {"an output of the program's own without COPY_SRC", 6, 0, RP_STATUS_BAD_USAGE, AT(5)},
    {"an output whose size is odd", 25, 33, RP_STATUS_BAD_ALIGNMENT, AT(5)},
    {"external neither yes nor no", 6, 2, RP_STATUS_BAD_VALUE, AT(6)},
    {"an output wider than its buffer", 7, 3, RP_STATUS_BAD_SIZE, AT(7)},
    {"an output higher than its buffer", 8, 2, RP_STATUS_BAD_SIZE, AT(7)},
    {"an output with more channels than its buffer", 9, 5, RP_STATUS_BAD_SIZE, AT(7)},
    {"an output shape that wraps 32 bits", 7, 0x40000001, RP_STATUS_BAD_SIZE, AT(7)},

    {"more buffers than bytes", 10, 0x10000000, RP_STATUS_BAD_COUNT, AT(10)},
    {"a buffer of no bytes", 11, 0, RP_STATUS_BAD_SIZE, AT(11)},
    {"a usage bit that WebGPU lacks", 12, 0x48c, RP_STATUS_BAD_VALUE, AT(12)},
    {"a buffer without usage", 12, 0, RP_STATUS_BAD_USAGE, AT(12)},
    {"MAP_READ with STORAGE", 12, 0x81, RP_STATUS_BAD_USAGE, AT(12)},
    {"MAP_READ with COPY_SRC", 12, 0x5, RP_STATUS_BAD_USAGE, AT(12)},
    {"MAP_WRITE with COPY_DST", 12, 0xa, RP_STATUS_BAD_USAGE, AT(12)},
    {"MAP_READ with MAP_WRITE", 12, 0x3, RP_STATUS_BAD_USAGE, AT(12)},
    {"data longer than the file", 19, 0x80000000, RP_STATUS_BAD_COUNT, AT(19)},
    {"data whose padding passes the end of 32 bits", 19, UINT32_MAX, RP_STATUS_BAD_COUNT, AT(19)},
    {"data longer than their buffer", 17, 4, RP_STATUS_BAD_SIZE, AT(19)},
    {"data in a buffer whose size is odd", 17, 510, RP_STATUS_BAD_ALIGNMENT, AT(17)},
    {"padding behind data", 21, 0x107, RP_STATUS_BAD_VALUE, AT(21) + 1},
    {"padding behind a label", 16, 0x01000072, RP_STATUS_BAD_VALUE, AT(16) + 3},
    {"a label longer than the file", 14, 0xfffffffd, RP_STATUS_BAD_COUNT, AT(14)},
    {"a label that is not UTF-8", 15, 0xff6c6f63, RP_STATUS_BAD_TEXT, AT(14)},
    {"a label behind data that is not UTF-8", 39, 0x772fa9a9, RP_STATUS_BAD_TEXT, AT(38)},

    {"more shaders than bytes", 44, UINT32_MAX, RP_STATUS_BAD_COUNT, AT(44)},
    {"a shader longer than the file", 45, 0x1000, RP_STATUS_BAD_COUNT, AT(45)},
    {"a shader that is not UTF-8", 47, 0x657475c0, RP_STATUS_BAD_TEXT, AT(45)},
    {"more pipelines than bytes", 50, UINT32_MAX, RP_STATUS_BAD_COUNT, AT(50)},
    {"a pipeline with a shader outside the table", 51, 2, RP_STATUS_BAD_ID, AT(51)},
    {"an entry point that is not UTF-8", 53, 0x6e6961f5, RP_STATUS_BAD_TEXT, AT(52)},

    {"more bind groups than bytes", 57, UINT32_MAX, RP_STATUS_BAD_COUNT, AT(57)},
    {"a bind group with a pipeline outside the table", 58, 2, RP_STATUS_BAD_ID, AT(58)},
    {"a group index of 4", 59, 4, RP_STATUS_BAD_VALUE, AT(59)},
    {"more entries than bytes", 60, UINT32_MAX, RP_STATUS_BAD_COUNT, AT(60)},
    {"a binding of 1000", 61, 1000, RP_STATUS_BAD_VALUE, AT(61)},
    {"a binding twice", 69, 1, RP_STATUS_DUPLICATE, AT(69)},
    {"an entry with a buffer outside the table", 66, 6, RP_STATUS_BAD_ID, AT(66)},
    {"an entry with neither UNIFORM nor STORAGE", 12, 0xc, RP_STATUS_BAD_USAGE, AT(62)},
    {"an entry at 128", 67, 128, RP_STATUS_BAD_ALIGNMENT, AT(67)},
    {"an entry behind its buffer", 71, 1280, RP_STATUS_BAD_RANGE, AT(71)},
    {"an entry at the end of its buffer", 71, 1024, RP_STATUS_BAD_RANGE, AT(71)},
    {"an entry past the end of its buffer", 72, 516, RP_STATUS_BAD_RANGE, AT(72)},
    {"an entry whose end wraps", 72, 0xfffffff0, RP_STATUS_BAD_RANGE, AT(72)},
    {"a storage entry of 6 bytes", 72, 6, RP_STATUS_BAD_ALIGNMENT, AT(72)},
    {"the rest of a storage buffer, 30 bytes", 11, 30, RP_STATUS_BAD_ALIGNMENT, AT(64)},

    {"more operations than bytes", 76, UINT32_MAX, RP_STATUS_BAD_COUNT, AT(76)},
    {"an operation of kind 2", 77, 2, RP_STATUS_BAD_VALUE, AT(77)},
    {"a write to a buffer outside the table", 78, 6, RP_STATUS_BAD_ID, AT(78)},
    {"a write without COPY_DST", 78, 4, RP_STATUS_BAD_USAGE, AT(78)},
    {"a write at 2", 79, 2, RP_STATUS_BAD_ALIGNMENT, AT(79)},
    {"a write behind its buffer", 79, 516, RP_STATUS_BAD_RANGE, AT(79)},
    {"a write past the end of its buffer", 79, 508, RP_STATUS_BAD_RANGE, AT(80)},
    {"a write whose end wraps", 79, 0xfffffffc, RP_STATUS_BAD_RANGE, AT(79)},
    {"a write of 5 bytes", 80, 5, RP_STATUS_BAD_ALIGNMENT, AT(80)},
    {"a write longer than the file", 80, 0x1000, RP_STATUS_BAD_COUNT, AT(80)},

    {"more commands than bytes", 84, UINT32_MAX, RP_STATUS_BAD_COUNT, AT(84)},
    {"a command of kind 2", 85, 2, RP_STATUS_BAD_VALUE, AT(85)},
    {"a dispatch of a pipeline outside the table", 86, 2, RP_STATUS_BAD_ID, AT(86)},
    {"a dispatch with a bind group outside the table", 87, 2, RP_STATUS_BAD_ID, AT(87)},
    {"a dispatch with another pipeline's bind group", 87, 1, RP_STATUS_BAD_BIND_GROUP, AT(87)},
    {"a dispatch of another pipeline than its bind group's", 100, 0, RP_STATUS_BAD_BIND_GROUP, AT(101)},

    {"a copy from outside the table", 92, 6, RP_STATUS_BAD_ID, AT(92)},
    {"a copy without COPY_SRC", 92, 1, RP_STATUS_BAD_USAGE, AT(92)},
    {"a copy from 18", 93, 18, RP_STATUS_BAD_ALIGNMENT, AT(93)},
    {"a copy from behind its source", 93, 68, RP_STATUS_BAD_RANGE, AT(93)},
    {"a copy past the end of its source", 93, 36, RP_STATUS_BAD_RANGE, AT(96)},
    {"a copy to outside the table", 94, 6, RP_STATUS_BAD_ID, AT(94)},
    {"a copy without COPY_DST", 94, 4, RP_STATUS_BAD_USAGE, AT(94)},
    {"a copy within one buffer", 94, 3, RP_STATUS_BAD_VALUE, AT(94)},
    {"a copy to 2", 95, 2, RP_STATUS_BAD_ALIGNMENT, AT(95)},
    {"a copy to behind its destination", 95, 36, RP_STATUS_BAD_RANGE, AT(95)},
    {"a copy past the end of its destination", 95, 4, RP_STATUS_BAD_RANGE, AT(96)},
    {"a copy of 30 bytes", 96, 30, RP_STATUS_BAD_ALIGNMENT, AT(96)},
    {"a copy whose end wraps", 96, 0xfffffffc, RP_STATUS_BAD_RANGE, AT(96)},

    {"META's precision 0", 107, 0, RP_STATUS_BAD_VALUE, AT(107)},
    {"META's precision 3", 107, 3, RP_STATUS_BAD_VALUE, AT(107)},
    {"a frame buffer outside the table", 110, 6, RP_STATUS_BAD_ID, AT(110)},
    {"a frame buffer without UNIFORM", 110, 0, RP_STATUS_BAD_USAGE, AT(110)},
    {"a frame buffer of 12 bytes", 110, 5, RP_STATUS_BAD_SIZE, AT(110)},
    {"more weight buffers than bytes", 111, 3, RP_STATUS_BAD_COUNT, AT(111)},
    {"a weight buffer outside the table", 113, 6, RP_STATUS_BAD_ID, AT(113)},
    {"a weight buffer twice", 113, 4, RP_STATUS_DUPLICATE, AT(113)},
};

// What lies next to a rule and must pass.
static const mutation allowed[] = {
    {"no channels: no shape", 9, 0, RP_STATUS_OK, 0},
    {"an output without rows", 8, 0, RP_STATUS_OK, 0},
    {"a smaller output", 7, 1, RP_STATUS_OK, 0},
    {"one input as output", 5, 0, RP_STATUS_OK, 0},
    {"group 3", 59, 3, RP_STATUS_OK, 0},
    {"binding 999", 69, 999, RP_STATUS_OK, 0},
    {"a uniform entry of 6 bytes", 68, 6, RP_STATUS_OK, 0},
    {"an entry up to the end", 72, 512, RP_STATUS_OK, 0},
    {"a write up to the end", 79, 504, RP_STATUS_OK, 0},
    {"a dispatch of nothing", 88, 0, RP_STATUS_OK, 0},
    {"a dispatch beyond any device", 90, UINT32_MAX, RP_STATUS_OK, 0},
    {"a copy up to the end of its source", 93, 32, RP_STATUS_OK, 0},
    {"a copy of nothing", 96, 0, RP_STATUS_OK, 0},
    {"kernel bits of the future", 109, 0x80000000, RP_STATUS_OK, 0},
    {"no frame buffer", 110, RP_NO_ID, RP_STATUS_OK, 0},
    {"an unused usage bit of WebGPU", 12, 0x3dc | 0x20, RP_STATUS_OK, 0},
};

// Parses the example with one word changed.
static rp_status parse_mutated(const mutation *change, rp_program **program, rp_error *error)
{
    uint32_t words[GOLDEN_WORDS];
    memcpy(words, golden_words, sizeof words);
    words[change->word] = change->value;
    uint8_t *bytes = golden_bytes(words, GOLDEN_WORDS);
    rp_status status = rp_program_parse(bytes, GOLDEN_BYTES, NULL, program, error);
    free(bytes);
    return status;
}

static void every_rule_refuses_its_mutation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++) {
        const mutation *change = &mutations[i];
        rp_error error = {.offset = RP_NO_OFFSET};
        rp_program *program = (rp_program *)&error;
        rp_status status = parse_mutated(change, &program, &error);
        if (status != change->status || error.status != status || error.offset != change->offset || program)
            fail_msg("%s: got %s at %llu instead of %s at %u: %s", change->name, rp_status_name(status),
                     (unsigned long long)error.offset, rp_status_name(change->status), change->offset, error.message);
    }
}

static void what_lies_next_to_a_rule_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        rp_error error;
        rp_program *program = NULL;
        if (parse_mutated(&allowed[i], &program, &error) != RP_STATUS_OK)
            fail_msg("%s: %s", allowed[i].name, error.message);
        rp_program_destroy(&program);
    }
}

static void expect_message(const mutation *change, const char *message)
{
    rp_error error;
    rp_program *program;
    assert_int_equal(parse_mutated(change, &program, &error), change->status);
    assert_string_equal(error.message, message);
}

static void messages_name_object_field_and_both_values(void **state)
{
    (void)state;
    expect_message(&(mutation){"", 17, 4, RP_STATUS_BAD_SIZE, 0},
                   "program: buffer 1 ('frame'): 5 bytes of initial data exceed its size of 4, at offset 76");
    expect_message(&(mutation){"", 72, 516, RP_STATUS_BAD_RANGE, 0},
                   "program: bind group 0: binding 7, range of 516 bytes at 512 is outside buffer 4 ('\xc3\xa9/w') of "
                   "1024 bytes, at offset 288");
    expect_message(
        &(mutation){"", 92, 1, RP_STATUS_BAD_USAGE, 0},
        "program: operation 1, command 1 (copy): source buffer 1 ('frame') has usage COPY_DST|UNIFORM, which "
        "lacks COPY_SRC, at offset 368");
    expect_message(&(mutation){"", 84, 1000, RP_STATUS_BAD_COUNT, 0},
                   "program: command count 1000, of 24 bytes or more each, does not fit the 116 bytes left, at offset "
                   "336");
}

int test_rules(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_refuses_its_mutation),
        cmocka_unit_test(what_lies_next_to_a_rule_passes),
        cmocka_unit_test(messages_name_object_field_and_both_values),
    };
    return cmocka_run_group_tests_name("program rules", tests, NULL, NULL);
}
