// Conversions between binary32 and binary16 (IEEE 754-2008, section 3.4).
#include "base/half.h"

#include <string.h>

float rp_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 31;
    uint32_t mantissa = half & 1023;
    uint32_t bits;
    if (exponent == 31) {
        bits = sign | 0x7f800000 | mantissa << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    } else {
        // A subnormal is mantissa * 2^-24, which binary32 holds exactly.
        float value = (float)mantissa * 0x1p-24f;
        memcpy(&bits, &value, 4);
        bits |= sign;
    }
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

uint16_t rp_float_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
    if (magnitude >= 0x477ff000) // 65520, the midpoint above the largest half
        return (uint16_t)(sign | 0x7c00);
    if (magnitude >= 0x38800000) { // 2^-14, the smallest normal half
        uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
        return (uint16_t)(sign | (rounded - 0x38000000) >> 13);
    }
    if (magnitude < 0x33000000) // below 2^-25: rounds to zero
        return sign;
    uint32_t shift = 126 - (magnitude >> 23); // 14 to 24
    uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    uint32_t quotient = mantissa >> shift;
    uint32_t remainder = mantissa & ((1u << shift) - 1);
    uint32_t midpoint = 1u << (shift - 1);
    if (remainder > midpoint || (remainder == midpoint && (quotient & 1)))
        quotient++;
    return (uint16_t)(sign | quotient);
}
