// The archive reader: what it reads, and one fault a rule with the status and the offset that it must name.
#include "build_tza.h"
#include "tests.h"

#include "oidn/tza.h"

#include <stdlib.h>
#include <string.h>

static const tensor_spec two_tensors[] = {
    {"c.weight", 4, {2, 3, 3, 3}, 'h'},
    {"c.bias", 1, {2}, 'f'},
};

// Fields of the first entry, whose name has 8 letters, from its beginning.
enum { NAME = 0, DIMENSION_COUNT = 10, DIMENSIONS = 11, LAYOUT = 27, TYPE = 31, DATA_OFFSET = 32, ENTRY_BYTES = 40 };

static rp_status parse(const void *bytes, size_t size, rp_arena *arena, rp_tza *archive, rp_error *error)
{
    rp_arena_init(arena, NULL);
    return rp_tza_parse(bytes, size, "test.tza", arena, archive, error);
}

// Parses a copy in a block of exactly that size, so that a sanitizer sees a read past the end.
static void must_fail(const built_tza *file, size_t size, rp_status status, uint64_t offset)
{
    uint8_t *exact = malloc(size ? size : 1);
    rp_arena arena;
    rp_tza archive;
    rp_error error = {0};
    assert_non_null(exact);
    memcpy(exact, file->bytes, size);
    assert_int_equal(parse(exact, size, &arena, &archive, &error), status);
    assert_int_equal(error.status, status);
    assert_int_equal(error.offset, offset);
    assert_memory_equal(error.message, "test.tza: ", 10);
    rp_arena_free(&arena);
    free(exact);
}

static built_tza build_two(void)
{
    built_tza file = build_tza(two_tensors, 2);
    assert_int_equal(file.entries[1] - file.entries[0], ENTRY_BYTES);
    return file;
}

static void store(built_tza *file, size_t offset, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        file->bytes[offset + i] = (uint8_t)(value >> (8 * i));
}

// One field overwritten: the fault must be found at `offset`.
static void mutated(size_t at, uint64_t value, size_t bytes, rp_status status, uint64_t offset)
{
    built_tza file = build_two();
    store(&file, at, value, bytes);
    must_fail(&file, file.size, status, offset);
    free(file.bytes);
}

static void names_shapes_and_values_are_read(void **state)
{
    (void)state;
    built_tza file = build_two();
    rp_arena arena;
    rp_tza archive;
    rp_error error;
    store(&file, 64 + 2 * 5, 0x3c00, 2); // element 5 of the weights: 1
    assert_int_equal(parse(file.bytes, file.size, &arena, &archive, &error), RP_STATUS_OK);
    assert_int_equal(archive.version_major, 2);
    assert_int_equal(archive.tensor_count, 2);
    const rp_tza_tensor *weight = rp_tza_find(&archive, "c.weight"), *bias = rp_tza_find(&archive, "c.bias");
    assert_ptr_equal(weight, &archive.tensors[0]);
    assert_ptr_equal(bias, &archive.tensors[1]);
    assert_null(rp_tza_find(&archive, "c.bia"));
    assert_string_equal(weight->name, "c.weight");
    assert_int_equal(weight->layout, RP_LAYOUT_OIHW);
    assert_int_equal(weight->type, RP_TENSOR_HALF);
    assert_int_equal(weight->dimensions[1], 3);
    assert_int_equal(weight->element_count, 54);
    assert_true(rp_tza_value(weight, 5) == 1);
    assert_true(rp_tza_value(weight, 6) == 1.0f / 64);
    assert_int_equal(bias->layout, RP_LAYOUT_X);
    assert_int_equal(bias->type, RP_TENSOR_FLOAT);
    assert_int_equal(bias->element_count, 2);
    assert_true(rp_tza_value(bias, 1) == 1.0f / 64);
    rp_arena_free(&arena);
    free(file.bytes);
}

