"""How an archive of recordings is transcribed by a cluster: measured on two nodes of one host, simulated for many.

  ~/.cache/whisper-local/tests/clients/bin/python Benchmarks/cluster.py measure [--recordings N] [--model NAME]
  Benchmarks/cluster.py simulate

Both use Benchmarks/results/cluster.json; `--file` names another one. `measure` needs pytest, which that Python has.

`measure` runs the tasks of an array on a real Slurm cluster (Tests/Cluster/slurm.py), first on one node and then on two,
and reports the time of each recording, of each task beyond its recordings, and of all. `simulate` first predicts the run on
two nodes from the times of the one on one node, then an archive of 100,000 hours on 1 to 1,000 nodes of 64 cores.

The simulation is one of discrete events. A task takes the time to start, and then that of each recording. All tasks that
run read from shared storage; if together they need more than its bandwidth, all are slowed down by the same factor. When a
node fails, its tasks are queued again after a delay; what they have completed is skipped, the recording that each was
working on is repeated. Failures are exponentially distributed.
"""
import argparse
import heapq
import json
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The shortest recording takes as long as a window (`FileList.loads`).
WINDOW = 30


@dataclass
class Cluster:
    nodes: int
    #: Tasks that a node runs at the same time.
    slots: int
    #: Seconds from the start of a task to its first recording: the scheduler, the program, the model.
    start: float
    #: Seconds between failures of a node; 0: never.
    failure: float = 0
    #: Seconds until the tasks of a failed node are queued again, and until the node is back.
    requeue: float = 150
    repair: float = 3600
    #: Bytes a second that storage delivers, and that a running task reads; 0: without limit.
    bandwidth: float = 0
    reading: float = 0


def shards(loads, count):
    """The recordings of each task, as `transcribe --shard` shares them out: the longest first, each to the least loaded."""
    heap = [(0.0, number) for number in range(count)]
    parts = [[] for _ in range(count)]
    for index in sorted(range(len(loads)), key=lambda index: -loads[index]):
        load, number = heap[0]
        parts[number].append(index)
        heapq.heapreplace(heap, (load + loads[index], number))
    return parts


def makespan(tasks, cluster, seed=1):
    """Seconds until all tasks are done; each is a list of the seconds of its recordings, and they start in this order.

    Work is measured in seconds of a task that is not slowed down: `work` is the clock of that, `now` the real one.
    """
    chance = random.Random(seed)
    queue = list(range(len(tasks)))[::-1]
    left = [list(task)[::-1] for task in tasks]
    available = [node for node in range(cluster.nodes) for _ in range(cluster.slots)][::-1]
    running = {}  # node → tasks, each with the number of its turn
    turn = [0] * len(tasks)
    ends, timers = [], []  # by work: ends of recordings; by time: failures, repairs, and what is queued again
    active, work, now = 0, 0.0, 0.0
    down = set()
    if cluster.failure:
        for node in range(cluster.nodes):
            heapq.heappush(timers, (chance.expovariate(1 / cluster.failure), 0, node))
    unfinished = len(tasks)
    while unfinished:
        while queue and available:
            node = available.pop()
            if node in down:
                continue
            task = queue.pop()
            turn[task] += 1
            running.setdefault(node, set()).add(task)
            active += 1
            heapq.heappush(ends, (work + cluster.start + (left[task][-1] if left[task] else 0), task, turn[task], node))
        slow = max(1.0, active * cluster.reading / cluster.bandwidth) if cluster.bandwidth else 1.0
        # Ends of tasks that a failure has stopped are no events any more.
        while ends and turn[ends[0][1]] != ends[0][2]:
            heapq.heappop(ends)
        next_end = now + (ends[0][0] - work) * slow if ends else float("inf")
        if timers and timers[0][0] <= next_end:
            moment, kind, number = heapq.heappop(timers)
            work += (moment - now) / slow
            now = moment
            if kind == 0:
                down.add(number)
                for task in running.pop(number, ()):
                    turn[task] += 1
                    active -= 1
                    heapq.heappush(timers, (now + cluster.requeue, 1, task))
                heapq.heappush(timers, (now + cluster.repair, 2, number))
            elif kind == 1:
                queue.append(number)
            else:
                down.discard(number)
                available = [node for node in available if node != number] + [number] * cluster.slots
                heapq.heappush(timers, (now + chance.expovariate(1 / cluster.failure), 0, number))
            continue
        moment, task, number, node = heapq.heappop(ends)
        now, work = next_end, moment
        if left[task]:
            left[task].pop()
        if left[task]:
            heapq.heappush(ends, (work + left[task][-1], task, number, node))
        else:
            running[node].discard(task)
            active -= 1
            available.append(node)
            unfinished -= 1
    return now


# Measuring


