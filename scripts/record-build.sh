#!/bin/sh
# Writes the commit and the compiler version to FILE as Swift code. Run by the build (Plugins/RecordBuild).
#
#   scripts/record-build.sh FILE SWIFTC
set -eu
file=$1 compiler=$2
cd "$(dirname "$0")/.."

# Filled in by `git archive` (.gitattributes).
# shellcheck disable=SC2016  # must not expand
commit='$Format:%h$'
case $commit in '$'*) commit=unknown ;; esac
# Use only this folder's own repository, not one that happens to contain it.
if [ -e .git ] && head=$(git rev-parse --short HEAD 2>/dev/null); then
    commit=$head
    changes=$(git --no-optional-locks status --porcelain -- Package.swift Plugins Sources scripts/record-build.sh)
    [ -z "$changes" ] || commit="$commit (modified)"
fi
swift=$("$compiler" --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/\1/p')

{
    echo "let recordedCommit = \"$commit\""
    echo "let recordedCompiler = \"Swift ${swift:-of unknown version}\""
} >"$file.new"
# Leave an unchanged file alone, so that nothing is recompiled or relinked.
if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
