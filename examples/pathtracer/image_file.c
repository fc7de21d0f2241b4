// PFM by hand ("PF", size, negative scale for little-endian, rows from the bottom), OpenEXR through OpenEXRCore.
#include "image_file.h"

#include <errno.h>
#include <openexr.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

image_format image_file_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot != NULL && strcasecmp(dot, ".pfm") == 0)
        return IMAGE_FORMAT_PFM;
    if (dot != NULL && strcasecmp(dot, ".exr") == 0)
        return IMAGE_FORMAT_EXR;
    return IMAGE_FORMAT_UNKNOWN;
}

bool image_file_may_write(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *folder = malloc(length + 2);
    if (folder == NULL)
        return true; // the writing itself will tell
    memcpy(folder, path, length);
    strcpy(folder + length, ".");
    struct stat status;
    int reason = 0;
    if (access(folder, W_OK | X_OK) != 0)
        reason = errno;
    else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        reason = EISDIR;
    if (reason != 0)
        fprintf(stderr, "pathtracer: %s: %s\n", path, strerror(reason));
    free(folder);
    return reason == 0;
}

static bool write_row(FILE *stream, const float *row, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &row[i], 4);
        for (size_t b = 0; b < 4; b++)
            bytes[i * 4 + b] = (unsigned char)(bits >> (8 * b));
    }
    return fwrite(bytes, 4, count, stream) == count;
}

static bool write_pfm(const image_file *file)
{
    FILE *stream = fopen(file->temporary, "wb");
    if (stream == NULL)
        return false;
    size_t count = (size_t)file->width * 3;
    unsigned char *bytes = malloc(count * 4);
    bool good = bytes != NULL && fprintf(stream, "PF\n%u %u\n-1.0\n", file->width, file->height) > 0;
    for (uint32_t y = file->height; good && y-- > 0;)
        good = write_row(stream, file->layers[0].pixels + y * count, bytes, count);
    free(bytes);
    return (fclose(stream) == 0) && good;
}

static void ignore_message(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context;
    (void)code;
    (void)message;
}

static void channel_name(const image_layer *layer, uint32_t component, char name[64])
{
    char letter = (layer->kind == IMAGE_NORMAL ? "XYZ" : "RGB")[component];
    snprintf(name, 64, "%s%s%c", layer->name == NULL ? "" : layer->name, layer->name == NULL ? "" : ".", letter);
}

// The first pixel of a channel of the file, or NULL.
static const float *find_channel(const image_file *file, const char *wanted)
{
    for (uint32_t i = 0; i < file->layer_count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            char name[64];
            channel_name(&file->layers[i], c, name);
            if (strcmp(name, wanted) == 0)
                return file->layers[i].pixels + c;
        }
    }
    return NULL;
}

