"""The program under test: starts `whisper-local serve` and watches it from outside."""
import os
import re
import signal
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
NANO = ROOT / "Models/nano.en.ggml.bin"
PROGRAM = os.environ.get("WHISPER_LOCAL_PROGRAM", str(ROOT / ".build/release/whisper-local"))
LISTENING = re.compile(r"listening on (https?)://(\[[^ \]]*\]|[^ :]+):(\d+)")
WYOMING = re.compile(r"wyoming://(\S+)")
#: Seconds that a server may take to load its model and to listen.
START_SECONDS = 30
#: Seconds from SIGTERM to the end: running recognitions get ten.
STOP_SECONDS = 20
#: What a program that was asked to end may report: that it did, or that SIGTERM was why.
STOPPED = (0, 128 + signal.SIGTERM)


class Server:
    """A running `whisper-local serve` on a free port, with its own home folder.

    `wrapper` is a command that runs the program, such as strace. With `ready=False`, the model may still be loading.
    """

    def __init__(self, *options, model=NANO, port=0, wrapper=(), ready=True):
        self.folder = tempfile.TemporaryDirectory(prefix="whisper-local-serve-")
        self.home = Path(self.folder.name)
        self.temporary = self.home / "tmp"
        for folder in (self.temporary, self.home / "run"):
            folder.mkdir(mode=0o700)
        # Uploads may go to either of these folders; nothing may remain in them.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("XDG_", "WHISPER_LOCAL_", "SSL_CERT"))}
        environment |= {"HOME": str(self.home), "TMPDIR": str(self.temporary), "XDG_RUNTIME_DIR": str(self.home / "run")}
        self.lines = []
        self.process = subprocess.Popen(
            # The server ends with the tests, even if the tests are killed.
            ["setpriv", "--pdeathsig", "KILL", *wrapper, PROGRAM, "serve", "--port", str(port), "--model", str(model), *map(str, options)], text=True,
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, errors="replace", start_new_session=True)
        self.address = None
        listening = threading.Event()
        self.reader = threading.Thread(target=self._read, args=(listening,), daemon=True)
        self.reader.start()
        if not listening.wait(START_SECONDS) or not self.address:
            self.stop(signal.SIGKILL)
            raise RuntimeError(f"the server did not start with {options}:\n{self.log}")
        self.scheme, self.host, port = self.address
        self.port = int(port)
        self.url = f"{self.scheme}://{self.host}:{self.port}"
        self.web_socket_url = self.url.replace("http", "ws", 1)
        if ready and not wait_until(self.is_ready, START_SECONDS):
            self.stop(signal.SIGKILL)
            raise RuntimeError(f"the model was not loaded:\n{self.log}")

    def is_ready(self):
        try:
            with urlopen(f"{self.url}/health", timeout=5, context=ssl._create_unverified_context()) as answer:
                return answer.status == 200
        except OSError:
            return False

    def _read(self, listening):
        for line in self.process.stderr:
            self.lines.append(line)
            found = LISTENING.search(line)
            if found and not self.address:
                self.address = found.groups()
                listening.set()
        listening.set()

    @property
    def log(self):
        return "".join(self.lines)

    @property
    def wyoming_uri(self):
        """Where a server with `--wyoming` answers, as the clients write it."""
        assert wait_until(lambda: WYOMING.search(self.log), START_SECONDS)
        return f"tcp://{WYOMING.search(self.log)[1]}"

    @property
    def is_running(self):
        return self.process.poll() is None

    def resident_bytes(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def left_files(self):
        """Every file below the folders for temporary files."""
        return [path for folder in (self.temporary, self.home / "run") for path in folder.rglob("*") if path.is_file()]

    def stop(self, number=signal.SIGTERM):
        """Stops the server and returns its exit status."""
        if self.is_running:
            # With a wrapper, the server is another process of the same group.
            os.killpg(self.process.pid, number)
        try:
            status = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            status = None
        self.reader.join(5)
        self.folder.cleanup()
        return status


def make_certificate(folder):
    """A self-signed certificate for localhost: `.certificate` and `.key` are paths in the folder."""
    paths = SimpleNamespace(certificate=folder / "certificate.pem", key=folder / "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", str(paths.key), "-out", str(paths.certificate)], check=True, capture_output=True)
    return paths


def refused_start(*options):
    """The message with which the program refuses to serve with these options."""
    result = subprocess.run([PROGRAM, "serve", "--port", "0", "--model", str(NANO), *options], text=True, timeout=30,
                            capture_output=True, stdin=subprocess.DEVNULL)
    assert result.returncode != 0
    return result.stderr


def wait_until(condition, seconds, step=0.02):
    """Whether `condition()` becomes true within this time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(step)
    return bool(condition())
