"""Scripts for the oracle `seek`: what the decoder returns for each window of a recording."""

TEMPERATURES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
QUIET = {"no_speech_prob": 0.9, "avg_logprob": -1.2}
WORDS = {"word_timestamps": True}
SKIP_SILENCE = {"word_timestamps": True, "hallucination_silence_threshold": 2.0}
LONG_TEXT = " ".join(f"word{i}" for i in range(160))


def window(*tokens, **results):
    """A decoded window: texts and timestamps in seconds, then results that differ from the defaults.

    by_temperature: other results at some temperatures. alignment: (start, end, probability) of each word.
    """
    return {"tokens": tokens, **results}


def script(name, seconds, windows, **options):
    """A recording of the given length, the windows decoded from it, and options of transcribe()."""
    return {"name": name, "seconds": seconds, "windows": windows, **options}


def unlikely(start, end):
    """The timing of a word that looks like a hallucination."""
    return start, end, 0.05


PAIR = window(0.0, " Hello there.", 2.0, 2.0, " More words.", 4.5, 4.5)
THREE = [window(0.0, " one", 2.0, 2.0, " two", 3.0), window(0.0, " three", 4.0, 4.0), window(0.0, " four", 2.0)]
FULL_WINDOWS = [window(0.0, " first", 30.0), window(0.0, " second", 30.0), window(0.0, " third", 5.0)]

