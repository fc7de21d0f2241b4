// The WGSL kernels on a device (software Vulkan will do), as recorded programs, against the double-precision reference
// and Intel's results. Skips, visibly, where no WebGPU library and no adapter are found.
#include "oidn/model.h"
#include "reprise/replay.h"
#include "support/manifest.h"
#include "support/pfm.h"
#include "support/reference_network.h"
#include "support/weights.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rp_gpu *gpu;

static int open_device(void **state)
{
    (void)state;
    rp_error error;
    if (rp_gpu_create(&(rp_gpu_desc){.software = true}, &gpu, &error) != RP_STATUS_OK)
        fprintf(stderr, "no device, the kernel tests are skipped: %s\n", error.message);
    else
        fprintf(stderr, "device: %s\n", rp_gpu_get_info(gpu)->name);
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    rp_gpu_destroy(&gpu);
    return 0;
}

static rp_model *load(const char *name)
{
    char *path = gpu ? weights_path(name) : NULL;
    if (!path)
        skip();
    rp_model *model = NULL;
    rp_error error;
    if (rp_model_load(path, NULL, &model, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    free(path);
    return model;
}

// Runs a program on RGBA images; the output is RGBA.
static void replay(const rp_program *program, float *const *images, uint32_t width, uint32_t height, float *output)
{
    rp_error error;
    rp_replay *replay = NULL;
    const void *inputs[3] = {images[0], images[1], images[2]};
    rp_replay_run_desc run = {.inputs = inputs,
                              .input_count = program->input_count,
                              .output = output,
                              .output_size_bytes = (uint64_t)width * height * 16};
    if (rp_replay_create(gpu, program, &replay, &error) != RP_STATUS_OK ||
        rp_replay_run(replay, &run, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    rp_replay_destroy(&replay);
}

static void run_network(const rp_model *model, rp_record_desc desc, float *const *images, float *output)
{
    rp_error error;
    rp_program *program = NULL;
    desc.caps = rp_gpu_get_caps(gpu);
    if (rp_record_network(model, &desc, &program, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    replay(program, images, desc.width, desc.height, output);
    rp_program_destroy(&program);
}

static void run_denoise(const rp_model *model, rp_record_desc desc, uint32_t group_limit, float *const *images,
                        float *output)
{
    rp_error error;
    rp_program *program = NULL;
    desc.caps = rp_gpu_get_caps(gpu);
    if (group_limit)
        desc.caps.max_workgroups_per_dimension = group_limit;
    if (rp_record_denoise(model, &desc, &program, &error) != RP_STATUS_OK)
        fail_msg("%s", error.message);
    replay(program, images, desc.width, desc.height, output);
    rp_program_destroy(&program);
}

// A small generator of its own (xorshift32), so that the images are the same everywhere.
static float uniform(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return (float)(*seed >> 8) * 0x1p-24f;
}

typedef struct images {
    uint32_t width, height;
    float *rgba[3];
    float *rgb[3]; // the same without alpha, for the reference
    float *output; // RGBA
    double *expected;
} images;

static images images_make(uint32_t width, uint32_t height)
{
    size_t pixels = (size_t)width * height;
    images set = {.width = width, .height = height};
    for (int i = 0; i < 3; i++) {
        set.rgba[i] = calloc(pixels, 16);
        set.rgb[i] = calloc(pixels, 12);
    }
    set.output = calloc(pixels, 16);
    set.expected = calloc(pixels, 3 * sizeof(double));
    return set;
}

static void images_free(images *set)
{
    for (int i = 0; i < 3; i++) {
        free(set->rgba[i]);
        free(set->rgb[i]);
    }
    free(set->output);
    free(set->expected);
}

// Copies rgb[i] into rgba[i], with an alpha that tells pixels apart.
static void images_expand(images *set)
{
    for (int i = 0; i < 3; i++)
        for (size_t p = 0; p < (size_t)set->width * set->height; p++) {
            memcpy(set->rgba[i] + 4 * p, set->rgb[i] + 3 * p, 12);
            set->rgba[i][4 * p + 3] = (float)(p % 1000) / 1000;
        }
}

// Network-space noise in [0, 1] (range 1), or HDR colour with normals in [-1, 1] (range 4).
static void images_fill(images *set, float color_range, bool signed_normals)
{
    uint32_t seed = 0x9e3779b9u ^ (set->width * 65537u + set->height);
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < (size_t)set->width * set->height * 3; k++) {
            float value = uniform(&seed);
            set->rgb[i][k] = i == 0 ? value * value * color_range : i == 2 && signed_normals ? 2 * value - 1 : value;
        }
    images_expand(set);
}

// Values as a render has them in network space: smooth, with a little noise. What half precision is held to is stated
// for such images; white noise loses half a decibel more where a device rounds towards zero, as lavapipe does.
static void images_fill_smooth(images *set)
{
    uint32_t seed = 0x2545f491u;
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < (size_t)set->width * set->height * 3; k++) {
            float x = (float)(k / 3 % set->width), y = (float)(k / 3 / set->width);
            set->rgb[i][k] =
                0.45f + 0.35f * sinf(0.11f * x + 0.17f * y + (float)(k % 3 + (size_t)i)) + 0.1f * uniform(&seed);
        }
    images_expand(set);
}

typedef struct difference {
    double largest, psnr; // peak 1
} difference;

static difference compare(const float *rgba, const double *expected, size_t pixels, const reference_job *job)
{
    double largest = 0, squares = 0;
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < 3; c++) {
            double a = (double)rgba[4 * p + c], b = expected[3 * p + c];
            if (!isfinite(b))
                continue;
            if (job) {
                a = reference_to_network(job, a);
                b = reference_to_network(job, b);
            }
            double d = fabs(a - b);
            if (!(d <= largest)) // a NaN is a difference too
                largest = d;
            squares += d * d;
        }
    double mean = squares / (3 * (double)pixels);
    return (difference){largest, mean > 0 ? -10 * log10(mean) : 999};
}

static void network_against_reference(rp_precision precision)
{
    static const uint32_t sizes[][2] = {{48, 32}, {80, 64}};
    static const rp_kernel kernels[] = {RP_KERNEL_SETTING_DIRECT, RP_KERNEL_SETTING_IMPLICIT_GEMM};
    double largest[2] = {0, 0}, lowest = 999;
    for (size_t file = 0; file < WEIGHT_FILE_COUNT; file++) {
        // In half precision one file of each topology and size stands for the rest: software Vulkan is slow.
        const char *name = weight_files[file];
        if (precision == RP_PRECISION_FP16 && strcmp(name, "rt_hdr_alb_nrm") != 0 &&
            strcmp(name, "rt_ldr_alb_small") != 0 && strcmp(name, "rt_nrm_large") != 0)
            continue;
        rp_model *model = load(name);
        if (precision == RP_PRECISION_FP16 && !(rp_gpu_get_info(gpu)->features & RP_FEATURE_SHADER_F16)) {
            rp_model_destroy(&model);
            fprintf(stderr, "the device has no shader-f16: skipped\n");
            skip();
        }
        uint32_t count = model->info.input_channels / 3;
        for (size_t s = 0; s < 2; s++) {
            images set = images_make(sizes[s][0], sizes[s][1]);
            size_t pixels = (size_t)set.width * set.height;
            if (precision == RP_PRECISION_FP16)
                images_fill_smooth(&set);
            else
                images_fill(&set, 1, false);
            double *input = calloc(pixels, 9 * sizeof *input);
            for (size_t p = 0; p < pixels; p++)
                for (uint32_t c = 0; c < 3 * count; c++)
                    input[p * 3 * count + c] = (double)set.rgb[c / 3][3 * p + c % 3];
            assert_true(reference_network(model, input, set.width, set.height, set.expected));
            free(input);
            for (size_t k = 0; k < 2; k++) {
                memset(set.output, 0xff, pixels * 16); // NaNs, so that what is not written shows
                run_network(model,
                            (rp_record_desc){
                                .width = set.width, .height = set.height, .precision = precision, .kernel = kernels[k]},
                            set.rgba, set.output);
                difference d = compare(set.output, set.expected, pixels, NULL);
                bool good = precision == RP_PRECISION_FP32 ? d.largest <= 1e-5 : d.largest <= 2e-3 && d.psnr >= 75;
                if (!good)
                    fail_msg("%s, kernel %d, %u × %u: largest difference %g, PSNR %g dB", weight_files[file],
                             (int)kernels[k], set.width, set.height, d.largest, d.psnr);
                for (size_t p = 0; p < pixels; p++)
                    assert_true(set.output[4 * p + 3] == 0);
                largest[k] = fmax(largest[k], d.largest);
                lowest = fmin(lowest, d.psnr);
            }
            images_free(&set);
        }
        rp_model_destroy(&model);
    }
    fprintf(stderr, "largest difference: direct %.3g, implicit GEMM %.3g (bound %g); lowest PSNR %.1f dB\n", largest[0],
            largest[1], precision == RP_PRECISION_FP32 ? 1e-5 : 2e-3, lowest);
}

static void networks_match_the_reference_in_fp32(void **state)
{
    (void)state;
    network_against_reference(RP_PRECISION_FP32);
}

static void networks_match_the_reference_in_fp16(void **state)
{
    (void)state;
    network_against_reference(RP_PRECISION_FP16);
}

// A GPU's exp, log and pow are less exact than the bound of the network alone: oidn.md allows 5e-5 for whole images.
#define IMAGE_BOUND 5e-5

static void every_small_size_denoises(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {3, 2}, {15, 17}, {16, 16}, {33, 31}, {509, 1}, {1, 509}};
    static const rp_kernel kernels[] = {RP_KERNEL_SETTING_DIRECT, RP_KERNEL_SETTING_IMPLICIT_GEMM};
    rp_model *model = load("rt_hdr_alb_nrm");
    double largest = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        images set = images_make(sizes[s][0], sizes[s][1]);
        size_t pixels = (size_t)set.width * set.height;
        images_fill(&set, 20, true);
        for (size_t k = 0; k < 4; k++) {
            rp_edge edge = k < 2 ? RP_EDGE_REPEAT : RP_EDGE_ZERO;
            reference_job job = {.model = model,
                                 .width = set.width,
                                 .height = set.height,
                                 .images = {set.rgb[0], set.rgb[1], set.rgb[2]},
                                 .hdr = true,
                                 .transfer = RP_TRANSFER_PU,
                                 .edge = edge,
                                 .input_scale = 0.25};
            assert_true(reference_denoise(&job, set.expected));
            memset(set.output, 0xff, pixels * 16);
            run_denoise(model,
                        (rp_record_desc){.width = set.width,
                                         .height = set.height,
                                         .precision = RP_PRECISION_FP32,
                                         .kernel = kernels[k % 2],
                                         .hdr = true,
                                         .input_scale = 0.25f,
                                         .edge = edge},
                        0, set.rgba, set.output);
            difference d = compare(set.output, set.expected, pixels, &job);
            largest = fmax(largest, d.largest);
            if (!(d.largest <= IMAGE_BOUND))
                fail_msg("%u × %u, edge %d: largest difference %g", set.width, set.height, (int)edge, d.largest);
            for (size_t p = 0; p < pixels; p++)
                assert_true(set.output[4 * p + 3] == set.rgba[0][4 * p + 3]);
        }
        images_free(&set);
    }
    fprintf(stderr, "largest difference: %.3g (bound %g)\n", largest, IMAGE_BOUND);
    rp_model_destroy(&model);
}

static void every_transfer_function_and_range_denoises(void **state)
{
    (void)state;
    static const struct {
        const char *weights;
        bool hdr, normal_alone;
        rp_transfer transfer;
    } cases[] = {{"rt_hdr", true, false, RP_TRANSFER_PU},    {"rt_hdr", true, false, RP_TRANSFER_LOG},
                 {"rt_ldr", false, false, RP_TRANSFER_SRGB}, {"rt_ldr", false, false, RP_TRANSFER_NONE},
                 {"rt_alb", false, false, RP_TRANSFER_SRGB}, {"rt_nrm", false, true, RP_TRANSFER_NONE},
                 {"rt_hdr_alb", true, false, RP_TRANSFER_PU}};
    static const float extremes[] = {0, -1, 1e-30f, 65504, 3e38f, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_model *model = load(cases[i].weights);
        images set = images_make(48, 32);
        images_fill(&set, cases[i].hdr ? 20 : 1, true);
        if (cases[i].normal_alone)
            memcpy(set.rgb[0], set.rgb[2], (size_t)set.width * set.height * 12);
        for (size_t k = 0; k < sizeof extremes / sizeof *extremes; k++)
            set.rgb[0][k * 401] = set.rgb[1][k * 307] = extremes[k];
        images_expand(&set);
        reference_job job = {.model = model,
                             .width = set.width,
                             .height = set.height,
                             .images = {set.rgb[0], set.rgb[1], set.rgb[2]},
                             .hdr = cases[i].hdr,
                             .normal_alone = cases[i].normal_alone,
                             .transfer = cases[i].transfer,
                             .input_scale = 1};
        assert_true(reference_denoise(&job, set.expected));
        run_denoise(model,
                    (rp_record_desc){.width = set.width,
                                     .height = set.height,
                                     .precision = RP_PRECISION_FP32,
                                     .hdr = cases[i].hdr,
                                     .normal_alone = cases[i].normal_alone,
                                     .transfer = cases[i].transfer},
                    0, set.rgba, set.output);
        for (size_t k = 0; k < (size_t)set.width * set.height * 4; k++)
            assert_true(isfinite(set.output[k]));
        difference d = compare(set.output, set.expected, (size_t)set.width * set.height, &job);
        fprintf(stderr, "%s, transfer %d: largest difference %.3g (bound %g)\n", cases[i].weights,
                (int)cases[i].transfer, d.largest, IMAGE_BOUND);
        assert_true(d.largest <= IMAGE_BOUND);
        images_free(&set);
        rp_model_destroy(&model);
    }
}

static void tiles_give_what_one_tile_gives(void **state)
{
    (void)state;
    rp_model *model = load("rt_hdr_small");
    images set = images_make(304, 40); // three tiles of 256, overlapping by 96 on either side
    size_t bytes = (size_t)set.width * set.height * 16;
    images_fill(&set, 20, true);
    rp_record_desc desc = {.width = set.width, .height = set.height, .precision = RP_PRECISION_FP32, .hdr = true};
    float *one = calloc(1, bytes);
    run_denoise(model, desc, 0, set.rgba, one);
    desc.max_tile_edge = 64;
    run_denoise(model, desc, 0, set.rgba, set.output);
    double largest = 0;
    for (size_t i = 0; i < bytes / 4; i++)
        largest = fmax(largest, fabs((double)(one[i] - set.output[i])) / (1 + fabs((double)one[i])));
    fprintf(stderr, "tiled against one tile: largest relative difference %g (bound 1e-5)\n", largest);
    assert_true(largest <= 1e-5);
    free(one);
    images_free(&set);
    rp_model_destroy(&model);
}

static void folded_dispatches_give_the_same_bits(void **state)
{
    (void)state;
    rp_model *model = load("rt_ldr_small");
    images set = images_make(100, 70);
    size_t bytes = (size_t)set.width * set.height * 16;
    images_fill(&set, 1, true);
    static const rp_kernel kernels[] = {RP_KERNEL_SETTING_DIRECT, RP_KERNEL_SETTING_IMPLICIT_GEMM};
    for (size_t k = 0; k < 2; k++) {
        rp_record_desc desc = {.width = set.width,
                               .height = set.height,
                               .precision = RP_PRECISION_FP32,
                               .kernel = kernels[k],
                               .transfer = RP_TRANSFER_NONE};
        float *whole = calloc(1, bytes);
        run_denoise(model, desc, 0, set.rgba, whole);
        run_denoise(model, desc, 28, set.rgba, set.output); // 7 × 14 groups of 8 × 8 do not fit one row of 28
        assert_memory_equal(whole, set.output, bytes);
        free(whole);
    }
    images_free(&set);
    rp_model_destroy(&model);
}

// Intel's results up to this size run through software Vulkan, and these larger ones; the denoise layer's tests compare
// all of them on the CPU.
#define MOST_PIXELS (64 * 48)
static const char *const larger_results[] = {"room208x176.hdr_an_auto.out.pfm", "room208x176.ldr_srgb.out.pfm",
                                             "dirty208x176.hdr_an_is0.2.out.pfm"};

static float *read_intel(const char *image, const char *kind, uint32_t *width, uint32_t *height)
{
    char path[256];
    snprintf(path, sizeof path, INTEL_FOLDER "%s%s%s", image, *image ? "." : "", kind);
    float *pixels = pfm_read(path, width, height);
    if (!pixels)
        fail_msg("cannot read %s", path);
    return pixels;
}

static bool wanted(const char *output, uint32_t width, uint32_t height)
{
    if ((size_t)width * height <= MOST_PIXELS)
        return true;
    for (size_t i = 0; i < sizeof larger_results / sizeof *larger_results; i++)
        if (strcmp(output, larger_results[i]) == 0)
            return true;
    return false;
}

// The largest difference from one of Intel's results in network space, or a negative number when it is left out.
static double against_intel(const json_t *result)
{
    const char *image = json_string_value(json_object_get(result, "image"));
    const char *color = json_string_value(json_object_get(result, "color"));
    const char *output = json_string_value(json_object_get(result, "output"));
    uint32_t width, height;
    float *expected = read_intel("", output, &width, &height);
    double largest = -1;
    if (wanted(output, width, height)) {
        const char *kinds[3];
        uint32_t count = 0;
        if (color)
            kinds[count++] = strcmp(color, "hdr") == 0 ? "hdr.pfm" : "ldr.pfm";
        if (json_is_true(json_object_get(result, "albedo")))
            kinds[count++] = "alb.pfm";
        if (json_is_true(json_object_get(result, "normal")))
            kinds[count++] = "nrm.pfm";
        images set = images_make(width, height);
        for (uint32_t i = 0; i < count; i++) {
            float *pixels = read_intel(image, kinds[i], &width, &height);
            memcpy(set.rgb[i], pixels, (size_t)width * height * 12);
            free(pixels);
        }
        images_expand(&set);
        for (size_t i = 0; i < (size_t)width * height * 3; i++)
            set.expected[i] = (double)expected[i];
        rp_model *model = load(json_string_value(json_object_get(result, "weights")));
        bool hdr = color && strcmp(color, "hdr") == 0;
        bool normal_alone = strcmp(kinds[0], "nrm.pfm") == 0;
        double scale = json_number_value(json_object_get(result, "input_scale"));
        reference_job job = {.model = model,
                             .width = width,
                             .height = height,
                             .images = {set.rgb[0], set.rgb[1], set.rgb[2]},
                             .hdr = hdr,
                             .normal_alone = normal_alone,
                             .transfer = hdr ? RP_TRANSFER_PU
                                         : json_is_true(json_object_get(result, "srgb")) || normal_alone
                                             ? RP_TRANSFER_NONE
                                             : RP_TRANSFER_SRGB,
                             .edge = RP_EDGE_ZERO,
                             .input_scale = scale};
        job.input_scale = reference_scale(&job);
        run_denoise(model,
                    (rp_record_desc){.width = width,
                                     .height = height,
                                     .precision = RP_PRECISION_FP32,
                                     .hdr = hdr,
                                     .normal_alone = normal_alone,
                                     .transfer = job.transfer,
                                     .input_scale = (float)job.input_scale,
                                     .edge = RP_EDGE_ZERO},
                    0, set.rgba, set.output);
        if (normal_alone) // Intel's library leaves normals above 1, we do not
            for (size_t i = 0; i < (size_t)width * height * 3; i++)
                set.expected[i] = fmin(set.expected[i], 1);
        largest = compare(set.output, set.expected, (size_t)width * height, &job).largest;
        if (!(largest <= IMAGE_BOUND))
            fail_msg("%s: largest difference %g", output, largest);
        rp_model_destroy(&model);
        images_free(&set);
    }
    free(expected);
    return largest;
}

static void images_match_those_of_intel(void **state)
{
    (void)state;
    json_t *manifest = gpu ? manifest_load() : NULL;
    if (!manifest)
        skip();
    double largest = 0;
    size_t count = 0, index;
    json_t *result;
    json_array_foreach(manifest, index, result)
    {
        double d = against_intel(result);
        count += d >= 0;
        largest = fmax(largest, d);
    }
    fprintf(stderr, "%zu of Intel's results: largest difference %.3g (bound %g)\n", count, largest, IMAGE_BOUND);
    assert_true(count >= 30);
    json_decref(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_match_the_reference_in_fp32),
        cmocka_unit_test(networks_match_the_reference_in_fp16),
        cmocka_unit_test(every_small_size_denoises),
        cmocka_unit_test(every_transfer_function_and_range_denoises),
        cmocka_unit_test(tiles_give_what_one_tile_gives),
        cmocka_unit_test(folded_dispatches_give_the_same_bits),
        cmocka_unit_test(images_match_those_of_intel),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
