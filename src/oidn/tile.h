// Cutting an image into overlapping tiles, all of one size, so that one recorded network serves every tile.
#ifndef RP_OIDN_TILE_H
#define RP_OIDN_TILE_H

#include "base/memory.h"
#include "reprise/error.h"

#define RP_TILE_ALIGNMENT 16           // four poolings
#define RP_TILE_MAX_EXTENT 0xfffffff0u // the largest whose padded extent fits 32 bits

typedef struct rp_tile_axis {
    uint32_t extent;  // of the image, in pixels
    uint32_t padded;  // extent rounded up to 16
    uint32_t count;   // tiles along this axis
    uint32_t input;   // what each tile reads, a multiple of 16, at most `padded`
    uint32_t step;    // the most that a tile puts out, a multiple of 16; tile i begins its output at i × step
    uint32_t overlap; // pixels of context that a tile has beyond its output, unless the image ends before
} rp_tile_axis;

// A dimension of the plan. Every tile begins at a multiple of 16 and has `overlap` pixels of context on each side that
// is not the image's (padded) edge; so with overlap at least half the receptive field, the tiled result equals that of
// one tile everywhere, up to the order of additions.
//   extent: 1 to RP_TILE_MAX_EXTENT (a larger one counts as that). max_edge: the most pixels that a tile may put out; 0
//   = no limit; below 16 counts as 16. overlap: a multiple of 16.
// One tile when the padded extent is at most max_edge. Otherwise count = ceil(padded / max_edge) (max_edge rounded down
// to 16), step = ceil(padded / count) rounded up to 16, and count = ceil(padded / step) once more; input = step +
// overlap for two tiles (each has one inner side), step + 2 × overlap for more, at most padded.
rp_tile_axis rp_plan_tiles(uint32_t extent, uint32_t max_edge, uint32_t overlap);

typedef struct rp_tile_span {
    uint32_t input;       // first pixel read, a multiple of 16; input + axis.input is at most axis.padded
    uint32_t output;      // first pixel put out
    uint32_t output_size; // pixels put out: the spans of all tiles cover the extent exactly once
} rp_tile_span;

// Tile `index` (below axis->count) of an axis: input = clamp(output - overlap, 0, padded - axis.input).
rp_tile_span rp_tile_at(const rp_tile_axis *axis, uint32_t index);

// Overlap for a receptive field: half of it, rounded up to 16 (96 for 174, 112 for 202).
uint32_t rp_tile_overlap(uint32_t receptive_field);

// Shrinks tiles, the longer side first, until a tile's input area is at most max_area pixels, or no step of 64 or more
// makes them smaller; gives the two axes. max_edge as in rp_plan_tiles, applied to both.
void rp_plan_tiles_within(uint32_t width, uint32_t height, uint32_t max_edge, uint32_t overlap, uint64_t max_area,
                          rp_tile_axis *x, rp_tile_axis *y);

#endif
