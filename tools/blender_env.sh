#!/bin/sh
# Prints a Python that can import bpy, Blender as a module: $BLENDER_PYTHON, or that of the folder given, which is made
# with pip where it is missing. Blender is GPL and wants its own numpy: it stays in its own environment and process.
# usage: sh tools/blender_env.sh FOLDER
set -u
folder=$1
works() { [ -n "$1" ] && "$1" -c "import bpy" >/dev/null 2>&1; }

if works "${BLENDER_PYTHON:-}"; then echo "$BLENDER_PYTHON"; exit 0; fi
if works "$folder/bin/python"; then echo "$folder/bin/python"; exit 0; fi
# Each version of bpy has wheels for one version of Python.
for pair in "python3.11 bpy==5.0.1 numpy<2" "python3.13 bpy>=5.1 numpy"; do
    set -- $pair
    command -v "$1" >/dev/null || continue
    "$1" -m venv --clear "$folder" >&2 || continue
    "$folder/bin/python" -m pip --disable-pip-version-check --quiet install "$2" "$3" >&2 || continue
    if works "$folder/bin/python"; then echo "$folder/bin/python"; exit 0; fi
done
echo "no Python 3.11 or 3.13 into which bpy can be installed and imported" >&2
exit 1
