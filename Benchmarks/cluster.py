"""Transcribing an archive on a cluster: measured on two nodes on one host, simulated for many.

  ~/.cache/whisper-local/tests/clients/bin/python Benchmarks/cluster.py measure [--recordings N] [--model NAME]
  Benchmarks/cluster.py simulate

Both use Benchmarks/results/cluster.json, or another file with `--file`. `measure` needs pytest, which the Python above has.

`measure` runs a job array on a real Slurm cluster (Tests/Cluster/slurm.py) several times, on one node and on two, and
records the time of each recording, and the CPU seconds and node of each task. `simulate` first predicts the run on two nodes
from the times on one node, then simulates an archive of 100,000 hours on 1 to 1,000 nodes of 64 cores. Wall time means little
on a busy host, so times are CPU seconds and medians of the runs.

This is a discrete-event simulation. A task takes its startup time plus the time of each recording. All running tasks read
from shared storage; if together they need more than its bandwidth, all are slowed down by the same factor. When a
node fails, its tasks are queued again after a delay; completed recordings are skipped, and the one that each task was
working on is repeated. Failures are exponentially distributed.
"""
import argparse
import collections
import heapq
import json
import random
import shutil
import statistics
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
    #: Bytes per second that storage delivers, and that a running task reads; 0: unlimited.
    bandwidth: float = 0
    reading: float = 0


def shards(loads, count):
    """The recordings of each task, split as by `transcribe --shard`: the longest first, each to the least loaded task."""
    heap = [(0.0, number) for number in range(count)]
    parts = [[] for _ in range(count)]
    for index in sorted(range(len(loads)), key=lambda index: -loads[index]):
        load, number = heap[0]
        parts[number].append(index)
        heapq.heapreplace(heap, (load + loads[index], number))
    return parts


def makespan(tasks, cluster, seed=1):
    """Seconds until all tasks are done; each is a list of the seconds of its recordings, and they start in this order.

    Work is measured in seconds of a task that is not slowed down: `work` is the clock for work, `now` the real clock.
    """
    chance = random.Random(seed)
    queue = list(range(len(tasks)))[::-1]
    left = [list(task)[::-1] for task in tasks]
    available = [node for node in range(cluster.nodes) for _ in range(cluster.slots)][::-1]
    running = {}  # node → its running tasks
    # Counts the starts and failures of each task; an end event with an older count is stale.
    generation = [0] * len(tasks)
    ends, timers = [], []  # `ends` by the work clock; failures, repairs and requeued tasks by the real one
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
            generation[task] += 1
            running.setdefault(node, set()).add(task)
            active += 1
            end = work + cluster.start + (left[task][-1] if left[task] else 0)
            heapq.heappush(ends, (end, task, generation[task], node))
        slow = max(1.0, active * cluster.reading / cluster.bandwidth) if cluster.bandwidth else 1.0
        # Drop the end events of tasks that a failure has stopped.
        while ends and generation[ends[0][1]] != ends[0][2]:
            heapq.heappop(ends)
        next_end = now + (ends[0][0] - work) * slow if ends else float("inf")
        if timers and timers[0][0] <= next_end:
            moment, kind, number = heapq.heappop(timers)
            work += (moment - now) / slow
            now = moment
            if kind == 0:
                down.add(number)
                for task in running.pop(number, ()):
                    generation[task] += 1
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
    # As in Tests/Cluster/pytest.ini.
    sys.path[:0] = [str(ROOT / "Tests/Cluster"), str(ROOT / "Tests")]
    import conftest
    import slurm

    folder = Path(tempfile.mkdtemp(prefix="whisper-local-cluster-"))
    cluster = None
    try:
        place = conftest.Workplace(folder, idle=False)
        (folder / "archive").mkdir()
        for path in sorted((conftest.SPEECH / "en").glob("*.wav"))[:options.recordings]:
            shutil.copy(path, folder / "archive")
        found = {"model": options.model, "tasks": options.tasks, "processor": processor_name(),
                 "start": round(start_seconds(place, options), 3), "one": [], "two": []}
        cluster = slurm.Cluster()
        for number in range(options.repeat):
            for nodes, exclude in [("one", "--exclude n2"), ("two", "")]:
                found[nodes].append(run_array(place, cluster, f"{nodes}-{number}", exclude, options))
        runs = json.loads(options.file.read_text()) if options.file.exists() else {}
        options.file.write_text(json.dumps(runs | {options.model: found}, indent=1) + "\n")
    finally:
        if cluster:
            cluster.stop()
        shutil.rmtree(folder)


def processor_name():
    with open("/proc/cpuinfo") as file:
        return next(line.partition(": ")[2].strip() for line in file if "model name" in line)


def processor_seconds(path):
    """The CPU seconds of each run of the program, with its task and node."""
    return [{"processor_seconds": round(float(user) + float(system), 3), "task": int(task), "node": node}
            for user, system, task, node in (line.split() for line in path.read_text().splitlines())]


