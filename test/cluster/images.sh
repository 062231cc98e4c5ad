#!/bin/bash
# Builds the images of the cluster: images.sh base|gateway|controller|crosswalk|pause, images.sh modules NAME FILE…, or
# images.sh program NAME FILE [ARGUMENT…].
#
# gateway, controller and crosswalk are targets of deploy/Dockerfile. Where no registry can be reached, its base image is made of this
# machine's Go first.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=${STORAGE_DRIVER:-overlay}
mkdir -p "$CLUSTER/images"

# image NAME CONTAINER: commits a container as an image.
image() {
  buildah commit -q "$2" "$1" >/dev/null
  buildah rm "$2" >/dev/null
}

base() (
  exec 9>"$CLUSTER/images/base.lock" # others.sh builds images beside run.sh
  flock 9
  buildah inspect --type image docker.io/library/golang:1.26 >/dev/null 2>&1 && exit
  c=$(buildah from scratch)
  m=$(buildah mount "$c")
  mkdir -p "$m"/{bin,usr/bin,usr/lib,usr/local,etc/ssl/certs,tmp,root,proc,sys,dev,go}
  chmod 1777 "$m/tmp"
  cp "$(command -v busybox)" "$m/bin/busybox"
  for a in sh ls cat cp mkdir env; do ln -s busybox "$m/bin/$a"; done
  cp -a "$(go env GOROOT)" "$m/usr/local/go"
  rm -rf "$m"/usr/local/go/{test,doc,api,misc}
  cp /usr/bin/git "$m/usr/bin/"
  cp -a /usr/lib/git-core "$m/usr/lib/"
  ldd /usr/bin/git | grep -oE '/[^ ]+' | xargs -I{} cp -L --parents {} "$m/"
  cp -L /etc/ssl/certs/ca-certificates.crt "$m/etc/ssl/certs/"
  echo root:x:0:0:root:/root:/bin/sh >"$m/etc/passwd"
  buildah umount "$c" >/dev/null
  buildah config --env PATH=/usr/local/go/bin:/usr/bin:/bin --env GOTOOLCHAIN=local --env GOPATH=/go --env HOME=/root "$c"
  image docker.io/library/golang:1.26 "$c"
)

case $1 in
base) base ;;
gateway | controller | crosswalk)
  base
  target=()
  [ "$1" = gateway ] || target=(--target "$1")
  # The caches are mounted for speed. A checkout may be a worktree, whose repository the build does not see: so no -buildvcs.
  buildah bud --network host -v "$(go env GOCACHE):/root/.cache/go-build" -v "$(go env GOMODCACHE):/go/pkg/mod" \
    --env GOFLAGS=-buildvcs=false --build-arg TARGETOS=linux --build-arg TARGETARCH=amd64 \
    -f "$root/deploy/Dockerfile" "${target[@]}" -t "crosswalk/$1:dev" "$root"
  ;;
pause) # the sandbox of each pod, the only image that no registry delivers
  c=$(buildah from scratch)
  buildah copy -q "$c" "$(command -v busybox)" /busybox >/dev/null
  buildah config --user 65535:65535 --entrypoint '["/busybox","sleep","2147483647"]' "$c"
  image registry.local/pause:1 "$c"
  rm -f "$CLUSTER/images/pause.tar"
  buildah push -q registry.local/pause:1 "oci-archive:$CLUSTER/images/pause.tar:registry.local/pause:1"
  ;;
modules) # files in /modules and a cp, for init containers
  name=$2
  shift 2
  c=$(buildah from scratch)
  buildah copy -q "$c" "$@" /modules/ >/dev/null
  buildah copy -q "$c" "$(command -v busybox)" /bin/cp >/dev/null
  buildah config --user 65532:65532 "$c"
  image "localhost/$name:dev" "$c"
  ;;
program) # one static program, which begins with the arguments
  name=$2 file=$3
  shift 3
  c=$(buildah from scratch)
  buildah copy -q "$c" "$file" /program >/dev/null
  entry='["/program"'
  for a in "$@"; do entry+=",\"$a\""; done
  buildah config --user 65532:65532 --entrypoint "$entry]" "$c"
  image "localhost/$name:dev" "$c"
  ;;
*)
  echo "usage: $0 base|gateway|controller|crosswalk|pause|modules NAME FILE…|program NAME FILE [ARGUMENT…]" >&2
  exit 2
  ;;
esac
