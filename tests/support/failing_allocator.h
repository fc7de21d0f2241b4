// An allocator hook that counts, and fails from the n-th allocation on: for tests that no path leaks or crashes without
// memory.
#ifndef SUPPORT_FAILING_ALLOCATOR_H
#define SUPPORT_FAILING_ALLOCATOR_H

#include "reprise/memory.h"

typedef struct failing_allocator {
    rp_allocator hook;  // its user pointer is the struct itself, which must not move
    size_t fail_at;     // the first allocation (or growth) to fail, from 1; 0: none fails
    size_t allocations; // calls that asked for memory
    size_t live;        // blocks not yet freed
} failing_allocator;

void failing_allocator_init(failing_allocator *allocator, size_t fail_at);

#endif
