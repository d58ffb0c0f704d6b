"""The wheel: what is in it, what it needs, and that it is enough."""
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

import whisper_local
from cases import DRIVE, ROOT
from conftest import NANO

FOLDER = Path(whisper_local.__file__).parent
LIBRARY = FOLDER / "libwhisper_local.so"


@pytest.fixture(scope="module")
def wheel():
    """The path of the wheel that is tested (scripts/test-python.sh)."""
    path = os.environ.get("WHISPER_LOCAL_WHEEL")
    if path is None:
        pytest.fail("WHISPER_LOCAL_WHEEL is not set: run scripts/test-python.sh")
    return Path(path)


def output(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, **options).stdout


def test_name_and_size(wheel):
    version = whisper_local.__version__
    assert wheel.name == f"whisper_local_engine-{version}-py3-none-manylinux_2_34_x86_64.whl"
    assert wheel.stat().st_size < 10_000_000


def test_version_is_the_programs():
    from whisper_local import _library
    source = (ROOT / "Sources/BuildRecord/BuildRecord.swift").read_text()
    program = re.search(r'version: StaticString = "(.*)"', source).group(1)
    assert program == whisper_local.__version__ == _library.version()


def test_contents(wheel):
    names = {name.split("/", 1)[1] for name in zipfile.ZipFile(wheel).namelist() if name.startswith("whisper_local/")}
    assert {"py.typed", "libwhisper_local.so", "silero_vad_16k.safetensors", "transcribe.py"} <= names
    assert not [name for name in names if "av" in name and name.startswith("lib")]
    licences = {name.split("licenses/")[1] for name in zipfile.ZipFile(wheel).namelist() if "licenses/" in name}
    assert {"LICENSE", "THIRD_PARTY.md"} <= licences


def test_exports_and_needs():
    symbols = output("nm", "-D", "--defined-only", LIBRARY).split("\n")
    names = {line.split()[2].split("@")[0] for line in symbols if len(line.split()) == 3 and line.split()[1] == "T"}
    from whisper_local._library import _FUNCTIONS
    assert set(_FUNCTIONS) <= names and all(name.startswith("wl_") for name in names)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", LIBRARY)))
    system = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "ld-linux-x86-64.so.2"}
    assert needed <= system


@pytest.mark.parametrize("library, newest", [
    # Ubuntu 22.04 and RHEL 9 have glibc 2.34 or newer, and RHEL 9 GCC 11's libstdc++.
    ("GLIBC", (2, 34)), ("GLIBCXX", (3, 4, 29)), ("CXXABI", (1, 3, 13)),
])
def test_needs_no_newer_symbols(library, newest):
    found = re.findall(rf"\({library}_([\d.]+)\)", output("objdump", "-T", LIBRARY))
    assert max(tuple(map(int, version.split("."))) for version in found) <= newest


def test_header_has_the_functions():
    """The declarations of this package are those of the header, as far as ctypes can tell."""
    import ctypes
    from whisper_local._library import _FUNCTIONS
    header = (ROOT / "Sources/CWhisperLocal/include/whisper_local.h").read_text()
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    declared = {name: arguments for name, arguments in re.findall(r"(wl_\w+)\(([^)]*)\);", header)}
    for name, (_, arguments) in _FUNCTIONS.items():
        types = [] if declared[name].strip() == "void" else declared[name].split(",")
        assert len(types) == len(arguments), name
        for text, kind in zip(types, arguments):
            numbers = {"int32_t": ctypes.c_int32, "size_t": ctypes.c_size_t}
            number = None if "*" in text else numbers.get(text.split()[-2])
            assert (kind if kind in numbers.values() else None) is number, (name, text)


def test_import_is_fast():
    """Less than 50 ms beside numpy's share, on a processor of its own."""
    script = ("import time, numpy, numpy.ctypeslib; start = time.process_time(); import whisper_local; "
              "print(time.process_time() - start)")
    assert min(float(output(sys.executable, "-c", script)) for _ in range(5)) < 0.05


def test_types():
    output(sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--cache-dir", "/dev/null",
           cwd=ROOT / "Sources/Python")


def test_types_for_users(tmp_path):
    (tmp_path / "user.py").write_text("""
from whisper_local import BatchedInferencePipeline, StreamingSession, WhisperModel, decode_audio
model = WhisperModel("tiny.en")
segments, info = model.transcribe("talk.wav", word_timestamps=True)
for segment in segments:
    start: float = segment.start
    print([word.word for word in segment.words or []], info.language)
left, right = decode_audio("talk.wav", split_stereo=True)
model.transcribe(decode_audio("talk.wav"))
BatchedInferencePipeline(model).transcribe(left, batch_size=4)
StreamingSession(model).push(right)
""")
    output(sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", tmp_path / "user.py")


def test_clean_environment(wheel, tmp_path):
    """Installed without a network where there is nothing but numpy, it transcribes, as README.md says."""
    output(sys.executable, "-m", "venv", tmp_path)
    packages = next(tmp_path.glob("lib/python3*/site-packages"))
    for part in Path(numpy.__file__).parent.parent.glob("numpy*"):
        (packages / part.name).symlink_to(part)
    python = tmp_path / "bin/python"
    output(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", wheel)
    example = re.search(r"```python\n(.*?)```", (ROOT / "Sources/Python/README.md").read_text(), re.S).group(1)
    script = example.replace('"tiny.en"', repr(str(NANO))).replace('"talk.wav"', repr(str(DRIVE)))
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    shown = output(python, "-c", script, cwd=tmp_path, env=environment)
    assert "museum" in shown and shown.startswith("[0.")
