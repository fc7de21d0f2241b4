// The inside of a denoiser: what it keeps between calls, one checked denoising, and its two ways to run.
#ifndef RP_DENOISE_JOB_H
#define RP_DENOISE_JOB_H

#include "cpu/network.h"
#include "denoise/images.h"
#include "oidn/transfer.h"
#include "reprise/replay.h"

#define RP_KEPT_MODELS 4

typedef struct rp_kept_model {
    char *path;
    rp_model *model;
} rp_kept_model;

// The last network that ran on the CPU.
typedef struct rp_cpu_plan {
    const rp_model *model;
    uint32_t width, height;
    rp_cpu_network *network;
} rp_cpu_plan;

// The last program that ran on the GPU, and what it was recorded for.
typedef struct rp_gpu_key {
    const rp_model *model;
    uint32_t width, height, max_tile_edge;
    bool hdr, normal_alone;
    rp_transfer transfer;
    rp_edge edge;
} rp_gpu_key;

typedef struct rp_gpu_plan {
    rp_gpu_key key;
    rp_program *program;
    rp_replay *replay;
    float *staging[4]; // RGBA of the inputs, then the output; made when an image cannot be used in place
} rp_gpu_plan;

struct rp_denoiser {
    rp_allocator allocator;
    rp_device_choice device;
    rp_precision precision;
    rp_kernel kernel;
    uint32_t thread_count;
    char *webgpu_library;
    char *weights_directory;
    char device_name[640];
    bool on_gpu;
    rp_gpu *gpu;                          // may be NULL after the device was lost: the next run opens it again
    rp_kept_model models[RP_KEPT_MODELS]; // most recently used first
    rp_cpu_plan cpu;
    rp_gpu_plan gpu_plan;
    rp_denoise_report report;
};

// One denoising after every check. images[0] is the image that is denoised.
typedef struct rp_job {
    const rp_denoise_desc *desc;
    const rp_model *model;
    uint32_t width, height;
    uint32_t image_count;
    rp_view images[3]; // in the network's order
    rp_value_range ranges[3];
    rp_transfer transfers[3];
    rp_view output;
    bool output_shared; // with an input
    rp_denoise_report *report;
} rp_job;

rp_status rp_denoise_on_cpu(rp_denoiser *denoiser, const rp_job *job, rp_error *error);
void rp_cpu_plan_free(rp_denoiser *denoiser);

rp_status rp_denoiser_open_gpu(rp_denoiser *denoiser, rp_error *error);
rp_status rp_denoise_on_gpu(rp_denoiser *denoiser, const rp_job *job, rp_error *error);
void rp_gpu_plan_free(rp_denoiser *denoiser);

// The input scale of this job: given, or from the image's exposure; 1 when it is not HDR.
rp_status rp_job_input_scale(const rp_denoiser *denoiser, const rp_job *job, float *scale, rp_error *error);

// Reports progress; CANCELLED when the caller wants no more.
rp_status rp_job_progress(const rp_job *job, uint32_t done, uint32_t total, rp_error *error);

#endif
