// Statuses and errors, shared by every part of reprise.
//
// The library never prints, exits or aborts, and keeps no global state. Every call that can fail returns an rp_status
// and fills the rp_error whose address is its last parameter; that parameter may be NULL.
#ifndef REPRISE_ERROR_H
#define REPRISE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define RP_API
#else
#define RP_API __attribute__((visibility("default")))
#endif

// Every status: name, number, and what it means. Numbers are never reused; JavaScript uses the same ones.
#define RP_STATUS_LIST(X)                                                                                              \
    X(OK, 0, "no error")                                                                                               \
    X(OUT_OF_MEMORY, 1, "host memory could not be allocated")                                                          \
    X(INVALID_ARGUMENT, 2, "an argument is outside its documented range")                                              \
    X(UNSUPPORTED, 3, "valid, but not supported here")                                                                 \
    X(CANCELLED, 4, "cancelled by the caller")                                                                         \
    X(IO, 5, "a file could not be opened, read or written")                                                            \
    X(TOO_LARGE, 6, "a size is above the limit that was set or that the format allows")                                \
    X(TRUNCATED, 10, "the bytes end before the structure does")                                                        \
    X(BAD_MAGIC, 11, "the bytes do not begin as this format does")                                                     \
    X(BAD_VERSION, 12, "a version that this reader does not know")                                                     \
    X(BAD_COUNT, 13, "a count or length that cannot fit in the bytes left")                                            \
    X(BAD_VALUE, 14, "a field has a value that the format does not define")                                            \
    X(BAD_ID, 15, "an id outside its table")                                                                           \
    X(BAD_SIZE, 16, "a size of zero, or one that contradicts the data")                                                \
    X(BAD_RANGE, 17, "an offset and size outside their buffer")                                                        \
    X(BAD_ALIGNMENT, 18, "an offset or size that breaks an alignment rule")                                            \
    X(BAD_USAGE, 19, "a buffer's usage contradicts what is done with it")                                              \
    X(BAD_BIND_GROUP, 20, "a bind group used with another pipeline than it was made for")                              \
    X(DUPLICATE, 21, "two entries where only one may stand")                                                           \
    X(BAD_TEXT, 22, "text that is not UTF-8")                                                                          \
    X(BAD_MODEL, 23, "the tensors do not form a network that is known")                                                \
    X(BAD_IMAGE, 24, "an image file is damaged or of a kind that is not read")                                         \
    X(NO_LIBRARY, 40, "no usable WebGPU library was found")                                                            \
    X(NO_DEVICE, 41, "no adapter or device answered, or none that fits")                                               \
    X(DEVICE_LIMIT, 42, "the program needs more than the device has")                                                  \
    X(DEVICE_LOST, 43, "the device was lost")                                                                          \
    X(DEVICE_MEMORY, 44, "the device is out of memory")                                                                \
    X(DEVICE_VALIDATION, 45, "the device refused an object or a command")                                              \
    X(DEVICE_INTERNAL, 46, "the device failed for a reason of its own")                                                \
    X(INTERNAL, 60, "a library underneath failed unexpectedly")

typedef enum rp_status {
#define RP_STATUS_ENUM(name, number, text) RP_STATUS_##name = number,
    RP_STATUS_LIST(RP_STATUS_ENUM)
#undef RP_STATUS_ENUM
} rp_status;

#define RP_NO_OFFSET UINT64_MAX

// What went wrong. The caller owns it and need not initialize it; it holds no pointers. A call that returns
// RP_STATUS_OK leaves it alone.
typedef struct rp_error {
    rp_status status;
    uint64_t offset;   // byte offset in the file or span that was read, or RP_NO_OFFSET
    char message[500]; // UTF-8, one line, names the thing and the values; cut short when longer
} rp_error;

// The constant name ("BAD_ID") and the general meaning of a status; "UNKNOWN" and "an unknown status" for other
// numbers. Never NULL; any thread.
RP_API const char *rp_status_name(rp_status status);
RP_API const char *rp_status_text(rp_status status);

#ifdef __cplusplus
}
#endif
#endif
