// Files: read whole with a limit, write under a temporary name and rename.
#include "base/file.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

rp_status rp_file_read(const char *path, size_t max_bytes, const rp_allocator *allocator, uint8_t **bytes, size_t *size,
                       rp_error *error)
{
    rp_status status = RP_STATUS_OK;
    uint8_t *content = NULL;
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return rp_fail(error, RP_STATUS_IO, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        status = rp_fail(error, RP_STATUS_IO, "%s: not a regular file", path);
        goto done;
    }
    if ((uintmax_t)info.st_size > max_bytes) {
        status = rp_fail(error, RP_STATUS_TOO_LARGE, "%s: %jd bytes, above the limit of %zu", path,
                         (intmax_t)info.st_size, max_bytes);
        goto done;
    }
    size_t expected = (size_t)info.st_size;
    content = rp_reallocate(allocator, NULL, expected + 1, 1);
    if (!content) {
        status = rp_fail_memory(error, expected + 1, path);
        goto done;
    }
    size_t filled = 0;
    while (filled < expected) {
        ssize_t got = read(descriptor, content + filled, expected - filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            status = rp_fail(error, RP_STATUS_IO, "%s: read failed after %zu of %zu bytes: %s", path, filled, expected,
                             got < 0 ? strerror(errno) : "the file became shorter");
            goto done;
        }
        filled += (size_t)got;
    }
    content[expected] = 0;
    *bytes = content;
    *size = expected;
    content = NULL;
done:
    rp_free(allocator, content);
    close(descriptor);
    return status;
}

// The file that a path leads to, through symbolic links, so that a rename does not replace the link itself.
static char *resolve(const rp_allocator *allocator, const char *path)
{
    char *real = realpath(path, NULL);
    const char *chosen = real ? real : path;
    size_t size = strlen(chosen) + 1;
    char *copy = rp_allocate(allocator, 1, size);
    if (copy)
        memcpy(copy, chosen, size);
    free(real);
    return copy;
}

// Creates `temporary` (size bytes) as a new file beside `path`; gives its descriptor, or -1 with errno set.
static int create_beside(const char *path, char *temporary, size_t size)
{
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(temporary, size, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        int descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

rp_status rp_output_begin(rp_output_file *file, const char *path, const rp_allocator *allocator, rp_error *error)
{
    *file = (rp_output_file){.allocator = rp_allocator_or_default(allocator)};
    file->path = resolve(allocator, path);
    if (!file->path)
        return rp_fail_memory(error, strlen(path) + 1, "a file name");
    struct stat info;
    int descriptor;
    if (stat(file->path, &info) == 0 && !S_ISREG(info.st_mode)) {
        // A pipe or a device cannot be replaced by a rename: it is written directly.
        descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
    } else {
        size_t size = strlen(file->path) + 40;
        file->temporary = rp_allocate(allocator, 1, size);
        if (!file->temporary) {
            rp_output_abort(file);
            return rp_fail_memory(error, size, "a file name");
        }
        descriptor = create_beside(file->path, file->temporary, size);
        if (descriptor < 0) { // nothing was created, so abort must not unlink
            int reason = errno;
            rp_free(allocator, file->temporary);
            file->temporary = NULL;
            errno = reason;
        }
    }
    file->stream = descriptor < 0 ? NULL : fdopen(descriptor, file->temporary ? "w+b" : "wb");
    if (!file->stream) {
        rp_status status = rp_fail(error, RP_STATUS_IO, "%s: cannot create: %s", path, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        rp_output_abort(file);
        return status;
    }
    return RP_STATUS_OK;
}

rp_status rp_output_commit(rp_output_file *file, rp_error *error)
{
    rp_status status = RP_STATUS_OK;
    bool good = !ferror(file->stream) && fflush(file->stream) == 0;
    if (good && file->temporary)
        good = fsync(fileno(file->stream)) == 0;
    int reason = errno;
    if (fclose(file->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    file->stream = NULL;
    if (good && file->temporary && rename(file->temporary, file->path) != 0) {
        good = false;
        reason = errno;
    }
    if (!good) {
        status = rp_fail(error, RP_STATUS_IO, "%s: cannot write: %s", file->path, strerror(reason));
    } else {
        rp_free(&file->allocator, file->temporary);
        file->temporary = NULL;
    }
    rp_output_abort(file);
    return status;
}

void rp_output_abort(rp_output_file *file)
{
    if (file->stream)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    rp_free(&file->allocator, file->temporary);
    rp_free(&file->allocator, file->path);
    *file = (rp_output_file){.allocator = file->allocator};
}

rp_status rp_file_write(const char *path, const void *bytes, size_t size, const rp_allocator *allocator,
                        rp_error *error)
{
    rp_output_file file;
    rp_status status = rp_output_begin(&file, path, allocator, error);
    if (status != RP_STATUS_OK)
        return status;
    if (size && fwrite(bytes, 1, size, file.stream) != size) {
        status = rp_fail(error, RP_STATUS_IO, "%s: cannot write %zu bytes: %s", path, size, strerror(errno));
        rp_output_abort(&file);
        return status;
    }
    return rp_output_commit(&file, error);
}
