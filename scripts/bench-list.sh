#!/bin/bash
# The benches that can be run, each with the first words of its file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
echo
echo "What can be run:"
for file in bench/*.sh bench/*.c; do
    [[ -f $file ]] || continue
    name=$file
    [[ $file == *.c ]] && name=build/$(basename "$file" .c)
    [[ -x $name ]] || continue
    printf '  %-28s %s\n' "$name" "$(grep -m 1 -oE '^(#|//) .*' "$file" | sed -E 's|^(#\|//) ||')"
done
