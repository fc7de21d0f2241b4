// Image files: the kind is told by the first bytes when reading, by the name's extension when writing.
#include "image/image.h"
#include "base/error.h"
#include "base/file.h"
#include "image/formats.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const uint8_t exr_magic[] = {0x76, 0x2f, 0x31, 0x01};
static const uint8_t png_magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static bool begins(const rp_image_source *source, const void *magic, size_t size)
{
    return source->size >= size && memcmp(source->bytes, magic, size) == 0;
}

static rp_status read_any(const rp_image_source *source, uint8_t **bytes, rp_image_file *file, rp_error *error)
{
    if (begins(source, exr_magic, sizeof exr_magic)) {
        file->kind = RP_FILE_EXR;
        return rp_exr_read(source, bytes, file, error);
    }
    if (begins(source, png_magic, sizeof png_magic)) {
        file->kind = RP_FILE_PNG;
        return rp_png_read(source, file, error);
    }
    if (begins(source, "PF", 2) || begins(source, "Pf", 2)) {
        file->kind = RP_FILE_PFM;
        return rp_pfm_read(source, file, error);
    }
    if (begins(source, "#?RADIANCE", 10) || begins(source, "#?RGBE", 6)) {
        file->kind = RP_FILE_HDR;
        return rp_hdr_read(source, file, error);
    }
    return rp_fail(error, RP_STATUS_BAD_IMAGE, "neither OpenEXR, PNG, PFM nor Radiance HDR");
}

static rp_image_limits resolve(const rp_image_limits *limits)
{
    rp_image_limits resolved = limits ? *limits : (rp_image_limits){0};
    if (resolved.max_width == 0)
        resolved.max_width = 65536;
    if (resolved.max_height == 0)
        resolved.max_height = 65536;
    if (resolved.max_pixels == 0)
        resolved.max_pixels = 1u << 30;
    return resolved;
}

// Takes *bytes over or leaves it, but the caller frees what is left there.
static rp_status read_owned(uint8_t **bytes, size_t size, const char *name, const rp_image_limits *limits,
                            const rp_allocator *allocator, rp_image_file *file, rp_error *error)
{
    *file = (rp_image_file){.allocator = rp_allocator_or_default(allocator)};
    size_t length = strlen(name) + 1;
    file->path = rp_allocate(allocator, length, 1);
    if (!file->path)
        return rp_error_prefix(error, rp_fail_memory(error, length, "a file name"), name);
    memcpy(file->path, name, length);
    rp_image_source source = {.bytes = *bytes, .size = size, .limits = resolve(limits), .allocator = &file->allocator};
    rp_status status = read_any(&source, bytes, file, error);
    if (status != RP_STATUS_OK)
        rp_image_file_free(file);
    return rp_error_prefix(error, status, name);
}

rp_status rp_image_read_memory(const void *bytes, size_t size, const char *name, const rp_image_limits *limits,
                               const rp_allocator *allocator, rp_image_file *file, rp_error *error)
{
    uint8_t *copy = rp_reallocate(allocator, NULL, size, 1);
    *file = (rp_image_file){0};
    if (!copy)
        return rp_error_prefix(error, rp_fail_memory(error, size, "a copy of the file"), name);
    if (size)
        memcpy(copy, bytes, size);
    rp_status status = read_owned(&copy, size, name, limits, allocator, file, error);
    rp_free(allocator, copy);
    return status;
}

rp_status rp_image_read(const char *path, const rp_image_limits *limits, const rp_allocator *allocator,
                        rp_image_file *file, rp_error *error)
{
    uint8_t *bytes = NULL;
    size_t size;
    *file = (rp_image_file){0};
    rp_status status = rp_file_read(path, SIZE_MAX / 2, allocator, &bytes, &size, error);
    if (status != RP_STATUS_OK)
        return status;
    status = read_owned(&bytes, size, path, limits, allocator, file, error);
    rp_free(allocator, bytes);
    return status;
}

void rp_image_file_free(rp_image_file *file)
{
    rp_allocator allocator = file->allocator;
    rp_free(&allocator, file->path);
    rp_free(&allocator, file->color.data);
    rp_free(&allocator, file->albedo.data);
    rp_free(&allocator, file->normal.data);
    rp_free(&allocator, file->color_layer);
    if (file->exr)
        rp_exr_template_free(&allocator, file->exr);
    *file = (rp_image_file){0};
}

rp_status rp_image_check_size(const rp_image_source *source, uint32_t width, uint32_t height, rp_error *error)
{
    const rp_image_limits *limits = &source->limits;
    if (width == 0 || height == 0)
        return rp_fail(error, RP_STATUS_BAD_IMAGE, "an image of %u × %u has no pixels", width, height);
    if (width > limits->max_width || height > limits->max_height || (uint64_t)width * height > limits->max_pixels)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "an image of %u × %u is above the limit of %u × %u, %llu pixels",
                       width, height, limits->max_width, limits->max_height, (unsigned long long)limits->max_pixels);
    return RP_STATUS_OK;
}

rp_status rp_pixels_allocate(const rp_image_source *source, uint32_t width, uint32_t height, uint32_t channels,
                             rp_pixels *pixels, rp_error *error)
{
    rp_status status = rp_image_check_size(source, width, height, error);
    if (status != RP_STATUS_OK)
        return status;
    size_t count;
    if (!rp_multiply((size_t)width * channels, height, &count))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "an image of %u × %u overflows", width, height);
    pixels->data = rp_allocate(source->allocator, count, sizeof(float));
    if (!pixels->data)
        return rp_fail_memory(error, count > SIZE_MAX / 4 ? SIZE_MAX : count * 4, "an image");
    pixels->width = width;
    pixels->height = height;
    pixels->channels = channels;
    return RP_STATUS_OK;
}

float rp_srgb_encode(float linear)
{
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
}

typedef rp_status write_function(FILE *stream, const rp_image_write_desc *desc, const rp_allocator *allocator,
                                 rp_error *error);

static write_function *writer_for(const char *path)
{
    static const struct {
        const char *extension;
        write_function *write;
    } writers[] = {{".pfm", rp_pfm_write}, {".exr", rp_exr_write}, {".hdr", rp_hdr_write}, {".png", rp_png_write}};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (length > 4 && strcasecmp(path + length - 4, writers[i].extension) == 0)
            return writers[i].write;
    return NULL;
}

bool rp_image_can_write(const char *path)
{
    return writer_for(path) != NULL;
}

rp_status rp_image_write(const char *path, const rp_image_write_desc *desc, const rp_allocator *allocator,
                         rp_error *error)
{
    write_function *write = writer_for(path);
    if (!write)
        return rp_fail(error, RP_STATUS_UNSUPPORTED, "%s: the name ends in none of .pfm, .exr, .hdr, .png", path);
    if (desc->pixels->channels < 1 || desc->pixels->channels > 4)
        return rp_fail(error, RP_STATUS_UNSUPPORTED, "%s: %u channels; an image has 1 to 4", path,
                       desc->pixels->channels);
    if (desc->pixels->width == 0 || desc->pixels->height == 0 || !desc->pixels->data)
        return rp_fail(error, RP_STATUS_UNSUPPORTED, "%s: an image of %u × %u has no pixels", path, desc->pixels->width,
                       desc->pixels->height);
    rp_output_file file;
    rp_status status = rp_output_begin(&file, path, allocator, error);
    if (status != RP_STATUS_OK)
        return status;
    status = write(file.stream, desc, allocator, error);
    if (status != RP_STATUS_OK) {
        rp_output_abort(&file);
        return rp_error_prefix(error, status, path);
    }
    return rp_output_commit(&file, error);
}
