#!/usr/bin/env bash
# Makes .venv in the project folder and installs katachi there.
#
#   scripts/setup.sh base    what `make demo` needs
#   scripts/setup.sh dev     the tools and peers of `make test` too, and GNU Go and Chromium where
#                            apt can give them
#
# PYTHON=/path/to/python chooses the interpreter. Running it again is quick and changes nothing.
# Any failure is one line on stderr and exit status 1. An environment whose installation was cut
# off carries the mark .venv/unfinished and is made anew by the next run.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=.venv
venv_python=$venv/bin/python

say() { printf 'katachi: %s\n' "$*"; }

fail() {
    printf 'katachi: %s\n' "$*" >&2
    exit 1
}

# --- apt, where it can be used without asking for a password ---------------------------------

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

can_apt() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

apt_install() {
    can_apt || return 1
    say "apt-get install $*"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
    as_root "${apt[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1 && return
    as_root "${apt[@]}" update >/dev/null 2>&1 || true
    as_root "${apt[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1
}

# --- a Python that runs and is new enough ----------------------------------------------------

# Prints the interpreter behind a name; a version manager's shim may exist and still not run. Where an
# environment is active, the one it was made from: .venv must not be made anew by its own Python.
real_python() {
    "$1" -c 'import sys; sys.version_info >= (3, 11) or sys.exit(1)
print(getattr(sys, "_base_executable", "") or sys.executable)' 2>/dev/null
}

find_python() {
    local name
    if [ -n "${PYTHON:-}" ]; then
        real_python "$PYTHON"
        return
    fi
    for name in python3.13 python3.12 python3.11 python3.14 python3; do
        real_python "$name" && return
    done
    return 1
}

choose_python() {
    python=$(find_python) && return
    [ -z "${PYTHON:-}" ] || fail "PYTHON=$PYTHON does not run as Python 3.11 or newer"
    apt_install python3 python3-venv && python=$(find_python) && return
    fail "no Python 3.11 or newer found: install python3 and python3-venv, or set PYTHON=/path/to/python"
}

require_venv_module() {
    "$python" -c 'import ensurepip, venv' 2>/dev/null && return
    local package
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    apt_install "$package" && "$python" -c 'import ensurepip, venv' 2>/dev/null && return
    fail "$python cannot make virtual environments: install Debian's python3-venv (apt-get install $package)"
}

# --- what is there already -------------------------------------------------------------------

# Sets `place` (where the environment is and what runs it) and `needs` (what is installed in it).
# Only the parts of pyproject.toml that reach pip count, so that tool settings may be edited freely.
read_keys() {
    local keys
    keys=$("$python" - 2>&1 <<'PYTHON'
import hashlib, json, pathlib, re, sys, tomllib

project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())
parts = [json.dumps([project["build-system"], project["project"]], sort_keys=True)]
parts.append(pathlib.Path("constraints.txt").read_text())
parts += re.findall(r"^__version__.*$", pathlib.Path("src/katachi/__init__.py").read_text(), re.M)
print(hashlib.sha256("\n".join([sys.version, sys.executable, str(pathlib.Path.cwd())]).encode()).hexdigest())
print(hashlib.sha256("\n".join(parts).encode()).hexdigest())
PYTHON
    ) || fail "cannot read the project's files: ${keys##*$'\n'}"
    place=${keys%%$'\n'*}
    needs=${keys##*$'\n'}
}

holds() { [ -f "$1" ] && [ "$(<"$1")" = "$2" ]; }

is_ready() {
    [ -x "$venv_python" ] && [ ! -e $venv/unfinished ] && holds $venv/place "$place" || return 1
    holds $venv/ready-dev "$needs" || { [ "$1" = base ] && holds $venv/ready-base "$needs"; }
}

write_stamp() { printf '%s\n' "$2" >"$1.new" && mv "$1.new" "$1"; }

# --- making it -------------------------------------------------------------------------------

