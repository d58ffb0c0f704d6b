"""A command to Home Assistant: what it asks of a speech-to-text service, with the official package.

    wyoming_session.py URI RECORDING LANGUAGE

prints the languages of the first program's models, then the transcript. Runs with the version that Home Assistant has.
"""
import asyncio
import sys
import wave

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncClient
from wyoming.info import Describe, Info


async def describe(uri, seconds=1):
    """As on setting up: another connection, and a second of patience."""
    async with AsyncClient.from_uri(uri) as client:
        await client.write_event(Describe().event())
        event = await asyncio.wait_for(client.read_event(), seconds)
        return Info.from_event(event)


async def transcribe(uri, samples, *, language=None, name=None, rate=16000, width=2, channels=1, milliseconds=10):
    """The text; `None` if the connection ended without one."""
    async with AsyncClient.from_uri(uri) as client:
        return await ask(client, samples, language=language, name=name, rate=rate, width=width, channels=channels,
                         milliseconds=milliseconds)


async def ask(client, samples, *, language=None, name=None, rate=16000, width=2, channels=1, milliseconds=10):
    await client.write_event(Transcribe(name=name, language=language).event())
    await client.write_event(AudioStart(rate=rate, width=width, channels=channels).event())
    size = rate * milliseconds // 1000 * width * channels
    for start in range(0, len(samples), size):
        chunk = AudioChunk(rate=rate, width=width, channels=channels, audio=samples[start:start + size])
        await client.write_event(chunk.event())
    await client.write_event(AudioStop().event())
    while (event := await client.read_event()) is not None:
        if Transcript.is_type(event.type):
            return Transcript.from_event(event).text
    return None


async def main(uri, path, language):
    info = await describe(uri)
    print(*sorted({code for model in info.asr[0].models if model.installed for code in model.languages}))
    with wave.open(path) as recording:
        print(await transcribe(uri, recording.readframes(recording.getnframes()), language=language))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
