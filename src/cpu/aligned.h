// Memory aligned to a cache line (and to the widest vectors), through the allocator hook.
#ifndef RP_CPU_ALIGNED_H
#define RP_CPU_ALIGNED_H

#include "base/memory.h"

enum { RP_CPU_ALIGNMENT = 64 };

typedef struct rp_aligned {
    void *data;  // aligned to 64
    void *block; // what the hook gave
    size_t size;
} rp_aligned;

// False when there is no memory. Not initialized.
static inline bool rp_aligned_allocate(const rp_allocator *allocator, size_t size, rp_aligned *memory)
{
    size_t total;
    *memory = (rp_aligned){.size = size};
    if (!rp_add(size, RP_CPU_ALIGNMENT, &total))
        return false;
    memory->block = rp_reallocate(allocator, NULL, total, 1);
    if (!memory->block)
        return false;
    uintptr_t address = (uintptr_t)memory->block;
    memory->data = (uint8_t *)memory->block + (RP_CPU_ALIGNMENT - address % RP_CPU_ALIGNMENT) % RP_CPU_ALIGNMENT;
    return true;
}

static inline void rp_aligned_free(const rp_allocator *allocator, rp_aligned *memory)
{
    rp_free(allocator, memory->block);
    *memory = (rp_aligned){0};
}

#endif
