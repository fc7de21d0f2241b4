// Transfer functions and sanitizing, against the double-precision reference.
#include "tests.h"

#include "oidn/transfer.h"
#include "support/reference_network.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const rp_transfer transfers[] = {RP_TRANSFER_PU, RP_TRANSFER_LOG, RP_TRANSFER_SRGB, RP_TRANSFER_NONE};

// Where the curves change their formula, what is special, and the extremes.
static const float special[] = {0,          FLT_TRUE_MIN, 1e-40F,        FLT_MIN,       1.57945760e-6F, 1.5794577e-6F,
                                0.0031308F, 0.0031309F,   0.0322087631F, 0.0322087668F, 0.18F,          0.999999940F,
                                1,          1.00000012F,  65504,         65536,         1e30F,          FLT_MAX};

static double error_of(float actual, double expected)
{
    return fabs((double)actual - expected) / fmax(1, fabs(expected));
}

static float sweep(uint32_t step, uint32_t steps)
{
    return (float)exp(log(1e-44) + (log((double)FLT_MAX) - log(1e-44)) * step / steps);
}

static void forward_agrees_with_the_reference(void **state)
{
    (void)state;
    enum { STEPS = 50000 };
    for (size_t t = 0; t < 4; t++) {
        double worst = 0;
        for (uint32_t i = 0; i <= STEPS; i++) {
            float value = i % 2 ? sweep(i, STEPS) : special[i / 2 % (sizeof special / sizeof *special)];
            if (transfers[t] == RP_TRANSFER_SRGB && value > 1)
                continue; // LDR
            worst = fmax(worst, error_of(rp_transfer_forward(transfers[t], value),
                                         reference_forward(transfers[t], (double)value)));
        }
        print_message("transfer %zu forward: at most %.2g from the reference\n", t, worst);
        assert_true(worst <= 3e-7);
    }
}

// The inverse magnifies rounding where its curve is steep: the error is judged in network space.
static void inverse_undoes_forward(void **state)
{
    (void)state;
    enum { STEPS = 50000 };
    for (size_t t = 0; t < 4; t++) {
        double worst = 0, worst_trip = 0;
        for (uint32_t i = 0; i <= STEPS; i++) {
            float x = (float)i / STEPS * (transfers[t] == RP_TRANSFER_SRGB ? 1.0F : 5.7F);
            double back = reference_forward(transfers[t], (double)rp_transfer_inverse(transfers[t], x));
            worst = fmax(worst, error_of(x, back));
            float value = sweep(i, STEPS);
            if (transfers[t] == RP_TRANSFER_SRGB && value > 1)
                continue;
            float trip = rp_transfer_inverse(transfers[t], rp_transfer_forward(transfers[t], value));
            worst_trip = fmax(worst_trip, error_of((float)reference_forward(transfers[t], (double)trip),
                                                   reference_forward(transfers[t], (double)value)));
        }
        print_message("transfer %zu inverse: at most %.2g, there and back %.2g in network space\n", t, worst,
                      worst_trip);
        assert_true(worst <= 5e-7);
        assert_true(worst_trip <= 5e-7);
    }
}

static void curves_never_fall(void **state)
{
    (void)state;
    enum { STEPS = 200000 };
    for (size_t t = 0; t < 4; t++) {
        float forward = 0, inverse = 0;
        for (uint32_t i = 0; i <= STEPS; i++) {
            float up = rp_transfer_forward(transfers[t], sweep(i, STEPS));
            float down = rp_transfer_inverse(transfers[t], (float)i / STEPS * 6);
            // The pieces of the published curves meet only to about eight digits.
            assert_true(up >= forward - 1.5e-8F * fmaxf(1, forward));
            assert_true(down >= inverse * (1 - 2e-7F));
            forward = up;
            inverse = down;
        }
    }
}

static void the_largest_half_maps_to_one(void **state)
{
    (void)state;
    assert_true(fabsf(rp_transfer_forward(RP_TRANSFER_PU, 65504) - 1) <= FLT_EPSILON);
    assert_true(fabsf(rp_transfer_forward(RP_TRANSFER_LOG, 65504) - 1) <= FLT_EPSILON);
    assert_true(fabsf(rp_transfer_forward(RP_TRANSFER_SRGB, 1) - 1) <= FLT_EPSILON);
    for (size_t t = 0; t < 4; t++) {
        assert_true(rp_transfer_forward(transfers[t], 0) == 0);
        assert_true(rp_transfer_inverse(transfers[t], 0) == 0);
    }
}

static void an_inverse_is_always_finite(void **state)
{
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
            float inverse = rp_transfer_inverse(transfers[t], special[i]);
            assert_true(isfinite(inverse) && inverse >= 0);
        }
        assert_true(isfinite(rp_transfer_forward(transfers[t], FLT_MAX)));
        float largest = rp_transfer_inverse(transfers[t], FLT_MAX);
        assert_true(largest == FLT_MAX);
    }
}

