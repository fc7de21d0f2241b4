// EXR files for tests: planes of known values, every channel full float, half or uint as asked.
#include "make_exr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

float made_value(int part, int channel, int x, int y)
{
    return (float)(part * 512 + channel * 64 + (x * 7 + y * 3) % 61);
}

static uint16_t small_half(float value)
{
    // Exact for integers up to 2048.
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return value == 0 ? 0 : (uint16_t)((bits >> 13) - (112 << 10));
}

static exr_result_t fill(exr_encode_pipeline_t *encoder, const made_exr *exr, int part, int x0, int y0, uint8_t *buffer)
{
    const made_part *made = &exr->parts[part];
    for (int i = 0; i < encoder->channel_count; i++) {
        exr_coding_channel_info_t *coding = &encoder->channels[i];
        int c = 0;
        while (strcmp(made->channels[c].name, coding->channel_name) != 0)
            c++;
        exr_pixel_type_t type = made->channels[c].type;
        int size = type == EXR_PIXEL_HALF ? 2 : 4;
        coding->encode_from_ptr = buffer;
        coding->user_pixel_stride = size;
        coding->user_line_stride = size * coding->width;
        coding->user_bytes_per_element = (int16_t)size;
        coding->user_data_type = (uint16_t)type;
        for (int y = 0; y < coding->height; y++)
            for (int x = 0; x < coding->width; x++, buffer += size) {
                float value = made_value(part, c, x0 + x, y0 + y);
                uint16_t half = small_half(value);
                uint32_t integer = (uint32_t)value;
                memcpy(buffer,
                       type == EXR_PIXEL_HALF   ? (void *)&half
                       : type == EXR_PIXEL_UINT ? (void *)&integer
                                                : &value,
                       (size_t)size);
            }
    }
    return EXR_ERR_SUCCESS;
}

static exr_result_t write_chunks(exr_context_t context, const made_exr *exr, int part)
{
    exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
    int lines = exr->tile, columns = exr->tile ? exr->tile : exr->width, first = 1;
    exr_result_t result = EXR_ERR_SUCCESS;
    if (!exr->tile)
        result = exr_get_scanlines_per_chunk(context, part, &lines);
    uint8_t *buffer = malloc((size_t)lines * (size_t)columns * 4 * (size_t)exr->parts[part].channel_count);
    for (int y = 0; y < exr->height && !result; y += lines)
        for (int x = 0; x < exr->width && !result; x += columns, first = 0) {
            exr_chunk_info_t chunk;
            result = exr->tile ? exr_write_tile_chunk_info(context, part, x / exr->tile, y / exr->tile, 0, 0, &chunk)
                               : exr_write_scanline_chunk_info(context, part, exr->y + y, &chunk);
            if (!result)
                result = first ? exr_encoding_initialize(context, part, &chunk, &encoder)
                               : exr_encoding_update(context, part, &chunk, &encoder);
            if (!result)
                result = fill(&encoder, exr, part, x, y, buffer);
            if (!result && first)
                result = exr_encoding_choose_default_routines(context, part, &encoder);
            if (!result)
                result = exr_encoding_run(context, part, &encoder);
        }
    exr_encoding_destroy(context, &encoder);
    free(buffer);
    return result;
}

