#!/bin/bash
# The sample: renders a scene with few samples a pixel, denoises it, and compares with the same view rendered long. Does
# only what is not there yet or older than what it was made from; the figures of the last run are kept.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
size=640x360
samples=4
reference_samples=512

folder=build/sample
noisy=$folder/noisy.exr
reference=$folder/reference.exr
clean=$folder/clean.exr
mkdir -p "$folder"

# newer FILE THAN…: whether it is there and newer than all the others.
newer() {
    local file=$1 other
    shift
    [[ -f $file ]] || return 1
    for other in "$@"; do
        [[ $file -nt $other ]] || return 1
    done
}
# keep FILE COMMAND…: runs it, showing what it prints, and keeps that once it has succeeded.
keep() {
    local file=$1
    shift
    echo "\$ $*" | tee "$file.partial"
    "$@" | tee -a "$file.partial"
    mv "$file.partial" "$file"
}

render=(build/pathtracer --size "$size" --samples "$samples" --seed 1 --output "$noisy"
    --reference "$reference" --reference-samples "$reference_samples")
# The program is linked anew with every change of the library, so its sources are asked.
if [[ -f $noisy && -f $reference ]] && newer "$folder/render.txt" examples/pathtracer/*.[ch] scripts/sample.sh; then
    cat "$folder/render.txt"
    echo "(up to date)"
else
    keep "$folder/render.txt" "${render[@]}"
fi
if [[ -f $clean ]] && newer "$folder/denoise.txt" "$folder/render.txt" build/reprise; then
    cat "$folder/denoise.txt"
    echo "(up to date)"
else
    keep "$folder/denoise.txt" build/reprise denoise "$noisy" -o "$clean" --report
fi
pictures=("$folder/before.png" "$folder/after.png")
if [[ -f ${pictures[0]} && -f ${pictures[1]} ]] && newer "$folder/report.txt" "$folder/denoise.txt" build/sample_report; then
    cat "$folder/report.txt"
    echo "(up to date)"
else
    keep "$folder/report.txt" build/sample_report "$noisy" "$clean" "$reference" "${pictures[@]}"
fi
