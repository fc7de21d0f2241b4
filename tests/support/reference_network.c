// The double-precision reference. Plain except for the convolution's inner loops, which work on four pixels by four
// output channels at a time. Running out of memory aborts: this is test code.
#include "support/reference_network.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double vector4 __attribute__((vector_size(32), aligned(8)));

// [height, width, channels]
typedef struct field {
    uint32_t width, height, channels;
    double *values;
} field;

static void *allocate(size_t count, size_t size)
{
    void *pointer = calloc(count, size);
    if (!pointer)
        abort();
    return pointer;
}

static field make_field(uint32_t width, uint32_t height, uint32_t channels)
{
    return (field){width, height, channels, allocate((size_t)width * height * channels, sizeof(double))};
}

static double *at(const field *f, uint32_t y, uint32_t x)
{
    return f->values + ((size_t)y * f->width + x) * f->channels;
}

static field pad_by_one(const field *in)
{
    field out = make_field(in->width + 2, in->height + 2, in->channels);
    for (uint32_t y = 0; y < in->height; y++)
        memcpy(at(&out, y + 1, 1), at(in, y, 0), (size_t)in->width * in->channels * sizeof(double));
    return out;
}

// weights: [tap 9][input channel][4] of four output channels.
static void convolve_four(const field *padded, const double *weights, const double bias[4], field *out, uint32_t first)
{
    uint32_t channels = padded->channels, kept = out->channels - first < 4 ? out->channels - first : 4;
    for (uint32_t y = 0; y < out->height; y++)
        for (uint32_t x = 0; x < out->width; x += 4) {
            uint32_t pixels = out->width - x < 4 ? out->width - x : 4;
            vector4 sums[4];
            for (uint32_t p = 0; p < 4; p++)
                sums[p] = (vector4){bias[0], bias[1], bias[2], bias[3]};
            for (uint32_t tap = 0; tap < 9; tap++) {
                const double *in[4];
                for (uint32_t p = 0; p < 4; p++) // past the row's end: the last pixel once more, thrown away
                    in[p] = at(padded, y + tap / 3, x + (p < pixels ? p : pixels - 1) + tap % 3);
                const double *row = weights + (size_t)tap * channels * 4;
                for (uint32_t c = 0; c < channels; c++) {
                    vector4 w;
                    memcpy(&w, row + 4 * (size_t)c, sizeof w);
                    sums[0] += in[0][c] * w;
                    sums[1] += in[1][c] * w;
                    sums[2] += in[2][c] * w;
                    sums[3] += in[3][c] * w;
                }
            }
            for (uint32_t p = 0; p < pixels; p++)
                for (uint32_t o = 0; o < kept; o++)
                    at(out, y, x + p)[first + o] = sums[p][o] > 0 ? sums[p][o] : 0;
        }
}

// 3×3 convolution with zero padding 1, then ReLU. Frees `in` when told to.
static field convolution(const rp_model *model, const char *name, field in, bool release)
{
    char weight_name[40], bias_name[40];
    snprintf(weight_name, sizeof weight_name, "%s.weight", name);
    snprintf(bias_name, sizeof bias_name, "%s.bias", name);
    const rp_tza_tensor *weight = rp_tza_find(&model->archive, weight_name);
    const rp_tza_tensor *bias = rp_tza_find(&model->archive, bias_name);
    if (!weight || !bias || weight->dimensions[1] != in.channels) {
        fprintf(stderr, "reference network: %s is missing or does not fit\n", name);
        abort();
    }
    uint32_t inputs = in.channels, outputs = weight->dimensions[0];
    field padded = pad_by_one(&in), out = make_field(in.width, in.height, outputs);
    double *four = allocate((size_t)9 * inputs * 4, sizeof *four);
    for (uint32_t first = 0; first < outputs; first += 4) {
        double four_biases[4] = {0};
        memset(four, 0, (size_t)9 * inputs * 4 * sizeof *four);
        for (uint32_t o = 0; o < 4 && first + o < outputs; o++) {
            four_biases[o] = (double)rp_tza_value(bias, first + o);
            for (uint32_t i = 0; i < inputs; i++)
                for (uint32_t tap = 0; tap < 9; tap++)
                    four[((size_t)tap * inputs + i) * 4 + o] =
                        (double)rp_tza_value(weight, (((size_t)first + o) * inputs + i) * 9 + tap);
        }
        convolve_four(&padded, four, four_biases, &out, first);
    }
    free(four);
    free(padded.values);
    if (release)
        free(in.values);
    return out;
}

static field conv(const rp_model *model, const char *name, field in)
{
    return convolution(model, name, in, true);
}

