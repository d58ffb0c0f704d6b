"""Other servers with OpenAI's API, from PyPI, each in its own virtual environment."""
import http.client
import json
import os
import socket
import subprocess
import sys

import serving
from harness import available_cores


class PeerServer:
    """A running server on a free port."""

    #: Package and version, how it is configured here, and what else to install.
    PACKAGE = SETTINGS = None
    REQUIREMENTS = ()
    #: Returns 200 once the model is loaded.
    READY = "/health"
    VARIABLES = {}
    #: Form fields that every request needs in addition.
    fields = {}

    def __init__(self, model, folder):
        self.folder = folder
        self.python = folder / "bin/python"
        if not (folder / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
            subprocess.run([self.python, "-m", "pip", "install", "--quiet", self.PACKAGE, *self.REQUIREMENTS], check=True,
                           env=os.environ | self.VARIABLES)
            (folder / "complete").touch()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.host, self.port = free.getsockname()
        arguments, variables = self.start(model)
        self.process = subprocess.Popen([self.python, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=os.environ | variables)
        if not serving.wait_until(self.is_ready, 60, 0.2):
            self.stop()
            raise SystemExit(f"{self.PACKAGE} did not start")

    def is_ready(self):
        try:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=5)
            connection.request("GET", self.READY)
            return connection.getresponse().status == 200
        except OSError:
            return False

    @property
    def title(self):
        return self.PACKAGE.split("[")[0].split("==")[0] + " " + self.PACKAGE.split("==")[1]

    resident_bytes = serving.Server.resident_bytes

    def stop(self):
        self.process.terminate()
        self.process.wait()


class FasterWhisper(PeerServer):
    PACKAGE = "faster-whisper-server==0.0.3"
    SETTINGS = "int8, greedy, the same threads"

    @staticmethod
    def model(models, name):
        return models / f"ct2-{name}"

    def start(self, model):
        settings = self.folder / "settings.yaml"
        # JSON is valid YAML.
        settings.write_text(json.dumps({"models": [{
            "name": "whisper-1", "path": str(model), "transcribe_options": {"beam_size": 1},
            "model_options": {"device": "cpu", "compute_type": "int8", "cpu_threads": available_cores()}}]}))
        return (["faster_whisper_server", "--config", settings, "--host", self.host, "--port", str(self.port)],
                {"HF_HUB_OFFLINE": "1"})


class WhisperCpp(PeerServer):
    """whisper.cpp as of 2023, which this package compiles for the processor."""

    PACKAGE = "whisper-cpp-python[server]==0.2.0"
    SETTINGS = "float16, greedy, the same threads"
    #: It needs versions from that time.
    REQUIREMENTS = ("fastapi<0.100", "pydantic<2")
    READY = "/openapi.json"
    #: Needed by CMake 4 and later.
    VARIABLES = {"CMAKE_POLICY_VERSION_MINIMUM": "3.5"}
    #: Its default is 0.8.
    fields = {"temperature": "0"}

    @staticmethod
    def model(models, name):
        return models / f"ggml-{name}.bin"

    def start(self, model):
        return (["whisper_cpp_python.server", "--model", model, "--n_threads", str(available_cores())],
                {"HOST": self.host, "PORT": str(self.port)})


PEERS = {"faster-whisper": FasterWhisper, "whisper.cpp": WhisperCpp}
