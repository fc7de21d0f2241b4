// Filling rp_error from inside the library.
#ifndef RP_BASE_ERROR_H
#define RP_BASE_ERROR_H

#include "reprise/error.h"

// Sets *error (when not NULL) and returns status, so that a failing line reads `return rp_fail(error, …)`.
rp_status rp_fail(rp_error *error, rp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// The same with the byte offset at which the fault lies; ", at offset N" is appended to the message.
rp_status rp_fail_at(rp_error *error, rp_status status, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

rp_status rp_fail_memory(rp_error *error, size_t size_bytes, const char *what);

// Puts "prefix: " before an error's message: how a caller adds the file name that the callee did not know.
rp_status rp_error_prefix(rp_error *error, rp_status status, const char *prefix);

#endif
