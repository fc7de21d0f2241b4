// Allocation: the hook with checked sizes, and an arena of doubling blocks.
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library_reallocate(void *user, void *pointer, size_t size_bytes)
{
    (void)user;
    if (size_bytes == 0) {
        free(pointer);
        return NULL;
    }
    return realloc(pointer, size_bytes);
}

rp_allocator rp_allocator_or_default(const rp_allocator *allocator)
{
    if (allocator && allocator->reallocate)
        return *allocator;
    return (rp_allocator){.reallocate = library_reallocate};
}

void rp_free(const rp_allocator *allocator, void *pointer)
{
    if (!pointer)
        return;
    rp_allocator hook = rp_allocator_or_default(allocator);
    hook.reallocate(hook.user, pointer, 0);
}

void *rp_reallocate(const rp_allocator *allocator, void *pointer, size_t count, size_t size)
{
    size_t bytes;
    if (!rp_multiply(count, size, &bytes))
        return NULL;
    rp_allocator hook = rp_allocator_or_default(allocator);
    return hook.reallocate(hook.user, pointer, bytes ? bytes : 1);
}

void *rp_allocate(const rp_allocator *allocator, size_t count, size_t size)
{
    void *pointer = rp_reallocate(allocator, NULL, count, size);
    if (pointer)
        memset(pointer, 0, count * size);
    return pointer;
}

bool rp_reserve(const rp_allocator *allocator, void **array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? *capacity : 8;
    if (!rp_multiply(wanted, 2, &wanted))
        return false;
    void *grown = rp_reallocate(allocator, *array, wanted, size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

bool rp_multiply(size_t a, size_t b, size_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

bool rp_add(size_t a, size_t b, size_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

enum { ARENA_ALIGNMENT = 16, ARENA_FIRST_BLOCK = 4096, ARENA_LARGEST_STEP = 1 << 20 };

typedef struct rp_arena_block {
    struct rp_arena_block *next;
    size_t size;
    size_t used;
    size_t padding; // keeps the data behind the header aligned to 16
} rp_arena_block;

_Static_assert(sizeof(rp_arena_block) % ARENA_ALIGNMENT == 0, "block data must stay aligned");

void rp_arena_init(rp_arena *arena, const rp_allocator *allocator)
{
    arena->allocator = rp_allocator_or_default(allocator);
    arena->blocks = NULL;
}

void rp_arena_free(rp_arena *arena)
{
    while (arena->blocks) {
        rp_arena_block *next = arena->blocks->next;
        rp_free(&arena->allocator, arena->blocks);
        arena->blocks = next;
    }
}

void *rp_arena_allocate(rp_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!rp_multiply(count, size, &bytes) || !rp_add(bytes, ARENA_ALIGNMENT - 1, &bytes))
        return NULL;
    bytes &= ~(size_t)(ARENA_ALIGNMENT - 1);
    rp_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t grown = block ? block->size * 2 : ARENA_FIRST_BLOCK;
        if (grown > ARENA_LARGEST_STEP)
            grown = ARENA_LARGEST_STEP;
        if (grown < bytes)
            grown = bytes;
        size_t total;
        if (!rp_add(grown, sizeof *block, &total))
            return NULL;
        block = rp_reallocate(&arena->allocator, NULL, 1, total);
        if (!block)
            return NULL;
        *block = (rp_arena_block){.next = arena->blocks, .size = grown};
        arena->blocks = block;
    }
    void *pointer = (uint8_t *)(block + 1) + block->used;
    block->used += bytes;
    memset(pointer, 0, bytes);
    return pointer;
}

void *rp_arena_copy(rp_arena *arena, const void *bytes, size_t size)
{
    size_t total;
    if (!rp_add(size, 1, &total))
        return NULL;
    uint8_t *copy = rp_arena_allocate(arena, 1, total);
    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

char *rp_arena_format(rp_arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : rp_arena_allocate(arena, 1, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
