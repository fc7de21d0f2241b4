// A validated denoising network: the tensors of one weight file, checked against a topology and laid out as fused
// layers.
//
// The graph is data. Tensor 0 is the network's input; layer i reads one or two tensors and makes tensor i + 1; the last
// one is the network's output. Fusions (convolution + pooling; upsampling + concatenation + convolution) come from the
// topology alone: every layer is
//     [upsample ×2 nearest] source  ++ skip (behind, when there is one) → 3×3 convolution, zero padding 1 → + bias →
//     ReLU → [2×2 maximum pooling]
#ifndef RP_OIDN_MODEL_H
#define RP_OIDN_MODEL_H

#include "oidn/tza.h"
#include "reprise/oidn.h"

#define RP_NO_TENSOR UINT32_MAX
#define RP_MAX_LAYERS 20

typedef struct rp_layer {
    const char *name;         // "enc_conv0"
    uint32_t source;          // tensor; read at half resolution when `upsample`
    uint32_t skip;            // tensor concatenated behind the source, or RP_NO_TENSOR
    bool upsample;            // the source is upsampled by two, nearest
    bool pool;                // the result is pooled 2×2
    uint32_t source_channels; // of `source`
    uint32_t skip_channels;   // of `skip`, 0 without
    uint32_t output_channels;
    const rp_tza_tensor *weight; // oihw: [output_channels, source_channels + skip_channels, 3, 3]
    const rp_tza_tensor *bias;   // x: [output_channels]
} rp_layer;

typedef struct rp_graph_tensor {
    uint32_t channels;
    uint32_t level;     // its size is the network's size >> level
    uint32_t first_use; // layer that makes it (0 for the input too)
    uint32_t last_use;  // last layer that reads it; the layer count for the output
} rp_graph_tensor;

struct rp_model {
    rp_arena arena;
    uint8_t *bytes; // the weight file, owned
    rp_model_info info;
    rp_tza archive;
    uint32_t layer_count;
    rp_layer layers[RP_MAX_LAYERS];
    rp_graph_tensor tensors[RP_MAX_LAYERS + 1]; // layer_count + 1
};

// Multiply-adds of one layer for a network of width × height (multiples of 16), counting the real channels only.
uint64_t rp_layer_multiply_adds(const rp_model *model, uint32_t layer, uint32_t width, uint32_t height);

#endif
