// Greedy placement by size: at most some dozens of blocks, so the quadratic search costs nothing.
#include "cpu/placement.h"
#include "cpu/aligned.h"

enum { MOST_BLOCKS = 128 };

static bool collide(const rp_placed_block *a, const rp_placed_block *b)
{
    return a->first_step <= b->last_step && b->first_step <= a->last_step;
}

// The lowest offset at which `block` overlaps none of the placed blocks that live beside it.
static bool lowest_offset(const rp_placed_block *blocks, const uint32_t *placed, uint32_t placed_count,
                          const rp_placed_block *block, size_t *offset)
{
    *offset = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < placed_count; i++) {
            const rp_placed_block *other = &blocks[placed[i]];
            size_t end, other_end;
            if (!rp_add(*offset, block->bytes, &end) || !rp_add(other->offset, other->bytes, &other_end))
                return false;
            if (collide(block, other) && *offset < other_end && other->offset < end) {
                *offset = other_end;
                moved = true;
            }
        }
    }
    return true;
}

bool rp_place_blocks(rp_placed_block *blocks, uint32_t count, size_t *total_bytes)
{
    uint32_t order[MOST_BLOCKS];
    if (count > MOST_BLOCKS)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        size_t padded;
        if (!rp_add(blocks[i].bytes, RP_CPU_ALIGNMENT - 1, &padded))
            return false;
        blocks[i].bytes = padded / RP_CPU_ALIGNMENT * RP_CPU_ALIGNMENT;
        uint32_t at = i;
        for (; at > 0 && blocks[order[at - 1]].bytes < blocks[i].bytes; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    *total_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        rp_placed_block *block = &blocks[order[i]];
        if (!lowest_offset(blocks, order, i, block, &block->offset))
            return false;
        if (block->offset + block->bytes > *total_bytes)
            *total_bytes = block->offset + block->bytes;
    }
    return true;
}
