#!/bin/bash
# Starts the cluster if it does not run, builds the images and Helm, and runs the scenarios. Arguments go to the test, for
# example -test.run 'TestCluster/(install|a_rollout)'. KEEP=1 leaves the cluster running.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
others=
finish() {
  [ -z "$others" ] || kill -- -"$others" 2>/dev/null || true
  [ -n "${KEEP:-}" ] || "$here/down.sh"
}
trap finish EXIT
[ -f "$CLUSTER/run/node1.init" ] || "$here/up.sh"
[ -x "$bin/helm" ] || { step "building Helm"; (cd "$root/test/chart" && go build -o "$bin/helm" helm.sh/helm/v4/cmd/helm); }
step "images"
for i in gateway controller crosswalk; do
  "$here/images.sh" $i >"$CLUSTER/log/image.log" 2>&1 || { cat "$CLUSTER/log/image.log"; exit 1; }
done
(cd "$root" && CGO_ENABLED=0 go build -trimpath -o "$bin/" ./cmd/crosswalk) # as make build and the image build it: from the cache
(cd "$root/test" && go test -c -o "$bin/cluster.test" ./cluster)
# The last scenarios wait for these, and the first ones need not. They fetch here, where names resolve: nodes have no name server.
step "MetalLB and cert-manager build beside the scenarios; see $CLUSTER/log/others.log"
set -m
nice "$here/others.sh" >"$CLUSTER/log/others.log" 2>&1 &
others=$!
set +m
step "scenarios"
cd "$here"
net env CROSSWALK_CLUSTER="$CLUSTER" "$bin/cluster.test" -test.v -test.timeout 60m "$@"
step "done"
