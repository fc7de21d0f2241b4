// Portable float map: "PF" (RGB) or "Pf" (grey), size, scale, rows from the bottom up. The scale's sign tells the byte
// order (negative: little-endian). Its magnitude has no settled meaning and is not applied (docs/images.md).
#include "base/bytes.h"
#include "base/error.h"
#include "image/formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

// The next word of the header, zero-terminated in `word`; *at is left on the one byte of white space behind it.
static bool read_word(const rp_image_source *source, size_t *at, char *word, size_t size)
{
    size_t length = 0;
    while (*at < source->size && is_space(source->bytes[*at]))
        ++*at;
    while (*at < source->size && !is_space(source->bytes[*at]) && length + 1 < size)
        word[length++] = (char)source->bytes[(*at)++];
    word[length] = 0;
    return length > 0 && *at < source->size && is_space(source->bytes[*at]);
}

static bool read_number(const rp_image_source *source, size_t *at, uint32_t *value)
{
    char word[12], *end;
    if (!read_word(source, at, word, sizeof word) || word[0] < '0' || word[0] > '9')
        return false;
    unsigned long number = strtoul(word, &end, 10);
    *value = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    return *end == 0;
}

rp_status rp_pfm_read(const rp_image_source *source, rp_image_file *file, rp_error *error)
{
    size_t at = 2;
    uint32_t width, height, channels = source->bytes[1] == 'F' ? 3 : 1;
    char word[32], *end = NULL;
    if (source->size < 3 || !is_space(source->bytes[2]) || !read_number(source, &at, &width) ||
        !read_number(source, &at, &height))
        return rp_fail_at(error, RP_STATUS_BAD_IMAGE, at, "PFM header: no size");
    size_t scale_at = at;
    if (!read_word(source, &at, word, sizeof word))
        return rp_fail_at(error, RP_STATUS_BAD_IMAGE, scale_at, "PFM header: no scale");
    float scale = strtof(word, &end);
    if (*end || !isfinite(scale) || scale == 0)
        return rp_fail_at(error, RP_STATUS_BAD_IMAGE, scale_at, "PFM header: the scale '%s' is no number but 0", word);
    at++; // the one byte of white space that ends the header

    size_t row = (size_t)width * channels, left = source->size - at;
    // Held against the bytes that are there before anything is allocated.
    if (height && row > left / 4 / height)
        return rp_fail_at(error, RP_STATUS_TRUNCATED, at,
                          "PFM: %u × %u pixels of %u floats do not fit the %zu bytes left", width, height, channels,
                          left);
    rp_status status = rp_pixels_allocate(source, width, height, channels, &file->color, error);
    if (status != RP_STATUS_OK)
        return status;
    file->bits = 32;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *from = source->bytes + at + (size_t)(height - 1 - y) * row * 4;
        float *to = file->color.data + y * row;
        for (size_t i = 0; i < row; i++) {
            uint32_t bits = rp_load_u32(from + 4 * i);
            if (scale > 0)
                bits = bits >> 24 | (bits >> 8 & 0xff00) | (bits << 8 & 0xff0000) | bits << 24;
            memcpy(to + i, &bits, 4);
        }
    }
    return RP_STATUS_OK;
}

rp_status rp_pfm_write(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator, rp_error *error)
{
    const rp_pixels *pixels = desc->pixels;
    uint32_t kept = pixels->channels < 3 ? 1 : 3; // alpha has no place in the format
    size_t row_bytes = (size_t)pixels->width * kept * 4;
    uint8_t *row = rp_allocate(allocator, row_bytes, 1);
    if (!row)
        return rp_fail_memory(error, row_bytes, "a row");
    fprintf(stream, "P%c\n%u %u\n-1.0\n", kept == 3 ? 'F' : 'f', pixels->width, pixels->height);
    for (uint32_t y = pixels->height; y-- > 0;) {
        const float *from = pixels->data + (size_t)y * pixels->width * pixels->channels;
        for (size_t x = 0; x < pixels->width; x++)
            for (size_t c = 0; c < kept; c++) {
                uint32_t bits;
                memcpy(&bits, from + x * pixels->channels + c, 4);
                rp_store_u32(row + (x * kept + c) * 4, bits);
            }
        fwrite(row, 1, row_bytes, stream);
    }
    rp_free(allocator, row);
    return RP_STATUS_OK;
}
