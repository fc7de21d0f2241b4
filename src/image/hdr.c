// Radiance HDR through stb.
#include "base/error.h"
#include "image/formats.h"
#include "image/stb.h"

#include <limits.h>
#include <math.h>
#include <string.h>

rp_status rp_hdr_read(const rp_image_source *source, rp_image_file *file, rp_error *error)
{
    int width, height, channels;
    if (source->size > INT_MAX)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "Radiance HDR: %zu bytes, above %d", source->size, INT_MAX);
    // The size first, so that the limits hold before the decoder allocates.
    if (!stbi_info_from_memory(source->bytes, (int)source->size, &width, &height, &channels) || width < 1 || height < 1)
        return rp_fail(error, RP_STATUS_BAD_IMAGE, "Radiance HDR: %s", stbi_failure_reason());
    // A run-length encoded row takes at least four bytes and a few for every 127 pixels of each component.
    if ((size_t)height > source->size / 4 || (size_t)width / 127 * (size_t)height > source->size)
        return rp_fail(error, RP_STATUS_TRUNCATED, "Radiance HDR: %d × %d pixels do not fit its %zu bytes", width,
                       height, source->size);
    rp_status status = rp_pixels_allocate(source, (uint32_t)width, (uint32_t)height, 3, &file->color, error);
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