// 2×2 maximum; frees `in`.
static field pool(field in)
{
    field out = make_field(in.width / 2, in.height / 2, in.channels);
    for (uint32_t y = 0; y < out.height; y++)
        for (uint32_t x = 0; x < out.width; x++)
            for (uint32_t c = 0; c < in.channels; c++)
                at(&out, y, x)[c] = fmax(fmax(at(&in, 2 * y, 2 * x)[c], at(&in, 2 * y, 2 * x + 1)[c]),
                                         fmax(at(&in, 2 * y + 1, 2 * x)[c], at(&in, 2 * y + 1, 2 * x + 1)[c]));
    free(in.values);
    return out;
}

// Nearest; frees `in`.
static field upsample(field in)
{
    field out = make_field(in.width * 2, in.height * 2, in.channels);
    for (uint32_t y = 0; y < out.height; y++)
        for (uint32_t x = 0; x < out.width; x++)
            memcpy(at(&out, y, x), at(&in, y / 2, x / 2), in.channels * sizeof(double));
    free(in.values);
    return out;
}

// b's channels behind a's; frees a, and b when told to.
static field concat(field a, field b, bool release)
{
    field out = make_field(a.width, a.height, a.channels + b.channels);
    for (uint32_t y = 0; y < a.height; y++)
        for (uint32_t x = 0; x < a.width; x++) {
            memcpy(at(&out, y, x), at(&a, y, x), a.channels * sizeof(double));
            memcpy(at(&out, y, x) + a.channels, at(&b, y, x), b.channels * sizeof(double));
        }
    free(a.values);
    if (release)
        free(b.values);
    return out;
}

static field base_network(const rp_model *m, field input)
{
    field x = convolution(m, "enc_conv0", input, false);
    field pool1 = pool(conv(m, "enc_conv1", x));
    field pool2 = pool(convolution(m, "enc_conv2", pool1, false));
    field pool3 = pool(convolution(m, "enc_conv3", pool2, false));
    x = pool(convolution(m, "enc_conv4", pool3, false));
    x = conv(m, "enc_conv5b", conv(m, "enc_conv5a", x));
    x = concat(upsample(x), pool3, true);
    x = conv(m, "dec_conv4b", conv(m, "dec_conv4a", x));
    x = concat(upsample(x), pool2, true);
    x = conv(m, "dec_conv3b", conv(m, "dec_conv3a", x));
    x = concat(upsample(x), pool1, true);
    x = conv(m, "dec_conv2b", conv(m, "dec_conv2a", x));
    x = concat(upsample(x), input, false);
    return conv(m, "dec_conv0", conv(m, "dec_conv1b", conv(m, "dec_conv1a", x)));
}

static field large_network(const rp_model *m, field input)
{
    field pool1 = pool(conv(m, "enc_conv1b", convolution(m, "enc_conv1a", input, false)));
    field pool2 = pool(conv(m, "enc_conv2b", convolution(m, "enc_conv2a", pool1, false)));
    field pool3 = pool(conv(m, "enc_conv3b", convolution(m, "enc_conv3a", pool2, false)));
    field x = pool(conv(m, "enc_conv4b", convolution(m, "enc_conv4a", pool3, false)));
    x = conv(m, "enc_conv5b", conv(m, "enc_conv5a", x));
    x = concat(upsample(x), pool3, true);
    x = conv(m, "dec_conv4b", conv(m, "dec_conv4a", x));
    x = concat(upsample(x), pool2, true);
    x = conv(m, "dec_conv3b", conv(m, "dec_conv3a", x));
    x = concat(upsample(x), pool1, true);
    x = conv(m, "dec_conv2b", conv(m, "dec_conv2a", x));
    x = concat(upsample(x), input, false);
    return conv(m, "dec_conv1c", conv(m, "dec_conv1b", conv(m, "dec_conv1a", x)));
}

bool reference_network(const rp_model *model, const double *input, uint32_t width, uint32_t height, double *output)
{
    const rp_tza_tensor *base = rp_tza_find(&model->archive, "enc_conv0.weight");
    const rp_tza_tensor *large = rp_tza_find(&model->archive, "enc_conv1a.weight");
    if (width % 16 != 0 || height % 16 != 0 || (!base && !large))
        return false;
    field in = make_field(width, height, (base ? base : large)->dimensions[1]);
    memcpy(in.values, input, (size_t)width * height * in.channels * sizeof(double));
    field out = base ? base_network(model, in) : large_network(model, in);
    memcpy(output, out.values, (size_t)width * height * 3 * sizeof(double));
    free(in.values);
    free(out.values);
    return true;
}

// ---- Values --------------------------------------------------------------------------------------------------------

static const double flt_max = (double)FLT_MAX;

static double pu(double y)
{
    if (y <= 1.57945760e-6)
        return 1.41283765e3 * y;
    if (y <= 3.22087631e-2)
        return 1.64593172 * pow(y, 4.31384981e-1) - 2.94139609e-3;
    return 1.92653254e-1 * log(y + 6.26026094e-3) + 9.98620152e-1;
}

static double pu_inverse(double x)
{
    if (x <= 2.23151711e-3)
        return x / 1.41283765e3;
    if (x <= 3.70974749e-1)
        return pow((x + 2.94139609e-3) / 1.64593172, 1 / 4.31384981e-1);
    return exp((x - 9.98620152e-1) / 1.92653254e-1) - 6.26026094e-3;
}

