// rp_image made safe to walk (every product and sum checked), and rows as float RGB.
#include "denoise/images.h"

#include "base/error.h"
#include "base/half.h"

#include <string.h>

#define HALF_MAX 65504.0f

rp_status rp_view_make(const rp_image *image, const char *name, uint32_t width, uint32_t height, rp_view *view,
                       rp_error *error)
{
    memset(view, 0, sizeof *view);
    if (!image->data)
        return RP_STATUS_OK;
    if (image->type != RP_PIXEL_FLOAT && image->type != RP_PIXEL_HALF)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "%s.type is %d; it must be float (0) or half (1)", name,
                       (int)image->type);
    if (image->channels < 1 || image->channels > 4)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "%s.channels is %u; it must be 1 to 4", name,
                       image->channels);
    size_t element = image->type == RP_PIXEL_FLOAT ? 4 : 2;
    size_t pixel = element * image->channels;
    size_t pixel_stride = image->pixel_stride_bytes ? image->pixel_stride_bytes : pixel;
    if (pixel_stride < pixel)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "%s.pixel_stride_bytes is %zu; a pixel takes %zu", name,
                       pixel_stride, pixel);
    size_t row, row_stride, span;
    if (!rp_multiply(width - 1, pixel_stride, &row) || !rp_add(row, pixel, &row))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "%s: a row of %u pixels, %zu bytes apart, overflows", name, width,
                       pixel_stride);
    row_stride = image->row_stride_bytes;
    if (row_stride == 0 && !rp_multiply(width, pixel_stride, &row_stride))
        return rp_fail(error, RP_STATUS_TOO_LARGE, "%s: a row of %u pixels, %zu bytes apart, overflows", name, width,
                       pixel_stride);
    if (row_stride < row)
        return rp_fail(error, RP_STATUS_INVALID_ARGUMENT, "%s.row_stride_bytes is %zu; a row takes %zu", name,
                       row_stride, row);
    // Pointer differences must fit ptrdiff_t, and the last address must not wrap.
    if (!rp_multiply(height - 1, row_stride, &span) || !rp_add(span, row, &span) ||
        !rp_add(span, image->offset_bytes, &span) || span > PTRDIFF_MAX || span > UINTPTR_MAX - (uintptr_t)image->data)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "%s: %u rows, %zu bytes apart, from offset %zu overflow", name,
                       height, row_stride, image->offset_bytes);
    *view = (rp_view){.base = (uint8_t *)image->data + image->offset_bytes,
                      .type = image->type,
                      .width = width,
                      .height = height,
                      .channels = image->channels,
                      .element_bytes = element,
                      .pixel_stride = pixel_stride,
                      .row_stride = row_stride,
                      .span_bytes = span - image->offset_bytes};
    return RP_STATUS_OK;
}

bool rp_view_has_alpha(const rp_view *view)
{
    return view->channels == 2 || view->channels == 4;
}

bool rp_view_overlaps(const rp_view *a, const rp_view *b)
{
    uintptr_t a_begin = (uintptr_t)a->base, b_begin = (uintptr_t)b->base;
    return a->base && b->base && a_begin < b_begin + b->span_bytes && b_begin < a_begin + a->span_bytes;
}

// With equal strides, whether two spans of bytes that begin `delta` apart and repeat every `period` bytes meet only
// with the same repetition: both lie within one period of the earlier one's beginning.
static bool repeats_apart(size_t delta, size_t later_bytes, size_t earlier_bytes, size_t period)
{
    return earlier_bytes <= period && later_bytes <= period && delta <= period - later_bytes;
}

rp_status rp_view_check_sharing(const rp_view *output, const rp_view *input, const char *name, rp_error *error)
{
    if (!rp_view_overlaps(output, input))
        return RP_STATUS_OK;
    bool output_later = output->base >= input->base;
    const rp_view *later = output_later ? output : input, *earlier = output_later ? input : output;
    size_t delta = (size_t)(later->base - earlier->base);
    if (output->row_stride == input->row_stride || output->height == 1) {
        size_t later_pixel = later->element_bytes * later->channels;
        size_t earlier_pixel = earlier->element_bytes * earlier->channels;
        size_t earlier_row = (earlier->width - 1) * earlier->pixel_stride + earlier_pixel;
        size_t later_row = (later->width - 1) * later->pixel_stride + later_pixel;
        bool rows_apart = output->height == 1 || repeats_apart(delta, later_row, earlier_row, output->row_stride);
        bool pixels_apart = output->pixel_stride == input->pixel_stride &&
                            repeats_apart(delta, later_pixel, earlier_pixel, output->pixel_stride);
        // Either pixel lies beside pixel, or a whole row behind the other's row.
        if (rows_apart && (pixels_apart || delta >= earlier_row))
            return RP_STATUS_OK;
    }
    return rp_fail(error, RP_STATUS_INVALID_ARGUMENT,
                   "output shares memory with %s, but not pixel by pixel (strides %zu, %zu and %zu, %zu; begins %zu "
                   "bytes %s)",
                   name, output->pixel_stride, output->row_stride, input->pixel_stride, input->row_stride, delta,
                   output_later ? "later" : "earlier");
}