// One of most types that OpenEXRCore knows, and one that it does not know.
static exr_result_t set_attributes(exr_context_t context, int part)
{
    static const char *strings[] = {"a", "", "ccc"};
    static const float floats[] = {1, 2, 3};
    static const uint8_t rgba[] = {1, 2, 3, 4, 5, 6, 7, 8};
    exr_attr_chromaticities_t chromaticities = {.red_x = 0.64f, .white_y = 0.329f};
    exr_attr_keycode_t keycode = {.film_mfc_code = 1, .perfs_per_count = 64};
    exr_attr_m33f_t m33f = {.m = {1, 2}};
    exr_attr_m33d_t m33d = {.m = {3, 4}};
    exr_attr_m44f_t m44f = {.m = {5, 6}};
    exr_attr_m44d_t m44d = {.m = {7, 8}};
    exr_attr_preview_t preview = {.width = 2, .height = 1, .rgba = rgba};
    exr_attr_rational_t rational = {.num = 24000, .denom = 1001};
    exr_attr_timecode_t timecode = {.time_and_flags = 0x01020304};
    exr_attr_v2i_t v2i = {.x = 1, .y = -1};
    exr_attr_v2d_t v2d = {.x = 1.5};
    exr_attr_v3i_t v3i = {.x = 1, .z = 3};
    exr_attr_v3f_t v3f = {.y = 2};
    exr_attr_v3d_t v3d = {.z = 2};
    exr_attr_v2f_t v2f = {.y = 2};
    exr_attr_box2f_t box2f = {.max = {.x = 2}};
    exr_attr_box2i_t box2i = {.max = {.x = 2}};
    static uint8_t nothing;
    exr_attribute_t *empty = NULL;
    const exr_result_t results[] = {
        exr_attr_set_string(context, part, "owner", "somebody"),
        exr_attr_set_string(context, part, "empty", ""),
        exr_attr_set_float(context, part, "exposureTime", 0.25f),
        exr_attr_set_double(context, part, "aDouble", 3.25),
        exr_attr_set_int(context, part, "anInt", -7),
        exr_attr_set_string_vector(context, part, "strings", 3, strings),
        exr_attr_set_float_vector(context, part, "floats", 3, floats),
        exr_attr_set_chromaticities(context, part, "chromaticities", &chromaticities),
        exr_attr_set_envmap(context, part, "envmap", EXR_ENVMAP_CUBE),
        exr_attr_set_keycode(context, part, "keyCode", &keycode),
        exr_attr_set_m33f(context, part, "m33f", &m33f),
        exr_attr_set_m33d(context, part, "m33d", &m33d),
        exr_attr_set_m44f(context, part, "worldToCamera", &m44f),
        exr_attr_set_m44d(context, part, "m44d", &m44d),
        exr_attr_set_preview(context, part, "preview", &preview),
        exr_attr_set_rational(context, part, "framesPerSecond", &rational),
        exr_attr_set_timecode(context, part, "timeCode", &timecode),
        exr_attr_set_v2i(context, part, "v2i", &v2i),
        exr_attr_set_v2f(context, part, "v2f", &v2f),
        exr_attr_set_v2d(context, part, "v2d", &v2d),
        exr_attr_set_v3i(context, part, "v3i", &v3i),
        exr_attr_set_v3f(context, part, "v3f", &v3f),
        exr_attr_set_v3d(context, part, "v3d", &v3d),
        exr_attr_set_box2i(context, part, "box2i", &box2i),
        exr_attr_set_box2f(context, part, "box2f", &box2f),
        exr_attr_set_user(context, part, "unknown", "someType", 5, "12345"),
        exr_attr_declare_by_type(context, part, "unknownEmpty", "someType", &empty),
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i])
            return results[i];
    empty->opaque->packed_data = &nothing; // no bytes, but a value
    return EXR_ERR_SUCCESS;
}

static exr_result_t declare(exr_context_t context, const made_exr *exr, int index)
{
    const made_part *made = &exr->parts[index];
    exr_attr_box2i_t window = {.min = {.x = exr->x, .y = exr->y},
                               .max = {.x = exr->x + exr->width - 1, .y = exr->y + exr->height - 1}};
    exr_attr_box2i_t display = {.min = {.x = 0, .y = 0}, .max = {.x = 99, .y = 79}};
    exr_attr_v2f_t center = {.x = 0.5f, .y = -0.5f};
    int part;
    exr_result_t result = exr_add_part(context, made->name ? made->name : "part",
                                       exr->deep   ? EXR_STORAGE_DEEP_SCANLINE
                                       : exr->tile ? EXR_STORAGE_TILED
                                                   : EXR_STORAGE_SCANLINE,
                                       &part);
    if (!result)
        result = exr_initialize_required_attr(context, part, &display, &window, 1.5f, &center, 2.0f,
                                              EXR_LINEORDER_INCREASING_Y, exr->compression);
    if (!result && exr->tile)
        result = exr_set_tile_descriptor(context, part, (uint32_t)exr->tile, (uint32_t)exr->tile, EXR_TILE_ONE_LEVEL,
                                         EXR_TILE_ROUND_DOWN);
    for (int i = 0; i < made->channel_count && !result; i++) {
        int sampling = made->channels[i].sampling ? made->channels[i].sampling : 1;
        result = exr_add_channel(context, part, made->channels[i].name, made->channels[i].type,
                                 EXR_PERCEPTUALLY_LOGARITHMIC, sampling, sampling);
    }
    return result ? result : set_attributes(context, part);
}

static int64_t put(exr_const_context_t context, void *user, const void *bytes, uint64_t size, uint64_t offset,
                   exr_stream_error_func_ptr_t report)
{
    (void)context;
    (void)report;
    return fseek(user, (long)offset, SEEK_SET) == 0 && fwrite(bytes, 1, size, user) == size ? (int64_t)size : -1;
}

int make_exr(const char *path, const made_exr *exr)
{
    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_context_t context;
    // A stream of ours: the library would remove a file whose chunks are missing.
    FILE *file = fopen(path, "wb");
    options.user_data = file;
    options.write_fn = put;
    if (!file || exr_start_write(&context, path, EXR_WRITE_FILE_DIRECTLY, &options))
        return 0;
    exr_result_t result = EXR_ERR_SUCCESS;
    if (exr->long_names)
        result = exr_set_longname_support(context, 1);
    for (int i = 0; i < exr->part_count && !result; i++)
        result = declare(context, exr, i);
    if (!result)
        result = exr_write_header(context);
    for (int i = 0; i < exr->part_count && !result && !exr->deep; i++)
        result = write_chunks(context, exr, i);
    exr_result_t ended = exr_finish(&context);
    fclose(file);
    return !result && (!ended || exr->deep);
}
