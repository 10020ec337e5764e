#!/bin/bash
# network.sh BUILD OUT [FIRST [LAST]] - The paper's network, tuned as the paper tunes: by the error against
# the truth, on logs of 50 trajectories of 200 steps, trained policies mixed 0.7 (behaviour) and 0.9
# (target), seeds FIRST (9201) to LAST (9203). The grid: where it starts, the width of the kernel, how many
# Gauss-Newton steps, what makes its last number a weight (LINKS). Writes OUT/network.tsv, one line per log and choice;
# what is in it is not run again. Prints the RMSE of each choice, the best of each problem first, with its
# mean processor seconds.
set -euo pipefail
build=$1 out=$2 first=${3:-9201} last=${4:-9203}
tool=$build/backflow
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
table=$out/network.tsv
touch "$table"
common=(--method blackbox --weights neural --hidden 30-20-10 --features 150 --restarts 1 --threads 1 --interval none)
value() {
    grep -m 1 -oE '"value": *[-+0-9.e]+' "$1" | sed 's/.*: *//'
}
for problem in ${PROBLEMS:-pendulum mountaincar cartpole acrobot}; do
    "$tool" value "$problem" --policy trained@0.9 --quiet --json >"$folder/truth.json"
    truth=$(value "$folder/truth.json")
    for seed in $(seq "$first" "$last"); do
        "$tool" simulate "$problem" --behavior trained@0.7 --target trained@0.9 --episodes 50 --horizon 200 \
            --seed "$seed" --quiet -o "$folder/log.npz" >"$folder/said"
        for start in chain equal; do for width in ${WIDTHS:-p25 median p75}; do for steps in ${STEPS:-6 12}; do
            for link in ${LINKS:-exp softplus}; do
                choice="start=$start bandwidth=$width steps=$steps link=$link"
                grep -q "^$problem	$seed	$choice	" "$table" && continue
                seconds=$({ TIMEFORMAT='%U %S'; time "$tool" estimate "$folder/log.npz" "${common[@]}" \
                    --start $start --bandwidth $width --steps $steps --link $link --quiet --json \
                    >"$folder/answer.json"; } 2>&1 | awk '{ print $1 + $2 }')
                printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$problem" "$seed" "$choice" "$truth" \
                    "$(value "$folder/answer.json")" "$seconds" >>"$table"
            done
        done; done; done
    done
done
awk -F '\t' '{
    key = $1 "\t" $3
    count[key]++; error[key] += ($5 - $4) ^ 2; bias[key] += $5 - $4; seconds[key] += $6
}
END {
    for (key in count) {
        split(key, part, "\t")
        printf "%-12s %-52s %.4f %+.4f %3d logs %.2f s\n", part[1], part[2], sqrt(error[key] / count[key]),
               bias[key] / count[key], count[key], seconds[key] / count[key]
    }
}' "$table" | sort -k1,1 -k6,6g
