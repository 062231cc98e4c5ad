#!/bin/bash
# Builds the images of controller and crosswalk and the programs of others, which the later scenarios install, and adopts MetalLB's
# conversions; programs that are there stay. OTHERS=metallb builds no others.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$here/others"
[ -n "${OTHERS:-}" ] || for i in crosswalk controller; do
  "$here/images.sh" $i
  touch "$CLUSTER/images/$i.built"
done
metallb=go.universe.tf/metallb
module=$CLUSTER/metallb/BGPPeer.metallb.io_v1beta2_v1beta1.wasm.zst
if [ ! -f "$module" ]; then
  version=$(go list -m -f '{{.Version}}' $metallb)
  rm -rf "$CLUSTER/metallb"
  (cd "$root" && "$bin/crosswalk" adopt "$metallb/api/v1beta1@$version" "$metallb/api/v1beta2@$version" --kind BGPPeer --dir "$CLUSTER/metallb")
fi
for program in ${OTHERS:-metallb gitops certmanager}; do
  [ ! -x "$bin/$program" ] || continue
  case $program in
  gitops) (cd "$root/test/gitops" && GOTOOLCHAIN=go1.27.3 CGO_ENABLED=0 go build -o "$bin/gitops.new" .) ;;
  *) CGO_ENABLED=0 go build -ldflags '-s -w' -o "$bin/$program.new" "./$program" ;;
  esac
  mv "$bin/$program.new" "$bin/$program"
done
echo done
