#!/bin/bash
# mujoco.sh BUILD OUT [FIRST [LAST [ROWS [METHOD...]]]] - Robots' logs: Gymnasium's MuJoCo tasks, linear
# policies by random search, continuous actions. Behaviour and target are those of bench/mujoco/log.py. Logs
# of seeds FIRST (5000) to LAST (5009) with ROWS (10000) rows; the default (given as "default"), naive, fqe,
# lstdq, dr and model unless others are named, on one thread and without interval. "interval" is the default
# with its interval. TASKS="Swimmer Hopper" runs some tasks, POLICIES=DIR takes policies from there and trains
# those that it lacks (TRAIN_SECONDS of processor time each, 300, by TRAIN_SEED, 0) in the place of
# bench/mujoco/policies. Makes a virtual environment in OUT/venv (needs the Python index) and simulates the
# truth. Writes OUT/mujoco.tsv, one line per log and method; what is in it is not run again. bench/mujoco/table.py
# makes tables of it, with paired differences.
set -euo pipefail
build=$(realpath "$1") out=$2 first=${3:-5000} last=${4:-5009} rows=${5:-10000}
shift $(($# < 5 ? $# : 5))
methods=("$@")
[ ${#methods[@]} -gt 0 ] || methods=(naive default fqe lstdq dr model)
here=$(cd "$(dirname "$0")" && pwd)/mujoco
policies=${POLICIES:-$here/policies}
mkdir -p "$out/truth" "$out/logs" "$policies"
out=$(realpath "$out") policies=$(realpath "$policies")
cd "$out" # MuJoCo leaves a log of its warnings where it runs
python=$out/venv/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$out/venv"
    "$out/venv/bin/pip" -q install gymnasium==1.4.0 mujoco==4.0.0 imageio packaging numpy
fi
export OPENBLAS_NUM_THREADS=1
table=$out/mujoco.tsv
[ -f "$table" ] || printf 'task\trows\tseed\tmethod\ttruth\tvalue\tlow\thigh\tverdict\tseconds\n' >"$table"
answer=$out/answer.$$.json clock=$out/clock.$$
trap 'rm -f "$answer" "$clock"' EXIT

# field NAME: the first number of that name in the answer.
field() {
    { grep -m 1 -oE "\"$1\": *[-+0-9.e]+" "$answer" || true; } | sed 's/.*: *//'
}

for task in ${TASKS:-Swimmer Hopper HalfCheetah Walker2d InvertedDoublePendulum Reacher}; do
    policy=$policies/$task.json
    [ -f "$policy" ] ||
        "$python" "$here/train.py" "$task-v5" "$policy" "${TRAIN_SECONDS:-300}" "${TRAIN_SEED:-0}"
    [ -f "$out/truth/$task" ] || "$python" "$here/log.py" truth "$policy" 3000 40 >"$out/truth/$task"
    truth=$(sed 's/.*"truth": *\([-+0-9.e]*\).*/\1/' "$out/truth/$task")
    for seed in $(seq "$first" "$last"); do
        log=$out/logs/$task.$seed.$rows.npz
        for method in "${methods[@]}"; do
            grep -q "^$task	$rows	$seed	$method	" "$table" && continue
            [ -f "$log" ] || "$python" "$here/log.py" log "$policy" "$seed" "$rows" "$log"
            choice=(--interval none)
            case $method in
                default) ;;
                interval) choice=() ;;
                *) choice+=(--method "$method") ;;
            esac
            TIMEFORMAT=%U
            { time "$build/backflow" estimate "$log" "${choice[@]}" --threads 1 --quiet --json >"$answer" 2>/dev/null; } 2>"$clock"
            low= high=
            if [ "$method" = interval ]; then
                low=$(field low) high=$(field high)
            fi
            verdict=$({ grep -m 1 -oE '"verdict": *"[a-z ]+"' "$answer" || true; } | sed 's/.*: *//')
            printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$task" "$rows" "$seed" "$method" "$truth" \
                "$(field value)" "$low" "$high" "$verdict" "$(cat "$clock")" >>"$table"
        done
        rm -f "$log"
    done
done
"$python" "$here/table.py" "$table"
