#!/usr/bin/env bash
# Puts a Rust that compiles to WebAssembly in /opt/rust-wasm (bin/cargo and bin/rustc), for machines that reach Debian's packages
# but no rustup. Debian has a recent Rust for its browsers, rustc-web, with the source of the standard library and of all that it
# needs; the standard library for wasm32-unknown-unknown is built from that, which takes two minutes of CPU. The packages are
# unpacked, not installed, so that they leave another Rust alone. Does nothing if this very script has put it there already.
set -euo pipefail

prefix=/opt/rust-wasm
target=wasm32-unknown-unknown
linker=wasm-ld-19
complete=$prefix/complete-$(sha256sum <"${BASH_SOURCE[0]}" | cut -c1-16)
[[ ! -e $complete ]] || exit 0

apt-get update -qq
version=$(apt-cache policy rustc-web | sed -n 's/^ *Candidate: //p')
if [[ -z $version || $version == '(none)' ]]; then
	echo "this distribution has no package rustc-web: Rust is left out" >&2
	exit 0
fi
short=$(cut -d. -f1,2 <<<"$version") # the library's package has 1.96 in its name

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cd "$scratch"

apt-get -o APT::Sandbox::User=root download -qq rustc-web cargo-web libstd-rust-web-dev "libstd-rust-web-$short" rust-web-src >/dev/null
# What the compiler and cargo link to, read from the packages themselves; not the packages that we unpack.
depends=$(for deb in rustc-web_*.deb cargo-web_*.deb libstd-rust-web-"$short"_*.deb; do dpkg-deb -f "$deb" Depends; done |
	tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g' | grep '^lib' | grep -v '^libstd-rust' | sort -u)
# shellcheck disable=SC2086 # one package a word
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $depends "${linker/wasm-ld/lld}" gcc libc6-dev >/dev/null
rm -rf "$prefix"
mkdir -p "$prefix/bin"
for deb in *.deb; do dpkg-deb -x "$deb" "$prefix/root"; done

usr=$prefix/root/usr
source=$(echo "$usr"/src/rustc-*)
ln -sfn "$source" "$usr/lib/rustlib/src/rust"
variable=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$target")_LINKER
for tool in rustc cargo; do
	cat >"$prefix/bin/$tool" <<-SCRIPT
		#!/bin/sh
		export LD_LIBRARY_PATH=$usr/lib/$(uname -m)-linux-gnu RUSTC=$usr/bin/rustc RUSTDOC=$usr/bin/rustdoc $variable=$linker
		exec $usr/bin/$tool "\$@"
	SCRIPT
	chmod +x "$prefix/bin/$tool"
done

# An empty crate, built together with its standard library; the libraries go where the compiler looks for them.
mkdir -p empty/src empty/.cargo
cd empty
echo '#![no_std]' >src/lib.rs
cat >Cargo.toml <<-'TOML'
	[package]
	name = "empty"
	version = "0.0.0"
	edition = "2021"

	[profile.release]
	opt-level = "s"
	panic = "abort"
TOML
cat >.cargo/config.toml <<-TOML
	[source.crates-io]
	replace-with = "vendored"
	[source.vendored]
	directory = "$source/library/vendor"
TOML
CARGO_HOME=$scratch/home RUSTC_BOOTSTRAP=1 RUSTFLAGS='-C embed-bitcode=yes' "$prefix/bin/cargo" --quiet build \
	--offline --release --target "$target" -Z build-std=std,panic_abort
mkdir -p "$usr/lib/rustlib/$target/lib"
cp "target/$target/release/deps/"*.rlib "$usr/lib/rustlib/$target/lib/"
rm -f "$usr/lib/rustlib/$target/lib/"libempty-*.rlib

"$prefix/bin/rustc" --version
touch "$complete"
