// The path tracer: from a scene to noisy linear colour and the first-hit features that a denoiser wants.
#ifndef PATHTRACER_RENDER_H
#define PATHTRACER_RENDER_H

#include "scene.h"

typedef struct render_desc {
    const scene *scene;
    uint32_t width, height, sample_count; // all at least 1
    uint32_t thread_count;                // 0: one a core
    uint64_t seed;
    uint64_t first_sample; // number of the first sample; renders whose sample numbers differ are independent
    // Results, width × height × 3 floats, top row first, each the mean of its samples under the same box filter. Albedo
    // and normal may be NULL. Albedo is in [0, 1]; normals are world-space unit vectors before the mean is taken, and
    // face the camera; where nothing is hit they are zero.
    float *color, *albedo, *normal;
    void (*progress)(void *user, uint32_t rows_done, uint32_t rows); // on the calling thread; may be NULL
    void *user;
} render_desc;

// The same description gives the same bits, whatever the number of threads.
void render_image(const render_desc *desc);

#endif
