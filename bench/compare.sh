#!/bin/bash
# compare.sh BUILD OUT [LOGS [TRAJECTORIES]] - How often one log tells which of two policies is
# better: trained@0.9 against trained@0.8 on the control problems, from LOGS logs (10) of TRAJECTORIES
# trajectories (20) of trained@0.7, 200 steps each. The truth is from `backflow value`. Writes
# OUT/compare.tsv, one line per log, and prints a summary. Logs that are in the file already are not
# run again, so that it can be stopped and continued, or given more logs. SEED is the first seed
# (5000); 5000 to 5004 were seen before the form of the error was settled. PROBLEMS
# are the problems.
set -euo pipefail
build=$1 out=$2 logs=${3:-10} trajectories=${4:-20}
seed0=${SEED:-5000}
tool=$build/backflow
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
table=$out/compare.tsv truths=$out/compare-truth.tsv
[ -e "$table" ] || printf 'problem\ttrajectories\tseed\ttruth\tdifference\tlow\thigh\tdecided\tunpaired\n' >"$table"
touch "$truths"

# field NAME: the first number, or true or false, of that name in the answer.
answer=$folder/answer.json
field() {
    { grep -m "${2:-1}" -oE "\"$1\": *([-+0-9.e]+|true|false)" "$answer" || true; } | tail -n 1 | sed 's/.*: *//'
}

# truth PROBLEM: the true difference, simulated once.
truth() {
    awk -v p="$1" '$1 == p { print $2 }' "$truths"
}
for problem in ${PROBLEMS:-pendulum mountaincar cartpole acrobot}; do
    if [ -z "$(truth "$problem")" ]; then
        "$tool" value "$problem" --policy trained@0.9 --quiet --json >"$answer"
        high=$(field value)
        "$tool" value "$problem" --policy trained@0.8 --quiet --json >"$answer"
        awk -v p="$problem" -v a="$high" -v b="$(field value)" 'BEGIN { printf "%s\t%.9g\n", p, a - b }' >>"$truths"
    fi
done

for seed in $(seq "$seed0" $((seed0 + logs - 1))); do
    for problem in ${PROBLEMS:-pendulum mountaincar cartpole acrobot}; do
        grep -q "^$problem	$trajectories	$seed	" "$table" && continue
        "$tool" simulate "$problem" --behavior trained@0.7 --episodes "$trajectories" --seed "$seed" \
            --quiet -o "$folder/log.npz" >"$folder/said"
        "$tool" compare "$folder/log.npz" --policy "new=$problem:trained@0.9" \
            --policy "old=$problem:trained@0.8" --quiet --json >"$folder/all.json"
        # The pairs come after the policies; the first is new against old.
        sed -n '1,/"pairs"/p' "$folder/all.json" >"$answer"
        unpaired=$(awk '/"interval": \{/ { inside = 1 }
            inside && /"se":/ { inside = 0; if (n++ < 2) s += $2 * $2 }
            END { print sqrt(s) }' "$answer")
        sed -n '/"pairs"/,$p' "$folder/all.json" >"$answer"
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$problem" "$trajectories" "$seed" \
            "$(truth "$problem")" "$(field difference)" "$(field low)" "$(field high)" \
            "$(field decided)" "$unpaired" >>"$table"
    done
done

awk -F '\t' -v t="$trajectories" '
    NR > 1 && $2 == t {
        n[$1]++; width[$1] += ($7 - $6) / 2
        covered[$1] += $6 <= $4 && $4 <= $7
        told = $6 > 0 || $7 < 0; decided[$1] += told
        wrong[$1] += told && ($5 > 0) != ($4 > 0)
        error[$1] += ($5 - $4) ^ 2
    }
    END {
        printf "%-12s %5s %9s %8s %6s %8s %10s %8s\n", "problem", "logs", "truth", "decided", "wrong", "covered", "half-width", "RMSE"
        for (p in n)
            printf "%-12s %5d %9s %7.0f%% %6d %7.0f%% %10.4g %8.3g\n", p, n[p], "", 100 * decided[p] / n[p], wrong[p], 100 * covered[p] / n[p], width[p] / n[p], sqrt(error[p] / n[p])
    }' "$table"
