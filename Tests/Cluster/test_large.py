"""Memory does not grow with the number of recordings."""
import json
import os
import resource
import subprocess
import sys
from multiprocessing import get_context

from conftest import ROOT

CLIP = ROOT / "Tests/Fixtures/clips/say-01.wav"
#: The peak may differ by that much between runs. A million names would take 60 MiB.
NOISE = 3 << 10


def _peak(words):
    status = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    return status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def peak(*words):
    """The status of a program, and its peak memory in KiB."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (list(map(str, words)),))


def link_many(folder, count):
    """Folders of 1,000 recordings each, all links to the same file or, because links are limited, to copies of it."""
    for number in range(count):
        target = folder / f"{number // 1000:03}/recording {number % 1000:03}.wav"
        if number % 1000 == 0:
            target.parent.mkdir(parents=True)
        if number % 20000 == 0:
            target.write_bytes(CLIP.read_bytes())
            first = target
        else:
            os.link(first, target)


def test_plan(tmp_path):
    peaks = []
    for count in (2000, 30_000):
        link_many(tmp_path / f"{count}", count)
        status, kib = peak(sys.executable, ROOT / "scripts/cluster/plan", tmp_path / f"{count}", tmp_path / "work", tmp_path / "out")
        assert status == 0
        assert (tmp_path / "work/recordings.list").read_bytes().count(b"\0") == count
        peaks.append(kib)
    assert peaks[1] < peaks[0] + NOISE


def test_collect(tmp_path):
    # More reports than a process can have open files.
    reports, peaks = 1100, []
    # Either fills the database's cache.
    for count in (80_000, 240_000):
        work = tmp_path / f"{count}"
        (work / "reports").mkdir(parents=True)
        (work / "plan.json").write_text(json.dumps({"archive": "a", "output": "o"}))
        with (work / "recordings.list").open("wb") as file:
            file.writelines(b"30.000\tfolder/recording %06d.wav\0" % number for number in range(count))
        for task in range(reports):
            with (work / f"reports/7_{task}.jsonl").open("w") as file:
                for number in range(task, count, reports):
                    outcome = "failed" if number % 1000 == 7 else "done"
                    file.write(json.dumps({"path": f"folder/recording {number:06}.wav", "sha256": "0" * 64, "outcome": outcome,
                                           "error": "damaged" if outcome == "failed" else None}) + "\n")
        status, kib = peak("bash", "-c", 'ulimit -n 200; exec "$@"', "bash", sys.executable, ROOT / "scripts/cluster/collect", work)
        assert status == 65
        assert (work / "failed").read_bytes().count(b"\n") == count // 1000
        assert (work / "report.jsonl").read_bytes().count(b"\n") == count
        peaks.append(kib)
    assert peaks[1] < peaks[0] + NOISE
