#!/bin/bash
# coverage.sh BUILD OUT [FIRST [SHARE [CELLS]]] - Do intervals hold the truth, and do verdicts say when
# they will not? Logs of known truth are made, estimated as a user would, and held against it.
#
# Every cell is a problem, two policies, a number of trajectories and a discount, with a number of
# logs; their seeds begin at FIRST (5000). The limits of the rules and the constants of the interval
# were chosen on seeds below 1000 and 9300 to 9319. SHARE (1) of the logs of every cell are made. CELLS is a regular
# expression of lines of the plan to run (all). ARGS in the environment are more options of `estimate`, and
# JOBS is how many logs are worked on at once (1), each on one thread.
#
# The work goes on where it stopped: a log that has its line in OUT/coverage/ is not made again.
# Prints and writes OUT/coverage.tsv, one line per log, and OUT/coverage.txt, the summary; the whole
# answers stay in OUT/coverage/.
set -euo pipefail
export build=$1 out=$2 first=${3:-5000} share=${4:-1}
cells=${5:-.}
export tool=$build/backflow lines=$2/coverage ARGS=${ARGS-}
mkdir -p "$lines/truth"

# The plan: cell, problem, behaviour, target, trajectories, steps, discount, rewards, logs.
plan() {
    local p g n
    for n in 20 50; do
        echo "modelwin-$n modelwin behavior target $n 200 1 paper 100"
        echo "boyan-$n boyan uniform uniform $n 200 1 paper 100"
        echo "drift-$n drift up@0.5 up@0.9 $n 200 1 paper 100"
        echo "gridwalk-$n gridwalk greedy@0.5 greedy@0.9 $n 200 1 paper 100"
        for p in pendulum mountaincar cartpole acrobot; do
            echo "$p-trained-$n $p trained@0.7 trained@0.9 $n 200 1 paper 100"
            echo "$p-handmade-$n $p handmade@0.7 handmade@0.9 $n 200 1 paper 100"
        done
    done
    for p in pendulum mountaincar cartpole acrobot; do
        for n in 6 200; do
            echo "$p-trained-$n $p trained@0.7 trained@0.9 $n 200 1 paper 50"
            echo "$p-handmade-$n $p handmade@0.7 handmade@0.9 $n 200 1 paper 50"
        done
        echo "$p-other-20 $p handmade@0.7 trained@0.9 20 200 1 paper 50"
        for g in 0.99 0.9; do
            echo "$p-gamma$g-20 $p trained@0.7 trained@0.9 20 200 $g paper 50"
        done
        echo "fails-$p-uniform $p uniform trained@0.9 20 200 1 paper 50"
        echo "fails-$p-short $p trained@0.7 trained@0.9 20 30 1 paper 50"
        echo "fails-$p-far $p trained@0.3 trained@0.9 20 200 1 paper 50"
    done
    echo "fails-acrobot-stuck acrobot uniform handmade@0.9 20 200 1 paper 50"
    echo "fails-cartpole-flat cartpole trained@0.7 trained@0.9 20 200 1 gymnasium 50"
}

# field NAME FILE: the first value of that name; nothing if there is none.
field() {
    { grep -m 1 -oE "\"$1\": *(\"[^\"]*\"|[-+0-9.e]+)" "$2" || true; } | sed 's/^[^:]*: *//; s/"//g'
}

# one CELL ... SEED: makes a log, estimates, writes its line.
one() {
    local cell=$1 problem=$2 behavior=$3 target=$4 n=$5 steps=$6 gamma=$7 rewards=$8 seed=$9
    local line=$lines/$cell.$seed.tsv truth=$lines/truth/$problem.$target.$gamma.$rewards
    [ ! -s "$line" ] || return 0
    local folder codes
    folder=$(mktemp -d)
    [ -s "$truth" ] || {
        "$tool" value "$problem" --policy "$target" --gamma "$gamma" --rewards "$rewards" \
            --threads 1 --quiet --json >"$folder/truth"
        mv "$folder/truth" "$truth"
    }
    "$tool" simulate "$problem" --behavior "$behavior" --target "$target" --episodes "$n" \
        --horizon "$steps" --seed "$seed" --rewards "$rewards" --quiet -o "$folder/log.npz" \
        >"$folder/said"
    # shellcheck disable=SC2086
    "$tool" estimate "$folder/log.npz" --gamma "$gamma" --threads 1 --quiet --json $ARGS \
        >"$folder/answer" 2>"$folder/said" || true
    if [ -s "$folder/answer" ]; then
        codes=$(sed -n '/"reasons"/,/\]/s/.*"code": "\([^"]*\)".*/\1/p' "$folder/answer" | paste -sd,)
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$cell" "$seed" \
            "$(field value "$truth")" "$(field value "$folder/answer")" \
            "$(field low "$folder/answer")" "$(field high "$folder/answer")" \
            "$(field half "$folder/answer")" "$(field verdict "$folder/answer")" \
            "$(field effective_clusters "$folder/answer")" "$(field influence "$folder/answer")" \
            "$(field noise "$folder/answer")" "$(field bias "$folder/answer")" \
            "$(field base_value "$folder/answer")" \
            "$(sed -n '/"seconds"/,/}/p' "$folder/answer" | tr -d '\n' |
                sed 's/.*"estimate": *\([0-9.e+-]*\).*"trust": *\([0-9.e+-]*\).*/\1 \2/')" \
            "$codes" >"$folder/line"
        mv "$folder/answer" "${line%.tsv}.json"
        mv "$folder/line" "$line"
    fi
    rm -rf "$folder"
}
export -f one field

