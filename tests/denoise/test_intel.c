// Intel's own results (shared/data, its README): the same images and flags through the CPU device, within the bound of
// docs/denoising.md in the network's space. Intel's library fills with zeros beyond the edge, and so do these runs.
#include "denoise/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOUND 1e-5

typedef struct result {
    const char *output, *image, *color, *quality;
    bool albedo, normal, clean_aux, srgb;
    double input_scale; // 0: autoexposure
} result;

static bool flag(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

static result read_result(const json_t *object)
{
    return (result){.output = json_string_value(json_object_get(object, "output")),
                    .image = json_string_value(json_object_get(object, "image")),
                    .color = json_string_value(json_object_get(object, "color")),
                    .quality = json_string_value(json_object_get(object, "quality")),
                    .albedo = flag(object, "albedo"),
                    .normal = flag(object, "normal"),
                    .clean_aux = flag(object, "clean_aux"),
                    .srgb = flag(object, "srgb"),
                    .input_scale = json_number_value(json_object_get(object, "input_scale"))};
}

static picture read_input(const char *image, const char *kind)
{
    char name[200];
    snprintf(name, sizeof name, "%s.%s.pfm", image, kind);
    return picture_read(name);
}

static double difference_of(rp_denoiser *denoiser, const result *result)
{
    bool hdr = result->color && strcmp(result->color, "hdr") == 0;
    picture color = {0}, albedo = {0}, normal = {0};
    if (result->color)
        color = read_input(result->image, result->color);
    if (result->albedo)
        albedo = read_input(result->image, "alb");
    if (result->normal)
        normal = read_input(result->image, "nrm");
    picture expected = picture_read(result->output);
    picture actual = picture_make(expected.width, expected.height, 3);
    rp_denoise_desc desc = {.width = expected.width,
                            .height = expected.height,
                            .color = image_of(&color),
                            .albedo = image_of(&albedo),
                            .normal = image_of(&normal),
                            .output = image_of(&actual),
                            .hdr = hdr,
                            .srgb = result->srgb,
                            .clean_aux = result->clean_aux,
                            .quality = strcmp(result->quality, "high") == 0       ? RP_QUALITY_HIGH
                                       : strcmp(result->quality, "balanced") == 0 ? RP_QUALITY_BALANCED
                                                                                  : RP_QUALITY_FAST,
                            .input_scale = hdr ? (float)result->input_scale : 0.0f,
                            .edge = RP_EDGE_ZERO};
    must_run(denoiser, &desc);
    rp_denoise_report report = rp_denoiser_get_report(denoiser);
    double scale = 1;
    if (hdr) {
        scale = result->input_scale > 0 ? (double)(float)result->input_scale : exposure_of(&color);
        assert_true(fabs(report.input_scale - scale) <= 1e-5 * scale);
    }
    rp_transfer transfer = hdr                                                  ? RP_TRANSFER_PU
                           : result->srgb || !(result->color || result->albedo) ? RP_TRANSFER_NONE
                                                                                : RP_TRANSFER_SRGB;
    // Normals are half as large in the network.
    double difference = network_difference(&actual, &expected, transfer, scale);
    if (!result->color && result->normal)
        difference *= 0.5;
    picture_free(&color);
    picture_free(&albedo);
    picture_free(&normal);
    picture_free(&expected);
    picture_free(&actual);
    return difference;
}

static void results_are_those_of_intels_library(void **state)
{
    (void)state;
    json_t *manifest = manifest_load();
    if (!manifest)
        skip();
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    double most = 0, most_clean = 0;
    size_t count = json_array_size(manifest);
    assert_int_equal(count, 68);
    for (size_t i = 0; i < count; i++) {
        result result = read_result(json_array_get(manifest, i));
        double difference = difference_of(denoiser, &result);
        if (!(difference <= BOUND))
            print_message("%s: %g in network space\n", result.output, difference);
        if (!(difference <= most))
            most = difference;
        // The dirty image reaches values of 5 in network space, where single precision is five times coarser.
        if (strncmp(result.image, "dirty", 5) != 0 && !(difference <= most_clean))
            most_clean = difference;
    }
    print_message("%zu results, greatest difference %g in network space (bound %g); without the dirty image %g\n",
                  count, most, BOUND, most_clean);
    assert_true(most <= BOUND);
    json_decref(manifest);
    rp_denoiser_destroy(&denoiser);
}

// Intel's library turns the whole image black here, so there is nothing of its to compare with.
static void infinities_do_not_darken_an_automatically_exposed_image(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture dirty = read_input("dirty208x176", "hdr"), clean = read_input("room208x176", "hdr");
    picture actual = picture_make(dirty.width, dirty.height, 3);
    rp_denoise_desc desc = {.width = dirty.width,
                            .height = dirty.height,
                            .color = image_of(&dirty),
                            .output = image_of(&actual),
                            .hdr = true};
    must_run(denoiser, &desc);
    double dirty_scale = rp_denoiser_get_report(denoiser).input_scale, clean_scale = exposure_of(&clean);
    // The sprinkled pixels of 1e38 are finite and count, in their bins, as they do in Intel's.
    print_message("input scale %g, of the clean image %g\n", dirty_scale, clean_scale);
    assert_true(dirty_scale > 0 && fabs(dirty_scale - exposure_of(&dirty)) <= 1e-5 * dirty_scale);
    for (size_t i = 0; i < (size_t)actual.width * actual.height * 3; i++)
        assert_true(isfinite(actual.data[i]) && actual.data[i] >= 0);
    picture_free(&dirty);
    picture_free(&clean);
    picture_free(&actual);
    rp_denoiser_destroy(&denoiser);
}

int run_intel_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_intels_library),
        cmocka_unit_test(infinities_do_not_darken_an_automatically_exposed_image),
    };
    return cmocka_run_group_tests_name("intel", tests, NULL, NULL);
}
