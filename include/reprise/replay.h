// Replaying programs on a GPU through webgpu.h.
//
// A webgpu.h shared library (a build of Dawn; docs/devices.md says which) is loaded at run time and never linked, and
// stays loaded until the process ends. Errors of the device come back as rp_error with the implementation's own
// message. No call waits for good: a device that does not answer counts as lost. Objects belong to one thread at a
// time.
#ifndef REPRISE_REPLAY_H
#define REPRISE_REPLAY_H

#include "reprise/oidn.h"
#include "reprise/program.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Device ------------------------------------------------------------------------------------------------------

typedef struct rp_gpu rp_gpu;

typedef enum rp_adapter_kind {
    RP_ADAPTER_DISCRETE = 1,
    RP_ADAPTER_INTEGRATED = 2,
    RP_ADAPTER_CPU = 3, // software: lavapipe, SwiftShader
    RP_ADAPTER_UNKNOWN = 4
} rp_adapter_kind;

typedef struct rp_gpu_limits {
    uint64_t max_buffer_bytes;
    uint64_t max_storage_binding_bytes;
    uint64_t max_uniform_binding_bytes;
    uint32_t max_storage_buffers_per_stage;
    uint32_t max_workgroups_per_dimension;
    uint32_t max_workgroup_storage_bytes;
    uint32_t max_invocations_per_workgroup;
    uint32_t max_workgroup_size_x, max_workgroup_size_y, max_workgroup_size_z;
    uint32_t min_storage_offset_alignment, min_uniform_offset_alignment;
} rp_gpu_limits;

typedef struct rp_gpu_info {
    char library[256]; // path it was loaded from
    char name[256];    // adapter, "llvmpipe (LLVM 15.0.6, 256 bits)"
    char vendor[64];
    char architecture[64];
    char driver[256]; // the adapter's own description of its driver
    char backend[32]; // "Vulkan", "Metal", "D3D12", …
    rp_adapter_kind kind;
    bool timestamp_query;
    uint32_t features;                             // rp_feature_bits that the device was opened with
    uint32_t subgroup_min_size, subgroup_max_size; // 0 when unknown
    rp_gpu_limits limits;
} rp_gpu_info;

typedef struct rp_gpu_desc {
    const rp_allocator *allocator;
    const char *library; // path or soname; NULL: $REPRISE_WEBGPU_LIBRARY, then the usual names and places
    bool software;       // also take a CPU adapter; without it only a real GPU is opened
    const char *name;    // only an adapter whose name contains this text; NULL: any
    uint64_t max_bytes;  // total size of a program's buffers; 0: no limit. Reading back takes the output's size more
} rp_gpu_desc;

// Loads the library, picks an adapter (discrete before integrated before CPU) and opens a device with every feature
// that programs can use and with the adapter's own limits. desc may be NULL. Errors: NO_LIBRARY, NO_DEVICE,
// OUT_OF_MEMORY, DEVICE_INTERNAL.
RP_API rp_status rp_gpu_create(const rp_gpu_desc *desc, rp_gpu **gpu, rp_error *error);
// Every replay on it must be gone. NULL and a handle to NULL are fine.
RP_API void rp_gpu_destroy(rp_gpu **gpu);
// Lives as long as the device.
RP_API const rp_gpu_info *rp_gpu_get_info(const rp_gpu *gpu);
// The caps to record programs with for this device.
RP_API rp_device_caps rp_gpu_get_caps(const rp_gpu *gpu);

// Every adapter that the library offers, software included; *infos is an array of *count, to free with rp_free.
// desc->software and desc->name are ignored. Errors: NO_LIBRARY, OUT_OF_MEMORY, DEVICE_INTERNAL. *count may be 0.
RP_API rp_status rp_gpu_enumerate(const rp_gpu_desc *desc, rp_gpu_info **infos, uint32_t *count, rp_error *error);

// ---- Replay ------------------------------------------------------------------------------------------------------

typedef struct rp_replay rp_replay;

// Uploads a program: buffers, pipelines, bind groups. Before any device work the program's needs are held against the
// device's limits. The program must live as long as the replay. Errors: DEVICE_LIMIT (with both numbers),
// DEVICE_MEMORY, DEVICE_VALIDATION (with the implementation's message; a shader's with its line), DEVICE_LOST,
// OUT_OF_MEMORY.
RP_API rp_status rp_replay_create(rp_gpu *gpu, const rp_program *program, rp_replay **replay, rp_error *error);
// NULL and a handle to NULL are fine. Before its rp_gpu.
RP_API void rp_replay_destroy(rp_replay **replay);

typedef struct rp_replay_run_desc {
    // One pointer for each program input, in the program's order, to exactly that buffer's bytes; NULL keeps what the
    // buffer holds.
    const void *const *inputs;
    uint32_t input_count;
    void *output;               // receives the output buffer's bytes; NULL: it is not read back
    uint64_t output_size_bytes; // must be the output buffer's size, unless output is NULL
    // Called on the calling thread with the submits known to be done, from 0 up to the total; false cancels what was
    // not submitted yet (one more than was reported may be) and the output is not read. May be NULL, which is faster.
    bool (*progress)(void *user, uint32_t done, uint32_t total);
    void *user;
} rp_replay_run_desc;

// Runs the program once: inputs up, every operation in order, output down; returns when the output is there.
// Zero-filled and initialized buffers are as the program says on the first run; later runs start from what the run
// before left, as WebGPU would. Errors: INVALID_ARGUMENT, CANCELLED, DEVICE_LOST, DEVICE_MEMORY, DEVICE_VALIDATION,
// DEVICE_INTERNAL. After any of these but INVALID_ARGUMENT and CANCELLED the replay and its rp_gpu are only good for
// destroying.
RP_API rp_status rp_replay_run(rp_replay *replay, const rp_replay_run_desc *desc, rp_error *error);

// Writes the input scale (> 0, finite) into the program's frame buffer, for the runs that follow. Errors: UNSUPPORTED
// when the program has none, INVALID_ARGUMENT.
RP_API rp_status rp_replay_set_input_scale(rp_replay *replay, float scale, rp_error *error);

// Reads any buffer of the program back: size_bytes at offset (multiples of 4) into `bytes`. Errors: BAD_ID, BAD_RANGE,
// BAD_ALIGNMENT, BAD_USAGE (without COPY_SRC), and those of a run.
RP_API rp_status rp_replay_read(rp_replay *replay, uint32_t buffer, uint64_t offset, uint64_t size_bytes, void *bytes,
                                rp_error *error);

#ifdef __cplusplus
}
#endif
#endif
