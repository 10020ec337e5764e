#!/bin/bash
# total.sh BUILD OUT [ROUNDS] - What exact sums cost beside plain ones, in processor nanoseconds: per
# addend alone, and per row within a pass that counts. Both programs take turns, 7 rounds unless
# told; the table has medians. Writes OUT/total.json.
set -euo pipefail
build=$1 out=$2 rounds=${3:-7}
cmake --build "$build" --target bench_total bench_total_plain >/dev/null

median() {
    sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}
{
    for job in one many pass; do
        exact=() plain=()
        for ((k = 0; k < rounds; k++)); do
            exact+=("$("$build/bench_total" $job 2>/dev/null)")
            plain+=("$("$build/bench_total_plain" $job 2>/dev/null)")
        done
        echo "$job $(printf '%s\n' "${exact[@]}" | median) $(printf '%s\n' "${plain[@]}" | median)"
    done
} | awk -v json="$out/total.json" '
    BEGIN {
        text["one"] = "an addend of a column"
        text["many"] = "an addend, to one of 400"
        text["pass"] = "a row of a pass"
        printf "%-28s %8s %8s %8s\n", "ns", "exact", "plain", "ratio"
        printf "{" > json
    }
    {
        printf "%-28s %8.2f %8.2f %8.2f\n", text[$1], $2, $3, $2 / $3
        printf "%s\"%s\": {\"exact_ns\": %g, \"plain_ns\": %g, \"ratio\": %.3g}", \
            (NR > 1 ? ", " : ""), $1, $2, $3, $2 / $3 > json
    }
    END { print "}" > json }'
