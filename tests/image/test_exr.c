// OpenEXR: names of renderers, storage and compressions, and what a result keeps of its source.
#include "base/bytes.h"
#include "base/file.h"
#include "make_exr.h"
#include "tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
        // V-Ray's newer names
        {{F("B"), F("G"), F("NormalsBumped.X"), F("NormalsBumped.Y"), F("NormalsBumped.Z"), F("R"),
          F("VisibleDiffuse.B"), F("VisibleDiffuse.G"), F("VisibleDiffuse.R"), F("VisibleNormals.Q")},
         9,
         {5, 1, 0},
         {8, 7, 6},
         {2, 3, 4},
         3,
         ""},
        // RenderMan
        {{H("Ci.a"), H("Ci.b"), H("Ci.g"), H("Ci.r"), F("Nn.x"), F("Nn.y"), F("Nn.z"), F("albedo.b"), F("albedo.g"),
          F("albedo.r")},
         10,
         {3, 2, 1, 0},
         {9, 8, 7},
         {4, 5, 6},
         4,
         "Ci"},
        // What examples/pathtracer writes
        {{F("B"), F("G"), F("R"), F("albedo.B"), F("albedo.G"), F("albedo.R"), F("normal.X"), F("normal.Y"),
          F("normal.Z")},
         9,
         {2, 1, 0},
         {5, 4, 3},
         {6, 7, 8},
         3,
         ""},
        // Mitsuba
        {{F("B"), F("G"), F("R"), F("albedo.B"), F("albedo.G"), F("albedo.R"), F("nn.X"), F("nn.Y"), F("nn.Z")},
         9,
         {2, 1, 0},
         {5, 4, 3},
         {6, 7, 8},
         3,
         ""},
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

static void a_part_without_a_telling_name_is_colour(void **state)
{
    (void)state;
    const made_part parts[] = {
        {"albedo", FLOATS(F("B"), F("G"), F("R")), 3},
        {"left eye", FLOATS(H("B"), H("G"), H("R")), 3},
        {"right eye", FLOATS(H("B"), H("G"), H("R")), 3},
    };
    made_exr exr = {.parts = parts, .part_count = 3, .width = 9, .height = 5, .compression = EXR_COMPRESSION_ZIP};
    rp_image_file file;
    assert_true(make_exr(path_of(0, ".exr"), &exr));
    read_well(path_of(0, ".exr"), &file);
    check_layer(&file.color, 1, (const int[]){2, 1, 0}, 3);
    check_layer(&file.albedo, 0, (const int[]){2, 1, 0}, 3);
    assert_null(file.normal.data);
    rp_image_file_free(&file);
}

typedef struct raw_attribute {
    const char *name, *type;
    const uint8_t *value;
    uint32_t size;
} raw_attribute;

// The attributes of a file's first header, read from its bytes without the library: name, type, size, value, until an
// empty name.
static size_t raw_attributes(const uint8_t *bytes, size_t size, raw_attribute *attributes, size_t most)
{
    rp_reader reader = rp_reader_make(bytes, size);
    size_t count = 0;
    rp_read_span(&reader, 8);
    while (*reader.pos && count < most) {
        raw_attribute *attribute = &attributes[count++];
        attribute->name = (const char *)rp_read_span(&reader, strlen((const char *)reader.pos) + 1);
        attribute->type = (const char *)rp_read_span(&reader, strlen((const char *)reader.pos) + 1);
        attribute->size = rp_read_u32(&reader);
        attribute->value = rp_read_span(&reader, attribute->size);
        assert_false(reader.failed);
    }
    return count;
}

// Every attribute of `from`'s first part stands in `to` with the same bytes, but those about its storage.
static void check_attributes(const char *from, const char *to)
{
    static const char *const storage[] = {"channels", "tiles", "type", "chunkCount", "lineOrder"};
    raw_attribute before[64], after[64];
    uint8_t *bytes[2];
    size_t size[2];
    assert_int_equal(rp_file_read(from, 1 << 20, NULL, &bytes[0], &size[0], NULL), 0);
    assert_int_equal(rp_file_read(to, 1 << 20, NULL, &bytes[1], &size[1], NULL), 0);
    size_t count = raw_attributes(bytes[0], size[0], before, 64), found = 0;
    size_t written = raw_attributes(bytes[1], size[1], after, 64);
    for (size_t i = 0; i < count; i++) {
        bool skipped = false;
        for (size_t k = 0; k < sizeof storage / sizeof *storage; k++)
            skipped = skipped || strcmp(before[i].name, storage[k]) == 0;
        size_t k = 0;
        while (k < written && strcmp(before[i].name, after[k].name) != 0)
            k++;
        if (skipped)
            continue;
        if (k == written || strcmp(before[i].type, after[k].type) != 0 || before[i].size != after[k].size ||
            memcmp(before[i].value, after[k].value, before[i].size) != 0)
            fail_msg("%s: attribute '%s' of type %s is lost or changed", to, before[i].name, before[i].type);
        found++;
    }
    assert_true(found > 30);
    rp_free(NULL, bytes[0]);
    rp_free(NULL, bytes[1]);
}

