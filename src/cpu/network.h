// The network on the CPU: oneDNN convolutions (v2 and v3 APIs), fp32, for one tile size.
#ifndef RP_CPU_NETWORK_H
#define RP_CPU_NETWORK_H

#include "oidn/model.h"

typedef struct rp_cpu_network rp_cpu_network;

typedef struct rp_cpu_network_desc {
    const rp_allocator *allocator;
    const rp_model *model;  // must live as long as the network
    uint32_t width, height; // of the tile, multiples of 16
    uint32_t thread_count;  // 0: all cores
} rp_cpu_network_desc;

// Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, INTERNAL (oneDNN's status by name).
rp_status rp_cpu_network_create(const rp_cpu_network_desc *desc, rp_cpu_network **network, rp_error *error);
void rp_cpu_network_destroy(rp_cpu_network **network);

// Where to put the input and find the output: floats, [height, width, channels], channels contiguous, valid as long as
// the network. Input channels are the model's 3, 6 or 9. A run leaves the input alone.
float *rp_cpu_network_input(rp_cpu_network *network);
const float *rp_cpu_network_output(const rp_cpu_network *network);

// One pass. The result does not depend on the thread count. One thread at a time.
rp_status rp_cpu_network_run(rp_cpu_network *network, rp_error *error);

// Bytes that a network of this size allocates, activations, weights and scratch together.
uint64_t rp_cpu_network_bytes(const rp_cpu_network *network);

// oneDNN's name for the kernel that a layer of the model runs on, as long as the network lives: "jit:avx2". "ref…" is a
// hundred times slower.
const char *rp_cpu_network_kernel(const rp_cpu_network *network, uint32_t layer);

#endif
