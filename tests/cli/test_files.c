// Images of every kind through the command line, and programs from recording to replay.
#include "support.h"

#include "support/reference_network.h"
#include "support/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_file_tests(void);

static const run_result *denoise(const char *input, const char *output, const char *first, const char *second)
{
    return run_expecting(0, "denoise", in_folder(input), "-o", in_folder(output), "--device", "cpu", "--quality",
                         "fast", first, second, NULL);
}

static void every_kind_of_file_goes_in_and_comes_out(void **state)
{
    (void)state;
    skip_without_weights();
    static const char *const kinds[] = {"pfm", "exr", "hdr", "png"};
    rp_pixels pixels = make_pixels(40, 24, 3, 1.0f);
    for (size_t i = 0; i < 4; i++) {
        char in[16], out[16];
        snprintf(in, sizeof in, "in.%s", kinds[i]);
        write_picture(in, &pixels);
        for (size_t k = 0; k < 4; k++) {
            snprintf(out, sizeof out, "out.%s", kinds[k]);
            const run_result *result = denoise(in, out, NULL, NULL);
            assert_string_equal(result->out, "");
            assert_string_equal(result->err, "");
            rp_image_file noisy = read_picture(in), clean = read_picture(out);
            assert_int_equal(clean.color.width, 40);
            assert_int_equal(clean.color.height, 24);
            assert_int_equal(clean.color.channels, 3);
            if (i == k) {
                double difference = greatest_difference(&noisy.color, &clean.color);
                assert_true(difference > 0.01 && difference < 0.6);
            }
            rp_image_file_free(&noisy);
            rp_image_file_free(&clean);
        }
    }
    free(pixels.data);
}

static void a_png_is_denoised_as_it_is_shown(void **state)
{
    (void)state;
    enum { WIDTH = 48, HEIGHT = 32 };
    char *path = weights_path("rt_ldr_small");
    if (!path)
        skip();
    rp_pixels pixels = make_pixels(WIDTH, HEIGHT, 3, 1.0f);
    write_picture("in.png", &pixels);
    denoise("in.png", "out.png", "--png-bits=16", NULL);
    rp_image_file noisy = read_picture("in.png"), clean = read_picture("out.png");
    rp_model *model = NULL;
    assert_int_equal(rp_model_load(path, NULL, &model, NULL), RP_STATUS_OK);
    reference_job job = {
        .model = model, .width = WIDTH, .height = HEIGHT, .images = {noisy.color.data}, .transfer = RP_TRANSFER_NONE};
    static double expected[WIDTH * HEIGHT * 3];
    assert_true(reference_denoise(&job, expected));
    for (size_t i = 0; i < WIDTH * HEIGHT * 3; i++)
        assert_true(fabs(clean.color.data[i] - expected[i]) <= 0.5 / 65535 + 1e-5);
    rp_model_destroy(&model);
    rp_image_file_free(&noisy);
    rp_image_file_free(&clean);
    free(pixels.data);
    free(path);
}

static void an_hdr_result_is_encoded_into_a_png(void **state)
{
    (void)state;
    skip_without_weights();
    rp_pixels pixels = make_pixels(32, 32, 3, 0.9f);
    write_picture("in.pfm", &pixels);
    denoise("in.pfm", "out.pfm", NULL, NULL);
    denoise("in.pfm", "out.png", "--png-bits", "16");
    rp_image_file linear = read_picture("out.pfm"), encoded = read_picture("out.png");
    assert_int_equal(encoded.bits, 16);
    for (size_t i = 0; i < 32 * 32 * 3; i++) {
        double expected = reference_forward(RP_TRANSFER_SRGB, fmin(1, linear.color.data[i]));
        assert_true(fabs(encoded.color.data[i] - expected) <= 1.0 / 65535);
    }
    rp_image_file_free(&linear);
    rp_image_file_free(&encoded);
    free(pixels.data);
}

static void alpha_is_kept_or_left_out_with_a_note(void **state)
{
    (void)state;
    skip_without_weights();
    rp_pixels pixels = make_pixels(24, 20, 4, 1.0f);
    write_picture("in.exr", &pixels);
    assert_string_equal(denoise("in.exr", "out.exr", NULL, NULL)->err, "");
    rp_image_file noisy = read_picture("in.exr"), clean = read_picture("out.exr");
    assert_int_equal(clean.color.channels, 4);
    for (size_t i = 3; i < 24 * 20 * 4; i += 4)
        assert_true(clean.color.data[i] == noisy.color.data[i]);
    rp_image_file_free(&noisy);
    rp_image_file_free(&clean);
    assert_non_null(strstr(denoise("in.exr", "out.pfm", NULL, NULL)->err, "alpha"));
    clean = read_picture("out.pfm");
    assert_int_equal(clean.color.channels, 3);
    rp_image_file_free(&clean);
    assert_string_equal(denoise("in.exr", "out.pfm", "--quiet", NULL)->err, "");
    free(pixels.data);
}

