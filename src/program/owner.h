// What stands behind an rp_program: the memory that it points into.
#ifndef RP_PROGRAM_OWNER_H
#define RP_PROGRAM_OWNER_H

#include "base/memory.h"
#include "reprise/program.h"

typedef struct rp_program_owner {
    rp_program program; // first, so that a pointer to it is a pointer to the owner
    rp_allocator allocator;
    uint8_t *bytes; // the file that was parsed; NULL for a recorded program
    rp_arena arena;
} rp_program_owner;

// An empty program. NULL when there is no memory. Freed with rp_program_destroy(&owner->program's address).
rp_program_owner *rp_program_owner_create(const rp_allocator *allocator);

#endif