SCRIPTS = [
    # Segments and seeking
    script("consecutive-then-rest", 12.0, [PAIR, window(0.0, " Tail one.", 3.0, 3.0, " Tail two.", 7.5)]),
    script("single-ending", 70.0, [
        window(0.0, " A.", 3.0, 3.0, " B.", 29.0),
        window(0.0, " C.", 5.0, 5.0, " D.", 9.0, 9.0),
        window(0.0, " E.", 20.0)]),
    script("no-timestamps-in-output", 45.0, [window(" just words"), window(" and more")]),
    script("one-timestamp-at-end", 40.0, [window(0.0, " only end", 11.5), window(0.0, " rest", 5.0)]),
    script("last-timestamp-is-zero", 20.0, [window(0.0, " zero last")]),
    script("unfinished-dropped", 40.0, [
        window(0.0, " kept", 2.0, 2.0, " dropped words without end"),
        window(0.0, " again", 2.0, 2.0, " finished", 4.0),
        window(0.0, " x", 1.0)]),
    script("empty-tokens", 35.0, [window(), window(" after")]),
    script("instant-and-blank-cleared", 50.0, [
        window(0.0, " a", 0.0, 0.0, " ", 4.0, 4.0, " b", 6.0, 6.0),
        window(0.0, "", 3.0, 3.0, " c", 5.0)]),
    script("pair-at-zero-only", 30.0, [window(0.0, " x", 10.0, 10.0), window(0.0, " y", 8.0)]),
    script("three-stamps-in-a-row", 30.0, [window(0.0, " x", 4.0, 4.0, 6.0, " y", 9.0, 9.0), window(0.0, " z", 5.0)]),
    script("exactly-30", 30.0, [window(0.0, " all of it", 30.0)]),
    script("short-0.5s", 0.5, [window(0.0, " hm", 0.5)]),
    script("short-1-frame", 0.01, [window(0.0, " hm", 0.02)]),
    script("end-beyond-content", 10.0, [window(0.0, " long", 25.0, 25.0, " x", 28.0, 28.0)]),

    # No speech
    script("silence-skipped", 70.0, [
        window(0.0, " ghost", 2.0, **QUIET),
        window(0.0, " real", 2.0),
        window(0.0, " ghost", 2.0, **QUIET)]),
    script("silence-but-confident", 30.0, [window(0.0, " kept", 2.0, no_speech_prob=0.9, avg_logprob=-0.5)]),
    script("silence-logprob-equal", 30.0, [window(0.0, " edge", 2.0, no_speech_prob=0.9, avg_logprob=-1.0)]),
    script("silence-threshold-none", 30.0, [window(0.0, " kept", 2.0, **QUIET)], no_speech_threshold=None),
    script("silence-logprob-none", 30.0, [
        window(0.0, " gone", 2.0, no_speech_prob=0.9, avg_logprob=-0.1)], logprob_threshold=None),
    script("silence-prob-equal", 30.0, [window(0.0, " kept", 2.0, no_speech_prob=0.6, avg_logprob=-5.0)]),

    # Fallback
    script("fallback-compression", 40.0, [
        window(0.0, " rep", 2.0, 2.0, " rep", 12.0, compression_ratio=3.0,
               by_temperature={"0.4": {"compression_ratio": 2.4}}),
        window(0.0, " next", 2.0)], temperature=TEMPERATURES, beam_size=5, best_of=5, patience=1.5),
    script("fallback-logprob", 40.0, [
        window(0.0, " bad", 2.0, avg_logprob=-1.5, by_temperature={"0.2": {"avg_logprob": -1.0}}),
        window(0.0, " next", 2.0)], temperature=TEMPERATURES),
    script("fallback-all-fail", 40.0, [
        window(0.0, " bad", 30.0, avg_logprob=-1.5),
        window(0.0, " next", 2.0)], temperature=TEMPERATURES, best_of=3),
    script("fallback-silence-stops", 40.0, [
        window(0.0, " ghost", 2.0, compression_ratio=9.0, **QUIET),
        window(0.0, " next", 2.0)], temperature=TEMPERATURES),
    script("fallback-resets-prompt", 100.0, [
        window(0.0, " first", 30.0),
        window(0.0, " second", 30.0, avg_logprob=-2.0, by_temperature={"0.6": {"avg_logprob": -0.2}}),
        window(0.0, " third", 30.0),
        window(0.0, " fourth", 5.0)], temperature=TEMPERATURES),
    script("fallback-0.4-keeps-prompt", 70.0, [
        window(0.0, " first", 30.0),
        window(0.0, " second", 30.0, avg_logprob=-2.0, by_temperature={"0.4": {"avg_logprob": -0.2}}),
        window(0.0, " third", 5.0)], temperature=TEMPERATURES),
    script("fallback-thresholds-none", 30.0, [
        window(0.0, " bad", 2.0, avg_logprob=-9.0, compression_ratio=9.0)],
        temperature=TEMPERATURES, logprob_threshold=None, compression_ratio_threshold=None),
    script("fixed-temperature-0.7", 70.0, FULL_WINDOWS, temperature=0.7),

    # Prompts
    script("condition-off", 70.0, FULL_WINDOWS, condition_on_previous_text=False),
    script("initial-prompt", 70.0, FULL_WINDOWS, initial_prompt="  Names: Ada, Grace. "),
    script("initial-prompt-condition-off", 70.0, FULL_WINDOWS,
           initial_prompt="Names", condition_on_previous_text=False),
    script("carry", 70.0, FULL_WINDOWS, initial_prompt="Names", carry_initial_prompt=True),
    script("carry-condition-off", 70.0, FULL_WINDOWS,
           initial_prompt="Names", carry_initial_prompt=True, condition_on_previous_text=False),
    script("carry-long-history", 100.0, [
        window(0.0, " " + LONG_TEXT, 30.0),
        window(0.0, " b", 30.0),
        window(0.0, " c", 30.0),
        window(0.0, " d", 5.0)], initial_prompt="Some names to keep", carry_initial_prompt=True),
    script("carry-longer-than-room", 70.0, [
        window(0.0, " first few words", 30.0),
        window(0.0, " second", 30.0),
        window(0.0, " third", 5.0)], initial_prompt=LONG_TEXT, carry_initial_prompt=True),
    script("carry-no-prompt", 40.0, [
        window(0.0, " first", 30.0),
        window(0.0, " second", 5.0)], carry_initial_prompt=True),
    script("long-history", 70.0, [
        window(0.0, " " + LONG_TEXT, 30.0),
        window(0.0, " " + LONG_TEXT, 30.0),
        window(0.0, " c", 5.0)]),

    # Clips
    script("clips-two", 60.0, THREE, clip_timestamps="5,10,40,50"),
    script("clips-open-end", 60.0, THREE, clip_timestamps="41.3"),
    script("clips-list", 60.0, THREE, clip_timestamps=[3.14, 7.77, 50.0]),
    script("clips-empty-string", 33.0, THREE, clip_timestamps=""),
    script("clips-long", 90.0, [
        window(0.0, " a", 30.0),
        window(0.0, " b", 30.0),
        window(0.0, " c", 4.0)], clip_timestamps="10,75"),
    script("clips-overlap", 60.0, THREE, clip_timestamps="5,20,10,30"),
    script("clips-empty-clip", 60.0, THREE, clip_timestamps="5,5,20,30"),
    script("clips-odd-three", 60.0, THREE, clip_timestamps="5,10,40"),
    script("clips-window-crosses-end", 60.0, [
        window(0.0, " a", 2.0, 2.0, " b", 9.0, 9.0),
        window(0.0, " c", 1.0)], clip_timestamps="5,10,40,50"),

    # Words
    script("words-default", 12.0, [PAIR, window(0.0, " Tail one.", 3.0, 3.0, " Tail two.", 7.5)], **WORDS),
    script("words-seek-moves", 40.0, [
        window(0.0, " one two", 2.0, 2.0, " three four", 4.0, 4.0,
               alignment=[(0, 0.5, 0.9), (0.5, 1.0, 0.9), (2.0, 2.4, 0.9), (2.4, 3.1, 0.9)]),
        window(0.0, " five", 1.0, alignment=[(0.2, 0.9, 0.8)])], **WORDS),
    script("words-single-ending", 40.0, [
        window(0.0, " one two", 2.0, 2.0, " three", 4.0, alignment=[(0, 0.5, 0.9), (0.5, 1.0, 0.9), (2.0, 2.4, 0.9)]),
        window(0.0, " five", 1.0)], **WORDS),
    script("words-no-text", 35.0, [window(0.0, " ", 2.0), window(0.0, " five", 1.0)], **WORDS),
    script("words-none-empty", 35.0, [window(), window(0.0, " five", 1.0)], **WORDS),
    script("words-punctuation", 20.0, [window(0.0, ' "Well," he said - (maybe) 5%!', 6.0)], **WORDS),
    script("words-custom-punctuation", 20.0, [
        window(0.0, ' "Well," he said - (maybe) 5%!', 6.0)],
        prepend_punctuations="(", append_punctuations="!,", **WORDS),
    script("words-long-pause", 40.0, [
        window(0.0, " one two three", 28.0, alignment=[(0.1, 5.0, 0.9), (5.0, 5.3, 0.9), (5.3, 5.7, 0.9)]),
        window(0.0, " next", 2.0)], **WORDS),
    script("hallucination-none", 40.0, [
        window(0.0, " good words here", 2.0, 2.0, " more good ones", 4.0, 4.0),
        window(0.0, " tail words", 2.0)], **SKIP_SILENCE),
    script("hallucination-leading", 60.0, [
        window(0.0, " Thanks for watching", 9.0,
               alignment=[unlikely(6.0, 6.05), unlikely(6.05, 6.1), unlikely(6.1, 6.15)]),
        window(0.0, " good words", 2.0),
        window(0.0, " good", 2.0)], **SKIP_SILENCE),
    script("hallucination-leading-small-gap", 40.0, [
        window(0.0, " Thanks for watching", 9.0,
               alignment=[unlikely(1.0, 1.05), unlikely(1.05, 1.1), unlikely(1.1, 1.15)]),
        window(0.0, " good", 2.0)], **SKIP_SILENCE),
    script("hallucination-middle", 60.0, [
        window(0.0, " good words here now", 2.0, 2.0, " Thanks for watching", 10.0, 10.0, " good again", 16.0, 16.0,
               alignment=[(0, 0.4, 0.9), (0.4, 0.8, 0.9), (0.8, 1.2, 0.9),
                          (1.2, 1.6, 0.9), unlikely(8.0, 8.05), unlikely(8.05, 8.1), unlikely(8.1, 8.15),
                          (15.0, 15.4, 0.9), (15.4, 15.8, 0.9)]),
        window(0.0, " rest words", 2.0, alignment=[(5, 5.4, 0.9), (5.4, 5.8, 0.9)]),
        window(0.0, " last", 1.0)], **SKIP_SILENCE),
    script("hallucination-at-window-end", 60.0, [
        window(0.0, " good words here now", 2.0, 2.0, " Thanks for watching", 29.5, 29.5,
               alignment=[(0, 0.4, 0.9), (0.4, 0.8, 0.9), (0.8, 1.2, 0.9),
                          (1.2, 1.6, 0.9), unlikely(29.0, 29.05), unlikely(29.05, 29.1), unlikely(29.1, 29.15)]),
        window(0.0, " rest words", 2.0),
        window(0.0, " last", 1.0)], **SKIP_SILENCE),
    script("hallucination-near-end-of-file", 32.0, [
        window(0.0, " good words here now", 2.0, 2.0, " Thanks for watching", 31.0, 31.0,
               alignment=[(0, 0.4, 0.9), (0.4, 0.8, 0.9), (0.8, 1.2, 0.9),
                          (1.2, 1.6, 0.9), unlikely(29.9, 29.95), unlikely(30.05, 30.1), unlikely(30.1, 30.15)]),
        window(0.0, " last", 1.0)], **SKIP_SILENCE),
    script("hallucination-single-ending-remaining-short", 60.0, [
        window(0.0, " good words here", 29.0, 29.0, " more", 29.5, 29.5,
               alignment=[(0, 0.4, 0.9), (0.4, 0.8, 0.9), (28.0, 28.6, 0.9), (28.6, 29.2, 0.9)]),
        window(0.0, " rest words", 2.0)], **SKIP_SILENCE),
    script("hallucination-single-ending-remaining-long", 60.0, [
        window(0.0, " good words here", 10.0, 10.0, " more", 12.0, 12.0,
               alignment=[(0, 0.4, 0.9), (0.4, 0.8, 0.9), (8.0, 8.6, 0.9), (8.6, 9.2, 0.9)]),
        window(0.0, " rest words", 2.0)], **SKIP_SILENCE),
    script("hallucination-long-words", 60.0, [
        window(0.0, " slow strange", 9.0, 9.0, alignment=[(0.2, 5.2, 0.9), (5.2, 9.0, 0.9)]),
        window(0.0, " good words", 2.0),
        window(0.0, " good", 2.0)], **SKIP_SILENCE),
    script("hallucination-eight-words", 60.0, [
        window(0.0, " a b c d e f g h i j k l", 9.0,
               alignment=[(5 + 0.3 * i, 5.3 + 0.3 * i, 0.05 if i < 3 else 0.9) for i in range(12)]),
        window(0.0, " good words", 2.0),
        window(0.0, " good", 2.0)], **SKIP_SILENCE),
    script("hallucination-threshold-zero-words-off", 40.0, [
        window(0.0, " good words here", 2.0, 2.0, " more", 4.0, 4.0),
        window(0.0, " tail", 2.0)], hallucination_silence_threshold=2.0),

    # Language
    script("language-detected", 40.0, [
        window(0.0, " eins", 30.0),
        window(0.0, " zwei", 5.0)], multilingual=True, language_probabilities={"en": 0.2, "de": 0.7, "fr": 0.1}),
    script("language-given-name", 10.0, [window(0.0, " un", 5.0)], multilingual=True, language="fr"),
    script("translate", 10.0, [window(0.0, " one", 5.0)], multilingual=True, language="fr", task="translate"),
    script("without-timestamps", 40.0, [window(" only text"), window(" more text")], without_timestamps=True),
]
