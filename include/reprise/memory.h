// The one allocator hook. A descriptor with an `allocator` member takes all host memory of what it creates from there;
// NULL stands for the C library's allocator. (Memory taken inside third-party libraries is theirs.)
#ifndef REPRISE_MEMORY_H
#define REPRISE_MEMORY_H

#include "reprise/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Works like realloc: pointer NULL allocates, size_bytes 0 frees and returns NULL. What it returns is aligned for any C
// type. NULL for a size above 0 means that there is no memory; the old block is then still valid. Called from any
// thread that calls into reprise. The struct is copied; `user` must outlive every object made with it.
typedef struct rp_allocator {
    void *(*reallocate)(void *user, void *pointer, size_t size_bytes);
    void *user;
} rp_allocator;

// Frees memory that a reprise call handed to the caller, with the allocator that the call was given (NULL: the C
// library's). NULL pointers are fine.
RP_API void rp_free(const rp_allocator *allocator, void *pointer);

#ifdef __cplusplus
}
#endif
#endif
