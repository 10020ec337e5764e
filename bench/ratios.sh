#!/bin/bash
# ratios.sh BUILD OUT - The grid on which options of `ips` and `dualdice` are chosen, as the paper
# chooses them: by the root mean square error against the truth, per problem, at one size of log.
#
# A line of the grid is options of `backflow estimate`. By environment variables:
#     GRID=linear        linear, network (of ips) or dualdice; or a file of such lines
#     SEEDS="200 ..."    logs per problem, as seeds of `simulate`: none that `reproduce` reports on
#     ENVS="..."         problems: pendulum mountaincar cartpole acrobot
#     EPISODES=50        trajectories of 200 steps, behaviour alpha 0.7, target 0.9
#     GAMMA=1            the discount
#     FEATURES="100 250" of the linear grid,
#     RIDGES="auto ..."  and its ridges
#
# Prints a table in Markdown: a line per line of the grid, the RMSE on every problem and the mean
# processor time of an answer. Writes OUT/ratios-GRID.csv (problem,seed,options,value,truth,seconds).
set -euo pipefail
build=$1 out=$2
tool=$build/backflow
grid=${GRID:-linear} seeds=${SEEDS:-200 201 202 203 204 205} gamma=${GAMMA:-1}
envs=${ENVS:-pendulum mountaincar cartpole acrobot} episodes=${EPISODES:-50}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

linear() {
    local features width ridge
    for features in ${FEATURES:-100 250}; do
        for width in 0.125 0.25 0.5 1 2; do
            for ridge in ${RIDGES:-auto 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12 1e-13}; do
                echo "--method ips --variant linear --features $features" \
                    "--bandwidth median*$width --ridge $ridge"
            done
        done
    done
}

network() {
    local base="--method ips --variant neural" smoothing width rate steps
    for smoothing in 0.1 0; do
        for width in 0.25 0.5 1 2; do
            for rate in 1e-3 1e-2; do
                for steps in 300 3001; do
                    echo "$base --smoothing $smoothing --bandwidth median*$width --rate $rate" \
                        "--steps $steps"
                done
            done
        done
    done
    echo "$base --smoothing 1"
    echo "$base --hidden 10"
    echo "$base --hidden 30-30"
}

# rates NU ZETA
rates() {
    echo "--rate-nu $1 --rate-zeta $2 --rate-lambda 0.01"
}

dualdice() {
    local base="--method dualdice --variant neural --steps 2000" change
    for change in "" "--no-rewards" "--normalize 0" "--primal 1 --dual 0 --no-rewards" \
        "--positive square" "--positive none" "--exponent 1.5" "--momentum 0.9" "--hidden 32" \
        "--hidden 64-64"; do
        echo "$base $(rates 0.01 0.01) $change"
    done
    echo "$base $(rates 0.003 0.003)"
    echo "$base $(rates 0.003 0.01)"
    echo "${base/2000/4000} $(rates 0.01 0.01) --batch 256"
    echo "${base/2000/4000} $(rates 0.01 0.01)"
    echo "${base/2000/4000} $(rates 0.003 0.003)"
}

if [ -f "$grid" ]; then
    cp "$grid" "$folder/grid"
    grid=$(basename "$grid")
else
    "$grid" >"$folder/grid"
fi
csv=$out/ratios-$grid.csv
echo 'problem,seed,options,value,truth,seconds' >"$csv"
TIMEFORMAT='%U %S'
for env in $envs; do
    truth=$("$tool" value "$env" --policy trained@0.9 --gamma "$gamma" --quiet --json |
        sed -n 's/^  "value": \([^,]*\),*$/\1/p')
    for seed in $seeds; do
        "$tool" simulate "$env" --behavior trained@0.7 --target trained@0.9 --seed "$seed" \
            --episodes "$episodes" --horizon 200 --quiet -o "$folder/log.npz" >/dev/null
        while read -r options; do
            # shellcheck disable=SC2086 # options are words
            { time "$tool" estimate "$folder/log.npz" $options --gamma "$gamma" --interval none \
                --threads 1 --quiet --json >"$folder/answer" 2>/dev/null || true; } 2>"$folder/time"
            value=$(sed -n 's/^  "value": \([^,]*\),*$/\1/p' "$folder/answer")
            read -r user system <"$folder/time"
            echo "$env,$seed,$options,${value:-nan},$truth,$user $system" >>"$csv"
        done <"$folder/grid"
    done
done

awk -F , -v envs="$envs" '
    NR > 1 {
        if (!($3 in known)) {
            known[$3] = 1
            order[++lines] = $3
        }
        split($6, time, " ")
        seconds[$3] += time[1] + time[2]
        runs[$3]++
        if ($4 == "nan") { failed[$1, $3]++; next }
        error[$1, $3] += ($4 - $5) ^ 2
        rows[$1, $3]++
    }
    END {
        count = split(envs, env, " ")
        line = "| options |"
        rule = "| --- |"
        for (e = 1; e <= count; e++) {
            line = line " " env[e] " |"
            rule = rule " ---: |"
        }
        print line " seconds |"
        print rule " ---: |"
        for (l = 1; l <= lines; l++) {
            line = "| " order[l] " |"
            for (e = 1; e <= count; e++) {
                key = env[e] SUBSEP order[l]
                line = line (rows[key] ? sprintf(" %.3g", sqrt(error[key] / rows[key])) : " -")
                line = line (failed[key] ? sprintf(" (%d failed) |", failed[key]) : " |")
            }
            print line sprintf(" %.2f |", seconds[order[l]] / runs[order[l]])
        }
    }' "$csv"
