#!/usr/bin/env bash
# Runs the native tests of the SDKs in languages other than Go. It skips languages without a toolchain and prints the reason. Build output
# goes to bin/ of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

c() {
	has cc || return 0
	native cc -std=c99
	../bin/native/stash ../plugins/testdata/stash.json
	../bin/native/declared
}

cpp() {
	has c++ || return 0
	native c++ -std=c++17 -fno-exceptions -fno-rtti -Icpp -x c++
	../bin/native/values 2>../bin/native/log || {
		cat ../bin/native/log
		return 1
	}
	grep -qx '1 a line of the test, level 1' ../bin/native/log || {
		echo "the line that values logs is missing"
		return 1
	}
	wasi
}

# wasi builds a converter in C++ beside a standard library, as the README says one can.
wasi() {
	local flags="--target=wasm32-wasi -mexec-model=reactor -std=c++20 -O2 -fno-exceptions -fno-rtti -msimd128 -mbulk-memory -Wall -Wextra -Werror"
	# shellcheck disable=SC2086 # flags are words
	if ! printf '#include <string_view>\nint main() {}\n' | clang++-19 $flags -x c++ -o ../bin/native/wasi.wasm - 2>/dev/null; then
		echo "skipped: no C++ library for WASI (apt-get install wasi-libc libclang-rt-19-dev-wasm32 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32)"
		return
	fi
	# shellcheck disable=SC2086
	clang++-19 $flags -Icpp -Ic -o ../bin/native/wasi.wasm ../plugins/crontab/cpp/*.cpp
}

has() { command -v "$1" >/dev/null || { echo "skipped: no $1 (apt-get install gcc g++)" && false; }; }

# native COMPILER OPTION… builds the tests of the language that calls it, to ../bin/native, and runs the golden cases of all converters,
# which plugins/build.sh writes, and the vectors of the helpers.
native() {
	local language=${FUNCNAME[1]} source vectors
	mkdir -p ../bin/native
	# shellcheck disable=SC2046 # flags are words
	set -- "$@" -g -Wall -Wextra -Werror -Ic $(sanitizers)
	for source in "$language"/test/*; do
		"$@" -o "../bin/native/$(basename "${source%.*}")" "$source"
	done
	for source in ../plugins/*/"$language" "../plugins/testdata/helpers/$language"; do
		"$@" -o ../bin/native/vectors c/vectors.c "$source"/*."$language"
		vectors=$(dirname "$source")/testdata/vectors.json
		[[ -e $vectors ]] || vectors=../bin/vectors/$(basename "$(dirname "$source")").json
		../bin/native/vectors "$vectors" 2>../bin/native/log || {
			cat ../bin/native/log
			return 1
		}
	done
}

# sanitizers prints the flags for them, if the compiler has them.
sanitizers() {
	local flags="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all" # without -O1, 50,000 levels take a minute
	# shellcheck disable=SC2086
	if echo 'int main(void) { return 0; }' | cc $flags -x c -o /dev/null - 2>/dev/null; then echo "$flags"; fi
}

rust() {
	local cargo
	cargo=$(command -v cargo || command -v /opt/rust-wasm/bin/cargo) || {
		echo "skipped rust: no cargo (https://rustup.rs)"
		return
	}
	has cc || return 0 # the linker
	# make's pipe for its jobs is not open here, and cargo would warn of that.
	(cd rust && env -u MAKEFLAGS -u MFLAGS "$cargo" test --quiet --locked --offline --target-dir ../../bin/rust)
}

assemblyscript() {
	[[ -x assemblyscript/node_modules/.bin/asc ]] || {
		echo "skipped assemblyscript: no asc (cd sdk/assemblyscript && npm ci; needs Node.js 20)"
		return
	}
	(cd assemblyscript && node --test --test-reporter=dot test/ && echo)
}

javascript() {
	[[ -d javascript/node_modules/quickjs-wasi ]] || {
		echo "skipped javascript: no engine (cd sdk/javascript && npm ci; needs Node.js 20)"
		return
	}
	(cd javascript && node engine/build.mjs && node --test --test-reporter=dot test/test.mjs && echo)
}

zig() {
	local zig
	zig=$(type -P zig || type -P /opt/ziglang/ziglang/zig) || {
		echo "skipped zig: no zig (pip install ziglang)"
		return
	}
	"$zig" test --cache-dir ../bin/zig --global-cache-dir ../bin/zig --dep stash_vectors -Mroot=zig/src/crosswalk.zig \
		-Mstash_vectors=../plugins/testdata/stash.json
	"$zig" fmt --check zig ../plugins/*/zig ../plugins/testdata/{crashes,edits,helpers}/zig
}

for language in ${*:-c cpp rust assemblyscript javascript zig}; do
	echo "== sdk/$language"
	"$language"
done
