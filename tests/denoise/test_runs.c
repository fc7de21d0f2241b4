// Runs of one denoiser: every size, hostile values, cancelling, and nothing carried over from run to run.
#include "denoise/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void every_size_is_that_of_the_reference(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {3, 2}, {15, 17}, {16, 16}, {509, 1}, {1, 509}};
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    double most = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        picture color = picture_noisy(sizes[i][0], sizes[i][1], 3, (uint32_t)i);
        picture albedo = picture_albedo(sizes[i][0], sizes[i][1], (uint32_t)i);
        picture result = picture_make(sizes[i][0], sizes[i][1], 3);
        size_t count = (size_t)result.width * result.height * 3;
        double *expected = malloc(count * sizeof *expected);
        rp_denoise_desc desc = {.width = result.width,
                                .height = result.height,
                                .hdr = true,
                                .quality = RP_QUALITY_FAST,
                                .color = image_of(&color),
                                .albedo = image_of(&albedo),
                                .output = image_of(&result),
                                .edge = i % 2 ? RP_EDGE_ZERO : RP_EDGE_REPEAT};
        must_run(denoiser, &desc);
        rp_model *model = NULL;
        assert_int_equal(rp_model_load(rp_denoiser_get_report(denoiser).weights, NULL, &model, NULL), RP_STATUS_OK);
        reference_job job = {.model = model,
                             .width = result.width,
                             .height = result.height,
                             .images = {color.data, albedo.data},
                             .hdr = true,
                             .transfer = RP_TRANSFER_PU,
                             .edge = desc.edge};
        assert_true(reference_denoise(&job, expected));
        for (size_t k = 0; k < count; k++) {
            double difference =
                fabs(reference_to_network(&job, result.data[k]) - reference_to_network(&job, expected[k]));
            if (!(difference <= most))
                most = difference;
        }
        rp_model_destroy(&model);
        free(expected);
        picture_free(&color);
        picture_free(&albedo);
        picture_free(&result);
    }
    print_message("greatest difference %g in network space (bound %g)\n", most, 1e-5);
    assert_true(most <= 1e-5);
    rp_denoiser_destroy(&denoiser);
}

// An image of any size is part of that of the size rounded up to 16, when what lies beyond the edge is repeated.
static void repeating_the_edge_extends_the_image(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture small = picture_noisy(21, 10, 3, 9), large = picture_make(32, 16, 3);
    for (uint32_t y = 0; y < 16; y++)
        for (uint32_t x = 0; x < 32; x++)
            memcpy(large.data + (y * 32 + x) * 3, small.data + ((y < 10 ? y : 9) * 21 + (x < 21 ? x : 20)) * 3, 12);
    rp_denoise_desc desc = {.width = 21,
                            .height = 10,
                            .hdr = true,
                            .input_scale = 0.7f,
                            .color = image_of(&small),
                            .output = image_of(&small)};
    must_run(denoiser, &desc);
    desc.width = 32;
    desc.height = 16;
    desc.color = desc.output = image_of(&large);
    must_run(denoiser, &desc);
    for (uint32_t y = 0; y < 10; y++)
        assert_memory_equal(small.data + y * 21 * 3, large.data + y * 32 * 3, 21 * 12);
    picture_free(&small);
    picture_free(&large);
    rp_denoiser_destroy(&denoiser);
}

static void not_a_number_and_infinity_give_finite_results(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    const float hostile[] = {NAN, INFINITY, -INFINITY, -1.0f, FLT_MAX, -FLT_MAX, 1e38f, FLT_MIN, 1e-45f, 0.0f};
    picture images[3] = {picture_noisy(48, 32, 3, 10), picture_albedo(48, 32, 10), picture_normals(48, 32, 10)};
    for (size_t image = 0; image < 3; image++)
        for (size_t i = 0; i < 200; i++)
            images[image].data[(i * 2654435761u + image * 977) % (48 * 32 * 3)] = hostile[i % 10];
    picture result = picture_make(48, 32, 3);
    for (int settings = 0; settings < 8; settings++) {
        bool hdr = settings & 1;
        rp_denoise_desc desc = {.width = 48,
                                .height = 32,
                                .hdr = hdr,
                                .srgb = !hdr && settings & 2,
                                .input_scale = hdr && settings & 2 ? 1e-3f : 0.0f,
                                .color = image_of(&images[0]),
                                .output = image_of(&result)};
        if (settings & 4) {
            desc.albedo = image_of(&images[1]);
            desc.normal = image_of(&images[2]);
        }
        must_run(denoiser, &desc);
        for (size_t i = 0; i < 48 * 32 * 3; i++)
            assert_true(isfinite(result.data[i]) && result.data[i] >= 0 && (hdr || result.data[i] <= 1));
    }
    rp_denoise_desc desc = {.width = 48, .height = 32, .normal = image_of(&images[2]), .output = image_of(&result)};
    must_run(denoiser, &desc);
    for (size_t i = 0; i < 48 * 32 * 3; i++)
        assert_true(result.data[i] >= -1 && result.data[i] <= 1);
    // Nothing but infinities: there is no exposure to measure.
    for (size_t i = 0; i < 48 * 32 * 3; i++)
        images[0].data[i] = INFINITY;
    desc = (rp_denoise_desc){
        .width = 48, .height = 32, .hdr = true, .color = image_of(&images[0]), .output = image_of(&result)};
    must_run(denoiser, &desc);
    assert_true(rp_denoiser_get_report(denoiser).input_scale == 1.0f);
    for (size_t i = 0; i < 48 * 32 * 3; i++)
        assert_true(isfinite(result.data[i]));
    for (size_t image = 0; image < 3; image++)
        picture_free(&images[image]);
    picture_free(&result);
    rp_denoiser_destroy(&denoiser);
}

