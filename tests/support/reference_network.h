// An independent double-precision reference of the denoising filter: the unfused network and the processing around it,
// written from the facts in docs/weights.md and docs/denoising.md. It shares nothing with src/ but the reading of
// tensor values. Images are [h, w, 3], top row first, packed.
#ifndef SUPPORT_REFERENCE_NETWORK_H
#define SUPPORT_REFERENCE_NETWORK_H

#include "oidn/model.h"

// The network on `input` [height, width, input channels] in network space; width and height are multiples of 16.
// `output` is [height, width, 3]. False for a size or a set of tensors that it does not know.
bool reference_network(const rp_model *model, const double *input, uint32_t width, uint32_t height, double *output);

typedef struct reference_job {
    const rp_model *model;
    uint32_t width, height;
    const float *images[3]; // as many as the model reads
    bool hdr;
    bool normal_alone;    // the one image is a normal image
    rp_transfer transfer; // of the first image; not looked at when normal_alone
    rp_edge edge;
    double input_scale; // 0: autoexposure when hdr, else 1
} reference_job;

// The whole filter on one tile: `output` is the result image, [height, width, 3].
bool reference_denoise(const reference_job *job, double *output);

// The scale that reference_denoise uses.
double reference_scale(const reference_job *job);

// A value of a result image, taken back into network space, where results are compared.
double reference_to_network(const reference_job *job, double value);

double reference_forward(rp_transfer transfer, double value);
double reference_inverse(rp_transfer transfer, double value);
double reference_autoexposure(const float *rgb, uint32_t width, uint32_t height);

#endif
