#!/bin/sh
# The example renderer's command line: exit codes, files complete or absent, the same bits for the same seed.
# Usage: test_command_line.sh PATHTRACER
set -u
program=$(realpath "$1") || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE ARGUMENT...: the program ends with this code; unless that is 0 there is no file afterwards.
expect()
{
    code=$1
    shift
    "$program" "$@" >log.out 2>log.err
    got=$?
    [ "$got" -eq "$code" ] || fail "exit $got instead of $code: $*"
    if [ "$code" -ne 0 ]; then
        [ -s log.err ] || fail "no message: $*"
        rm -f log.out log.err
        [ -z "$(ls -A)" ] || fail "files left by: $*: $(ls -A)"
    fi
    rm -f log.out log.err
}

expect 2
expect 2 --no-such-option
expect 2 --output
expect 2 --output image.png
expect 2 --output image
expect 2 --output image.pfm extra
for size in 0x5 5x0 5 5x x5 5x5x5 -5x5 5x-5 5.5x5 16385x1 1x16385 16384x16384 99999999999999999999x1 ' 5x5' '5x5 '; do
    expect 2 --size "$size" --output image.pfm
done
for count in 0 -1 1.5 4x '' 1048577 99999999999999999999; do
    expect 2 --samples "$count" --output image.pfm
    expect 2 --reference-samples "$count" --reference image.pfm
    expect 2 --threads "$count" --output image.pfm
done
expect 2 --threads 257 --output image.pfm
expect 2 --seed -1 --output image.pfm
expect 2 --seed 18446744073709551616 --output image.pfm
expect 2 --output image.pfm --albedo image.pfm
expect 2 --output image.pfm --reference-samples 4
expect 2 --reference image.pfm --denoise
expect 1 --size 8x8 --output none/image.pfm
mkdir folder.exr
"$program" --size 8x8 --output other.pfm --reference folder.exr >/dev/null 2>&1
[ $? -eq 1 ] || fail "a folder in the file's place must fail"
rmdir folder.exr
[ -z "$(ls -A)" ] || fail "files left: $(ls -A)"
# A disk that is full after 4 KiB, in any of the files.
for files in "--output image.pfm" "--output image.exr" "--albedo small.exr --output image.exr"; do
    (
        trap '' XFSZ
        ulimit -f 8
        exec "$program" --size 64x64 --samples 1 $files
    ) >/dev/null 2>&1
    [ $? -eq 1 ] || fail "a full disk must fail: $files"
    [ -z "$(ls -A)" ] || fail "files left after a full disk: $(ls -A)"
done
expect 0 --help

small="--size 40x24 --samples 2"
expect 0 $small --seed 5 --threads 1 --output a.exr --albedo a.pfm --normal n.pfm
expect 0 $small --seed 5 --threads 2 --output b.exr --albedo b.pfm --normal m.pfm
expect 0 $small --seed 6 --output c.exr --reference r.pfm --reference-samples 3
cmp a.exr b.exr || fail "one and two threads differ"
cmp a.pfm b.pfm || fail "albedo of one and two threads differs"
cmp n.pfm m.pfm || fail "normals of one and two threads differ"
cmp -s a.exr c.exr && fail "another seed gives the same image"
[ "$(head -c 13 r.pfm)" = "$(printf 'PF\n40 24\n-1.0\n')" ] || fail "the reference is no PFM"
[ "$(wc -c <r.pfm)" -eq $((14 + 40 * 24 * 12)) ] || fail "the reference has a wrong size"
[ "$(ls -A | wc -l)" -eq 8 ] || fail "unexpected files: $(ls -A)"

[ "$failures" -eq 0 ] && echo "all as expected"
[ "$failures" -eq 0 ]
