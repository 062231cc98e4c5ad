#!/bin/sh
# Builds a dictionary from its source in testdata: build.sh go1.26. A dictionary that a release had
# must not change: its files would need it for ever.
set -e
cd "$(dirname "$0")"
case "$(go env GOVERSION)" in "$1"|"$1".*) ;; *) echo "$1 is needed, but go has $(go env GOVERSION)" >&2; exit 1 ;; esac
module=$(mktemp)
trap 'rm -f "$module"' EXIT
(cd "testdata/$1" && GOFLAGS=-mod=mod GOWORK=off GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -buildvcs=false \
	-tags=crosswalk_adopt -ldflags='-s -w' -o "$module" .)
zstd -19 -q -f -o "$1.zst" "$module"
