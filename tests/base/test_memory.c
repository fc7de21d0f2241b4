// Allocation: the hook, checked sizes, growing arrays, the arena.
#include "base/memory.h"
#include "base/tests.h"
#include "support/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void sizes_that_overflow_are_found(void **state)
{
    (void)state;
    size_t result = 7;
    assert_false(rp_multiply(SIZE_MAX / 2 + 1, 2, &result));
    assert_false(rp_add(SIZE_MAX, 1, &result));
    assert_true(rp_multiply(SIZE_MAX / 2, 2, &result) && result == SIZE_MAX - 1);
    assert_true(rp_add(SIZE_MAX, 0, &result) && result == SIZE_MAX);
    assert_null(rp_allocate(NULL, SIZE_MAX / 2 + 1, 2));
    assert_null(rp_reallocate(NULL, NULL, SIZE_MAX, 16));
    assert_int_equal(rp_ceil_divide(0, 4), 0);
    assert_int_equal(rp_ceil_divide(8, 4), 2);
    assert_int_equal(rp_ceil_divide(9, 4), 3);
    assert_int_equal(rp_ceil_divide(UINT32_MAX, 2), 0x80000000);
}

static void memory_comes_from_the_hook_and_goes_back(void **state)
{
    (void)state;
    failing_allocator allocator;
    failing_allocator_init(&allocator, 0);
    uint8_t *block = rp_allocate(&allocator.hook, 100, 3);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(block[i], 0);
    void *empty = rp_allocate(&allocator.hook, 0, 8);
    assert_non_null(empty);
    assert_int_equal(allocator.live, 2);
    rp_free(&allocator.hook, block);
    rp_free(&allocator.hook, empty);
    rp_free(&allocator.hook, NULL);
    assert_int_equal(allocator.live, 0);
}

static void arrays_grow_and_keep_their_content(void **state)
{
    (void)state;
    failing_allocator allocator;
    failing_allocator_init(&allocator, 0);
    void *array = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_true(rp_reserve(&allocator.hook, &array, &capacity, i, sizeof(uint64_t)));
        ((uint64_t *)array)[i] = i * i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_true(((uint64_t *)array)[i] == i * i);
    assert_true(allocator.allocations <= 7); // 16 to 1024
    allocator.fail_at = 1;
    void *before = array;
    size_t before_capacity = capacity;
    assert_false(rp_reserve(&allocator.hook, &array, &capacity, capacity, sizeof(uint64_t)));
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, before_capacity);
    rp_free(&allocator.hook, array);
    assert_int_equal(allocator.live, 0);
}

static void the_arena_gives_separate_aligned_zeros(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    failing_allocator allocator;
    failing_allocator_init(&allocator, 0);
    rp_arena arena = {0};
    uint8_t *blocks[COUNT];
    rp_arena_init(&arena, &allocator.hook);
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 7 == 0 ? i * 50 : i % 33;
        blocks[i] = rp_arena_allocate(&arena, size, 1);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(blocks[i][k], 0);
        memset(blocks[i], (int)(i % 251 + 1), size);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < (i % 7 == 0 ? i * 50 : i % 33); k++)
            assert_int_equal(blocks[i][k], i % 251 + 1);
    assert_true(allocator.live < 20);
    rp_arena_free(&arena);
    assert_int_equal(allocator.live, 0);
    rp_arena_free(&arena);
}

static void the_arena_copies_and_formats(void **state)
{
    (void)state;
    rp_arena arena;
    rp_arena_init(&arena, NULL);
    assert_string_equal(rp_arena_copy(&arena, "abcd", 2), "ab");
    assert_string_equal(rp_arena_copy(&arena, NULL, 0), "");
    assert_string_equal(rp_arena_format(&arena, "%s/%u", "layer", 12u), "layer/12");
    char *padded = rp_arena_format(&arena, "%5000d", 1);
    assert_int_equal(strlen(padded), 5000);
    assert_null(rp_arena_allocate(&arena, SIZE_MAX / 8, 16));
    assert_null(rp_arena_allocate(&arena, SIZE_MAX - 3, 1));
    assert_null(rp_arena_allocate(&arena, SIZE_MAX - 20, 1));
    assert_null(rp_arena_copy(&arena, "", SIZE_MAX));
    rp_arena_free(&arena);
}

static void an_arena_without_memory_gives_null_and_lives_on(void **state)
{
    (void)state;
    failing_allocator allocator;
    rp_arena arena;
    failing_allocator_init(&allocator, 2);
    rp_arena_init(&arena, &allocator.hook);
    uint8_t *first = rp_arena_allocate(&arena, 100, 1);
    assert_non_null(first);
    assert_null(rp_arena_allocate(&arena, 100000, 1));
    assert_null(rp_arena_format(&arena, "%100000d", 1));
    memset(first, 1, 100);
    assert_non_null(rp_arena_allocate(&arena, 100, 1)); // what is left of the first block
    rp_arena_free(&arena);
    assert_int_equal(allocator.live, 0);
}

int test_memory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_overflow_are_found),
        cmocka_unit_test(memory_comes_from_the_hook_and_goes_back),
        cmocka_unit_test(arrays_grow_and_keep_their_content),
        cmocka_unit_test(the_arena_gives_separate_aligned_zeros),
        cmocka_unit_test(the_arena_copies_and_formats),
        cmocka_unit_test(an_arena_without_memory_gives_null_and_lives_on),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
