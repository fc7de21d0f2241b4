// Denoising images: what most users call. Images in, image out; the library picks the device, the weights and the
// tiles.
//
//     rp_denoiser *denoiser = NULL;
//     rp_error error;
//     rp_denoise_desc desc = {.width = w, .height = h, .hdr = true,
//                             .color = {.data = pixels, .channels = 3},
//                             .output = {.data = clean, .channels = 3}};
//     if (rp_denoiser_create(NULL, &denoiser, &error) != RP_STATUS_OK ||
//         rp_denoiser_run(denoiser, &desc, &error) != RP_STATUS_OK)
//         puts(error.message);
//     rp_denoiser_destroy(&denoiser);
//
// It never prints or exits. A denoiser belongs to one thread at a time; several denoisers may run at once.
#ifndef REPRISE_DENOISE_H
#define REPRISE_DENOISE_H

#include "reprise/oidn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_denoiser rp_denoiser;

typedef enum rp_device_choice {
    RP_DEVICE_AUTO = 0, // a real GPU if one answers, else the CPU
    RP_DEVICE_CPU = 1,
    RP_DEVICE_WEBGPU = 2 // a GPU, or software Vulkan where there is nothing else
} rp_device_choice;

typedef enum rp_quality { RP_QUALITY_HIGH = 0, RP_QUALITY_BALANCED = 1, RP_QUALITY_FAST = 2 } rp_quality;

typedef struct rp_denoiser_desc {
    const rp_allocator *allocator;
    rp_device_choice device;
    const char *webgpu_library;    // as rp_gpu_desc.library
    const char *weights_directory; // NULL: $REPRISE_WEIGHTS if set, else the installed share folder, then the build's
    rp_precision precision;        // AUTO: fp32 on the CPU; by the device's features on a GPU
    rp_kernel kernel;              // GPU only
    uint32_t thread_count;         // CPU only; 0: all cores
} rp_denoiser_desc;

// desc may be NULL. With AUTO a missing GPU or library is no error. Errors: NO_LIBRARY, NO_DEVICE (WEBGPU only),
// INVALID_ARGUMENT, UNSUPPORTED (fp16 without a GPU), OUT_OF_MEMORY, DEVICE_INTERNAL.
RP_API rp_status rp_denoiser_create(const rp_denoiser_desc *desc, rp_denoiser **denoiser, rp_error *error);
// NULL and a handle to NULL are fine.
RP_API void rp_denoiser_destroy(rp_denoiser **denoiser);
// What it runs on: "CPU, 2 threads, oneDNN 2.6.3" or "NVIDIA H200, Vulkan". Lives as long as the denoiser.
RP_API const char *rp_denoiser_device(const rp_denoiser *denoiser);

typedef enum rp_pixel_type { RP_PIXEL_FLOAT = 0, RP_PIXEL_HALF = 1 } rp_pixel_type;

// An image in the caller's memory. Row y, column x, channel c is at data + offset + y × row_stride + x × pixel_stride
// + c × (4 or 2) bytes, at any alignment. Zero strides stand for tightly packed. data NULL: there is no such image.
typedef struct rp_image {
    void *data; // inputs are only read; of the output only the channels are written, never what lies between
    rp_pixel_type type;
    uint32_t channels; // 1 to 4; 1 is broadcast to three, a fourth is alpha (2: grey and alpha)
    size_t offset_bytes;
    size_t pixel_stride_bytes; // at least channels × (4 or 2)
    size_t row_stride_bytes;   // at least a row's pixels
} rp_image;

#define RP_IMAGE_MAX_EDGE (1u << 24)

typedef struct rp_denoise_desc {
    uint32_t width, height; // 1 to RP_IMAGE_MAX_EDGE
    rp_image color;         // the noisy image; without it exactly one of the next two is denoised by itself
    rp_image albedo;        // [0, 1]
    rp_image normal;        // [-1, 1], any length; needs albedo when there is colour
    // The result, always finite (a half at most 65504). It may share memory with an input as long as each output pixel
    // touches the bytes of no input pixel but the one at its own place: the very same image, or pixels or rows that
    // interleave. Alpha, where both have it, is copied from the denoised image; 1 where only the output has it. One
    // channel: the mean of the three.
    rp_image output;
    bool hdr;       // colour is linear, [0, FLT_MAX]; else LDR
    bool srgb;      // LDR only: the image (colour, or an albedo by itself) is display-referred already
    bool clean_aux; // albedo and normal are free of noise; both must be given with colour
    rp_quality quality;
    float input_scale;      // HDR only: > 0 and finite; 0: autoexposure
    uint32_t max_tile_edge; // the most pixels that a tile puts out along an edge; 0: chosen to bound memory
    rp_edge edge;
    const char *weights; // a weight file instead of the one that these settings choose; its channels must fit
    // Called on the calling thread with tiles done, first 0, then after every tile; false cancels what is left, and it
    // is not called again after. May be NULL.
    bool (*progress)(void *user, uint32_t done, uint32_t total);
    void *user;
} rp_denoise_desc;

// What the last successful run did.
typedef struct rp_denoise_report {
    char weights[256]; // path of the weight file
    uint32_t tile_count;
    uint32_t tile_width, tile_height; // input size of each
    float input_scale;
    uint64_t bytes;         // device memory (or host memory, on the CPU) for the network and tiles
    double prepare_seconds; // loading weights, recording, compiling; near 0 when nothing was new
    double load_seconds;    // of which loading weights
    double run_seconds;     // from images in to image out, in which on the CPU:
    double exposure_seconds, input_seconds, network_seconds, output_seconds;
} rp_denoise_report;

// Denoises one image. Weights, kernels and plans are kept for the next call with the same size and settings. On failure
// the output may be partly written.
//
// Memory on the CPU: with max_tile_edge 0 a tile has at most 1.25 million pixels of input, for which a base network
// with all of its activations takes about 650 bytes a pixel (the report says exactly), whatever the image's size; a row
// of tiles of the output is kept when the output shares memory with an input. Autoexposure of an image that is not
// float RGB or RGBA takes 12 bytes a pixel while it runs. On a GPU the whole image is held as RGBA float, for each
// input and the output.
//
// Errors: INVALID_ARGUMENT (names the member, both values), IO and the weight reader's, CANCELLED, TOO_LARGE,
// OUT_OF_MEMORY, the device's.
RP_API rp_status rp_denoiser_run(rp_denoiser *denoiser, const rp_denoise_desc *desc, rp_error *error);
// All zeros before the first successful run.
RP_API rp_denoise_report rp_denoiser_get_report(const rp_denoiser *denoiser);

#ifdef __cplusplus
}
#endif
#endif
