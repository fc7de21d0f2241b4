# Sourced before tests: what they look for in the environment, as far as setup.sh and setup-mesa.sh have put it there.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

export REPRISE_WEIGHTS=$root/build/weights
if [[ -f $root/build/webgpu/libwebgpu_wrapper.so ]]; then
    export REPRISE_WEBGPU_LIBRARY=$root/build/webgpu/libwebgpu_wrapper.so
fi
# Software Vulkan only: the tests' results must not depend on the machine's GPU. The second name is the newer one.
if [[ -f $root/build/mesa/lvp_icd.json ]]; then
    export VK_ICD_FILENAMES=$root/build/mesa/lvp_icd.json VK_DRIVER_FILES=$root/build/mesa/lvp_icd.json
fi
# lavapipe compiles our kernels some ten times faster without its optimizer and with narrower vectors, and runs them about as
# fast; what is compiled is kept for the next run.
export GALLIVM_PERF=nopt LP_NATIVE_VECTOR_WIDTH=128 MESA_SHADER_CACHE_DIR=$root/build/mesa/cache
# The driver's libdrm, where setup-mesa.sh had to unpack one, too.
for library in "$root"/build/mesa/root/usr/lib/*/libdrm.so.2; do
    [[ -e $library ]] && export LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
done
# Mesa warns without this folder.
if [[ -z ${XDG_RUNTIME_DIR:-} ]]; then
    export XDG_RUNTIME_DIR=$root/build/runtime
    mkdir -p -m 700 "$XDG_RUNTIME_DIR"
fi
# Without this the leak check crashes in thread-local memory of the driver's compiler (seen with libLLVM 15).
export ASAN_OPTIONS=intercept_tls_get_addr=0
# A driver that has been unloaded cannot be looked into for what it still points to: its leaks would be reported as ours
# (seen on Debian 13, whose Vulkan loader is new enough to know this).
export VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING=1
# Several tests share the cores: threads that wait must not spin.
export OMP_WAIT_POLICY=passive
