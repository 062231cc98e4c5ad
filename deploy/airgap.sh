#!/usr/bin/env bash
# Carries a release and modules to a cluster without a network.
#
#   airgap.sh save RELEASE MODULES ARCHIVE   puts a release's directory and a directory of modules into an archive
#   airgap.sh load ARCHIVE REGISTRY [DIR]    verifies it, copies its images to a registry, and prints how to install it
#
# Both print the archive's SHA-256: the files are the release's only if the two are the same.
# load needs skopeo, or SKOPEO with the path of one, and unpacks to DIR (default: crosswalk-airgap), which is new or empty.
# SKOPEO_FLAGS are flags for its copy, such as --dest-tls-verify=false.
# With RELEASE_KEY, a file with the public key of the release, both accept only files that SHA256SUMS.sig has signed; modules have
# signatures of their own.
set -euo pipefail

# verified fails unless the list of the release in a directory has the signature of RELEASE_KEY, if there is one.
verified() {
  [ -n "${RELEASE_KEY:-}" ] || { echo "airgap.sh: the release's signature is not verified: RELEASE_KEY is not set" >&2; return 0; }
  openssl pkeyutl -verify -pubin -inkey "$RELEASE_KEY" -rawin -in "$1/$2" -sigfile "$1/$2.sig" >&2 ||
    { echo "airgap.sh: $1/$2.sig is not a signature by $RELEASE_KEY" >&2; exit 1; }
}

# unlisted prints a file among those on standard input that a list of checksums does not have.
unlisted() { grep -vxF -f <(sed -E 's#^[^ ]* [ *](\./)?#./#' "$1") | head -n 1 | cat -v || true; }

save() {
  local release=$1 modules=$2 archive=$3 work
  verified "$release" SHA256SUMS
  (cd "$release" && sha256sum --check --quiet --ignore-missing SHA256SUMS)
  work=$(mktemp -d)
  trap "rm -rf '$work'" EXIT
  cp "$release"/*-image.tar "$release"/crosswalk-chart-*.tgz "$release"/crosswalk-v*-linux-* "$release"/README.md "$release"/LICENSES.txt "$work"
  chmod +x "$work"/crosswalk-v*-linux-{amd64,arm64} # a download is not executable
  cp "$release/SHA256SUMS" "$work/RELEASE"
  [ ! -e "$release/SHA256SUMS.sig" ] || cp "$release/SHA256SUMS.sig" "$work/RELEASE.sig"
  cp -RL "$modules" "$work/modules"
  cp "$release/airgap.sh" "$work"
  (cd "$work" && find . -type f ! -path ./SHA256SUMS | sort | xargs sha256sum > SHA256SUMS)
  tar -C "$work" -cf "$archive" .
  sha256sum "$archive"
}

load() {
  local archive=$1 registry=$2 dir=${3:-crosswalk-airgap} skopeo=${SKOPEO:-skopeo} image name version digest odd arch=amd64
  case $(uname -m) in aarch64 | arm64) arch=arm64 ;; esac
  mkdir -p "$dir"
  # Files of another release would be in the printed commands.
  [ -z "$(ls -A "$dir")" ] || { echo "airgap.sh: $dir is not empty: remove it, or name another directory" >&2; exit 1; }
  sha256sum "$archive"
  tar -C "$dir" --no-same-owner -xf "$archive"
  verified "$dir" RELEASE
  cd "$dir"
  sha256sum --check --quiet --strict SHA256SUMS
  # What the list does not name is not the release's, and a name would be a part of the printed commands.
  odd=$(find . ! -type d ! -path ./SHA256SUMS | unlisted SHA256SUMS)
  [ -z "$odd" ] || { echo "airgap.sh: SHA256SUMS of $archive does not list $odd" >&2; exit 1; }
  odd=$(find . ! \( -type d -o -type f \) -o ! -path . -name '*[!A-Za-z0-9._-]*')
  [ -z "$odd" ] || { echo "airgap.sh: $archive has a file that no release has: $(head -n 1 <<<"$odd" | cat -v)" >&2; exit 1; }
  sha256sum --check --quiet --strict --ignore-missing RELEASE
  odd=$(find . -type f ! -path './modules/*' ! -path ./SHA256SUMS ! -path ./RELEASE ! -path ./RELEASE.sig | unlisted RELEASE)
  [ -z "$odd" ] || { echo "airgap.sh: the release of $archive does not list $odd" >&2; exit 1; }
  for image in *-image.tar; do
    name=${image%%-v*} version=${image#"$name"-} version=${version%-image.tar}
    "$skopeo" copy --all --preserve-digests --quiet --digestfile digest ${SKOPEO_FLAGS:-} "oci-archive:$image" "docker://$registry/$name:$version"
    echo "$registry/$name:$version@$(cat digest)"
    [ "$name" != gateway ] || digest=$(cat digest)
  done
  echo "
kubectl create namespace crosswalk-system
kubectl label namespace crosswalk-system pod-security.kubernetes.io/enforce=restricted
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 365 -subj /CN=crosswalk \\
  -addext subjectAltName=DNS:crosswalk.crosswalk-system.svc -keyout tls.key -out tls.crt   # or a certificate of your CA
kubectl -n crosswalk-system create secret tls crosswalk-tls --cert tls.crt --key tls.key
$(printf %q "$PWD/$(ls crosswalk-v*-linux-$arch)") configmap crosswalk-modules $(printf %q "$PWD")/modules/* | kubectl apply -n crosswalk-system --server-side -f -
helm install crosswalk $(printf %q "$PWD/$(ls crosswalk-chart-*.tgz)") -n crosswalk-system \\
  --set image.repository=$(printf %q "$registry/gateway") --set image.digest=$digest"
}

case ${1:-}/$# in
save/4) save "$2" "$3" "$4" ;;
load/3 | load/4) load "${@:2}" ;;
*)
  sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac
