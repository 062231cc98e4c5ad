#!/bin/bash
# Ends everything that up.sh started and removes the nodes; programs and images stay for the next time.
. "$(dirname "$0")/lib.sh"
for n in 1 2; do
  [ ! -f "$CLUSTER/run/node$n.init" ] || kill -9 "$(cat "$CLUSTER/run/node$n.init")" 2>/dev/null # the kernel ends all of its namespace
done
sleep 1
for n in 1 2; do
  ip netns del cw$n 2>/dev/null
  for c in cpu cpuacct cpuset memory devices freezer blkio pids systemd unified .; do
    [ ! -d /sys/fs/cgroup/$c/cw$n ] || find /sys/fs/cgroup/$c/cw$n -depth -type d -exec rmdir {} \; 2>/dev/null
  done
  rm -rf "$CLUSTER/node$n"
done
rm -rf "$CLUSTER/etcd" "$CLUSTER/registry"
[ ! -f "$CLUSTER/run/sysctl" ] || while read -r f v; do echo "$v" >"/proc/sys/$f"; done <"$CLUSTER/run/sysctl"
rm -rf "$CLUSTER/run"
if [ -d "$CLUSTER" ]; then
  echo "cluster: ended. Left for the next time: $CLUSTER ($(du -sh "$CLUSTER" | cut -f1): programs, images, certificates, logs), images of buildah" \
    "(buildah rmi --all), and Debian's packages of test/cluster/tools.sh."
fi
