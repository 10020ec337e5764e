#!/bin/bash
# env.sh BUILD OUT - Steps per second of the environments, on one core, against Gymnasium's Python
# loop in the same run: with even actions, and with a 20-20 network that both sides follow (ours in
# C, 64 chains at a time; the peer's in numpy, one state at a time).
#
# Seconds are those of the processor, so that a busy machine does not blur the ratio. Gymnasium is
# looked for in $GYM_PYTHON, then in python3. The pinned release is 1.4.0, whose steps tests/fixtures
# has recorded. Without Gymnasium only our side is measured. Writes OUT/env.json.
set -euo pipefail
build=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
tool=$build/backflow
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

python=
for candidate in "${GYM_PYTHON:-}" python3; do
    if [ -n "$candidate" ] && "$candidate" -c 'import gymnasium, numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "Gymnasium is not here, so only our side is measured. For the ratio, run"
    echo "  python3 -m venv V && V/bin/pip install gymnasium==1.4.0 numpy==1.24.2"
    echo "and set GYM_PYTHON=V/bin/python."
fi

# field NAME: a number of the JSON on standard input, one field per line or all in one.
field() {
    grep -oE "\"$1\": *[-+0-9.e]+" | head -n 1 | sed 's/.*: *//'
}

# ours ENV POLICY: transitions per processor second.
ours() {
    local spent TIMEFORMAT=%U
    { time "$tool" value "$1" --policy "$2" --simulate --threads 1 --steps "$steps" --chains 256 \
        --rewards gymnasium --quiet --json >"$folder/ours.json"; } 2>"$folder/time"
    spent=$(tail -n 1 "$folder/time")
    awk -v n="$(field transitions <"$folder/ours.json")" -v s="$spent" 'BEGIN { print n / s }'
}

# line ENV WHAT OURS [THEIRS]: a row of the table and of the JSON.
rows=()
line() {
    local ratio=
    [ -n "${4-}" ] && ratio=$(awk -v a="$3" -v b="$4" 'BEGIN { printf "%.0f", a / b }')
    printf '%-12s %-9s %14.0f %14s %8s\n' "$1" "$2" "$3" "${4:+$(printf %.0f "$4")}" \
        "${ratio:+${ratio}x}"
    rows+=("{\"env\": \"$1\", \"policy\": \"$2\", \"steps_per_second\": $3, \
\"gymnasium_steps_per_second\": ${4:-null}, \"ratio\": ${ratio:-null}}")
}

printf '%-12s %-9s %14s %14s %8s\n' env policy 'ours, steps/s' 'gymnasium' ratio
for env in pendulum mountaincar cartpole acrobot; do
    theirs=
    steps=20000
    [ -n "$python" ] &&
        theirs=$("$python" "$here/peers/gym_loop.py" run "$env" | field steps_per_second)
    line "$env" uniform "$(ours "$env" uniform)" "$theirs"
    [ -n "$python" ] || continue
    "$python" "$here/peers/gym_loop.py" write "$env" "$folder/$env.policy"
    theirs=$("$python" "$here/peers/gym_loop.py" run "$env" --policy "$folder/$env.policy" |
        field steps_per_second)
    line "$env" network "$(ours "$env" "$folder/$env.policy@0.9")" "$theirs"
done
{
    echo '{"name": "env", "rows": ['
    for i in "${!rows[@]}"; do
        printf '  %s%s\n' "${rows[i]}" "$([ "$i" -lt $((${#rows[@]} - 1)) ] && echo ,)"
    done
    echo ']}'
} >"$out/env.json"
