// Reading OpenEXR through OpenEXRCore: scanlines and tiles (the full-size level), any lossless or lossy compression
// that the library decodes, half, float and uint channels. The image is the data window.
#include "base/error.h"
#include "base/half.h"
#include "image/exr.h"

#include <string.h>

typedef struct exr_reader {
    const rp_image_source *source;
    exr_context_t context;
    const rp_exr_layer *layer;
    rp_pixels *pixels;
    exr_attr_box2i_t window;
    exr_decode_pipeline_t decoder;
    bool decoder_ready;
    uint8_t *planes; // one chunk of the layer's channels, one behind the other, each as the file holds it
    uint32_t plane_width, plane_height;
    rp_error *error;
} exr_reader;

static rp_status failed(const exr_reader *reader, exr_result_t result, const char *what)
{
    return rp_exr_translate(result, what, reader->error);
}

// Where in the image's channels a channel of the part goes, or -1.
static int place_of(const exr_reader *reader, const exr_attr_chlist_t *channels, const char *name)
{
    for (uint32_t i = 0; i < reader->layer->channel_count; i++)
        if (strcmp(channels->entries[reader->layer->channels[i]].name.str, name) == 0)
            return (int)i;
    return -1;
}

static rp_status check_channels(const exr_reader *reader, const exr_attr_chlist_t *channels)
{
    for (uint32_t i = 0; i < reader->layer->channel_count; i++) {
        const exr_attr_chlist_entry_t *channel = &channels->entries[reader->layer->channels[i]];
        if (channel->x_sampling != 1 || channel->y_sampling != 1)
            return rp_fail(reader->error, RP_STATUS_UNSUPPORTED, "EXR: channel '%s' is subsampled (%d × %d)",
                           channel->name.str, channel->x_sampling, channel->y_sampling);
    }
    return RP_STATUS_OK;
}

// A chunk is decoded without any conversion to planes and put into the image here: the library's own conversions to
// interleaved pixels swap the channels of a half RGBA image (release 3.1.5).
static void place_plane(const exr_reader *reader, const exr_coding_channel_info_t *channel, size_t place, size_t x,
                        size_t y)
{
    const rp_pixels *pixels = reader->pixels;
    const uint8_t *from = channel->decode_to_ptr;
    for (size_t row = 0; row < (size_t)channel->height; row++) {
        float *to = pixels->data + ((y + row) * pixels->width + x) * pixels->channels + place;
        for (size_t column = 0; column < (size_t)channel->width; column++, to += pixels->channels) {
            uint16_t half;
            uint32_t integer;
            switch (channel->data_type) {
            case EXR_PIXEL_HALF:
                memcpy(&half, from, 2);
                *to = rp_half_to_float(half);
                break;
            case EXR_PIXEL_UINT:
                memcpy(&integer, from, 4);
                *to = (float)integer;
                break;
            default:
                memcpy(to, from, 4);
            }
            from += channel->bytes_per_element;
        }
    }
}

static rp_status prepare_decoder(exr_reader *reader, exr_chunk_info_t *chunk)
{
    exr_decode_pipeline_t *decoder = &reader->decoder;
    int part = reader->layer->part;
    if (reader->decoder_ready)
        return failed(reader, exr_decoding_update(reader->context, part, chunk, decoder), "chunk");
    exr_result_t result = exr_decoding_initialize(reader->context, part, chunk, decoder);
    reader->decoder_ready = result == EXR_ERR_SUCCESS;
    return failed(reader, result, "chunk");
}

// Decodes one chunk to row `y` and column `x` of the image.
static rp_status read_chunk(exr_reader *reader, const exr_attr_chlist_t *channels, exr_chunk_info_t *chunk, int64_t x,
                            int64_t y)
{
    const rp_pixels *pixels = reader->pixels;
    exr_decode_pipeline_t *decoder = &reader->decoder;
    bool first = !reader->decoder_ready;
    rp_status status = prepare_decoder(reader, chunk);
    if (status != RP_STATUS_OK)
        return status;
    for (int i = 0; i < decoder->channel_count; i++) {
        exr_coding_channel_info_t *channel = &decoder->channels[i];
        int place = place_of(reader, channels, channel->channel_name);
        channel->decode_to_ptr = NULL;
        if (place < 0)
            continue;
        if (channel->width < 1 || channel->height < 1 || (uint32_t)channel->width > reader->plane_width ||
            (uint32_t)channel->height > reader->plane_height || x + channel->width > pixels->width ||
            y + channel->height > pixels->height || channel->bytes_per_element > 4)
            return rp_fail(reader->error, RP_STATUS_BAD_IMAGE, "EXR: a chunk lies outside the data window");
        size_t plane_bytes = (size_t)reader->plane_width * reader->plane_height * 4;
        channel->decode_to_ptr = reader->planes + plane_bytes * (size_t)place;
        channel->user_pixel_stride = channel->bytes_per_element;
        channel->user_line_stride = channel->bytes_per_element * channel->width;
        channel->user_bytes_per_element = channel->bytes_per_element;
        channel->user_data_type = channel->data_type;
    }
    if (first)
        status = failed(reader, exr_decoding_choose_default_routines(reader->context, reader->layer->part, decoder),
                        "decoder");
    if (status == RP_STATUS_OK)
        status = failed(reader, exr_decoding_run(reader->context, reader->layer->part, decoder), "pixels");
    for (int i = 0; i < decoder->channel_count && status == RP_STATUS_OK; i++) {
        int place = place_of(reader, channels, decoder->channels[i].channel_name);
        if (place >= 0)
            place_plane(reader, &decoder->channels[i], (size_t)place, (size_t)x, (size_t)y);
    }
    return status;
}

