#!/bin/bash
# Formats every C file with clang-format; with --check it says which ones are not formatted, and fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Releases differ in what they do with the same .clang-format; this one is Debian 12's.
wanted=14
program=$(command -v "clang-format-$wanted" || command -v clang-format || true)
if [[ -z $program ]] || ! "$program" --version | grep -q "version $wanted\."; then
    echo "SKIPPED: the files are formatted by clang-format $wanted, not by: ${program:+$("$program" --version)}"
    exit 77
fi
mapfile -t files < <(find src include tests fuzz examples bench -name '*.[ch]' | sort)
if [[ ${1:-} == --check ]]; then
    "$program" --dry-run -Werror "${files[@]}"
else
    "$program" -i "${files[@]}"
fi
