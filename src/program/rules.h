// The semantic rules of a program, one function an object. The reader applies them to a whole file, the recorder to
// each call, so that both refuse the same things with the same statuses. Every function leaves what it is given alone.
#ifndef RP_PROGRAM_RULES_H
#define RP_PROGRAM_RULES_H

#include "base/memory.h"
#include "reprise/program.h"

// WebGPU's numbers, the same on every device: its default limits, which no implementation raises.
enum { RP_GROUP_LIMIT = 4, RP_BINDING_LIMIT = 1000, RP_BINDING_ALIGNMENT = 256, RP_COPY_ALIGNMENT = 4 };

enum { RP_FRAME_BYTES = 16 };

// Where a program's parts begin in its file.
typedef struct rp_program_offsets {
    uint64_t inputs; // the first id
    uint64_t output; // the id; external, width, height and channels follow
    uint64_t *buffers, *shaders, *pipelines, *bind_groups, *operations;
    uint64_t meta; // the magic
} rp_program_offsets;

// What a message is about.
typedef struct rp_place {
    const char *noun;   // "bind group", "copy"
    uint32_t index;     // among its like; RP_NO_ID: not numbered
    uint32_t operation; // that it lies in; RP_NO_ID: in none
    uint64_t offset;    // where it begins in the file; RP_NO_OFFSET: it is being recorded
} rp_place;

// `field` is the offset of the text within the place.
rp_status rp_rule_text(rp_text text, const char *what, const rp_place *place, uint64_t field, rp_error *error);
rp_status rp_rule_buffer(const rp_program_buffer *buffer, uint32_t id, uint64_t offset, rp_error *error);
rp_status rp_rule_shader(const rp_program_shader *shader, uint32_t id, uint64_t offset, rp_error *error);

// These hold an object against the tables of `program`, to which it need not belong yet.
rp_status rp_rule_pipeline(const rp_program *program, const rp_program_pipeline *pipeline, uint32_t id, uint64_t offset,
                           rp_error *error);
rp_status rp_rule_bind_group(const rp_program *program, const rp_program_bind_group *bind_group, uint32_t id,
                             uint64_t offset, rp_error *error);
rp_status rp_rule_command(const rp_program *program, const rp_program_command *command, const rp_place *place,
                          rp_error *error);
rp_status rp_rule_write(const rp_program *program, uint32_t buffer, uint32_t offset, uint64_t size_bytes,
                        const rp_place *place, rp_error *error);

// Inputs and output; META. `offsets` NULL: the program is being recorded. Scratch memory comes from the allocator.
rp_status rp_rule_interface(const rp_program *program, const rp_program_offsets *offsets, const rp_allocator *allocator,
                            rp_error *error);
rp_status rp_rule_meta(const rp_program *program, const rp_program_offsets *offsets, const rp_allocator *allocator,
                       rp_error *error);

// All of the above over a whole program that came from a file.
rp_status rp_rule_program(const rp_program *program, const rp_program_offsets *offsets, const rp_allocator *allocator,
                          rp_error *error);

// The bytes that an entry binds: its own size, or what is left of the buffer.
static inline uint32_t rp_entry_bytes(const rp_program_entry *entry, const rp_program_buffer *buffer)
{
    return entry->size_bytes ? entry->size_bytes : buffer->size_bytes - entry->offset;
}

#endif
