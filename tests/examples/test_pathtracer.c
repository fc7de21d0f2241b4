// What a path tracer must get right whatever its noise: conserved energy, a closed form for direct light, the same bits
// for the same seed, features in their ranges. All random numbers are seeded, so that no test is a matter of luck.
#include "examples.h"
#include "render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 48, HEIGHT = 32, VALUES = WIDTH * HEIGHT * 3 };

static const material white = {.color = {1, 1, 1}};

static double image_mean(const float *image)
{
    double sum = 0;
    for (size_t i = 0; i < VALUES; i++)
        sum += (double)image[i];
    return sum / VALUES;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not within %.3g of %.9g", value, tolerance, expected);
}

static render_desc small_render(const scene *scene, uint32_t samples, float *color)
{
    return (render_desc){
        .scene = scene, .width = WIDTH, .height = HEIGHT, .sample_count = samples, .seed = 7, .color = color};
}

// One sphere that fills most of the image, in an environment of the same radiance everywhere.
static scene furnace(const material *material)
{
    scene s = {.environment = {0.5f, 1, 2}};
    s.spheres[s.sphere_count++] = (sphere){{0, 0, 0}, 1, material};
    s.camera = make_camera((vector){0, 0, 3}, (vector){0, 0, 0}, 38);
    return s;
}

static void assert_vanishes_in_furnace(const material *material)
{
    scene s = furnace(material);
    static float color[VALUES];
    render_desc desc = small_render(&s, 16, color);
    render_image(&desc);
    for (size_t i = 0; i < VALUES; i++) {
        double expected = (const double[]){0.5, 1, 2}[i % 3];
        assert_near((double)color[i], expected, 1e-5 * expected);
    }
}

static void white_diffuse_sphere_vanishes_in_a_white_furnace(void **state)
{
    (void)state;
    assert_vanishes_in_furnace(&white);
}

static void clear_glass_vanishes_in_a_white_furnace(void **state)
{
    (void)state;
    assert_vanishes_in_furnace(&(material){.kind = MATERIAL_GLASS, .color = {1, 1, 1}, .index = 1.5f});
}

static void absorbing_glass_darkens_a_white_furnace(void **state)
{
    (void)state;
    static float color[VALUES];
    material tinted = {.kind = MATERIAL_GLASS, .color = {0.5f, 0.5f, 0.5f}, .index = 1.5f};
    scene s = furnace(&tinted);
    s.environment = (vector){1, 1, 1};
    s.camera = make_camera((vector){0, 0, 3}, (vector){0, 0, 0}, 0.5f); // only the middle of the sphere
    render_desc desc = small_render(&s, 64, color);
    render_image(&desc);
    // At normal incidence the surface reflects R = 0.04 and the 2 units inside let T = 1/4 through. What enters leaves
    // in part at each surface: R + (1 - R)² T / (1 - R T).
    assert_near(image_mean(color), 0.04 + 0.96 * 0.96 * 0.25 / (1 - 0.04 * 0.25), 0.003);
}

static void perfect_metal_gains_nothing_in_a_white_furnace(void **state)
{
    (void)state;
    static float color[VALUES];
    material metal = {.kind = MATERIAL_METAL, .color = {1, 1, 1}, .roughness = 0.4f};
    scene s = furnace(&metal);
    s.environment = (vector){1, 1, 1};
    render_desc desc = small_render(&s, 64, color);
    render_image(&desc);
    for (size_t i = 0; i < VALUES; i++)
        assert_true(color[i] > 0 && color[i] <= 1 + 1e-5f);
}

// A wide floor seen from close by, and a light above it.
static scene lit_floor(const material *material, float half_x, float half_z, float height)
{
    scene s = {.has_light = true};
    s.boxes[s.box_count++] = make_box((vector){0, -1, 0}, (vector){100, 1, 100}, 0, material);
    s.light = (light){.x0 = -half_x, .x1 = half_x, .z0 = -half_z, .z1 = half_z, .y = height, .radiance = {3, 3, 3}};
    s.camera = make_camera((vector){0, 0.3f, 0.4f}, (vector){0, 0, 0}, 0.2f);
    return s;
}

