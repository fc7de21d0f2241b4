// Rows on several threads through OpenMP, whose team oneDNN uses too: a second kind of thread pool would fight it over
// the cores. Without OpenMP they run on the calling thread.
#include "cpu/rows.h"

#ifdef _OPENMP
#include <omp.h>
#else
#include <unistd.h>
#endif

uint32_t rp_core_count(void)
{
#ifdef _OPENMP
    int count = omp_get_max_threads();
#else
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count < 1 ? 1 : (uint32_t)count;
}

uint32_t rp_rows_threads(uint32_t thread_count)
{
#ifdef _OPENMP
    uint32_t threads = thread_count ? thread_count : rp_core_count();
    return threads > 1024 ? 1024 : threads;
#else
    (void)thread_count;
    return 1;
#endif
}

void rp_rows_run(uint32_t count, uint32_t thread_count, void (*function)(void *user, uint32_t row, uint32_t thread),
                 void *user)
{
#ifdef _OPENMP
    if (thread_count > 1 && count > 1) {
#pragma omp parallel num_threads((int)thread_count)
        {
            uint32_t thread = (uint32_t)omp_get_thread_num();
#pragma omp for schedule(static)
            for (uint32_t row = 0; row < count; row++)
                function(user, row, thread);
        }
        return;
    }
#else
    (void)thread_count;
#endif
    for (uint32_t row = 0; row < count; row++)
        function(user, row, 0);
}

uint32_t rp_rows_set_threads(uint32_t thread_count)
{
    uint32_t before = rp_rows_threads(0);
#ifdef _OPENMP
    if (thread_count)
        omp_set_num_threads((int)thread_count);
#else
    (void)thread_count;
#endif
    return before;
}
