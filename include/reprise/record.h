// The recording device: WebGPU-shaped calls that make an rp_program instead of running anything.
//
// It knows nothing of denoising and needs no GPU. Calls follow WebGPU's own rules and fail where WebGPU would raise a
// validation error; the rules and their statuses are those of docs/format.md. The first failure sticks: every later
// call returns it again and rp_recorder_finish reports it, so a long recording may ignore the statuses and check once.
// An id asked for by a call that failed is RP_NO_ID. A recorder belongs to one thread at a time.
#ifndef REPRISE_RECORD_H
#define REPRISE_RECORD_H

#include "reprise/program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_recorder rp_recorder;

typedef struct rp_recorder_desc {
    const rp_allocator *allocator;
    uint32_t max_workgroups_per_dimension; // 0: 65535, WebGPU's default
} rp_recorder_desc;

// desc may be NULL. Errors: OUT_OF_MEMORY.
RP_API rp_status rp_recorder_create(const rp_recorder_desc *desc, rp_recorder **recorder, rp_error *error);
// NULL and a handle to NULL are fine.
RP_API void rp_recorder_destroy(rp_recorder **recorder);

typedef struct rp_buffer_desc {
    const char *label;   // NULL: ""
    uint64_t size_bytes; // 1 to 0xffffffff; a larger one is TOO_LARGE
    uint32_t usage;      // rp_usage bits
    const void *data;    // initial content, copied; NULL: zeros, whatever data_size_bytes is
    size_t data_size_bytes;
} rp_buffer_desc;

// Ids count from 0 in order of creation. Errors: BAD_SIZE, TOO_LARGE, BAD_USAGE, BAD_VALUE (unknown usage bits),
// BAD_ALIGNMENT (initial data in a buffer whose size is no multiple of 4), BAD_TEXT, OUT_OF_MEMORY.
RP_API rp_status rp_recorder_create_buffer(rp_recorder *recorder, const rp_buffer_desc *desc, uint32_t *buffer,
                                           rp_error *error);

// `wgsl` is a whole WGSL module, zero-terminated. The same text gives the same id. Errors: BAD_TEXT, OUT_OF_MEMORY.
RP_API rp_status rp_recorder_create_shader(rp_recorder *recorder, const char *wgsl, uint32_t *shader, rp_error *error);

// A compute pipeline with layout "auto". The same shader and entry point give the same id. Errors: BAD_ID, BAD_TEXT.
RP_API rp_status rp_recorder_create_pipeline(rp_recorder *recorder, uint32_t shader, const char *entry_point,
                                             uint32_t *pipeline, rp_error *error);

// Entries are copied. Errors: BAD_ID, DUPLICATE (binding), BAD_RANGE, BAD_ALIGNMENT (offset not a multiple of 256, or a
// storage binding's size not of 4), BAD_USAGE (neither UNIFORM nor STORAGE), BAD_VALUE (a group index of 4 or more, a
// binding of 1000 or more).
RP_API rp_status rp_recorder_create_bind_group(rp_recorder *recorder, uint32_t pipeline, uint32_t group,
                                               const rp_program_entry *entries, uint32_t entry_count,
                                               uint32_t *bind_group, rp_error *error);

// Commands collect until rp_recorder_submit makes one submit operation of them; a submit without commands records
// nothing. Errors: BAD_ID, BAD_BIND_GROUP, DEVICE_LIMIT (a dimension above the limit), BAD_RANGE, BAD_ALIGNMENT
// (copies: 4), BAD_USAGE, BAD_VALUE (a copy within one buffer).
RP_API rp_status rp_recorder_dispatch(rp_recorder *recorder, uint32_t pipeline, uint32_t bind_group, uint32_t x,
                                      uint32_t y, uint32_t z, rp_error *error);
RP_API rp_status rp_recorder_copy(rp_recorder *recorder, uint32_t source, uint32_t source_offset, uint32_t destination,
                                  uint32_t destination_offset, uint32_t size_bytes, rp_error *error);
RP_API rp_status rp_recorder_submit(rp_recorder *recorder, rp_error *error);

// A queue write, in order with the submits; unsubmitted commands run after it, as in WebGPU. The data are copied.
// Errors: BAD_ID, BAD_RANGE, BAD_ALIGNMENT (4), BAD_USAGE (without COPY_DST).
RP_API rp_status rp_recorder_write(rp_recorder *recorder, uint32_t buffer, uint32_t offset, const void *data,
                                   size_t size_bytes, rp_error *error);

typedef struct rp_recorder_result {
    const uint32_t *inputs; // buffer ids, in the order a host binds them
    uint32_t input_count;
    uint32_t output;
    bool output_external;
    uint32_t output_width, output_height, output_channels;
    rp_program_meta meta; // present = false: no META chunk
} rp_recorder_result;

// Ends the recording and gives the program, which is the caller's. Submits what is unsubmitted. The recorder is empty
// afterwards and can only be destroyed. Errors: the first failure of any call; BAD_ID, BAD_SIZE (the output's shape,
// the frame buffer), BAD_USAGE (inputs need COPY_DST, an output that is not external COPY_SRC, the frame buffer UNIFORM
// and COPY_DST), BAD_ALIGNMENT (sizes of inputs and output), BAD_VALUE (META's precision), DUPLICATE (an input, a
// weight buffer); OUT_OF_MEMORY.
RP_API rp_status rp_recorder_finish(rp_recorder *recorder, const rp_recorder_result *result, rp_program **program,
                                    rp_error *error);

#ifdef __cplusplus
}
#endif
#endif
