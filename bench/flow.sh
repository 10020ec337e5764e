#!/bin/bash
# flow.sh BUILD OUT - Building K, products with it and kernel features, against numpy and PyTorch.
# Prints a table; writes OUT/flow.json.
#
# float32, d = 4, |A| = 2, one thread on every side, the peers' BLAS told which kernels to use.
# Medians of REPEATS runs (5), wall and CPU seconds: on a machine that others use too, only the CPU
# seconds can be compared. N (10000) transitions, FEATURES (100000) points against 1,000 features.
# Peers that are not installed are left out.
set -euo pipefail
build=$1 json=$2/flow.json
here=$(dirname "$(readlink -f "$0")")
repeats=${REPEATS:-5} n=${N:-10000} features=${FEATURES:-100000}
python=${PYTHON:-/usr/bin/python3}
export OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1
if grep -q avx512f /proc/cpuinfo; then export OPENBLAS_CORETYPE=SKYLAKEX
elif grep -q avx2 /proc/cpuinfo; then export OPENBLAS_CORETYPE=HASWELL; fi

cmake --build "$build" --target bench_flow >/dev/null
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

ours() { # job n threads
    "$build/bench_flow" "$1" "$2" "$3" "$repeats" | sed 's/^/backflow /' >>"$lines"
}
peer() { # numpy|torch job n
    if "$python" -c "import $1" 2>/dev/null; then
        OMP_NUM_THREADS=1 "$python" "$here/peers/flow_$1.py" "$2" "$3" "$repeats" |
            sed "s/^/$1 /" >>"$lines"
    fi
}
for job in build build-chain product free free-chain loss loss-chain; do ours $job "$n" 1; done
ours build "$n" 2
ours free "$n" 2
ours features "$features" 1
for who in numpy torch; do
    for job in build-idiomatic build-factored product; do peer $who $job "$n"; done
    for job in features features-inplace; do peer $who $job "$features"; done
done

# who job n threads wall cpu -> a table with ratios of CPU seconds, and JSON.
awk -v json="$json" '
function base(job) { sub(/-.*/, "", job); return job }
{ who[NR] = $1; job[NR] = $2; n[NR] = $3; threads[NR] = $4; wall[NR] = $5; cpu[NR] = $6
  if ($1 == "backflow" && $4 == 1) own[$2] = $6 }
END {
    printf "%-9s %-17s %8s %7s %12s %12s %8s\n", "", "job", "n", "threads", "wall ms", "cpu ms", "ratio"
    printf "[" > json
    for (i = 1; i <= NR; i++) {
        ratio = who[i] != "backflow" ? sprintf("%.1f", cpu[i] / own[base(job[i])]) : ""
        printf "%-9s %-17s %8d %7d %12.2f %12.2f %8s\n", who[i], job[i], n[i], threads[i],
               1e3 * wall[i], 1e3 * cpu[i], ratio
        printf "%s\n {\"who\": \"%s\", \"job\": \"%s\", \"n\": %d, \"threads\": %d, \"wall\": %s, \"cpu\": %s}",
               (i > 1 ? "," : ""), who[i], job[i], n[i], threads[i], wall[i], cpu[i] > json
    }
    printf "\n]\n" > json
    print "ratio: CPU seconds over those of backflow with one thread, same job (bag of transitions)"
}' "$lines"
