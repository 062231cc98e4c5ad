#!/bin/bash
# Process 1 of a node: node.sh N. It runs in mount, PID and UTS namespaces of its own, in the network namespace cwN. It gives the node its
# own directories of kubelet and containerd, and then waits; when it ends, the kernel ends every process of the node.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
n=$1 node=$CLUSTER/node$1
hostname "node$n"
mount --make-rshared /
for p in /var/lib/kubelet /var/lib/containerd /run/containerd /var/lib/cni /run/cni /etc/cni/net.d /var/log/pods /var/log/containers /run/netns /etc/containerd; do
  mkdir -p "$p" "$node$p"
  mount --bind "$node$p" "$p"
  mount --make-rshared "$p"
done
echo "nameserver 127.0.0.1" >"$node/resolv.conf"
printf '127.0.0.1 localhost node%s\n10.250.0.1 registry.example.com\n' "$n" >"$node/hosts"
mount --bind "$node/hosts" /etc/hosts
touch "$node/ready"
trap 'exit 0' TERM
while :; do
  sleep 3600 &
  wait
done
