"""A real Slurm cluster on this host: munge, a controller, and nodes that are daemons with their own names and ports."""
import getpass
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

CONFIG = """\
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmctldPort={ports[0]}
SlurmdTimeout=10
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cores} State=UNKNOWN"
#: Seconds that a daemon may take to start, and the controller to see its nodes.
START_SECONDS = 30


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what() if callable(what) else what}"
        time.sleep(0.1)


def processes(*words):
    """The processes whose command line or environment contains each of these words, apart from this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cmdline").read_bytes() + b"\0" + (folder / "environ").read_bytes()
        except OSError:
            continue
        if int(folder.name) != os.getpid() and all(word.encode() in text for word in words):
            found.append(int(folder.name))
    return found


def kill(*numbers):
    """Kills processes, so that none of them sees another one die."""
    for number in [signal.SIGSTOP, signal.SIGKILL]:
        for process in numbers:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass


class Cluster:
    """`nodes` nodes of `cores` cores each. All daemons end with the tests, even if the tests are killed."""

    def __init__(self, nodes=("n1", "n2"), cores=1):
        self.nodes = nodes
        # Socket paths must be short.
        self.temporary = tempfile.TemporaryDirectory(prefix="wl-slurm-", dir="/tmp")
        self.folder = Path(self.temporary.name)
        self.daemons = {}
        host = socket.gethostname().partition(".")[0]
        ports = free_ports(len(nodes) + 1)
        lines = [NODE.format(name=name, host=host, port=port, cores=cores) for name, port in zip(nodes, ports[1:])]
        config = self.folder / "slurm.conf"
        config.write_text(CONFIG.format(
            host=host, user=getpass.getuser(), folder=self.folder, ports=ports, nodes="\n".join(lines)))
        (self.folder / "state").mkdir()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
        self.environment |= {"SLURM_CONF": str(config), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        try:
            self._start_daemons()
        except BaseException:
            self.stop()
            raise

    def _start_daemons(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        munge = self.folder / "munge"
        self._start("munged", "--force", "--foreground", f"--key-file={key}", f"--socket={munge}.socket",
                    f"--pid-file={munge}.pid", f"--log-file={munge}.log", f"--seed-file={munge}.seed")
        wait_until((self.folder / "munge.socket").exists, START_SECONDS, "munged")
        self._start("slurmctld", "-D", "-i")
        for name in self.nodes:
            self.start_node(name)
        wait_until(lambda: self.states() == dict.fromkeys(self.nodes, "idle"), START_SECONDS,
                   lambda: f"nodes: {self.log()}")

    def start_node(self, name):
        (self.folder / f"spool.{name}").mkdir(exist_ok=True)
        self._start("slurmd", "-D", "-N", name, key=name)

    def _start(self, program, *options, key=None):
        with (self.folder / f"{key or program}.output").open("wb") as output:
            self.daemons[key or program] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", program, *options], env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True)

    def run(self, *words, check=True, **arguments):
        """Runs a command, such as sbatch, and returns its standard output."""
        result = subprocess.run(
            words, env=self.environment, text=True, capture_output=True, timeout=60, **arguments)
        assert not check or result.returncode == 0, f"{words}: {result.stderr}"
        return result.stdout

    def states(self):
        """The state of each node, such as idle or down*."""
        lines = self.run("sinfo", "--noheader", "--Node", "--format=%N %t", check=False).splitlines()
        return dict(line.split() for line in lines)

    def tasks(self, job):
        """The state of each task of an array that has not ended: (number, state, node)."""
        lines = self.run("squeue", "--noheader", "--array", f"--jobs={job}", "--states=all", "--format=%K %T %N", check=False)
        return [(*line.split(), "")[:3] for line in lines.splitlines()]

    def facts(self, job, *names):
        """For each task of an array the values of these fields of `scontrol show job`."""
        records = self.run("scontrol", "show", "job", "--oneliner", str(job)).splitlines()
        found = {}
        for record in records:
            fields = dict(field.partition("=")[::2] for field in record.split())
            found[fields["ArrayTaskId"]] = tuple(fields.get(name) for name in names)
        return found

    def kill_node(self, name):
        """Like a power cut: the daemon and everything that it has started end at once, without cleaning up."""
        daemon = self.daemons.pop(name)
        kill(daemon.pid, *self._steps(name), *processes(str(self.folder), f"SLURMD_NODENAME={name}"))
        daemon.wait()

    def _steps(self, name):
        """The processes `slurmstepd` of a node, which are children of init: they have its log or its spool folder open."""
        places = (str(self.folder / f"spool.{name}"), str(self.folder / f"slurmd.{name}.log"))
        steps = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                files = [os.readlink(file) for file in (folder / "fd").iterdir()]
            except OSError:
                continue
            if any(file.startswith(places) for file in files):
                steps.append(int(folder.name))
        return steps

    def log(self):
        logs = sorted([*self.folder.glob("*.log"), *self.folder.glob("*.output")])
        return "\n".join(f"{log.name}:\n{log.read_text(errors='replace')[-2000:]}" for log in logs)

    def stop(self):
        self.run("scancel", "--user", getpass.getuser(), check=False) if "slurmctld" in self.daemons else None
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()
        kill(*processes(str(self.folder)))
        self.temporary.cleanup()
