#!/bin/bash
# neural.sh BUILD OUT - One step of fitting the weights by a 30-20-10 network beside PyTorch, both
# in float32 on one thread: all of 10,000 transitions (K stored, or low rank with a guard of at most
# 1e-3, against K stored), and batches of 512, 1024, 2048. Medians, the two sides in turn, of seconds
# of the processor, so that a busy machine does not blur the ratio.
# Prints a table; writes OUT/neural.json.
set -euo pipefail
build=$1 out=$2
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
cmake --build "$build" --target bench_neural >/dev/null
program=$build/bench_neural
python=
python3 -c 'import torch' 2>/dev/null && python=python3
[ -z "$python" ] && [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import torch' 2>/dev/null &&
    python=/usr/bin/python3
[ -n "$python" ] || echo "PyTorch is not here: our side alone."

# job NAME SIZE REPEATS PEER: milliseconds of each side, the median of three runs of medians.
rows=()
printf '%-10s %8s %14s %14s %8s %10s\n' step size 'ours, ms' 'PyTorch, ms' ratio guard
job() {
    local ours=() theirs=() line guard=0 ratio=null peer=null mine
    for _ in 1 2 3; do
        line=$("$program" "$1" "$2" "$3" 2>/dev/null)
        ours+=("$(cut -d ' ' -f 3 <<<"$line")")
        guard=$(cut -d ' ' -f 4 <<<"$line")
        [ -n "$python" ] &&
            theirs+=("$("$python" "$here/peers/neural_torch.py" "$4" "$2" "$3" | cut -d ' ' -f 3)")
    done
    mine=$(printf '%s\n' "${ours[@]}" | sort -g | sed -n 2p)
    if [ -n "$python" ]; then
        peer=$(printf '%s\n' "${theirs[@]}" | sort -g | sed -n 2p)
        ratio=$(awk -v a="$mine" -v b="$peer" 'BEGIN { printf "%.2f", b / a }')
    fi
    printf '%-10s %8d %14.3f %14s %8s %10s\n' "$1" "$2" "$mine" "$peer" "$ratio" "$guard"
    rows+=("{\"step\": \"$1\", \"size\": $2, \"ours_ms\": $mine, \"torch_ms\": $peer, \
\"ratio\": $ratio, \"guard\": $guard}")
}
job exact 10000 21 exact
job lowrank 10000 51 exact
job batch 512 21 batch
job batch 1024 15 batch
job batch 2048 9 batch
{
    echo '{"name": "neural", "rows": ['
    for i in "${!rows[@]}"; do
        printf '  %s%s\n' "${rows[i]}" "$([ "$i" -lt $((${#rows[@]} - 1)) ] && echo ,)"
    done
    echo ']}'
} >"$out/neural.json"
