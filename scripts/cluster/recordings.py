"""Lists of recordings, as `whisper-local transcribe --files-from LIST -0` reads them: SECONDS, a tab, PATH, a NUL byte."""
import argparse
import math
import os
import shlex
import sys
import unicodedata

#: Short recordings take as long as a window of 30 seconds; `transcribe --shard` counts the same way.
WINDOW = 30
#: Slurm's default limit (MaxArraySize) is 1001.
MAX_TASKS = 1000


class Damaged(Exception):
    """A file that `plan` wrote cannot be used; the message says which and why."""


def entries(path):
    """Yields the entries of a list as (seconds, path); paths are bytes. Raises `Damaged`."""
    rest = b""
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            *lines, rest = (rest + block).split(b"\0")
            for line in lines:
                seconds, _, name = line.partition(b"\t")
                yield duration(seconds, path), name


def duration(text, path):
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise Damaged(f"{shown(path)} is damaged: {shown(text[:40])} is not a length in seconds")
    return seconds


def entry(seconds, path):
    return b"%.3f\t%s\0" % (seconds, path)


def positive(text):
    """A number for an option that may be a fraction."""
    number = float(text)
    if not 0.001 <= number <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{shown(text)} is out of range (0.001 to 1000000)")
    return number


def count(text):
    """A whole number for an option."""
    number = int(text)
    if not 1 <= number <= 10_000:
        raise argparse.ArgumentTypeError(f"{shown(text)} is out of range (1 to 10000)")
    return number


def add_task_options(parser):
    parser.add_argument("--task-minutes", type=positive, default=20, metavar="N",
                        help="minutes that a task should take (default 20; shorter tasks lose more time to startup, longer "
                             "ones when a node fails)")
    parser.add_argument("--speed", type=positive, default=10, metavar="R",
                        help="seconds of speech that a task recognizes per second (default 10; `whisper-local bench` "
                             "measures it)")


def task_count(count, load, options):
    """The number of tasks to submit for this many recordings, which count as `load` seconds."""
    wanted = math.ceil(load / (options.speed * options.task_minutes * 60))
    return max(1, min(count, wanted, MAX_TASKS))


def shown(path):
    """A name for a message or a command: quoted for a shell if needed, with what a terminal does not show escaped."""
    data = os.fsencode(path)
    text = data.decode(errors="surrogateescape")
    if not any(is_invisible(character) for character in text):
        return shlex.quote(text)
    escapes = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "'": "\\'", "\\": "\\\\"}
    return "$'" + "".join(
        escapes.get(character) or "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))
        if character in escapes or is_invisible(character) else character for character in text) + "'"


def safe(text):
    """A text of another program on one line, with what a terminal does not show replaced."""
    return "".join("\ufffd" if is_invisible(character) else character for character in text)


def is_invisible(character):
    """Whether it is a control character, a separator of lines, a mark of the writing direction, a zero-width character, a
    tag, or a byte that is not UTF-8."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def short(path):
    """The path relative to the current folder, if it is below it."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def command(list_path, tasks, archive, output):
    """The command that submits a list."""
    script = os.path.join(os.path.dirname(sys.argv[0]), "archive.sbatch")
    words = [script, short(list_path), str(tasks), short(archive), short(output)]
    return f"sbatch --array=1-{tasks} " + " ".join(shown(word) for word in words)