# Runs a command, showing its last line on a terminal; leaves all it said in `output`.
watch() {
    local line status
    output=
    while IFS= read -r line; do
        if [ "${line:0:7}" = "status=" ]; then
            status=${line#status=}
            continue
        fi
        output+=$line$'\n'
        [ ! -t 1 ] || printf '\r\033[K%.78s' "$line"
    done < <(status=0; "$@" 2>&1 </dev/null || status=$?; printf '\nstatus=%d\n' "$status")
    [ ! -t 1 ] || printf '\r\033[K'
    return "${status:-1}"
}

# Turns what a failed step said into the one line a person needs.
explain() {
    local what=$1 last
    case $output in
        *"No space left on device"* | *"Disk quota exceeded"*)
            fail "$what failed: no disk space left in $PWD or ${TMPDIR:-/tmp}" ;;
        *"Read-only file system"* | *"Permission denied"*)
            fail "$what failed: $PWD cannot be written to" ;;
        *"Failed to establish a new connection"* | *"Temporary failure in name resolution"* | \
        *"Connection refused"* | *"Network is unreachable"* | *"timed out"* | *"ProxyError"* | \
        *"(from versions: none)"*)
            [ ! -d $venv ] || forget_interruption
            fail "$what failed: the package index cannot be reached (no network?)" ;;
    esac
    last=$(grep -v '^ *$' <<<"$output" | grep -E 'ERROR|Error' | tail -n 1 || true)
    { printf '%s' "$output" >$venv/setup.log; } 2>/dev/null || true
    fail "$what failed: ${last:-for an unknown reason} (all of it: $venv/setup.log)"
}

# pip fetches everything before it changes anything: an environment that was whole still is.
forget_interruption() { [ ! -f $venv/place ] || rm -f $venv/unfinished; }

make_environment() {
    if [ -x "$venv_python" ] && [ ! -e $venv/unfinished ] && holds $venv/place "$place"; then
        return
    fi
    [ ! -e $venv ] || rm -rf $venv || fail "cannot remove the old $venv"
    output=$(mkdir $venv 2>&1 && : 2>&1 >$venv/unfinished) || explain "making $venv"
    watch "$python" -m venv --without-pip $venv || explain "making $venv"
    watch "$venv_python" -m ensurepip --default-pip || explain "making $venv"
}

install_katachi() {
    local target=.
    [ "$1" = base ] || target=".[$1]"
    say "installing into $venv with $("$python" -V) (the first time takes a minute or two)"
    export PIP_RETRIES=${PIP_RETRIES:-2}
    watch "$venv_python" -m pip install --no-input --disable-pip-version-check --progress-bar off \
        --constraint constraints.txt --editable "$target" || explain "pip install"
}

build() {
    make_environment
    output=$({ : >$venv/unfinished; } 2>&1) || explain "making $venv"
    install_katachi "$1"
    holds $venv/ready-dev "$needs" || rm -f $venv/ready-dev
    output=$({ write_stamp $venv/place "$place" && write_stamp "$venv/ready-$1" "$needs"; } 2>&1) ||
        explain "making $venv"
    rm -f $venv/unfinished
}

# Two set-ups at once wait for each other.
lock() {
    command -v flock >/dev/null || return 0
    { exec 9<.; } 2>/dev/null && flock 9
}

has_gnugo() { command -v gnugo >/dev/null || [ -x /usr/games/gnugo ]; }

report_gnugo() {
    has_gnugo || say "GNU Go is absent: tests marked gnugo will be skipped (apt-get install gnugo)"
}

has_chromium() {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
        command -v google-chrome >/dev/null
}

report_chromium() {
    has_chromium ||
        say "Chromium is absent: tests of the page in a browser will be skipped (apt-get install chromium)"
}

# What the tests use besides Python; without it they are skipped.
install_programs() {
    has_gnugo || apt_install gnugo || true
    has_chromium || apt_install chromium || true
}

report_programs() {
    report_gnugo
    report_chromium
}

main() {
    local kind=${1:-dev}
    [ "$kind" = base ] || [ "$kind" = dev ] || fail "usage: scripts/setup.sh [base|dev]"
    choose_python
    read_keys
    lock
    if ! is_ready "$kind"; then
        require_venv_module
        build "$kind"
        [ "$kind" = base ] || install_programs
        say "ready"
    fi
    [ "$kind" = base ] || report_programs
}

main "$@"
