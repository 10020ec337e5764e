#!/bin/bash
# gaps.sh BUILD OUT [FIRST [LAST [METHOD...]]] - Finite logs that do not show all that the target does: a
# taxi (2,000 states, 6 actions, 50 trajectories of 400 steps) and a clinic (400 states, 24 actions, 2,000
# patients of about ten steps). Errors of the value, and for the clinic of the return and the length of an
# episode, against exact values by elimination; logs of seeds FIRST (5000) to LAST (5009). Methods: naive,
# the default (given as "default") and model unless others are named. Needs python3 with numpy
# (PYTHON=...). Writes OUT/gaps.tsv, one line per log and method; seeds that are in it are not run again.
set -euo pipefail
build=$1 out=$2 first=${3:-5000} last=${4:-5009}
shift $(($# < 4 ? $# : 4))
methods=("$@")
[ ${#methods[@]} -gt 0 ] || methods=(naive default model)
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
table=$out/gaps.tsv
[ -f "$table" ] || printf 'process\tseed\tmethod\tuncovered\twhat\ttruth\tvalue\n' >"$table"

# field FILE NAME: the first number of that name in a JSON file; nothing where there is none.
field() {
    { grep -m 1 -oE "\"$2\": *[-+0-9.e]+" "$1" || true; } | sed 's/.*: *//'
}

for process in ${PROCESSES:-taxi clinic}; do
    episodes=50
    [ "$process" = clinic ] && episodes=2000
    for seed in $(seq "$first" "$last"); do
        truth=$folder/truth.json answer=$folder/answer.json
        made=
        for method in "${methods[@]}"; do
            grep -q "^$process	$seed	$method	" "$table" && continue
            [ -n "$made" ] || "${PYTHON:-python3}" "$here/gaps/finite.py" "$process" "$seed" "$episodes" \
                "$folder/log.csv" >"$truth"
            made=yes
            choice=()
            [ "$method" = default ] || choice=(--method "$method")
            "$build/backflow" estimate "$folder/log.csv" "${choice[@]}" --quiet --json >"$answer"
            for what in value return length; do
                key=$what
                [ "$what" = value ] || key=episode_$what
                [ -n "$(field "$truth" "$what")" ] || continue
                printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$process" "$seed" "$method" \
                    "$(field "$truth" uncovered)" "$what" "$(field "$truth" "$what")" \
                    "$(field "$answer" "$key")" >>"$table"
            done
        done
    done
done

awk -F '\t' 'NR > 1 && $7 != "" {
    key = $1 "\t" $5 "\t" $3
    if (!(key in count)) order[++keys] = key
    count[key]++
    error[key] += ($7 - $6) ^ 2
    bias[key] += $7 - $6
    truth[key] = $6
}
END {
    printf "%-8s %-7s %-10s %5s %10s %10s %10s %8s\n", "process", "what", "method", "logs", "truth", "rmse",
           "bias", "percent"
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, part, "\t")
        n = count[key]
        printf "%-8s %-7s %-10s %5d %10.4f %10.4f %10.4f %8.1f\n", part[1], part[2], part[3], n,
               truth[key], sqrt(error[key] / n), bias[key] / n, 100 * sqrt(error[key] / n) / truth[key]
    }
}' "$table"
