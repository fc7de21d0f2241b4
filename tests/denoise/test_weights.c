// Which weight file belongs to which inputs: the table of docs/denoising.md, and the combinations that are refused.
#include "denoise/support.h"

#include "denoise/weights.h"

#include <string.h>

static float pixel[4];
static const rp_image there = {.data = pixel, .channels = 3};

static void every_combination_has_its_file(void **state)
{
    (void)state;
    static const struct {
        bool color, albedo, normal, hdr, clean;
        const char *high, *balanced, *fast;
    } table[] = {
        {1, 0, 0, 1, 0, "rt_hdr.tza", "rt_hdr.tza", "rt_hdr_small.tza"},
        {1, 1, 0, 1, 0, "rt_hdr_alb.tza", "rt_hdr_alb.tza", "rt_hdr_alb_small.tza"},
        {1, 1, 1, 1, 0, "rt_hdr_alb_nrm.tza", "rt_hdr_alb_nrm.tza", "rt_hdr_alb_nrm_small.tza"},
        {1, 1, 1, 1, 1, "rt_hdr_calb_cnrm_large.tza", "rt_hdr_calb_cnrm.tza", "rt_hdr_calb_cnrm_small.tza"},
        {1, 0, 0, 0, 0, "rt_ldr.tza", "rt_ldr.tza", "rt_ldr_small.tza"},
        {1, 1, 0, 0, 0, "rt_ldr_alb.tza", "rt_ldr_alb.tza", "rt_ldr_alb_small.tza"},
        {1, 1, 1, 0, 0, "rt_ldr_alb_nrm.tza", "rt_ldr_alb_nrm.tza", "rt_ldr_alb_nrm_small.tza"},
        {1, 1, 1, 0, 1, "rt_ldr_calb_cnrm.tza", "rt_ldr_calb_cnrm.tza", "rt_ldr_calb_cnrm_small.tza"},
        {0, 1, 0, 0, 0, "rt_alb_large.tza", "rt_alb.tza", "rt_alb.tza"},
        {0, 0, 1, 0, 0, "rt_nrm_large.tza", "rt_nrm.tza", "rt_nrm.tza"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        rp_denoise_desc desc = {.hdr = table[i].hdr, .clean_aux = table[i].clean};
        if (table[i].color)
            desc.color = there;
        if (table[i].albedo)
            desc.albedo = there;
        if (table[i].normal)
            desc.normal = there;
        const char *expected[] = {table[i].high, table[i].balanced, table[i].fast};
        for (int quality = RP_QUALITY_HIGH; quality <= RP_QUALITY_FAST; quality++) {
            char name[RP_WEIGHTS_NAME_BYTES];
            desc.quality = (rp_quality)quality;
            assert_int_equal(rp_weights_choose(&desc, name, NULL), RP_STATUS_OK);
            assert_string_equal(name, expected[quality]);
        }
    }
}

static void combinations_without_weights_are_refused(void **state)
{
    (void)state;
    const rp_denoise_desc refused[] = {
        {.hdr = true},
        {.albedo = there, .normal = there},
        {.color = there, .normal = there},
        {.color = there, .hdr = true, .srgb = true},
        {.albedo = there, .hdr = true},
        {.normal = there, .hdr = true},
        {.normal = there, .srgb = true},
        {.color = there, .clean_aux = true},
        {.color = there, .albedo = there, .clean_aux = true},
        {.albedo = there, .clean_aux = true},
        {.color = there, .quality = (rp_quality)3},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char name[RP_WEIGHTS_NAME_BYTES];
        rp_error error = {0};
        assert_int_equal(rp_weights_choose(&refused[i], name, &error), RP_STATUS_INVALID_ARGUMENT);
        assert_true(error.message[0] != 0);
    }
}

static void a_given_folder_is_the_only_one_looked_at(void **state)
{
    (void)state;
    char *path = NULL;
    rp_error error;
    assert_int_equal(rp_weights_find("/nonexistent", "rt_hdr.tza", NULL, &path, &error), RP_STATUS_IO);
    assert_null(path);
    assert_non_null(strstr(error.message, "/nonexistent"));
    assert_non_null(strstr(error.message, "rt_hdr.tza"));
}

static void weights_that_do_not_fit_the_images_are_refused(void **state)
{
    (void)state;
    rp_denoiser *denoiser = make_denoiser(RP_DEVICE_CPU);
    char *path = NULL;
    rp_error error;
    assert_int_equal(rp_weights_find(NULL, "rt_hdr_alb.tza", NULL, &path, &error), RP_STATUS_OK);
    picture color = picture_noisy(16, 16, 3, 1);
    rp_denoise_desc desc = {
        .width = 16, .height = 16, .hdr = true, .color = image_of(&color), .output = image_of(&color), .weights = path};
    assert_int_equal(rp_denoiser_run(denoiser, &desc, &error), RP_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "6 channels"));
    picture albedo = picture_albedo(16, 16, 1);
    desc.albedo = image_of(&albedo);
    must_run(denoiser, &desc);
    assert_string_equal(rp_denoiser_get_report(denoiser).weights, path);
    picture_free(&color);
    picture_free(&albedo);
    rp_free(NULL, path);
    rp_denoiser_destroy(&denoiser);
}

int run_weight_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_has_its_file),
        cmocka_unit_test(combinations_without_weights_are_refused),
        cmocka_unit_test(a_given_folder_is_the_only_one_looked_at),
        cmocka_unit_test(weights_that_do_not_fit_the_images_are_refused),
    };
    return cmocka_run_group_tests_name("weights", tests, NULL, NULL);
}
