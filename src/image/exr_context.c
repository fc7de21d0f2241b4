// OpenEXRCore contexts that read from memory and write to a stream, and keep the library's messages to themselves.
#include "base/error.h"
#include "image/exr.h"

#include <string.h>

// The library reports while it holds the lock of the context, so that a handler must not ask the context for its user
// data (release 3.1 would wait for itself). The first message since the last result is kept for this thread instead.
static _Thread_local char first_message[300];

static void keep_message(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context;
    (void)code;
    if (!first_message[0] && message)
        snprintf(first_message, sizeof first_message, "%s", message);
}

static int64_t read_bytes(exr_const_context_t context, void *user, void *buffer, uint64_t size, uint64_t offset,
                          exr_stream_error_func_ptr_t report)
{
    const rp_exr_stream *stream = user;
    if (offset > stream->size || size > stream->size - offset) {
        // What is left is given: the library tells a short read by its count.
        size = offset > stream->size ? 0 : stream->size - offset;
        if (size == 0)
            return report ? (report(context, EXR_ERR_READ_IO, "the bytes end before offset %llu",
                                    (unsigned long long)offset),
                             -1)
                          : -1;
    }
    memcpy(buffer, stream->bytes + offset, size);
    return (int64_t)size;
}

static int64_t byte_count(exr_const_context_t context, void *user)
{
    (void)context;
    return (int64_t)((const rp_exr_stream *)user)->size;
}

static int64_t write_bytes(exr_const_context_t context, void *user, const void *buffer, uint64_t size, uint64_t offset,
                           exr_stream_error_func_ptr_t report)
{
    rp_exr_stream *stream = user;
    if (offset > INT64_MAX || fseeko(stream->file, (off_t)offset, SEEK_SET) != 0 ||
        fwrite(buffer, 1, size, stream->file) != size) {
        report(context, EXR_ERR_WRITE_IO, "cannot write %llu bytes", (unsigned long long)size);
        return -1;
    }
    return (int64_t)size;
}

static exr_context_initializer_t initializer(rp_exr_stream *stream)
{
    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    options.error_handler_fn = keep_message;
    options.user_data = stream;
    first_message[0] = 0;
    return options;
}

exr_result_t rp_exr_start_read(rp_exr_stream *stream, exr_context_t *context)
{
    exr_context_initializer_t options = initializer(stream);
    options.read_fn = read_bytes;
    options.size_fn = byte_count;
    // The limits on the image are ours (rp_pixels_allocate), so that they fail as such; these keep the library's own
    // arithmetic small.
    options.max_image_width = options.max_image_height = 1 << 24;
    options.max_tile_width = options.max_tile_height = 1 << 16;
    return exr_start_read(context, "memory", &options);
}

exr_result_t rp_exr_start_write(rp_exr_stream *stream, exr_context_t *context)
{
    exr_context_initializer_t options = initializer(stream);
    options.write_fn = write_bytes;
    return exr_start_write(context, "stream", EXR_WRITE_FILE_DIRECTLY, &options);
}

rp_status rp_exr_translate(exr_result_t result, const char *what, rp_error *error)
{
    rp_status status = RP_STATUS_BAD_IMAGE;
    if (result == EXR_ERR_OUT_OF_MEMORY)
        status = RP_STATUS_OUT_OF_MEMORY;
    else if (result == EXR_ERR_FEATURE_NOT_IMPLEMENTED)
        status = RP_STATUS_UNSUPPORTED;
    else if (result == EXR_ERR_WRITE_IO)
        status = RP_STATUS_IO;
    const char *message = first_message[0] ? first_message : exr_get_default_error_message(result);
    if (result != EXR_ERR_SUCCESS)
        rp_fail(error, status, "EXR %s: %s", what, message);
    first_message[0] = 0;
    return result == EXR_ERR_SUCCESS ? RP_STATUS_OK : status;
}
