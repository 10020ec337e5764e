#!/bin/bash
# consistency.sh BUILD OUT [FIRST [LAST [SIZE...]]] - Whether more data helps: the error of the default on
# the control problems at 50, 200, 1000 and 4000 trajectories (SIZE...) of 200 steps. The logs are of the
# trained policies mixed 0.7 with the uniform one, the target is mixed 0.9, seeds FIRST (5000) to LAST
# (5023). PROBLEMS="mountaincar cartpole" runs some of them, METHOD names another method, THREADS how many,
# TRUTH_STEPS the length of the simulation for the truth. Writes OUT/consistency.tsv, one line per log; what
# is in it is not run again. Seconds are of the processor, for the value without an interval, on which it
# does not depend. Prints RMSE by size, and the slope of log RMSE against log n with its standard error (the
# logarithm of a root mean square of m normal errors has one of 1 / sqrt(2 m)).
set -euo pipefail
build=$1 out=$2 first=${3:-5000} last=${4:-5023}
shift $(($# < 4 ? $# : 4))
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(50 200 1000 4000)
tool=$build/backflow
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
table=$out/consistency.tsv
[ -f "$table" ] || printf 'problem\ttrajectories\tseed\tmethod\ttruth\tnaive\tvalue\tseconds\n' >"$table"
choice=()
[ -z "${METHOD:-}" ] || choice=(--method "$METHOD")
name=${METHOD:-default}

answer=$folder/answer.json
field() {
    { grep -m 1 -oE "\"$1\": *[-+0-9.e]+" "$answer" || true; } | sed 's/.*: *//'
}

for problem in ${PROBLEMS:-pendulum mountaincar acrobot cartpole}; do
    if [ ! -f "$out/$problem.truth" ]; then
        "$tool" value "$problem" --policy trained@0.9 ${TRUTH_STEPS:+--steps "$TRUTH_STEPS"} --quiet --json \
            >"$answer"
        field value >"$out/$problem.truth"
    fi
    truth=$(cat "$out/$problem.truth")
    for size in "${sizes[@]}"; do
        for seed in $(seq "$first" "$last"); do
            grep -q "^$problem	$size	$seed	$name	" "$table" && continue
            "$tool" simulate "$problem" --behavior trained@0.7 --target trained@0.9 --quiet \
                --episodes "$size" --seed "$seed" -o "$folder/log.npz" >"$folder/said"
            "$tool" estimate "$folder/log.npz" --method naive --quiet --json >"$answer"
            naive=$(field value)
            seconds=$({ TIMEFORMAT='%U %S'; time "$tool" estimate "$folder/log.npz" "${choice[@]}" \
                --interval none ${THREADS:+--threads "$THREADS"} --quiet --json >"$answer"; } 2>&1)
            printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\n' "$problem" "$size" "$seed" "$name" "$truth" "$naive" \
                "$(field value)" "$(awk '{ print $1 + $2 }' <<<"$seconds")" >>"$table"
        done
    done
done

awk -F '\t' 'NR > 1 {
    group = $1 "\t" $4
    key = group "\t" $2
    if (!(key in count)) order[++keys] = key
    if (!(group in seen)) { seen[group] = 1; groups[++many] = group }
    count[key]++
    error[key] += ($7 - $5) ^ 2
    bias[key] += $7 - $5
    naive[key] += ($6 - $5) ^ 2
}
END {
    printf "%-12s %-10s %8s %5s %10s %10s %10s\n", "problem", "method", "size", "logs", "naive", "rmse", "bias"
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, part, "\t")
        n = count[key]
        rmse = sqrt(error[key] / n)
        printf "%-12s %-10s %8d %5d %10.4f %10.5f %10.5f\n", part[1], part[2], part[3], n,
               sqrt(naive[key] / n), rmse, bias[key] / n
        group = part[1] "\t" part[2]
        if (rmse > 0) {
            x = log(part[3]); y = log(rmse)
            c[group] += 1; sx[group] += x; sy[group] += y; sxx[group] += x * x; sxy[group] += x * y
            at[group, c[group]] = x; variance[group, c[group]] = 1 / (2 * n)
        }
    }
    for (g = 1; g <= many; g++) {
        group = groups[g]
        d = c[group] * sxx[group] - sx[group] ^ 2
        if (!(d > 0))
            continue
        square = 0
        for (k = 1; k <= c[group]; k++)
            square += ((c[group] * at[group, k] - sx[group]) / d) ^ 2 * variance[group, k]
        printf "slope %s: %.2f (standard error %.2f)\n", group,
               (c[group] * sxy[group] - sx[group] * sy[group]) / d, sqrt(square)
    }
}' "$table"