def measure(options):
    sys.path.insert(0, str(ROOT / "Tests/Cluster"))
    import conftest
    import slurm

    folder = Path(tempfile.mkdtemp(prefix="whisper-local-cluster-"))
    cluster = None
    try:
        place = conftest.Workplace(folder, idle=False)
        (folder / "archive").mkdir()
        paths = sorted((conftest.SPEECH / "en").glob("*.wav"))[:options.recordings]
        for path in paths:
            shutil.copy(path, folder / "archive")
        cluster = slurm.Cluster()
        runs = {}
        for name, unused in [("one", "n2"), ("two", "")]:
            work = f"work-{name}"
            status, _ = place.run(f"scripts/cluster/plan archive {work} out-{name}")
            assert status == 0
            times = folder / f"times-{name}"
            start = time.monotonic()
            status, output = place.run(
                f"TIMES={times} sbatch {unused and '--exclude ' + unused} --parsable --wait "
                f"--array=1-{options.tasks} --cpus-per-task=1 scripts/cluster/archive.sbatch {work}/recordings.list {options.tasks} archive out-{name} "
                f"--model {options.model} --output-format txt", cluster)
            assert status == 0
            seconds = time.monotonic() - start
            reports = [json.loads(line) for path in (folder / work / "reports").glob("*.jsonl")
                       for line in path.read_text().splitlines()]
            processor = sum(float(line) for line in times.read_text().split())
            runs[name] = {"seconds": round(seconds, 2), "processor_seconds": round(processor, 2), "recordings": [
                {key: report[key] for key in ("path", "duration", "seconds")} for report in reports]}
        runs["tasks"], runs["model"] = options.tasks, options.model
        runs["processor"] = next(line.partition(": ")[2].strip() for line in open("/proc/cpuinfo") if "model name" in line)
        options.file.write_text(json.dumps(runs, indent=1) + "\n")
    finally:
        if cluster:
            cluster.stop()
        shutil.rmtree(folder)


# Simulating


def simulate(options):
    if not options.file.exists():
        print(f"nothing has been measured ({options.file.name}): half a second to start a task is assumed")
        return archive(options, 0.5)
    runs = json.loads(options.file.read_text())
    one, two = runs["one"], runs["two"]
    spent = {line["path"]: line["seconds"] for line in one["recordings"]}
    # What the tasks on one node took beyond their recordings.
    start = (one["seconds"] - sum(spent.values())) / runs["tasks"]
    names = sorted(spent)
    durations = {line["path"]: line["duration"] for line in one["recordings"]}
    parts = shards([max(WINDOW, durations[name]) for name in names], runs["tasks"])
    predicted = makespan([[spent[names[index]] for index in part] for part in parts], Cluster(2, 1, start))
    print(f"two nodes: measured {two['seconds']:.1f} s, predicted {predicted:.1f} s "
          f"({100 * (predicted / two['seconds'] - 1):+.1f} %)")
    print(f"processor time: one node {one['processor_seconds']:.1f} s, two nodes {two['processor_seconds']:.1f} s, "
          f"efficiency {one['processor_seconds'] / two['processor_seconds']:.3f}")
    archive(options, start)


def archive(options, start):
    """100,000 hours: lengths as of interviews, a median of 45 minutes and up to 4 hours; speed varies between recordings."""
    chance = random.Random(2)
    lengths = []
    while sum(lengths) < options.hours * 3600:
        lengths.append(min(4 * 3600, chance.lognormvariate(7.9, 0.7)))
    threads = options.threads
    seconds = [length / options.speed * chance.lognormvariate(0, 0.15) for length in lengths]
    print(f"\n{len(lengths)} recordings, {options.hours} hours, {options.speed:.0f} s of speech a second and task "
          f"of {threads} cores, {start:.2f} s to start a task\n")
    print("| nodes | task, min | order | ideal | makespan | loss | with failures | storage 1 GB/s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for nodes in (1, 10, 100, 1000):
        slots = 64 // threads
        ideal = sum(seconds) / (nodes * slots)
        for minutes, order in [(20, "longest first"), (20, "as listed"), (5, "longest first"), (120, "longest first")]:
            count = min(len(lengths), max(1, round(sum(seconds) / (60 * minutes))))
            parts = shards(lengths, count)
            if order == "as listed":
                parts = [list(range(index, len(lengths), count)) for index in range(count)]
            tasks = [[seconds[index] for index in part] for part in parts]
            if order == "longest first":
                tasks.sort(key=sum, reverse=True)
            plain = makespan(tasks, Cluster(nodes, slots, start))
            failing = makespan(tasks, Cluster(nodes, slots, start, failure=options.failure_days * 86400))
            reading = options.speed * 25e3
            stored = makespan(tasks, Cluster(nodes, slots, start, bandwidth=1e9, reading=reading))
            print(f"| {nodes} | {minutes} | {order} | {clock(ideal)} | {clock(plain)} | {100 * (plain / ideal - 1):.1f} % | "
                  f"{clock(failing)} | {clock(stored)} |", flush=True)


def clock(seconds):
    return f"{seconds / 86400:.1f} d" if seconds > 2 * 86400 else f"{seconds / 3600:.2f} h"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="run on a real cluster of two nodes")
    measuring.add_argument("--recordings", type=int, default=120)
    measuring.add_argument("--tasks", type=int, default=12)
    measuring.add_argument("--model", default="tiny.en")
    simulating = commands.add_parser("simulate", help="predict two nodes, and an archive on many")
    simulating.add_argument("--hours", type=int, default=100_000)
    simulating.add_argument("--threads", type=int, default=1, help="cores of a task")
    simulating.add_argument("--speed", type=float, default=27, help="seconds of speech a second and task")
    simulating.add_argument("--failure-days", type=float, default=3, help="days between failures of a node")
    for command in (measuring, simulating):
        command.add_argument("--file", type=Path, default=ROOT / "Benchmarks/results/cluster.json")
    options = parser.parse_args()
    measure(options) if options.command == "measure" else simulate(options)


if __name__ == "__main__":
    main()
