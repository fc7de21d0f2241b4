// The renderer's use of reprise: its own buffers in, a clean image out.
#ifndef PATHTRACER_DENOISE_H
#define PATHTRACER_DENOISE_H

#include <stdbool.h>
#include <stdint.h>

// Denoises linear HDR colour with the help of albedo and normal, all width × height × 3 floats, into `output`. Weights
// come from $REPRISE_WEIGHTS or the installed share folder. thread_count 0: all cores. False, with a message on
// standard error, when it fails.
bool denoise_image(uint32_t width, uint32_t height, const float *color, const float *albedo, const float *normal,
                   float *output, uint32_t thread_count);

#endif
