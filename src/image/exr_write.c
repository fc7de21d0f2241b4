// Writing OpenEXR through OpenEXRCore: one scanline part. From a file that was read it takes the windows, the
// compression, the channel names and types and every attribute; other channels of that file are not carried over.
#include "base/error.h"
#include "base/half.h"
#include "image/exr.h"

#include <math.h>
#include <string.h>

typedef struct exr_channel {
    const char *name;
    exr_pixel_type_t type;
    exr_perceptual_treatment_t treatment;
    uint32_t source; // channel of the pixels
} exr_channel;

typedef struct exr_writer {
    rp_exr_stream stream;
    exr_context_t context;
    int part;
    const rp_pixels *pixels;
    const struct rp_exr_template *like;
    exr_channel channels[4];
    uint32_t channel_count;
    exr_attr_box2i_t data_window, display_window;
    const rp_allocator *allocator;
} exr_writer;

// Names and types by the file that the pixels came from, where it has as many channels; else the usual ones in float.
static void name_channels(exr_writer *writer, bool half)
{
    static const char *const names[4][4] = {{"Y"}, {"Y", "A"}, {"R", "G", "B"}, {"R", "G", "B", "A"}};
    const struct rp_exr_template *like = writer->like;
    const exr_attr_chlist_t *channels = NULL;
    writer->channel_count = writer->pixels->channels;
    bool same = like && like->channel_count == writer->channel_count &&
                exr_get_channels(like->context, like->part, &channels) == EXR_ERR_SUCCESS;
    for (uint32_t i = 0; i < writer->channel_count; i++) {
        writer->channels[i] = (exr_channel){
            .name = names[writer->channel_count - 1][i], .type = half ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT, .source = i};
        if (same) {
            const exr_attr_chlist_entry_t *entry = &channels->entries[like->channels[i]];
            writer->channels[i].name = entry->name.str;
            writer->channels[i].type = entry->pixel_type == EXR_PIXEL_UINT ? EXR_PIXEL_FLOAT : entry->pixel_type;
            writer->channels[i].treatment = entry->p_linear ? EXR_PERCEPTUALLY_LINEAR : EXR_PERCEPTUALLY_LOGARITHMIC;
        }
    }
}

static exr_result_t declare(exr_writer *writer)
{
    const struct rp_exr_template *like = writer->like;
    exr_attr_v2f_t center = {.x = 0, .y = 0};
    float aspect = 1, screen_width = 1;
    exr_compression_t compression = EXR_COMPRESSION_ZIP;
    const char *name = NULL;
    exr_result_t result = EXR_ERR_SUCCESS;
    writer->data_window.min.x = writer->data_window.min.y = 0;
    writer->data_window.max.x = (int32_t)writer->pixels->width - 1;
    writer->data_window.max.y = (int32_t)writer->pixels->height - 1;
    writer->display_window = writer->data_window;
    if (like) {
        exr_get_data_window(like->context, like->part, &writer->data_window);
        exr_get_display_window(like->context, like->part, &writer->display_window);
        exr_get_pixel_aspect_ratio(like->context, like->part, &aspect);
        exr_get_screen_window_center(like->context, like->part, &center);
        exr_get_screen_window_width(like->context, like->part, &screen_width);
        exr_get_compression(like->context, like->part, &compression);
        if (exr_get_name(like->context, like->part, &name) != EXR_ERR_SUCCESS)
            name = NULL;
        (void)rp_exr_translate(EXR_ERR_SUCCESS, "name", NULL); // that a part has none is no message to keep
        // The library's encoder for these came later than its decoder; ZIP loses nothing either.
        if (compression >= EXR_COMPRESSION_DWAA)
            compression = EXR_COMPRESSION_ZIP;
        if (rp_exr_has_long_names(like))
            result = exr_set_longname_support(writer->context, 1);
    }
    if (result == EXR_ERR_SUCCESS)
        result = exr_add_part(writer->context, name, EXR_STORAGE_SCANLINE, &writer->part);
    if (result == EXR_ERR_SUCCESS)
        result =
            exr_initialize_required_attr(writer->context, writer->part, &writer->display_window, &writer->data_window,
                                         aspect, &center, screen_width, EXR_LINEORDER_INCREASING_Y, compression);
    for (uint32_t i = 0; i < writer->channel_count && result == EXR_ERR_SUCCESS; i++)
        result = exr_add_channel(writer->context, writer->part, writer->channels[i].name, writer->channels[i].type,
                                 writer->channels[i].treatment, 1, 1);
    if (result == EXR_ERR_SUCCESS && like)
        result = rp_exr_copy_attributes(writer->context, writer->part, like, writer->allocator);
    if (result == EXR_ERR_SUCCESS)
        result = exr_write_header(writer->context);
    return result;
}

static const exr_channel *channel_named(const exr_writer *writer, const char *name)
{
    for (uint32_t i = 0; i < writer->channel_count; i++)
        if (strcmp(writer->channels[i].name, name) == 0)
            return &writer->channels[i];
    return NULL;
}