static void every_truncated_prefix_is_refused(void **state)
{
    (void)state;
    built_tza file = build_two();
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *exact = malloc(size ? size : 1);
        rp_arena arena;
        rp_tza archive;
        rp_error error;
        memcpy(exact, file.bytes, size);
        rp_status status = parse(exact, size, &arena, &archive, &error);
        // Without the end of the header it is short; then the table lies outside; then entries are cut.
        if (size >= 12 && size < file.table)
            assert_int_equal(status, RP_STATUS_BAD_RANGE);
        else if (size >= file.table + 4 && size < file.table + 4 + 2 * 18)
            assert_int_equal(status, RP_STATUS_BAD_COUNT);
        else
            assert_int_equal(status, RP_STATUS_TRUNCATED);
        assert_true(error.offset <= size);
        rp_arena_free(&arena);
        free(exact);
    }
    free(file.bytes);
}

static void a_faulty_header_is_refused(void **state)
{
    (void)state;
    built_tza file = build_two();
    size_t size = file.size;
    must_fail(&file, 0, RP_STATUS_TRUNCATED, 0);
    free(file.bytes);
    mutated(0, 0x41d6, 2, RP_STATUS_BAD_MAGIC, 0);
    mutated(2, 1, 1, RP_STATUS_BAD_VERSION, 2);
    mutated(2, 3, 1, RP_STATUS_BAD_VERSION, 2);
    mutated(4, 11, 8, RP_STATUS_BAD_RANGE, 4);
    mutated(4, size + 1, 8, RP_STATUS_BAD_RANGE, 4);
    mutated(4, UINT64_MAX, 8, RP_STATUS_BAD_RANGE, 4);
    mutated(4, UINT64_MAX - 3, 8, RP_STATUS_BAD_RANGE, 4);
    mutated(4, size, 8, RP_STATUS_TRUNCATED, size);
    mutated(4, size - 3, 8, RP_STATUS_TRUNCATED, size - 3);
}

static void a_minor_version_is_no_matter(void **state)
{
    (void)state;
    built_tza file = build_two();
    rp_arena arena;
    rp_tza archive;
    file.bytes[3] = 7;
    assert_int_equal(parse(file.bytes, file.size, &arena, &archive, NULL), RP_STATUS_OK);
    assert_int_equal(archive.version_minor, 7);
    rp_arena_free(&arena);
    free(file.bytes);
}

static void a_count_beyond_the_bytes_left_is_refused(void **state)
{
    (void)state;
    built_tza file = build_two();
    size_t table = file.table, left = file.size - table - 4, size = file.size;
    free(file.bytes);
    mutated(table, UINT32_MAX, 4, RP_STATUS_BAD_COUNT, table);
    mutated(table, left / 18 + 1, 4, RP_STATUS_BAD_COUNT, table);
    mutated(table, 3, 4, RP_STATUS_TRUNCATED, size); // room for three of the smallest, but there are two
}

static void more_tensors_than_the_limit_are_refused(void **state)
{
    (void)state;
    built_tza file = build_two();
    file.bytes = realloc(file.bytes, file.size + 5000 * 18);
    assert_non_null(file.bytes);
    memset(file.bytes + file.size, 0, 5000 * 18);
    store(&file, file.table, 5000, 4);
    must_fail(&file, file.size + 5000 * 18, RP_STATUS_TOO_LARGE, file.table);
    free(file.bytes);
}

static void a_faulty_name_is_refused(void **state)
{
    (void)state;
    built_tza file = build_two();
    size_t first = file.entries[0], size = file.size;
    free(file.bytes);
    mutated(first + NAME, 0, 2, RP_STATUS_BAD_TEXT, first);
    mutated(first + NAME, size - first - 1, 2, RP_STATUS_TRUNCATED, first + 2);
    mutated(first + NAME, UINT16_MAX, 2, RP_STATUS_TRUNCATED, first + 2);
    mutated(first + NAME + 2, ' ', 1, RP_STATUS_BAD_TEXT, first);
    mutated(first + NAME + 3, 0, 1, RP_STATUS_BAD_TEXT, first);
    mutated(first + NAME + 9, 0x7f, 1, RP_STATUS_BAD_TEXT, first);
    mutated(first + NAME + 9, 0xe9, 1, RP_STATUS_BAD_TEXT, first);

    const tensor_spec twins[] = {{"twin", 1, {2}, 'h'}, {"other", 1, {2}, 'h'}, {"twin", 1, {2}, 'h'}};
    file = build_tza(twins, 3);
    must_fail(&file, file.size, RP_STATUS_DUPLICATE, file.entries[2]);
    free(file.bytes);
}