static exr_result_t write_exr_header(exr_context_t context, const image_file *file)
{
    int part;
    exr_result_t result = exr_add_part(context, NULL, EXR_STORAGE_SCANLINE, &part);
    if (result == EXR_ERR_SUCCESS)
        result = exr_initialize_required_attr_simple(context, part, (int32_t)file->width, (int32_t)file->height,
                                                     EXR_COMPRESSION_ZIP);
    if (result == EXR_ERR_SUCCESS && file->comment != NULL)
        result = exr_attr_set_string(context, part, "comments", file->comment);
    for (uint32_t i = 0; i < file->layer_count; i++) {
        for (uint32_t c = 0; c < 3 && result == EXR_ERR_SUCCESS; c++) {
            char name[64];
            channel_name(&file->layers[i], c, name);
            result = exr_add_channel(context, part, name, EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
        }
    }
    return result == EXR_ERR_SUCCESS ? exr_write_header(context) : result;
}

static exr_result_t write_exr_chunk(exr_context_t context, const image_file *file, exr_encode_pipeline_t *encoder,
                                    uint32_t y)
{
    exr_chunk_info_t chunk;
    exr_result_t result = exr_write_scanline_chunk_info(context, 0, (int)y, &chunk);
    if (result == EXR_ERR_SUCCESS)
        result = y == 0 ? exr_encoding_initialize(context, 0, &chunk, encoder)
                        : exr_encoding_update(context, 0, &chunk, encoder);
    if (result != EXR_ERR_SUCCESS)
        return result;
    for (int16_t c = 0; c < encoder->channel_count; c++) {
        exr_coding_channel_info_t *channel = &encoder->channels[c];
        const float *pixels = find_channel(file, channel->channel_name);
        if (pixels == NULL)
            return EXR_ERR_INVALID_ARGUMENT;
        channel->encode_from_ptr = (const uint8_t *)(pixels + (size_t)y * file->width * 3);
        channel->user_bytes_per_element = sizeof(float);
        channel->user_data_type = EXR_PIXEL_FLOAT;
        channel->user_pixel_stride = 3 * sizeof(float);
        channel->user_line_stride = (int32_t)(file->width * 3 * sizeof(float));
    }
    if (y == 0)
        result = exr_encoding_choose_default_routines(context, 0, encoder);
    return result == EXR_ERR_SUCCESS ? exr_encoding_run(context, 0, encoder) : result;
}

static bool write_exr(const image_file *file)
{
    exr_context_initializer_t settings = EXR_DEFAULT_CONTEXT_INITIALIZER;
    settings.error_handler_fn = ignore_message;
    exr_context_t context = NULL;
    exr_result_t result = exr_start_write(&context, file->temporary, EXR_WRITE_FILE_DIRECTLY, &settings);
    if (result != EXR_ERR_SUCCESS)
        return false;
    exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
    int32_t rows = 0;
    result = write_exr_header(context, file);
    if (result == EXR_ERR_SUCCESS)
        result = exr_get_scanlines_per_chunk(context, 0, &rows);
    for (uint32_t y = 0; result == EXR_ERR_SUCCESS && y < file->height; y += (uint32_t)rows)
        result = write_exr_chunk(context, file, &encoder, y);
    exr_encoding_destroy(context, &encoder);
    exr_result_t finished = exr_finish(&context);
    return result == EXR_ERR_SUCCESS && finished == EXR_ERR_SUCCESS;
}

bool image_file_prepare(image_file *file)
{
    size_t length = strlen(file->path);
    file->temporary = malloc(length + 8);
    if (file->temporary == NULL) {
        fprintf(stderr, "pathtracer: %s: out of memory\n", file->path);
        return false;
    }
    memcpy(file->temporary, file->path, length);
    memcpy(file->temporary + length, ".XXXXXX", 8);
    errno = 0;
    int descriptor = mkstemp(file->temporary);
    if (descriptor < 0) {
        fprintf(stderr, "pathtracer: %s: %s\n", file->path, strerror(errno));
        free(file->temporary);
        file->temporary = NULL;
        return false;
    }
    // mkstemp's files are the owner's alone; these get the usual permissions.
    mode_t mask = umask(0);
    umask(mask);
    bool good = fchmod(descriptor, 0666 & ~mask) == 0;
    good = close(descriptor) == 0 && good;
    good = good && (image_file_format(file->path) == IMAGE_FORMAT_EXR ? write_exr(file) : write_pfm(file));
    if (!good) {
        fprintf(stderr, "pathtracer: %s: %s\n", file->path, errno != 0 ? strerror(errno) : "cannot be written");
        image_file_discard(file);
    }
    return good;
}

bool image_file_commit(image_file *file)
{
    if (rename(file->temporary, file->path) != 0) {
        fprintf(stderr, "pathtracer: %s: %s\n", file->path, strerror(errno));
        return false;
    }
    free(file->temporary);
    file->temporary = NULL;
    return true;
}

void image_file_discard(image_file *file)
{
    if (file->temporary == NULL)
        return;
    unlink(file->temporary);
    free(file->temporary);
    file->temporary = NULL;
}
