#!/usr/bin/env bash
# Checks formatting, where unsafe code is allowed, and what Sources must not contain.
set -euo pipefail
cd "$(dirname "$0")/.."

swift format lint --strict --recursive Package.swift Plugins Sources Tests Examples

# Unsafe code is allowed only in Compute/ and in the files that wrap a C library or a system interface.
wrappers='/(Compute/|CInterface/Boundary/|Sessions/SQLite[A-Za-z+]*\.swift|System/(ReadOnlyFile|DiskAccess|UnixSocket|SharedLibrary|WallTime|SystemMemory|Zlib|SampleKernels|ComputeExecutor|ProcessEnvironment)|Audio/(FFmpeg/FFmpeg|Files/OpenFile|Files/PathDiagnosis|Samples/ScratchFile|Recorder/RecorderFile|Capture/ALSA/ALSA|Capture/Pulse/Pulse|Capture/CaptureThread)[A-Za-z+]*\.swift|Tokenizer/BuiltInVocabulary|Models/Pull/Curl(Library|Transfer)|Server/(HTTP/(Descriptors|Soup(Library|Endpoint|Connection|Exchange|Socket|Filter)|EventLoop)|Sockets/[A-Za-z]+|Page/ServerFile)|Dictate/Keys/(InputDevices|SessionBus)|Process/(ProcessArguments|Signals|ChildProcess|CrashReport|LocalSocket|Machine)|Terminal/(KeyMode|StandardStreams|Terminal))'
stray=$(git grep -lw unsafe -- 'Sources/*.swift' | grep -vE "$wrappers" || true)
if [ -n "$stray" ]; then
    echo "error: unsafe code is not allowed in these files:" >&2
    echo "$stray" >&2
    exit 1
fi
if git grep -nE 'try!|as!|fatalError\(' -- 'Sources/*.swift' | grep -vE ':[0-9]+: *//'; then
    echo "error: throw an error instead of terminating the program" >&2
    exit 1
fi
if git grep -nE '^ *(package |public |internal )?import Foundation$' -- 'Sources/*.swift' ':!Sources/EngineFoundation'; then
    echo "error: the engine and the program must not import Foundation, which doubles the startup time" >&2
    exit 1
fi
