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

for language in ${*:-rust assemblyscript}; do
	echo "== sdk/$language"
	"$language"
done
