# common.sh - What the tests of backflow-mpi share; each is called as NAME TOOL MPI_TOOL POLICY [LIBRARY].
# POLICY is policy.c, which kills. LIBRARY is ../faults/fail.c, which does so as well; it is left out
# if nothing can be preloaded. The test runs in an empty folder.
set -euo pipefail
tool=$(readlink -f "$1") mpi=$(readlink -f "$2") policy=$(readlink -f "$3") library=${4:+$(readlink -f "$4")}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export LC_ALL=C OMP_NUM_THREADS=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# MPI keeps memory of its own to the end, which the address sanitizer would call a leak.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

fail() {
    echo "mpi: $*" >&2
    exit 1
}

digits() {
    grep -E '^  "(value|naive|n)":|^    "(low|high|se|effective_clusters|clusters)":|"(ess|coverage|flow_residual|cells)": ' "$1"
}

# Cuts a.csv at episodes into $1 files part-$1-*.csv.
split_log() {
    awk -F, -v parts="$1" -v rows="$(wc -l <a.csv)" '
        NR == 1 { header = $0; last = "none"; for (c = 1; c <= NF; c++) if ($c == "episode") id = c; next }
        { if ($id != last && (part == 0 || count >= part * rows / parts)) {
              part++; file = "part-" parts "-" part ".csv"; print header >file }
          last = $id; count++; print >file }' a.csv
}

# The log that most of it is about, and how it is read in pieces.
large=(--max-memory 0.001 --sample 2000 --quiet)
make_log() {
    "$tool" simulate gridwalk --behavior uniform --target greedy@0.8 --episodes 70 --horizon 50 -o a.csv \
        --quiet >/dev/null
}
