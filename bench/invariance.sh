#!/bin/bash
# invariance.sh BUILD OUT [LOGS] - By how much the default's answer moves if the same log is told
# differently: other units, a column twice, turned coordinates, a column of noise, an action split in two,
# episodes in another order (bench/invariance/change.py). LOGS logs (4) of 50 trajectories of the control
# problems, trained@0.7 to trained@0.9; SEED is the first seed (5000), ARGS are more options of `estimate`.
# Needs python3 with numpy (PYTHON=...).
# Writes OUT/invariance.tsv, one line per log and way; logs that are in it are not run again.
set -euo pipefail
build=$1 out=$2 logs=${3:-4} seed0=${SEED:-5000}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
table=$out/invariance.tsv
[ -f "$table" ] || printf 'problem\tseed\thow\ttruth\tvalue\n' >"$table"

value() {
    # shellcheck disable=SC2086
    "$build/backflow" "$@" ${ARGS-} --quiet --json | grep -m 1 -oE '"value": *[-+0-9.e]+' | sed 's/.*: *//'
}

for seed in $(seq "$seed0" $((seed0 + logs - 1))); do
    for problem in ${PROBLEMS:-pendulum mountaincar cartpole acrobot}; do
        grep -q "^$problem	$seed	order	" "$table" && continue
        sed -i "/^$problem\t$seed\t/d" "$table"
        truth=$folder/truth-$problem
        [ -s "$truth" ] || ARGS='' value value "$problem" --policy trained@0.9 >"$truth"
        "$build/backflow" simulate "$problem" --behavior trained@0.7 --target trained@0.9 --episodes 50 \
            --seed "$seed" --quiet -o "$folder/plain.npz" >"$folder/said"
        for how in plain scale repeat mix noise split order; do
            [ "$how" = plain ] || "${PYTHON:-python3}" "$here/invariance/change.py" "$how" "$seed" \
                "$folder/plain.npz" "$folder/$how.npz"
            answer=$(value estimate "$folder/$how.npz" --interval none) # one that fails ends the script
            printf '%s\t%s\t%s\t%s\t%s\n' "$problem" "$seed" "$how" "$(cat "$truth")" "$answer" >>"$table"
        done
    done
done

awk -F '\t' 'NR > 1 {
    if ($3 == "plain") plain[$1, $2] = $5
    key = $1 "\t" $3
    if (!(key in count)) order[++keys] = key
    count[key]++
    error[key] += ($5 - $4) ^ 2
    moved[key] += ($5 - plain[$1, $2]) ^ 2
}
END {
    printf "%-12s %-7s %5s %10s %10s\n", "problem", "how", "logs", "rmse", "moved"
    for (k = 1; k <= keys; k++) {
        split(order[k], part, "\t")
        n = count[order[k]]
        printf "%-12s %-7s %5d %10.4g %10.4g\n", part[1], part[2], n, sqrt(error[order[k]] / n), sqrt(moved[order[k]] / n)
    }
}' "$table"
