"""Lists of recordings, as `whisper-local transcribe --files-from LIST -0` reads them: SECONDS, a tab, PATH, a NUL byte."""
import math
import os
import shlex
import sys

#: Short recordings take as long as a window of 30 seconds; `transcribe --shard` counts the same way.
WINDOW = 30
#: Slurm's default limit (MaxArraySize) is 1001.
MAX_TASKS = 1000


def entries(path):
    """Yields the entries of a list as (seconds, path); paths are bytes."""
    rest = b""
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            *lines, rest = (rest + block).split(b"\0")
            for line in lines:
                seconds, _, name = line.partition(b"\t")
                yield float(seconds), name


def entry(seconds, path):
    return b"%.3f\t%s\0" % (seconds, path)


def add_task_options(parser):
    parser.add_argument("--task-minutes", type=float, default=20, metavar="N",
                        help="minutes that a task should take (default 20; shorter tasks lose more time to startup, longer "
                             "ones when a node fails)")
    parser.add_argument("--speed", type=float, default=10, metavar="R",
                        help="seconds of speech that a task recognizes per second (default 10; `whisper-local bench` "
                             "measures it)")


def task_count(count, load, options):
    """The number of tasks to submit for this many recordings, which count as `load` seconds."""
    wanted = math.ceil(load / (options.speed * options.task_minutes * 60))
    return max(1, min(count, wanted, MAX_TASKS))


def short(path):
    """The path relative to the current folder, if it is below it."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def command(list_path, tasks, archive, output):
    """The command that submits a list."""
    script = os.path.join(os.path.dirname(sys.argv[0]), "archive.sbatch")
    words = [script, short(list_path), str(tasks), short(archive), short(output)]
    return f"sbatch --array=1-{tasks} " + " ".join(shlex.quote(os.fsdecode(word)) for word in words)
