// IEEE 754 binary16, in software so that every machine gives the same bits.
#ifndef RP_BASE_HALF_H
#define RP_BASE_HALF_H

#include <stdint.h>

// Exact.
float rp_half_to_float(uint16_t half);
// Round to nearest, ties to even; above 65504 (after rounding) infinity; NaN stays a (quiet) NaN.
uint16_t rp_float_to_half(float value);

#endif
