#!/bin/bash
# Everything that must hold, after setup.sh test: builds with gcc and clang, warnings being errors; the tests as released
# and under AddressSanitizer and UndefinedBehaviorSanitizer; headers and installed files with clang, too; short runs of
# the fuzz targets. CMAKE_BUILD_PARALLEL_LEVEL and CTEST_PARALLEL_LEVEL limit what runs at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/test-environment.sh
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
passed=0 failed=0 skips=

build() {
    local folder=$1
    shift
    echo "== Building $folder"
    # What is printed matters only when something is wrong.
    mkdir -p "$folder"
    cmake -S . -B "$folder" -G Ninja -DREPRISE_TESTS=ON "$@" > "$folder/build.txt" 2>&1 &&
        cmake --build "$folder" >> "$folder/build.txt" 2>&1 || {
        tail -n 40 "$folder/build.txt"
        return 1
    }
}
# A build that is a check by itself.
check_build() {
    if build "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        return 1
    fi
}
suite() {
    ctest --test-dir "$1" --output-on-failure --timeout 1500 "${@:2}"
}
# Adds up what a suite that has run says at its end.
count() {
    local folder=$1 counts
    counts=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$folder/ctest.txt")
    if [[ -z $counts ]]; then
        failed=$((failed + 1))
        return
    fi
    failed=$((failed + ${counts% *}))
    passed=$((passed + ${counts#* } - ${counts% *}))
    # Names and reasons, without cmocka's sums.
    skips+=$(sed -nE "/SKIPPED +\] [a-z0-9_]+$|SKIPPED: /s|^|  $folder: |p" "$folder/Testing/Temporary/LastTest.log" |
        sort -u)$'\n'
}

ready=()
check_build build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc && ready+=(build)
check_build build/clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ && ready+=(build/clang)
check_build build/sanitize -DCMAKE_C_COMPILER=gcc -DREPRISE_SANITIZE=ON && ready+=(build/sanitize)
check_build build/fuzz -DCMAKE_C_COMPILER=clang -DREPRISE_FUZZ=ON -DREPRISE_TESTS=OFF && ready+=(build/fuzz)

# A program's bytes are the same whatever compiled the recorder.
same_bytes() {
    local folder
    for folder in build build/clang build/sanitize; do
        "$folder/reprise" record --weights build/weights/rt_hdr_alb_nrm.tza --size 500x300 --tile 128 --hdr \
            --input-scale 0.3 -o "$folder/same.oidn" || return 1
        cmp "build/same.oidn" "$folder/same.oidn" || return 1
    done
}
echo "== Recording with each build"
if same_bytes; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi

# The longest test, the kernels in software Vulkan, keeps one core busy: so the suites run side by side.
echo "== Testing ${ready[*]} (some minutes; ctest.txt in these folders shows how far they are)"
for folder in "${ready[@]}"; do
    selection=()
    [[ $folder != build/clang ]] || selection=(-R '^header_|^exported_symbols$|^installed_files$')
    suite "$folder" "${selection[@]}" > "$folder/ctest.txt" 2>&1 &
done
wait
for folder in "${ready[@]}"; do
    echo "== Tested $folder"
    cat "$folder/ctest.txt"
    count "$folder"
done

if [[ -n ${skips//$'\n'/} ]]; then
    echo "== Skipped"
    echo "$skips" | sed '/^ *$/d'
fi
echo
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
