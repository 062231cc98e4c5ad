#!/bin/bash
# Compares definitions with those of a revision: compat.sh [-o FORMAT] REVISION FILE…. It exits with 1 if one of them breaks stored
# objects or clients. Files that are new, or have no CustomResourceDefinition now or at the revision, are left out.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: compat.sh [-o FORMAT] REVISION FILE..." >&2; exit 2; }
format=table
if [ "$1" = -o ]; then format=$2; shift 2; fi
revision=$1
shift
git rev-parse -q --verify "$revision^{commit}" >/dev/null || { echo "compat: there is no revision ${revision:-(empty)}: fetch it, for example with fetch-depth: 0" >&2; exit 2; }
# Not grep -q, which may end before git show, whose write to a closed pipe would fail.
defines() { grep "^kind: *[\"']\?CustomResourceDefinition" | cat >/dev/null; }
code=0
for file; do
  [ -e "$file" ] || { echo "compat: $file: no such file" >&2; code=2; continue; }
  defines <"$file" || continue
  git cat-file -e "$revision:./$file" 2>/dev/null || continue
  git show "$revision:./$file" | defines || continue
  git show "$revision:./$file" | crosswalk compat --quiet -o "$format" - "$file" || code=$?
done
exit $code
