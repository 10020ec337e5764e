#!/bin/bash
# baselines.sh BUILD OUT - How far off each method is on the four control problems of the paper: the
# root mean square error over logs of 50 trajectories of 200 steps, behaviour alpha 0.7, target 0.9.
#
# By environment variables:
#     SEEDS=20           logs per problem
#     METHODS=all        as for `backflow estimate --method`; naive comes along
#     ENVS="..."         problems: pendulum mountaincar cartpole acrobot
#     POLICY_<env>=P     the policy that behaviour and target are mixtures of; policies/<env>.policy
#                        where it is there, otherwise the environment's own `handmade`
#     OPTIONS="..."      more options of `backflow estimate`
#
# Prints a table in Markdown, errors in rewards per step, and the mean
# seconds of a method in a second one. Writes OUT/baselines.json and OUT/baselines.csv
# (problem, seed, method, value, truth, seconds).
set -euo pipefail
build=$1 out=$2
root=$(cd "$(dirname "$0")/.." && pwd)
tool=$build/backflow
seeds=${SEEDS:-20} methods=${METHODS:-all}
case $methods in all | *,*) ;; naive) methods=naive,blackbox ;; *) methods=naive,$methods ;; esac # a table
envs=${ENVS:-pendulum mountaincar cartpole acrobot}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
csv=$out/baselines.csv
echo 'problem,seed,method,value,truth,seconds' >"$csv"

# policy_of ENV: as `backflow simulate` takes it.
policy_of() {
    local given=POLICY_$1
    if [ -n "${!given:-}" ]; then
        echo "${!given}"
    elif [ -f "$root/policies/$1.policy" ]; then
        echo "$root/policies/$1.policy"
    else
        echo handmade
    fi
}

for env in $envs; do
    policy=$(policy_of "$env")
    target=$policy@0.9
    [ -f "$policy" ] || target=$env:$target # `estimate` does not know which problem it is
    truth=$("$tool" value "$env" --policy "$policy@0.9" --quiet --json |
        sed -n 's/^  "value": \([^,]*\),*$/\1/p')
    for ((seed = 1; seed <= seeds; seed++)); do
        "$tool" simulate "$env" --behavior "$policy@0.7" --episodes 50 --horizon 200 \
            --seed "$((1000 + seed))" --quiet -o "$folder/log.npz" >/dev/null
        # shellcheck disable=SC2086 # options are words
        "$tool" estimate "$folder/log.npz" --policy "$target" --method "$methods" \
            --seed "$seed" --quiet --json ${OPTIONS:-} >"$folder/answer.json"
        awk -v env="$env" -v seed="$seed" -v truth="$truth" '
            /^      "value":/ { value = $2 }
            /^      "method":/ { method = $2; gsub(/[",]/, "", method) }
            /^        "estimate":/ {
                sub(/,$/, "", value)
                sub(/,$/, "", $2)
                printf "%s,%d,%s,%s,%s,%s\n", env, seed, method, value, truth, $2
            }' "$folder/answer.json" >>"$csv"
    done
done

# table FIELD: methods by problems, of root mean squares of errors or of means of seconds.
table() {
    awk -F , -v what="$1" -v envs="$envs" '
        NR > 1 {
            if (!($3 in known)) {
                known[$3] = 1
                order[++methods] = $3
            }
            error[$1, $3] += ($4 - $5) ^ 2
            seconds[$1, $3] += $6
            rows[$1, $3]++
            truth[$1] = $5
        }
        END {
            count = split(envs, env, " ")
            line = what == "error" ? "| RMSE |" : "| seconds |"
            rule = "| --- |"
            for (e = 1; e <= count; e++) {
                line = line " " env[e] " |"
                rule = rule " ---: |"
            }
            print line
            print rule
            for (m = 1; m <= methods; m++) {
                line = "| " order[m] " |"
                for (e = 1; e <= count; e++) {
                    n = rows[env[e], order[m]]
                    if (!n)
                        line = line " - |"
                    else if (what == "error")
                        line = line sprintf(" %.3g |", sqrt(error[env[e], order[m]] / n))
                    else
                        line = line sprintf(" %.2f |", seconds[env[e], order[m]] / n)
                }
                print line
            }
            if (what == "error") {
                line = "| *truth* |"
                for (e = 1; e <= count; e++)
                    line = line sprintf(" %.4g |", truth[env[e]])
                print line
            }
        }' "$csv"
}

echo "$seeds logs of 50 x 200 transitions per problem"
echo
table error
echo
table seconds

awk -F , -v seeds="$seeds" '
    NR > 1 {
        key = $1 "\", \"method\": \"" $3
        if (!(key in n))
            order[++keys] = key
        error[key] += ($4 - $5) ^ 2
        seconds[key] += $6
        n[key]++
    }
    END {
        printf "{\"name\": \"baselines\", \"seeds\": %d, \"rows\": [\n", seeds
        for (k = 1; k <= keys; k++)
            printf "  {\"problem\": \"%s\", \"rmse\": %.6g, \"seconds\": %.4g}%s\n", order[k],
                sqrt(error[order[k]] / n[order[k]]), seconds[order[k]] / n[order[k]],
                k < keys ? "," : ""
        print "]}"
    }' "$csv" >"$out/baselines.json"
