"""Who says what: diarized_json, which OpenAI's client requests by the name of the cloud's model, and AssemblyAI's streams."""
import array
import json
from collections import Counter
from types import SimpleNamespace

import openai
import pytest

from clips import DOOR, FAN, RATE, chunks, samples, silence, wav
from conftest import SPEECH, installed
from serving import ROOT
from test_assemblyai import Session, check
from test_openai import client

MODEL = "gpt-4o-transcribe-diarize"


@pytest.fixture(scope="module")
def talk():
    """A conversation of three people: a WAV file, and who speaks when."""
    recipe = json.loads((ROOT / "Tests/Fixtures/speakers/conversation.json").read_text())
    mix = [0] * (recipe["seconds"] * RATE)
    turns = []
    for clip in recipe["clips"]:
        start = int(clip["start"] * RATE)
        speech = array.array("h", samples(installed(SPEECH / clip["file"])))
        turns.append((clip["start"], clip["start"] + len(speech) / RATE, clip["file"].split("/")[0]))
        for index, sample in enumerate(speech[:len(mix) - start]):
            mix[start + index] += sample
    return wav(array.array("h", [max(-32768, min(32767, sample)) for sample in mix]).tobytes()), turns


@pytest.fixture(scope="module")
def diarize(diarizing, talk):
    with client(diarizing) as api:
        yield lambda file=None, **fields: api.audio.transcriptions.create(
            **{"model": MODEL, "file": file or ("talk.wav", talk[0]), "response_format": "diarized_json"} | fields)


def voices(segments, turns):
    """Whose voice each speaker has for the longest time, and the share of all speech that is theirs."""
    seconds = Counter()
    for segment in segments:
        for start, end, voice in turns:
            seconds[segment.speaker, voice] += max(0, min(end, segment.end) - max(start, segment.start))
    best = {speaker: max((pair for pair in seconds if pair[0] == speaker), key=seconds.get)[1]
            for speaker in {segment.speaker for segment in segments}}
    return best, sum(seconds[pair] for pair in best.items()) / sum(seconds.values())


@pytest.mark.parametrize("chunking", [{}, {"chunking_strategy": "auto"}], ids=["whole", "chunks"])
def test_diarized_json(diarize, talk, chunking):
    result = diarize(**chunking)
    assert (result.task, result.duration, result.usage.seconds) == ("transcribe", 54, 54)
    segments = result.segments
    assert [segment.id for segment in segments] == [f"seg_{number + 1:03}" for number in range(len(segments))]
    assert all(0 <= segment.start <= segment.end <= 54 for segment in segments)
    assert "".join(result.text.split()) == "".join("".join(segment.text for segment in segments).split())
    best, share = voices(segments, talk[1])
    assert segments[0].speaker == "A" and set(best) <= {"A", "B", "C"}
    # In chunks, the short answers of one speaker may have no text.
    assert len(set(best.values())) == len(best) >= (2 if chunking else 3) and share > 0.85


def test_the_first_speakers_get_the_known_names(diarize):
    letters = [segment.speaker for segment in diarize().segments]
    names = [segment.speaker for segment in diarize(known_speaker_names=["agent", "customer"]).segments]
    assert names == [{"A": "agent", "B": "customer", "C": "A"}[letter] for letter in letters]
    assert names[0] == "agent" and len(set(names)) == 3


def test_stream(diarize):
    whole = diarize()
    *events, done = diarize(stream=True)
    assert (done.type, done.text) == ("transcript.text.done", whole.text)
    deltas, segments = events[::2], events[1::2]
    assert {event.type for event in deltas} == {"transcript.text.delta"}
    assert [delta.segment_id for delta in deltas] == [segment.id for segment in segments]
    assert "".join(delta.delta for delta in deltas) == done.text
    assert [event.model_dump() for event in segments] == [segment.model_dump() for segment in whole.segments]


def test_one_speaker_and_silence(diarize):
    assert {segment.speaker for segment in diarize(FAN).segments} == {"A"}
    nothing = diarize(("silence.wav", silence(3)))
    assert (nothing.text, nothing.segments) == ("", [])


@pytest.mark.parametrize("most", [None, 2])
def test_streams_have_speakers(diarizing, talk, most):
    header = len(wav(b""))
    with Session(diarizing.web_socket_url, speaker_labels=True, **({"max_speakers": most} if most else {})) as session:
        session.client.stream(chunks(talk[0][header:] + bytes(4 * RATE)))
        # The model knows English; what it makes of the other voices may be nothing.
        last = 1000 * (max(end for _, end, voice in talk[1] if voice == "en") - 1)
        session.wait_for(lambda: any(turn.end_of_turn and turn.words[-1].end > last for turn in session.turns), 240)
    check(session.turns)
    assert not session.errors and not session.of("WarningEvent")
    ended = [turn for turn in session.turns if turn.end_of_turn]
    for turn in session.turns:
        assert all(word.speaker == turn.speaker_label for word in turn.words if word.word_is_final)
        assert all(word.speaker is None for word in turn.words if not word.word_is_final)
    labels = list(dict.fromkeys(turn.speaker_label for turn in ended))
    assert labels == sorted(labels) and labels[0] == "A" and 2 <= len(labels) <= (most or 4)
    if not most:
        spoken = [SimpleNamespace(speaker=turn.speaker_label, start=turn.words[0].start / 1000, end=turn.words[-1].end / 1000)
                  for turn in ended]
        assert voices(spoken, talk[1])[1] > 0.75


@pytest.mark.parametrize("fields,param", [
    ({"known_speaker_names": ["agent"], "known_speaker_references": ["data:audio/wav;base64," + "A" * 100_000]},
     "known_speaker_references[]"),
    ({"known_speaker_names": ["a", "a"]}, "known_speaker_names[]"),
    ({"known_speaker_names": list("abcde")}, "known_speaker_names[]"),
    ({"response_format": "srt"}, "response_format"),
], ids=["voices", "equal names", "five names", "srt"])
def test_fields_without_a_meaning_are_refused(diarize, fields, param):
    with pytest.raises(openai.BadRequestError) as raised:
        diarize(DOOR, **fields)
    assert raised.value.param == param


def test_a_server_without_the_networks_says_so(server):
    with client(server) as api, pytest.raises(openai.BadRequestError) as raised:
        api.audio.transcriptions.create(model=MODEL, file=DOOR, response_format="diarized_json")
    assert (raised.value.param, raised.value.code) == ("response_format", "unsupported_value")
    assert "speakers.safetensors" in raised.value.body["message"] and len(raised.value.body["message"]) <= 120


def test_translations_have_no_speakers(server):
    with client(server) as api, pytest.raises(openai.BadRequestError) as raised:
        api.audio.translations.create(model="whisper-1", file=DOOR, response_format="diarized_json")
    assert raised.value.param == "response_format"
