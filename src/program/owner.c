// The life of a program.
#include "program/owner.h"

rp_program_owner *rp_program_owner_create(const rp_allocator *allocator)
{
    rp_program_owner *owner = rp_allocate(allocator, 1, sizeof *owner);
    if (!owner)
        return NULL;
    owner->allocator = rp_allocator_or_default(allocator);
    rp_arena_init(&owner->arena, allocator);
    return owner;
}

void rp_program_destroy(rp_program **program)
{
    if (!program || !*program)
        return;
    rp_program_owner *owner = (rp_program_owner *)*program;
    rp_allocator allocator = owner->allocator;
    *program = NULL;
    rp_arena_free(&owner->arena);
    rp_free(&allocator, owner->bytes);
    rp_free(&allocator, owner);
}
