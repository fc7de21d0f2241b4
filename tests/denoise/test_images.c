// Images in the caller's memory: strides, types, channels, alpha, sharing, and extents that overflow.
#include "denoise/support.h"

#include "base/half.h"
#include "denoise/images.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 37, HEIGHT = 21 };

static rp_denoise_desc hdr_desc(rp_image color, rp_image output)
{
    return (rp_denoise_desc){
        .width = WIDTH, .height = HEIGHT, .hdr = true, .input_scale = 0.5f, .color = color, .output = output};
}

// The plain way: float RGB, tightly packed, in and out.
static picture plain_result(rp_denoiser *denoiser, const picture *color)
{
    picture result = picture_make(color->width, color->height, 3);
    rp_denoise_desc desc = hdr_desc(image_of(color), image_of(&result));
    must_run(denoiser, &desc);
    return result;
}

static void assert_same(const picture *a, const picture *b)
{
    assert_memory_equal(a->data, b->data, (size_t)a->width * a->height * a->channels * sizeof(float));
}

static void strides_and_offsets_change_nothing_and_gaps_stay(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(WIDTH, HEIGHT, 3, 1), expected = plain_result(denoiser, &color);
    // Odd strides, so that not a single float is aligned.
    enum { PIXEL = 19, ROW = WIDTH * PIXEL + 5, OFFSET = 3 };
    size_t size = OFFSET + HEIGHT * ROW;
    uint8_t *in = malloc(size), *out = malloc(size);
    memset(in, 0xff, size); // NaNs, if they were read
    memset(out, 0xa5, size);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        memcpy(in + OFFSET + i / WIDTH * ROW + i % WIDTH * PIXEL, color.data + 3 * i, 12);
    rp_image layout = {
        .channels = 3, .offset_bytes = OFFSET, .pixel_stride_bytes = PIXEL, .row_stride_bytes = ROW, .data = in};
    rp_image target = layout;
    target.data = out;
    rp_denoise_desc desc = hdr_desc(layout, target);
    must_run(denoiser, &desc);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        uint8_t *pixel = out + OFFSET + i / WIDTH * ROW + i % WIDTH * PIXEL;
        assert_memory_equal(pixel, expected.data + 3 * i, 12);
        memset(pixel, 0xa5, 12);
    }
    for (size_t i = 0; i < size; i++)
        assert_int_equal(out[i], 0xa5);
    free(in);
    free(out);
    picture_free(&color);
    picture_free(&expected);
    rp_denoiser_destroy(&denoiser);
}

static void aligned_strides_leave_gaps_alone(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(WIDTH, HEIGHT, 3, 2), expected = plain_result(denoiser, &color);
    picture wide = picture_make(WIDTH + 2, HEIGHT, 5);
    for (size_t i = 0; i < (WIDTH + 2) * HEIGHT * 5; i++)
        wide.data[i] = -7.0f;
    rp_image target = {
        .data = wide.data, .channels = 3, .pixel_stride_bytes = 20, .row_stride_bytes = 20 * (WIDTH + 2)};
    rp_denoise_desc desc = hdr_desc(image_of(&color), target);
    must_run(denoiser, &desc);
    for (size_t i = 0; i < (WIDTH + 2) * HEIGHT; i++) {
        size_t x = i % (WIDTH + 2), y = i / (WIDTH + 2);
        for (size_t c = 0; c < 5; c++) {
            float value = x < WIDTH && c < 3 ? expected.data[(y * WIDTH + x) * 3 + c] : -7.0f;
            assert_true(wide.data[i * 5 + c] == value);
        }
    }
    picture_free(&color);
    picture_free(&expected);
    picture_free(&wide);
    rp_denoiser_destroy(&denoiser);
}

