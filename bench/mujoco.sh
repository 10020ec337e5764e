#!/bin/bash
# mujoco.sh BUILD OUT [FIRST [LAST [ROWS [METHOD...]]]] - Robots' logs: Gymnasium's MuJoCo tasks, linear
# policies by random search, continuous actions. Behaviour and target are those of bench/mujoco/log.py. Logs
# of seeds FIRST (5000) to LAST (5009) with ROWS (10000) rows; the default (given as "default"), naive, fqe,
# lstdq, dr and model unless others are named; TASKS="Swimmer Hopper" runs some tasks. Makes a virtual
# environment in OUT/venv (needs the Python index), trains policies that are not in bench/mujoco/policies
# (five minutes each), and simulates the truth. Writes OUT/mujoco.tsv, one line per log and method; what is
# in it is not run again.
set -euo pipefail
build=$1 out=$2 first=${3:-5000} last=${4:-5009} rows=${5:-10000}
shift $(($# < 5 ? $# : 5))
methods=("$@")
[ ${#methods[@]} -gt 0 ] || methods=(naive default fqe lstdq dr model)
here=$(cd "$(dirname "$0")" && pwd)/mujoco
mkdir -p "$out/policies" "$out/truth"
python=$out/venv/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$out/venv"
    "$out/venv/bin/pip" -q install gymnasium==1.4.0 mujoco==4.0.0 imageio packaging numpy
fi
export OPENBLAS_NUM_THREADS=1
table=$out/mujoco.tsv
[ -f "$table" ] || printf 'task\trows\tseed\tmethod\ttruth\tvalue\tverdict\tseconds\n' >"$table"
log=$out/log.npz answer=$out/answer.json

for task in ${TASKS:-Swimmer Hopper HalfCheetah Walker2d InvertedDoublePendulum Reacher}; do
    policy=$here/policies/$task.json
    if [ ! -f "$policy" ]; then
        policy=$out/policies/$task.json
        [ -f "$policy" ] || "$python" "$here/train.py" "$task-v5" "$policy" "${TRAIN_SECONDS:-300}"
    fi
    [ -f "$out/truth/$task" ] || "$python" "$here/log.py" truth "$policy" 3000 40 >"$out/truth/$task"
    truth=$(sed 's/.*"truth": *\([-+0-9.e]*\).*/\1/' "$out/truth/$task")
    for seed in $(seq "$first" "$last"); do
        made=
        for method in "${methods[@]}"; do
            grep -q "^$task	$rows	$seed	$method	" "$table" && continue
            [ -n "$made" ] || "$python" "$here/log.py" log "$policy" "$seed" "$rows" "$log"
            made=yes
            choice=()
            [ "$method" = default ] || choice=(--method "$method")
            begin=$(date +%s.%N)
            "$build/backflow" estimate "$log" "${choice[@]}" --quiet --json >"$answer"
            end=$(date +%s.%N)
            value=$({ grep -m 1 -oE '"value": *[-+0-9.e]+' "$answer" || true; } | sed 's/.*: *//')
            verdict=$({ grep -m 1 -oE '"verdict": *"[a-z ]+"' "$answer" || true; } | sed 's/.*: *//')
            printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\n' "$task" "$rows" "$seed" "$method" "$truth" "$value" \
                "$verdict" "$(awk "BEGIN { print $end - $begin }")" >>"$table"
        done
    done
done

awk -F '\t' 'NR > 1 && $6 != "" {
    key = $1 "\t" $2 "\t" $4
    if (!(key in count)) order[++keys] = key
    count[key]++
    error[key] += ($6 - $5) ^ 2
    bias[key] += $6 - $5
    truth[key] = $5
}
END {
    printf "%-24s %8s %-10s %5s %10s %10s %10s\n", "task", "rows", "method", "logs", "truth", "rmse", "bias"
    for (k = 1; k <= keys; k++) {
        key = order[k]
        split(key, part, "\t")
        n = count[key]
        printf "%-24s %8d %-10s %5d %10.4f %10.4f %10.4f\n", part[1], part[2], part[3], n, truth[key],
               sqrt(error[key] / n), bias[key] / n
    }
}' "$table"
