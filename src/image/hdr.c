// Radiance HDR through stb.
#include "base/error.h"
#include "image/formats.h"
#include "image/stb.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// stb takes missing bytes for zeros and can wait forever for a run that never ends, so the runs are walked first.
typedef struct hdr_walk {
    const uint8_t *at, *end;
} hdr_walk;

// One component of a run-length encoded row: runs (128 + n, value) and literals (n, n values), n at least 1.
static bool walk_component(hdr_walk *walk, uint32_t width)
{
    for (uint32_t x = 0; x < width;) {
        if (walk->at == walk->end)
            return false;
        uint32_t count = *walk->at++, bytes = count;
        if (count > 128) {
            count -= 128;
            bytes = 1;
        }
        if (count == 0 || count > width - x || (size_t)(walk->end - walk->at) < bytes)
            return false;
        walk->at += bytes;
        x += count;
    }
    return true;
}

static bool walk_rows(hdr_walk *walk, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++) {
        size_t left = (size_t)(walk->end - walk->at);
        bool encoded =
            width >= 8 && width < 32768 && left >= 4 && walk->at[0] == 2 && walk->at[1] == 2 && walk->at[2] < 128;
        if (!encoded) // plain pixels, for all of the image; a change of kind within it is none that stb reads
            return y == 0 && left / 4 / width >= height;
        if (((uint32_t)walk->at[2] << 8 | walk->at[3]) != width)
            return false;
        walk->at += 4;
        for (int component = 0; component < 4; component++)
            if (!walk_component(walk, width))
                return false;
    }
    return true;
}

// Finds the pixels: behind the line after the first empty one.
static bool find_rows(const rp_image_source *source, hdr_walk *walk)
{
    walk->at = source->bytes;
    walk->end = source->bytes + source->size;
    bool size_is_next = false;
    while (walk->at < walk->end) {
        const uint8_t *newline = memchr(walk->at, '\n', (size_t)(walk->end - walk->at));
        if (!newline)
            return false;
        bool empty = newline == walk->at;
        walk->at = newline + 1;
        if (size_is_next)
            return true;
        size_is_next = empty;
    }
    return false;
}

rp_status rp_hdr_read(const rp_image_source *source, rp_image_file *file, rp_error *error)
{
    int width, height, channels;
    hdr_walk walk;
    if (source->size > INT_MAX)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "Radiance HDR: %zu bytes, above %d", source->size, INT_MAX);
    // The size first, so that the limits hold before the decoder allocates.
    if (!stbi_info_from_memory(source->bytes, (int)source->size, &width, &height, &channels) || width < 1 ||
        height < 1 || !find_rows(source, &walk))
        return rp_fail(error, RP_STATUS_BAD_IMAGE, "Radiance HDR: its header is not one that is read");
    rp_status status = rp_image_check_size(source, (uint32_t)width, (uint32_t)height, error);
    if (status != RP_STATUS_OK)
        return status;
    if (!walk_rows(&walk, (uint32_t)width, (uint32_t)height))
        return rp_fail_at(error, RP_STATUS_BAD_IMAGE, (uint64_t)(walk.at - source->bytes),
                          "Radiance HDR: its rows are damaged or end early");
    status = rp_pixels_allocate(source, (uint32_t)width, (uint32_t)height, 3, &file->color, error);
    if (status != RP_STATUS_OK)
        return status;
    float *decoded = stbi_loadf_from_memory(source->bytes, (int)source->size, &width, &height, &channels, 3);
    if (!decoded)
        return rp_fail(error, RP_STATUS_BAD_IMAGE, "Radiance HDR: %s", stbi_failure_reason());
    memcpy(file->color.data, decoded, (size_t)width * (size_t)height * 3 * sizeof(float));
    stbi_image_free(decoded);
    file->bits = 32;
    return RP_STATUS_OK;
}

static void put(void *user, void *bytes, int size)
{
    fwrite(bytes, 1, (size_t)size, user);
}

rp_status rp_hdr_write(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator, rp_error *error)
{
    const rp_pixels *pixels = desc->pixels;
    size_t count = (size_t)pixels->width * pixels->height;
    if (pixels->width > INT_MAX / 16 || pixels->height > INT_MAX / 16)
        return rp_fail(error, RP_STATUS_UNSUPPORTED, "Radiance HDR: %u × %u is too large", pixels->width,
                       pixels->height);
    // The format holds RGB from 0 to about 1e38 and nothing else.
    float *rgb = rp_allocate(allocator, count, 3 * sizeof *rgb);
    if (!rgb)
        return rp_fail_memory(error, count * 12, "an image");
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 3; c++) {
            float value = pixels->data[i * pixels->channels + (pixels->channels < 3 ? 0 : c)];
            rgb[3 * i + c] = !(value > 0) ? 0 : value > 1.6e38f ? 1.6e38f : value;
        }
    int good = stbi_write_hdr_to_func(put, stream, (int)pixels->width, (int)pixels->height, 3, rgb);
    rp_free(allocator, rgb);
    return good ? RP_STATUS_OK : rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "Radiance HDR: no memory for a row");
}
