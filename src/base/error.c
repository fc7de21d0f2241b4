// Errors: one table of statuses, messages formatted into the caller's struct.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *rp_status_name(rp_status status)
{
    switch (status) {
#define RP_STATUS_CASE(name, number, text)                                                                             \
    case RP_STATUS_##name:                                                                                             \
        return #name;
        RP_STATUS_LIST(RP_STATUS_CASE)
#undef RP_STATUS_CASE
    }
    return "UNKNOWN";
}

const char *rp_status_text(rp_status status)
{
    switch (status) {
#define RP_STATUS_CASE(name, number, text)                                                                             \
    case RP_STATUS_##name:                                                                                             \
        return text;
        RP_STATUS_LIST(RP_STATUS_CASE)
#undef RP_STATUS_CASE
    }
    return "an unknown status";
}

static void fill(rp_error *error, rp_status status, uint64_t offset, const char *format, va_list arguments)
{
    error->status = status;
    error->offset = offset;
    vsnprintf(error->message, sizeof error->message, format, arguments);
}

rp_status rp_fail(rp_error *error, rp_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, RP_NO_OFFSET, format, arguments);
        va_end(arguments);
    }
    return status;
}

rp_status rp_fail_at(rp_error *error, rp_status status, uint64_t offset, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, offset, format, arguments);
        va_end(arguments);
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, ", at offset %llu", (unsigned long long)offset);
    }
    return status;
}

rp_status rp_fail_memory(rp_error *error, size_t size_bytes, const char *what)
{
    return rp_fail(error, RP_STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of %s", size_bytes, what);
}

rp_status rp_error_prefix(rp_error *error, rp_status status, const char *prefix)
{
    if (error && status != RP_STATUS_OK) {
        char message[sizeof error->message];
        memcpy(message, error->message, sizeof message);
        snprintf(error->message, sizeof error->message, "%.200s: %.290s", prefix, message);
    }
    return status;
}
