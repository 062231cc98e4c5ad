#!/usr/bin/env bash
# Runs the native tests of the SDKs that are not in Go, of all that there is a toolchain for; the others are skipped with a
# reason. What they build goes to bin/ of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

rust() {
	local cargo
	cargo=$(command -v cargo || command -v /opt/rust-wasm/bin/cargo) || {
		echo "skipped rust: no cargo (https://rustup.rs)"
		return
	}
	(cd rust && "$cargo" test --quiet --locked --offline --target-dir ../../bin/rust)
}

assemblyscript() {
	[[ -x assemblyscript/node_modules/.bin/asc ]] || {
		echo "skipped assemblyscript: no asc (cd sdk/assemblyscript && npm ci; needs Node.js 20)"
		return
	}
	(cd assemblyscript && node --test --test-reporter=dot test/ && echo)
}

zig() {
	local zig
	zig=$(type -P zig || type -P /opt/ziglang/ziglang/zig) || {
		echo "skipped zig: no zig (pip install ziglang)"
		return
	}
	"$zig" test --cache-dir ../bin/zig --global-cache-dir ../bin/zig --dep stash_vectors -Mroot=zig/src/crosswalk.zig \
		-Mstash_vectors=../plugins/testdata/stash.json
	"$zig" fmt --check zig ../plugins/*/zig ../plugins/testdata/*/zig
}

for language in ${*:-rust assemblyscript zig}; do
	echo "== sdk/$language"
	"$language"
done
