// Weights as the convolution kernels read them.
#ifndef RP_OIDN_PACK_H
#define RP_OIDN_PACK_H

#include "oidn/model.h"

// Blocks of four channels that hold this many channels.
static inline uint32_t rp_blocks(uint32_t channels)
{
    return (channels + 3) / 4;
}

// One layer's weights: out_blocks biases, then [tap 9][input block][output block][input lane 4] elements, each of four
// output lanes; input blocks are the source's, then the skip's, both padded to whole blocks with zeros. Half files give
// their own bits in fp16. *bytes is the caller's (rp_free). Errors: TOO_LARGE, OUT_OF_MEMORY.
rp_status rp_pack_layer(const rp_layer *layer, rp_precision precision, const rp_allocator *allocator, uint8_t **bytes,
                        size_t *size, rp_error *error);

#endif
