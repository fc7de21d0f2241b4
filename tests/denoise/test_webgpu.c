// The WebGPU device, through whatever $REPRISE_WEBGPU_LIBRARY and the Vulkan loader offer (lavapipe in our builds):
// against the CPU device, whose own results are held against the references.
#include "denoise/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

// docs/denoising.md: whole images on a device whose own exp, log and pow are less exact.
#define BOUND 5e-5

static double compare(rp_denoiser *gpu, rp_denoiser *cpu, rp_denoise_desc desc, rp_transfer transfer)
{
    picture actual = picture_make(desc.width, desc.height, 3), expected = picture_make(desc.width, desc.height, 3);
    desc.output = image_of(&expected);
    must_run(cpu, &desc);
    desc.output = image_of(&actual);
    must_run(gpu, &desc);
    double scale = rp_denoiser_get_report(cpu).input_scale;
    assert_true(rp_denoiser_get_report(gpu).input_scale == rp_denoiser_get_report(cpu).input_scale);
    double difference = network_difference(&actual, &expected, transfer, scale);
    picture_free(&actual);
    picture_free(&expected);
    return difference;
}

static void every_size_is_that_of_the_cpu(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {3, 2}, {15, 17}, {16, 16}, {509, 1}, {1, 509}};
    rp_denoiser *gpu = make_denoiser(RP_DEVICE_WEBGPU), *cpu = make_denoiser(RP_DEVICE_CPU);
    double most = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        picture color = picture_noisy(sizes[i][0], sizes[i][1], 3, (uint32_t)i);
        rp_denoise_desc desc = {.width = color.width,
                                .height = color.height,
                                .hdr = true,
                                .quality = RP_QUALITY_FAST,
                                .color = image_of(&color),
                                .edge = i % 2 ? RP_EDGE_ZERO : RP_EDGE_REPEAT};
        double difference = compare(gpu, cpu, desc, RP_TRANSFER_PU);
        most = difference <= most ? most : difference;
        picture_free(&color);
    }
    print_message("%s: greatest difference %g in network space (bound %g)\n", rp_denoiser_device(gpu), most, BOUND);
    assert_true(most <= BOUND);
    rp_denoiser_destroy(&gpu);
    rp_denoiser_destroy(&cpu);
}

static void every_kind_of_image_is_that_of_the_cpu(void **state)
{
    (void)state;
    rp_denoiser *gpu = make_denoiser(RP_DEVICE_WEBGPU), *cpu = make_denoiser(RP_DEVICE_CPU);
    picture color = picture_noisy(40, 24, 3, 20), albedo = picture_albedo(40, 24, 20),
            normal = picture_normals(40, 24, 20);
    const rp_denoise_desc hdr = {.width = 40, .height = 24, .quality = RP_QUALITY_FAST};
    double most[6];
    rp_denoise_desc desc = hdr;
    desc.color = image_of(&color);
    desc.hdr = true;
    most[0] = compare(gpu, cpu, desc, RP_TRANSFER_PU);
    desc.albedo = image_of(&albedo);
    desc.normal = image_of(&normal);
    most[1] = compare(gpu, cpu, desc, RP_TRANSFER_PU);
    // Only the scale is new: the recorded program serves again, with another frame buffer.
    desc.input_scale = 0.1f;
    most[2] = compare(gpu, cpu, desc, RP_TRANSFER_PU);
    desc = hdr;
    desc.color = image_of(&albedo);
    most[3] = compare(gpu, cpu, desc, RP_TRANSFER_SRGB);
    desc.srgb = true;
    most[4] = compare(gpu, cpu, desc, RP_TRANSFER_NONE);
    desc = hdr;
    desc.quality = RP_QUALITY_BALANCED;
    desc.normal = image_of(&normal);
    most[5] = compare(gpu, cpu, desc, RP_TRANSFER_NONE) / 2;
    for (size_t i = 0; i < 6; i++)
        print_message("kind %zu: difference %g in network space\n", i, most[i]);
    for (size_t i = 0; i < 6; i++)
        assert_true(most[i] <= BOUND);
    picture_free(&color);
    picture_free(&albedo);
    picture_free(&normal);
    rp_denoiser_destroy(&gpu);
    rp_denoiser_destroy(&cpu);
}

