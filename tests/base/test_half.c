// Half floats: every value, and every rounding boundary. The reference is arithmetic in double on the definition of
// binary16 (IEEE 754-2008, section 3.4), not bits.
#include "base/half.h"
#include "base/tests.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static double value_of(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double magnitude = exponent == 0    ? ldexp(fraction, -24)
                       : exponent == 31 ? (fraction ? NAN : INFINITY)
                                        : ldexp(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static void every_half_becomes_its_value(void **state)
{
    (void)state;
    for (uint32_t half = 0; half < 65536; half++) {
        double expected = value_of((uint16_t)half);
        float value = rp_half_to_float((uint16_t)half);
        if (isnan(expected) ? !isnan(value) : (double)value != expected)
            fail_msg("0x%04x is %a, not %a", half, (double)value, expected);
        if (!isnan(expected) && !signbit(expected) != !signbit(value))
            fail_msg("0x%04x has the other sign", half);
    }
}

static void every_half_survives_the_way_there_and_back(void **state)
{
    (void)state;
    for (uint32_t half = 0; half < 65536; half++) {
        uint16_t back = rp_float_to_half(rp_half_to_float((uint16_t)half));
        bool is_nan = isnan(value_of((uint16_t)half));
        uint32_t expected = is_nan ? half | 0x200 : half; // a NaN comes back quiet, with its sign and payload
        if (back != expected)
            fail_msg("0x%04x came back as 0x%04x", half, back);
    }
}

// Between neighbouring halves: below the midpoint the lower, above it the upper, at it the one whose last bit is 0.
// The midpoint between 65504 and what would come next, 65536, lies at 65520, from where on there is infinity.
static void rounding_is_to_nearest_and_ties_to_even(void **state)
{
    (void)state;
    for (uint16_t lower = 0; lower < 0x7c00; lower++) {
        uint16_t upper = (uint16_t)(lower + 1), even = lower & 1 ? upper : lower;
        double next = upper == 0x7c00 ? 65536 : value_of(upper);
        float midpoint = (float)((value_of(lower) + next) / 2); // exact: one bit more than a half has
        float below = nextafterf(midpoint, 0), above = nextafterf(midpoint, INFINITY);
        const uint16_t got[] = {rp_float_to_half(below),  rp_float_to_half(midpoint),  rp_float_to_half(above),
                                rp_float_to_half(-below), rp_float_to_half(-midpoint), rp_float_to_half(-above)};
        const uint16_t expected[] = {lower, even, upper};
        for (int i = 0; i < 6; i++)
            if (got[i] != (i < 3 ? expected[i] : (expected[i - 3] | 0x8000)))
                fail_msg("case %d at 0x%04x gives 0x%04x", i, lower, got[i]);
    }
}

static void extremes_keep_their_kind(void **state)
{
    (void)state;
    assert_int_equal(rp_float_to_half(float_of(0x7f7fffff)), 0x7c00); // FLT_MAX
    assert_int_equal(rp_float_to_half(-INFINITY), 0xfc00);
    assert_int_equal(rp_float_to_half(float_of(1)), 0); // the smallest float
    assert_int_equal(rp_float_to_half(-0.0f), 0x8000);
    assert_int_equal(bits_of(rp_half_to_float(0x8000)), 0x80000000);
    assert_int_equal(rp_float_to_half(1.0f), 0x3c00);
    assert_int_equal(rp_float_to_half(65504.0f), 0x7bff);
    // NaNs stay NaNs, whichever bits of the fraction are set.
    for (uint32_t bit = 0; bit < 23; bit++) {
        assert_int_equal(rp_float_to_half(float_of(0x7f800000 | 1u << bit)) & 0x7e00, 0x7e00);
        assert_int_equal(rp_float_to_half(float_of(0xff800000 | 1u << bit)) & 0xfe00, 0xfe00);
    }
}

int test_half(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_becomes_its_value),
        cmocka_unit_test(every_half_survives_the_way_there_and_back),
        cmocka_unit_test(rounding_is_to_nearest_and_ties_to_even),
        cmocka_unit_test(extremes_keep_their_kind),
    };
    return cmocka_run_group_tests_name("half floats", tests, NULL, NULL);
}