def start_seconds(place, options):
    """CPU seconds to start the program and load the model: the difference between one run per recording and one run for
    all of them."""
    program = f"whisper-local transcribe -q --threads 1 --model {options.model} --output-format txt --output-dir starts"
    names = [path.name for path in sorted((place.folder / "archive").iterdir(), key=lambda path: path.stat().st_size)][:12]
    sums = []
    for label, line in [("each", f"for name in {' '.join(names)}; do {program} archive/$name; done"),
                        ("all", f"cd archive; {program} {' '.join(names)}")]:
        times = place.folder / f"start-{label}"
        assert place.run(f"export TIMES={times}; {line}")[0] == 0
        sums.append(sum(run["processor_seconds"] for run in processor_seconds(times)))
    return (sums[0] - sums[1]) / (len(names) - 1)


def run_array(place, cluster, name, exclude, options):
    work = f"work-{name}"
    assert place.run(f"scripts/cluster/plan archive {work} out-{name}")[0] == 0
    times = place.folder / f"times-{name}"
    begun = time.monotonic()
    status, _ = place.run(
        f"TIMES={times} sbatch {exclude} --parsable --wait --array=1-{options.tasks} --cpus-per-task=1 "
        f"scripts/cluster/archive.sbatch {work}/recordings.list {options.tasks} archive out-{name} "
        f"--model {options.model} --output-format txt", cluster)
    assert status == 0
    seconds = time.monotonic() - begun
    recordings = []
    for report in (place.folder / work / "reports").glob("*.jsonl"):
        for line in map(json.loads, report.read_text().splitlines()):
            recordings.append({"path": line["path"], "duration": line["duration"], "seconds": line["seconds"],
                               "task": int(report.stem.rpartition("_")[2])})
    return {"seconds": round(seconds, 2), "tasks": processor_seconds(times), "recordings": recordings}


# Simulating


def simulate(options):
    runs = json.loads(options.file.read_text())
    for found in runs.values():
        compare(found)
    archive(options, runs[options.model]["start"] if options.start is None else options.start)


def total(run):
    return sum(task["processor_seconds"] for task in run["tasks"])


def median_run(runs):
    """The run with the median CPU time; the lower of the two middle ones."""
    return sorted(runs, key=total)[(len(runs) - 1) // 2]


def compare(found):
    """Compares one node with two in CPU seconds, because wall time means little on a busy host."""
    one, two = median_run(found["one"]), median_run(found["two"])
    speech = sum(line["duration"] for line in one["recordings"])
    print(f"{found['model']}: {len(one['recordings'])} recordings, {speech:.0f} s of speech, {found['tasks']} tasks, "
          f"{found['start']:.2f} s to start each; {speech / total(one):.1f} hours of speech per hour and core")
    efficiency = total(one) / total(two)
    print(f"  CPU time: one node {total(one):.1f} s, two nodes {total(two):.1f} s, efficiency {efficiency:.3f}")
    measured = statistics.median(busiest(run) for run in found["two"])
    predicted = makespan(list(task_times(one, found["start"])), Cluster(2, 1, found["start"]))
    print(f"  the busier of two nodes: measured {measured:.1f} s, predicted {predicted:.1f} s "
          f"({100 * (predicted / measured - 1):+.1f} %)")


def busiest(run):
    nodes = collections.Counter()
    for task in run["tasks"]:
        nodes[task["node"]] += task["processor_seconds"]
    return max(nodes.values())


def task_times(run, start):
    """For each task the CPU seconds of its recordings: those of the task, divided in proportion to wall time."""
    clocks = collections.defaultdict(list)
    for line in run["recordings"]:
        clocks[line["task"]].append(line["seconds"])
    for task in sorted(run["tasks"], key=lambda task: task["task"]):
        spent = clocks[task["task"]]
        yield [(task["processor_seconds"] - start) * seconds / sum(spent) for seconds in spent]


def archive(options, start):
    """100,000 hours with lengths like those of interviews: 45 minutes (median), up to 4 hours. Speed varies by recording."""
    chance = random.Random(2)
    lengths = []
    while sum(lengths) < options.hours * 3600:
        lengths.append(min(4 * 3600, chance.lognormvariate(7.9, 0.7)))
    threads = options.threads
    seconds = [length / options.speed * chance.lognormvariate(0, 0.15) for length in lengths]
    print(f"\n{len(lengths)} recordings, {options.hours} hours, {options.speed:.0f} s of speech per second and task "
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
    measuring = commands.add_parser("measure", help="run on a real two-node cluster")
    measuring.add_argument("--recordings", type=int, default=120)
    measuring.add_argument("--tasks", type=int, default=24)
    measuring.add_argument("--repeat", type=int, default=3, help="runs on each number of nodes")
    simulating = commands.add_parser("simulate", help="predict the two-node run, and simulate a large archive on many nodes")
    simulating.add_argument("--hours", type=int, default=100_000)
    simulating.add_argument("--threads", type=int, default=1, help="cores per task")
    simulating.add_argument("--speed", type=float, default=27, help="seconds of speech per second and task")
    simulating.add_argument("--start", type=float, help="seconds to start a task (default: as measured)")
    simulating.add_argument("--failure-days", type=float, default=3, help="days between failures of a node")
    for command in (measuring, simulating):
        command.add_argument("--model", default="tiny.en")
        command.add_argument("--file", type=Path, default=ROOT / "Benchmarks/results/cluster.json")
    options = parser.parse_args()
    measure(options) if options.command == "measure" else simulate(options)


if __name__ == "__main__":
    main()