// Half floats end at 65504: what is above must not become infinite.
static uint16_t to_half(float value)
{
    if (isfinite(value))
        value = value > 65504.0f ? 65504.0f : value < -65504.0f ? -65504.0f : value;
    return rp_float_to_half(value);
}

// The rows of one chunk of one channel, planar, in the file's type; gives the byte behind them.
static uint8_t *plane(const exr_writer *writer, const exr_channel *channel, size_t first_row, size_t rows, uint8_t *to)
{
    const rp_pixels *pixels = writer->pixels;
    const float *from = pixels->data + first_row * pixels->width * pixels->channels + channel->source;
    for (size_t i = 0; i < rows * pixels->width; i++) {
        float value = from[i * pixels->channels];
        if (channel->type == EXR_PIXEL_HALF) {
            uint16_t half = to_half(value);
            memcpy(to, &half, 2);
            to += 2;
        } else {
            memcpy(to, &value, 4);
            to += 4;
        }
    }
    return to;
}

static exr_result_t write_chunk(exr_writer *writer, exr_encode_pipeline_t *encoder, bool first, size_t first_row,
                                uint8_t *planes)
{
    exr_chunk_info_t chunk;
    exr_result_t result = exr_write_scanline_chunk_info(writer->context, writer->part,
                                                        writer->data_window.min.y + (int)first_row, &chunk);
    if (result == EXR_ERR_SUCCESS)
        result = first ? exr_encoding_initialize(writer->context, writer->part, &chunk, encoder)
                       : exr_encoding_update(writer->context, writer->part, &chunk, encoder);
    for (int i = 0; result == EXR_ERR_SUCCESS && i < encoder->channel_count; i++) {
        exr_coding_channel_info_t *coding = &encoder->channels[i];
        const exr_channel *channel = channel_named(writer, coding->channel_name);
        if (!channel)
            return EXR_ERR_INVALID_ARGUMENT;
        int16_t bytes = channel->type == EXR_PIXEL_HALF ? 2 : 4;
        coding->encode_from_ptr = planes;
        coding->user_bytes_per_element = bytes;
        coding->user_data_type = (uint16_t)channel->type;
        coding->user_pixel_stride = bytes;
        coding->user_line_stride = (int32_t)((uint32_t)bytes * writer->pixels->width);
        planes = plane(writer, channel, first_row, (size_t)coding->height, planes);
    }
    if (result == EXR_ERR_SUCCESS && first)
        result = exr_encoding_choose_default_routines(writer->context, writer->part, encoder);
    if (result == EXR_ERR_SUCCESS)
        result = exr_encoding_run(writer->context, writer->part, encoder);
    return result;
}

static rp_status write_rows(exr_writer *writer, rp_error *error)
{
    int32_t lines = 0;
    exr_result_t result = exr_get_scanlines_per_chunk(writer->context, writer->part, &lines);
    if (result != EXR_ERR_SUCCESS || lines < 1)
        return rp_exr_translate(result ? result : EXR_ERR_INVALID_ARGUMENT, "chunks", error);
    size_t bytes;
    if (!rp_multiply((size_t)lines * writer->channel_count * 4, writer->pixels->width, &bytes))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "EXR: rows of %u pixels", writer->pixels->width);
    uint8_t *planes = rp_allocate(writer->allocator, bytes, 1);
    if (!planes)
        return rp_fail_memory(error, bytes, "rows of an EXR file");
    exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
    for (size_t row = 0; row < writer->pixels->height && result == EXR_ERR_SUCCESS; row += (size_t)lines)
        result = write_chunk(writer, &encoder, row == 0, row, planes);
    exr_encoding_destroy(writer->context, &encoder);
    rp_free(writer->allocator, planes);
    return rp_exr_translate(result, "pixels", error);
}

rp_status rp_exr_write(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator, rp_error *error)
{
    const rp_image_file *like = desc->like;
    exr_writer writer = {.stream = {.file = stream}, .pixels = desc->pixels, .allocator = allocator};
    if (desc->pixels->width > INT32_MAX / 16 || desc->pixels->height > INT32_MAX / 16)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "EXR: %u × %u pixels", desc->pixels->width, desc->pixels->height);
    // Windows and attributes belong to an image of the same size.
    if (like && like->exr) {
        exr_attr_box2i_t window;
        if (exr_get_data_window(like->exr->context, like->exr->part, &window) == EXR_ERR_SUCCESS &&
            (int64_t)window.max.x - window.min.x + 1 == desc->pixels->width &&
            (int64_t)window.max.y - window.min.y + 1 == desc->pixels->height)
            writer.like = like->exr;
    }
    name_channels(&writer, like && like->half);
    rp_status status = rp_exr_translate(rp_exr_start_write(&writer.stream, &writer.context), "start", error);
    if (status != RP_STATUS_OK)
        return status;
    status = rp_exr_translate(declare(&writer), "header", error);
    if (status == RP_STATUS_OK)
        status = write_rows(&writer, error);
    exr_result_t result = exr_finish(&writer.context);
    if (status == RP_STATUS_OK)
        status = rp_exr_translate(result, "end", error);
    return status;
}
