#!/bin/bash
# A Kubernetes cluster of two nodes on one machine, from nothing: no Docker, and no registry of the outside. As root:
#
#   up.sh      builds what is missing, starts everything, and returns when both nodes are Ready
#   down.sh    ends all of it
#
# A node is a set of namespaces, as a node of kind is a container: network, mounts, processes, host name. Node 1 also has the control
# plane and a registry. README.md explains the parts.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || { echo "cluster: namespaces and mounts need root" >&2; exit 1; }
mkdir -p "$CLUSTER"/{bin,log,run}
export PATH=$bin:/usr/sbin:/sbin:$PATH

tools
if [ ! -x "$bin/kube" ]; then
  version=$(cd "$here/kube" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
  minor=${version#v1.}
  v=k8s.io/component-base/version
  step "building Kubernetes $version"
  # As the tests are built: after make test-kube, half of the packages are in the build cache.
  (cd "$here/kube" && GOGC=400 CGO_ENABLED=0 go build -o "$bin/kube" -ldflags "-s -w -X $v.gitVersion=$version -X $v.gitMajor=1 \
    -X $v.gitMinor=${minor%%.*} -X $v.gitTreeState=clean -X k8s.io/client-go/pkg/version.gitVersion=$version" .)
fi
for c in kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubelet; do ln -sf kube "$bin/$c"; done
[ -f "$CLUSTER/images/pause.tar" ] || "$here/images.sh" pause
"$here/pki.sh"
pki=$CLUSTER/pki
step "programs and certificates"

# Kubelets set these for the whole machine; down.sh puts them back.
[ -f "$CLUSTER/run/sysctl" ] || for f in kernel/panic kernel/panic_on_oops vm/overcommit_memory; do
  echo "$f $(cat /proc/sys/$f)"
done >"$CLUSTER/run/sysctl"

# start NODE NAME COMMAND…: starts a process in a node, with its log in $CLUSTER/log/NAME.log.
start() {
  local n=$1 name=$2 pid
  shift 2
  pid=$(cat "$CLUSTER/run/node$n.init")
  nsenter -t "$pid" -n -m -p -u -- bash -c 'exec setsid "$@" </dev/null >>"$0" 2>&1' "$CLUSTER/log/$name.log" env "PATH=$PATH" "$@" </dev/null >/dev/null 2>&1 &
}

cgroups=()
for c in cpu cpuacct cpuset memory devices freezer blkio pids systemd; do [ ! -d /sys/fs/cgroup/$c ] || cgroups+=("$c"); done
for n in 1 2; do
  ip netns add cw$n 2>/dev/null || true
  node=$CLUSTER/node$n
  mkdir -p "$node"
  rm -f "$node/ready"
  if [ ${#cgroups[@]} -gt 0 ]; then # version 1: a tree for each controller
    for c in "${cgroups[@]}"; do mkdir -p /sys/fs/cgroup/$c/cw$n; done
    for f in cpuset.cpus cpuset.mems; do cat /sys/fs/cgroup/cpuset/$f >/sys/fs/cgroup/cpuset/cw$n/$f; done
  else
    mkdir -p /sys/fs/cgroup/cw$n
  fi
  nsenter --net=/run/netns/cw$n unshare --mount --uts --pid --fork --kill-child --mount-proc --propagation private \
    env CLUSTER="$CLUSTER" "$here/node.sh" $n </dev/null >"$CLUSTER/log/node$n.log" 2>&1 &
  echo $! >"$CLUSTER/run/node$n.unshare"
  wait_for 30 "namespaces of node $n" test -f "$node/ready"
  pgrep -P "$(cat "$CLUSTER/run/node$n.unshare")" | head -1 >"$CLUSTER/run/node$n.init"
done
ip -n cw1 link show cw0 >/dev/null 2>&1 || ip link add cw0 netns cw1 type veth peer name cw0 netns cw2
for n in 1 2; do
  other=$((3 - n))
  ip -n cw$n link set lo up
  ip -n cw$n link set cw0 up
  ip -n cw$n addr replace 10.250.0.$n/24 dev cw0
  ip -n cw$n route replace 10.244.$other.0/24 via 10.250.0.$other
  ip -n cw$n route replace default via 10.250.0.$other
  on $n sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1 || true
done
step "two nodes' namespaces"

start 1 etcd etcd --name=e --data-dir="$CLUSTER/etcd" --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
  --listen-peer-urls=http://127.0.0.1:2380 --initial-advertise-peer-urls=http://127.0.0.1:2380 --initial-cluster=e=http://127.0.0.1:2380 \
  --unsafe-no-fsync --log-level=warn
start 1 kube-apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address=10.250.0.1 --bind-address=0.0.0.0 --secure-port=6443 \
  --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true --service-cluster-ip-range=10.96.0.0/16 \
  --client-ca-file="$pki/ca.crt" --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
  --kubelet-client-certificate="$pki/kubelet-client.crt" --kubelet-client-key="$pki/kubelet-client.key" --kubelet-certificate-authority="$pki/ca.crt" \
  --kubelet-preferred-address-types=InternalIP --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-account-key-file="$pki/sa.pub" --service-account-signing-key-file="$pki/sa.key" \
  --requestheader-client-ca-file="$pki/ca.crt" --requestheader-allowed-names=front-proxy-client --requestheader-username-headers=X-Remote-User \
  --requestheader-group-headers=X-Remote-Group --requestheader-extra-headers-prefix=X-Remote-Extra- \
  --proxy-client-cert-file="$pki/aggregator.crt" --proxy-client-key-file="$pki/aggregator.key"
cat >"$CLUSTER/registry.yml" <<R
version: 0.1
log: {level: warn}
storage: {filesystem: {rootdirectory: $CLUSTER/registry}, delete: {enabled: true}}
http: {addr: ":5000"}
R
start 1 registry registry serve "$CLUSTER/registry.yml"

# kubectl and helm for people and for the tests.
for c in kubectl helm; do
  printf '#!/bin/bash\nKUBECONFIG=%s exec nsenter --net=/run/netns/cw1 -- %s "$@"\n' "$pki/admin.kubeconfig" "$bin/$c" >"$CLUSTER/$c"
  chmod +x "$CLUSTER/$c"
done
kubectl() { "$CLUSTER/kubectl" "$@"; }
wait_for 120 "the API server" kubectl get --raw=/readyz
step "the API server is ready"
start 1 kube-controller-manager kube-controller-manager --kubeconfig="$pki/manager.kubeconfig" --authentication-kubeconfig="$pki/manager.kubeconfig" \
  --authorization-kubeconfig="$pki/manager.kubeconfig" --use-service-account-credentials --service-account-private-key-file="$pki/sa.key" \
  --root-ca-file="$pki/ca.crt" --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key" --leader-elect=false --bind-address=127.0.0.1
start 1 kube-scheduler kube-scheduler --kubeconfig="$pki/scheduler.kubeconfig" --authentication-kubeconfig="$pki/scheduler.kubeconfig" \
  --authorization-kubeconfig="$pki/scheduler.kubeconfig" --leader-elect=false --bind-address=127.0.0.1

for n in 1 2; do
  "$here/node-config.sh" $n
  start $n containerd$n containerd --config /etc/containerd/config.toml
done
for n in 1 2; do
  wait_for 60 "containerd of node $n" on $n ctr version
  on $n ctr -n k8s.io images import "$CLUSTER/images/pause.tar" >/dev/null
  start $n kubelet$n kubelet --config="$CLUSTER/node$n/kubelet.yaml" --kubeconfig="$pki/node$n.kubeconfig" --hostname-override=node$n --node-ip=10.250.0.$n
  start $n kube-proxy$n kube-proxy --config="$CLUSTER/node$n/proxy.yaml"
done
ready() { [ "$(kubectl get nodes | grep -cw Ready)" = 2 ]; }
wait_for 180 "two nodes" ready
kubectl get nodes -o wide
step "both nodes are Ready"
