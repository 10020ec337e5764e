#!/bin/bash
# tabular.sh BUILD OUT [REPEATS] - The tabular estimator on 2,000 states x 6 actions and a million
# transitions, against the same model solved in NumPy, in the same run. OUT receives tabular.json.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-/usr/bin/python3}" "$here/peers/tabular.py" "$1/backflow" "$folder" "$2/tabular.json" "${3:-5}"
