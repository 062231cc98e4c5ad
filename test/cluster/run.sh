#!/bin/bash
# Starts the cluster if it does not run, builds the images and Helm, and runs the scenarios. Arguments go to the test, for
# example -test.run 'TestCluster/(install|a_rollout)'. KEEP=1 leaves the cluster running.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
[ -n "${KEEP:-}" ] || trap '"$here/down.sh"' EXIT
[ -f "$CLUSTER/run/node1.init" ] || "$here/up.sh"
[ -x "$bin/helm" ] || (cd "$root/test/chart" && CGO_ENABLED=0 go build -o "$bin/helm" helm.sh/helm/v4/cmd/helm)
if [ ! -x "$bin/certmanager" ] || [ ! -x "$bin/metallb" ]; then
  step "building cert-manager, and MetalLB's webhook"
  (cd "$here/others" && CGO_ENABLED=0 go build -ldflags '-s -w' -o "$bin/" ./certmanager ./metallb)
fi
step "images"
for i in gateway controller crosswalk; do
  "$here/images.sh" $i >"$CLUSTER/log/image.log" 2>&1 || { cat "$CLUSTER/log/image.log"; exit 1; }
done
(cd "$root" && CGO_ENABLED=0 go build -o "$bin/" ./cmd/crosswalk)
(cd "$root/test" && go test -c -o "$bin/cluster.test" ./cluster)
step "scenarios"
cd "$here"
net env CROSSWALK_CLUSTER="$CLUSTER" "$bin/cluster.test" -test.v -test.timeout 60m "$@"
step "done"
