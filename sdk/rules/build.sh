#!/usr/bin/env bash
# Builds the interpreter of rules:
#
#   sdk/rules/build.sh OUT      CLANG=<clang>: the compiler; clang-19 by default, the one of the built file in the repository
set -euo pipefail
out=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
exec "${CLANG:-clang-19}" --target=wasm32-unknown-unknown -std=c11 -Os -ffreestanding -nostdlib -msimd128 -mbulk-memory \
	-Wall -Wextra -Werror -Wl,--no-entry -Wl,--strip-all -Wl,--stack-first \
	-Wl,--export=crosswalk_rules -Wl,--export=__heap_base -o "$out" rules.c
