// Allocation through the hook, checked size arithmetic, and the arena.
#ifndef RP_BASE_MEMORY_H
#define RP_BASE_MEMORY_H

#include "reprise/memory.h"

#include <stdbool.h>

// The allocator to store in an object: a copy of *allocator, or the C library's for NULL.
rp_allocator rp_allocator_or_default(const rp_allocator *allocator);

// NULL when count * size overflows or there is no memory. A zero-sized request gives a valid pointer. Zero-filled.
void *rp_allocate(const rp_allocator *allocator, size_t count, size_t size);

// Grows or shrinks; new bytes are not initialized. NULL leaves the old block valid.
void *rp_reallocate(const rp_allocator *allocator, void *pointer, size_t count, size_t size);

// Makes room for one more element in a growing array (capacity doubles from 16). False: no memory, nothing changed.
bool rp_reserve(const rp_allocator *allocator, void **array, size_t *capacity, size_t count, size_t size);

// False on overflow, with *result untouched.
bool rp_multiply(size_t a, size_t b, size_t *result);
bool rp_add(size_t a, size_t b, size_t *result);

static inline uint32_t rp_ceil_divide(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

// Memory with one lifetime: allocate freely, free all at once. Zero-initialize, then rp_arena_init. Not thread-safe.
typedef struct rp_arena {
    rp_allocator allocator;
    struct rp_arena_block *blocks;
} rp_arena;

void rp_arena_init(rp_arena *arena, const rp_allocator *allocator);
void rp_arena_free(rp_arena *arena);

// Zero-filled, aligned to 16; NULL when there is no memory or count * size overflows.
void *rp_arena_allocate(rp_arena *arena, size_t count, size_t size);
// Copies size bytes and puts a zero byte behind them (not counted).
void *rp_arena_copy(rp_arena *arena, const void *bytes, size_t size);
char *rp_arena_format(rp_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