static void auxiliary_images_choose_their_weights(void **state)
{
    (void)state;
    skip_without_weights();
    rp_pixels pixels = make_pixels(32, 16, 3, 0.9f);
    write_picture("in.pfm", &pixels);
    write_picture("aux.pfm", &pixels);
    char albedo[420], normal[420];
    snprintf(albedo, sizeof albedo, "--albedo=%s", in_folder("aux.pfm"));
    snprintf(normal, sizeof normal, "--normal=%s", in_folder("aux.pfm"));
    const run_result *result = run_expecting(0, "denoise", in_folder("in.pfm"), "-o", in_folder("out.pfm"), albedo,
                                             normal, "--report", "--device=cpu", NULL);
    assert_non_null(strstr(result->out, "rt_hdr_alb_nrm.tza"));
    assert_non_null(strstr(result->out, "colour albedo normal; HDR"));
    assert_non_null(strstr(result->out, "CPU"));
    result = run_expecting(0, "denoise", in_folder("in.pfm"), "-o", in_folder("out.pfm"), albedo, normal, "--clean-aux",
                           "--quality=balanced", "--ldr", "-v", "--device=cpu", NULL);
    assert_non_null(strstr(result->out, "rt_ldr_calb_cnrm.tza"));
    assert_non_null(strstr(result->out, "LDR, linear"));
    result = run_expecting(0, "denoise", albedo, "-o", in_folder("out.pfm"), "--verbose", "--device=cpu", NULL);
    assert_non_null(strstr(result->out, "rt_alb_large.tza"));
    result = run_expecting(0, "denoise", normal, "-o", in_folder("out.png"), "--quality=balanced", "-v", "--device=cpu",
                           NULL);
    assert_non_null(strstr(result->out, "rt_nrm.tza"));
    free(pixels.data);
}

static void the_input_may_be_overwritten(void **state)
{
    (void)state;
    skip_without_weights();
    rp_pixels pixels = make_pixels(32, 16, 3, 0.9f);
    write_picture("a.pfm", &pixels);
    denoise("a.pfm", "b.pfm", NULL, NULL);
    denoise("a.pfm", "a.pfm", NULL, NULL);
    rp_image_file a = read_picture("a.pfm"), b = read_picture("b.pfm");
    assert_true(greatest_difference(&a.color, &b.color) == 0);
    rp_image_file_free(&a);
    rp_image_file_free(&b);
    free(pixels.data);
}

static void missing_weights_are_named_with_their_folder(void **state)
{
    (void)state;
    rp_pixels pixels = make_pixels(16, 16, 3, 0.9f);
    write_picture("in.pfm", &pixels);
    char *before = getenv("REPRISE_WEIGHTS");
    before = before ? strdup(before) : NULL;
    setenv("REPRISE_WEIGHTS", "/nonexistent", 1);
    const run_result *result =
        run_expecting(1, "denoise", in_folder("in.pfm"), "-o", in_folder("out.pfm"), "--device=cpu", NULL);
    if (before)
        setenv("REPRISE_WEIGHTS", before, 1);
    else
        unsetenv("REPRISE_WEIGHTS");
    free(before);
    assert_non_null(strstr(result->err, "rt_hdr.tza"));
    assert_non_null(strstr(result->err, "/nonexistent"));
    assert_int_equal(folder_count(), 1);
    free(pixels.data);
}

// ---- Programs ----------------------------------------------------------------------------------------------------

static void a_weight_file_is_inspected(void **state)
{
    (void)state;
    char *path = weights_path("rt_hdr_alb_nrm");
    if (!path)
        skip();
    const run_result *result = run_expecting(0, "inspect", path, NULL);
    assert_non_null(strstr(result->out, "base, receptive field 174, 9 channels in, 3 out, 16 convolutions"));
    assert_non_null(strstr(result->out, "enc_conv0"));
    run_expecting(1, "inspect", path, "--disassemble", NULL);
    free(path);
}

static void a_recorded_program_is_inspected(void **state)
{
    (void)state;
    char *path = weights_path("rt_hdr_alb");
    if (!path)
        skip();
    run_expecting(0, "record", "--weights", path, "--size", "64x32", "--tile", "32", "-o", in_folder("p.oidn"), NULL);
    const run_result *result = run_expecting(0, "inspect", in_folder("p.oidn"), NULL);
    assert_non_null(strstr(result->out, "64x32, 4 channels"));
    assert_non_null(strstr(result->out, "oidn/external/color"));
    assert_non_null(strstr(result->out, "oidn/external/albedo"));
    assert_non_null(strstr(result->out, "fp32, 2 tiles"));
    assert_non_null(strstr(result->out, "16 weight buffers"));
    assert_non_null(strstr(result->out, "enc_conv0 "));
    assert_non_null(strstr(result->out, "dec_conv0 "));
    assert_non_null(strstr(result->out, "(input processing) "));
    assert_non_null(strstr(result->out, "(output processing) "));
    assert_null(strstr(result->out, "(other)"));
    result = run_expecting(0, "inspect", in_folder("p.oidn"), "--wgsl", "0", NULL);
    assert_non_null(strstr(result->out, "@compute"));
    assert_non_null(strstr(run_expecting(1, "inspect", in_folder("p.oidn"), "--wgsl=999", NULL)->err, "999"));
    assert_true(strlen(run_expecting(0, "inspect", in_folder("p.oidn"), "-d", NULL)->out) > 1000);
    free(path);
}

