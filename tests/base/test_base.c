// Tests of the base layer; errors and hashes are here, the rest by file.
#include "base/error.h"
#include "base/hash.h"
#include "base/tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// draft-eastlake-fnv, "FNV Hash Test Vectors".
static void hashes_match_the_published_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t hash32;
        uint64_t hash64;
    } vectors[] = {
        {"", 0x811c9dc5, 0xcbf29ce484222325},       {"a", 0xe40c292c, 0xaf63dc4c8601ec8c},
        {"b", 0xe70c2de5, 0xaf63df4c8601f1a5},      {"foo", 0xa9f37ed7, 0xdcb27518fed9d577},
        {"foobar", 0xbf9cf968, 0x85944171f73967e8},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        size_t size = strlen(vectors[i].text);
        assert_int_equal(rp_fnv1a_32(vectors[i].text, size), vectors[i].hash32);
        assert_true(rp_fnv1a_64(vectors[i].text, size) == vectors[i].hash64);
    }
    assert_int_equal(rp_fnv1a_32("a", 2), 0x2b24d044); // with the zero byte
    assert_true(rp_fnv1a_64("a", 2) == 0x089be207b544f1e4);
}

static void statuses_have_names_and_numbers(void **state)
{
    (void)state;
    assert_int_equal(RP_STATUS_OK, 0);
    assert_int_equal(RP_STATUS_BAD_ID, 15);
    assert_string_equal(rp_status_name(RP_STATUS_BAD_ID), "BAD_ID");
    assert_string_equal(rp_status_text(RP_STATUS_BAD_ID), "an id outside its table");
    assert_string_equal(rp_status_name((rp_status)9999), "UNKNOWN");
    assert_string_equal(rp_status_text((rp_status)9999), "an unknown status");
}

static void errors_carry_status_offset_and_message(void **state)
{
    (void)state;
    rp_error error;
    memset(&error, 0xa5, sizeof error);
    assert_int_equal(rp_fail(&error, RP_STATUS_BAD_SIZE, "%d of %d", 1, 2), RP_STATUS_BAD_SIZE);
    assert_int_equal(error.status, RP_STATUS_BAD_SIZE);
    assert_true(error.offset == RP_NO_OFFSET);
    assert_string_equal(error.message, "1 of 2");
    assert_int_equal(rp_fail_at(&error, RP_STATUS_BAD_ID, 1234567890123, "id %u", 7u), RP_STATUS_BAD_ID);
    assert_true(error.offset == 1234567890123);
    assert_string_equal(error.message, "id 7, at offset 1234567890123");
    assert_int_equal(rp_error_prefix(&error, RP_STATUS_BAD_ID, "a.oidn"), RP_STATUS_BAD_ID);
    assert_string_equal(error.message, "a.oidn: id 7, at offset 1234567890123");
    assert_int_equal(rp_fail_memory(&error, 17, "tests"), RP_STATUS_OUT_OF_MEMORY);
    assert_string_equal(error.message, "no memory for 17 bytes of tests");
    // Success leaves the error alone, and there need be none.
    assert_int_equal(rp_error_prefix(&error, RP_STATUS_OK, "a.oidn"), RP_STATUS_OK);
    assert_string_equal(error.message, "no memory for 17 bytes of tests");
    assert_int_equal(rp_fail(NULL, RP_STATUS_IO, "x"), RP_STATUS_IO);
    assert_int_equal(rp_fail_at(NULL, RP_STATUS_IO, 1, "x"), RP_STATUS_IO);
    assert_int_equal(rp_error_prefix(NULL, RP_STATUS_IO, "x"), RP_STATUS_IO);
}

static void long_messages_are_cut_within_their_room(void **state)
{
    (void)state;
    struct {
        rp_error error;
        char guard[8];
    } room;
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memset(room.guard, 0x5a, sizeof room.guard);
    rp_fail_at(&room.error, RP_STATUS_IO, 5, "%s", text);
    assert_int_equal(strlen(room.error.message), sizeof room.error.message - 1);
    rp_error_prefix(&room.error, RP_STATUS_IO, text);
    assert_true(strlen(room.error.message) < sizeof room.error.message);
    assert_memory_equal(room.error.message, "xxx", 3);
    for (size_t i = 0; i < sizeof room.guard; i++)
        assert_int_equal(room.guard[i], 0x5a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_match_the_published_vectors),
        cmocka_unit_test(statuses_have_names_and_numbers),
        cmocka_unit_test(errors_carry_status_offset_and_message),
        cmocka_unit_test(long_messages_are_cut_within_their_room),
    };
    int failed = cmocka_run_group_tests_name("base", tests, NULL, NULL) + test_bytes() + test_file() + test_half() +
                 test_memory();
    return failed ? 1 : 0;
}
