#!/bin/bash
# policies.sh BUILD OUT [COUNT...] - What several policies cost together, against one at a time. Logs of
# 10,000 rows of cartpole and pendulum (trained@0.7), COUNT policies (2 and 10) between trained@0.96 and
# trained@0.69, full intervals, one thread. Writes OUT/policies.tsv: processor seconds and the largest
# memory of `backflow compare` on all of them, and the sum of the seconds of one `compare` for each.
set -euo pipefail
build=$1 out=$2
shift 2
counts=("$@")
[ $# -gt 0 ] || counts=(2 10)
tool=$build/backflow
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"

# run PROBLEM POLICY...: "SECONDS MEGABYTES" of one comparison.
run() {
    local problem=$1 policies=()
    shift
    for policy in "$@"; do
        policies+=(--policy "$policy")
    done
    /usr/bin/time -o "$folder/took" -f '%U %S %M' "$tool" compare "$folder/$problem.npz" "${policies[@]}" \
        --threads 1 --quiet --json >"$folder/answer.json"
    awk '{ printf "%.2f %.0f\n", $1 + $2, $3 / 1e3 }' "$folder/took"
}

printf 'problem\tpolicies\ttogether_s\tone_by_one_s\ttogether_MB\tone_MB\n' | tee "$out/policies.tsv"
for problem in cartpole pendulum; do
    "$tool" simulate "$problem" --behavior trained@0.7 --episodes 50 --seed 3 --quiet \
        -o "$folder/$problem.npz" >"$folder/said"
    for count in "${counts[@]}"; do
        policies=() alone=0
        for k in $(seq "$count"); do
            policies+=("p$k=$problem:trained@0.$((99 - 3 * k))")
        done
        read -r seconds memory < <(run "$problem" "${policies[@]}")
        for policy in "${policies[@]}"; do
            read -r one least < <(run "$problem" "$policy")
            alone=$(awk -v a="$alone" -v b="$one" 'BEGIN { print a + b }')
        done
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$problem" "$count" "$seconds" "$alone" "$memory" "$least" |
            tee -a "$out/policies.tsv"
    done
done
