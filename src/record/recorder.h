// The recorder's insides, shared by its two files.
#ifndef RP_RECORD_RECORDER_H
#define RP_RECORD_RECORDER_H

#include "base/memory.h"
#include "reprise/record.h"

// A growing array. Elements move when it grows; only the program's pointers in rp_recorder may point at them.
typedef struct rp_record_table {
    void *elements;
    size_t capacity;
} rp_record_table;

struct rp_recorder {
    rp_allocator allocator;
    uint32_t max_workgroups;
    rp_program program; // what is recorded so far: its tables are the elements below
    rp_record_table buffers, shaders, shader_hashes, pipelines, bind_groups, operations;
    rp_record_table commands; // not submitted yet
    uint32_t command_count;
    rp_arena arena;   // texts, contents, entries, submitted commands: what the program takes over
    rp_status status; // of the first failure, or INVALID_ARGUMENT after finish
    rp_error error;
};

// Makes room for element `count` and gives its place. NULL: recorder->error says why.
void *rp_record_append(rp_recorder *recorder, rp_record_table *table, uint32_t count, size_t size);

// Fills recorder->error for an allocation that failed.
rp_status rp_record_no_memory(rp_recorder *recorder, size_t size);

// Ends a call: keeps the first failure, and passes it on to the caller.
rp_status rp_record_settle(rp_recorder *recorder, rp_status status, rp_error *error);

#endif
