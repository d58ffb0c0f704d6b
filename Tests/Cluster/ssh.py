"""An ssh server on this host, with its own keys, that answers to several names."""
import getpass
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from slurm import free_ports, wait_until

SERVER = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/client.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
"""
CLIENT = """\
Host {names}
HostName 127.0.0.1
Port {port}
User {user}
IdentityFile {folder}/client
IdentitiesOnly yes
HostKeyAlias here
UserKnownHostsFile {folder}/known
BatchMode yes
"""
PROGRAM = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")


class Hosts:
    """Ends with the tests, even if they are killed. `command` is an ssh client that knows the names."""

    def __init__(self, *names):
        self.temporary = tempfile.TemporaryDirectory(prefix="wl-ssh-")
        self.folder = folder = Path(self.temporary.name)
        port, = free_ports(1)
        for key in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        (folder / "known").write_text("here " + (folder / "host.pub").read_text())
        (folder / "server").write_text(SERVER.format(port=port, folder=folder))
        (folder / "client.config").write_text(
            CLIENT.format(names=" ".join(names), port=port, user=getpass.getuser(), folder=folder))
        self.command = f"ssh -F {folder}/client.config"
        if os.geteuid() == 0:
            # The server's empty folder, needed only by root.
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self.log = folder / "server.log"
        with self.log.open("wb") as log:
            self.server = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", PROGRAM, "-D", "-e", "-f", folder / "server"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_until(lambda: "Server listening" in self.log.read_text() or self.server.poll() is not None, 10, "sshd")
            assert self.server.poll() is None, self.log.read_text()
        except BaseException:
            self.stop()
            raise

    def stop(self):
        self.server.kill()
        self.server.wait()
        self.temporary.cleanup()
