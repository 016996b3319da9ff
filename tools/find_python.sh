#!/bin/sh
# Prints the first Python that is new enough and can make a venv: find_python.sh MINIMUM [WANTED]
minimum=$1
wanted=$2
check="import sys, venv, ensurepip
low = tuple(map(int, '$minimum'.split('.')))
sys.exit(0 if sys.version_info[:2] >= low else 1)"
version="import sys; print('%d.%d.%d' % sys.version_info[:3])"
found=""
if [ -n "$wanted" ]; then
    set -- "$wanted"
else
    set -- python3 python3.13 python3.12 python3.11 python
fi
for name in "$@"; do
    path=$(command -v "$name") || continue
    if "$path" -c "$check" >/dev/null 2>&1; then
        echo "$path"
        exit 0
    fi
    found="$found
  $path is $("$path" -c "$version" 2>/dev/null || echo 'not a working Python')"
done
{
    echo "gambol needs Python $minimum or newer with the venv module, and none was found${wanted:+ as $wanted}."
    if [ -n "$found" ]; then
        echo "Found, but too old or without venv:$found"
    fi
    echo "Install one (Debian and Ubuntu: apt install python3 python3-venv; others: https://www.python.org/downloads)"
    echo "or say where it is: make test PYTHON=/path/to/python3.12"
} >&2
exit 1
