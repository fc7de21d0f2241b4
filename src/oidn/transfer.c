// Transfer functions and the rows that use them. Formulas, constants and their source: docs/denoising.md.
#include "oidn/transfer.h"

#include <float.h>
#include <math.h>

// PU: a·y up to y0, b·y^c + d up to y1, e·ln(y + f) + g above; x0 and x1 are its values there.
static const float pu_a = 1.41283765e3F, pu_b = 1.64593172F, pu_c = 4.31384981e-1F, pu_d = -2.94139609e-3F,
                   pu_e = 1.92653254e-1F, pu_f = 6.26026094e-3F, pu_g = 9.98620152e-1F;
static const float pu_y0 = 1.57945760e-6F, pu_y1 = 3.22087631e-2F, pu_x0 = 2.23151711e-3F, pu_x1 = 3.70974749e-1F;
// The values at 65504, the largest half, by which PU and log are divided.
static const float pu_top = 3.1351190358395673F, log_top = 11.08988175458777F;

static float at_most(float value, float limit)
{
    return value < limit ? value : limit;
}

static float clamp(float value, float low, float high)
{
    return value < low ? low : at_most(value, high);
}

float rp_sanitize(float value, rp_value_range range)
{
    if (isnan(value))
        return 0;
    return clamp(value, range == RP_RANGE_SIGNED ? -1.0F : 0.0F, range == RP_RANGE_HDR ? FLT_MAX : 1.0F);
}

static float pu_forward(float y)
{
    if (y <= pu_y0)
        return pu_a * y;
    if (y <= pu_y1)
        return pu_b * powf(y, pu_c) + pu_d;
    return pu_e * logf(y + pu_f) + pu_g;
}

static float pu_inverse(float x)
{
    if (x <= pu_x0)
        return x / pu_a;
    if (x <= pu_x1)
        return powf((x - pu_d) / pu_b, 1 / pu_c);
    return expf((x - pu_g) / pu_e) - pu_f;
}

static float srgb_forward(float y)
{
    return y <= 0.0031308F ? 12.92F * y : 1.055F * powf(y, 1 / 2.4F) - 0.055F;
}

static float srgb_inverse(float x)
{
    return x <= 0.04045F ? x / 12.92F : powf((x + 0.055F) / 1.055F, 2.4F);
}

float rp_transfer_forward(rp_transfer transfer, float value)
{
    switch (transfer) {
    case RP_TRANSFER_PU:
        return pu_forward(value) / pu_top;
    case RP_TRANSFER_LOG:
        return log1pf(value) / log_top;
    case RP_TRANSFER_SRGB:
        return srgb_forward(value);
    case RP_TRANSFER_NONE:
        break;
    }
    return value;
}

float rp_transfer_inverse(rp_transfer transfer, float value)
{
    switch (transfer) {
    case RP_TRANSFER_PU:
        return at_most(pu_inverse(value * pu_top), FLT_MAX);
    case RP_TRANSFER_LOG:
        return at_most(expm1f(value * log_top), FLT_MAX);
    case RP_TRANSFER_SRGB:
        return at_most(srgb_inverse(value), FLT_MAX);
    case RP_TRANSFER_NONE:
        break;
    }
    return value;
}

void rp_transfer_row_in(const float *source, size_t source_stride, float *target, size_t target_stride, size_t n,
                        rp_value_range range, rp_transfer transfer, float scale)
{
    for (size_t i = 0; i < n; i++, source += source_stride, target += target_stride)
        for (size_t c = 0; c < 3; c++) {
            float value = rp_sanitize(source[c] * scale, range);
            target[c] = range == RP_RANGE_SIGNED ? value * 0.5F + 0.5F : rp_transfer_forward(transfer, value);
        }
}

void rp_transfer_row_out(const float *source, size_t source_stride, float *target, size_t target_stride, size_t n,
                         rp_value_range range, rp_transfer transfer, float scale)
{
    // In double, where neither the inverse of a tiny scale nor the product overflows.
    double inverse_scale = 1.0 / (double)scale;
    for (size_t i = 0; i < n; i++, source += source_stride, target += target_stride)
        for (size_t c = 0; c < 3; c++) {
            float value = rp_sanitize(source[c], RP_RANGE_HDR);
            if (range == RP_RANGE_SIGNED) {
                value = clamp(value * 2 - 1, -1, 1);
            } else {
                value = rp_transfer_inverse(transfer, value);
                if (range == RP_RANGE_UNIT)
                    value = at_most(value, 1);
            }
            double scaled = (double)value * inverse_scale;
            target[c] = scaled < (double)FLT_MAX ? (float)scaled : FLT_MAX;
        }
}