float *rp_view_row(const rp_view *view, uint32_t y, size_t *stride)
{
    uint8_t *row = view->base + y * view->row_stride;
    if (view->type != RP_PIXEL_FLOAT || view->channels < 3 || view->pixel_stride % sizeof(float) != 0 ||
        (uintptr_t)row % sizeof(float) != 0)
        return NULL;
    *stride = view->pixel_stride / sizeof(float);
    return (float *)(void *)row;
}

static float load_element(const rp_view *view, const uint8_t *pixel, uint32_t channel)
{
    if (view->type == RP_PIXEL_FLOAT) {
        float value;
        memcpy(&value, pixel + 4 * channel, sizeof value);
        return value;
    }
    uint16_t half;
    memcpy(&half, pixel + 2 * channel, sizeof half);
    return rp_half_to_float(half);
}

static void store_element(const rp_view *view, uint8_t *pixel, uint32_t channel, float value)
{
    if (view->type == RP_PIXEL_FLOAT) {
        memcpy(pixel + 4 * channel, &value, sizeof value);
        return;
    }
    uint16_t half = rp_float_to_half(value);
    memcpy(pixel + 2 * channel, &half, sizeof half);
}

// Colours are finite, and stay so as halves. Alpha does not come this way: it is passed on as it is.
static void store_color(const rp_view *view, uint8_t *pixel, uint32_t channel, float value)
{
    if (view->type == RP_PIXEL_HALF && value > HALF_MAX)
        value = HALF_MAX;
    store_element(view, pixel, channel, value);
}

static float load_alpha(const rp_view *view, uint32_t x, uint32_t y)
{
    if (!view || !view->base || !rp_view_has_alpha(view))
        return 1.0f;
    return load_element(view, view->base + y * view->row_stride + x * view->pixel_stride, view->channels - 1);
}

void rp_view_load(const rp_view *view, uint32_t x, uint32_t y, uint32_t n, float *rgb, size_t stride)
{
    const uint8_t *pixel = view->base + y * view->row_stride + x * view->pixel_stride;
    bool grey = view->channels < 3;
    for (uint32_t i = 0; i < n; i++) {
        rgb[0] = load_element(view, pixel, 0);
        rgb[1] = grey ? rgb[0] : load_element(view, pixel, 1);
        rgb[2] = grey ? rgb[0] : load_element(view, pixel, 2);
        rgb += stride;
        pixel += i + 1 < n ? view->pixel_stride : 0;
    }
}

void rp_view_store(const rp_view *view, uint32_t x, uint32_t y, uint32_t n, const float *rgb, size_t stride,
                   const rp_view *alpha)
{
    uint8_t *pixel = view->base + y * view->row_stride + x * view->pixel_stride;
    bool has_alpha = rp_view_has_alpha(view);
    for (uint32_t i = 0; i < n; i++) {
        // Read first: the output may be the image that alpha comes from, with another element type.
        float opacity = has_alpha ? load_alpha(alpha, x + i, y) : 1.0f;
        if (view->channels < 3) {
            store_color(view, pixel, 0, (float)(((double)rgb[0] + (double)rgb[1] + (double)rgb[2]) / 3.0));
        } else {
            for (uint32_t channel = 0; channel < 3; channel++)
                store_color(view, pixel, channel, rgb[channel]);
        }
        if (has_alpha)
            store_element(view, pixel, view->channels - 1, opacity);
        rgb += stride;
        pixel += i + 1 < n ? view->pixel_stride : 0;
    }
}

void rp_view_load_rgba(const rp_view *view, uint32_t y, float *rgba)
{
    rp_view_load(view, 0, y, view->width, rgba, 4);
    for (uint32_t x = 0; x < view->width; x++)
        rgba[4 * (size_t)x + 3] = load_alpha(view, x, y);
}
