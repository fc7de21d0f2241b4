// Tiles change nothing: the overlap covers the receptive field, and the CPU's convolutions do not depend on where a
// pixel lies.
#include "denoise/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOUND 1e-5 // in network space; measured on two machines: 0

static void check_tiles(rp_denoiser *denoiser, const picture *images, rp_quality quality, rp_edge edge, uint32_t tile)
{
    uint32_t width = images[0].width, height = images[0].height;
    picture whole = picture_make(width, height, 3), tiled = picture_make(width, height, 3);
    rp_denoise_desc desc = {.width = width,
                            .height = height,
                            .hdr = true,
                            .color = image_of(&images[0]),
                            .albedo = image_of(&images[1]),
                            .normal = image_of(&images[2]),
                            .output = image_of(&whole),
                            .quality = quality,
                            .edge = edge};
    must_run(denoiser, &desc);
    double scale = rp_denoiser_get_report(denoiser).input_scale;
    assert_int_equal(rp_denoiser_get_report(denoiser).tile_count, 1);
    desc.output = image_of(&tiled);
    desc.max_tile_edge = tile;
    must_run(denoiser, &desc);
    rp_denoise_report report = rp_denoiser_get_report(denoiser);
    assert_true(report.tile_count > 1);
    double difference = network_difference(&tiled, &whole, RP_TRANSFER_PU, scale);
    print_message("%ux%u in %u tiles of %ux%u: difference %g in network space\n", width, height, report.tile_count,
                  report.tile_width, report.tile_height, difference);
    assert_true(difference <= BOUND);

    // In place, later tiles must still find the noisy pixels beside those that are done.
    picture in_place = picture_copy(&images[0]);
    desc.color = image_of(&in_place);
    desc.output = image_of(&in_place);
    must_run(denoiser, &desc);
    assert_memory_equal(in_place.data, tiled.data, (size_t)width * height * 12);
    // And over an auxiliary image.
    picture over_normal = picture_copy(&images[2]);
    desc.color = image_of(&images[0]);
    desc.normal = image_of(&over_normal);
    desc.output = image_of(&over_normal);
    must_run(denoiser, &desc);
    assert_memory_equal(over_normal.data, tiled.data, (size_t)width * height * 12);
    picture_free(&whole);
    picture_free(&tiled);
    picture_free(&in_place);
    picture_free(&over_normal);
}

static void tiled_equals_untiled_on_the_room(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture images[3] = {picture_read("room208x176.hdr.pfm"), picture_read("room208x176.alb.pfm"),
                         picture_read("room208x176.nrm.pfm")};
    check_tiles(denoiser, images, RP_QUALITY_HIGH, RP_EDGE_REPEAT, 64);
    for (size_t i = 0; i < 3; i++)
        picture_free(&images[i]);
    rp_denoiser_destroy(&denoiser);
}

// Large enough that the tiles in the middle end before the image on every side.
static void tiled_equals_untiled_with_inner_tiles(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture images[3] = {picture_noisy(507, 301, 3, 8), picture_albedo(507, 301, 8), picture_normals(507, 301, 8)};
    check_tiles(denoiser, images, RP_QUALITY_FAST, RP_EDGE_ZERO, 96);
    for (size_t i = 0; i < 3; i++)
        picture_free(&images[i]);
    rp_denoiser_destroy(&denoiser);
}

static void tiles_of_half_images_with_alpha_work_in_place(void **state)
{
    (void)state;
    enum { WIDTH = 203, HEIGHT = 90 };
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    static uint16_t noisy[WIDTH * HEIGHT * 4], in_place[WIDTH * HEIGHT * 4], clean[WIDTH * HEIGHT * 4];
    for (size_t i = 0; i < WIDTH * HEIGHT * 4; i++)
        noisy[i] = (uint16_t)(0x3000 + i * 2654435761u % 0x0c00);
    memcpy(in_place, noisy, sizeof noisy);
    rp_image image = {.data = noisy, .type = RP_PIXEL_HALF, .channels = 4}, target = image;
    target.data = clean;
    rp_denoise_desc desc = {.width = WIDTH,
                            .height = HEIGHT,
                            .hdr = true,
                            .quality = RP_QUALITY_FAST,
                            .color = image,
                            .output = target,
                            .max_tile_edge = 48};
    must_run(denoiser, &desc);
    desc.color.data = in_place;
    desc.output.data = in_place;
    must_run(denoiser, &desc);
    assert_memory_equal(in_place, clean, sizeof clean);
    for (size_t i = 3; i < WIDTH * HEIGHT * 4; i += 4)
        assert_int_equal(clean[i], noisy[i]);
    rp_denoiser_destroy(&denoiser);
}

int run_tile_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiled_equals_untiled_on_the_room),
        cmocka_unit_test(tiled_equals_untiled_with_inner_tiles),
        cmocka_unit_test(tiles_of_half_images_with_alpha_work_in_place),
    };
    return cmocka_run_group_tests_name("tiles", tests, NULL, NULL);
}