static void attributes_of_any_type_are_kept_from_any_storage(void **state)
{
    (void)state;
    static const made_channel half_rgba[] = {H("A"), H("B"), H("G"), H("R")};
    static const made_channel long_rgb[] = {F("A View Layer With Quite A Long Name.Combined.B"),
                                            F("A View Layer With Quite A Long Name.Combined.G"),
                                            F("A View Layer With Quite A Long Name.Combined.R")};
    const made_part plain[] = {{"rgba", half_rgba, 4}, {"albedo", FLOATS(F("B"), F("G"), F("R")), 3}};
    const made_part named = {NULL, long_rgb, 3};
    const made_exr cases[] = {
        {.parts = plain, .part_count = 1, .compression = EXR_COMPRESSION_PXR24},
        {.parts = plain, .part_count = 1, .tile = 16, .compression = EXR_COMPRESSION_ZIP},
        {.parts = plain, .part_count = 2, .compression = EXR_COMPRESSION_ZIPS},
        {.parts = plain, .part_count = 2, .tile = 16, .compression = EXR_COMPRESSION_PIZ},
        {.parts = &named, .part_count = 1, .compression = EXR_COMPRESSION_RLE, .long_names = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_exr exr = cases[i];
        rp_image_file file, again;
        exr.width = 37;
        exr.height = 41;
        exr.x = -3;
        exr.y = 5;
        assert_true(make_exr(path_of(0, ".exr"), &exr));
        read_well(path_of(0, ".exr"), &file);
        write_well(path_of(1, ".exr"), &(rp_image_write_desc){.pixels = &file.color, .like = &file});
        read_well(path_of(1, ".exr"), &again);
        compare(&file.color, &again.color, 0);
        assert_string_equal(file.color_layer, again.color_layer);
        assert_int_equal(file.half, again.half);
        check_attributes(path_of(0, ".exr"), path_of(1, ".exr"));
        rp_image_file_free(&file);
        rp_image_file_free(&again);
    }
}

static void a_deep_part_is_refused_by_name(void **state)
{
    (void)state;
    made_part part = {"rgba", FLOATS(F("A"), F("B"), F("G"), F("R"), F("Z")), 5};
    made_exr exr = {
        .parts = &part, .part_count = 1, .width = 8, .height = 8, .compression = EXR_COMPRESSION_NONE, .deep = true};
    rp_image_file file;
    rp_error error;
    if (!make_exr(path_of(0, ".exr"), &exr)) {
        fprintf(stderr, "the library does not write a deep header\n");
        skip();
    }
    assert_int_equal(rp_image_read(path_of(0, ".exr"), NULL, NULL, &file, &error), RP_STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.message, "layer '' is deep"));
}

static void a_result_of_another_size_takes_only_the_type(void **state)
{
    (void)state;
    static const made_channel channels[] = {H("A"), H("B"), H("G"), H("R")};
    made_part part = {NULL, channels, 4};
    made_exr exr = {.parts = &part, .part_count = 1, .width = 9, .height = 5, .compression = EXR_COMPRESSION_ZIP};
    rp_image_file file, again;
    float values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1e9f, -1e9f};
    rp_pixels other = {.width = 2, .height = 2, .channels = 3, .data = values};
    assert_true(make_exr(path_of(0, ".exr"), &exr));
    read_well(path_of(0, ".exr"), &file);
    write_well(path_of(1, ".exr"), &(rp_image_write_desc){.pixels = &other, .like = &file});
    read_well(path_of(1, ".exr"), &again);
    values[10] = 65504; // half, as the file that it is like
    values[11] = -65504;
    compare(&other, &again.color, 0);
    assert_true(again.half);
    rp_image_file_free(&file);
    rp_image_file_free(&again);
}

int run_exr_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_layers_of_renderers_are_known),
        cmocka_unit_test(parts_are_known_by_their_names),
        cmocka_unit_test(every_storage_and_compression_is_read),
        cmocka_unit_test(a_file_written_from_another_keeps_what_it_does_not_understand),
        cmocka_unit_test(a_subsampled_or_unknown_layer_is_refused_by_name),
        cmocka_unit_test(a_part_without_a_telling_name_is_colour),
        cmocka_unit_test(attributes_of_any_type_are_kept_from_any_storage),
        cmocka_unit_test(a_deep_part_is_refused_by_name),
        cmocka_unit_test(a_result_of_another_size_takes_only_the_type),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
