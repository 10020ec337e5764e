#!/bin/bash
# accuracy.sh BUILD OUT [SEEDS [TRAJECTORIES [MODEL...]]] - Root mean square error of the estimate on
# the control problems, beside that of the naive mean: logs of a policy mixed 0.7 with the uniform
# one, 200 steps a trajectory, the target mixed 0.9; both the hand-made policies and the networks in
# policies/. The truth is from `backflow value`. Models are those of --weights, auto by default.
# SEEDS logs each (20), TRAJECTORIES each (50). Writes OUT/accuracy.tsv, one line per log.
set -euo pipefail
build=$1 out=$2 seeds=${3:-20} trajectories=${4:-50}
shift $(($# < 4 ? $# : 4))
models=("${@:-auto}")
root=$(cd "$(dirname "$0")/.." && pwd)
tool=$build/backflow
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
table=$out/accuracy.tsv
printf 'problem\tpolicy\ttrajectories\tseed\tmodel\ttruth\tnaive\tvalue\tess\tnegative\tspread\n' >"$table"

# field NAME: the first number of that name in the last answer; nothing where there is none.
answer=$folder/answer.json
field() {
    { grep -m 1 -oE "\"$1\": *[-+0-9.e]+" "$answer" || true; } | sed 's/.*: *//'
}

for problem in ${PROBLEMS:-pendulum mountaincar acrobot cartpole}; do
    for policy in ${POLICIES:-handmade network}; do
        name=$policy
        [ "$policy" = network ] && name=$root/policies/$problem.policy
        "$tool" value "$problem" --policy "$name@0.9" --quiet --json >"$answer"
        truth=$(field value)
        for seed in $(seq 1 "$seeds"); do
            "$tool" simulate "$problem" --behavior "$name@0.7" --target "$name@0.9" --quiet \
                --episodes "$trajectories" --seed "$seed" -o "$folder/log.npz" >"$folder/said"
            "$tool" estimate "$folder/log.npz" --method naive --quiet --json >"$answer"
            naive=$(field value)
            for model in "${models[@]}"; do
                "$tool" estimate "$folder/log.npz" --weights "$model" --quiet --json \
                    >"$answer"
                printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$problem" "$policy" \
                    "$trajectories" "$seed" "$model" "$truth" "$naive" \
                    "$(field value)" "$(field ess)" "$(field negative_mass)" "$(field spread)" \
                    >>"$table"
            done
        done
    done
done

awk -F '\t' 'NR > 1 {
    key = $1 "\t" $2 "\t" $5
    if (!(key in count)) order[++keys] = key
    count[key]++
    naive[key] += ($7 - $6) ^ 2
    error[key] += ($8 - $6) ^ 2
    bias[key] += $8 - $6
    truth[key] = $6
}
END {
    printf "%-12s %-9s %-11s %5s %10s %10s %10s %10s %8s\n", "problem", "policy", "weights", "logs",
           "truth", "naive", "rmse", "bias", "ratio"
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, part, "\t")
        n = count[key]
        rmse = sqrt(error[key] / n)
        printf "%-12s %-9s %-11s %5d %10.4f %10.4f %10.4f %10.4f %8.1f\n", part[1], part[2], part[3],
               n, truth[key], sqrt(naive[key] / n), rmse, bias[key] / n,
               (rmse > 0 ? sqrt(naive[key] / n) / rmse : 0)
    }
}' "$table"
