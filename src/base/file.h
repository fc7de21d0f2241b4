// Whole-file reading, and writing that shows up complete or not at all.
#ifndef RP_BASE_FILE_H
#define RP_BASE_FILE_H

#include "base/memory.h"

#include <stdio.h>

// Reads a regular file of at most max_bytes into *bytes (free with rp_free and the same allocator; a zero byte follows
// the content). Errors: IO, TOO_LARGE, OUT_OF_MEMORY; the message names the path.
rp_status rp_file_read(const char *path, size_t max_bytes, const rp_allocator *allocator, uint8_t **bytes, size_t *size,
                       rp_error *error);

// A file being written beside its final name. Begin, write to `stream` (or by path to `temporary`), then commit: flush,
// sync, rename. Abort removes it and may follow anything, a failed commit included. The directory must exist. Where the
// path names a pipe or a device there is no temporary file (`temporary` is NULL) and the stream writes to it directly.
typedef struct rp_output_file {
    FILE *stream;
    char *path;
    char *temporary;
    rp_allocator allocator;
} rp_output_file;

rp_status rp_output_begin(rp_output_file *file, const char *path, const rp_allocator *allocator, rp_error *error);
rp_status rp_output_commit(rp_output_file *file, rp_error *error);
void rp_output_abort(rp_output_file *file);

rp_status rp_file_write(const char *path, const void *bytes, size_t size, const rp_allocator *allocator,
                        rp_error *error);

#endif