# Seed after seed, so that a run that is stopped has some of every cell.
plan | { grep -E -e "$cells" || true; } | awk -v first="$first" -v share="$share" '
    { row[NR] = $1 " " $2 " " $3 " " $4 " " $5 " " $6 " " $7 " " $8
      logs[NR] = int($9 * share + 0.5)
      most = logs[NR] > most ? logs[NR] : most }
    END {
        for (k = 0; k < most; k++)
            for (i = 1; i <= NR; i++)
                if (k < logs[i]) print row[i], first + k
    }' | xargs -r -P "${JOBS:-1}" -L 1 bash -c 'one "$@"' one

table=$out/coverage.tsv
printf 'cell\tseed\ttruth\tvalue\tlow\thigh\thalf\tverdict\teffective\tinfluence\tnoise\tbias\tbase\tseconds\treasons\n' \
    >"$table"
cat "$lines"/*.tsv >>"$table"

# covered: the truth is inside (to the truth's own accuracy, 1e-9); failing: off by more than twice
# the half-width; refused: "cannot tell".
awk -F '\t' '
    function abs(x) { return x < 0 ? -x : x }
    function flush_line(k) {
        rmse = sqrt(square[k] / (answered[k] > 0 ? answered[k] : 1))
        printf "%-26s %5d %8d %8.3f %10.4g %10.4g %6.2f %7d/%-4d %6d/%-4d\n", k, logs[k],
               answered[k], answered[k] ? covered[k] / answered[k] : 0, rmse,
               answered[k] ? half[k] / answered[k] : 0,
               (rmse > 0 ? half[k] / answered[k] / rmse : 0), caught[k], failing[k], lost[k],
               within[k]
    }
    # A share against what it should be, with the interval that its count allows (Wilson, 2 s.e.).
    function bar(text, count, of, low, high) {
        if (of == 0) return
        share = count / of
        middle = (share + 2 / of) / (1 + 4 / of)
        slack = 2 * sqrt(share * (1 - share) / of + 1 / (of * of)) / (1 + 4 / of)
        printf "%-66s %5d/%-5d %.3f (%.3f to %.3f), should be %.2f to %.2f%s\n", text, count, of,
               share, middle - slack, middle + slack, low, high,
               (middle + slack < low || middle - slack > high ? ": NOT MET" : "")
    }
    NR > 1 && $4 != "" {
        key = $1
        if (!(key in logs)) order[++keys] = key
        error = abs($4 - $3)
        inside = $7 != "" && $3 >= $5 - 1e-9 && $3 <= $6 + 1e-9
        refused = $8 == "cannot tell"
        kind = key ~ /^fails/ ? "fails" : key ~ /-(20|50)$/ && key !~ /gamma|other/ ? "main" : "others"
        problem = key
        sub(/-.*/, "", problem)
        if (kind == "main" && !((problem ",main") in logs)) problems[++problem_count] = problem ",main"
        n = split("all " key " " kind (kind == "main" ? " " problem ",main" : ""), groups, " ")
        for (g = 1; g <= n; g++) {
            k = groups[g]
            logs[k]++
            if ($7 != "" && error > 2 * $7 + 1e-9) { failing[k]++; caught[k] += refused }
            if ($7 != "" && error <= $7 + 1e-9) { within[k]++; lost[k] += refused }
            if (refused || $7 == "") continue
            answered[k]++
            covered[k] += inside
            half[k] += $7
            square[k] += error * error
        }
    }
    END {
        printf "%-26s %5s %8s %8s %10s %10s %6s %12s %11s\n", "cell", "logs", "answered",
               "covered", "rmse", "half", "ratio", "fails caught", "good lost"
        for (i = 1; i <= keys; i++) flush_line(order[i])
        print "20 and 50 trajectories, by problem:"
        for (i = 1; i <= problem_count; i++) flush_line(problems[i])
        print "together (main: 20 and 50 trajectories, gamma 1):"
        split("main others fails all", names, " ")
        for (i = 1; i <= 4; i++) if (names[i] in logs) flush_line(names[i])
        for (i = 1; i <= keys; i++) {
            k = order[i]
            if (k ~ /-(20|50)$/ && k !~ /gamma|other|fails|gridwalk/ && square[k] > 0) { # GridWalk is exact
                ratio += half[k] / answered[k] / sqrt(square[k] / answered[k])
                counted++
            }
        }
        if (counted) printf "mean over cells of half / rmse, 20 and 50 trajectories: %.2f\n",
                            ratio / counted
        bar("coverage of answered logs, main", covered["main"], answered["main"], 0.93, 0.97)
        for (i = 1; i <= problem_count; i++)
            bar("coverage of answered logs, " problems[i], covered[problems[i]],
                answered[problems[i]], 0.90, 0.99)
        bar("logs off by more than two half-widths that say cannot tell", caught["all"],
            failing["all"], 0.8, 1)
        bar("logs within their half-width that say so", lost["all"], within["all"], 0, 0.05)
    }' "$table" | tee "$out/coverage.txt"
