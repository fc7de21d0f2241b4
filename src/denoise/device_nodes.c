// Loading a WebGPU library, starting it and asking for its adapters costs a process much of a small image's time. On
// Linux every driver of a real GPU talks to a device node, so without one there is nothing to ask for.
#include "denoise/device_nodes.h"

#ifdef __linux__
#include <glob.h>
#include <stddef.h>

bool rp_gpu_device_node_exists(void)
{
    // Kernel DRM drivers; NVIDIA's own; WSL's passthrough; Qualcomm's and Arm's on phones and boards.
    static const char *const patterns[] = {"/dev/dri/renderD*", "/dev/nvidia[0-9]*", "/dev/dxg", "/dev/kgsl-3d0",
                                           "/dev/mali*"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found = {0};
        int result = glob(patterns[i], GLOB_NOSORT, NULL, &found);
        globfree(&found);
        if (result != GLOB_NOMATCH)
            return true;
    }
    return false;
}
#else
bool rp_gpu_device_node_exists(void)
{
    return true;
}
#endif
