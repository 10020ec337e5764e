#!/bin/bash
# csv.sh BUILD OUT [MEGABYTES [REPEATS]] - Reading a log against pandas and NumPy in the same run.
# BUILD is the folder of a release build, OUT receives csv.json; 100 MB, 5 times, unless told.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
build=$1 out=$2
cmake --build "$build" --target bench_csv >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/bench_csv" make "$folder/log.csv" "${3:-100}"
"${PYTHON:-/usr/bin/python3}" "$here/peers/read_csv.py" "$build/bench_csv" "$folder/log.csv" \
    "$out/csv.json" "${4:-5}"