static void direct_light_has_the_closed_form_of_a_parallel_rectangle(void **state)
{
    (void)state;
    static float color[VALUES];
    const material grey = {.color = {0.6f, 0.6f, 0.6f}};
    scene s = lit_floor(&grey, 0.7f, 0.4f, 0.9f);
    render_desc desc = small_render(&s, 256, color);
    render_image(&desc);
    // Form factor of a rectangle for the point under its centre (four times that of a corner).
    double a = 0.7 / 0.9;
    double b = 0.4 / 0.9;
    double root_a = sqrt(1 + a * a);
    double root_b = sqrt(1 + b * b);
    double factor = 4 / (2 * 3.14159265358979) * (a / root_a * atan(b / root_a) + b / root_b * atan(a / root_b));
    double expected = 0.6 * 3 * factor;
    assert_near(image_mean(color), expected, 0.003 * expected);
}

// Smith's Lambda of GGX.
static double lambda(double cosine, double alpha)
{
    double square = alpha * alpha * (1 / (cosine * cosine) - 1);
    return (sqrt(1 + square) - 1) / 2;
}

// How much of the light from everywhere a white GGX surface sends to a direction: D G / (4 cos) over the hemisphere.
static double metal_reflectance(double out_x, double out_z, double alpha)
{
    enum { STEPS = 1000 };
    const double pi = 3.14159265358979;
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        double z = (i + 0.5) / STEPS;
        for (int k = 0; k < STEPS; k++) {
            double angle = (k + 0.5) / STEPS * 2 * pi;
            double x = sqrt(1 - z * z) * cos(angle);
            double y = sqrt(1 - z * z) * sin(angle);
            double length = sqrt((x + out_x) * (x + out_x) + y * y + (z + out_z) * (z + out_z));
            double half_z = (z + out_z) / length;
            double bracket = half_z * half_z * (alpha * alpha - 1) + 1;
            double distribution = alpha * alpha / (pi * bracket * bracket);
            sum += distribution / (1 + lambda(z, alpha) + lambda(out_z, alpha)) / (4 * out_z);
        }
    }
    return sum * 2 * pi / STEPS / STEPS;
}

static void metal_reflects_what_its_integral_says(void **state)
{
    (void)state;
    static float color[VALUES];
    const material metal = {.kind = MATERIAL_METAL, .color = {1, 1, 1}, .roughness = 0.6f};
    scene s = lit_floor(&metal, 1, 1, 1);
    s.has_light = false;
    s.environment = (vector){1, 1, 1};
    render_desc desc = small_render(&s, 64, color);
    render_image(&desc);
    // The camera looks from (0.3 up, 0.4 aside): a triangle of 3, 4 and 5.
    assert_near(image_mean(color), metal_reflectance(0.8, 0.6, 0.36), 0.003);
}

static void metal_under_a_huge_light_looks_as_in_an_environment(void **state)
{
    (void)state;
    static float color[VALUES];
    const material metal = {.kind = MATERIAL_METAL, .color = {0.9f, 0.7f, 0.5f}, .roughness = 0.5f};
    scene s = lit_floor(&metal, 40, 40, 1);
    render_desc desc = small_render(&s, 256, color);
    render_image(&desc);
    double by_light = image_mean(color);
    s.has_light = false;
    s.environment = (vector){3, 3, 3};
    render_image(&desc);
    assert_near(by_light, image_mean(color), 0.01 * image_mean(color));
}

static void the_same_seed_gives_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    static float images[3][3][VALUES];
    scene s;
    make_sample_scene(&s);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        render_desc desc = small_render(&s, 3, images[threads - 1][0]);
        desc.albedo = images[threads - 1][1];
        desc.normal = images[threads - 1][2];
        desc.thread_count = threads;
        render_image(&desc);
    }
    assert_memory_equal(images[0], images[1], sizeof images[0]);
    assert_memory_equal(images[0], images[2], sizeof images[0]);
}

static void another_seed_or_sample_number_gives_another_noise(void **state)
{
    (void)state;
    static float images[3][VALUES];
    scene s;
    make_sample_scene(&s);
    for (size_t i = 0; i < 3; i++) {
        render_desc desc = small_render(&s, 1, images[i]);
        desc.seed = i == 1 ? 8 : 7;
        desc.first_sample = i == 2 ? 1 : 0;
        render_image(&desc);
    }
    for (size_t i = 1; i < 3; i++) {
        size_t different = 0;
        for (size_t k = 0; k < VALUES; k++)
            different += images[0][k] != images[i][k];
        assert_true(different > VALUES / 2);
    }
}

