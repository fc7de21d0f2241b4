// A cheap first question before a WebGPU library is loaded.
#ifndef RP_DENOISE_DEVICE_NODES_H
#define RP_DENOISE_DEVICE_NODES_H

#include <stdbool.h>

// False when this machine surely has no GPU that a program could open. True elsewhere and when in doubt.
bool rp_gpu_device_node_exists(void);

#endif
