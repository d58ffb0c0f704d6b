#!/usr/bin/env bash
# Dictates a sentence ten times into a new window of each desktop without a screen (Tests/Fixtures/cli/desktop.sh): while the
# key is held, the recording is played to a microphone without hardware (microphone.sh). Prints how often the window has
# exactly the text, and how long that took after the key was released.
#
#   Benchmarks/dictation.sh PROGRAM [MODEL]     MODEL is tiny.en by default
set -u
program=$(realpath "${1:?usage: Benchmarks/dictation.sh PROGRAM [MODEL]}") model=${2:-tiny.en}
here=$(realpath "$(dirname "$0")/..")
clip=$here/Tests/Fixtures/clips/say-01.wav
export LC_ALL=C.UTF-8
seconds() { date +%s.%N; }
recorded() { [ "$(pactl list short source-outputs | wc -l)" -ge 2 ]; }
same() { [ -s said ] && [ "$(cat said)" = "$(cat got.txt 2>/dev/null)" ]; }

for desktop in wayland x11; do
    (
        cd "$(mktemp -d)" || exit
        . "$here/Tests/Fixtures/cli/microphone.sh"
        . "$here/Tests/Fixtures/cli/desktop.sh"
        microphone mic 2>errors && $desktop 2>>errors || { cat errors; exit 1; }
        delays="" exact=0 texts=""
        for run in 1 2 3 4 5 6 7 8 9 10; do
            [ "$run" = 1 ] || window 2>>errors
            rm -f said talk
            "$program" dictate -v -m "$model" --type --device pulse --no-sounds >said 2>talk &
            talk=$!
            processes="$processes $talk"
            until_true grep -q loaded talk && until_true test -S run/whisper-local/dictate.sock && until_true recorded
            "$program" dictate start
            paplay -d mic "$clip"
            "$program" dictate stop
            start=$(seconds)
            for _ in $(seq 1000); do
                same && break
                sleep 0.01
            done
            end=$(seconds)
            same && exact=$((exact + 1))
            texts="$texts$(cat said)
"
            delays="$delays $(awk "BEGIN { printf \"%.2f\", $end - $start }")"
            "$program" dictate quit
            wait $talk
        done
        echo "$desktop: $exact of 10 exact; seconds:" $(tr ' ' '\n' <<<"$delays" | sort -n | paste -sd ' ')
        sort <<<"${texts%?}" | uniq -c
    ) 2>/dev/null
done
