#!/usr/bin/env bash
# Prints the man page: the help texts verbatim, one section per command, then environment, files and exit status.
#
#   scripts/manual.sh PROGRAM
set -euo pipefail
program=${1:?usage: scripts/manual.sh PROGRAM}

# A section with standard input as it stands.
section() {
    printf '.SH "%s"\n.nf\n' "$(echo "$1" | tr '[:lower:]' '[:upper:]')"
    sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'
    echo .fi
}

overview=$("$program" --help)
echo ".TH WHISPER-LOCAL 1 \"\" \"$("$program" --version | head -n 1)\""
printf '.SH NAME\nwhisper-local \\- offline speech recognition with Whisper models\n'
sed '/^Environment:$/,$d' <<<"$overview" | section description
for command in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$overview"); do
    "$program" "$command" --help | section "$command"
done
for title in Environment Files "Exit status"; do
    sed -n "/^$title:\$/,/^\$/p" <<<"$overview" | sed '1d; /^$/d' | section "$title"
done
