"""One transcription by openai-agents: ADDRESS WAV TURN_DETECTION. Prints the turns as JSON."""
import asyncio
import json
import sys
import wave

import numpy
from agents import set_tracing_disabled
from agents.voice import STTModelSettings, StreamedAudioInput
from agents.voice.models.openai_stt import OpenAISTTModel
from openai import AsyncOpenAI

address, path, turns = sys.argv[1:]
set_tracing_disabled(True)


async def main():
    with wave.open(path) as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16)
    model = OpenAISTTModel("gpt-4o-transcribe", AsyncOpenAI(base_url=f"{address}/v1", api_key="local"))
    audio = StreamedAudioInput()
    settings = STTModelSettings(language="en", turn_detection=json.loads(turns))
    session = await model.create_session(audio, settings, False, False)
    for start in range(0, len(samples), 2400):
        await audio.add_audio(samples[start:start + 2400])
    # The end of the audio.
    await audio.add_audio(None)
    print(json.dumps([turn async for turn in session.transcribe_turns()]))

asyncio.run(main())
