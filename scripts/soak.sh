#!/usr/bin/env bash
# Slow manual checks: ten hours of silence, ten hours of speech, a thousand recordings in one run.
# Prints the time and peak memory of each; the latest results are in Benchmarks/notes.md.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build -c release --product whisper-local >/dev/null
export WHISPER_LOCAL_MODEL=nano.en
program="$(swift build -c release --show-bin-path)/whisper-local"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

measure() {
    local name=$1
    shift
    python3 - "$name" "$@" <<'END'
import resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
seconds = time.monotonic() - start
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"{sys.argv[1]}: status {status}, {seconds:.1f} s, peak {peak:.0f} MiB", flush=True)
sys.exit(status)
END
}

python3 - "$work" <<'END'
import glob, itertools, sys, wave

def write(name, hours, clips):
    with wave.open(f"{sys.argv[1]}/{name}.wav", "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        remaining = int(hours * 3600) * 32000
        for clip in itertools.cycle(clips):
            if remaining <= 0:
                break
            out.writeframes(clip[:remaining])
            remaining -= len(clip)

speech = [wave.open(name).readframes(10**9) for name in sorted(glob.glob("Tests/Fixtures/clips/say-*.wav"))]
write("silence", 10, [bytes(3200000)])
write("speech", 10, speech)
write("minutes", 1 / 12, speech)
END
mkdir "$work/many"
for number in $(seq 1000); do cp Tests/Fixtures/clips/say-18.wav "$work/many/$number.wav"; done

greedy="--beam-size 1 --temperature-increment-on-fallback 0 --condition-on-previous-text false"
# shellcheck disable=SC2086  # several options
{
    measure "five minutes of speech" "$program" transcribe -q $greedy "$work/minutes.wav"
    measure "ten hours of silence" "$program" transcribe -q $greedy "$work/silence.wav"
    measure "a thousand recordings" "$program" transcribe -q $greedy -f txt -o "$work/out" "$work/many"
    measure "ten hours of speech" "$program" transcribe -q $greedy "$work/speech.wav"
}
