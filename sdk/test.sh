#!/usr/bin/env bash
# Runs the native tests of the SDKs that are not in Go, of all that there is a toolchain for; the others are skipped with a
# reason. What they build goes to bin/ of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

c() {
	command -v cc >/dev/null || {
		echo "skipped c: no C compiler (apt-get install gcc)"
		return
	}
	mkdir -p ../bin/c
	# shellcheck disable=SC2046 # flags are words
	cc -std=c99 -g -Wall -Wextra -Werror $(sanitizers) -Ic -o ../bin/c/stash c/test/stash.c
	../bin/c/stash ../plugins/testdata/stash.json
	local plugin
	for plugin in ../plugins/*/c ../plugins/testdata/helpers/c; do
		# shellcheck disable=SC2046
		cc -std=c99 -g -Wall -Wextra -Werror $(sanitizers) -Ic -o ../bin/c/vectors c/vectors.c "$plugin"/*.c
		../bin/c/vectors "$plugin/../testdata/vectors.json" 2>../bin/c/log || {
			cat ../bin/c/log
			return 1
		}
	done
}

# sanitizers prints the flags for them, if the compiler has them.
sanitizers() {
	local flags="-fsanitize=address,undefined -fno-sanitize-recover=all"
	# shellcheck disable=SC2086
	if echo 'int main(void) { return 0; }' | cc $flags -x c -o /dev/null - 2>/dev/null; then echo "$flags"; fi
}

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

for language in ${*:-c rust assemblyscript zig}; do
	echo "== sdk/$language"
	"$language"
done
