// Image files: values come back as they were written, names of renderers are known, damage is refused.
#include "base/error.h"
#include "base/file.h"
#include "image/image.h"
#include "make_exr.h"
#include "support/failing_allocator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/reprise-image-XXXXXX";
static char path_text[8][200];

static const char *path_of(int slot, const char *extension)
{
    snprintf(path_text[slot], sizeof path_text[slot], "%s/%d%s", folder, slot, extension);
    return path_text[slot];
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void read_well(const char *path, rp_image_file *file)
{
    rp_error error;
    if (rp_image_read(path, NULL, NULL, file, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
}

static void write_well(const char *path, const rp_image_write_desc *desc)
{
    rp_error error;
    if (rp_image_write(path, desc, NULL, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
}

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

static void compare(const rp_pixels *a, const rp_pixels *b, double bound)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->channels, b->channels);
    for (size_t i = 0; i < (size_t)a->width * a->height * a->channels; i++)
        if (!(fabs((double)a->data[i] - (double)b->data[i]) <= bound))
            fail_msg("value %zu: %.9g and %.9g", i, (double)a->data[i], (double)b->data[i]);
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

#define FLOATS(...) ((const made_channel[]){__VA_ARGS__})
#define F(text)                                                                                                        \
    {                                                                                                                  \
        text, EXR_PIXEL_FLOAT, 0                                                                                       \
    }
#define H(text)                                                                                                        \
    {                                                                                                                  \
        text, EXR_PIXEL_HALF, 0                                                                                        \
    }

// The channels of a role, in image order, as indices into the part's (sorted) list.
static void check_layer(const rp_pixels *pixels, int part, const int *channels, uint32_t count)
{
    assert_int_equal(pixels->channels, count);
    for (uint32_t y = 0; y < pixels->height; y++)
        for (uint32_t x = 0; x < pixels->width; x++)
            for (uint32_t c = 0; c < count; c++)
                assert_true(pixels->data[(y * pixels->width + x) * count + c] ==
                            made_value(part, channels[c], (int)x, (int)y));
}

static void the_layers_of_renderers_are_known(void **state)
{
    (void)state;
    static const struct {
        made_channel channels[12];
        int count;
        int color[4], albedo[3], normal[3];
        uint32_t color_count;
        const char *layer;
    } cases[] = {
        // Blender
        {{H("ViewLayer.Combined.A"), H("ViewLayer.Combined.B"), H("ViewLayer.Combined.G"), H("ViewLayer.Combined.R"),
          F("ViewLayer.Denoising Albedo.B"), F("ViewLayer.Denoising Albedo.G"), F("ViewLayer.Denoising Albedo.R"),
          F("ViewLayer.Denoising Normal.X"), F("ViewLayer.Denoising Normal.Y"), F("ViewLayer.Denoising Normal.Z")},
         10,
         {3, 2, 1, 0},
         {6, 5, 4},
         {7, 8, 9},
         4,
         "ViewLayer.Combined"},
        // Arnold
        {{H("A"), H("B"), H("G"), F("N.X"), F("N.Y"), F("N.Z"), H("R"), F("Z"), H("albedo.B"), H("albedo.G"),
          H("albedo.R")},
         11,
         {6, 2, 1, 0},
         {10, 9, 8},
         {3, 4, 5},
         4,
         ""},
        // Karma
        {{F("C.b"), F("C.g"), F("C.r"), F("N.x"), F("N.y"), F("N.z"), F("albedo.b"), F("albedo.g"), F("albedo.r")},
         9,
         {2, 1, 0},
         {8, 7, 6},
         {3, 4, 5},
         3,
         "C"},
        // V-Ray
        {{F("B"), F("G"), F("R"), F("VRayDiffuseFilter.B"), F("VRayDiffuseFilter.G"), F("VRayDiffuseFilter.R"),
          F("VRayNormals.X"), F("VRayNormals.Y"), F("VRayNormals.Z")},
         9,
         {2, 1, 0},
         {5, 4, 3},
         {6, 7, 8},
         3,
         ""},
        // Mitsuba, and what examples/pathtracer writes
        {{F("B"), F("G"), F("R"), F("albedo.B"), F("albedo.G"), F("albedo.R"), F("sh_normal.X"), F("sh_normal.Y"),
          F("sh_normal.Z")},
         9,
         {2, 1, 0},
         {5, 4, 3},
         {6, 7, 8},
         3,
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_part part = {.channels = cases[i].channels, .channel_count = cases[i].count};
        made_exr exr = {.parts = &part, .part_count = 1, .width = 9, .height = 5, .compression = EXR_COMPRESSION_ZIP};
        rp_image_file file;
        assert_true(make_exr(path_of(0, ".exr"), &exr));
        read_well(path_of(0, ".exr"), &file);
        check_layer(&file.color, 0, cases[i].color, cases[i].color_count);
        check_layer(&file.albedo, 0, cases[i].albedo, 3);
        check_layer(&file.normal, 0, cases[i].normal, 3);
        assert_string_equal(file.color_layer, cases[i].layer);
        rp_image_file_free(&file);
    }
}

static void parts_are_known_by_their_names(void **state)
{
    (void)state;
    const made_part parts[] = {
        {"depth", FLOATS(F("Z")), 1},
        {"beauty", FLOATS(H("B"), H("G"), H("R")), 3},
        {"albedo", FLOATS(F("B"), F("G"), F("R")), 3},
        {"normals", FLOATS(F("X"), F("Y"), F("Z")), 3},
    };
    made_exr exr = {.parts = parts, .part_count = 4, .width = 9, .height = 5, .compression = EXR_COMPRESSION_ZIPS};
    rp_image_file file;
    assert_true(make_exr(path_of(0, ".exr"), &exr));
    read_well(path_of(0, ".exr"), &file);
    check_layer(&file.color, 1, (const int[]){2, 1, 0}, 3);
    check_layer(&file.albedo, 2, (const int[]){2, 1, 0}, 3);
    check_layer(&file.normal, 3, (const int[]){0, 1, 2}, 3);
    assert_true(file.half);
    rp_image_file_free(&file);
}

static void every_storage_and_compression_is_read(void **state)
{
    (void)state;
    static const exr_compression_t compressions[] = {EXR_COMPRESSION_NONE, EXR_COMPRESSION_RLE, EXR_COMPRESSION_ZIPS,
                                                     EXR_COMPRESSION_ZIP,  EXR_COMPRESSION_PIZ, EXR_COMPRESSION_PXR24,
                                                     EXR_COMPRESSION_B44,  EXR_COMPRESSION_B44A};
    // The last three may be decoded by routines of their own, which the others do not reach.
    static const made_channel mixed[] = {H("A"), {"B", EXR_PIXEL_UINT, 0}, F("G"), H("R")};
    static const made_channel half_rgba[] = {H("A"), H("B"), H("G"), H("R")};
    static const made_channel float_rgba[] = {F("A"), F("B"), F("G"), F("R")};
    static const made_channel half_rgb[] = {H("B"), H("G"), H("R")};
    static const made_part parts[] = {
        {NULL, mixed, 4}, {NULL, half_rgba, 4}, {NULL, float_rgba, 4}, {NULL, half_rgb, 3}};
    int read = 0;
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions * 4; i++)
        for (int tile = 0; tile <= 16; tile += 16) {
            const made_part *part = &parts[i % 4];
            exr_compression_t compression = compressions[i / 4];
            made_exr exr = {.parts = part,
                            .part_count = 1,
                            .width = 37,
                            .height = 41,
                            .x = -3,
                            .y = 5,
                            .tile = tile,
                            .compression = compression};
            rp_image_file file;
            if (!make_exr(path_of(0, ".exr"), &exr)) {
                fprintf(stderr, "the library does not write compression %d, tile %d\n", (int)compression, tile);
                continue;
            }
            read_well(path_of(0, ".exr"), &file);
            if (compression < EXR_COMPRESSION_B44) // small integers survive all of these
                check_layer(&file.color, 0,
                            part->channel_count == 4 ? (const int[]){3, 2, 1, 0} : (const int[]){2, 1, 0},
                            (uint32_t)part->channel_count);
            assert_int_equal(file.color.width, 37);
            assert_int_equal(file.color.height, 41);
            rp_image_file_free(&file);
            read++;
        }
    assert_true(read >= 40);
}

static void a_file_written_from_another_keeps_what_it_does_not_understand(void **state)
{
    (void)state;
    static const made_channel channels[] = {H("diffuse.R"), H("rgba.A"), H("rgba.B"), H("rgba.G"), F("rgba.R")};
    made_part part = {.channels = channels, .channel_count = 5};
    made_exr exr = {
        .parts = &part, .part_count = 1, .width = 9, .height = 5, .x = 20, .y = 10, .compression = EXR_COMPRESSION_PIZ};
    rp_image_file file, again;
    assert_true(make_exr(path_of(0, ".exr"), &exr));
    read_well(path_of(0, ".exr"), &file);
    file.color.data[0] = 1e6f; // R, a float channel
    file.color.data[1] = 1e6f; // G, a half channel: the largest half
    write_well(path_of(1, ".exr"), &(rp_image_write_desc){.pixels = &file.color, .like = &file});
    file.color.data[1] = 65504;
    read_well(path_of(1, ".exr"), &again);
    compare(&file.color, &again.color, 0);
    assert_string_equal(again.color_layer, "rgba");

    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_context_t context;
    exr_attr_box2i_t data, display;
    exr_compression_t compression;
    exr_attr_v2f_t center;
    const char *owner;
    const exr_attr_chlist_t *list;
    int32_t length;
    float aspect, width, exposure;
    assert_int_equal(exr_start_read(&context, path_of(1, ".exr"), &options), 0);
    assert_int_equal(exr_attr_get_string(context, 0, "owner", &length, &owner), 0);
    assert_string_equal(owner, "somebody");
    assert_int_equal(exr_attr_get_float(context, 0, "exposureTime", &exposure), 0);
    assert_true(exposure == 0.25f);
    assert_int_equal(exr_get_data_window(context, 0, &data), 0);
    assert_true(data.min.x == 20 && data.min.y == 10 && data.max.x == 28 && data.max.y == 14);
    assert_int_equal(exr_get_display_window(context, 0, &display), 0);
    assert_true(display.max.x == 99 && display.max.y == 79);
    assert_int_equal(exr_get_pixel_aspect_ratio(context, 0, &aspect), 0);
    assert_int_equal(exr_get_screen_window_center(context, 0, &center), 0);
    assert_int_equal(exr_get_screen_window_width(context, 0, &width), 0);
    assert_true(aspect == 1.5f && center.x == 0.5f && center.y == -0.5f && width == 2);
    assert_int_equal(exr_get_compression(context, 0, &compression), 0);
    assert_int_equal(compression, EXR_COMPRESSION_PIZ);
    assert_int_equal(exr_get_channels(context, 0, &list), 0);
    assert_int_equal(list->num_channels, 4);
    assert_string_equal(list->entries[0].name.str, "rgba.A");
    assert_int_equal(list->entries[0].pixel_type, EXR_PIXEL_HALF);
    assert_int_equal(list->entries[3].pixel_type, EXR_PIXEL_FLOAT);
    exr_finish(&context);
    rp_image_file_free(&file);
    rp_image_file_free(&again);
}

static void a_subsampled_or_unknown_layer_is_refused_by_name(void **state)
{
    (void)state;
    static const made_channel unknown[] = {F("Z"), F("motion.u")};
    static const made_channel subsampled[] = {
        {"B", EXR_PIXEL_HALF, 2}, {"G", EXR_PIXEL_HALF, 2}, {"R", EXR_PIXEL_HALF, 2}};
    made_part part = {.channels = unknown, .channel_count = 2};
    made_exr exr = {.parts = &part, .part_count = 1, .width = 8, .height = 8, .compression = EXR_COMPRESSION_NONE};
    rp_image_file file;
    rp_error error;
    assert_true(make_exr(path_of(0, ".exr"), &exr));
    assert_int_equal(rp_image_read(path_of(0, ".exr"), NULL, NULL, &file, &error), RP_STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.message, path_of(0, ".exr")));
    part = (made_part){.channels = subsampled, .channel_count = 3};
    if (!make_exr(path_of(0, ".exr"), &exr))
        skip();
    assert_int_equal(rp_image_read(path_of(0, ".exr"), NULL, NULL, &file, &error), RP_STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.message, "'R'"));
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
    for (size_t i = 0; i < 4; i++) // a full disk
        assert_int_equal(rp_image_write("/dev/full", &desc, NULL, NULL), RP_STATUS_UNSUPPORTED);
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
        cmocka_unit_test(radiance_values_come_back_within_their_eight_bits),
        cmocka_unit_test(pfm_knows_both_byte_orders_and_begins_at_the_bottom),
        cmocka_unit_test(the_layers_of_renderers_are_known),
        cmocka_unit_test(parts_are_known_by_their_names),
        cmocka_unit_test(every_storage_and_compression_is_read),
        cmocka_unit_test(a_file_written_from_another_keeps_what_it_does_not_understand),
        cmocka_unit_test(a_subsampled_or_unknown_layer_is_refused_by_name),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(sizes_above_the_limits_are_refused_before_memory_is_taken),
        cmocka_unit_test(files_that_are_no_images_are_refused),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