static void alpha_is_copied_and_one_where_there_was_none(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(WIDTH, HEIGHT, 3, 3), expected = plain_result(denoiser, &color);
    picture rgba = picture_make(WIDTH, HEIGHT, 4), result = picture_make(WIDTH, HEIGHT, 4);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        memcpy(rgba.data + 4 * i, color.data + 3 * i, 12);
        rgba.data[4 * i + 3] = (float)i - 5.5f; // whatever alpha holds, it is the caller's
    }
    rp_denoise_desc desc = hdr_desc(image_of(&rgba), image_of(&result));
    must_run(denoiser, &desc);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        assert_memory_equal(result.data + 4 * i, expected.data + 3 * i, 12);
        assert_true(result.data[4 * i + 3] == (float)i - 5.5f);
    }
    desc.color = image_of(&color);
    must_run(denoiser, &desc);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        assert_true(result.data[4 * i + 3] == 1.0f);
    picture_free(&color);
    picture_free(&expected);
    picture_free(&rgba);
    picture_free(&result);
    rp_denoiser_destroy(&denoiser);
}

static void one_channel_is_broadcast_and_averaged(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture grey = picture_noisy(WIDTH, HEIGHT, 1, 4), color = picture_make(WIDTH, HEIGHT, 3);
    picture grey_alpha = picture_make(WIDTH, HEIGHT, 2), result = picture_make(WIDTH, HEIGHT, 2);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        color.data[3 * i] = color.data[3 * i + 1] = color.data[3 * i + 2] = grey.data[i];
        grey_alpha.data[2 * i] = grey.data[i];
        grey_alpha.data[2 * i + 1] = 0.25f;
    }
    picture expected = plain_result(denoiser, &color);
    picture single = picture_make(WIDTH, HEIGHT, 1);
    rp_denoise_desc desc = hdr_desc(image_of(&grey), image_of(&single));
    must_run(denoiser, &desc);
    desc = hdr_desc(image_of(&grey_alpha), image_of(&result));
    must_run(denoiser, &desc);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        const float *rgb = expected.data + 3 * i;
        double mean = ((double)rgb[0] + (double)rgb[1] + (double)rgb[2]) / 3;
        assert_true(fabs(single.data[i] - mean) <= 1e-6 * mean);
        assert_true(result.data[2 * i] == single.data[i] && result.data[2 * i + 1] == 0.25f);
    }
    picture_free(&grey);
    picture_free(&color);
    picture_free(&grey_alpha);
    picture_free(&result);
    picture_free(&expected);
    picture_free(&single);
    rp_denoiser_destroy(&denoiser);
}

static void halves_are_read_exactly_and_written_rounded(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(WIDTH, HEIGHT, 4, 5), rgb = picture_make(WIDTH, HEIGHT, 3);
    uint16_t *half_in = malloc(WIDTH * HEIGHT * 8), *half_out = malloc(WIDTH * HEIGHT * 8);
    for (size_t i = 0; i < WIDTH * HEIGHT * 4; i++) {
        half_in[i] = rp_float_to_half(color.data[i]);
        if (i % 4 < 3)
            rgb.data[i / 4 * 3 + i % 4] = rp_half_to_float(half_in[i]);
    }
    picture expected = plain_result(denoiser, &rgb);
    rp_image in = {.data = half_in, .type = RP_PIXEL_HALF, .channels = 4}, out = in;
    out.data = half_out;
    rp_denoise_desc desc = hdr_desc(in, out);
    must_run(denoiser, &desc);
    for (size_t i = 0; i < WIDTH * HEIGHT * 4; i++)
        assert_int_equal(half_out[i], i % 4 == 3 ? half_in[i] : rp_float_to_half(expected.data[i / 4 * 3 + i % 4]));
    // Autoexposure of halves is that of the same floats.
    desc.input_scale = 0;
    must_run(denoiser, &desc);
    double scale = rp_denoiser_get_report(denoiser).input_scale;
    assert_true(fabs(scale - exposure_of(&rgb)) <= 1e-5 * scale);
    picture_free(&color);
    picture_free(&rgb);
    picture_free(&expected);
    free(half_in);
    free(half_out);
    rp_denoiser_destroy(&denoiser);
}

