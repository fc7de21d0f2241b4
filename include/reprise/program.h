// A program: GPU compute work as data. Buffers, WGSL shaders, pipelines, bind groups, and an ordered list of
// operations.
//
// This header reads, writes, compares and describes programs; it never touches a device, a file or the screen. The
// binary format (version 2) is specified in docs/format.md. An rp_program is immutable once made: any number of threads
// may read one at the same time.
#ifndef REPRISE_PROGRAM_H
#define REPRISE_PROGRAM_H

#include "reprise/error.h"
#include "reprise/memory.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RP_NO_ID UINT32_MAX

// WebGPU's GPUBufferUsage bits.
typedef enum rp_usage {
    RP_USAGE_MAP_READ = 1,
    RP_USAGE_MAP_WRITE = 2,
    RP_USAGE_COPY_SRC = 4,
    RP_USAGE_COPY_DST = 8,
    RP_USAGE_INDEX = 16,
    RP_USAGE_VERTEX = 32,
    RP_USAGE_UNIFORM = 64,
    RP_USAGE_STORAGE = 128,
    RP_USAGE_INDIRECT = 256,
    RP_USAGE_QUERY_RESOLVE = 512
} rp_usage;

// UTF-8, `size` bytes without the zero byte that always follows. It may hold zero bytes itself when it came from a
// file.
typedef struct rp_text {
    const char *data;
    uint32_t size;
} rp_text;

typedef struct rp_program_buffer {
    uint32_t size_bytes;      // 1 or more
    uint32_t usage;           // rp_usage bits
    const uint8_t *data;      // initial content; the rest of the buffer is zero
    uint32_t data_size_bytes; // 0 when it starts as zeros
    rp_text label;
} rp_program_buffer;

typedef struct rp_program_shader {
    rp_text wgsl;
} rp_program_shader;

// The layout is always WebGPU's "auto".
typedef struct rp_program_pipeline {
    uint32_t shader;
    rp_text entry_point;
} rp_program_pipeline;

typedef struct rp_program_entry {
    uint32_t binding;
    uint32_t buffer;
    uint32_t offset;
    uint32_t size_bytes; // 0: to the end of the buffer
} rp_program_entry;

typedef struct rp_program_bind_group {
    uint32_t pipeline;
    uint32_t group; // the WGSL @group index
    uint32_t entry_count;
    const rp_program_entry *entries;
} rp_program_bind_group;

typedef enum rp_command_kind { RP_COMMAND_DISPATCH = 0, RP_COMMAND_COPY = 1 } rp_command_kind;

typedef struct rp_program_dispatch {
    uint32_t pipeline;
    uint32_t bind_group;
    uint32_t x, y, z; // workgroups
} rp_program_dispatch;

typedef struct rp_program_copy {
    uint32_t source;
    uint32_t source_offset;
    uint32_t destination;
    uint32_t destination_offset;
    uint32_t size_bytes;
} rp_program_copy;

typedef struct rp_program_command {
    rp_command_kind kind;
    union {
        rp_program_dispatch dispatch;
        rp_program_copy copy;
    };
} rp_program_command;

typedef enum rp_operation_kind { RP_OPERATION_SUBMIT = 0, RP_OPERATION_WRITE = 1 } rp_operation_kind;

typedef struct rp_program_submit {
    uint32_t command_count;
    const rp_program_command *commands;
} rp_program_submit;

typedef struct rp_program_write {
    uint32_t buffer;
    uint32_t offset;
    uint32_t size_bytes;
    const uint8_t *data;
} rp_program_write;

typedef struct rp_program_operation {
    rp_operation_kind kind;
    union {
        rp_program_submit submit;
        rp_program_write write;
    };
} rp_program_operation;

typedef enum rp_precision { RP_PRECISION_AUTO = 0, RP_PRECISION_FP32 = 1, RP_PRECISION_FP16 = 2 } rp_precision;

// Kinds of convolution kernel that a program uses (META's kernel bits).
typedef enum rp_kernel_bits {
    RP_KERNEL_DIRECT = 1,
    RP_KERNEL_IMPLICIT_GEMM = 2,
    RP_KERNEL_SUBGROUP_MATRIX = 4,
    RP_KERNEL_SPATIAL = 8,
    RP_KERNEL_SUBGROUP = 16
} rp_kernel_bits;

// The META chunk: what a denoising program says of itself.
typedef struct rp_program_meta {
    bool present;
    rp_precision precision; // FP32 or FP16
    uint32_t tile_count;    // 0 for a bare network
    uint32_t kernel_bits;   // rp_kernel_bits
    uint32_t frame_buffer;  // a 16-byte uniform whose first word is the f32 input scale, or RP_NO_ID
    uint32_t weight_buffer_count;
    const uint32_t *weight_buffers;
} rp_program_meta;

