"""Live sessions."""
import asyncio
import threading

import numpy as np
import pytest

import whisper_local
from whisper_local import OptionError, StreamingSession


def test_session(nano, drive):
    with StreamingSession(nano, deterministic=True) as session:
        for start in range(0, len(drive), 1600):
            session.push(drive[start:start + 1600])
        session.stop()
        updates = list(session)
    final = [update for update in updates if update.is_final]
    assert [update.segment.id for update in final] == list(range(1, len(final) + 1))
    assert "museum" in "".join(update.text for update in final)
    assert all(update.type == "segment" and update.start <= update.end for update in final)
    assert any(update.type == "volatile" for update in updates)
    assert updates[-1].type == "done"


def test_flush_ends_an_utterance(nano, drive):
    with StreamingSession(nano, volatile=False, word_timestamps=True) as session:
        session.push(drive)
        session.flush()
        first = next(update for update in session if update.is_final)
        assert first.segment.words
        session.push(drive)
        session.stop()
        updates = list(session)
    assert "cancel the call" in "".join(update.text for update in updates if update.is_final)
    assert not any(update.type == "volatile" for update in updates)


def test_push_while_another_thread_listens(nano, drive):
    session = StreamingSession(nano)
    heard = []
    listener = threading.Thread(target=lambda: heard.extend(session))
    listener.start()
    session.push((drive * 32767).astype(np.int16))
    session.stop()
    listener.join(60)
    assert any(update.is_final for update in heard)


def test_async(nano, drive):
    async def listen():
        session = StreamingSession(nano, volatile=False)
        session.push(drive)
        session.stop()
        return [update.text async for update in session if update.is_final]

    assert "museum" in "".join(asyncio.run(listen()))


def test_errors(nano, drive):
    with pytest.raises(OptionError, match="end_silence"):
        StreamingSession(nano, end_silence=-1)
    with pytest.raises(OptionError, match="end_silence"):
        StreamingSession(nano, end_silense=1)
    session = StreamingSession(nano)
    with pytest.raises(TypeError, match="list"):
        session.push([0.0])
    session.close()
    with pytest.raises(whisper_local.Error, match="closed"):
        session.push(drive)
    assert list(session) == []
