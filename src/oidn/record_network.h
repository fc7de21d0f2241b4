// Recording the network itself: weights, activations, and the dispatches of one pass.
#ifndef RP_OIDN_RECORD_NETWORK_H
#define RP_OIDN_RECORD_NETWORK_H

#include "oidn/model.h"
#include "reprise/record.h"

// A network of one size inside a recorder. Zero-initialize; no resources of its own beyond the recorder's.
typedef struct rp_network_recording {
    rp_recorder *recorder;
    const rp_model *model;
    const rp_allocator *allocator;
    rp_precision precision; // FP32 or FP16, resolved
    rp_device_caps caps;    // with defaults filled in
    uint32_t width, height; // of the tile, multiples of 16
    uint32_t kernel_bits;   // rp_kernel_bits of the kernels in use
    uint32_t input, result; // buffers: the input tensor (packed), and the output tensor (f32 blocks)
    uint32_t weights[RP_MAX_LAYERS];
    struct {
        uint32_t pipeline, bind_group;
        uint32_t x, y, z;
    } steps[RP_MAX_LAYERS];
} rp_network_recording;

// Checks precision and kernel against the caps (filling defaults into recording->caps) and creates everything.
// recording->recorder must be set. Errors: INVALID_ARGUMENT, UNSUPPORTED, TOO_LARGE, OUT_OF_MEMORY, the recorder's.
rp_status rp_network_prepare(rp_network_recording *recording, const rp_model *model, const rp_record_desc *desc,
                             uint32_t width, uint32_t height, rp_error *error);

// Records the dispatches of one pass, not yet submitted.
rp_status rp_network_dispatch(const rp_network_recording *recording, rp_error *error);

// The lines that come before a kernel body: `enable f16;` and the aliases for a precision.
const char *rp_precision_prelude(rp_precision precision);

// Spreads `groups` workgroups over x and y so that neither exceeds the limit. Errors: TOO_LARGE.
rp_status rp_fold_groups(uint64_t groups, uint32_t limit, uint32_t *x, uint32_t *y, rp_error *error);

#endif
