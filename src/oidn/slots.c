// Sharing activation slots by lifetime: a pure function over the graph. Taking the tensors in order of their making
// beats taking the largest first here (base network at 1280×720, blocks of four: 406 MB against 435 MB; 725 MB
// unshared; no placing can do with less than 354 MB).
#include "oidn/slots.h"

// Whether slot a suits `bytes` better than slot b: the smallest that fits, else the one that grows least.
static bool better(const rp_slot_plan *plan, uint32_t a, uint32_t b, uint64_t bytes)
{
    if (b == RP_NO_TENSOR)
        return true;
    bool a_fits = plan->slot_bytes[a] >= bytes, b_fits = plan->slot_bytes[b] >= bytes;
    if (a_fits != b_fits)
        return a_fits;
    return a_fits ? plan->slot_bytes[a] < plan->slot_bytes[b] : plan->slot_bytes[a] > plan->slot_bytes[b];
}

void rp_plan_slots(const rp_model *model, const uint64_t *tensor_bytes, rp_slot_plan *plan)
{
    uint32_t occupant[RP_MAX_LAYERS + 1]; // of each slot: its last tensor
    *plan = (rp_slot_plan){0};
    for (uint32_t tensor = 0; tensor <= model->layer_count; tensor++) {
        uint64_t bytes = tensor_bytes[tensor];
        plan->tensor_slot[tensor] = RP_NO_TENSOR;
        if (bytes == 0)
            continue;
        uint32_t best = RP_NO_TENSOR;
        for (uint32_t slot = 0; slot < plan->slot_count; slot++)
            if (model->tensors[occupant[slot]].last_use < model->tensors[tensor].first_use &&
                better(plan, slot, best, bytes))
                best = slot;
        if (best == RP_NO_TENSOR)
            best = plan->slot_count++;
        if (plan->slot_bytes[best] < bytes)
            plan->slot_bytes[best] = bytes;
        occupant[best] = tensor;
        plan->tensor_slot[tensor] = best;
        plan->unshared_bytes += bytes;
    }
    for (uint32_t slot = 0; slot < plan->slot_count; slot++)
        plan->total_bytes += plan->slot_bytes[slot];
}
