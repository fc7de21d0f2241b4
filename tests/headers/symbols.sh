#!/bin/bash
# symbols.sh LIBRARY HEADERS: the library exports what the folder's headers declare with RP_API, and nothing else.
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sort)
declared=$(cat "$2"/*.h | sed -n 's/^RP_API .*\b\(rp_[a-z0-9_]*\)(.*/\1/p' | sort)
[[ -n $declared ]] || { echo "no RP_API declarations in $2"; exit 1; }
if ! diff <(echo "$declared") <(echo "$exported"); then
    echo "above: < declared in $2 but not exported, > exported by $1 but not declared"
    exit 1
fi
echo "$(wc -l <<< "$exported") symbols"
