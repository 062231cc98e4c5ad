#!/bin/bash
# Starts the cluster if it does not run, builds the images and Helm meanwhile, and runs the scenarios. Arguments go to the test, for
# example -test.run 'TestCluster/(install|a_rollout)'. KEEP=1 leaves the cluster running.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
others= up=
finish() {
  [ -z "$up" ] || kill "$up" 2>/dev/null || true
  [ -z "$others" ] || kill -- -"$others" 2>/dev/null || true
  [ -n "${KEEP:-}" ] || "$here/down.sh"
}
trap finish EXIT
tools
rm -f "$CLUSTER"/images/*.built # by an earlier run, of other sources
step "building crosswalk"
CGO_ENABLED=0 go build -C "$root/cmd/crosswalk" -o "$bin/" # as make build builds it: from the cache
# The last scenarios wait for these, and the first ones need not. They fetch here, where names resolve: nodes have no name server.
step "programs of others build beside the rest; see $CLUSTER/log/others.log"
set -m
nice "$here/others.sh" >"$CLUSTER/log/others.log" 2>&1 &
others=$!
set +m
# The cluster mostly waits while it starts.
[ -f "$CLUSTER/run/node1.init" ] || { "$here/up.sh" & up=$!; }
[ -x "$bin/helm" ] || { step "building Helm"; (cd "$root/test/chart" && go build -o "$bin/helm" helm.sh/helm/v4/cmd/helm); }
step "the gateway's image"
"$here/images.sh" gateway >"$CLUSTER/log/image.log" 2>&1 || { cat "$CLUSTER/log/image.log"; exit 1; }
step "the scenarios' program"
(cd "$root/test" && go test -c -o "$bin/cluster.test" ./cluster)
[ -z "$up" ] || wait "$up"
up=
step "scenarios"
cd "$here"
net env CROSSWALK_CLUSTER="$CLUSTER" "$bin/cluster.test" -test.v -test.timeout 60m "$@"
step "done"
