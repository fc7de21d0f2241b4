// Activations between convolutions, in one of the two layouts that oneDNN's kernels read, and the steps between
// convolutions, a row at a time.
#ifndef RP_CPU_ACTIVATION_H
#define RP_CPU_ACTIVATION_H

#include "base/memory.h"

// [channels / block, height, width, block]. Channels-last is one block of all channels.
typedef struct rp_activation {
    float *data;
    uint32_t width, height;
    uint32_t channels; // a multiple of block: those that fill up the last block are zero
    uint32_t block;
} rp_activation;

// Without data. `block` as in rp_convolution_desc: 0 for channels-last.
rp_activation rp_activation_describe(uint32_t width, uint32_t height, uint32_t channels, uint32_t block);

// False when they overflow.
bool rp_activation_bytes(const rp_activation *activation, size_t *bytes);

typedef struct rp_join {
    rp_activation source; // at half the size when `upsample`
    rp_activation skip;   // no data: none
    bool upsample;        // nearest
} rp_join;

// Row `target_y` of target = row y of [upsampled] source ++ skip; zeros where y is outside the image of `height` rows.
// Channels that fill up the skip's last block come along.
void rp_join_row(const rp_activation *target, uint32_t target_y, const rp_join *join, int64_t y, uint32_t height);

// Row y of target = 2 × 2 maxima of source.
void rp_pool_row(const rp_activation *target, uint32_t y, const rp_activation *source);

// Row y from and to packed [height, width, channels] floats. Packing fills up the last block with zeros.
void rp_pack_row(const rp_activation *target, uint32_t y, const float *packed, uint32_t channels);
void rp_unpack_row(float *packed, uint32_t channels, uint32_t y, const rp_activation *source);

#endif
