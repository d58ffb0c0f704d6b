#!/usr/bin/env bash
# Transcribes an archive with GNU parallel, locally or over ssh on hosts that share the same file system:
#
#   parallel.sh [--hosts 4/n1,4/n2] [--jobs N] [--threads N] LIST PARTS ARCHIVE OUTPUT [OPTION…]
#
# LIST and PARTS come from `plan` or `collect`; the options are those of `whisper-local transcribe`. --jobs is the
# number of parts that each host works on at the same time (by default 1, or the number before the host's slash),
# --threads the number of cores for each of them (default 4). If it is interrupted, the same command continues where it
# stopped. It stops early if a tenth of the parts fail.
set -euo pipefail

hosts=: jobs=1 threads=4
while [ $# -gt 0 ]; do
    case "$1" in
    --hosts) hosts=${2:?--hosts needs a list} ;;
    --jobs) jobs=${2:?--jobs needs a number} ;;
    --threads) threads=${2:?--threads needs a number} ;;
    --help | -h) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) break ;;
    esac
    shift 2
done
if [ $# -lt 4 ]; then
    echo "error: LIST, PARTS, ARCHIVE and OUTPUT are needed" >&2
    echo "try: $0 --help" >&2
    exit 64
fi
for number in "$jobs" "$threads" "$2"; do
    if ! [[ $number =~ ^[1-9][0-9]{0,4}$ ]]; then
        printf 'error: %q is not a number from 1 to 99999\n' "$number" >&2
        echo "try: $0 --help" >&2
        exit 64
    fi
done
list=$(realpath -- "$1") parts=$2 archive=$(realpath -- "$3") output=$(realpath -m -- "$4")
shift 4
task=$(realpath -- "$(dirname -- "$0")")/archive.sbatch
# A log that is older than the list belongs to a previous list.
log=$list.joblog
[ ! "$list" -nt "$log" ] || rm -f "$log"
program=${WHISPER_LOCAL:-whisper-local}
bar=()
[ ! -t 2 ] || bar=(--bar)
# Quoted here, because parallel passes the line to a shell.
command=$(printf '%q ' env "WHISPER_LOCAL=$program" "SLURM_CPUS_PER_TASK=$threads" "SLURM_ARRAY_JOB_ID=parallel")
arguments=$(printf '%q ' bash "$task" "$list" "$parts" "$archive" "$output" "$@")
seq "$parts" | parallel --will-cite --sshlogin "$hosts" --jobs "$jobs" "${bar[@]}" --joblog "$log" --resume-failed \
    --halt soon,fail=10% "$command SLURM_ARRAY_TASK_ID={} $arguments"
