// Tile plans: each axis on its own, then both under a limit of area. All arithmetic that could pass 32 bits is in 64.
#include "oidn/tile.h"

enum { SMALLEST_SHRUNK_STEP = 64 };

static uint64_t round_up(uint64_t value)
{
    return (value + RP_TILE_ALIGNMENT - 1) / RP_TILE_ALIGNMENT * RP_TILE_ALIGNMENT;
}

uint32_t rp_tile_overlap(uint32_t receptive_field)
{
    return (uint32_t)round_up(receptive_field / 2);
}

rp_tile_axis rp_plan_tiles(uint32_t extent, uint32_t max_edge, uint32_t overlap)
{
    if (extent > RP_TILE_MAX_EXTENT)
        extent = RP_TILE_MAX_EXTENT;
    uint32_t padded = (uint32_t)round_up(extent);
    uint32_t edge = max_edge == 0 ? padded : max_edge - max_edge % RP_TILE_ALIGNMENT;
    if (edge < RP_TILE_ALIGNMENT)
        edge = RP_TILE_ALIGNMENT;
    rp_tile_axis axis = {
        .extent = extent, .padded = padded, .count = 1, .input = padded, .step = padded, .overlap = overlap};
    if (padded <= edge)
        return axis;
    // At most `edge`, because that is a multiple of 16 too.
    axis.step = (uint32_t)round_up(rp_ceil_divide(padded, rp_ceil_divide(padded, edge)));
    axis.count = rp_ceil_divide(padded, axis.step);
    uint64_t input = axis.step + (uint64_t)overlap * (axis.count > 2 ? 2 : 1);
    axis.input = input < padded ? (uint32_t)input : padded;
    return axis;
}

rp_tile_span rp_tile_at(const rp_tile_axis *axis, uint32_t index)
{
    uint32_t output = index * axis->step;
    uint32_t input = output > axis->overlap ? output - axis->overlap : 0;
    uint32_t last = axis->padded - axis->input;
    uint32_t left = axis->extent - output;
    return (rp_tile_span){
        .input = input < last ? input : last,
        .output = output,
        .output_size = left < axis->step ? left : axis->step,
    };
}

// The next plan of the axis with smaller tiles; false when there is none down to a step of 64.
static bool shrink(rp_tile_axis *axis)
{
    for (uint32_t step = axis->step; step > SMALLEST_SHRUNK_STEP;) {
        // One tile more, or as little less as the alignment allows.
        uint32_t edge = (uint32_t)round_up(rp_ceil_divide(axis->padded, rp_ceil_divide(axis->padded, step) + 1));
        if (edge >= step)
            edge = step - RP_TILE_ALIGNMENT;
        if (edge < SMALLEST_SHRUNK_STEP)
            edge = SMALLEST_SHRUNK_STEP;
        rp_tile_axis smaller = rp_plan_tiles(axis->extent, edge, axis->overlap);
        if (smaller.input < axis->input) {
            *axis = smaller;
            return true;
        }
        step = edge;
    }
    return false;
}

void rp_plan_tiles_within(uint32_t width, uint32_t height, uint32_t max_edge, uint32_t overlap, uint64_t max_area,
                          rp_tile_axis *x, rp_tile_axis *y)
{
    *x = rp_plan_tiles(width, max_edge, overlap);
    *y = rp_plan_tiles(height, max_edge, overlap);
    while ((uint64_t)x->input * y->input > max_area) {
        bool wider = x->input >= y->input;
        if (!shrink(wider ? x : y) && !shrink(wider ? y : x))
            return;
    }
}