static void tiles_alpha_halves_and_in_place_work(void **state)
{
    (void)state;
    rp_denoiser *gpu = make_denoiser(RP_DEVICE_WEBGPU);
    picture color = picture_noisy(70, 20, 4, 21), whole = picture_make(70, 20, 4), tiled = picture_make(70, 20, 4);
    rp_denoise_desc desc = {.width = 70,
                            .height = 20,
                            .hdr = true,
                            .quality = RP_QUALITY_FAST,
                            .color = image_of(&color),
                            .output = image_of(&whole)};
    must_run(gpu, &desc);
    desc.max_tile_edge = 32;
    desc.output = image_of(&tiled);
    must_run(gpu, &desc);
    assert_true(rp_denoiser_get_report(gpu).tile_count > 1);
    double scale = rp_denoiser_get_report(gpu).input_scale;
    for (size_t i = 3; i < 70 * 20 * 4; i += 4)
        assert_true(whole.data[i] == color.data[i] && tiled.data[i] == color.data[i]);
    assert_true(network_difference(&tiled, &whole, RP_TRANSFER_PU, scale) <= 1e-5);
    desc.output = image_of(&color);
    must_run(gpu, &desc);
    assert_memory_equal(color.data, tiled.data, 70 * 20 * 16);
    picture_free(&color);
    picture_free(&whole);
    picture_free(&tiled);
    rp_denoiser_destroy(&gpu);
}

static void hostile_values_give_finite_results(void **state)
{
    (void)state;
    rp_denoiser *gpu = make_denoiser(RP_DEVICE_WEBGPU);
    const float hostile[] = {NAN, INFINITY, -INFINITY, -1.0f, FLT_MAX, 1e38f};
    picture color = picture_noisy(32, 32, 3, 22), result = picture_make(32, 32, 3);
    for (size_t i = 0; i < 60; i++)
        color.data[i * 2654435761u % (32 * 32 * 3)] = hostile[i % 6];
    rp_denoise_desc desc = {.width = 32,
                            .height = 32,
                            .hdr = true,
                            .quality = RP_QUALITY_FAST,
                            .color = image_of(&color),
                            .output = image_of(&result)};
    must_run(gpu, &desc);
    for (size_t i = 0; i < 32 * 32 * 3; i++)
        assert_true(isfinite(result.data[i]) && result.data[i] >= 0);
    picture_free(&color);
    picture_free(&result);
    rp_denoiser_destroy(&gpu);
}

static bool refuse(void *user, uint32_t done, uint32_t total)
{
    (void)total;
    return done < *(uint32_t *)user;
}

static void a_cancelled_run_can_be_repeated(void **state)
{
    (void)state;
    rp_denoiser *gpu = make_denoiser(RP_DEVICE_WEBGPU);
    picture color = picture_noisy(70, 20, 3, 23), first = picture_make(70, 20, 3), second = picture_make(70, 20, 3);
    rp_denoise_desc desc = {.width = 70,
                            .height = 20,
                            .hdr = true,
                            .quality = RP_QUALITY_FAST,
                            .max_tile_edge = 32,
                            .color = image_of(&color),
                            .output = image_of(&first)};
    must_run(gpu, &desc);
    desc.output = image_of(&second);
    desc.progress = refuse;
    for (uint32_t at = 0; at < 2; at++) {
        desc.user = &at;
        assert_int_equal(rp_denoiser_run(gpu, &desc, NULL), RP_STATUS_CANCELLED);
    }
    desc.progress = NULL;
    must_run(gpu, &desc);
    assert_memory_equal(first.data, second.data, 70 * 20 * 12);
    picture_free(&color);
    picture_free(&first);
    picture_free(&second);
    rp_denoiser_destroy(&gpu);
}

int run_webgpu_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_that_of_the_cpu),
        cmocka_unit_test(every_kind_of_image_is_that_of_the_cpu),
        cmocka_unit_test(tiles_alpha_halves_and_in_place_work),
        cmocka_unit_test(hostile_values_give_finite_results),
        cmocka_unit_test(a_cancelled_run_can_be_repeated),
    };
    return cmocka_run_group_tests_name("webgpu", tests, NULL, NULL);
}
