#!/bin/bash
# Builds the programs of others that scenarios install, and adopts MetalLB's conversions; what is there stays. OTHERS=metallb leaves
# cert-manager out.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$here/others"
metallb=go.universe.tf/metallb
module=$CLUSTER/metallb/BGPPeer.metallb.io_v1beta2_v1beta1.wasm.zst
if [ ! -f "$module" ]; then
  version=$(go list -m -f '{{.Version}}' $metallb)
  rm -rf "$CLUSTER/metallb"
  (cd "$root" && "$bin/crosswalk" adopt "$metallb/api/v1beta1@$version" "$metallb/api/v1beta2@$version" --kind BGPPeer --dir "$CLUSTER/metallb")
fi
for program in ${OTHERS:-metallb certmanager}; do
  [ -x "$bin/$program" ] || { CGO_ENABLED=0 go build -ldflags '-s -w' -o "$bin/$program.new" "./$program" && mv "$bin/$program.new" "$bin/$program"; }
done
echo done
