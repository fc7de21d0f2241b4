// Tile plans: the image is covered exactly once, every tile has its context, nothing overflows.
#include "build_tza.h"
#include "tests.h"

#include "oidn/model.h"
#include "oidn/tile.h"
#include "support/reference_network.h"

#include <stdlib.h>
#include <string.h>

static void check_tile(const rp_tile_axis *axis, uint64_t index)
{
    rp_tile_span span = rp_tile_at(axis, (uint32_t)index);
    uint64_t begin = span.output, end = begin + span.output_size, input_end = (uint64_t)span.input + axis->input;
    assert_int_equal(begin, index * axis->step);
    assert_true(span.output_size >= 1 && span.output_size <= axis->step);
    assert_int_equal(end, index + 1 == axis->count ? axis->extent : begin + axis->step);
    assert_int_equal(span.input % 16, 0);
    assert_true(span.input <= begin && input_end >= end && input_end <= axis->padded);
    // Context: the overlap, or up to the image's padded edge.
    assert_true(begin - span.input >= (begin < axis->overlap ? begin : axis->overlap));
    uint64_t behind = axis->padded - end;
    assert_true(input_end - end >= (behind < axis->overlap ? behind : axis->overlap));
}

static void check_axis(uint32_t extent, uint32_t max_edge, uint32_t overlap)
{
    rp_tile_axis axis = rp_plan_tiles(extent, max_edge, overlap);
    uint64_t edge = max_edge == 0 ? UINT64_MAX : max_edge < 16 ? 16 : max_edge / 16 * 16;
    assert_int_equal(axis.extent, extent);
    assert_int_equal(axis.padded, ((uint64_t)extent + 15) / 16 * 16);
    assert_int_equal(axis.overlap, overlap);
    assert_int_equal(axis.input % 16, 0);
    assert_int_equal(axis.step % 16, 0);
    assert_true(axis.step >= 16 && axis.step <= edge);
    assert_true(axis.input >= axis.step && axis.input <= axis.padded);
    assert_int_equal(axis.count == 1, axis.padded <= edge);
    assert_int_equal(axis.count, ((uint64_t)axis.padded + axis.step - 1) / axis.step);
    // Balanced: no plan with as few tiles has smaller ones.
    assert_true(axis.step < ((uint64_t)axis.padded + axis.count - 1) / axis.count + 16);
    if (axis.count == 1)
        assert_int_equal(axis.input, axis.padded);
    for (uint64_t i = 0; i < axis.count; i++) {
        if (i == 1000 && axis.count > 2000)
            i = axis.count - 1000; // the ends of a long row of tiles
        check_tile(&axis, i);
    }
}

static const uint32_t extents[] = {1,    2,    15,   16,    17,    31,      33,          100,         509,        720,
                                   1080, 1920, 8192, 16384, 65537, 1 << 24, 0x7fffffffu, 0x80000001u, 0xfffffff0u};
static const uint32_t edges[] = {0, 1, 15, 16, 17, 31, 32, 64, 100, 176, 256, 511, 1000, 4096, 0x80000000u, UINT32_MAX};
static const uint32_t overlaps[] = {0, 16, 96, 112, 0xfffffff0u};

static void every_extent_is_covered_once_with_context(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        for (size_t k = 0; k < sizeof edges / sizeof *edges; k++)
            for (size_t o = 0; o < sizeof overlaps / sizeof *overlaps; o++)
                check_axis(extents[i], edges[k], overlaps[o]);
}

static void every_small_extent_is_covered_once(void **state)
{
    (void)state;
    for (uint32_t extent = 1; extent <= 700; extent++)
        for (uint32_t edge = 16; edge <= 720; edge += 16)
            check_axis(extent, edge, 96);
}

static void an_extent_that_cannot_be_padded_counts_as_the_largest(void **state)
{
    (void)state;
    rp_tile_axis axis = rp_plan_tiles(UINT32_MAX, 0, 96);
    assert_int_equal(axis.padded, 0xfffffff0u);
    assert_int_equal(axis.extent, 0xfffffff0u);
    assert_int_equal(axis.count, 1);
}

static void worked_examples_come_out(void **state)
{
    (void)state;
    // 1080 → 1088; at most 512: three tiles of ceil(1088 / 3) = 363 → 368; with 96 on both sides 560.
    rp_tile_axis axis = rp_plan_tiles(1080, 512, 96);
    assert_int_equal(axis.count, 3);
    assert_int_equal(axis.step, 368);
    assert_int_equal(axis.input, 560);
    assert_int_equal(rp_tile_at(&axis, 1).input, 272);
    assert_int_equal(rp_tile_at(&axis, 2).input, 1088 - 560);
    assert_int_equal(rp_tile_at(&axis, 2).output, 736);
    assert_int_equal(rp_tile_at(&axis, 2).output_size, 344);
    // Two tiles have one inner side each.
    axis = rp_plan_tiles(1920, 1000, 96);
    assert_int_equal(axis.count, 2);
    assert_int_equal(axis.step, 960);
    assert_int_equal(axis.input, 1056);
    // ceil(160 / 96) = 2 tiles of 80.
    axis = rp_plan_tiles(150, 100, 16);
    assert_int_equal(axis.count, 2);
    assert_int_equal(axis.step, 80);
    assert_int_equal(rp_tile_at(&axis, 1).output_size, 70);
}

