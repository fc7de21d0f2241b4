// Lifetime-aware placing of a graph's activations: tensors that are never alive together share a slot (a buffer).
//
// Slots and not offsets in one buffer, because WebGPU forbids a dispatch to read and write one buffer through two
// bindings. Measuring (this file) is a pure function; who makes the buffers decides what a slot is.
#ifndef RP_OIDN_SLOTS_H
#define RP_OIDN_SLOTS_H

#include "oidn/model.h"

typedef struct rp_slot_plan {
    uint32_t slot_count;
    uint64_t slot_bytes[RP_MAX_LAYERS + 1];
    uint32_t tensor_slot[RP_MAX_LAYERS + 1]; // slot of each tensor
    uint64_t total_bytes;                    // sum of the slots
    uint64_t unshared_bytes;                 // sum of all tensors: what it would take without sharing
} rp_slot_plan;

// `tensor_bytes[i]` is what tensor i needs (0: it has no slot, tensor_slot is RP_NO_TENSOR). A tensor is alive from the
// layer that makes it to the last that reads it, both included, so a layer never reads and writes one slot. Best fit:
// a tensor takes the free slot whose growth costs least, the smallest fitting one first.
void rp_plan_slots(const rp_model *model, const uint64_t *tensor_bytes, rp_slot_plan *plan);

#endif