typedef struct canceller {
    uint32_t allowed, calls, last_done, total;
} canceller;

static bool step(void *user, uint32_t done, uint32_t total)
{
    canceller *canceller = user;
    assert_true(canceller->calls == 0 ? done == 0 : done == canceller->last_done + 1);
    canceller->calls++;
    canceller->last_done = done;
    canceller->total = total;
    return canceller->calls <= canceller->allowed;
}

static void a_cancelled_run_stops_and_the_next_one_is_right(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(150, 40, 3, 11), expected = picture_make(150, 40, 3),
            result = picture_make(150, 40, 3);
    rp_denoise_desc desc = {.width = 150,
                            .height = 40,
                            .hdr = true,
                            .color = image_of(&color),
                            .output = image_of(&expected),
                            .max_tile_edge = 64};
    must_run(denoiser, &desc);
    rp_denoise_report report = rp_denoiser_get_report(denoiser);
    desc.output = image_of(&result);
    desc.progress = step;
    for (uint32_t allowed = 0; allowed < 3; allowed++) {
        canceller canceller = {.allowed = allowed};
        desc.user = &canceller;
        assert_int_equal(rp_denoiser_run(denoiser, &desc, NULL), RP_STATUS_CANCELLED);
        assert_int_equal(canceller.calls, allowed + 1);
        assert_int_equal(canceller.total, report.tile_count);
    }
    // A failed run leaves the report of the last good one.
    assert_int_equal(rp_denoiser_get_report(denoiser).tile_count, report.tile_count);
    canceller patient = {.allowed = UINT32_MAX};
    desc.user = &patient;
    must_run(denoiser, &desc);
    assert_int_equal(patient.last_done, report.tile_count);
    assert_memory_equal(result.data, expected.data, 150 * 40 * 12);
    picture_free(&color);
    picture_free(&expected);
    picture_free(&result);
    rp_denoiser_destroy(&denoiser);
}

static void one_denoiser_for_everything_equals_fresh_ones(void **state)
{
    (void)state;
    rp_denoiser *kept = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(64, 64, 3, 12), albedo = picture_albedo(64, 64, 12),
            normal = picture_normals(64, 64, 12);
    picture first = picture_make(64, 64, 3), second = picture_make(64, 64, 3);
    static const struct {
        uint32_t width, height, tile;
        bool color, albedo, normal, hdr, srgb;
        rp_quality quality;
    } runs[] = {
        {64, 64, 0, 1, 0, 0, 1, 0, RP_QUALITY_HIGH},     {32, 48, 0, 1, 0, 0, 1, 0, RP_QUALITY_HIGH},
        {32, 48, 0, 1, 1, 1, 1, 0, RP_QUALITY_HIGH},     {32, 48, 16, 1, 1, 1, 0, 1, RP_QUALITY_HIGH},
        {64, 64, 0, 0, 1, 0, 0, 0, RP_QUALITY_HIGH},     {64, 64, 0, 0, 0, 1, 0, 0, RP_QUALITY_BALANCED},
        {64, 64, 0, 1, 1, 0, 0, 0, RP_QUALITY_FAST},     {64, 64, 0, 1, 0, 0, 0, 0, RP_QUALITY_FAST},
        {64, 64, 0, 1, 0, 0, 1, 0, RP_QUALITY_BALANCED}, {9, 64, 0, 1, 0, 0, 1, 0, RP_QUALITY_FAST},
    };
    for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; i++) {
        size_t k = i % (sizeof runs / sizeof *runs);
        size_t count = (size_t)runs[k].width * runs[k].height * 3;
        rp_denoise_desc desc = {.width = runs[k].width,
                                .height = runs[k].height,
                                .hdr = runs[k].hdr,
                                .srgb = runs[k].srgb,
                                .quality = runs[k].quality,
                                .max_tile_edge = runs[k].tile,
                                .output = image_of(&first)};
        if (runs[k].color)
            desc.color = image_of(&color);
        if (runs[k].albedo)
            desc.albedo = image_of(&albedo);
        if (runs[k].normal)
            desc.normal = image_of(&normal);
        must_run(kept, &desc);
        rp_denoiser *fresh = make_denoiser(RP_DEVICE_CPU);
        desc.output = image_of(&second);
        must_run(fresh, &desc);
        rp_denoiser_destroy(&fresh);
        assert_memory_equal(first.data, second.data, count * sizeof(float));
    }
    picture_free(&color);
    picture_free(&albedo);
    picture_free(&normal);
    picture_free(&first);
    picture_free(&second);
    rp_denoiser_destroy(&kept);
}

