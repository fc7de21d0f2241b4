// Denoising programs: from Intel Open Image Denoise's weight files (TZA) to recorded GPU programs.
//
// This header turns bytes into bytes or into an rp_program. It never opens a device. Models are immutable once made and
// may be used by any number of threads at the same time.
#ifndef REPRISE_OIDN_H
#define REPRISE_OIDN_H

#include "reprise/program.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Models ------------------------------------------------------------------------------------------------------

typedef struct rp_model rp_model;

typedef enum rp_topology { RP_TOPOLOGY_BASE = 0, RP_TOPOLOGY_LARGE = 1 } rp_topology;

typedef struct rp_model_info {
    rp_topology topology;
    uint32_t receptive_field; // pixels, 174 or 202
    uint32_t input_channels;  // 3, 6 or 9: one RGB image each, in colour, albedo, normal order
    uint32_t output_channels; // 3
    uint32_t layer_count;     // convolutions
    uint32_t tensor_count;    // in the file
    uint64_t parameter_count; // weights and biases
} rp_model_info;

typedef struct rp_model_desc {
    const rp_allocator *allocator;
    const char *name; // what error messages call the source; NULL: "weights" (rp_model_load: the path)
} rp_model_desc;

// Reads a TZA file from bytes, which are copied. The topology is recognized by the complete set of tensor names. desc
// may be NULL. Errors: those of the reader (TRUNCATED, BAD_MAGIC, BAD_VERSION, BAD_COUNT, BAD_VALUE, BAD_RANGE,
// BAD_TEXT, DUPLICATE), BAD_MODEL (names or shapes that are no known network), OUT_OF_MEMORY.
RP_API rp_status rp_model_create(const void *tza, size_t size, const rp_model_desc *desc, rp_model **model,
                                 rp_error *error);
// The same from a file of at most 1 GiB. Also: IO, TOO_LARGE.
RP_API rp_status rp_model_load(const char *path, const rp_model_desc *desc, rp_model **model, rp_error *error);
// NULL and a handle to NULL are fine.
RP_API void rp_model_destroy(rp_model **model);
// Lives as long as the model.
RP_API const rp_model_info *rp_model_get_info(const rp_model *model);
// A readable listing of layers and tensors; the caller's to free with rp_free.
RP_API rp_status rp_model_describe(const rp_model *model, const rp_allocator *allocator, char **text, size_t *size,
                                   rp_error *error);

// ---- Recording ---------------------------------------------------------------------------------------------------

typedef enum rp_kernel {
    RP_KERNEL_SETTING_AUTO = 0,
    RP_KERNEL_SETTING_IMPLICIT_GEMM = 1,
    RP_KERNEL_SETTING_DIRECT = 2,
    RP_KERNEL_SETTING_SUBGROUP_MATRIX = 3
} rp_kernel;

typedef enum rp_feature_bits {
    RP_FEATURE_SHADER_F16 = 1,
    RP_FEATURE_SUBGROUPS = 2,
    RP_FEATURE_CHROMIUM_SUBGROUP_MATRIX = 4,
    RP_FEATURE_WGPU_COOPERATIVE_MATRIX = 8
} rp_feature_bits;

// How linear values map to the network's space.
typedef enum rp_transfer {
    RP_TRANSFER_PU = 0,   // HDR: perceptually uniform, 65504 to 1
    RP_TRANSFER_LOG = 1,  // HDR: ln(y + 1), 65504 to 1 (directional lightmaps)
    RP_TRANSFER_SRGB = 2, // LDR, linear image
    RP_TRANSFER_NONE = 3  // LDR, display-referred image; and normals
} rp_transfer;

// What the network sees beyond the image's edge, up to the next multiple of 16.
typedef enum rp_edge {
    RP_EDGE_REPEAT = 0, // the nearest pixel, as the recorded programs of the format's origin do
    RP_EDGE_ZERO = 1    // zeros after input processing, as Intel's library does
} rp_edge;

typedef struct rp_matrix_config {
    bool component_f16, result_f16;
    uint32_t m, n, k;
} rp_matrix_config;

