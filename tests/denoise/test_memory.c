// Without memory: every allocation in turn fails, and nothing is leaked, written past or left unusable.
#include "denoise/support.h"

#include "support/failing_allocator.h"

#include <string.h>

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    skip_without_weights();
    static uint16_t half[40 * 24 * 3];
    for (size_t i = 0; i < 40 * 24 * 3; i++)
        half[i] = (uint16_t)(0x3000 + i % 0x0a00);
    rp_image image = {.data = half, .type = RP_PIXEL_HALF, .channels = 3};
    size_t failures = 0;
    for (size_t fail_at = 1;; fail_at++) {
        failing_allocator allocator;
        failing_allocator_init(&allocator, fail_at);
        rp_denoiser *denoiser = NULL;
        rp_error error = {0};
        rp_denoiser_desc desc = {.allocator = &allocator.hook, .device = RP_DEVICE_CPU};
        rp_status status = rp_denoiser_create(&desc, &denoiser, &error);
        if (status == RP_STATUS_OK) {
            rp_denoise_desc run = {.width = 40,
                                   .height = 24,
                                   .hdr = true,
                                   .quality = RP_QUALITY_FAST,
                                   .color = image,
                                   .output = image,
                                   .max_tile_edge = 16};
            status = rp_denoiser_run(denoiser, &run, &error);
        }
        rp_denoiser_destroy(&denoiser);
        assert_int_equal(allocator.live, 0);
        if (status == RP_STATUS_OK && allocator.allocations < fail_at)
            break;
        if (status != RP_STATUS_OK) {
            assert_int_equal(status, RP_STATUS_OUT_OF_MEMORY);
            assert_int_equal(error.status, RP_STATUS_OUT_OF_MEMORY);
            failures++;
        }
        assert_true(fail_at < 100000);
    }
    print_message("%zu allocations failed in turn\n", failures);
    assert_true(failures > 5);
}

static void a_run_without_memory_can_be_repeated(void **state)
{
    (void)state;
    skip_without_weights();
    picture color = picture_noisy(40, 24, 3, 1), result = picture_make(40, 24, 3);
    failing_allocator allocator;
    failing_allocator_init(&allocator, 0);
    rp_denoiser *denoiser = NULL;
    rp_denoiser_desc desc = {.allocator = &allocator.hook, .device = RP_DEVICE_CPU};
    assert_int_equal(rp_denoiser_create(&desc, &denoiser, NULL), RP_STATUS_OK);
    rp_denoise_desc run = {.width = 40,
                           .height = 24,
                           .hdr = true,
                           .quality = RP_QUALITY_FAST,
                           .color = image_of(&color),
                           .output = image_of(&result)};
    // From the first allocation after now on, and later ones.
    for (size_t ahead = 1; ahead < 6; ahead++) {
        allocator.fail_at = allocator.allocations + ahead;
        run.quality = ahead % 2 ? RP_QUALITY_FAST : RP_QUALITY_HIGH;
        assert_int_equal(rp_denoiser_run(denoiser, &run, NULL), RP_STATUS_OUT_OF_MEMORY);
    }
    allocator.fail_at = 0;
    run.quality = RP_QUALITY_FAST;
    must_run(denoiser, &run);
    rp_denoiser *fresh = make_denoiser(RP_DEVICE_CPU);
    picture expected = picture_make(40, 24, 3);
    run.output = image_of(&expected);
    must_run(fresh, &run);
    assert_memory_equal(result.data, expected.data, 40 * 24 * 12);
    rp_denoiser_destroy(&fresh);
    rp_denoiser_destroy(&denoiser);
    assert_int_equal(allocator.live, 0);
    picture_free(&color);
    picture_free(&result);
    picture_free(&expected);
}

int run_memory_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_run_without_memory_can_be_repeated),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
