// Autoexposure: values worked out by hand, pixels that must not count, and the double-precision reference.
#include "tests.h"

#include "oidn/transfer.h"
#include "support/manifest.h"
#include "support/pfm.h"
#include "support/reference_network.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { WIDTH = 40, HEIGHT = 32 }; // bins of 13, 13 and 14 by 16

static float image[WIDTH * HEIGHT * 3];

static void fill(uint32_t left, uint32_t right, float value)
{
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = left; x < right; x++)
            for (uint32_t c = 0; c < 3; c++)
                image[(y * WIDTH + x) * 3 + c] = value;
}

static float exposure(uint32_t width, uint32_t height)
{
    return rp_autoexposure(image, width, height, 3, WIDTH * 3);
}

static void must_be(float actual, double expected)
{
    if (!(fabs((double)actual - expected) <= 2e-7 * expected))
        fail_msg("%.9g, expected %.9g", (double)actual, expected);
}

static void an_even_image_is_brought_to_middle_grey(void **state)
{
    (void)state;
    fill(0, WIDTH, 0.18F);
    must_be(exposure(WIDTH, HEIGHT), 1);
    must_be(exposure(1, 1), 1);
    fill(0, WIDTH, 0.72F);
    must_be(exposure(WIDTH, HEIGHT), 0.25);
    must_be(exposure(17, 13), 0.25);
}

static void bins_average_by_their_logarithm(void **state)
{
    (void)state;
    // 40 pixels make three bins: [0, 13), [13, 26), [26, 40). Luminances 2, 8, 4: mean log2 (1 + 3 + 2) / 3 = 2.
    fill(0, 13, 2);
    fill(13, 26, 8);
    fill(26, 40, 4);
    must_be(exposure(WIDTH, HEIGHT), 0.18 / 4);
    // Within a bin the mean is arithmetic: 17 pixels make [0, 8) and [8, 17); 9 pixels of which 5 hold 2, 4 hold 8.
    must_be(exposure(17, 13), 0.18 / exp2((1 + log2((5 * 2 + 4 * 8) / 9.0)) / 2));
}

static void luminance_weighs_the_channels(void **state)
{
    (void)state;
    static const double weights[] = {0.212671, 0.715160, 0.072169};
    for (uint32_t c = 0; c < 3; c++) {
        fill(0, WIDTH, 0);
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
            image[i * 3 + c] = 3;
        must_be(exposure(WIDTH, HEIGHT), 0.18 / (3 * weights[c]));
    }
    // Negative values count as zero.
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        image[i * 3 + 0] = -5;
    must_be(exposure(WIDTH, HEIGHT), 0.18 / (3 * weights[2]));
}

static void dark_bins_do_not_count(void **state)
{
    (void)state;
    fill(0, WIDTH, 0);
    assert_true(exposure(WIDTH, HEIGHT) == 1);
    fill(0, 13, 0.36F);
    must_be(exposure(WIDTH, HEIGHT), 0.5);
    fill(0, WIDTH, 0.9e-8F);
    assert_true(exposure(WIDTH, HEIGHT) == 1);
    fill(0, WIDTH, 1.1e-8F);
    must_be(exposure(WIDTH, HEIGHT), 0.18 / (double)1.1e-8F);
}

static void pixels_that_are_not_finite_do_not_count(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t c = 0; c < 3; c++) {
            fill(0, WIDTH, 0.36F);
            image[(5 * WIDTH + 7) * 3 + c] = bad[i];
            must_be(exposure(WIDTH, HEIGHT), 0.5); // neither black nor diluted
            fill(0, 13, bad[i]);                   // whole bins of them
            must_be(exposure(WIDTH, HEIGHT), 0.5);
            fill(0, WIDTH, bad[i]);
            assert_true(exposure(WIDTH, HEIGHT) == 1);
        }
}

static void the_brightest_image_has_a_usable_scale(void **state)
{
    (void)state;
    fill(0, WIDTH, FLT_MAX);
    float scale = exposure(WIDTH, HEIGHT);
    assert_true(scale >= FLT_MIN && isfinite(1 / scale));
}

static void strides_are_followed(void **state)
{
    (void)state;
    enum { PIXEL = 5, ROW = 17 * PIXEL + 3 };
    static float wide[20 * ROW], packed[17 * 20 * 3];
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        wide[i] = NAN;
    for (uint32_t y = 0; y < 20; y++)
        for (uint32_t x = 0; x < 17; x++)
            for (uint32_t c = 0; c < 3; c++)
                packed[(y * 17 + x) * 3 + c] = wide[y * ROW + x * PIXEL + c] = (float)((x * 7 + y * 13 + c * 29) % 31);
    assert_true(rp_autoexposure(wide, 17, 20, PIXEL, ROW) == rp_autoexposure(packed, 17, 20, 3, 51));
    must_be(rp_autoexposure(packed, 17, 20, 3, 51), reference_autoexposure(packed, 17, 20));
}

static void real_images_agree_with_the_reference(void **state)
{
    (void)state;
    static const char *const names[] = {"room208x176", "room250x170", "synth64x48",   "synth17x13",
                                        "synth1x1",    "synth300x5",  "dirty208x176", "black64x48"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        uint32_t width, height;
        snprintf(path, sizeof path, INTEL_FOLDER "%s.hdr.pfm", names[i]);
        float *pixels = pfm_read(path, &width, &height);
        if (!pixels)
            skip();
        must_be(rp_autoexposure(pixels, width, height, 3, 3 * (size_t)width),
                reference_autoexposure(pixels, width, height));
        free(pixels);
    }
}

int test_exposure(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_even_image_is_brought_to_middle_grey),
        cmocka_unit_test(bins_average_by_their_logarithm),
        cmocka_unit_test(luminance_weighs_the_channels),
        cmocka_unit_test(dark_bins_do_not_count),
        cmocka_unit_test(pixels_that_are_not_finite_do_not_count),
        cmocka_unit_test(the_brightest_image_has_a_usable_scale),
        cmocka_unit_test(strides_are_followed),
        cmocka_unit_test(real_images_agree_with_the_reference),
    };
    return cmocka_run_group_tests_name("exposure", tests, NULL, NULL);
}