static void a_faulty_shape_is_refused(void **state)
{
    (void)state;
    built_tza file = build_two();
    size_t first = file.entries[0], second = file.entries[1];
    free(file.bytes);
    static const uint8_t counts[] = {0, 2, 3, 5, 255};
    for (size_t i = 0; i < sizeof counts; i++)
        mutated(first + DIMENSION_COUNT, counts[i], 1, RP_STATUS_BAD_VALUE, first + DIMENSION_COUNT);
    for (size_t i = 0; i < 4; i++)
        mutated(first + DIMENSIONS + 4 * i, 0, 4, RP_STATUS_BAD_VALUE, first + DIMENSIONS + 4 * i);
    mutated(first + LAYOUT, 'x', 1, RP_STATUS_BAD_VALUE, first + LAYOUT);
    mutated(first + LAYOUT + 3, 'h', 1, RP_STATUS_BAD_VALUE, first + LAYOUT);
    mutated(second + 13, 'o', 1, RP_STATUS_BAD_VALUE, second + 13); // one dimension, another layout than x
    mutated(first + TYPE, 'd', 1, RP_STATUS_BAD_VALUE, first + TYPE);
    mutated(first + TYPE, 0, 1, RP_STATUS_BAD_VALUE, first + TYPE);
}

static void data_outside_the_file_are_refused(void **state)
{
    (void)state;
    built_tza file = build_two();
    size_t first = file.entries[0], size = file.size, field = first + DATA_OFFSET;
    free(file.bytes);
    mutated(field, size - 107, 8, RP_STATUS_BAD_RANGE, field); // 108 bytes
    mutated(field, size, 8, RP_STATUS_BAD_RANGE, field);
    mutated(field, size + 1, 8, RP_STATUS_BAD_RANGE, field);
    mutated(field, UINT64_MAX, 8, RP_STATUS_BAD_RANGE, field);
    mutated(field, UINT64_MAX - 107, 8, RP_STATUS_BAD_RANGE, field); // offset + bytes wraps to 0
    mutated(field, 11, 8, RP_STATUS_BAD_RANGE, field);
    mutated(first + DIMENSIONS, 1u << 20, 4, RP_STATUS_BAD_RANGE, field);

    // The last place that fits.
    file = build_two();
    rp_arena arena;
    rp_tza archive;
    store(&file, field, size - 108, 8);
    assert_int_equal(parse(file.bytes, size, &arena, &archive, NULL), RP_STATUS_OK);
    rp_arena_free(&arena);
    free(file.bytes);
}

static void dimensions_whose_product_wraps_are_refused(void **state)
{
    (void)state;
    built_tza file = build_two();
    size_t at = file.entries[0] + DIMENSIONS;
    for (size_t i = 0; i < 4; i++)
        store(&file, at + 4 * i, 1u << 16, 4); // 2^64 elements
    must_fail(&file, file.size, RP_STATUS_TOO_LARGE, at);
    store(&file, at, 1u << 15, 4); // 2^63 elements of two bytes
    must_fail(&file, file.size, RP_STATUS_TOO_LARGE, at);
    free(file.bytes);
}

int test_tza(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_shapes_and_values_are_read),
        cmocka_unit_test(every_truncated_prefix_is_refused),
        cmocka_unit_test(a_faulty_header_is_refused),
        cmocka_unit_test(a_minor_version_is_no_matter),
        cmocka_unit_test(a_count_beyond_the_bytes_left_is_refused),
        cmocka_unit_test(more_tensors_than_the_limit_are_refused),
        cmocka_unit_test(a_faulty_name_is_refused),
        cmocka_unit_test(a_faulty_shape_is_refused),
        cmocka_unit_test(data_outside_the_file_are_refused),
        cmocka_unit_test(dimensions_whose_product_wraps_are_refused),
    };
    return cmocka_run_group_tests_name("tza", tests, NULL, NULL);
}
