// Placing blocks with known lifetimes into one piece of memory.
#ifndef RP_CPU_PLACEMENT_H
#define RP_CPU_PLACEMENT_H

#include "base/memory.h"

typedef struct rp_placed_block {
    size_t bytes;
    uint32_t first_step, last_step; // alive in these and between
    size_t offset;                  // filled in, a multiple of 64
} rp_placed_block;

// Fills in the offsets so that blocks that are alive together do not overlap; gives the bytes in all. The largest is
// placed first, each at the lowest offset that is free for it. False when a size overflows.
bool rp_place_blocks(rp_placed_block *blocks, uint32_t count, size_t *total_bytes);

#endif
