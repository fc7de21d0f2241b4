#!/bin/bash
# Software Vulkan for the tests: build/mesa/lvp_icd.json names a lavapipe that Dawn accepts. Where the release's own Mesa
# is too old, that of its backports suite is unpacked into build/mesa; the system keeps its own. The archive is the one
# that this machine's apt is set up for.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/scripts/packages.sh"

# Mesa 22.3 lacks what Dawn asks for; 25.0 is the oldest that was tried and has it.
oldest_version=25
package=mesa-vulkan-drivers
folder=$root/build/mesa
icd=$folder/lvp_icd.json

icd_library() { sed -n 's/.*"library_path": *"\([^"]*\)".*/\1/p' "$1"; }
if [[ -f $icd && -f $(icd_library "$icd") ]]; then
    exit 0
fi
mkdir -p "$folder"

# Writes $icd after the ICD file and library of the package that lies under $1.
write_icd() {
    local base=$1 file library
    file=$(find "$base/usr/share/vulkan/icd.d" -name 'lvp_icd*.json' | head -n 1)
    library=$(find "$base/usr/lib" -name libvulkan_lvp.so 2>/dev/null | head -n 1)
    if [[ -z $file || -z $library ]]; then
        echo "reprise: no lavapipe in $base: neither its lvp_icd.json nor libvulkan_lvp.so may be missing" >&2
        return 1
    fi
    sed "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"$library\"|" "$file" > "$icd.partial"
    mv "$icd.partial" "$icd"
    echo "Software Vulkan: $library"
}

# The release's own package: the driver itself, or else the libraries that a newer one needs, too.
install_packages "$package" libvulkan1
if dpkg --compare-versions "$(dpkg-query -W -f '${Version}' "$package")" ge "$oldest_version"; then
    write_icd ""
    exit 0
fi

codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
suite=$codename-backports
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(SITE)' 'Created-By: Packages' |
    sed -n "s/^$codename main //p" | head -n 1)
if [[ -z $codename || -z $mirror ]]; then
    echo "reprise: apt's sources do not name the main part of the suite '$codename'" >&2
    exit 1
fi

# An apt of its own: its lists, caches and sources lie in build/mesa/apt, and its keys are those of the system.
apt=$folder/apt
rm -rf "$apt" "$folder/root.partial" "$folder/root"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/packages" "$folder/root.partial"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
signed_by=
[[ -f $keyring ]] && signed_by="[signed-by=$keyring] "
echo "deb $signed_by$mirror $suite main" > "$apt/sources.list"
own_apt() {
    apt-get -q -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Dir::Etc::SourceList="$apt/sources.list" \
        -o Dir::Etc::SourceParts=- -o APT::Sandbox::User="$(id -un)" "$@"
}
unpack() {
    (cd "$apt/packages" && own_apt download "${@/%//$suite}")
    local archive
    for archive in "$apt/packages"/*.deb; do
        dpkg -x "$archive" "$folder/root.partial"
        rm "$archive"
    done
}
# What keeps the unpacked driver from being loaded, if anything.
faults() {
    local library
    library=$(find "$folder/root.partial/usr/lib" -name libvulkan_lvp.so)
    LD_LIBRARY_PATH=$(dirname "$library") ldd -r "$library" 2>&1 | grep -E 'not found|undefined symbol' || true
}

own_apt -o Acquire::Languages=none update
unpack "$package"
# The release's libdrm may be older than this driver wants.
if [[ $(faults) == *drm* ]]; then
    unpack libdrm2 libdrm-amdgpu1
fi
if [[ -n $(faults) ]]; then
    echo "reprise: the driver of $suite cannot be loaded here:" >&2
    faults >&2
    exit 1
fi
mv "$folder/root.partial" "$folder/root"
write_icd "$folder/root"
rm -rf "$apt"
