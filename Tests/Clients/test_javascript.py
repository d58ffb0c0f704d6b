"""The JavaScript of docs/server.md, unchanged, with Node: over TLS, at the default address."""
import os
import re
import shutil
import subprocess

import pytest

from conftest import MODELS, installed
from serving import ROOT, Server
from test_examples import MANUAL, WORDS

SCRIPTS = re.findall(r"^```js\n(.*?)^```", MANUAL, re.M | re.S)
#: Debian's package node-ws.
LIBRARIES = "/usr/share/nodejs"


@pytest.fixture(scope="module")
def encrypted(certificate):
    server = Server("--cache", "off", "--tls-cert", certificate.certificate, "--tls-key", certificate.key, port=8178,
                    model=installed(MODELS / "ggml-tiny.en.bin"))
    yield server
    server.stop()


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed: scripts/setup.sh --tests")
@pytest.mark.parametrize("script", SCRIPTS, ids=["fetch", "ws"])
def test_script(encrypted, certificate, script):
    assert len(script.splitlines()) <= 12
    environment = os.environ | {"NODE_EXTRA_CA_CERTS": str(certificate.certificate), "NODE_PATH": LIBRARIES}
    result = subprocess.run(["node", "-e", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert all(word in result.stdout.lower() for word in WORDS), result.stdout
