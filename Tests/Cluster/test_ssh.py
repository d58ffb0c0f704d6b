"""GNU parallel on hosts over ssh."""
import shlex
import shutil
from collections import Counter

import pytest

import ssh
from conftest import ROOT, Workplace

MODEL = ROOT / "Models/nano.en.ggml.bin"
CLIPS = sorted((ROOT / "Tests/Fixtures/clips").glob("say-0[0-7].wav"))


@pytest.fixture
def hosts():
    if not ssh.PROGRAM:
        pytest.skip("OpenSSH's server is not installed: scripts/setup.sh --tests")
    hosts = ssh.Hosts("n1", "n2")
    yield hosts
    hosts.stop()


def test_gnu_parallel_over_ssh(hosts, tmp_path):
    place = Workplace(tmp_path, idle=False)
    for number, clip in enumerate(CLIPS):
        target = tmp_path / "an archive" / f"reel {number % 2}" / clip.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(clip, target)
    options = f"--model {shlex.quote(str(MODEL))} --output-format txt,srt"
    # Only the variables that parallel.sh passes on reach a host.
    place.environment |= {"PARALLEL_SSH": hosts.command, "WHISPER_LOCAL": str(tmp_path / "bin/whisper-local")}
    assert place.run("scripts/cluster/plan 'an archive' work transcripts")[0] == 0
    command = ("scripts/cluster/parallel.sh --hosts 1/n1,1/n2 --threads 1 work/recordings.list 4 'an archive' transcripts "
               f"{options} --initial-prompt 'Please, \"hold\" $HOME.'")
    status, _ = place.run(command)
    print(hosts.log.read_text())
    assert status == 0
    jobs = [line.split("\t") for line in (tmp_path / "work/recordings.list.joblog").read_text().splitlines()[1:]]
    assert Counter(job[1] for job in jobs).keys() == {"n1", "n2"}
    assert place.run("scripts/cluster/collect work") == (0, f"{len(CLIPS)} done, 0 failed, 0 missing\n")
    assert place.run("cd 'an archive' && find * -name '*.wav' -print0 | whisper-local transcribe -q --threads 1 --files-from - -0 "
                     f"--skip-existing -o ../expected {options} --initial-prompt 'Please, \"hold\" $HOME.'")[0] == 0
    expected = place.files("expected")
    assert len(expected) == 3 * len(CLIPS)
    assert place.files("transcripts") == expected
    # A second run has nothing left to do.
    assert place.run(command)[0] == 0
    assert len((tmp_path / "work/recordings.list.joblog").read_text().splitlines()) == 5
