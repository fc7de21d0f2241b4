// Transfer functions between an image and the network's space, on the CPU in single precision. The WGSL twins are
// src/kernels/transfer.wgsl; the formulas and constants are docs/denoising.md's (Intel's core/color.h).
#ifndef RP_OIDN_TRANSFER_H
#define RP_OIDN_TRANSFER_H

#include "reprise/oidn.h"

#include <stddef.h>

// What an image holds decides how it is sanitized: NaN to 0, then clamped.
typedef enum rp_value_range {
    RP_RANGE_HDR = 0,   // [0, FLT_MAX]
    RP_RANGE_UNIT = 1,  // [0, 1]: LDR colour, albedo
    RP_RANGE_SIGNED = 2 // [-1, 1]: normals
} rp_value_range;

float rp_sanitize(float value, rp_value_range range);

// Forward: a sanitized linear value into the network's space; inverse: back. RP_TRANSFER_NONE is the identity. Inverse
// results are finite for every finite input ≥ 0.
float rp_transfer_forward(rp_transfer transfer, float value);
float rp_transfer_inverse(rp_transfer transfer, float value);

// Rows of RGB: n pixels, `stride` floats from one to the next (3 or more).
// In: sanitize(v × scale) → forward transfer; normals (RP_RANGE_SIGNED) become n × 0.5 + 0.5 instead.
void rp_transfer_row_in(const float *source, size_t source_stride, float *target, size_t target_stride, size_t n,
                        rp_value_range range, rp_transfer transfer, float scale);
// Out: NaN to 0, clamp to [0, FLT_MAX] → inverse transfer → LDR at most 1; normals become x × 2 - 1, at least -1 and at
// most 1 → × 1/scale, kept at or below FLT_MAX.
void rp_transfer_row_out(const float *source, size_t source_stride, float *target, size_t target_stride, size_t n,
                         rp_value_range range, rp_transfer transfer, float scale);

// Autoexposure (docs/denoising.md): the input scale for an HDR image of RGB float pixels, [height, width, stride]. A
// pixel with a NaN or an infinity counts for nothing: its bin averages the rest. 1 when no bin is above 1e-8.
// row_stride and pixel_stride are in floats.
float rp_autoexposure(const float *rgb, uint32_t width, uint32_t height, size_t pixel_stride, size_t row_stride);

#endif
