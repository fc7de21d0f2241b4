// OpenEXRCore contexts that read from memory and write to a stream, and keep the library's messages to themselves.
#include "base/error.h"
#include "image/exr.h"

#include <string.h>

static void keep_message(exr_const_context_t context, exr_result_t code, const char *message)
{
    void *user = NULL;
    (void)code;
    if (!context || exr_get_user_data(context, &user) != EXR_ERR_SUCCESS || !user)
        return;
    rp_exr_stream *stream = user;
    if (!stream->message[0] && message)
        snprintf(stream->message, sizeof stream->message, "%s", message);
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
    return options;
}

exr_result_t rp_exr_start_read(rp_exr_stream *stream, exr_context_t *context)
{
    exr_context_initializer_t options = initializer(stream);
    options.read_fn = read_bytes;
    options.size_fn = byte_count;
    // The data window's limit; tiles cannot usefully be larger.
    options.max_image_width = options.max_tile_width = (int)stream->limits.max_width;
    options.max_image_height = options.max_tile_height = (int)stream->limits.max_height;
    return exr_start_read(context, "memory", &options);
}

exr_result_t rp_exr_start_write(rp_exr_stream *stream, exr_context_t *context)
{
    exr_context_initializer_t options = initializer(stream);
    options.write_fn = write_bytes;
    return exr_start_write(context, "stream", EXR_WRITE_FILE_DIRECTLY, &options);
}

rp_status rp_exr_translate(exr_result_t result, const rp_exr_stream *stream, const char *what, rp_error *error)
{
    if (result == EXR_ERR_SUCCESS)
        return RP_STATUS_OK;
    const char *message = stream->message[0] ? stream->message : exr_get_default_error_message(result);
    rp_status status = result == EXR_ERR_OUT_OF_MEMORY ? RP_STATUS_OUT_OF_MEMORY : RP_STATUS_BAD_IMAGE;
    return rp_fail(error, status, "EXR %s: %s", what, message);
}
