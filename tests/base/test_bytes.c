// Byte reader, byte writer, UTF-8.
#include "base/bytes.h"
#include "base/tests.h"
#include "support/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void integers_are_little_endian(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x01, 0x03, 0x82, 0x07, 0x06, 0x05, 0x84, 0x0f,
                                    0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x88};
    rp_reader reader = rp_reader_make(bytes, sizeof bytes);
    assert_int_equal(rp_read_u8(&reader), 0x01);
    assert_int_equal(rp_read_u16(&reader), 0x8203);
    assert_int_equal(rp_read_u32(&reader), 0x84050607);
    assert_int_equal(rp_reader_offset(&reader), 7);
    assert_int_equal(rp_reader_left(&reader), 8);
    assert_true(rp_read_u64(&reader) == 0x88090a0b0c0d0e0f);
    assert_false(reader.failed);
    assert_int_equal(rp_reader_left(&reader), 0);
}

static void a_read_past_the_end_sticks_where_the_field_began(void **state)
{
    (void)state;
    uint8_t *bytes = malloc(7); // exactly as much, for ASan
    memset(bytes, 0xff, 7);
    rp_reader reader = rp_reader_make(bytes, 7);
    assert_int_equal(rp_read_u32(&reader), 0xffffffff);
    assert_int_equal(rp_read_u32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(rp_reader_offset(&reader), 4);
    assert_int_equal(rp_read_u8(&reader), 0); // which would fit
    assert_int_equal(rp_read_u16(&reader), 0);
    assert_true(rp_read_u64(&reader) == 0);
    assert_null(rp_read_span(&reader, 0));
    assert_int_equal(rp_reader_offset(&reader), 4);
    free(bytes);
}

static void spans_lie_in_place_and_never_beyond(void **state)
{
    (void)state;
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    rp_reader reader = rp_reader_make(bytes, 4);
    assert_ptr_equal(rp_read_span(&reader, 3), bytes);
    assert_null(rp_read_span(&reader, SIZE_MAX)); // which would wrap a pointer
    assert_true(reader.failed);
    reader = rp_reader_make(bytes, 4);
    assert_null(rp_read_span(&reader, 5));
    reader = rp_reader_make(bytes, 4);
    assert_ptr_equal(rp_read_span(&reader, 4), bytes);
    assert_non_null(rp_read_span(&reader, 0));
    reader = rp_reader_make(NULL, 0);
    assert_int_equal(rp_reader_left(&reader), 0);
    assert_int_equal(rp_read_u8(&reader), 0);
    assert_true(reader.failed);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    rp_writer writer = rp_writer_make(NULL);
    rp_write_bytes(&writer, NULL, 0);
    assert_int_equal(writer.size, 0);
    for (uint32_t i = 0; i < 5000; i++) { // past several growths
        rp_write_u32(&writer, i * 2654435761u);
        rp_write_bytes(&writer, "abc", i % 4);
    }
    assert_false(writer.failed);
    assert_int_equal(writer.size, 5000 * 4 + 1250 * 6);
    rp_reader reader = rp_reader_make(writer.bytes, writer.size);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(rp_read_u32(&reader), i * 2654435761u);
        assert_memory_equal(rp_read_span(&reader, i % 4), "abc", i % 4);
    }
    assert_int_equal(rp_reader_left(&reader), 0);
    rp_writer_free(&writer);
    assert_null(writer.bytes);
    rp_writer_free(&writer);
}

static void a_writer_without_memory_fails_for_good(void **state)
{
    (void)state;
    failing_allocator allocator;
    failing_allocator_init(&allocator, 2);
    rp_writer writer = rp_writer_make(&allocator.hook);
    rp_write_u32(&writer, 0x64636261);
    assert_false(writer.failed);
    uint8_t *large = calloc(1, 100000);
    rp_write_bytes(&writer, large, 100000);
    assert_true(writer.failed);
    rp_write_u32(&writer, 1);
    assert_true(writer.failed);
    assert_int_equal(writer.size, 4);
    rp_writer_free(&writer);
    assert_int_equal(allocator.live, 0);
    free(large);
}

// ---- UTF-8 -------------------------------------------------------------------------------------------------------

// The bytes of a code point, by the table of RFC 3629, section 3.
static size_t encode(uint32_t code, uint8_t *bytes)
{
    if (code < 0x80) {
        bytes[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        bytes[0] = (uint8_t)(0xc0 | code >> 6);
        bytes[1] = (uint8_t)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        bytes[0] = (uint8_t)(0xe0 | code >> 12);
        bytes[1] = (uint8_t)(0x80 | (code >> 6 & 63));
        bytes[2] = (uint8_t)(0x80 | (code & 63));
        return 3;
    }
    bytes[0] = (uint8_t)(0xf0 | code >> 18);
    bytes[1] = (uint8_t)(0x80 | (code >> 12 & 63));
    bytes[2] = (uint8_t)(0x80 | (code >> 6 & 63));
    bytes[3] = (uint8_t)(0x80 | (code & 63));
    return 4;
}

static void every_code_point_but_surrogates_is_valid(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x1fffff; code++) {
        uint8_t bytes[4];
        size_t size = encode(code, bytes);
        bool valid = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        if (rp_utf8_valid(bytes, size) != valid)
            fail_msg("U+%04X: not %d", code, valid);
        for (size_t cut = 1; cut < size; cut++)
            if (rp_utf8_valid(bytes, cut))
                fail_msg("U+%04X cut to %zu bytes passes", code, cut);
    }
}

// Two bytes are valid together as two ASCII characters or as one code point of U+0080 to U+07FF, and no other way.
static void every_pair_of_bytes_is_judged_right(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            uint8_t bytes[2] = {(uint8_t)a, (uint8_t)b};
            bool valid = (a < 0x80 && b < 0x80) || (a >= 0xc2 && a <= 0xdf && b >= 0x80 && b <= 0xbf);
            if (rp_utf8_valid(bytes, 2) != valid)
                fail_msg("%02x %02x: not %d", a, b, valid);
        }
}

static void overlong_and_broken_sequences_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\xc0\xaf",
        "\xe0\x80\xaf",
        "\xf0\x80\x80\xaf",
        "\xe0\x9f\xbf",
        "\xf0\x8f\xbf\xbf",
        "\xc3\x28",
        "\xe2\x28\xa1",
        "\xe2\x82\x28",
        "\xf0\x28\x8c\xbc",
        "\xf0\x90\x28",
        "\xf8\x88\x80\x80\x80",
        "ab\x80",
        "\xe2\x82\xac\xe2\x82",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (rp_utf8_valid(bad[i], strlen(bad[i])))
            fail_msg("sequence %zu passes", i);
    assert_true(rp_utf8_valid(NULL, 0));
    assert_true(rp_utf8_valid("a\0b", 3));
    assert_true(rp_utf8_valid("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9d\x84\x9e.", 16));
}

int test_bytes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_little_endian),
        cmocka_unit_test(a_read_past_the_end_sticks_where_the_field_began),
        cmocka_unit_test(spans_lie_in_place_and_never_beyond),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_writer_without_memory_fails_for_good),
        cmocka_unit_test(every_code_point_but_surrogates_is_valid),
        cmocka_unit_test(every_pair_of_bytes_is_judged_right),
        cmocka_unit_test(overlong_and_broken_sequences_are_refused),
    };
    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
