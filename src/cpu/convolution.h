// One 3 × 3 convolution with bias and ReLU through oneDNN. The only file that knows oneDNN's API, versions 2 and 3.
#ifndef RP_CPU_CONVOLUTION_H
#define RP_CPU_CONVOLUTION_H

#include "base/memory.h"

typedef struct rp_cpu_engine rp_cpu_engine;

// oneDNN's engine and stream. Errors: OUT_OF_MEMORY, INTERNAL.
rp_status rp_cpu_engine_create(const rp_allocator *allocator, rp_cpu_engine **engine, rp_error *error);
void rp_cpu_engine_destroy(rp_cpu_engine **engine);

typedef struct rp_convolution rp_convolution;

typedef struct rp_convolution_desc {
    const rp_allocator *allocator;
    uint32_t width, height; // of the output
    uint32_t input_channels, output_channels;
    // 0: activations are [height, width, channels]; 8: [channels / 8, height, width, 8], output channels rounded up to
    // whole blocks. Input channels must be a multiple of 8 then: version 2 has only a reference kernel for fewer.
    uint32_t block;
    bool halo;            // the input has one row more above and one below, instead of the zero padding there
    const float *weights; // [output, input, 3, 3]; copied
    const float *bias;    // [output]; copied
} rp_convolution_desc;

// The `block` that oneDNN's fastest kernel for these sizes wants on this processor; 0 also where it wants a layout that
// we do not have. The weights are not looked at. Errors: OUT_OF_MEMORY, INTERNAL.
rp_status rp_convolution_prefer(rp_cpu_engine *engine, const rp_convolution_desc *desc, uint32_t *block,
                                rp_error *error);

// Activations are floats, aligned to 64. Errors: OUT_OF_MEMORY, INTERNAL.
rp_status rp_convolution_create(rp_cpu_engine *engine, const rp_convolution_desc *desc, rp_convolution **convolution,
                                rp_error *error);
void rp_convolution_destroy(rp_convolution **convolution);

// Bytes of scratch memory (aligned to 64) that a run needs, and bytes that the convolution holds itself.
size_t rp_convolution_scratch_bytes(const rp_convolution *convolution);
size_t rp_convolution_bytes(const rp_convolution *convolution);

// oneDNN's name for its kernel, as long as the convolution lives.
const char *rp_convolution_kernel(const rp_convolution *convolution);

rp_status rp_convolution_run(rp_convolution *convolution, const float *input, float *output, void *scratch,
                             rp_error *error);

#endif
