"""Jobs on several engines in turn, round after round, so that other load on the machine affects all of them alike."""
import statistics
import sys
import time

#: A job that took longer is not repeated: short disturbances do not change its time.
LONG_MS = 60_000


def interleaved(engines, job, variants, rounds, warm_up, supports, results=None, save=lambda: None):
    """Runs every variant of a job on every engine that supports it, round after round.

    `variants` maps names to arguments; `warm_up` holds the arguments of a small job that each engine runs first;
    `supports(engine, job, arguments)` says what to run. Returns {engine name: {variant name: results}}; the result of a job
    that was stopped is `None`. `results` may hold those of earlier calls, which are not repeated; `save` is called after
    each job.
    """
    results = {} if results is None else results
    warm = set()
    for number in range(rounds):
        for name, arguments in variants.items():
            for engine in engines:
                runs = results.setdefault(engine.name, {}).setdefault(name, [])
                if len(runs) > number or took_long(runs) or not supports(engine, job, arguments):
                    continue
                if engine.name not in warm:
                    engine.run(job, **warm_up)
                    warm.add(engine.name)
                start = time.perf_counter()
                runs.append(engine.run(job, **arguments))
                print(f"round {number + 1}, {name}, {engine.name}: {time.perf_counter() - start:.1f} s",
                      file=sys.stderr)
                save()
    return results


def took_long(runs):
    """Whether a job was stopped or took so long that it is not repeated."""
    return any(run is None or run.get("file_ms", 0) > LONG_MS for run in runs)


def finished(runs):
    """The results of the jobs that were not stopped."""
    return [run for run in runs if run]


def median(runs, field):
    values = [run[field] for run in finished(runs) if field in run]
    return statistics.median(values) if values else None
