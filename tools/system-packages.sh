#!/bin/sh
# Install the Debian packages that a target needs, only those that are missing.
# Usage: tools/system-packages.sh run|test
# With neither root nor password-less sudo it names them in one sentence and exits 1.
set -eu

missing=
need() { # need COMMAND-OR-FILE PACKAGE...
    probe=$1
    shift
    case $probe in
    /*) [ -e "$probe" ] && return ;;
    *) command -v "$probe" >/dev/null 2>&1 && return ;;
    esac
    missing="$missing $*"
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null 2>&1 || missing="$missing python3 python3-venv"
if command -v "$python" >/dev/null 2>&1; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        echo "Dicetower needs Python 3.11 or newer and $python is $("$python" -V 2>&1): run make with PYTHON=python3.11 or the like." >&2
        exit 1
    }
    "$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
fi

if [ "${1:-run}" = test ]; then
    need cc gcc libc6-dev
    # Ubuntu's chromium is a snap, which tests cannot give files to: tests/support/chromium.py brings another.
    if ! grep -qsx 'ID=ubuntu' /etc/os-release && ! command -v chromium-browser >/dev/null 2>&1 &&
        ! command -v google-chrome >/dev/null 2>&1; then
        need chromium chromium
    fi
    need avr-gcc gcc-avr
    need /usr/lib/avr/include/avr/io.h avr-libc
    need /usr/include/simavr/sim_avr.h libsimavr-dev
    need /usr/include/libelf.h libelf-dev
fi

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
else
    echo "Dicetower needs these Debian packages and may not install them itself:$missing. Run: sudo apt-get install$missing" >&2
    exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "Dicetower needs these packages, under their Debian names, and there is no apt-get here:$missing." >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
echo "Installing Debian packages:$missing" >&2
# shellcheck disable=SC2086 # a list of words is meant
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
