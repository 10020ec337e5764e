#!/bin/bash
# forecast.sh BUILD OUT - What forecasts say of memory and time, against what estimates take: eight
# logs and methods, no intervals, one thread. Writes OUT/forecast.tsv.
set -euo pipefail
build=$1 out=$2
cmake --build "$build" --target bench_forecast >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$out"
printf 'log\trows\td\tactions\tmethod\tMB\tmeasured\tratio\tseconds\tmeasured\tratio\n' | tee "$out/forecast.tsv"
# case PROBLEM BEHAVIOR TARGET EPISODES METHOD...
case_of() {
    local problem=$1 log=$folder/$1-$4.npz
    "$build/backflow" simulate "$problem" --behavior "$2" --target "$3" --episodes "$4" --horizon 200 \
        --seed 91 --quiet -o "$log" >/dev/null
    for method in "${@:5}"; do
        "$build/bench_forecast" "$log" "$method" "$problem" | tee -a "$out/forecast.tsv"
    done
}
case_of gridwalk uniform greedy@0.8 5000 blackbox
case_of cartpole trained@0.6 trained@0.8 600 lstdq blackbox
case_of pendulum trained@0.6 trained@0.8 1500 lstdq
case_of mountaincar trained@0.6 trained@0.8 900 lstdq blackbox
case_of drift uniform up 1200 model blackbox
