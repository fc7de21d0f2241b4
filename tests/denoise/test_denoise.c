// Runs every group of the denoise layer's tests.
#include "denoise/support.h"

int main(void)
{
    int failed = run_weight_tests() + run_image_tests() + run_run_tests() + run_tile_tests() + run_memory_tests() +
                 run_intel_tests() + run_webgpu_tests();
    return failed ? 1 : 0;
}
