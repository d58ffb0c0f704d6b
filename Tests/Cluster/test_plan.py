"""What `plan` lists."""
import json
import re
import shutil
import subprocess
import sys
import unicodedata

import pytest
from conftest import ROOT

CLIP = ROOT / "Tests/Fixtures/clips/say-01.wav"


def plan(folder):
    subprocess.run([sys.executable, ROOT / "scripts/cluster/plan", folder / "archive", folder / "work", folder / "out"],
                   check=True, capture_output=True)
    return (folder / "work/recordings.list").read_bytes()


def make(folder, *names):
    for name in names:
        path = folder / "archive" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CLIP, path)


def test_an_interrupted_plan_goes_on_where_it_stopped(tmp_path):
    make(tmp_path, *(f"{folder}/{number}.wav" for folder in ("a", "a b", "a/b", "c") for number in range(5)), "b.wav", "z\n.wav")
    whole = plan(tmp_path)
    assert len(whole.split(b"\0")) == 23
    partial = tmp_path / "work/recordings.list.partial"
    for size in range(0, len(whole), 37):
        partial.write_bytes(whole[:size])
        assert plan(tmp_path) == whole


def test_of_recordings_with_the_same_output_the_largest_is_listed(tmp_path):
    make(tmp_path, "a/talk.wav", "a/other.wav", "b/talk.wav", "a/.hidden.wav", "a/notes.txt")
    (tmp_path / "archive/a/talk.mp3").write_bytes(b"x")
    assert plan(tmp_path) == b"2.456\ta/other.wav\0" b"2.456\ta/talk.wav\0" b"2.456\tb/talk.wav\0"
    assert (tmp_path / "work/left-out").read_text() == "a/talk.mp3\n"


def test_the_extensions_are_those_of_the_program():
    source = (ROOT / "Sources/CLI/Inputs/MediaSearch.swift").read_text()
    known = set(re.findall(r'"(\w+)"', re.search(r"Set<String> = \[(.*?)\]", source, re.S)[1]))
    text = (ROOT / "scripts/cluster/plan").read_text()
    assert set(" ".join(re.findall(r'b"([\w ]+)"', re.search(r"EXTENSIONS = set\((.*?)\.split", text, re.S)[1])).split()) == known


NUMBERS = ["0", "-1", "nan", "inf", "1e-320", "x", ""]


def run(script, *arguments):
    return subprocess.run([sys.executable, ROOT / "scripts/cluster" / script, *arguments], capture_output=True, text=True)


def planned(folder):
    make(folder, "talk.wav", "other.wav")
    plan(folder)
    return folder / "work"


@pytest.mark.parametrize("option", ["--jobs", "--task-minutes", "--speed"])
def test_a_number_that_is_out_of_range_is_an_error_not_a_traceback(tmp_path, option):
    work = planned(tmp_path)
    for number in NUMBERS:
        commands = [("plan", tmp_path / "archive", work, tmp_path / "out")] + [("collect", work)] * (option != "--jobs")
        for command in commands:
            result = run(*command, f"{option}={number}")
            assert result.returncode == 2, result
            assert f"error: argument {option}:" in result.stderr and "Traceback" not in result.stderr


def test_parallel_refuses_such_numbers():
    for number in ["0", "-1", "nan", "1e3", "x", ""]:
        for words in (["--jobs", number, "list", "2"], ["--threads", number, "list", "2"], ["list", number]):
            result = subprocess.run([ROOT / "scripts/cluster/parallel.sh", *words, "archive", "out"], capture_output=True)
            assert result.returncode in (1, 64) and b"number" in result.stderr, result


def test_lines_of_reports_that_are_something_else_are_skipped(tmp_path):
    work = planned(tmp_path)
    (work / "reports").mkdir()
    lines = ["[" * 100_000, '{"a":' * 100_000, "1" * 10_000, "[1]", "3", '"x"', "null", '{"path": [], "outcome": "done"}',
             '{"path": "talk.wav", "outcome": []}', '{"path": "talk.wav", "outcome": "failed"}',
             '{"path": "talk.wav", "outcome": "failed", "error": {}}', r'{"path": "\ud800", "outcome": "done"}', "\0", ""]
    (work / "reports/1.jsonl").write_text("\n".join(lines) + '\n{"path": "other.wav", "outcome": "done"}\n')
    result = run("collect", work)
    assert result.returncode == 75 and result.stderr == "" and result.stdout.startswith("1 done, 0 failed, 1 missing\n")


@pytest.mark.parametrize("name", ["recordings.list", "recordings.list.partial", "plan.json"])
def test_a_damaged_file_is_named(tmp_path, name):
    work = planned(tmp_path)
    for content in ("x\ttalk.wav\0", "nan\ttalk.wav\0", "inf\ttalk.wav\0", "-1\ttalk.wav\0", "[" * 100_000 + "\0", "[1]\0"):
        (work / name).write_text(content)
        script = ["plan", tmp_path / "archive", work, tmp_path / "out"] if "partial" in name else ["collect", work]
        result = run(*script)
        assert result.returncode == 65 and f"{name} is damaged" in result.stderr, result
        assert "Traceback" not in result.stderr


def test_names_cannot_control_the_terminal(tmp_path):
    """Whatever a name contains, what is printed has no invisible character but the line feed, and the command works."""
    for mark in "\x1b]0;x\x07", "\n", "\x9b31m", "\u061c", "\u200b", "\u200e", "\u202e", "\u2066", "\u2028", "\ufeff", "\U000e0041":
        folder = tmp_path / f"a'{mark}\\z"
        make(folder, f"talk{mark}.wav", f"talk{mark}.mp3", f"{mark}/other.wav")
        (folder / "archive/closed").mkdir()
        result = run("plan", folder / "archive", folder / "work", folder / "out")
        reports = folder / "work/reports"
        reports.mkdir()
        (reports / "1.jsonl").write_text(json.dumps(
            {"path": f"talk{mark}.wav", "outcome": "failed", "error": f"no speech in {mark}"}) + "\n")
        again = run("collect", folder / "work")
        missing = run("plan", folder / "none", folder / "work", folder / "out")
        unusable = run("collect", folder)
        printed = [output for result in (result, again, missing, unusable) for output in (result.stdout, result.stderr)]
        # `plan` goes back to the start of the line to count.
        shown = "".join(printed).replace("\n", "").replace("\r", "")
        assert all(unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in shown), shown
        words = result.stdout.split("archive.sbatch ")[1]
        read = subprocess.run(["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, text=True).stdout
        assert read.split("\0")[2] == str(folder / "archive") and unusable.returncode == 66
