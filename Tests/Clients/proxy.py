"""nginx in front of several servers, with the configuration of scripts/cluster."""
import os
import re
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from serving import ROOT, START_SECONDS, wait_until

#: What clients call the service.
NAME = "speech.example"
MAIN = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/whisper-local.conf;
}}
"""


class Proxy:
    """A running nginx. To the clients in this folder it looks like a `Server`."""

    scheme, host = "http", "127.0.0.1"

    def __init__(self, ports):
        self.temporary = tempfile.TemporaryDirectory(prefix="whisper-local-nginx-")
        folder = Path(self.temporary.name)
        with socket.socket() as free:
            free.bind((self.host, 0))
            self.port = free.getsockname()[1]
        self.url = f"http://{self.host}:{self.port}"
        servers = iter(ports)
        text = (ROOT / "scripts/cluster/nginx.conf").read_text()
        text, count = re.subn(r"server 10\.0\.0\.\d+:8178", lambda _: f"server 127.0.0.1:{next(servers)}", text)
        assert count == len(ports) == 2
        text = text.replace("listen 80;", f"listen {self.host}:{self.port};")
        (folder / "whisper-local.conf").write_text(text)
        (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user="user root;" if os.geteuid() == 0 else ""))
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin"), "-c",
             folder / "nginx.conf", "-p", folder], stdin=subprocess.DEVNULL)
        assert wait_until(self.is_listening, START_SECONDS)

    def is_listening(self):
        try:
            socket.create_connection((self.host, self.port), 1).close()
            return True
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        self.temporary.cleanup()
