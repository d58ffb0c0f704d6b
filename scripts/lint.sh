#!/usr/bin/env bash
# Format, and the rules about where unsafe code and C may stand.
set -euo pipefail
cd "$(dirname "$0")/.."

swift format lint --strict --recursive Package.swift Sources Tests

# Pointers stay in Compute/ and in the one file that wraps each C library or part of the system.
wrappers='/(Compute/|System/(ReadOnlyFile|FolderListing|DiskAccess|SQLiteDatabase|SharedLibrary|WallTime|ProcessMemory|SystemMemory)|Audio/(FFmpeg/FFmpeg|Files/OpenFile|Files/PathDiagnosis|Samples/ScratchFile|Recorder/RecorderFile|Capture/ALSA/ALSA|Capture/CaptureThread)[A-Za-z+]*\.swift|Decoding/Zlib|Arguments/Process|Inputs/FileSystem|Terminal/(Signals|KeyMode|StandardStreams|TerminalDevice|ChildProcess|CrashReport))'
stray=$(git grep -lw unsafe -- 'Sources/*.swift' | grep -vE "$wrappers" || true)
if [ -n "$stray" ]; then
    echo "error: unsafe code outside its files:" >&2
    echo "$stray" >&2
    exit 1
fi
if git grep -nE 'try!|as!|fatalError\(' -- 'Sources/*.swift' | grep -vE ':[0-9]+: *//'; then
    echo "error: code that gives up instead of throwing" >&2
    exit 1
fi
if git grep -nE '^ *(package |public |internal )?import Foundation$' -- 'Sources/*.swift'; then
    echo "error: Foundation is not used in Sources: it doubles the time to start" >&2
    exit 1
fi