static void noisy_and_converged_images_have_the_same_mean(void **state)
{
    (void)state;
    enum { RENDERS = 24 };
    static float color[VALUES];
    scene s;
    make_sample_scene(&s);
    double sum = 0;
    double squares = 0;
    for (uint32_t i = 0; i < RENDERS; i++) {
        render_desc desc = small_render(&s, 1, color);
        desc.seed = 100 + i;
        render_image(&desc);
        double mean = image_mean(color);
        assert_true(isfinite(mean));
        sum += mean;
        squares += mean * mean;
    }
    render_desc desc = small_render(&s, 192, color);
    desc.first_sample = UINT64_C(1) << 32;
    render_image(&desc);
    // The spread of the 24 gives the variance of one sample a pixel; that of the difference follows.
    double variance = (squares - sum * sum / RENDERS) / (RENDERS - 1);
    double bound = 4 * sqrt(variance / RENDERS + variance / 192);
    assert_true(bound < 0.05 * image_mean(color)); // else the comparison would say nothing
    assert_near(sum / RENDERS, image_mean(color), bound);
}

static void features_keep_to_their_ranges(void **state)
{
    (void)state;
    static float color[VALUES], albedo[VALUES], normal[VALUES];
    scene s;
    make_sample_scene(&s);
    render_desc desc = small_render(&s, 8, color);
    desc.albedo = albedo;
    desc.normal = normal;
    render_image(&desc);
    size_t unit = 0;
    for (size_t i = 0; i < VALUES; i += 3) {
        for (size_t c = 0; c < 3; c++) {
            assert_true(color[i + c] >= 0 && isfinite(color[i + c]));
            assert_true(albedo[i + c] >= 0 && albedo[i + c] <= 1);
        }
        float length = sqrtf(normal[i] * normal[i] + normal[i + 1] * normal[i + 1] + normal[i + 2] * normal[i + 2]);
        assert_true(length <= 1 + 1e-5f);
        unit += length > 0.99f;
    }
    assert_true(unit > VALUES / 3 / 2); // all but edges and glass
}

static void features_are_seen_through_glass(void **state)
{
    (void)state;
    static float color[VALUES], albedo[VALUES], normal[VALUES];
    const material clear = {.kind = MATERIAL_GLASS, .color = {1, 1, 1}, .index = 1.5f};
    const material red = {.color = {0.8f, 0.2f, 0.1f}};
    scene s = furnace(&clear);
    s.environment = (vector){0, 0, 0};
    s.boxes[s.box_count++] = make_box((vector){0, 0, -4}, (vector){9, 9, 1}, 0, &red);
    s.camera = make_camera((vector){0, 0, 3}, (vector){0, 0, 0}, 0.5f);
    render_desc desc = small_render(&s, 4, color);
    desc.albedo = albedo;
    desc.normal = normal;
    render_image(&desc);
    // 0.04 of it is the reflection of nothing.
    for (size_t i = 0; i < VALUES; i += 3) {
        assert_near((double)albedo[i], 0.96 * 0.8, 1e-4);
        assert_near((double)albedo[i + 1], 0.96 * 0.2, 1e-4);
        assert_near((double)normal[i + 2], 0.96, 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_diffuse_sphere_vanishes_in_a_white_furnace),
        cmocka_unit_test(clear_glass_vanishes_in_a_white_furnace),
        cmocka_unit_test(absorbing_glass_darkens_a_white_furnace),
        cmocka_unit_test(perfect_metal_gains_nothing_in_a_white_furnace),
        cmocka_unit_test(metal_reflects_what_its_integral_says),
        cmocka_unit_test(direct_light_has_the_closed_form_of_a_parallel_rectangle),
        cmocka_unit_test(metal_under_a_huge_light_looks_as_in_an_environment),
        cmocka_unit_test(the_same_seed_gives_the_same_bits_for_any_thread_count),
        cmocka_unit_test(another_seed_or_sample_number_gives_another_noise),
        cmocka_unit_test(noisy_and_converged_images_have_the_same_mean),
        cmocka_unit_test(features_keep_to_their_ranges),
        cmocka_unit_test(features_are_seen_through_glass),
    };
    int failed = cmocka_run_group_tests_name("pathtracer", tests, NULL, NULL);
    return failed + run_image_file_tests();
}
