// The double-precision reference against Intel's own results: what proves the reference, which the other tests trust.
#include "tests.h"

#include "support/manifest.h"
#include "support/pfm.h"
#include "support/reference_network.h"
#include "support/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool flag(const json_t *entry, const char *name)
{
    return json_is_true(json_object_get(entry, name));
}

static const char *text(const json_t *entry, const char *name)
{
    return json_string_value(json_object_get(entry, name));
}

static float *read_image(const char *image, const char *kind, uint32_t *width, uint32_t *height)
{
    char path[160];
    snprintf(path, sizeof path, INTEL_FOLDER "%s.%s.pfm", image, kind);
    float *pixels = pfm_read(path, width, height);
    if (!pixels)
        fail_msg("cannot read %s", path);
    return pixels;
}

// The greatest difference in network space, over the greatest value there where that is above 1: activations and their
// rounding grow with the values that go in, which reach 5.7 in the dirty image.
static double compare(const json_t *entry, const char *weights)
{
    const char *image = text(entry, "image"), *color = text(entry, "color"), *output = text(entry, "output");
    reference_job job = {.edge = RP_EDGE_ZERO, .hdr = color && strcmp(color, "hdr") == 0};
    const char *kinds[3];
    uint32_t count = 0;
    if (color)
        kinds[count++] = color;
    if (flag(entry, "albedo"))
        kinds[count++] = "alb";
    if (flag(entry, "normal"))
        kinds[count++] = "nrm";
    job.normal_alone = count == 1 && strcmp(kinds[0], "nrm") == 0;
    job.transfer = job.hdr ? RP_TRANSFER_PU : flag(entry, "srgb") ? RP_TRANSFER_NONE : RP_TRANSFER_SRGB;
    job.input_scale = json_number_value(json_object_get(entry, "input_scale")); // 0 for null

    rp_model *model;
    rp_error error;
    if (rp_model_load(weights, NULL, &model, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    job.model = model;
    float *images[3] = {NULL};
    for (uint32_t i = 0; i < count; i++)
        job.images[i] = images[i] = read_image(image, kinds[i], &job.width, &job.height);
    uint32_t width, height;
    float *expected = pfm_read(output, &width, &height);
    assert_non_null(expected);
    assert_true(width == job.width && height == job.height);

    size_t values = (size_t)width * height * 3;
    double *actual = malloc(values * sizeof *actual), worst = 0, greatest = 1;
    assert_true(reference_denoise(&job, actual));
    for (size_t i = 0; i < values; i++) {
        if (job.hdr && isfinite(images[0][i]))
            greatest = fmax(greatest, reference_to_network(&job, fmax((double)images[0][i], 0)));
        if (isfinite(expected[i]))
            worst = fmax(worst,
                         fabs(reference_to_network(&job, (double)expected[i]) - reference_to_network(&job, actual[i])));
    }
    free(actual);
    free(expected);
    for (uint32_t i = 0; i < count; i++)
        free(images[i]);
    rp_model_destroy(&model);
    return worst / greatest;
}

static void compare_all(const char *prefix, uint32_t expected_count)
{
    json_t *manifest = manifest_load();
    if (!manifest)
        skip();
    uint32_t count = 0;
    size_t i;
    json_t *entry;
    json_array_foreach(manifest, i, entry)
    {
        const char *output = text(entry, "output");
        if (strncmp(output, prefix, strlen(prefix)) != 0)
            continue;
        char *weights = weights_path(text(entry, "weights")), path[160];
        if (!weights) {
            json_decref(manifest);
            skip();
        }
        snprintf(path, sizeof path, INTEL_FOLDER "%s", output);
        json_object_set_new(entry, "output", json_string(path));
        double worst = compare(entry, weights);
        print_message("%s: %.2g\n", path + strlen(INTEL_FOLDER), worst);
        if (!(worst <= 1.2e-6))
            fail_msg("%s: the reference is %.3g away", path, worst);
        free(weights);
        count++;
    }
    assert_int_equal(count, expected_count);
    json_decref(manifest);
}

static void the_reference_agrees_on_every_kind_of_input(void **state)
{
    (void)state;
    compare_all("synth64x48", 25);
}

static void the_reference_agrees_on_odd_sizes(void **state)
{
    (void)state;
    compare_all("synth17x13", 3);
    compare_all("synth1x1", 3);
    compare_all("synth300x5", 3);
}

static void the_reference_agrees_on_black_and_dirty_images(void **state)
{
    (void)state;
    compare_all("black64x48", 3);
    compare_all("dirty208x176", 3);
}

int test_intel(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_agrees_on_every_kind_of_input),
        cmocka_unit_test(the_reference_agrees_on_odd_sizes),
        cmocka_unit_test(the_reference_agrees_on_black_and_dirty_images),
    };
    return cmocka_run_group_tests_name("intel", tests, NULL, NULL);
}
