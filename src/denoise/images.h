// The caller's images: checking what an rp_image spans, and moving rows between it and float RGB.
#ifndef RP_DENOISE_IMAGES_H
#define RP_DENOISE_IMAGES_H

#include "base/memory.h"
#include "reprise/denoise.h"

// A checked image: strides are resolved, and every byte from `base` to the last channel of the last pixel is within
// the address space.
typedef struct rp_view {
    uint8_t *base; // of the first pixel; NULL: there is no image
    rp_pixel_type type;
    uint32_t width, height, channels;
    size_t element_bytes; // 4 or 2
    size_t pixel_stride, row_stride;
    size_t span_bytes; // from base to behind the last pixel
} rp_view;

// `name` is what messages call it ("color"). data NULL gives an empty view. Errors: INVALID_ARGUMENT, TOO_LARGE.
rp_status rp_view_make(const rp_image *image, const char *name, uint32_t width, uint32_t height, rp_view *view,
                       rp_error *error);

bool rp_view_has_alpha(const rp_view *view);

// Whether the two share any byte between their ends.
bool rp_view_overlaps(const rp_view *a, const rp_view *b);

// Refuses an output whose pixels touch other pixels of the input than those at their own place. Error:
// INVALID_ARGUMENT.
rp_status rp_view_check_sharing(const rp_view *output, const rp_view *input, const char *name, rp_error *error);

// Row y in place, when it can be used as floats of three or more channels; *stride is floats from pixel to pixel. Else
// NULL.
float *rp_view_row(const rp_view *view, uint32_t y, size_t *stride);

// n pixels of row y from column x as RGB: one channel (and alpha) is broadcast.
void rp_view_load(const rp_view *view, uint32_t x, uint32_t y, uint32_t n, float *rgb, size_t stride);

// n pixels of RGB into row y from column x: one channel is the mean. Alpha is taken from the same place of `alpha`, 1
// when that has none or is NULL.
void rp_view_store(const rp_view *view, uint32_t x, uint32_t y, uint32_t n, const float *rgb, size_t stride,
                   const rp_view *alpha);

// The same with alpha from and to the fourth float (stride 4).
void rp_view_load_rgba(const rp_view *view, uint32_t y, float *rgba);

#endif
