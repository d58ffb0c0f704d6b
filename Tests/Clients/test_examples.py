"""The scripts of docs/server.md, unchanged. They expect the server at its default address."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import MODELS, installed
from serving import ROOT, Server

MANUAL = (ROOT / "docs/server.md").read_text()
#: Scripts by the heading above them.
SCRIPTS = [(heading, language, script) for heading, section in re.findall(r"^### (.*)\n([^#]*(?:\n#(?!#).*|[^#])*)", MANUAL, re.M)
           for language, script in re.findall(r"^```(python|sh)\n(.*?)^```", section, re.M | re.S)]
#: Said in the recording of the examples; the small model of this repository does not know these words.
WORDS = ["representatives", "household", "telemarketers"]


@pytest.fixture(scope="module")
def default_server():
    server = Server("--cache", "memory", "--wyoming", "10300", "--model-dir", MODELS, port=8178, model=installed(MODELS / "ggml-tiny.en.bin"))
    yield server
    server.stop()


def test_there_are_scripts_for_every_protocol():
    assert [heading for heading, _, _ in SCRIPTS] == ["OpenAI", "OpenAI Realtime", "openai-agents", "Groq", "AssemblyAI",
                                                   "whisper.cpp", "Bazarr and other clients of whisper-asr-webservice", "Home Assistant",
                                                   "Videos", "Speakers"]
    for heading, _, script in SCRIPTS:
        assert len([line for line in script.splitlines() if line.strip()]) <= 12, f"{heading}: too long"


@pytest.mark.parametrize("heading,language,script", SCRIPTS, ids=[heading for heading, _, _ in SCRIPTS])
def test_script(default_server, heading, language, script):
    if heading == "Speakers":
        installed(MODELS / "speakers.safetensors")
    # Whose newest release needs older packages than the other clients.
    environment = sys.prefix + "-realtime" * (heading == "openai-agents")
    command = [installed(Path(environment)) / "bin/python", "-c", script] if language == "python" else ["bash", "-ec", script]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and result.stdout.strip(), result.stderr
    assert all(word in result.stdout.lower() for word in WORDS), result.stdout
