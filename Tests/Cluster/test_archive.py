"""An archive goes through `plan`, `sbatch`, a power cut, `collect` and a second `sbatch`."""
import json
import re
import shlex
import subprocess
from collections import Counter

import pytest

from conftest import OPTIONS, RECORDINGS, ROOT
from slurm import wait_until

#: Seconds for all tasks, on a busy machine.
ARRAY_SECONDS = 900
FAILED = {"damaged/empty.wav", "damaged/poisoned.flac", "damaged/secret.wav"}


def documented(heading):
    """The commands of the first block below a heading of docs/scaling.md."""
    text = (ROOT / "docs/scaling.md").read_text().partition(f"\n## {heading}\n")[2]
    return [line for line in re.search(r"```sh\n(.*?)```", text, re.S)[1].splitlines() if not line.startswith("#")]


def is_proposed(command, proposed):
    """Whether a command is the proposed one, with options of sbatch and of the program."""
    words, proposed = [word for word in shlex.split(command) if not word.startswith("--cpus")], shlex.split(proposed)
    return words[:len(proposed)] == proposed


def with_options(proposed):
    return proposed.strip().replace("sbatch", "sbatch --cpus-per-task=1", 1) + " " + " ".join(OPTIONS)


def submit(place, cluster, line):
    status, output = place.run(line, cluster)
    assert status == 0
    return re.search(r"Submitted batch job (\d+)", output)[1]


def wait_for_end(cluster, job):
    def is_over():
        for task, state, _ in cluster.tasks(job):
            if state == "PENDING" and task.isdigit():
                # A task that is requeued waits for two minutes.
                cluster.run("scontrol", "update", f"JobId={job}_{task}", "StartTime=now", check=False)
        return all(state not in ("PENDING", "RUNNING", "COMPLETING") for _, state, _ in cluster.tasks(job))

    wait_until(is_over, ARRAY_SECONDS, "all tasks end")


def reports(place, work):
    return [json.loads(line) for path in sorted((place.folder / work / "reports").glob("*.jsonl"))
            for line in path.read_text().splitlines()]


def check_transcripts(place, name):
    transcripts, expected = place.files(name), place.files("expected")
    assert transcripts.keys() == expected.keys()
    assert [path for path in expected if transcripts[path] != expected[path]] == []
    # Text, subtitles and a stamp.
    assert len(expected) == 3 * RECORDINGS


def test_archive_with_a_power_cut(place, cluster):
    plan, first, collect, second = documented("An archive on Slurm")
    status, proposed = place.run(plan)
    assert status == 0
    assert is_proposed(first, proposed)
    job = submit(place, cluster, first)
    tasks = int(re.search(r"--array=1-(\d+)", first)[1])
    cluster.run("scancel", f"{job}_{tasks}")

    def lines(task):
        path = place.folder / "work/reports" / f"{job}_{task}.jsonl"
        return path.read_text().count("\n") if path.exists() else 0

    victims = []

    def is_working():
        victims[:] = [task for task, state, node in cluster.tasks(job) if (state, node) == ("RUNNING", "n2")]
        return any(lines(task) >= 3 for task in victims)

    wait_until(is_working, ARRAY_SECONDS, "n2 transcribes")
    cluster.kill_node("n2")
    wait_until(lambda: cluster.states()["n2"].startswith("down"), 60, "n2 is down")
    cluster.start_node("n2")
    wait_for_end(cluster, job)
    # Slurm soon forgets the one that was cancelled before it began.
    states = Counter(state for _, state, _ in cluster.tasks(job) if state != "CANCELLED")
    assert states == {"COMPLETED": tasks - 1}
    assert cluster.facts(job, "Restarts")[victims[0]] == ("1",)

    status, output = place.run(collect)
    assert status == 75
    assert re.match(r"\d+ done, \d failed, [1-9]\d* missing\n", output)
    assert is_proposed(second, output.splitlines()[-1])
    before = len(reports(place, "work"))
    wait_for_end(cluster, submit(place, cluster, second))
    missing = int(re.search(r"(\d+) missing", output)[1])
    assert len(reports(place, "work")) == before + missing, "only what was missing ran"

    status, output = place.run(collect)
    assert (status, output.splitlines()[0]) == (65, f"{RECORDINGS} done, 3 failed, 0 missing")
    assert set((place.folder / "work/failed").read_text().split()) == FAILED
    for reason in ("permission denied", "empty", "damaged"):
        assert reason in output
    check_transcripts(place, "transcripts")
    done = Counter(line["path"] for line in reports(place, "work") if line["outcome"] == "done")
    assert set(done.values()) == {1}, "each exactly once"
    merged = [json.loads(line) for line in (place.folder / "work/report.jsonl").read_text().splitlines()]
    assert len({line["path"] for line in merged}) == len(merged) == RECORDINGS + 3
    assert all(len(line["sha256"]) == 64 and line["words"] >= 0 and line["duration"] > 0
               for line in merged if line["outcome"] == "done")


def test_full_disk(place, cluster):
    disk = place.folder / "small"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("mounting needs root")
    try:
        status, command = place.run("scripts/cluster/plan 'archive/1950/reel 0' work-small small")
        assert status == 0
        job = submit(place, cluster, with_options(command))
        wait_for_end(cluster, job)
        assert cluster.facts(job, "JobState", "ExitCode") == {"1": ("FAILED", "74:0")}
        status, output = place.run("scripts/cluster/collect work-small")
        assert status == 75
        done = int(re.match(r"(\d+) done, 0 failed", output)[1])
        assert done > 0
        subprocess.run(["mount", "-o", "remount,size=1m", str(disk)], check=True)
        job = submit(place, cluster, with_options(output.splitlines()[-1]))
        wait_for_end(cluster, job)
        assert cluster.facts(job, "JobState", "ExitCode") == {"1": ("COMPLETED", "0:0")}
        assert place.run("scripts/cluster/collect work-small")[0] == 0
        expected = {path.removeprefix("1950/reel 0/"): text for path, text in place.files("expected").items()
                    if path.startswith("1950/reel 0/")}
        assert place.files("small") == expected
        assert Counter(line["outcome"] for line in reports(place, "work-small"))["done"] == len(expected) // 3
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_gnu_parallel(place):
    assert place.run("scripts/cluster/plan archive work-parallel transcripts-parallel --task-minutes 1")[0] == 0
    command, = documented("An archive with GNU parallel")
    assert place.run(command)[0] == 0
    assert place.run("scripts/cluster/collect work-parallel")[0] == 65
    check_transcripts(place, "transcripts-parallel")
    # A second run has nothing left to do.
    assert place.run(command)[0] == 0
    assert len(reports(place, "work-parallel")) == RECORDINGS + 3
