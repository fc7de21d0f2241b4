// The failing allocator: the C library's, with a counter in front.
#include "support/failing_allocator.h"

#include <stdlib.h>

static void *reallocate(void *user, void *pointer, size_t size_bytes)
{
    failing_allocator *state = user;
    if (size_bytes == 0) {
        state->live -= pointer != NULL;
        free(pointer);
        return NULL;
    }
    state->allocations++;
    if (state->fail_at != 0 && state->allocations >= state->fail_at)
        return NULL;
    void *grown = realloc(pointer, size_bytes);
    state->live += grown && !pointer;
    return grown;
}

void failing_allocator_init(failing_allocator *allocator, size_t fail_at)
{
    *allocator = (failing_allocator){.hook = {.reallocate = reallocate, .user = allocator}, .fail_at = fail_at};
}
