"""The report of `compare.py --real`: aims, all rows, and a short table."""
from harness import table
from report import COMPARISONS, PEERS, comparison, fastest

OURS = "whisper-local"
REFERENCE, OWN_REFERENCE = "openai-whisper float32", "whisper-local float32"
#: How many times faster than the best peer: encoder, recording, recording with both in float32.
AIMS = {"avx512bf16": (3, 5, 1.5), "avx512vnni": (3, 3, 1.2)}
#: The same for older instruction sets.
OLDER_AIMS = (2, 2, 1.1)
#: The rows of the short table: title, engines of which the fastest counts.
SHORT = (("**whisper-local**, default", ("whisper-local auto",)),
         ("**whisper-local**, `--compute-type int8`", ("whisper-local int8",)),
         ("**whisper-local**, `--compute-type float32`", ("whisper-local float32",)),
         ("faster-whisper, int8 or float32", ("faster-whisper int8", "faster-whisper float32")),
         ("whisper.cpp, q8_0 or f16", ("whisper.cpp q8_0", "whisper.cpp f16")),
         ("openai-whisper", ("openai-whisper float32",)))
LANGUAGES = {"en": "English", "fr": "French", "es": "Spanish", "it": "Italian", "ru": "Russian"}
#: How far the word error rate may exceed the reference's, so that no engine wins by dropping words.
MAX_ERROR_INCREASE = 0.01


def judge(rows):
    """Sets `counts`: whether a row may be the best. Its words are compared with those of float32 without batches."""
    rates = {(row["engine"], row["model"], row["language"], row["mode"]): row["word_error_rate"] for row in rows}
    for row in rows:
        mode = row["mode"].removesuffix(", batched")
        references = [rates.get((name, row["model"], row["language"], mode)) for name in (REFERENCE, OWN_REFERENCE)]
        reference = next((rate for rate in references if rate is not None), None)
        rate = row["word_error_rate"]
        row["counts"] = rate is None or reference is None or rate <= reference + MAX_ERROR_INCREASE


def aims(rows, instruction_set):
    """One row per aim, then the floor: the row of ours that is slowest compared with the best peer in the same mode."""
    encoder, recording, single = AIMS.get(instruction_set, OLDER_AIMS)
    results = []

    def add(goal, wanted, rows):
        rows = [row for row in rows if row["counts"]]
        results.extend(comparison(goal, wanted, fastest(rows, OURS, "ms"), fastest(rows, PEERS, "ms"), "ms", "setting"))

    for model in dict.fromkeys(row["model"] for row in rows):
        add(f"encoder, {model}", encoder, [row for row in rows if (row["mode"], row["model"]) == ("encoder", model)])
    searches = dict.fromkeys((row["model"], row["language"], row["mode"].removesuffix(", batched"))
                             for row in rows if row["language"])
    for model, language, mode in searches:
        both = [row for row in rows if (row["model"], row["language"]) == (model, language)
                and row["mode"].removesuffix(", batched") == mode]
        add(f"recording, {mode}, {model}, {language}", recording, both)
        add(f"recording, {mode}, {model}, {language}, float32", single,
            [row for row in both if row["engine"].endswith("float32")])
    for row in sorted(slower(rows, limit=None), key=lambda row: row["ratio"])[:1]:
        results.append(row | {"goal": f"no row slower than a peer; the slowest: {row['goal']}"})
    for row in results:
        row["met"] = "yes" if row["ratio"] >= row["wanted"] else "no"
    return results


def slower(rows, limit=1):
    """Our rows that are less than `limit` times as fast as the best peer that does the same work, or all with a peer."""
    found = []
    for work in dict.fromkeys(row["work"] for row in rows):
        same = [row for row in rows if row["work"] == work]
        peer = fastest([row for row in same if row["counts"]], PEERS, "ms")
        for row in same:
            if row["engine"].startswith(OURS) and row["ms"]:
                found += comparison(work, 1, row, peer, "ms", "setting")
    return [row for row in found if limit is None or row["ratio"] < limit]


def short(results):
    """A short table of recordings for readers in a hurry: seconds of each engine in its fastest mode that counts."""
    about, rows = results["about"], results["rows"]
    searches = list(dict.fromkeys((row["model"], row["language"], row["mode"].removesuffix(", batched"))
                                  for row in rows if row["language"]))

    def cell(search, names):
        model, language, mode = search
        best = fastest([row for row in rows if row["engine"] in names and row["counts"]
                        and (row["model"], row["language"]) == (model, language)
                        and row["mode"] in (mode, f"{mode}, batched")], "", "ms")
        if not best:
            return "–"
        return f"{best['ms'] / 1000:.1f} s" + (" *" if best["mode"].endswith("batched") else "")

    cells = [{"engine": title} | {str(search): cell(search, names) for search in searches} for title, names in SHORT]
    columns = [("", "engine", "{}")] + [(f"{model}, {LANGUAGES[language]}, {mode}", str((model, language, mode)), "{}")
                                        for model, language, mode in searches]
    peers = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return (f"{about['minutes']:g} minutes of speech on {about['threads']} cores of an {about['processor']} "
            f"({about['instruction_set']}), {about['date']}, `{about['command']}`, with {peers}:\n\n{table(columns, cells)}\n\n"
            f"\\* in batches of eight. Modes whose word error rate is more than {100 * MAX_ERROR_INCREASE:.0f} point above "
            "openai-whisper's do not count.")


def notes(about):
    sentences = [
        "Ratios: the best peer's time divided by ours. A row whose word error rate is more than "
        f"{100 * MAX_ERROR_INCREASE:.0f} point above that of {REFERENCE} (if it was not run, of {OWN_REFERENCE}) is shown but is "
        "never the best; batches are compared with the same search without batches.",
        "Our times for a recording include starting the program and loading the model; the peers stay loaded. Our encoder "
        "and whisper.cpp's include the keys and values of cross-attention."]
    if about["limited"]:
        sentences.append(
            f"Limited to {about['instruction_set']} by `--instruction-set`: whisper-local, and through environment "
            "variables ATen, oneDNN and CTranslate2. MKL obeys its variable only on Intel's processors. whisper.cpp is "
            "compiled for this processor and uses all of its instructions.")
    return " ".join(sentences)


def markdown(results):
    """The whole report; `results` is what the JSON file holds."""
    about, rows = results["about"], results["rows"]
    engines = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    shown = [row | {"error_percentage": None if row["word_error_rate"] is None else 100 * row["word_error_rate"],
                    "remark": row["remark"] or ("" if row["counts"] else "too many wrong words")} for row in rows]
    return "\n\n".join([
        f"# Human speech: whisper-local and its peers, {about['instruction_set']}, {about['processor']}",
        f"`{about['command']}`, {about['date']}, {about['threads']} threads, "
        + ("one round. " if about["rounds"] == 1 else f"medians of up to {about['rounds']} rounds. ")
        + f"{about['program']}; {engines}.",
        notes(about),
        "## Goals",
        table(COMPARISONS + [("met", "met", "{}")], results["aims"]),
        "## Slower than a peer",
        table([("work", "goal", "{}"), *COMPARISONS[2:]], results["slower"])
        if results["slower"] else "None of our rows.",
        "## All rows",
        table([("work", "work", "{}"), ("engine", "engine", "{}"), ("ms", "ms", "{:.0f}"),
               ("× real time", "times_real_time", "{:.1f}"), ("wrong words, %", "error_percentage", "{:.1f}"),
               ("rounds", "rounds", "{}"), ("", "remark", "{}")], shown)]) + "\n"
