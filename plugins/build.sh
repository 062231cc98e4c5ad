#!/usr/bin/env bash
# Builds every converter plugins/<plugin>/<language> for which there is a toolchain, to <out>/<language>/<MODULE>.wasm, where MODULE is the
# line in plugins/<plugin>/MODULE. It skips modules that are newer than their sources, and copies the sidecar, <MODULE>.yaml beside the
# sources or in plugins/<plugin>, beside the module. For native tests, it writes the golden cases of plugins/<plugin>/<MODULE>.yaml and the
# vectors in plugins/testdata/vectors/<plugin>.json to bin/vectors/<plugin>.json.
#
#   OUT=<out> plugins/build.sh [plugin…]      OUT: bin/plugins of the repository by default; plugins: all by default
#   LANGUAGES="c go"                          only these
#   CLANG=<clang>                             the C compiler; otherwise clang-19 … clang-14, clang, the first that can link
#   CLANGXX=<clang++>                         the C++ compiler, likewise
#   CFLAGS=<flags>                            more flags for both
#   CROSSWALK_TOOL=<crosswalk>                the authors' tool; otherwise bin/crosswalk, which is built
#   LUA=<directory>                           Lua's source; otherwise /opt/lua
#   ZIG=<zig>                                 Zig; otherwise zig, /opt/ziglang/ziglang/zig or python3 -m ziglang
#   CARGO=<cargo>                             Rust's cargo; otherwise cargo or /opt/rust-wasm/bin/cargo, the first that knows WebAssembly
#
# AssemblyScript and JavaScript need packages, at the pinned versions: (cd sdk/assemblyscript && npm ci), (cd sdk/javascript && npm ci).
#
# A language is added by a function build_<language> DIRECTORY FILE, which builds the sources in DIRECTORY (the working
# directory) to FILE, and, if its toolchain may be missing, a function check_<language>, which compiles and links a line, and explains what
# to install if that fails.
set -euo pipefail