// Room for a chunk of this many pixels, of which the image cuts off what lies beyond it.
static rp_status allocate_planes(exr_reader *reader, uint32_t width, uint32_t height)
{
    const rp_pixels *pixels = reader->pixels;
    size_t bytes;
    reader->plane_width = width < pixels->width ? width : pixels->width;
    reader->plane_height = height < pixels->height ? height : pixels->height;
    if (!rp_multiply((size_t)reader->plane_width * 4 * pixels->channels, reader->plane_height, &bytes))
        return rp_fail(reader->error, RP_STATUS_TOO_LARGE, "EXR: chunks of %u × %u pixels", width, height);
    reader->planes = rp_allocate(reader->source->allocator, bytes, 1);
    return reader->planes ? RP_STATUS_OK : rp_fail_memory(reader->error, bytes, "a chunk of an EXR file");
}

static rp_status read_scanlines(exr_reader *reader, const exr_attr_chlist_t *channels)
{
    int32_t lines = 0;
    exr_result_t result = exr_get_scanlines_per_chunk(reader->context, reader->layer->part, &lines);
    if (result != EXR_ERR_SUCCESS || lines < 1)
        return failed(reader, result ? result : EXR_ERR_FILE_BAD_HEADER, "chunks");
    rp_status status = allocate_planes(reader, reader->pixels->width, (uint32_t)lines);
    for (int64_t y = 0; y < reader->pixels->height && status == RP_STATUS_OK; y += lines) {
        exr_chunk_info_t chunk;
        result =
            exr_read_scanline_chunk_info(reader->context, reader->layer->part, (int)(reader->window.min.y + y), &chunk);
        status = result == EXR_ERR_SUCCESS ? read_chunk(reader, channels, &chunk, 0, y)
                                           : failed(reader, result, "chunk table");
    }
    return status;
}

static rp_status read_tiles(exr_reader *reader, const exr_attr_chlist_t *channels)
{
    uint32_t width = 0, height = 0;
    exr_tile_level_mode_t levels;
    exr_tile_round_mode_t rounding;
    exr_result_t result =
        exr_get_tile_descriptor(reader->context, reader->layer->part, &width, &height, &levels, &rounding);
    if (result != EXR_ERR_SUCCESS || width == 0 || height == 0)
        return failed(reader, result ? result : EXR_ERR_FILE_BAD_HEADER, "tiles");
    rp_status status = allocate_planes(reader, width, height);
    if (status != RP_STATUS_OK)
        return status;
    for (int64_t y = 0; y < reader->pixels->height; y += height)
        for (int64_t x = 0; x < reader->pixels->width; x += width) {
            exr_chunk_info_t chunk;
            result = exr_read_tile_chunk_info(reader->context, reader->layer->part, (int)(x / width), (int)(y / height),
                                              0, 0, &chunk);
            status = result == EXR_ERR_SUCCESS ? read_chunk(reader, channels, &chunk, x, y)
                                               : failed(reader, result, "tile table");
            if (status != RP_STATUS_OK)
                return status;
        }
    return status;
}

static rp_status read_pixels(exr_reader *reader, const exr_attr_chlist_t *channels)
{
    exr_storage_t storage;
    exr_result_t result = exr_get_storage(reader->context, reader->layer->part, &storage);
    if (result != EXR_ERR_SUCCESS)
        return failed(reader, result, "storage");
    if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED)
        return rp_fail(reader->error, RP_STATUS_UNSUPPORTED, "EXR: part %d with layer '%s' is deep",
                       reader->layer->part, reader->layer->name);
    int64_t width = (int64_t)reader->window.max.x - reader->window.min.x + 1;
    int64_t height = (int64_t)reader->window.max.y - reader->window.min.y + 1;
    if (width < 1 || height < 1 || width > UINT32_MAX || height > UINT32_MAX)
        return rp_fail(reader->error, RP_STATUS_BAD_IMAGE, "EXR: a data window of %lld × %lld", (long long)width,
                       (long long)height);
    rp_status status = rp_pixels_allocate(reader->source, (uint32_t)width, (uint32_t)height,
                                          reader->layer->channel_count, reader->pixels, reader->error);
    if (status != RP_STATUS_OK)
        return status;
    // The strides that the library takes are 32 bits wide.
    if (width * reader->pixels->channels > INT32_MAX / 4)
        return rp_fail(reader->error, RP_STATUS_TOO_LARGE, "EXR: rows of %lld pixels", (long long)width);
    return storage == EXR_STORAGE_TILED ? read_tiles(reader, channels) : read_scanlines(reader, channels);
}