static void a_result_above_the_largest_half_is_clamped(void **state)
{
    (void)state;
    uint16_t stored[4] = {0};
    const float values[3] = {1e30f, 65504.0f, 65503.0f};
    rp_view view;
    rp_image image = {.data = stored, .type = RP_PIXEL_HALF, .channels = 4};
    assert_int_equal(rp_view_make(&image, "output", 1, 1, &view, NULL), RP_STATUS_OK);
    rp_view_store(&view, 0, 0, 1, values, 3, NULL);
    const uint16_t expected[4] = {0x7bff, 0x7bff, 0x7bff, 0x3c00};
    assert_memory_equal(stored, expected, sizeof expected);
}

static void in_place_equals_out_of_place(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(WIDTH, HEIGHT, 3, 6), expected = plain_result(denoiser, &color);
    rp_denoise_desc desc = hdr_desc(image_of(&color), image_of(&color));
    must_run(denoiser, &desc);
    assert_same(&color, &expected);
    picture_free(&color);
    picture_free(&expected);
    rp_denoiser_destroy(&denoiser);
}

// Colour, albedo, normal and the output as members of one struct a pixel, as some renderers keep them.
static void interleaved_images_may_share_memory(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture images[3] = {picture_noisy(WIDTH, HEIGHT, 3, 7), picture_albedo(WIDTH, HEIGHT, 7),
                         picture_normals(WIDTH, HEIGHT, 7)};
    picture expected = picture_make(WIDTH, HEIGHT, 3), mixed = picture_make(WIDTH, HEIGHT, 12);
    rp_image views[4];
    for (size_t k = 0; k < 4; k++) {
        views[k] = (rp_image){.data = mixed.data, .channels = 3, .offset_bytes = 12 * k, .pixel_stride_bytes = 48};
        for (size_t i = 0; k < 3 && i < WIDTH * HEIGHT; i++)
            memcpy(mixed.data + 12 * i + 3 * k, images[k].data + 3 * i, 12);
    }
    rp_denoise_desc desc = hdr_desc(image_of(&images[0]), image_of(&expected));
    desc.albedo = image_of(&images[1]);
    desc.normal = image_of(&images[2]);
    must_run(denoiser, &desc);
    desc.color = views[0];
    desc.albedo = views[1];
    desc.normal = views[2];
    desc.output = views[3];
    must_run(denoiser, &desc);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        assert_memory_equal(mixed.data + 12 * i + 9, expected.data + 3 * i, 12);
        for (size_t k = 0; k < 3; k++)
            assert_memory_equal(mixed.data + 12 * i + 3 * k, images[k].data + 3 * i, 12);
    }
    for (size_t k = 0; k < 3; k++)
        picture_free(&images[k]);
    picture_free(&expected);
    picture_free(&mixed);
    rp_denoiser_destroy(&denoiser);
}

static rp_status check_sharing(rp_image output, rp_image input)
{
    rp_view a, b;
    assert_int_equal(rp_view_make(&output, "output", 8, 8, &a, NULL), RP_STATUS_OK);
    assert_int_equal(rp_view_make(&input, "color", 8, 8, &b, NULL), RP_STATUS_OK);
    return rp_view_check_sharing(&a, &b, "color", NULL);
}

