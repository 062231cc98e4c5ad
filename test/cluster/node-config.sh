#!/bin/bash
# Writes the configuration of containerd, CNI, kubelet and kube-proxy of a node: node-config.sh N.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
n=$1 node=$CLUSTER/node$1 pki=$CLUSTER/pki
mkdir -p "$node/etc/containerd/certs.d/registry.example.com"
printf 'server = "http://%s"\n[host."http://%s"]\n  capabilities = ["pull", "resolve"]\n' $registry $registry >"$node/etc/containerd/certs.d/registry.example.com/hosts.toml"
cat >"$node/etc/containerd/config.toml" <<C
version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
oom_score = 0
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  use_local_image_pull = false
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "registry.local/pause:1"
  [plugins."io.containerd.cri.v1.images".registry]
    config_path = "/etc/containerd/certs.d"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true # a machine may lack CAP_SYS_RESOURCE
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
        BinaryName = "$bin/runc"
        SystemdCgroup = false
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "/etc/cni/net.d"
[plugins."io.containerd.nri.v1.nri"]
  disable = true # its socket, /var/run/nri/nri.sock, is the machine's: the second node's containerd would not start
C
cat >"$node/etc/cni/net.d/10-cw.conflist" <<C
{"cniVersion": "1.0.0", "name": "cw", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isDefaultGateway": true, "hairpinMode": true, "ipMasq": false,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.$n.0/24"}]]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
C
cat >"$node/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false # the machine may have cgroup v1 only
cgroupDriver: cgroupfs
cgroupRoot: /cw$n
failSwapOn: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $pki/node$n.crt
tlsPrivateKeyFile: $pki/node$n.key
clusterDomain: cluster.local
clusterDNS: [10.96.0.10]
resolvConf: $node/resolv.conf
imageMinimumGCAge: 24h
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
C
cat >"$node/proxy.yaml" <<C
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $pki/proxy.kubeconfig}
clusterCIDR: 10.244.0.0/16
mode: iptables
hostnameOverride: node$n
conntrack: {maxPerCore: 0, min: 0, tcpCloseWaitTimeout: 0s, tcpEstablishedTimeout: 0s}
C
