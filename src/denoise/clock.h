// A monotonic clock in seconds, for reports.
#ifndef RP_DENOISE_CLOCK_H
#define RP_DENOISE_CLOCK_H

#include <time.h>

static inline double rp_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