plugins=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sdk=$(cd "$plugins/../sdk" && pwd)
out=${OUT:-$plugins/../bin/plugins}
mkdir -p "$out"
out=$(cd "$out" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"; rm -f "$out"/*/.[!.]*.tmp-$$ "$plugins"/../bin/vectors/.*.tmp-$$' EXIT

check_go() { command -v go >/dev/null || echo "no go (https://go.dev/doc/install)"; }

build_go() {
	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -buildvcs=false -trimpath -ldflags='-s -w' -o "$2" .
}

# check_c finds a clang that compiles and links WebAssembly and sets clang to it.
clang=
check_c() {
	echo '__attribute__((export_name("f"))) int f(void) { return 0; }' >"$scratch/f.c"
	local c
	for c in ${CLANG:-clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 clang}; do
		if "$c" "${c_flags[@]}" -o "$scratch/f.wasm" "$scratch/f.c" 2>/dev/null; then
			clang=$c
			return
		fi
	done
	echo "no clang that links WebAssembly (apt-get install clang lld)"
}

c_flags=(--target=wasm32-unknown-unknown -std=c11 -O2 -ffreestanding -nostdlib -msimd128 -mbulk-memory
	-Wall -Wextra -Werror -Wl,--no-entry -Wl,--strip-all -Wl,--stack-first)

build_c() {
	# shellcheck disable=SC2086 # flags are words
	"$clang" "${c_flags[@]}" ${CFLAGS:-} -I "$sdk/c" -o "$2" "$1"/*.c
}

# check_cpp finds a clang++ that compiles and links WebAssembly, without a standard library, and sets clangxx to it.
clangxx=
check_cpp() {
	echo 'extern "C" __attribute__((export_name("f"))) int f() { return 0; }' >"$scratch/f.cpp"
	local c
	for c in ${CLANGXX:-clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14 clang++}; do
		if "$c" "${cpp_flags[@]}" -o "$scratch/f.wasm" "$scratch/f.cpp" 2>/dev/null; then
			clangxx=$c
			return
		fi
	done
	echo "no clang++ that links WebAssembly (apt-get install clang lld)"
}

cpp_flags=(--target=wasm32-unknown-unknown -std=c++17 -O2 -ffreestanding -nostdlib -fno-exceptions -fno-rtti -msimd128 -mbulk-memory
	-Wall -Wextra -Werror -Wl,--no-entry -Wl,--strip-all -Wl,--stack-first)

build_cpp() {
	# shellcheck disable=SC2086 # flags are words
	"$clangxx" "${cpp_flags[@]}" ${CFLAGS:-} -I "$sdk/cpp" -I "$sdk/c" -o "$2" "$1"/*.cpp
}

# check_rust finds a cargo that compiles and links WebAssembly with the standard library, and sets cargo to it.
cargo=
check_rust() {
	local c
	mkdir -p "$scratch/line/src"
	printf '[package]\nname = "f"\n[lib]\ncrate-type = ["cdylib"]\n' >"$scratch/line/Cargo.toml"
	echo '#[no_mangle] pub extern "C" fn f() -> usize { String::new().len() }' >"$scratch/line/src/lib.rs"
	for c in ${CARGO:-cargo /opt/rust-wasm/bin/cargo}; do
		if (cd "$scratch/line" && "$c" build --quiet --offline --target wasm32-unknown-unknown >/dev/null 2>&1); then
			cargo=$c
			return
		fi
	done
	echo "no Rust that links WebAssembly (rustup target add wasm32-unknown-unknown, or .ci/install-rust-wasm.sh)"
}

build_rust() {
	local name
	name=$(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.toml)
	"$cargo" build --quiet --release --locked --offline --target wasm32-unknown-unknown --target-dir "$plugins/../bin/rust"
	cp "$plugins/../bin/rust/wasm32-unknown-unknown/release/$name.wasm" "$2"
}

check_assemblyscript() {
	runs_asc assemblyscript || echo "no asc that compiles (cd sdk/assemblyscript && npm ci; needs Node.js 20)"
}

# runs_asc compiles a line with the AssemblyScript of an SDK.
runs_asc() {
	echo 'export function f(): i32 { return 0; }' >"$scratch/f.ts"
	"$sdk/$1/node_modules/.bin/asc" "$scratch/f.ts" -o "$scratch/f.wasm" >/dev/null 2>&1
}

build_assemblyscript() {
	"$sdk/assemblyscript/node_modules/.bin/asc" "$1"/*.ts --config "$sdk/assemblyscript/asconfig.json" --target release -o "$2"
}

# The engine is built first; it is left alone if it is newer than its sources.
check_javascript() {
	{ [[ -d $sdk/javascript/node_modules/quickjs-wasi ]] && runs_asc javascript; } ||
		echo "no engine for JavaScript (cd sdk/javascript && npm ci; needs Node.js 20)"
}

build_javascript() {
	node "$sdk/javascript/engine/build.mjs" >&2
	node "$sdk/javascript/pack/pack.js" "$1"/*.js -o "$2"
}

# check_nim finds a Nim that compiles, and find_wasi_clang a clang that links programs for WASI, and sets wasi_clang to it.
wasi_clang=
check_nim() {
	find_wasi_clang
	[[ -n $wasi_clang ]] || return 0
	mkdir -p "$scratch/line"
	echo 'proc main(): cint {.exportc.} = 0' >"$scratch/line/f.nim"
	build_nim "$scratch/line" "$scratch/f.wasm" >/dev/null 2>&1 || echo "no nim that compiles (apt-get install nim)"
}

find_wasi_clang() {
	echo '#include <stdio.h>
int main(void) { return puts("f") < 0; }' >"$scratch/f.c"
	local c
	for c in ${CLANG:-clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 clang}; do
		if "$c" --target=wasm32-wasi -o "$scratch/f.wasm" "$scratch/f.c" -lwasi-emulated-signal 2>/dev/null; then
			wasi_clang=$c
			return
		fi
	done
	echo "no clang that links for WASI (apt-get install clang lld wasi-libc libclang-rt-dev-wasm32)"
}

# A plain program: see plugins/crontab/nim/README.md for what the flags are for.
build_nim() {
	nim c --verbosity:0 --hints:off --nimcache:"$scratch/nim" --out:"$2" --noMain:on \
		--cpu:wasm32 --os:linux --cc:clang --clang.exe:"$wasi_clang" --clang.linkerexe:"$wasi_clang" \
		--passC:"--target=wasm32-wasi -D_WASI_EMULATED_SIGNAL" \
		--passL:"--target=wasm32-wasi -lwasi-emulated-signal -Wl,--strip-all,--stack-first,-z,stack-size=1048576" \
		--mm:arc --exceptions:goto --threads:off -d:useMalloc -d:noSignalHandler -d:release "$1"/*.nim
}

# check_lua finds what the example in Lua needs: Lua's source, and a clang that links for WASI.
lua=${LUA:-/opt/lua}
check_lua() {
	if [[ ! -e $lua/lapi.c ]]; then
		echo "no Lua source (.ci/install-lua.sh, or LUA=<directory of https://www.lua.org/ftp/'s src>)"
		return
	fi
	find_wasi_clang
}

# Errors return to their pcall instead of jumping there, because WASI has no longjmp: see plugins/crontab/lua/README.md.
build_lua() {
	local sources
	mapfile -t sources < <(find "$lua" -maxdepth 1 -name 'l*.c' ! -name lua.c ! -name luac.c | sort)
	[[ -e $scratch/lua.wasm ]] || "$wasi_clang" --target=wasm32-wasi -O2 -w -I "$lua" \
		-D_SETJMP_H -Djmp_buf=int -Dluai_jmpbuf=int -include "$1/throw.h" \
		-D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS '-DLUA_PATH_DEFAULT="/?.lua"' '-DLUA_CPATH_DEFAULT=""' \
		"${sources[@]}" "$1/main.c" -lwasi-emulated-signal -lwasi-emulated-process-clocks \
		-Wl,--strip-all,--stack-first,-z,stack-size=1048576 -o "$scratch/lua.wasm"
	build_tool
	local name
	name=$(<"$1/../MODULE")
	mkdir -p "$scratch/bundle"
	cp "$1/$name.yaml" "$scratch/bundle"
	"$tool" compile --quiet "$scratch/lua.wasm" "$1"/crontab.lua "$1"/json.lua -o "$scratch/bundle/$name.wasm" >/dev/null
	mv "$scratch/bundle/$name.wasm" "$2"
}

# check_zig finds a Zig that compiles and links WebAssembly, and sets zig to it.
zig=()
zig_flags=(-target wasm32-freestanding -mcpu=generic+simd128+bulk_memory -O ReleaseFast -fstrip -fno-entry
	--cache-dir "$plugins/../bin/zig" --global-cache-dir "$plugins/../bin/zig")
check_zig() {
	local c
	for c in ${ZIG:-zig /opt/ziglang/ziglang/zig}; do
		zig=("$c")
		! links_zig || return 0
	done
	zig=(python3 -m ziglang)
	{ [[ -z ${ZIG:-} ]] && links_zig; } || echo "no Zig that links WebAssembly (https://ziglang.org/download, or pip install ziglang)"
}

# links_zig compiles and links a line with Zig.
links_zig() {
	echo 'export fn f() i32 { return 0; }' >"$scratch/f.zig"
	"${zig[@]}" build-exe "${zig_flags[@]}" --export=f -femit-bin="$scratch/f.wasm" "$scratch/f.zig" >/dev/null 2>&1
}

build_zig() {
	"${zig[@]}" build-exe "${zig_flags[@]}" --export=crosswalk_{abi_v1,alloc,convert,describe} --dep crosswalk -Mroot=main.zig \
		-Mcrosswalk="$sdk/zig/src/crosswalk.zig" -femit-bin="$2"
}

# build_tool updates the tool once, as make build does.
tool=${CROSSWALK_TOOL:-}
build_tool() {
	[[ -z $tool ]] || return 0
	tool=$plugins/../bin/crosswalk
	CGO_ENABLED=0 go build -C "$plugins/../cmd/crosswalk" -o "$tool"
}

# Rules need crosswalk alone.
build_rules() {
	build_tool
	mkdir -p "$scratch/rules"
	"$tool" compile "$1/rules.yaml" -o "$scratch/rules" >/dev/null
	mv "$scratch/rules/"*.wasm "$2"
}

# build PLUGIN LANGUAGE builds one converter that is older than its sources, if there is a toolchain, and says so.
build() {
	local source=$plugins/$1/$2 name target temporary
	name=$(<"$plugins/$1/MODULE")
	target=$out/$2/$name.wasm
	temporary=$out/$2/.$name.tmp-$$
	local uses=()
	[[ ! -e $sdk/$2 ]] || uses+=("$sdk/$2")
	[[ $2 != cpp ]] || uses+=("$sdk/c")                        # the SDK for C++ lies over the one for C
	[[ $2 != rules ]] || uses+=("$sdk/../cmd/crosswalk/rules") # the interpreter
	[[ $2 != lua ]] || uses+=("$sdk/../cmd/crosswalk/bundle")  # the functions for files
	local newer=missing
	if [[ -e $target ]]; then
		newer=$(find "$source" "${uses[@]}" "$plugins/$1/MODULE" "$plugins/build.sh" "$plugins/go.mod" -newer "$target" ! -path '*/testdata/*' ! -path '*/target/*' ! -path '*/node_modules/*' ! -name '*_test.go' -print -quit)
	fi
	[[ -z $newer ]] || has "$2" || return 0
	mkdir -p "$out/$2"
	local sidecar=$source/$name.yaml
	[[ -e $sidecar ]] || sidecar=$plugins/$1/$name.yaml
	if [[ -e $sidecar ]] && ! cmp -s "$sidecar" "$out/$2/$name.yaml"; then
		cp "$sidecar" "$temporary"
		mv "$temporary" "$out/$2/$name.yaml"
	fi
	if [[ -z $newer ]]; then
		current=$((current + 1))
	else
		(cd "$source" && "build_$2" "$source" "$temporary")
		mv "$temporary" "$target"
		echo "built $2/$name.wasm ($(size "$target"))"
	fi
	cases "$1" "$2"
}

# has reports whether there is a toolchain for a language, and says once why not.
has() {
	if [[ -z ${missing[$1]+known} ]]; then
		missing[$1]=
		if [[ -n ${LANGUAGES:-} && " $LANGUAGES " != *" $1 "* ]]; then
			missing[$1]="LANGUAGES leaves it out (make plugins)"
		elif ! declare -F "build_$1" >/dev/null; then
			missing[$1]="plugins/build.sh has no rule for it"
		elif declare -F "check_$1" >/dev/null; then
			"check_$1" >"$scratch/missing"
			missing[$1]=$(<"$scratch/missing")
		fi
		[[ -z ${missing[$1]} ]] || echo "skipped $1: ${missing[$1]}"
	fi
	[[ -z ${missing[$1]} ]]
}

# cases PLUGIN LANGUAGE writes the golden cases that all languages share, and the vectors that a sidecar cannot have, as the native tests
# read them. Both files are a list in JSON, with its brackets on lines of their own.
cases() {
	local name sidecar target vectors=$plugins/../bin/vectors more=$plugins/testdata/vectors/$1.json
	name=$(<"$plugins/$1/MODULE")
	sidecar=$plugins/$1/$name.yaml
	target=$out/$2/$name.wasm
	[[ -e $sidecar && ! -e $plugins/$1/$2/$name.yaml ]] || return 0 # a language's own sidecar has other cases
	[[ $vectors/$1.json -nt $sidecar && $vectors/$1.json -nt $plugins/build.sh && ! $more -nt $vectors/$1.json ]] && return
	build_tool
	mkdir -p "$vectors"
	local temporary=$vectors/.$1.tmp-$$
	"$tool" test --quiet --vectors "$temporary" "$target"
	if [[ -e $more ]]; then
		sed -i '$s/]/,/' "$temporary"
		sed 1d "$more" >>"$temporary"
	fi
	mv "$temporary" "$vectors/$1.json"
	echo "wrote the golden cases of $1"
}

size() {
	local bytes
	bytes=$(wc -c <"$1")
	if ((bytes < 1000000)); then echo "$(((bytes + 512) / 1024)) KiB"; else echo "$((bytes / 104858 / 10)).$((bytes / 104858 % 10)) MiB"; fi
}

selected=("$@")
if ((${#selected[@]} == 0)); then
	selected=()
	for module in "$plugins"/*/MODULE; do selected+=("$(basename "$(dirname "$module")")"); done
fi

current=0          # converters that are newer than their sources
declare -A missing # language → what to install, or "" when all is there
seen=0             # converters in the languages that are wanted
for plugin in "${selected[@]}"; do
	if [[ ! -e $plugins/$plugin/MODULE ]]; then
		echo "build.sh: there is no plugins/$plugin/MODULE: name directories of plugins, such as crontab" >&2
		exit 1
	fi
	for source in "$plugins/$plugin"/*/; do
		language=$(basename "$source")
		[[ $language == testdata ]] && continue
		[[ -n ${LANGUAGES:-} && " $LANGUAGES " != *" $language "* ]] || seen=$((seen + 1))
		build "$plugin" "$language"
	done
done
if ((seen == 0)); then
	echo "build.sh: no converter is in LANGUAGES=\"${LANGUAGES:-}\"" >&2
	exit 1
fi
((current == 0)) || echo "$current converters are built already"
