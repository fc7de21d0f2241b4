// Pictures and denoisers for the tests of the denoise layer.
#include "denoise/support.h"

#include "denoise/weights.h"
#include "support/pfm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

picture picture_make(uint32_t width, uint32_t height, uint32_t channels)
{
    picture image = {.width = width, .height = height, .channels = channels};
    image.data = calloc((size_t)width * height * channels, sizeof(float));
    assert_non_null(image.data);
    return image;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double uniform(uint32_t *state)
{
    return next_random(state) / 16777216.0;
}

static double shape_at(uint32_t x, uint32_t y, uint32_t channel)
{
    return 0.5 + 0.5 * sin(0.05 * x + 0.7 * channel) * cos(0.08 * y - 0.4 * channel);
}

picture picture_noisy(uint32_t width, uint32_t height, uint32_t channels, uint32_t seed)
{
    picture image = picture_make(width, height, channels);
    uint32_t state = seed * 747796405u + 1;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < channels; c++)
                image.data[((size_t)y * width + x) * channels + c] =
                    (float)(2.0 * shape_at(x, y, c) * -log(1.0 - 0.98 * uniform(&state)));
    return image;
}

picture picture_albedo(uint32_t width, uint32_t height, uint32_t seed)
{
    picture image = picture_make(width, height, 3);
    uint32_t state = seed * 747796405u + 3;
    for (size_t i = 0; i < (size_t)width * height * 3; i++)
        image.data[i] =
            (float)(0.8 * shape_at((uint32_t)(i / 3 % width), (uint32_t)(i / 3 / width), (uint32_t)(i % 3)) +
                    0.2 * uniform(&state));
    return image;
}

picture picture_normals(uint32_t width, uint32_t height, uint32_t seed)
{
    picture image = picture_make(width, height, 3);
    uint32_t state = seed * 747796405u + 5;
    for (size_t i = 0; i < (size_t)width * height; i++) {
        double length = 0, vector[3];
        for (size_t c = 0; c < 3; c++) {
            vector[c] =
                2 * shape_at((uint32_t)(i % width), (uint32_t)(i / width), (uint32_t)c) - 1 + 0.3 * uniform(&state);
            length += vector[c] * vector[c];
        }
        for (size_t c = 0; c < 3; c++)
            image.data[3 * i + c] = (float)(vector[c] / sqrt(length + 1e-9));
    }
    return image;
}

picture picture_copy(const picture *from)
{
    picture image = picture_make(from->width, from->height, from->channels);
    memcpy(image.data, from->data, (size_t)from->width * from->height * from->channels * sizeof(float));
    return image;
}

picture picture_read(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, INTEL_FOLDER "%s", name);
    picture image = {.channels = 3};
    image.data = pfm_read(path, &image.width, &image.height);
    if (!image.data) {
        print_message("SKIPPED: %s cannot be read\n", path);
        skip();
    }
    return image;
}

void picture_free(picture *image)
{
    free(image->data);
    image->data = NULL;
}

rp_image image_of(const picture *image)
{
    return (rp_image){.data = image->data, .channels = image->channels};
}

void skip_without_weights(void)
{
    char *path = NULL;
    rp_error error;
    if (rp_weights_find(NULL, "rt_hdr.tza", NULL, &path, &error) != RP_STATUS_OK) {
        print_message("SKIPPED: %s\n", error.message);
        skip();
    }
    rp_free(NULL, path);
}

rp_denoiser *make_denoiser(rp_device_choice device)
{
    skip_without_weights();
    if (device == RP_DEVICE_WEBGPU && !getenv("REPRISE_WEBGPU_LIBRARY")) {
        print_message("SKIPPED: $REPRISE_WEBGPU_LIBRARY is not set\n");
        skip();
    }
    rp_denoiser *denoiser = NULL;
    rp_error error;
    rp_denoiser_desc desc = {.device = device, .precision = RP_PRECISION_FP32};
    rp_status status = rp_denoiser_create(&desc, &denoiser, &error);
    if (device == RP_DEVICE_WEBGPU && (status == RP_STATUS_NO_LIBRARY || status == RP_STATUS_NO_DEVICE)) {
        print_message("SKIPPED: %s\n", error.message);
        skip();
    }
    if (status != RP_STATUS_OK)
        fail_msg("%s", error.message);
    return denoiser;
}

void must_run(rp_denoiser *denoiser, const rp_denoise_desc *desc)
{
    rp_error error;
    if (rp_denoiser_run(denoiser, desc, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
}

double exposure_of(const picture *image)
{
    assert_int_equal(image->channels, 3);
    return reference_autoexposure(image->data, image->width, image->height);
}

double network_difference(const picture *actual, const picture *expected, rp_transfer transfer, double scale)
{
    double most = 0;
    assert_int_equal(actual->width, expected->width);
    assert_int_equal(actual->height, expected->height);
    assert_int_equal(actual->channels, expected->channels);
    for (size_t i = 0; i < (size_t)actual->width * actual->height * actual->channels; i++) {
        if (!isfinite(expected->data[i]))
            continue;
        double difference = fabs(reference_forward(transfer, actual->data[i] * scale) -
                                 reference_forward(transfer, expected->data[i] * scale));
        if (!(difference <= most)) // a NaN counts
            most = difference;
    }
    return most;
}
