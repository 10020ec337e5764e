#!/bin/bash
# run.sh OUT - Backflow beside SCOPE-RL on the same question: lines, seconds to import and to answer, megabytes.
#
# Both get a virtual environment of their own in OUT, from the package index by name and version: SCOPE-RL 0.2.1 with the
# releases of its time (requirements.txt), which is 5 GB, and the wheel that `script/python wheel` has made. log.py makes the log
# and says what is true; ours.py and theirs.py are the two programs, policy.py is the policy of both, measure.py runs them.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
root=$(cd "$here/../../.." && pwd)
[ $# -eq 1 ] || { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 2; }
out=$(mkdir -p "$1" && cd "$1" && pwd)
wheel=$(ls "$root"/build/wheel/*.whl 2>/dev/null) || { echo "run.sh: there is no wheel yet; script/python wheel makes it" >&2; exit 1; }

environment() { # NAME PIP ARGUMENT...
    local venv=$out/$1
    shift
    [ ! -e "$venv/whole" ] || return 0
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install -q "$@"
    touch "$venv/whole"
}
environment empty pip # what every environment has
environment ours "$wheel"
environment theirs -r "$here/requirements.txt"

"$out/ours/bin/python" "$here/log.py" "$out/log.npz"
cd "$out" # d3rlpy leaves a folder of logs where it runs
for name in ours theirs; do
    "$name/bin/python" "$here/measure.py" "$here/$name.py" log.npz >"$name.json" 2>"$name.txt" || { tail "$name.txt"; exit 1; }
    for _ in 1 2 3; do # the first import finds nothing in the memory of the machine
        "$name/bin/python" "$here/measure.py" "$here/$name.py" 2>>"$name.txt"
    done >"$name.imports"
    echo $(($(du -sm "$name" | cut -f1) - $(du -sm empty | cut -f1))) >"$name.megabytes"
done

"$out/ours/bin/python" - <<'PYTHON'
import json

# The least of three imports, on the clock and of the processor.
print("| | lines | megabytes | import, s | of processor | answer, s | of processor |\n| --- | --- | --- | --- | --- | --- | --- |")
said = {name: json.loads(open(f"{name}.json").read().splitlines()[-1]) for name in ("ours", "theirs")}  # d3rlpy talks before
for name, title in (("ours", "Backflow"), ("theirs", "SCOPE-RL")):
    one, size = said[name], open(f"{name}.megabytes").read().strip()
    least = min((json.loads(line)["import"] for line in open(f"{name}.imports")), key=lambda found: found["clock"])
    times = [least["clock"], least["processor"], one["answer"]["clock"], one["answer"]["processor"]]
    print(f"| {title} | {one['lines']} | {size} | " + " | ".join(f"{seconds:.2f}" for seconds in times) + " |")
print(f"\ntruth {said['ours']['truth']:.3f}, the log {said['ours']['before']:.3f}")
for one in said.values():
    for method, (value, low, high) in one["found"].items():
        print(f"| {method} | {value:.3f} | {low:.3f} to {high:.3f} | {value - one['truth']:+.3f} |")
PYTHON