static void overlap_is_half_the_receptive_field_aligned(void **state)
{
    (void)state;
    assert_int_equal(rp_tile_overlap(174), 96);
    assert_int_equal(rp_tile_overlap(202), 112);
    assert_int_equal(rp_tile_overlap(192), 96);
    assert_int_equal(rp_tile_overlap(194), 112);
}

static void check_within(uint32_t width, uint32_t height, uint32_t max_edge, uint32_t overlap, uint64_t max_area)
{
    rp_tile_axis x, y;
    rp_plan_tiles_within(width, height, max_edge, overlap, max_area, &x, &y);
    uint64_t smallest_x = rp_plan_tiles(width, 64, overlap).input,
             smallest_y = rp_plan_tiles(height, 64, overlap).input;
    // Either it fits, or both sides are as small as they get.
    if ((uint64_t)x.input * y.input > max_area)
        assert_true(x.input <= smallest_x && y.input <= smallest_y);
    assert_int_equal(x.overlap, overlap);
    if (max_edge >= 16)
        assert_true(x.step <= max_edge && y.step <= max_edge);
    for (uint32_t i = 0; i < x.count && i < 100; i++)
        check_tile(&x, i);
    check_tile(&y, y.count - 1);
}

static void tiles_shrink_until_their_area_fits(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 16, 160, 509, 1080, 1920, 8192, 1 << 24, 0xfffffff0u};
    static const uint64_t areas[] = {0, 1 << 12, 80000, 1250000, 1 << 30, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (size_t a = 0; a < sizeof areas / sizeof *areas; a++) {
                check_within(sizes[i], sizes[k], 0, 96, areas[a]);
                check_within(sizes[i], sizes[k], 512, 112, areas[a]);
            }
    rp_tile_axis x, y;
    rp_plan_tiles_within(1920, 1080, 0, 96, 1250000, &x, &y);
    assert_int_equal(x.count, 2);
    assert_int_equal(x.input, 1056);
    assert_int_equal(y.count, 1);
    assert_int_equal(y.input, 1088);
    rp_plan_tiles_within(1920, 1080, 0, 96, 1920 * 1088, &x, &y);
    assert_int_equal(x.count * y.count, 1);
    // Steps of 64 with 96 around would read all of 160 just the same: it stays one tile.
    rp_plan_tiles_within(160, 160, 0, 96, 1000, &x, &y);
    assert_int_equal(x.count * y.count, 1);
}

enum { STRIP_WIDTH = 736, STRIP_HEIGHT = 16, STRIP_VALUES = STRIP_WIDTH * STRIP_HEIGHT * 3 };

// Whether the tiles of a strip, with this overlap, give the result of the whole strip: bit for bit, because the
// reference adds in an order that does not depend on where a pixel lies.
static bool tiles_agree(const rp_model *model, const double *input, uint32_t overlap)
{
    double *part = calloc(STRIP_VALUES, sizeof *part), *whole = calloc(STRIP_VALUES, sizeof *whole);
    double *tile = calloc(STRIP_VALUES, sizeof *tile);
    bool agree = true;
    assert_true(reference_network(model, input, STRIP_WIDTH, STRIP_HEIGHT, whole));
    rp_tile_axis axis = rp_plan_tiles(STRIP_WIDTH, 64, overlap);
    assert_int_equal(axis.count, 12);
    for (uint32_t i = 0; i < axis.count; i++) {
        rp_tile_span span = rp_tile_at(&axis, i);
        for (size_t y = 0; y < STRIP_HEIGHT; y++)
            memcpy(part + y * axis.input * 3, input + (y * STRIP_WIDTH + span.input) * 3,
                   axis.input * 3 * sizeof *part);
        assert_true(reference_network(model, part, axis.input, STRIP_HEIGHT, tile));
        for (size_t y = 0; y < STRIP_HEIGHT; y++)
            agree =
                agree && memcmp(tile + (y * axis.input + span.output - span.input) * 3,
                                whole + (y * STRIP_WIDTH + span.output) * 3, span.output_size * 3 * sizeof *tile) == 0;
    }
    free(part);
    free(whole);
    free(tile);
    return agree;
}

static void tiles_give_the_result_of_the_whole_image(void **state)
{
    (void)state;
    double *input = calloc(STRIP_VALUES, sizeof *input);
    for (uint32_t i = 0, random = 1; i < STRIP_VALUES; i++) {
        random = random * 1664525 + 1013904223;
        input[i] = random / 4294967296.0;
    }
    for (int topology = 0; topology < 2; topology++) {
        rp_model *model = build_model((rp_topology)topology, 3, 4); // weights above 0: every pixel is felt
        uint32_t overlap = rp_tile_overlap(model->info.receptive_field);
        assert_true(tiles_agree(model, input, overlap));
        assert_true(tiles_agree(model, input, overlap - 16)); // docs/denoising.md: 80 and 94 pixels would do
        assert_false(tiles_agree(model, input, overlap - 32));
        rp_model_destroy(&model);
    }
    free(input);
}

int test_tile(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_extent_is_covered_once_with_context),
        cmocka_unit_test(every_small_extent_is_covered_once),
        cmocka_unit_test(an_extent_that_cannot_be_padded_counts_as_the_largest),
        cmocka_unit_test(worked_examples_come_out),
        cmocka_unit_test(overlap_is_half_the_receptive_field_aligned),
        cmocka_unit_test(tiles_shrink_until_their_area_fits),
        cmocka_unit_test(tiles_give_the_result_of_the_whole_image),
    };
    return cmocka_run_group_tests_name("tiles", tests, NULL, NULL);
}