static void wrong_settings_are_refused_before_any_work(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(16, 16, 3, 13);
    const rp_denoise_desc good = {
        .width = 16, .height = 16, .hdr = true, .color = image_of(&color), .output = image_of(&color)};
    rp_denoise_desc wrong[8];
    for (size_t i = 0; i < 8; i++)
        wrong[i] = good;
    wrong[0].width = 0;
    wrong[1].height = RP_IMAGE_MAX_EDGE + 1;
    wrong[2].input_scale = -1;
    wrong[3].input_scale = NAN;
    wrong[4].input_scale = INFINITY;
    wrong[5].edge = (rp_edge)2;
    wrong[6].output.data = NULL;
    wrong[7].hdr = false;
    wrong[7].input_scale = 1;
    for (size_t i = 0; i < 8; i++) {
        rp_error error = {0};
        rp_status status = rp_denoiser_run(denoiser, &wrong[i], &error);
        assert_int_equal(status, i == 1 ? RP_STATUS_TOO_LARGE : RP_STATUS_INVALID_ARGUMENT);
        assert_int_equal(error.status, status);
    }
    assert_int_equal(rp_denoiser_run(denoiser, NULL, NULL), RP_STATUS_INVALID_ARGUMENT);
    assert_int_equal(rp_denoiser_run(NULL, &good, NULL), RP_STATUS_INVALID_ARGUMENT);
    assert_int_equal(rp_denoiser_get_report(denoiser).tile_count, 0);
    picture_free(&color);
    rp_denoiser_destroy(&denoiser);
}

static void the_cpu_refuses_half_precision_and_unknown_devices(void **state)
{
    (void)state;
    rp_denoiser *denoiser = NULL;
    assert_int_equal(rp_denoiser_create(&(rp_denoiser_desc){.device = RP_DEVICE_CPU, .precision = RP_PRECISION_FP16},
                                        &denoiser, NULL),
                     RP_STATUS_UNSUPPORTED);
    assert_null(denoiser);
    assert_int_equal(rp_denoiser_create(&(rp_denoiser_desc){.device = (rp_device_choice)7}, &denoiser, NULL),
                     RP_STATUS_INVALID_ARGUMENT);
    rp_denoiser_destroy(&denoiser);
    rp_denoiser_destroy(NULL);
}

static void the_automatic_device_is_never_missing(void **state)
{
    (void)state;
    rp_denoiser *denoiser = NULL;
    rp_denoiser_desc desc = {.webgpu_library = "/nonexistent/libwebgpu.so"};
    assert_int_equal(rp_denoiser_create(&desc, &denoiser, NULL), RP_STATUS_OK);
    assert_non_null(strstr(rp_denoiser_device(denoiser), "CPU"));
    rp_denoiser_destroy(&denoiser);
    assert_null(denoiser);
    desc.device = RP_DEVICE_WEBGPU;
    assert_int_equal(rp_denoiser_create(&desc, &denoiser, NULL), RP_STATUS_NO_LIBRARY);
}

int run_run_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_that_of_the_reference),
        cmocka_unit_test(repeating_the_edge_extends_the_image),
        cmocka_unit_test(not_a_number_and_infinity_give_finite_results),
        cmocka_unit_test(a_cancelled_run_stops_and_the_next_one_is_right),
        cmocka_unit_test(one_denoiser_for_everything_equals_fresh_ones),
        cmocka_unit_test(wrong_settings_are_refused_before_any_work),
        cmocka_unit_test(the_cpu_refuses_half_precision_and_unknown_devices),
        cmocka_unit_test(the_automatic_device_is_never_missing),
    };
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
