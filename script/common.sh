# common.sh - What the scripts share; sourced, never run.
#
# Sets `root` to the top of the source tree and goes there, so that a script works from any folder;
# `caller` is where it was called from.
# The comment at the top of a script is its --help.

set -euo pipefail
script=$(readlink -f "$0")
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
caller=$PWD
cd "$root"

# --help: the comment that opens the script, without its marks.
show_help() {
    awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$script"
}

# Handles --help; any other option is a mistake.
no_options() {
    case ${1-} in
    -h | --help)
        show_help
        exit 0
        ;;
    '') ;;
    *)
        echo "$(basename "$script"): '$1' is not an argument; --help says what is" >&2
        exit 2
        ;;
    esac
}

section() {
    printf '\n== %s\n' "$*"
}

# quietly TEXT COMMAND...: runs the command and says only TEXT and the time it took; what it
# printed is shown where it fails, and it stays in build/log/.
quietly() {
    local text=$1 log start status=0
    shift
    mkdir -p build/log
    log=build/log/$(basename "$script")-$(printf '%s' "$text" | tr -c 'a-zA-Z0-9' '-').txt
    start=$SECONDS
    printf '%s ... ' "$text"
    "$@" >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        printf 'failed (status %d); the end of %s:\n\n' "$status" "$log"
        tail -n 60 "$log"
        return "$status"
    fi
    printf 'done, %d s\n' $((SECONDS - start))
}

# build PRESET [CMAKE OPTION...]: configures and builds everything of a preset.
build() {
    local preset=$1
    shift
    cmake --preset "$preset" "$@" && cmake --build --preset "$preset"
}

# environment VENV LIST [VENV OPTION...]: a virtual environment with the packages of the list, which pins each by version and
# hash. The list that it was made from is kept inside: if that has changed, it is made anew.
environment() {
    local venv=$1 list=$2
    shift 2
    if cmp -s "$list" "$venv/requirements.txt"; then
        echo "$venv is there"
        return 0
    fi
    echo "making $venv"
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$@" "$venv"
    "$venv/bin/pip" install -q --no-deps --require-hashes --no-build-isolation -r "$list"
    cp "$list" "$venv/requirements.txt"
}
