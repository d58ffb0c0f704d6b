"""The report of compare.py: goals, tables and a bar chart."""
from xml.sax.saxutils import escape

from harness import COMPUTE_TYPES, table

PEERS = ("whisper.cpp", "faster-whisper", "openai-whisper")
#: Bar colors, readable on light and dark backgrounds.
OURS, OTHERS = "#2a7de1", "#9aa3ad"


def fastest(rows, engines, field):
    """The row with the smallest value among the engines whose names start with `engines`; `None` if there is none."""
    rows = [row for row in rows if row["engine"].startswith(engines) and row.get(field)]
    return min(rows, key=lambda row: row[field], default=None)


#: The columns of a table of comparisons.
COMPARISONS = [("goal", "goal", "{}"), ("target", "wanted", "{} ×"), ("measured", "ratio", "{:.2f} ×"),
               ("ours", "ours", "{}"), ("ms", "ours_ms", "{:.0f}"), ("best peer", "peer", "{}"), ("ms", "peer_ms", "{:.0f}")]


def comparison(goal, wanted, ours, peer, field, name="engine"):
    """How many times faster one row is than another, in a list; an empty list if one of them is missing."""
    if not ours or not peer:
        return []
    return [{"goal": goal, "wanted": wanted, "ratio": peer[field] / ours[field], "ours": ours[name],
             "ours_ms": ours[field], "peer": peer[name], "peer_ms": peer[field]}]


def goals(windows, recordings, first_text):
    """One row per goal: how many times faster than the fastest peer whisper-local is, each with its best settings."""
    results = []

    def add(goal, target, rows, peers, field):
        results.extend(comparison(goal, target, fastest(rows, "whisper-local", field), fastest(rows, peers, field), field))

    for size in dict.fromkeys(row["size"] for row in windows):
        rows = [row for row in windows if row["size"] == size]
        if size == "tiny.en":
            add("window, greedy, tiny.en", 5, rows, PEERS, "window_greedy_ms")
            add("window, beam 5, tiny.en", 5, rows, PEERS, "window_beam_ms")
        add(f"encoder, {size}", 3, rows, ("whisper.cpp", "faster-whisper"), "encode_ms")
        add(f"encoder, {size}, vs. PyTorch bfloat16", 1, rows, "openai-whisper bfloat16", "encode_ms")
    add("recording, vs. faster-whisper", 5, recordings, "faster-whisper", "file_ms")
    add("recording, vs. whisper.cpp", 5, recordings, "whisper.cpp", "file_ms")
    add("first text of a 3 s clip, vs. whisper.cpp", 2, first_text, "whisper.cpp", "first_text_ms")
    return results


def memory(windows):
    """By model size, our peak with any compute type, and whisper.cpp's with the same float16 weights."""
    results = []
    for size in dict.fromkeys(row["size"] for row in windows):
        peaks = {row["engine"]: row["peak_bytes"] / 1e6 for row in windows if row["size"] == size}
        ours = max(peak for engine, peak in peaks.items() if engine.startswith("whisper-local"))
        peer = peaks.get("whisper.cpp f16")
        if peer:
            results.append({"size": size, "ours": ours, "peer": peer, "met": "yes" if ours <= peer + 100 else "no"})
    return results


def accuracy_cost(recordings):
    """By mode, the word error rates of the faster formats minus that of float32, in percentage points."""
    rates = {(row["work"], row["engine"]): row.get("word_error_rate") for row in recordings}
    results = []
    for mode in dict.fromkeys(mode for mode, _ in rates):
        reference = rates.get((mode, "whisper-local float32"))
        row = {"work": mode}
        for compute_type in COMPUTE_TYPES[1:]:
            rate = rates.get((mode, f"whisper-local {compute_type}"))
            row[compute_type] = None if rate is None or reference is None else 100 * (rate - reference)
        results.append(row)
    return results


