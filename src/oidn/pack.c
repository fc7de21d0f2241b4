// Packing weights for the kernels. The layout is stated in src/kernels/convolution_direct.wgsl.
#include "oidn/pack.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/half.h"

#include <string.h>

static void store(uint8_t *elements, size_t index, rp_precision precision, const rp_tza_tensor *tensor, size_t from)
{
    if (precision == RP_PRECISION_FP32) {
        float value = rp_tza_value(tensor, from);
        uint32_t bits;
        memcpy(&bits, &value, 4);
        rp_store_u32(elements + 4 * index, bits);
    } else if (tensor->type == RP_TENSOR_HALF) {
        memcpy(elements + 2 * index, tensor->data + 2 * from, 2);
    } else {
        uint16_t half = rp_float_to_half(rp_tza_value(tensor, from));
        elements[2 * index] = (uint8_t)half;
        elements[2 * index + 1] = (uint8_t)(half >> 8);
    }
}

rp_status rp_pack_layer(const rp_layer *layer, rp_precision precision, const rp_allocator *allocator, uint8_t **bytes,
                        size_t *size, rp_error *error)
{
    size_t source_blocks = rp_blocks(layer->source_channels);
    size_t input_blocks = source_blocks + rp_blocks(layer->skip_channels);
    size_t output_blocks = rp_blocks(layer->output_channels);
    size_t input_channels = (size_t)layer->source_channels + layer->skip_channels;
    size_t element_bytes = precision == RP_PRECISION_FP32 ? 4 : 2;
    size_t elements, total;
    if (!rp_multiply(9 * 16 * input_blocks, output_blocks, &elements) ||
        !rp_add(elements, 4 * output_blocks, &elements) || !rp_multiply(elements, element_bytes, &total) ||
        total > UINT32_MAX)
        return rp_fail(error, RP_STATUS_TOO_LARGE, "layer '%s': its weights do not fit a buffer", layer->name);
    uint8_t *packed = rp_allocate(allocator, total, 1);
    if (!packed)
        return rp_fail_memory(error, total, "packed weights");
    for (size_t o = 0; o < layer->output_channels; o++) {
        store(packed, o, precision, layer->bias, o);
        for (size_t i = 0; i < input_channels; i++) {
            bool skip = i >= layer->source_channels;
            size_t lane = skip ? i - layer->source_channels : i;
            size_t block = lane / 4 + (skip ? source_blocks : 0);
            for (size_t tap = 0; tap < 9; tap++) {
                size_t vector = ((tap * input_blocks + block) * output_blocks + o / 4) * 4 + lane % 4;
                store(packed, 4 * output_blocks + 4 * vector + o % 4, precision, layer->weight,
                      (o * input_channels + i) * 9 + tap);
            }
        }
    }
    *bytes = packed;
    *size = total;
    return RP_STATUS_OK;
}
