#!/bin/bash
# installed.sh BUILD PREFIX CC CMAKE: installs into an empty folder and builds a program of a few lines against what lies
# there, through CMake and through pkg-config, shared and static.
set -euo pipefail
build=$1 prefix=$2 compiler=$3 cmake=$4
consumer=$(cd "$(dirname "$0")" && pwd)/consumer
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

DESTDIR=$folder/root "$cmake" --install "$build" > "$folder/install.log" || { cat "$folder/install.log"; exit 1; }
installed=$folder/root$prefix
libraries=$(dirname "$(find "$installed" -name libreprise.so)")
run() {
    local output
    output=$(LD_LIBRARY_PATH=$libraries "$@")
    echo "$*: $output"
    [[ $output == "IO: "* ]] || { echo "expected: IO and a message"; exit 1; }
}

"$cmake" -S "$consumer" -B "$folder/cmake" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$installed" > "$folder/log" &&
    "$cmake" --build "$folder/cmake" >> "$folder/log" || { cat "$folder/log"; exit 1; }
run "$folder/cmake/consumer"
run "$folder/cmake/consumer_static"

export PKG_CONFIG_PATH=$libraries/pkgconfig
flags() { pkg-config --define-variable=prefix="$installed" --cflags --libs "$@" reprise; }
"$compiler" "$consumer/main.c" -o "$folder/shared" $(flags)
run "$folder/shared"
# The static library by its own name, with what it needs in turn.
"$compiler" "$consumer/main.c" -o "$folder/static" $(flags --static | sed "s|-lreprise|$libraries/libreprise.a|")
run "$folder/static"
for program in "$folder/static" "$folder/cmake/consumer_static"; do
    if readelf -d "$program" | grep libreprise; then
        echo "$program needs the shared library"
        exit 1
    fi
done

# The installed program runs from where it lies, and its files came along.
"$installed/bin/reprise" --version
[[ -f $installed/include/reprise/denoise.h ]]
for file in build/weights/rt_hdr.tza build/weights/LICENSE.txt; do
    [[ ! -f $file ]] || cmp "$file" "$installed/share/reprise/weights/$(basename "$file")"
done
[[ ! -f build/webgpu/libwebgpu_wrapper.so ]] || [[ -f $installed/lib/reprise/libwebgpu_wrapper.so ]]
