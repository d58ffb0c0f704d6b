"""An archive of real recordings, its transcripts from one machine, and a cluster."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import skipping
import slurm
import time_limit

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper-local/tests"
MODELS = Path(os.environ.get("WHISPER_LOCAL_TEST_MODELS", CACHE / "models"))
SPEECH = Path(os.environ.get("WHISPER_LOCAL_TEST_SPEECH", CACHE / "speech"))
PROGRAM = os.environ.get("WHISPER_LOCAL_PROGRAM", str(ROOT / ".build/release/whisper-local"))
#: Ends a test that hangs.
TEST_SECONDS = 1200
pytest_runtest_protocol = time_limit.hook(TEST_SECONDS)
pytest_runtest_makereport = skipping.hook()
RECORDINGS = 200
#: Short recordings are faster with an encoder window of their length.
OPTIONS = ["--model", "tiny.en", "--output-format", "txt,srt", "--audio-ctx", "auto", "--beam-size", "1"]


#: Adds the processor seconds, of user and system, the task and its node to the file $TIMES if there is one.
WRAPPER = """\
#!/bin/bash
[ -n "$TIMES" ] || exec {command}
TIMEFORMAT="%U %S ${{SLURM_ARRAY_TASK_ID:-0}} ${{SLURMD_NODENAME:-none}}"
{{ time {command} 2>&3; }} 3>&2 2>>"$TIMES"
"""


class Workplace:
    """A folder with an archive, the scripts, and a `whisper-local`.

    With `idle`, that uses only processor time that is left over.
    """

    def __init__(self, folder, idle=True):
        self.folder = folder
        (folder / "scripts").symlink_to(ROOT / "scripts")
        program = folder / "bin/whisper-local"
        program.parent.mkdir()
        # Root can read files without permission, other users cannot.
        rights = "setpriv --bounding-set=-dac_override,-dac_read_search" if os.geteuid() == 0 else ""
        priority = "chrt --idle 0" if idle else ""
        program.write_text(WRAPPER.format(command=f'{priority} {rights} "{PROGRAM}" "$@"'))
        program.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{program.parent}:{os.environ['PATH']}", "WHISPER_LOCAL_MODELS": str(MODELS), "HOME": str(folder)}

    def run(self, line, cluster=None):
        """Runs a shell command line and returns its status and standard output."""
        environment = self.environment
        if cluster:
            environment = environment | {"SLURM_CONF": cluster.environment["SLURM_CONF"]}
        result = subprocess.run(["bash", "-c", line], cwd=self.folder, env=environment, text=True, errors="replace",
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=TEST_SECONDS)
        print(f"$ {line}\n{result.stdout}{result.stderr}[{result.returncode}]")
        return result.returncode, result.stdout

    def files(self, name):
        """The contents of all files below a folder, by their paths. Locks of killed tasks have no effect."""
        top = self.folder / name
        return {str(path.relative_to(top)): path.read_bytes()
                for path in top.rglob("*") if path.is_file() and not path.name.endswith(".lock")}


def make_archive(folder):
    """200 recordings in nested folders, ten with the same names in each, and three that cannot be transcribed."""
    paths = sorted((SPEECH / "en").glob("*.wav"), key=lambda path: (path.stat().st_size, path.name))
    for number, path in enumerate(paths[:RECORDINGS]):
        target = folder / f"{1950 + number // 50 * 10}/reel {number // 10 % 5}/{number % 10}.wav"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    damaged = folder / "damaged"
    damaged.mkdir()
    (damaged / "poisoned.flac").write_bytes(b"fLaC" + bytes(range(256)) * 40)
    (damaged / "empty.wav").touch()
    shutil.copy(paths[0], damaged / "secret.wav")
    (damaged / "secret.wav").chmod(0)


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """Has `archive`, and in `expected` the transcripts from one run on one machine."""
    if not (MODELS / "ggml-tiny.en.bin").exists() or not (SPEECH / "en").exists():
        pytest.skip("tiny.en and recordings are not installed: scripts/setup.sh --tests")
    place = Workplace(tmp_path_factory.mktemp("archive"))
    make_archive(place.folder / "archive")
    options = " ".join(OPTIONS)
    status, _ = place.run(
        f"cd archive; find * -type f -print0 | whisper-local transcribe --files-from - -0 --skip-existing -o ../expected "
        f"--threads 1 {options} >/dev/null")
    assert status == 65
    return place


@pytest.fixture(scope="session")
def cluster():
    if not shutil.which("slurmctld", path=os.environ["PATH"] + ":/usr/sbin"):
        pytest.skip("Slurm is not installed: scripts/setup.sh --tests")
    cluster = slurm.Cluster()
    yield cluster
    cluster.stop()
