# Sourced by the scripts of this directory: paths, and how to run a command in a node.

CLUSTER=${CLUSTER:-/tmp/crosswalk-cluster}      # everything that the cluster is made of
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) # this directory
root=$(cd "$here/../.." && pwd)                 # the repository
bin=$CLUSTER/bin
registry=10.250.0.1:5000                        # in node 1; nodes know it as registry.example.com
began=${began:-$SECONDS}

step() { echo "[$((SECONDS - began)) s] $*"; }

# tools fetches the programs of others and Debian's packages, once.
tools() {
  mkdir -p "$bin" "$CLUSTER/log"
  [ -x "$bin/containerd" ] && [ -x "$bin/etcd" ] && [ -e "$bin/runc" ] || { step "packages"; "$here/tools.sh" "$bin"; }
}

# on NODE COMMAND…: runs a command in the namespaces of a node.
on() {
  local pid
  pid=$(cat "$CLUSTER/run/node$1.init")
  shift
  nsenter -t "$pid" -n -m -p -u --wd="$PWD" -- "$@"
}

# net COMMAND…: runs a command of this machine in the network of node 1.
net() { nsenter --net=/run/netns/cw1 -- "$@"; }

# wait_for SECONDS WHAT COMMAND…: runs a command until it succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "cluster: $what: not there in time; see $CLUSTER/log" >&2; return 1; }
    sleep 0.3
  done
}
