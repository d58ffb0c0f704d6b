"""What `plan` lists."""
import re
import shutil
import subprocess
import sys

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
