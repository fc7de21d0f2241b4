// Running a function over rows on several threads.
#ifndef RP_CPU_ROWS_H
#define RP_CPU_ROWS_H

#include <stdint.h>

// The cores that OpenMP, or else the system, offers this process; at least 1.
uint32_t rp_core_count(void);

// Threads that rp_rows_run uses for a denoiser's thread_count (0: all cores); at least 1.
uint32_t rp_rows_threads(uint32_t thread_count);

// Calls function(user, row, thread) for every row below `count`; `thread` is below thread_count, and no two calls run
// at a time with the same one. Returns when all are done.
void rp_rows_run(uint32_t count, uint32_t thread_count, void (*function)(void *user, uint32_t row, uint32_t thread),
                 void *user);

// Makes OpenMP's parallel regions of the calling thread (oneDNN's among them) use `thread_count` threads, 0: as many as
// before; gives the count that was set before, to be restored with a second call.
uint32_t rp_rows_set_threads(uint32_t thread_count);

#endif
