// The tests of src/gpu: against a made-up WebGPU, then against Dawn on whatever Vulkan driver is set up.
#include "tests.h"

int main(void)
{
    int failed = test_library() + test_needs() + test_fake_device() + test_fake_replay();
    failed += test_dawn() + test_dawn_errors();
    return failed != 0;
}
