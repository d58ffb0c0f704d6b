#!/usr/bin/env python3
"""Runs oracles into a temporary folder and compares what they wrote with Tests/Fixtures.

Reports every file as identical, within tolerance or different; the exit status is 1 if any is different. A run of all
oracles also reports fixtures of unknown origin, which neither an oracle nor the list MADE_OTHERWISE accounts for.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from common import FIXTURES

ORACLES = ["models", "formats", "pytorch", "mel", "tokenizer", "decoding", "timing", "writers", "seek", "vad",
           "quantization", "parakeet", "parakeet_beams", "faster", "model", "nano"]

# The largest allowed difference of a number; in JSON it may also be this share of the number. Everything else, and
# files elsewhere, must be equal.
TOLERANCES = {
    "mel/": 1e-4,
    "mel/filters": 5e-9,
    "model/": 2e-3,
    "timing/": 1e-6,
    "timing/micro": 2e-3,
    "decoding/": 1e-4,
    "nano/": 1e-4,
    "faster/": 1e-4,
    "vad/": 1e-4,
    "vad/random": 1e-12,
    "parakeet/": 2e-4,
}

# Times are multiples of 0.01 s or 0.02 s, so that a difference that may pass for a probability is an error there.
TIME_KEYS, TIME_TOLERANCE = {"start", "end"}, 1e-6

# Keys that describe the run, not the result.
IGNORED_KEYS = {"versions", "python", "zlib", "summary"}

# Fixtures that no oracle makes; Tests/Fixtures/README.md says how they were made.
MADE_OTHERWISE = ["**/README.md", "models/.gitignore", "audio/*", "clips/*", "cli/**/*", "real/**/*", "speakers/*",
                  "mel/*.wav", "vad/vad_clip.flac", "writers/*.csv", "writers/*.lrc", "writers/*.ass"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("oracles", nargs="*", metavar="ORACLE",
                        help=f"oracles to run (default: all): {', '.join(ORACLES)}")
    parser.add_argument("--compare-only", type=Path, metavar="FOLDER",
                        help="run nothing; compare the fixture folders in FOLDER")
    arguments = parser.parse_args()
    if unknown := set(arguments.oracles) - set(ORACLES):
        parser.error(f"no such oracle: {', '.join(sorted(unknown))}")
    if arguments.compare_only:
        if arguments.oracles:
            parser.error("--compare-only runs no oracles")
        sys.exit(report(arguments.compare_only))
    with tempfile.TemporaryDirectory() as folder:
        for oracle in arguments.oracles or ORACLES:
            run(oracle, folder)
        status = report(Path(folder))
        if not arguments.oracles:
            status |= report_unmade(Path(folder))
    sys.exit(status)


def run(oracle, folder):
    script = Path(__file__).with_name(f"{oracle}.py")
    subprocess.run([sys.executable, script, "--output", folder], check=True, stdout=subprocess.DEVNULL,
                   env=os.environ | {"OMP_NUM_THREADS": "1"})


def report(folder):
    """Compares every file below the folder with the fixture of the same name; returns the exit status."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        sys.exit(f"no files in '{folder}'")
    different = False
    for made in files:
        name = made.relative_to(folder)
        verdict = compare(made, FIXTURES / name, tolerance(name))
        print(f"{name}: {verdict}", flush=True)
        different |= verdict.startswith("different")
    return int(different)


def report_unmade(folder):
    """Reports fixtures of unknown origin; returns the exit status."""
    made = {path.relative_to(folder) for path in folder.rglob("*")}
    for pattern in MADE_OTHERWISE:
        made |= {path.relative_to(FIXTURES) for path in FIXTURES.glob(pattern)}
    unmade = [path for path in sorted(FIXTURES.rglob("*")) if path.is_file() and path.relative_to(FIXTURES) not in made]
    for path in unmade:
        print(f"{path.relative_to(FIXTURES)}: of unknown origin")
    return int(bool(unmade))


def tolerance(name):
    """The tolerance of the longest prefix in TOLERANCES; 0 if there is none."""
    matches = [prefix for prefix in TOLERANCES if str(name).startswith(prefix)]
    return TOLERANCES[max(matches, key=len)] if matches else 0.0


def compare(made, fixture, tolerance):
    if not fixture.exists():
        return "different: no such fixture"
    if made.read_bytes() == fixture.read_bytes():
        return "identical"
    if made.suffix == ".f32":
        return compare_floats(np.fromfile(made, "<f4"), np.fromfile(fixture, "<f4"), tolerance)
    if made.suffix == ".json":
        return compare_json(json.loads(made.read_text()), json.loads(fixture.read_text()), tolerance)
    return "different"


def compare_floats(made, expected, tolerance):
    if made.shape != expected.shape:
        return f"different: {made.size} values instead of {expected.size}"
    worst = np.abs(made - expected).max()
    return verdict(worst <= tolerance, f"largest difference {worst:.1e}, tolerance {tolerance:.0e}")


def compare_json(made, expected, tolerance):
    if made == expected:
        return "identical values"
    differences = list(json_differences(made, expected, tolerance))
    if differences:
        return f"different at {len(differences)} values, the first {differences[0]}"
    return f"within tolerance ({tolerance:.0e})"


def json_differences(made, expected, tolerance, at="$"):
    """Yields a description of each place where two JSON values differ by more than the tolerance."""
    if isinstance(made, dict) and isinstance(expected, dict):
        for key in sorted((made.keys() | expected.keys()) - IGNORED_KEYS):
            if key in made and key in expected:
                bound = min(tolerance, TIME_TOLERANCE) if key in TIME_KEYS else tolerance
                yield from json_differences(made[key], expected[key], bound, f"{at}.{key}")
            else:
                yield f"{at}.{key}: only in {'the new file' if key in made else 'the fixture'}"
    elif isinstance(made, list) and isinstance(expected, list) and len(made) == len(expected):
        for index, (item, other) in enumerate(zip(made, expected)):
            yield from json_differences(item, other, tolerance, f"{at}[{index}]")
    elif isinstance(made, float) and isinstance(expected, float):
        if not math.isclose(made, expected, rel_tol=tolerance, abs_tol=tolerance):
            yield f"{at}: {made!r} instead of {expected!r}"
    elif made != expected or type(made) is not type(expected):
        yield f"{at}: {json.dumps(made)[:60]} instead of {json.dumps(expected)[:60]}"


def verdict(equal, detail):
    return f"{'within tolerance' if equal else 'different'}: {detail}"


if __name__ == "__main__":
    main()