static void sharing_that_is_not_pixel_by_pixel_is_refused(void **state)
{
    (void)state;
    static float memory[8 * 8 * 12];
    const rp_image packed = {.data = memory, .channels = 3};
    // One row down: the output would overwrite what the next row reads.
    assert_int_equal(check_sharing((rp_image){.data = memory, .channels = 3, .offset_bytes = 96}, packed),
                     RP_STATUS_INVALID_ARGUMENT);
    assert_int_equal(check_sharing((rp_image){.data = memory, .channels = 3, .offset_bytes = 12}, packed),
                     RP_STATUS_INVALID_ARGUMENT);
    assert_int_equal(check_sharing(packed, (rp_image){.data = memory, .channels = 3, .offset_bytes = 4}),
                     RP_STATUS_INVALID_ARGUMENT);
    assert_int_equal(check_sharing((rp_image){.data = memory, .channels = 4}, packed), RP_STATUS_INVALID_ARGUMENT);
    assert_int_equal(check_sharing(packed, packed), RP_STATUS_OK);
    // A half over a float of the same pixel, rows behind rows, and images behind each other.
    assert_int_equal(
        check_sharing((rp_image){.data = memory, .type = RP_PIXEL_HALF, .channels = 3, .pixel_stride_bytes = 12},
                      packed),
        RP_STATUS_OK);
    const rp_image rows = {.data = memory, .channels = 3, .row_stride_bytes = 192};
    assert_int_equal(
        check_sharing((rp_image){.data = memory, .channels = 3, .row_stride_bytes = 192, .offset_bytes = 96}, rows),
        RP_STATUS_OK);
    assert_int_equal(check_sharing((rp_image){.data = memory, .channels = 3, .offset_bytes = 8 * 8 * 12}, packed),
                     RP_STATUS_OK);
    // The last pixel of a row would reach into the next row's first.
    const rp_image tight = {.data = memory, .channels = 1, .pixel_stride_bytes = 16, .row_stride_bytes = 116};
    rp_image shifted = tight;
    shifted.offset_bytes = 8;
    assert_int_equal(check_sharing(shifted, tight), RP_STATUS_INVALID_ARGUMENT);
}

static void wrong_images_are_refused(void **state)
{
    (void)state;
    static float memory[64];
    static const struct {
        rp_image image;
        uint32_t width, height;
        rp_status status;
    } wrong[] = {
        {{.data = memory, .channels = 0}, 2, 2, RP_STATUS_INVALID_ARGUMENT},
        {{.data = memory, .channels = 5}, 2, 2, RP_STATUS_INVALID_ARGUMENT},
        {{.data = memory, .channels = 3, .type = (rp_pixel_type)2}, 2, 2, RP_STATUS_INVALID_ARGUMENT},
        {{.data = memory, .channels = 3, .pixel_stride_bytes = 11}, 2, 2, RP_STATUS_INVALID_ARGUMENT},
        {{.data = memory, .channels = 3, .row_stride_bytes = 23}, 2, 2, RP_STATUS_INVALID_ARGUMENT},
        {{.data = memory, .channels = 3, .pixel_stride_bytes = SIZE_MAX / 2}, 4, 2, RP_STATUS_TOO_LARGE},
        {{.data = memory, .channels = 3, .pixel_stride_bytes = SIZE_MAX - 4}, 2, 2, RP_STATUS_TOO_LARGE},
        {{.data = memory, .channels = 3, .row_stride_bytes = SIZE_MAX / 2}, 2, 4, RP_STATUS_TOO_LARGE},
        {{.data = memory, .channels = 3, .row_stride_bytes = PTRDIFF_MAX}, 2, 2, RP_STATUS_TOO_LARGE},
        {{.data = memory, .channels = 3, .offset_bytes = SIZE_MAX}, 2, 2, RP_STATUS_TOO_LARGE},
        {{.data = memory, .channels = 3, .offset_bytes = SIZE_MAX - 40}, 2, 2, RP_STATUS_TOO_LARGE},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rp_view view;
        rp_error error = {0};
        assert_int_equal(rp_view_make(&wrong[i].image, "color", wrong[i].width, wrong[i].height, &view, &error),
                         wrong[i].status);
        assert_null(view.base);
        assert_non_null(strstr(error.message, "color"));
    }
}

int run_image_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_and_offsets_change_nothing_and_gaps_stay),
        cmocka_unit_test(aligned_strides_leave_gaps_alone),
        cmocka_unit_test(alpha_is_copied_and_one_where_there_was_none),
        cmocka_unit_test(one_channel_is_broadcast_and_averaged),
        cmocka_unit_test(halves_are_read_exactly_and_written_rounded),
        cmocka_unit_test(a_result_above_the_largest_half_is_clamped),
        cmocka_unit_test(in_place_equals_out_of_place),
        cmocka_unit_test(interleaved_images_may_share_memory),
        cmocka_unit_test(sharing_that_is_not_pixel_by_pixel_is_refused),
        cmocka_unit_test(wrong_images_are_refused),
    };
    return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