// What a device offers; zeros stand for WebGPU's default limits (16384, 256, 256, 256, 65535) and no features.
typedef struct rp_device_caps {
    uint32_t features; // rp_feature_bits
    uint32_t max_workgroup_storage_bytes;
    uint32_t max_invocations_per_workgroup;
    uint32_t max_workgroup_size_x, max_workgroup_size_y;
    uint32_t max_workgroups_per_dimension;
    uint32_t subgroup_min_size, subgroup_max_size;
    uint32_t matrix_config_count;
    const rp_matrix_config *matrix_configs;
} rp_device_caps;

typedef struct rp_record_desc {
    const rp_allocator *allocator;
    uint32_t width, height; // of the image, 1 or more; a bare network takes any size too and pads to 16 inside
    rp_precision precision; // AUTO: fp16 when the device has shader-f16, else fp32
    rp_kernel kernel;
    rp_device_caps caps;
    uint32_t double_buffering;   // 0 default, 1 off, 2 on (subgroup-matrix)
    bool accumulate_f16;         // (subgroup-matrix)
    bool sub_pixel_decoders_off; // (subgroup-matrix)
    // The rest is for rp_record_denoise alone.
    bool hdr;               // colour is [0, FLT_MAX] and the frame buffer holds the input scale; else [0, 1]
    rp_transfer transfer;   // hdr: PU or LOG. LDR: NONE or SRGB (PU counts as NONE, as in the configuration words)
    bool normal_alone;      // the single image of a three-channel model is a normal image in [-1, 1]
    uint32_t max_tile_edge; // the most pixels that a tile puts out along an edge; 0: the whole image as one tile
    float input_scale;      // > 0 and finite; 0: 1
    rp_edge edge;
} rp_record_desc;

// Records the network for RGBA f32 images, [height, width, 4], that are already in the network's space: one input
// buffer for each image of the model, an output buffer of the same shape whose fourth channel is 0 and that the host
// may not replace. META: tile count 0, no frame buffer. The program is the caller's. Errors: INVALID_ARGUMENT,
// TOO_LARGE (a buffer of 4 GiB or more), UNSUPPORTED (a kernel or precision that these caps do not allow),
// OUT_OF_MEMORY.
RP_API rp_status rp_record_network(const rp_model *model, const rp_record_desc *desc, rp_program **program,
                                   rp_error *error);

// Records a whole denoising: for every tile input processing, the network and output processing. Inputs and output are
// RGBA f32 images, [height, width, 4]: colour as desc says, albedo in [0, 1], normals in [-1, 1]; the output has the
// colour's alpha, and the host may supply its buffer. Errors as above.
RP_API rp_status rp_record_denoise(const rp_model *model, const rp_record_desc *desc, rp_program **program,
                                   rp_error *error);

// ---- Packets -----------------------------------------------------------------------------------------------------
// The same calls on byte spans: a TZA file and configuration words (little-endian u32, docs/format.md) in, a packet
// out: a program, or an ERRO packet that says why there is none. They return OUT_OF_MEMORY when not even that could be
// made, else OK. *packet is the caller's, to free with rp_free.

RP_API rp_status rp_record_network_packet(const void *tza, size_t tza_size, const void *config, size_t config_size,
                                          const rp_allocator *allocator, uint8_t **packet, size_t *packet_size);
RP_API rp_status rp_record_denoise_packet(const void *tza, size_t tza_size, const void *config, size_t config_size,
                                          const rp_allocator *allocator, uint8_t **packet, size_t *packet_size);
// A MODL packet (version 1, image count), or an ERRO packet.
RP_API rp_status rp_inspect_model_packet(const void *tza, size_t tza_size, const rp_allocator *allocator,
                                         uint8_t **packet, size_t *packet_size);
// An ERRO packet with this message.
RP_API rp_status rp_error_packet(const char *message, const rp_allocator *allocator, uint8_t **packet,
                                 size_t *packet_size);

#ifdef __cplusplus
}
#endif
#endif
