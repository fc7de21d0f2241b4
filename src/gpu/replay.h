// A program on a device: what the files of the replayer share.
#ifndef RP_GPU_REPLAY_INTERNAL_H
#define RP_GPU_REPLAY_INTERNAL_H

#include "gpu/gpu.h"

struct rp_replay {
    rp_gpu *gpu;
    const rp_program *program;
    WGPUBuffer *buffers; // as many as the program has of each; NULL where creation did not get to
    WGPUShaderModule *shaders;
    WGPUComputePipeline *pipelines;
    WGPUBindGroup *bind_groups;
    WGPUBuffer staging; // for reading back; kept and grown
    uint64_t staging_bytes;
    uint32_t submit_count;
};

// needs.c: fails with DEVICE_LIMIT, and both numbers, when the device cannot run the program. Touches no device.
rp_status rp_needs_check(const rp_program *program, const rp_gpu_info *info, uint64_t max_bytes, rp_error *error);
// The features (rp_feature_bits) that a WGSL module's `enable` directives name.
uint32_t rp_wgsl_features(rp_text wgsl);

// upload.c: makes every object of the program; on failure what was made so far is there to be released.
rp_status rp_upload(rp_replay *replay, rp_error *error);
// The usage that the buffer is created with.
uint32_t rp_upload_usage(const rp_program *program, uint32_t buffer);
void rp_upload_release(rp_replay *replay);

#endif
