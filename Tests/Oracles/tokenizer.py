#!/usr/bin/env python3
"""Fixtures/tokenizer: encoding, decoding, special ids, languages, splitting into words, and the vocabularies.

With --built-in, writes only the vocabularies that are compiled into the program: Sources/CVocabularies/*.vocabulary.z.
"""
import base64
import json
import random
import struct
import zlib
from pathlib import Path

import whisper
from whisper.tokenizer import LANGUAGES, TO_LANGUAGE_CODE, get_tokenizer

import common

# openai-whisper's table and the number of ordinary tokens.
VOCABULARIES = {"english": ("gpt2", 50256), "multilingual": ("multilingual", 50257)}
NO_SPACE_LANGUAGES = ["zh", "ja", "th", "lo", "my", "yue"]


def main():
    parser = common.output_parser(__doc__)
    parser.add_argument("--built-in", action="store_true", help="write the program's own vocabularies instead")
    options = parser.parse_args()
    if options.built_in:
        write_built_in(common.REPOSITORY / "Sources/CVocabularies")
    else:
        write_fixtures(options.output / "tokenizer")


def write_fixtures(folder):
    texts = json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8"))
    for kind in ("english", "multilingual-99"):     # multilingual-100 has the same ordinary tokens as -99
        write_encodings(folder, kind, texts["texts"] + mixtures(texts["pieces"], 420 - len(texts["texts"])))
        write_decodings(folder, kind)
    write_special_tokens(folder)
    write_languages(folder)
    write_word_splits(folder, texts["sentences"])
    for name, (asset, count) in VOCABULARIES.items():
        write_vocabulary(folder / f"{name}.vocabulary", asset, count)


def tokenizer(kind, language="en", task="transcribe"):
    """The tokenizer of `english`, `multilingual-99` (languages) or `multilingual-100`."""
    if kind == "english":
        return get_tokenizer(False)
    return get_tokenizer(True, num_languages=int(kind.split("-")[1]), language=language, task=task)


def mixtures(pieces, count):
    """Texts of random pieces."""
    choose = random.Random(7)
    return ["".join(choose.choice(pieces) for _ in range(choose.randint(2, 12))) for _ in range(count)]


def write_encodings(folder, kind, texts):
    encoder = tokenizer(kind)
    cases = []
    for text in texts:
        ids = encoder.encode(text)
        assert encoder.decode(ids) == text
        cases.append({"text": text, "utf8": text.encode().hex(), "ids": ids})
    common.write_cases(folder / f"encode-{kind}.json",
                       {"note": "utf8 is the text in hex; decode(ids) gives the text back"}, cases)


def write_decodings(folder, kind):
    decoder = tokenizer(kind)
    cases = [{"ids": ids, "decode": decoder.decode(ids), "decode_with_timestamps": decoder.decode_with_timestamps(ids),
              "decode_utf8": decoder.decode(ids).encode().hex()} for ids in id_sequences(decoder)]
    note = ("decode drops ids >= timestamp_begin; invalid UTF-8 becomes U+FFFD (one per maximal invalid subpart)")
    common.write_cases(folder / f"decode-{kind}.json", {"note": note}, cases)


def id_sequences(decoder):
    """Sequences of bytes that are not UTF-8, of any tokens, and with timestamps and special tokens."""
    choose = random.Random(11)
    single_tokens = [[id] for id in [*range(0, 256, 5), 220, 198, 50255]]
    single_bytes = [[choose.randrange(256) for _ in range(choose.randint(1, 8))] for _ in range(80)]
    any_tokens = [[choose.randrange(50256) for _ in range(choose.randint(1, 10))] for _ in range(60)]
    zero = decoder.timestamp_begin
    special = [[zero, 400, 370, zero + 50, zero + 50, 452, zero + 1500], [decoder.sot, 400, decoder.eot],
               [decoder.no_timestamps, 400], [decoder.eot], [zero], [400, decoder.no_speech, 370]]
    return single_tokens + single_bytes + any_tokens + special


def write_special_tokens(folder):
    for kind in ("english", "multilingual-99", "multilingual-100"):
        common.write_json(folder / f"special-{kind}.json", special_tokens(kind), indent=1)