static rp_status read_layer(const rp_image_source *source, struct rp_exr_template *exr, const rp_exr_layer *layer,
                            rp_pixels *pixels, rp_error *error)
{
    exr_reader reader = {.source = source, .context = exr->context, .layer = layer, .pixels = pixels, .error = error};
    const exr_attr_chlist_t *channels = NULL;
    exr_result_t result = exr_get_channels(exr->context, layer->part, &channels);
    if (result == EXR_ERR_SUCCESS)
        result = exr_get_data_window(exr->context, layer->part, &reader.window);
    if (result != EXR_ERR_SUCCESS)
        return failed(&reader, result, "header");
    rp_status status = check_channels(&reader, channels);
    if (status == RP_STATUS_OK)
        status = read_pixels(&reader, channels);
    if (reader.decoder_ready)
        exr_decoding_destroy(exr->context, &reader.decoder);
    rp_free(source->allocator, reader.planes);
    return status;
}

static rp_status read_layers(const rp_image_source *source, struct rp_exr_template *exr, rp_image_file *file,
                             rp_error *error)
{
    rp_exr_layer layers[RP_EXR_ROLES];
    rp_pixels *const targets[RP_EXR_ROLES] = {&file->color, &file->albedo, &file->normal};
    rp_status status = rp_exr_translate(rp_exr_start_read(&exr->stream, &exr->context), "header", error);
    if (status == RP_STATUS_OK)
        status = rp_exr_find_layers(exr->context, layers, error);
    bool any = false;
    for (int role = 0; role < RP_EXR_ROLES && status == RP_STATUS_OK; role++) {
        if (layers[role].part < 0)
            continue;
        any = true;
        status = read_layer(source, exr, &layers[role], targets[role], error);
    }
    if (status != RP_STATUS_OK)
        return status;
    if (!any)
        return rp_fail(error, RP_STATUS_UNSUPPORTED, "EXR: no layer is known as colour, albedo or normal");

    // What is written from this file takes after its colour layer, else after the first layer that there is.
    int role = 0;
    while (layers[role].part < 0)
        role++;
    const rp_exr_layer *main = &layers[role];
    exr->part = main->part;
    exr->channel_count = main->channel_count;
    memcpy(exr->channels, main->channels, sizeof exr->channels);
    const exr_attr_chlist_t *channels = NULL;
    if (exr_get_channels(exr->context, main->part, &channels) == EXR_ERR_SUCCESS)
        file->half = channels->entries[main->channels[0]].pixel_type == EXR_PIXEL_HALF;
    file->bits = file->half ? 16 : 32;
    if (file->color.data) {
        size_t length = strlen(layers[RP_EXR_COLOR].name) + 1;
        file->color_layer = rp_allocate(source->allocator, length, 1);
        if (!file->color_layer)
            return rp_fail_memory(error, length, "a layer's name");
        memcpy(file->color_layer, layers[RP_EXR_COLOR].name, length);
    }
    return RP_STATUS_OK;
}

rp_status rp_exr_read(const rp_image_source *source, uint8_t **bytes, rp_image_file *file, rp_error *error)
{
    struct rp_exr_template *exr = rp_allocate(source->allocator, 1, sizeof *exr);
    if (!exr)
        return rp_fail_memory(error, sizeof *exr, "an EXR file");
    file->exr = exr; // the caller frees it with the file
    exr->bytes = *bytes;
    *bytes = NULL;
    exr->stream = (rp_exr_stream){.bytes = exr->bytes, .size = source->size};
    rp_status status = read_layers(source, exr, file, error);
    // The context holds the header; the pixels of a large file need not stay.
    rp_free(source->allocator, exr->bytes);
    exr->bytes = NULL;
    exr->stream = (rp_exr_stream){0};
    return status;
}

void rp_exr_template_free(const rp_allocator *allocator, struct rp_exr_template *exr)
{
    if (exr->context)
        exr_finish(&exr->context);
    rp_free(allocator, exr->bytes);
    rp_free(allocator, exr);
}