def markdown(results):
    """The whole report; `results` is what the JSON file holds."""
    about, windows, recordings = results["about"], results["windows"], results["recordings"]
    engines = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return "\n\n".join([
        f"# whisper-local and its peers on {about['processor']}",
        f"`{about['command']}`, {about['date']}, {about['threads']} threads, medians of up to {about['rounds']} rounds. "
        f"{about['program']}; {engines}.",
        "## Goals",
        table(COMPARISONS, results["goals"]),
        "## One window",
        f"30 s of audio, {about['tokens']} tokens, random weights; times in milliseconds.",
        table([("size", "size", "{}"), ("engine", "engine", "{}"), ("log-mel", "mel_ms", "{:.1f}"),
               ("encode", "encode_ms", "{:.0f}"), ("greedy", "greedy_ms", "{:.0f}"), ("beam 5", "beam_ms", "{:.0f}"),
               ("window, greedy", "window_greedy_ms", "{:.0f}"), ("window, beam 5", "window_beam_ms", "{:.0f}"),
               ("tokens", "tokens", "{:.0f}"), ("peak MB", "peak_mb", "{:.0f}")],
              [row | {"peak_mb": row["peak_bytes"] / 1e6} for row in windows]),
        "## One recording",
        f"{about['minutes']} minutes of speech with pauses, `nano.en`, from file to text, at temperature 0 and without "
        "the previous text as a prompt. whisper-local's times include starting the program and loading the model.",
        table([("mode", "work", "{}"), ("engine", "engine", "{}"), ("ms", "file_ms", "{:.0f}"),
               ("× real time", "times_real_time", "{:.0f}"), ("word error rate", "word_error_rate", "{:.4f}")],
              recordings),
        "Word error rate of lower precision minus that of float32, in percentage points (goal: within ±0.5). The model "
        "is small and trained on short sentences: in 30 s windows that are not cut at pauses, one different word can "
        "change the text that follows it.",
        table([("mode", "work", "{}")] + [(name, name, "{:+.1f}") for name in COMPUTE_TYPES[1:]], accuracy_cost(recordings)),
        "## Memory",
        "Peak MB for one window: the highest of our compute types, and whisper.cpp with the same weights in float16 "
        "(goal: at most 100 MB above whisper.cpp).",
        table([("size", "size", "{}"), ("ours", "ours", "{:.0f}"), ("whisper.cpp", "peer", "{:.0f}"),
               ("met", "met", "{}")], memory(windows)),
        "## Time to the text of a 3 s clip",
        "`nano.en`, with nothing loaded at the start. The peers' times exclude starting Python and importing modules.",
        table([("engine", "engine", "{}"), ("ms", "first_text_ms", "{:.0f}")], results["first_text"])]) + "\n"


def chart(windows):
    """An SVG bar chart of the speed with greedy decoding, grouped by model size."""
    rows = [(row["size"], row["engine"], 30_000 / row["window_greedy_ms"]) for row in windows
            if row["window_greedy_ms"]]
    left, right, height, gap = 190, 470, 16, 26
    longest = max((speed for _, _, speed in rows), default=1)
    y, elements, group = 40, [], None
    for size, engine, speed in rows:
        if size != group:
            y += gap if group is not None else 0
            group = size
            elements.append(f'<text x="8" y="{y + 12}" font-weight="bold">{escape(size)}</text>')
            y += height + 6
        width = speed / longest * (right - left)
        color = OURS if engine.startswith("whisper-local") else OTHERS
        elements.append(f'<text x="{left - 6}" y="{y + 12}" text-anchor="end">{escape(engine)}</text>')
        elements.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{height - 2}" fill="{color}"/>')
        elements.append(f'<text x="{left + width + 5:.1f}" y="{y + 12}">{speed:.0f}</text>')
        y += height + 2
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="520" height="{y + 20}" font-family="sans-serif" '
            'font-size="11" fill="#808080"><text x="8" y="20" font-size="14">Seconds of audio transcribed per second'
            "</text>" + "".join(elements) + "</svg>\n")