def special_tokens(kind):
    tokens = tokenizer(kind)
    special = dict(sorted(tokens.special_tokens.items(), key=lambda item: item[1]))
    zero = tokens.timestamp_begin
    stamps = {name: id for name, id in special.items() if id >= zero}
    suppressed = {*tokens.non_speech_tokens, tokens.transcribe, tokens.translate, tokens.sot, tokens.sot_prev,
                  tokens.sot_lm, tokens.no_speech}
    by_token = sorted(zip(tokens.all_language_tokens, tokens.all_language_codes))
    info = {
        "n_vocab": tokens.encoding.n_vocab, "eot": tokens.eot, "sot": tokens.sot, "translate": tokens.translate,
        "transcribe": tokens.transcribe, "sot_lm": tokens.sot_lm, "sot_prev": tokens.sot_prev,
        "no_speech": tokens.no_speech, "no_timestamps": tokens.no_timestamps, "timestamp_begin": zero,
        "timestamp_last": max(stamps.values()), "blank_ids": tokens.encode(" "),
        "sot_sequence_default": tokens.sot_sequence, "non_speech_tokens": tokens.non_speech_tokens,
        "suppress_minus_one": sorted(suppressed), "all_language_tokens": [token for token, _ in by_token],
        "all_language_codes": [code for _, code in by_token],
        "special_tokens_below_timestamps": {name: id for name, id in special.items() if id < zero},
        "timestamp_names_sample": {name: id for name, id in stamps.items() if (id - zero) % 250 in (0, 1, 49)},
    }
    if kind != "english":
        languages = ["en", "zh", "de", "haw", "su"] + (["yue"] if kind == "multilingual-100" else [])
        info["sot_sequences"] = {f"{language}/{task}": tokenizer(kind, language, task).sot_sequence
                                 for language in languages for task in ("transcribe", "translate")}
    return info


def write_languages(folder):
    aliases = {name: code for name, code in TO_LANGUAGE_CODE.items() if name not in LANGUAGES.values()}
    common.write_json(folder / "languages.json", {"order": list(LANGUAGES), "names": LANGUAGES, "aliases": aliases,
                                                  "no_space_languages": NO_SPACE_LANGUAGES}, indent=1)


def write_word_splits(folder, sentences):
    cases = []
    for language, texts in sentences.items():
        for text in texts:
            cases.append(split_text("multilingual-100", language, text))
            if language in ("en", "fr", "ko", "zh"):
                cases.append(split_text("english", None, text))
    cases += random_splits()
    ids = [8404, 871, 287, 6, 246, 526, 3210, 20378]
    words, word_tokens = tokenizer("multilingual-99", "fr").split_tokens_on_unicode(ids)
    cases.append({"vocabulary": "multilingual-99", "language": "fr", "on": "unicode", "ids": ids, "words": words,
                  "word_tokens": word_tokens})
    common.write_cases(folder / "split-words.json",
                       {"note": "split_to_word_tokens; on = unicode: the inner split only"}, cases)


def split_text(kind, language, text):
    tokens = tokenizer(kind, language)
    return split(tokens, kind, language, tokens.encode(text) + [tokens.eot])


def split(tokens, kind, language, ids):
    case = {"vocabulary": kind, "language": language, "ids": ids}
    try:
        words, word_tokens = tokens.split_to_word_tokens(ids)
    except IndexError:
        return case | {"error": "index out of range"}
    return case | {"words": words, "word_tokens": word_tokens}


def random_splits():
    """Splits of sequences that are mostly broken UTF-8, four in five of them with an end-of-text token."""
    choose = random.Random(3)
    pool = [*range(120, 256), 220, 11, 13, 0, 1, 6, 50364 + 100, 400, 370, 871]
    for language in ("en", "ja"):
        tokens = tokenizer("multilingual-100", language)
        for _ in range(60):
            ids = [choose.choice(pool) for _ in range(choose.randint(1, 9))]
            if choose.random() < 0.8:
                ids.append(tokens.eot)
            yield split(tokens, "multilingual-100", language, ids)


def write_vocabulary(path, asset, count):
    """Writes the tokens by rank as ggml files hold them: their number, then each one's length and bytes."""
    data = struct.pack("<I", count)
    for token in ranked_tokens(asset, count):
        data += struct.pack("<I", len(token)) + token
    path.write_bytes(data)


def write_built_in(folder):
    """Writes each vocabulary as two numbers, its tokens and their total size, and a zlib stream: the tokens' lengths, one
    byte each, then their bytes."""
    for name, (asset, count) in VOCABULARIES.items():
        tokens = ranked_tokens(asset, count)
        data = bytes(map(len, tokens)) + b"".join(tokens)
        header = struct.pack("<II", count, len(data))
        (folder / f"{name}.vocabulary.z").write_bytes(header + zlib.compress(data, 9))


def ranked_tokens(asset, count):
    """The first `count` tokens of openai-whisper's ASSET.tiktoken by rank."""
    lines = (Path(whisper.__file__).parent / f"assets/{asset}.tiktoken").read_bytes().splitlines()
    tokens = {int(rank): base64.b64decode(token) for token, rank in map(bytes.split, lines)}
    return [tokens[rank] for rank in range(count)]


if __name__ == "__main__":
    main()