// Ids are indices into the tables. Everything is owned by the program and lives as long as it does.
typedef struct rp_program {
    uint32_t input_count;
    const uint32_t *inputs; // buffer ids: colour, albedo, normal order
    uint32_t output;        // buffer id
    bool output_external;   // the host may supply the output buffer itself
    uint32_t output_width, output_height, output_channels;
    uint32_t buffer_count;
    const rp_program_buffer *buffers;
    uint32_t shader_count;
    const rp_program_shader *shaders;
    uint32_t pipeline_count;
    const rp_program_pipeline *pipelines;
    uint32_t bind_group_count;
    const rp_program_bind_group *bind_groups;
    uint32_t operation_count;
    const rp_program_operation *operations;
    rp_program_meta meta;
    const uint8_t *trailing; // bytes after META (without META: after the operations) that this version has no name for;
                             // written back as they are
    size_t trailing_size_bytes;
} rp_program;

// What a reader accepts. Zero members stand for the defaults given.
typedef struct rp_program_limits {
    size_t max_bytes;          // of the file or span: 4 GiB
    uint32_t max_objects;      // in each table, and operations, and bind group entries and commands in all: 1 << 20
    uint64_t max_buffer_bytes; // sum of all buffer sizes: no limit
} rp_program_limits;

typedef struct rp_program_parse_desc {
    const rp_allocator *allocator;
    rp_program_limits limits;
    const char *name; // what error messages call the source; NULL: "program"
} rp_program_parse_desc;

// Reads a version 2 program from `size` bytes and checks every rule of docs/format.md. The bytes are copied: they may
// go when the call returns. desc may be NULL. On success *program is the caller's to destroy; on failure it is NULL and
// nothing is kept. Errors: TRUNCATED, BAD_MAGIC (an ERRO packet's message is passed on), BAD_VERSION, BAD_COUNT,
// BAD_VALUE, BAD_ID, BAD_SIZE, BAD_RANGE, BAD_ALIGNMENT, BAD_USAGE, BAD_BIND_GROUP, DUPLICATE, BAD_TEXT, TOO_LARGE,
// OUT_OF_MEMORY; error->offset is the byte offset of the field at fault, RP_NO_OFFSET where no field is (OUT_OF_MEMORY,
// and TOO_LARGE of the whole span).
RP_API rp_status rp_program_parse(const void *bytes, size_t size, const rp_program_parse_desc *desc,
                                  rp_program **program, rp_error *error);

// The same from a file. desc->name defaults to the path. Also: IO.
RP_API rp_status rp_program_load(const char *path, const rp_program_parse_desc *desc, rp_program **program,
                                 rp_error *error);

// Frees the program and clears the handle. NULL and a handle to NULL are fine.
RP_API void rp_program_destroy(rp_program **program);

// The program's file bytes: the same program gives the same bytes on every machine, and a parsed file gives back its
// own bytes. *bytes is the caller's, to free with rp_free and the same allocator. Errors: OUT_OF_MEMORY.
RP_API rp_status rp_program_serialize(const rp_program *program, const rp_allocator *allocator, uint8_t **bytes,
                                      size_t *size, rp_error *error);

// Serializes into a file, complete or not at all. Errors: OUT_OF_MEMORY, IO.
RP_API rp_status rp_program_save(const rp_program *program, const char *path, rp_error *error);

// Sums over a program.
typedef struct rp_program_stats {
    uint64_t buffer_bytes;    // all buffers
    uint64_t data_bytes;      // initial contents
    uint64_t weight_bytes;    // buffers that META names as weights
    uint64_t external_bytes;  // inputs, and the output when it is external (once where it is an input too)
    uint64_t largest_binding; // bytes of the largest bind group entry
    uint32_t dispatch_count, copy_count, submit_count, write_count;
    uint32_t largest_dispatch; // workgroups in a dimension
} rp_program_stats;

RP_API void rp_program_measure(const rp_program *program, rp_program_stats *stats);

// A readable listing of every object and operation, one a line: text of *size bytes with a zero byte after it, the
// caller's to free with rp_free. Shaders are listed by size and hash, not in full. Errors: OUT_OF_MEMORY.
RP_API rp_status rp_program_disassemble(const rp_program *program, const rp_allocator *allocator, char **text,
                                        size_t *size, rp_error *error);

#ifdef __cplusplus
}
#endif
#endif
