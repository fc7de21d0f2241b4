#!/bin/bash
# Start-up on the CPU: time from process start to the result of a 256×256 image, and where it goes.
# Usage: bench/startup.sh [BUILD FOLDER [RUNS]]; weights as for any run ($REPRISE_WEIGHTS or the build's).
set -eu
build=${1:-build}
runs=${2:-9}
reprise=$build/reprise
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Random bits as pixels: not a picture, but the time does not depend on the values.
{
    printf 'PF\n256 256\n-1.0\n'
    head -c $((256 * 256 * 12)) /dev/urandom
} > "$folder/noisy.pfm"

milliseconds() { echo $((($2 - $1) / 1000)).$(((($2 - $1) % 1000) / 100)); }
now() { local t=$EPOCHREALTIME; echo "${t/[.,]/}"; }

echo "runs of $reprise on a 256x256 image, each a new process; milliseconds"
for run in $(seq "$runs"); do
    begin=$(now)
    "$reprise" --version > /dev/null
    bare=$(milliseconds "$begin" "$(now)")
    begin=$(now)
    report=$("$reprise" denoise "$folder/noisy.pfm" -o "$folder/clean.pfm" --device auto --report | grep '^time')
    echo "in all $(milliseconds "$begin" "$(now)"), of which exec and linking $bare; ${report#time     }"
done
