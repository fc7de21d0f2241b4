// Image files: values come back as they were written, names of renderers are known, damage is refused.
#include "base/error.h"
#include "base/file.h"
#include "image/image.h"
#include "support/failing_allocator.h"
#include "tests.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <spng.h>

enum { WIDTH = 13, HEIGHT = 7 };

// Values on a grid that every kind of file holds exactly: multiples of 1/255 or 1/65535, or 2^n fractions.
static rp_pixels make_pixels(uint32_t channels, float step, unsigned most)
{
    rp_pixels pixels = {.width = WIDTH, .height = HEIGHT, .channels = channels};
    pixels.data = malloc((size_t)WIDTH * HEIGHT * channels * sizeof(float));
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * channels; i++)
        pixels.data[i] = (float)(i * 977 % (most + 1)) * step;
    return pixels;
}

static void floats_come_back_bit_for_bit(void **state)
{
    (void)state;
    static const struct {
        const char *extension;
        uint32_t channels;
    } cases[] = {{".pfm", 1}, {".pfm", 3}, {".exr", 1}, {".exr", 2}, {".exr", 3}, {".exr", 4}, {".EXR", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_pixels pixels = make_pixels(cases[i].channels, 0.3f, 100000);
        pixels.data[5] = 1e30f;
        pixels.data[6] = -2.5f;
        rp_image_file file;
        const char *path = path_of(0, cases[i].extension);
        write_well(path, &(rp_image_write_desc){.pixels = &pixels});
        read_well(path, &file);
        compare(&pixels, &file.color, 0);
        assert_false(file.display_referred);
        rp_image_file_free(&file);
        free(pixels.data);
    }
}

static void png_values_come_back_at_either_depth(void **state)
{
    (void)state;
    for (uint32_t channels = 1; channels <= 4; channels++)
        for (uint32_t bits = 8; bits <= 16; bits += 8) {
            unsigned most = bits == 8 ? 255 : 65535;
            rp_pixels pixels = make_pixels(channels, 1.0f / (float)most, most);
            rp_image_file file, again;
            write_well(path_of(0, ".png"), &(rp_image_write_desc){.pixels = &pixels, .png_bits = bits});
            read_well(path_of(0, ".png"), &file);
            compare(&pixels, &file.color, 1e-7);
            assert_true(file.display_referred);
            assert_int_equal(file.bits, bits);
            // Written like the file that it came from, it keeps the depth.
            write_well(path_of(1, ".png"), &(rp_image_write_desc){.pixels = &file.color, .like = &file});
            read_well(path_of(1, ".png"), &again);
            compare(&pixels, &again.color, 1e-7);
            rp_image_file_free(&file);
            rp_image_file_free(&again);
            free(pixels.data);
        }
}

static void png_clamps_rounds_and_encodes(void **state)
{
    (void)state;
    float values[6] = {NAN,        -1,          2,
                       0.5f / 255, 0.49f / 255, 0.2158605f}; // the last is display 128/255 on the sRGB curve
    rp_pixels pixels = {.width = 6, .height = 1, .channels = 1, .data = values};
    rp_image_file file;
    write_well(path_of(0, ".png"), &(rp_image_write_desc){.pixels = &pixels});
    read_well(path_of(0, ".png"), &file);
    static const float expected[6] = {0, 0, 1, 0, 0, 55.0f / 255}; // ties go to even
    for (int i = 0; i < 6; i++)
        assert_true(fabsf(file.color.data[i] - expected[i]) < 1e-6f);
    rp_image_file_free(&file);
    write_well(path_of(0, ".png"), &(rp_image_write_desc){.pixels = &pixels, .encode_srgb = true});
    read_well(path_of(0, ".png"), &file);
    assert_true(fabsf(file.color.data[5] - 128.0f / 255) < 1e-6f);
    rp_image_file_free(&file);
}

static uint32_t png_bits_like(const rp_image_file *like)
{
    float value = 0.5f;
    rp_pixels pixels = {.width = 1, .height = 1, .channels = 1, .data = &value};
    rp_image_file file;
    write_well(path_of(2, ".png"), &(rp_image_write_desc){.pixels = &pixels, .like = like});
    read_well(path_of(2, ".png"), &file);
    uint32_t bits = file.bits;
    rp_image_file_free(&file);
    return bits;
}

static void a_png_is_wide_only_like_a_wide_png(void **state)
{
    (void)state;
    rp_image_file half_exr = {.kind = RP_FILE_EXR, .bits = 16, .half = true};
    rp_image_file narrow = {.kind = RP_FILE_PNG, .bits = 8}, wide = {.kind = RP_FILE_PNG, .bits = 16};
    assert_int_equal(png_bits_like(NULL), 8);
    assert_int_equal(png_bits_like(&half_exr), 8);
    assert_int_equal(png_bits_like(&narrow), 8);
    assert_int_equal(png_bits_like(&wide), 16);
}

// 2 × 1 pixels each, of the color types that the writer does not make; values worked by hand.
static void palettes_transparent_colours_and_few_bits_are_read(void **state)
{
    (void)state;
    static const uint8_t plte[6] = {255, 0, 0, 0, 51, 255}, alphas[2] = {255, 102}, grey[2] = {0, 1};
    static const struct {
        uint8_t depth, color_type;
        const uint8_t *palette, *transparent;
        uint8_t row;
        uint32_t channels;
        float expected[8];
    } cases[] = {
        {1, SPNG_COLOR_TYPE_INDEXED, plte, NULL, 0x40, 3, {1, 0, 0, 0, 0.2f, 1}},
        {1, SPNG_COLOR_TYPE_INDEXED, plte, alphas, 0x40, 4, {1, 0, 0, 1, 0, 0.2f, 1, 0.4f}},
        {1, SPNG_COLOR_TYPE_GRAYSCALE, NULL, NULL, 0x80, 1, {1, 0}},
        {1, SPNG_COLOR_TYPE_GRAYSCALE, NULL, grey, 0x40, 2, {0, 1, 1, 0}},
        {4, SPNG_COLOR_TYPE_GRAYSCALE, NULL, NULL, 0x3f, 1, {0.2f, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spng_ihdr header = {
            .width = 2, .height = 1, .bit_depth = cases[i].depth, .color_type = cases[i].color_type};
        spng_ctx *context = spng_ctx_new(SPNG_CTX_ENCODER);
        rp_image_file file;
        FILE *stream = fopen(path_of(0, ".png"), "wb");
        spng_set_png_file(context, stream);
        assert_int_equal(spng_set_ihdr(context, &header), 0);
        if (cases[i].palette) {
            struct spng_plte palette = {.n_entries = 2};
            for (size_t c = 0; c < 2; c++)
                palette.entries[c] = (struct spng_plte_entry){
                    .red = plte[3 * c], .green = plte[3 * c + 1], .blue = plte[3 * c + 2], .alpha = 255};
            assert_int_equal(spng_set_plte(context, &palette), 0);
        }
        if (cases[i].transparent) {
            struct spng_trns transparent = {.gray = cases[i].transparent[1], .n_type3_entries = 2};
            memcpy(transparent.type3_alpha, cases[i].transparent, 2);
            assert_int_equal(spng_set_trns(context, &transparent), 0);
        }
        assert_int_equal(spng_encode_image(context, &cases[i].row, 1, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE), 0);
        spng_ctx_free(context);
        fclose(stream);
        read_well(path_of(0, ".png"), &file);
        assert_int_equal(file.color.channels, cases[i].channels);
        for (size_t k = 0; k < 2 * cases[i].channels; k++)
            if (fabsf(file.color.data[k] - cases[i].expected[k]) > 1e-6f)
                fail_msg("case %zu, value %zu: %g", i, k, (double)file.color.data[k]);
        rp_image_file_free(&file);
    }
}

static void radiance_values_come_back_within_their_eight_bits(void **state)
{
    (void)state;
    rp_pixels pixels = make_pixels(3, 0.01f, 5000);
    rp_image_file file;
    write_well(path_of(0, ".hdr"), &(rp_image_write_desc){.pixels = &pixels});
    read_well(path_of(0, ".hdr"), &file);
    assert_int_equal(file.color.channels, 3);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        const float *from = pixels.data + 3 * i, *to = file.color.data + 3 * i;
        float largest = fmaxf(from[0], fmaxf(from[1], from[2]));
        for (int c = 0; c < 3; c++) // one step of the shared exponent's mantissa
            assert_true(fabsf(from[c] - to[c]) <= largest / 127);
    }
    rp_image_file_free(&file);
    free(pixels.data);
}

static void pfm_knows_both_byte_orders_and_begins_at_the_bottom(void **state)
{
    (void)state;
    // Worked by hand: 1 × 2 grey, 1.0 below 2.0.
    static const uint8_t little[] = "Pf\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\x40", big[] = "Pf 1 2 1\n\x3f\x80\0\0\x40\0\0\0";
    const struct {
        const uint8_t *bytes;
        size_t size;
    } files[] = {{little, sizeof little - 1}, {big, sizeof big - 1}};
    for (size_t i = 0; i < 2; i++) {
        rp_image_file file;
        assert_int_equal(rp_image_read_memory(files[i].bytes, files[i].size, "hand", NULL, NULL, &file, NULL), 0);
        assert_int_equal(file.color.channels, 1);
        assert_true(file.color.data[0] == 2 && file.color.data[1] == 1);
        rp_image_file_free(&file);
    }
}

static const char *const extensions[] = {".pfm", ".png", ".exr", ".hdr"};

static void every_truncation_is_refused(void **state)
{
    (void)state;
    rp_pixels pixels = make_pixels(3, 0.01f, 99);
    for (size_t i = 0; i < 4; i++) {
        uint8_t *bytes;
        size_t size;
        write_well(path_of(0, extensions[i]), &(rp_image_write_desc){.pixels = &pixels});
        assert_int_equal(rp_file_read(path_of(0, extensions[i]), 1 << 20, NULL, &bytes, &size, NULL), 0);
        for (size_t cut = 0; cut < size; cut += 1 + cut / 64) {
            uint8_t *exact = malloc(cut ? cut : 1);
            rp_image_file file;
            memcpy(exact, bytes, cut);
            rp_status status = rp_image_read_memory(exact, cut, "cut", NULL, NULL, &file, NULL);
            // A PNG is whole before its last chunk's checksum.
            if (status == RP_STATUS_OK) {
                if (!(i == 1 && size - cut <= 16))
                    fail_msg("%s: %zu of %zu bytes are taken", extensions[i], cut, size);
                rp_image_file_free(&file);
            }
            free(exact);
        }
        rp_free(NULL, bytes);
    }
    free(pixels.data);
}

static void sizes_above_the_limits_are_refused_before_memory_is_taken(void **state)
{
    (void)state;
    rp_pixels pixels = make_pixels(3, 0.01f, 99);
    const rp_image_limits limits = {.max_width = 12}, few = {.max_pixels = 90};
    for (size_t i = 0; i < 4; i++) {
        rp_image_file file;
        write_well(path_of(0, extensions[i]), &(rp_image_write_desc){.pixels = &pixels});
        rp_status status = rp_image_read(path_of(0, extensions[i]), &limits, NULL, &file, NULL);
        assert_int_equal(status, RP_STATUS_TOO_LARGE);
        assert_int_equal(rp_image_read(path_of(0, extensions[i]), &few, NULL, &file, NULL), RP_STATUS_TOO_LARGE);
    }
    static const char *const huge[] = {"PF 65536 65536 -1\n", "PF 4294967295 4294967295 -1\n",
                                       "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 60000 +X 60000\n"};
    for (size_t i = 0; i < 3; i++) {
        rp_image_file file;
        assert_int_not_equal(rp_image_read_memory(huge[i], strlen(huge[i]), "huge", NULL, NULL, &file, NULL), 0);
    }
    free(pixels.data);
}

static void files_that_are_no_images_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "P",
                                        "PF",
                                        "PF\n",
                                        "PF 1 1 0\n",
                                        "PF 1 1 x\n1234",
                                        "PF -1 1 -1\n",
                                        "text",
                                        "\x89PNG\r\n\x1a\n",
                                        "\x76\x2f\x31\x01",
                                        "#?RADIANCE",
                                        "PF 0 0 -1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rp_image_file file;
        rp_error error = {0};
        assert_int_not_equal(rp_image_read_memory(texts[i], strlen(texts[i]), "name", NULL, NULL, &file, &error), 0);
        assert_int_equal(strncmp(error.message, "name: ", 6), 0);
        assert_null(file.color.data);
    }
    rp_image_file file;
    assert_int_equal(rp_image_read("/nowhere/at all.exr", NULL, NULL, &file, NULL), RP_STATUS_IO);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    rp_pixels pixels = make_pixels(3, 0.01f, 99);
    rp_image_write_desc desc = {.pixels = &pixels};
    assert_int_equal(rp_image_write("/nowhere/image.exr", &desc, NULL, NULL), RP_STATUS_IO);
    assert_int_equal(rp_image_write(path_of(7, ".jpg"), &desc, NULL, NULL), RP_STATUS_UNSUPPORTED);
    assert_int_not_equal(access(path_of(7, ".jpg"), F_OK), 0);
    assert_true(rp_image_can_write("a.exr") && rp_image_can_write("a.PNG") && !rp_image_can_write("exr"));
    assert_int_equal(rp_image_write("/dev/full", &desc, NULL, NULL), RP_STATUS_UNSUPPORTED);
    free(pixels.data);
    desc.pixels = &(rp_pixels){.width = 1, .height = 0, .channels = 3};
    assert_int_equal(rp_image_write(path_of(7, ".exr"), &desc, NULL, NULL), RP_STATUS_UNSUPPORTED);
    assert_int_not_equal(access(path_of(7, ".exr"), F_OK), 0);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    rp_pixels pixels = make_pixels(3, 0.01f, 99);
    for (size_t i = 0; i < 4; i++) {
        rp_error error = {0};
        const char *path = path_of(6, extensions[i]);
        if (symlink("/dev/full", path) != 0)
            skip();
        assert_int_equal(rp_image_write(path, &(rp_image_write_desc){.pixels = &pixels}, NULL, &error), RP_STATUS_IO);
        // The name, or what it leads to.
        if (strncmp(error.message, path, strlen(path)) != 0 && strncmp(error.message, "/dev/full", 9) != 0)
            fail_msg("the message does not begin with the path: %s", error.message);
        unlink(path);
    }
    free(pixels.data);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    rp_pixels pixels = make_pixels(4, 0.01f, 99);
    for (size_t i = 0; i < 4; i++) {
        rp_image_file source;
        write_well(path_of(0, extensions[i]), &(rp_image_write_desc){.pixels = &pixels});
        read_well(path_of(0, extensions[i]), &source);
        for (size_t n = 1, done = 0; !done; n++) {
            failing_allocator failing;
            rp_image_file file;
            failing_allocator_init(&failing, n);
            rp_status status = rp_image_read(path_of(0, extensions[i]), NULL, &failing.hook, &file, NULL);
            if (status == RP_STATUS_OK) {
                rp_image_file_free(&file);
                done = n > 2;
            } else {
                assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
            }
            assert_int_equal(failing.live, 0);
            failing_allocator_init(&failing, n);
            status =
                rp_image_write(path_of(1, extensions[i]),
                               &(rp_image_write_desc){.pixels = &source.color, .like = &source}, &failing.hook, NULL);
            assert_true(status == RP_STATUS_OK || status == RP_STATUS_OUT_OF_MEMORY);
            assert_int_equal(failing.live, 0);
        }
        rp_image_file_free(&source);
    }
    free(pixels.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_come_back_bit_for_bit),
        cmocka_unit_test(png_values_come_back_at_either_depth),
        cmocka_unit_test(png_clamps_rounds_and_encodes),
        cmocka_unit_test(a_png_is_wide_only_like_a_wide_png),
        cmocka_unit_test(palettes_transparent_colours_and_few_bits_are_read),
        cmocka_unit_test(radiance_values_come_back_within_their_eight_bits),
        cmocka_unit_test(pfm_knows_both_byte_orders_and_begins_at_the_bottom),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(sizes_above_the_limits_are_refused_before_memory_is_taken),
        cmocka_unit_test(files_that_are_no_images_are_refused),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
    return failed + run_exr_tests();
}
