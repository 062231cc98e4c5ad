#!/usr/bin/env bash
# Installs Lua's source to /opt/lua, from the crate that has it, for the example in Lua.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/src"
touch "$scratch/src/lib.rs"
cat >"$scratch/Cargo.toml" <<'END'
[package]
name = "lua"
version = "0.0.0"
[dependencies]
lua-src = "=551.1.0"
END
cargo vendor --quiet --manifest-path "$scratch/Cargo.toml" "$scratch/vendor" >/dev/null
mkdir -p /opt/lua
cp "$scratch"/vendor/lua-src/lua-5.4.*/*.[ch] /opt/lua/
