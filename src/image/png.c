// PNG through libspng: 8 or 16 bits, display-referred.
#include "base/error.h"
#include "image/formats.h"

#include <math.h>
#include <spng.h>
#include <string.h>

static rp_status translate(int code, const char *what, rp_error *error)
{
    if (code == 0)
        return RP_STATUS_OK;
    if (code == SPNG_EMEM)
        return rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "PNG: no memory for %s", what);
    return rp_fail(error, RP_STATUS_BAD_IMAGE, "PNG %s: %s", what, spng_strerror(code));
}

typedef struct png_layout {
    int format;
    uint32_t channels;
    bool wide;
} png_layout;

// The decoder format that keeps what the file has: grey stays grey, alpha and transparent colours become alpha. libspng
// gives grey in 8 bits (and in 16 without alpha as stored); what it does not offer is decoded as RGB(A) and thinned
// out.
static png_layout choose_layout(spng_ctx *context, const struct spng_ihdr *header)
{
    struct spng_trns transparent;
    bool alpha = header->color_type == SPNG_COLOR_TYPE_TRUECOLOR_ALPHA ||
                 header->color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA || spng_get_trns(context, &transparent) == 0;
    bool grey =
        header->color_type == SPNG_COLOR_TYPE_GRAYSCALE || header->color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA;
    bool wide = header->bit_depth == 16;
    return (png_layout){.format = wide ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8,
                        .channels = (grey ? 1u : 3u) + (alpha ? 1u : 0u),
                        .wide = wide};
}

// From RGBA of 8 or 16 bits (host order) to the channels that the file has.
static void unpack(const uint8_t *decoded, const png_layout *layout, rp_pixels *pixels)
{
    size_t count = (size_t)pixels->width * pixels->height;
    uint32_t colors = layout->channels < 3 ? 1 : 3;
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < layout->channels; c++) {
            size_t from = 4 * i + (c < colors ? c : 3);
            uint16_t value;
            if (layout->wide)
                memcpy(&value, decoded + 2 * from, 2);
            else
                value = decoded[from];
            pixels->data[i * layout->channels + c] = (float)value / (layout->wide ? 65535.0f : 255.0f);
        }
}

// Deflate makes at most 1032 bytes of one: a file too short for the pixels that it claims is refused before any memory
// is taken for them.
static bool can_hold(const rp_image_source *source, const struct spng_ihdr *header)
{
    static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4}; // by color type
    uint64_t row = ((uint64_t)header->width * channels[header->color_type % 7] * header->bit_depth + 7) / 8;
    return row * header->height / 1032 <= source->size;
}

static rp_status decode(spng_ctx *context, const rp_image_source *source, rp_image_file *file, rp_error *error)
{
    struct spng_ihdr header;
    spng_set_image_limits(context, source->limits.max_width, source->limits.max_height);
    spng_set_chunk_limits(context, 1 << 24, 1 << 26);
    spng_set_crc_action(context, SPNG_CRC_ERROR, SPNG_CRC_ERROR);
    rp_status status = translate(spng_set_png_buffer(context, source->bytes, source->size), "data", error);
    if (status == RP_STATUS_OK) {
        int code = spng_get_ihdr(context, &header);
        if (code == SPNG_EUSER_WIDTH || code == SPNG_EUSER_HEIGHT)
            return rp_fail(error, RP_STATUS_TOO_LARGE, "PNG: its size is above the limit of %u × %u",
                           source->limits.max_width, source->limits.max_height);
        status = translate(code, "header", error);
    }
    if (status != RP_STATUS_OK)
        return status;
    png_layout layout = choose_layout(context, &header);
    size_t size;
    status = translate(spng_decoded_image_size(context, layout.format, &size), "size", error);
    if (status == RP_STATUS_OK)
        status = rp_image_check_size(source, header.width, header.height, error);
    if (status == RP_STATUS_OK && !can_hold(source, &header))
        return rp_fail(error, RP_STATUS_TRUNCATED, "PNG: %zu bytes are too few for %u × %u pixels", source->size,
                       header.width, header.height);
    if (status == RP_STATUS_OK)
        status = rp_pixels_allocate(source, header.width, header.height, layout.channels, &file->color, error);
    if (status != RP_STATUS_OK)
        return status;
    uint8_t *decoded = rp_allocate(source->allocator, size, 1);
    if (!decoded)
        return rp_fail_memory(error, size, "a PNG");
    status = translate(spng_decode_image(context, decoded, size, layout.format, SPNG_DECODE_TRNS), "pixels", error);
    if (status == RP_STATUS_OK)
        unpack(decoded, &layout, &file->color);
    rp_free(source->allocator, decoded);
    file->bits = layout.wide ? 16 : 8;
    file->display_referred = true;
    return status;
}

