#!/bin/bash
# Puts etcd, containerd, runc and a registry into DIR, and installs the packages that the nodes need.
#
#   tools.sh DIR
#
# Image volumes need containerd 2.1, which Debian's next release has. Its static programs also run on
# bookworm, so the script unpacks them instead of upgrading the machine. runc of that release needs a
# newer C library: bookworm's own is used.
set -euo pipefail
out=$(realpath -m "$1")
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

packages=(runc containernetworking-plugins iptables conntrack kmod ethtool socat iproute2 procps openssl curl xz-utils buildah busybox-static)
command -v kubectl >/dev/null || packages+=(kubernetes-client)
missing=()
for p in "${packages[@]}"; do dpkg -s "$p" >/dev/null 2>&1 || missing+=("$p"); done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
fi

mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep -m1 '/debian/*$')} suite=${SUITE:-forky}
mirror=${mirror%/}
unpack() { # unpack FILE-IN-THE-MIRROR: unpacks a package into ./root
  curl -sSfO "$mirror/$1"
  dpkg -x "${1##*/}" root
}
curl -sSf -o Packages.xz "$mirror/dists/$suite/main/binary-amd64/Packages.xz"
for p in containerd etcd-server; do
  unpack "$(xz -dc Packages.xz | awk -v p=$p '/^Package: /{n=$2} /^Filename: /{if(n==p){print $2; exit}}')"
done
cp root/usr/bin/{containerd,containerd-shim-runc-v2,ctr,etcd} "$out"
apt-get download -qq docker-registry
dpkg -x docker-registry_*.deb root
cp root/usr/bin/docker-registry "$out/registry"
ln -sf "$(command -v runc || echo /usr/sbin/runc)" "$out/runc"
ln -sf "$(command -v kubectl)" "$out/kubectl"
