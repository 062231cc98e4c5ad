#!/bin/sh
# Prints a ConfigMap with modules in it, for kubectl apply --server-side -f -
#
#   deploy/configmap.sh NAME FILE...
#
# The namespace is $NAMESPACE, crosswalk-system if that is not set. Server-side, because the other way of applying keeps a copy of
# everything in an annotation, which may have 256 KiB only.
set -eu

fail() {
	echo "configmap.sh: $*" >&2
	exit 1
}

[ $# -ge 2 ] || fail "usage: $0 NAME FILE..."
name=$1
shift

limit=1048576 # bytes of all values together, before base64: what API servers take
total=0
for file; do
	[ -f "$file" ] || fail "$file: there is no such file"
	case ${file##*/} in
	*[!-._a-zA-Z0-9]*) fail "$file: a ConfigMap's keys have letters, digits, '-', '_' and '.' only" ;;
	*.wasm | *.wasm.gz | *.wasm.zst | *.removed | *.yaml | *.crd.json | SHA256SUMS | SHA256SUMS.sig | SHA256SUMS.sigstore.json) ;;
	*) fail "$file: the gateway reads no such file: it takes modules (.wasm, .wasm.gz, .wasm.zst), what goes with them (.yaml, .crd.yaml, .crd.json, .removed), SHA256SUMS and its signature (SHA256SUMS.sig, SHA256SUMS.sigstore.json)" ;;
	esac
	total=$((total + $(wc -c <"$file")))
done
[ "$total" -le "$limit" ] ||
	fail "$total bytes, but a ConfigMap has $limit at most: compress with zstd -19 or gzip -9, use several ConfigMaps or another volume (deploy/README.md)"

cat <<END
apiVersion: v1
kind: ConfigMap
metadata:
  name: $name
  namespace: ${NAMESPACE:-crosswalk-system}
binaryData:
END
for file; do
	printf '  %s: ' "${file##*/}"
	base64 <"$file" | tr -d '\n'
	echo
done
