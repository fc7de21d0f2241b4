// What the tests of the denoise layer share: images, and denoisers that skip the test where weights are missing.
#ifndef TEST_DENOISE_SUPPORT_H
#define TEST_DENOISE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reprise/denoise.h"
#include "support/manifest.h"
#include "support/reference_network.h"

typedef struct picture {
    uint32_t width, height, channels;
    float *data; // [height, width, channels], top row first
} picture;

picture picture_make(uint32_t width, uint32_t height, uint32_t channels);
// Smooth shapes under noise: HDR values of about 0 to 8.
picture picture_noisy(uint32_t width, uint32_t height, uint32_t channels, uint32_t seed);
// The same in [0, 1], and normals in [-1, 1].
picture picture_albedo(uint32_t width, uint32_t height, uint32_t seed);
picture picture_normals(uint32_t width, uint32_t height, uint32_t seed);
picture picture_copy(const picture *from);
// A file of INTEL_FOLDER, three channels; skips the test when it is missing.
picture picture_read(const char *name);
void picture_free(picture *image);

rp_image image_of(const picture *image);

// A denoiser, or the test is skipped: without weights, or (WebGPU) without $REPRISE_WEBGPU_LIBRARY.
rp_denoiser *make_denoiser(rp_device_choice device);
void skip_without_weights(void);

// Runs and fails the test with the message when it fails.
void must_run(rp_denoiser *denoiser, const rp_denoise_desc *desc);

// The input scale by autoexposure; three channels.
double exposure_of(const picture *image);
// The greatest difference of two images of one size in the network's space, where `expected` is finite.
double network_difference(const picture *actual, const picture *expected, rp_transfer transfer, double scale);

int run_image_tests(void);
int run_intel_tests(void);
int run_memory_tests(void);
int run_run_tests(void);
int run_tile_tests(void);
int run_webgpu_tests(void);
int run_weight_tests(void);

#endif