double reference_forward(rp_transfer transfer, double value)
{
    switch (transfer) {
    case RP_TRANSFER_PU:
        return pu(value) / pu(65504);
    case RP_TRANSFER_LOG:
        return log1p(value) / log1p(65504);
    case RP_TRANSFER_SRGB:
        return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
    default:
        return value;
    }
}

double reference_inverse(rp_transfer transfer, double value)
{
    switch (transfer) {
    case RP_TRANSFER_PU:
        return pu_inverse(value * pu(65504));
    case RP_TRANSFER_LOG:
        return expm1(value * log1p(65504));
    case RP_TRANSFER_SRGB:
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    default:
        return value;
    }
}

static double clamped(double value, double low, double high)
{
    return isnan(value) ? 0 : fmin(fmax(value, low), high);
}

double reference_autoexposure(const float *rgb, uint32_t width, uint32_t height)
{
    uint32_t columns = (width + 15) / 16, rows = (height + 15) / 16, bins = 0;
    double sum_of_logs = 0;
    for (uint32_t bin = 0; bin < columns * rows; bin++) {
        uint32_t i = bin % columns, j = bin / columns, count = 0;
        double sum = 0;
        for (uint32_t y = j * height / rows; y < (j + 1) * height / rows; y++)
            for (uint32_t x = i * width / columns; x < (i + 1) * width / columns; x++) {
                const float *p = rgb + ((size_t)y * width + x) * 3;
                double r = (double)p[0], g = (double)p[1], b = (double)p[2];
                if (!isfinite(r + g + b))
                    continue;
                sum += 0.212671 * fmax(r, 0) + 0.715160 * fmax(g, 0) + 0.072169 * fmax(b, 0);
                count++;
            }
        if (count > 0 && sum / count > 1e-8) {
            sum_of_logs += log(sum / count) / log(2.0);
            bins++;
        }
    }
    return bins > 0 ? 0.18 / pow(2, sum_of_logs / bins) : 1;
}

double reference_scale(const reference_job *job)
{
    if (job->input_scale > 0)
        return job->input_scale;
    return job->hdr ? reference_autoexposure(job->images[0], job->width, job->height) : 1;
}

static double process_input(const reference_job *job, uint32_t image, double scale, double value)
{
    bool normal = image == 2 || job->normal_alone;
    if (normal)
        return clamped(value, -1, 1) * 0.5 + 0.5;
    if (image == 1)
        return clamped(value, 0, 1);
    return reference_forward(job->transfer, job->hdr ? clamped(value * scale, 0, flt_max) : clamped(value, 0, 1));
}

static double process_output(const reference_job *job, double scale, double value)
{
    value = clamped(value, 0, flt_max);
    if (job->normal_alone)
        return fmin(value * 2 - 1, 1);
    value = reference_inverse(job->transfer, value);
    return job->hdr ? fmin(fmin(value, flt_max) / scale, flt_max) : fmin(value, 1);
}

double reference_to_network(const reference_job *job, double value)
{
    if (job->normal_alone)
        return clamped(value, -1, 1) * 0.5 + 0.5;
    return reference_forward(job->transfer, job->hdr ? value * reference_scale(job) : value);
}

bool reference_denoise(const reference_job *job, double *output)
{
    const rp_tza_tensor *base = rp_tza_find(&job->model->archive, "enc_conv0.weight");
    const rp_tza_tensor *large = rp_tza_find(&job->model->archive, "enc_conv1a.weight");
    if (!base && !large)
        return false;
    uint32_t channels = (base ? base : large)->dimensions[1];
    field in = make_field((job->width + 15) / 16 * 16, (job->height + 15) / 16 * 16, channels);
    field out = make_field(in.width, in.height, 3);
    double scale = reference_scale(job);
    for (uint32_t y = 0; y < in.height; y++)
        for (uint32_t x = 0; x < in.width; x++) {
            bool outside = x >= job->width || y >= job->height;
            if (outside && job->edge == RP_EDGE_ZERO)
                continue;
            uint32_t from_x = x < job->width ? x : job->width - 1, from_y = y < job->height ? y : job->height - 1;
            for (uint32_t c = 0; c < channels; c++)
                at(&in, y, x)[c] = process_input(
                    job, c / 3, scale, (double)job->images[c / 3][((size_t)from_y * job->width + from_x) * 3 + c % 3]);
        }
    bool known = reference_network(job->model, in.values, in.width, in.height, out.values);
    for (uint32_t y = 0; y < job->height && known; y++)
        for (uint32_t x = 0; x < job->width; x++)
            for (uint32_t c = 0; c < 3; c++)
                output[((size_t)y * job->width + x) * 3 + c] = process_output(job, scale, at(&out, y, x)[c]);
    free(in.values);
    free(out.values);
    return known;
}