static void sanitizing_leaves_only_the_range(void **state)
{
    (void)state;
    static const float values[] = {NAN, -INFINITY, -FLT_MAX, -2, -0.5F, 0, 0.5F, 2, FLT_MAX, INFINITY};
    static const float hdr[] = {0, 0, 0, 0, 0, 0, 0.5F, 2, FLT_MAX, FLT_MAX};
    static const float unit[] = {0, 0, 0, 0, 0, 0, 0.5F, 1, 1, 1};
    static const float normal[] = {0, -1, -1, -1, -0.5F, 0, 0.5F, 1, 1, 1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_true(rp_sanitize(values[i], RP_RANGE_HDR) == hdr[i]);
        assert_true(rp_sanitize(values[i], RP_RANGE_UNIT) == unit[i]);
        assert_true(rp_sanitize(values[i], RP_RANGE_SIGNED) == normal[i]);
    }
}

static void rows_scale_sanitize_and_keep_their_strides(void **state)
{
    (void)state;
    const float source[] = {1, NAN, 1e38F, -7, -1, INFINITY, 0.5F, -7};
    float target[12];
    memset(target, 0x40, sizeof target);
    const float untouched = target[0];
    rp_transfer_row_in(source, 4, target, 6, 2, RP_RANGE_HDR, RP_TRANSFER_NONE, 4);
    const float hdr[] = {4, 0,       FLT_MAX, untouched, untouched, untouched,
                         0, FLT_MAX, 2,       untouched, untouched, untouched};
    assert_memory_equal(target, hdr, sizeof hdr);
    rp_transfer_row_in(source, 4, target, 6, 2, RP_RANGE_UNIT, RP_TRANSFER_NONE, 1);
    const float unit[] = {1, 0, 1, untouched, untouched, untouched, 0, 1, 0.5F, untouched, untouched, untouched};
    assert_memory_equal(target, unit, sizeof unit);
    // A normal goes in as n/2 + 1/2, whatever transfer is named.
    rp_transfer_row_in(source, 4, target, 6, 2, RP_RANGE_SIGNED, RP_TRANSFER_PU, 1);
    const float normal[] = {1, 0.5F, 1, untouched, untouched, untouched, 0, 1, 0.75F, untouched, untouched, untouched};
    assert_memory_equal(target, normal, sizeof normal);
    rp_transfer_row_in(source, 4, target, 6, 1, RP_RANGE_HDR, RP_TRANSFER_PU, 0.25F);
    assert_true(target[0] == rp_transfer_forward(RP_TRANSFER_PU, 0.25F));
}

static void rows_come_out_finite_and_in_range(void **state)
{
    (void)state;
    const float source[] = {0.25F, NAN, -3, 2, FLT_MAX, INFINITY};
    float target[6];
    rp_transfer_row_out(source, 3, target, 3, 2, RP_RANGE_HDR, RP_TRANSFER_NONE, 0.5F);
    const float hdr[] = {0.5F, 0, 0, 4, FLT_MAX, FLT_MAX};
    assert_memory_equal(target, hdr, sizeof hdr);
    rp_transfer_row_out(source, 3, target, 3, 2, RP_RANGE_UNIT, RP_TRANSFER_NONE, 1);
    const float unit[] = {0.25F, 0, 0, 1, 1, 1};
    assert_memory_equal(target, unit, sizeof unit);
    rp_transfer_row_out(source, 3, target, 3, 2, RP_RANGE_SIGNED, RP_TRANSFER_NONE, 1);
    const float normal[] = {-0.5F, -1, -1, 1, 1, 1};
    assert_memory_equal(target, normal, sizeof normal);
    // Scales whose own inverse overflows or vanishes.
    static const float scales[] = {FLT_TRUE_MIN, FLT_MIN, 1, FLT_MAX};
    for (size_t s = 0; s < 4; s++)
        for (size_t t = 0; t < 2; t++) {
            rp_transfer_row_out(source, 3, target, 3, 2, RP_RANGE_HDR, transfers[t], scales[s]);
            for (size_t i = 0; i < 6; i++)
                assert_true(target[i] >= 0 && target[i] <= FLT_MAX);
            assert_true(target[1] == 0 && target[2] == 0);
        }
}

int test_transfer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_agrees_with_the_reference),
        cmocka_unit_test(inverse_undoes_forward),
        cmocka_unit_test(curves_never_fall),
        cmocka_unit_test(the_largest_half_maps_to_one),
        cmocka_unit_test(an_inverse_is_always_finite),
        cmocka_unit_test(sanitizing_leaves_only_the_range),
        cmocka_unit_test(rows_scale_sanitize_and_keep_their_strides),
        cmocka_unit_test(rows_come_out_finite_and_in_range),
    };
    return cmocka_run_group_tests_name("transfer", tests, NULL, NULL);
}