static void a_replayed_program_denoises_as_denoise_does(void **state)
{
    (void)state;
    skip_without_webgpu();
    char *path = weights_path("rt_hdr_small");
    if (!path)
        skip();
    rp_pixels pixels = make_pixels(48, 32, 4, 3.0f), other = make_pixels(47, 32, 3, 3.0f);
    write_picture("in.exr", &pixels);
    write_picture("other.exr", &other);
    run_expecting(0, "record", "--weights", path, "--size", "48x32", "--precision=fp32", "-o", in_folder("p.oidn"),
                  NULL);
    char input[420];
    snprintf(input, sizeof input, "color=%s", in_folder("in.exr"));
    const run_result *result = run("replay", in_folder("p.oidn"), "--input", input, "-o", in_folder("r.exr"),
                                   "--device=webgpu", "--input-scale=0.25", NULL);
    if (strstr(result->err, "no WebGPU library") || strstr(result->err, "no adapter")) {
        print_message("SKIPPED: %s\n", result->err);
        skip();
    }
    if (result->code != 0)
        fail_msg("%s", result->err);
    denoise("in.exr", "d.exr", "--input-scale=0.25", NULL);
    rp_image_file replayed = read_picture("r.exr"), denoised = read_picture("d.exr");
    assert_int_equal(replayed.color.channels, 4);
    double most = 0;
    for (size_t i = 0; i < 48 * 32 * 4; i++) {
        double a = replayed.color.data[i], b = denoised.color.data[i];
        double difference =
            i % 4 == 3
                ? fabs(a - b)
                : fabs(reference_forward(RP_TRANSFER_PU, a * 0.25) - reference_forward(RP_TRANSFER_PU, b * 0.25));
        most = difference <= most ? most : difference;
    }
    print_message("replayed and denoised differ by %g in network space\n", most);
    // Where the files hold halves, two neighbours are 2^-11 apart, which is up to 1.3e-4 in network space.
    assert_true(most <= (replayed.half ? 2e-4 : 5e-5));
    result = run_expecting(0, "replay", in_folder("p.oidn"), "--input", input, "--device=webgpu", "--repeat=3", NULL);
    assert_non_null(strstr(result->out, "median of 3 runs"));
    snprintf(input, sizeof input, "color=%s", in_folder("other.exr"));
    result = run_expecting(1, "replay", in_folder("p.oidn"), "--input", input, "-o", in_folder("x.exr"), NULL);
    assert_non_null(strstr(result->err, "47x32"));
    assert_non_null(strstr(result->err, "48x32"));
    rp_image_file_free(&replayed);
    rp_image_file_free(&denoised);
    free(pixels.data);
    free(other.data);
    free(path);
}

static void inputs_are_asked_for_by_name(void **state)
{
    (void)state;
    char *path = weights_path("rt_hdr_alb_small");
    if (!path)
        skip();
    rp_pixels pixels = make_pixels(16, 16, 3, 1.0f);
    write_picture("in.pfm", &pixels);
    run_expecting(0, "record", "--weights", path, "--size", "16x16", "-o", in_folder("p.oidn"), NULL);
    char color[420], depth[420];
    snprintf(color, sizeof color, "color=%s", in_folder("in.pfm"));
    snprintf(depth, sizeof depth, "depth=%s", in_folder("in.pfm"));
    const run_result *result =
        run_expecting(2, "replay", in_folder("p.oidn"), "-i", color, "-o", in_folder("out.pfm"), NULL);
    assert_non_null(strstr(result->err, "--input albedo=FILE"));
    result = run_expecting(2, "replay", in_folder("p.oidn"), "-i", depth, "-o", in_folder("out.pfm"), NULL);
    assert_non_null(strstr(result->err, "no such input"));
    result =
        run_expecting(2, "replay", in_folder("p.oidn"), "-i", color, "-i", color, "-o", in_folder("out.pfm"), NULL);
    assert_non_null(strstr(result->err, "twice"));
    free(pixels.data);
    free(path);
}

static void devices_lists_the_cpu(void **state)
{
    (void)state;
    assert_true(strncmp(run_expecting(0, "devices", NULL)->out, "CPU, ", 5) == 0);
    assert_non_null(strstr(run_expecting(1, "devices", "--library=/nonexistent.so", NULL)->err, "/nonexistent.so"));
}

int run_file_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_file_goes_in_and_comes_out, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_png_is_denoised_as_it_is_shown, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(an_hdr_result_is_encoded_into_a_png, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(alpha_is_kept_or_left_out_with_a_note, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(auxiliary_images_choose_their_weights, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(the_input_may_be_overwritten, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(missing_weights_are_named_with_their_folder, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_weight_file_is_inspected, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_recorded_program_is_inspected, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_replayed_program_denoises_as_denoise_does, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(inputs_are_asked_for_by_name, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(devices_lists_the_cpu, folder_make, folder_remove),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
