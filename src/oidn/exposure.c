// Autoexposure: the input scale that brings an HDR image's log-average luminance to middle grey (docs/denoising.md).
#include "oidn/transfer.h"

#include <float.h>
#include <math.h>

enum { BIN_EDGE = 16 };

static const double middle_grey = 0.18, darkest_bin = 1e-8;

// Mean luminance of the finite pixels of rows [top, bottom), columns [left, right); 0 when there are none.
static double bin_luminance(const float *rgb, uint32_t left, uint32_t right, uint32_t top, uint32_t bottom,
                            size_t pixel_stride, size_t row_stride)
{
    double sum = 0;
    uint32_t counted = 0;
    for (uint32_t y = top; y < bottom; y++) {
        const float *pixel = rgb + y * row_stride + left * pixel_stride;
        for (uint32_t x = left; x < right; x++, pixel += pixel_stride) {
            if (!isfinite(pixel[0]) || !isfinite(pixel[1]) || !isfinite(pixel[2]))
                continue;
            sum += 0.212671 * (double)rp_sanitize(pixel[0], RP_RANGE_HDR) +
                   0.715160 * (double)rp_sanitize(pixel[1], RP_RANGE_HDR) +
                   0.072169 * (double)rp_sanitize(pixel[2], RP_RANGE_HDR);
            counted++;
        }
    }
    return counted ? sum / counted : 0;
}

float rp_autoexposure(const float *rgb, uint32_t width, uint32_t height, size_t pixel_stride, size_t row_stride)
{
    uint64_t columns = width / BIN_EDGE + (width % BIN_EDGE != 0), rows = height / BIN_EDGE + (height % BIN_EDGE != 0);
    double log_sum = 0;
    uint64_t counted = 0;
    for (uint64_t row = 0; row < rows; row++) {
        uint32_t top = (uint32_t)(row * height / rows), bottom = (uint32_t)((row + 1) * height / rows);
        for (uint64_t column = 0; column < columns; column++) {
            uint32_t left = (uint32_t)(column * width / columns), right = (uint32_t)((column + 1) * width / columns);
            double luminance = bin_luminance(rgb, left, right, top, bottom, pixel_stride, row_stride);
            if (luminance > darkest_bin) {
                log_sum += log2(luminance);
                counted++;
            }
        }
    }
    if (counted == 0)
        return 1;
    double scale = middle_grey / exp2(log_sum / (double)counted);
    // A subnormal scale would have no finite inverse, and devices take it for zero.
    return scale > (double)FLT_MIN ? (float)scale : FLT_MIN;
}