rp_status rp_png_read(const rp_image_source *source, rp_image_file *file, rp_error *error)
{
    spng_ctx *context = spng_ctx_new(0);
    if (!context)
        return rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "PNG: no memory for a decoder");
    rp_status status = decode(context, source, file, error);
    spng_ctx_free(context);
    return status;
}

static uint16_t quantize(float value, bool encode, float most)
{
    if (!(value > 0)) // NaN too
        return 0;
    if (value > 1)
        value = 1;
    return (uint16_t)lrintf((encode ? rp_srgb_encode(value) : value) * most);
}

static rp_status encode(spng_ctx *context, FILE *stream, const rp_image_write_desc *desc, const void *data, size_t size,
                        bool wide, rp_error *error)
{
    static const uint8_t color_types[] = {SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA,
                                          SPNG_COLOR_TYPE_TRUECOLOR, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    struct spng_ihdr header = {.width = desc->pixels->width,
                               .height = desc->pixels->height,
                               .bit_depth = wide ? 16 : 8,
                               .color_type = color_types[desc->pixels->channels - 1]};
    rp_status status = translate(spng_set_png_file(context, stream), "stream", error);
    if (status == RP_STATUS_OK)
        status = translate(spng_set_ihdr(context, &header), "header", error);
    if (status == RP_STATUS_OK)
        status = translate(spng_set_srgb(context, 0), "sRGB chunk", error);
    if (status == RP_STATUS_OK) {
        int code = spng_encode_image(context, data, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
        if (code == SPNG_IO_ERROR)
            return RP_STATUS_OK; // the stream's own error, which the commit reports
        status = translate(code, "pixels", error);
    }
    return status;
}

rp_status rp_png_write(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator, rp_error *error)
{
    const rp_pixels *pixels = desc->pixels;
    const rp_image_file *like = desc->like;
    uint32_t like_bits = like && like->kind == RP_FILE_PNG ? like->bits : 8; // half floats are 16 bits, too
    bool wide = (desc->png_bits ? desc->png_bits : like_bits) == 16;
    size_t values = (size_t)pixels->width * pixels->height * pixels->channels, size = values * (wide ? 2 : 1);
    uint8_t *data = rp_allocate(allocator, size, 1);
    if (!data)
        return rp_fail_memory(error, size, "a PNG");
    bool has_alpha = pixels->channels % 2 == 0;
    for (size_t i = 0; i < values; i++) {
        bool alpha = has_alpha && i % pixels->channels == pixels->channels - 1;
        uint16_t value = quantize(pixels->data[i], desc->encode_srgb && !alpha, wide ? 65535.0f : 255.0f);
        if (wide) // libspng takes 16 bits in host order
            memcpy(data + 2 * i, &value, 2);
        else
            data[i] = (uint8_t)value;
    }
    spng_ctx *context = spng_ctx_new(SPNG_CTX_ENCODER);
    rp_status status = context ? encode(context, stream, desc, data, size, wide, error)
                               : rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "PNG: no memory for an encoder");
    spng_ctx_free(context);
    rp_free(allocator, data);
    return status;
}
