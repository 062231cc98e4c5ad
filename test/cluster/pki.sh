#!/bin/bash
# Certificates and kubeconfigs of the cluster, in $CLUSTER/pki, once.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
mkdir -p "$CLUSTER/pki"
cd "$CLUSTER/pki"
[ ! -f done ] || exit 0

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }

cert() { # cert NAME SUBJECT [ALTERNATIVE-NAMES]
  key "$1"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  { echo "extendedKeyUsage=clientAuth,serverAuth"; [ -z "${3:-}" ] || echo "subjectAltName=$3"; } >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile "$1.ext" -out "$1.crt" 2>/dev/null
}

kubeconfig() { # kubeconfig NAME
  cat >"$1.kubeconfig" <<K
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://10.250.0.1:6443", certificate-authority: $PWD/ca.crt}}]
users: [{name: u, user: {client-certificate: $PWD/$1.crt, client-key: $PWD/$1.key}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
K
}

key ca
openssl req -x509 -new -key ca.key -days 30 -subj /CN=kubernetes -out ca.crt -addext keyUsage=critical,keyCertSign,digitalSignature
service=DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local
cert apiserver /CN=kube-apiserver "$service,IP:10.96.0.1,IP:10.250.0.1,IP:127.0.0.1"
cert kubelet-client /O=system:masters/CN=apiserver-kubelet-client
cert aggregator /CN=front-proxy-client
cert admin /O=system:masters/CN=admin
cert manager /CN=system:kube-controller-manager
cert scheduler /CN=system:kube-scheduler
cert proxy /CN=system:kube-proxy
for n in 1 2; do cert node$n /O=system:nodes/CN=system:node:node$n "DNS:node$n,IP:10.250.0.$n"; done
for c in admin manager scheduler proxy node1 node2; do kubeconfig $c; done
openssl genrsa -out sa.key 2048 2>/dev/null
openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null
touch done
