"""One session of AssemblyAI's real-time client, version 0.35: ADDRESS KEY WAV. Prints an event a line, as JSON."""
import json
import sys
import time
import wave

import assemblyai

address, key, path = sys.argv[1:]
assemblyai.settings.base_url, assemblyai.settings.api_key = address, key


def report(kind, **values):
    print(json.dumps({"kind": kind} | values), flush=True)


def transcript(message):
    report("final" if type(message).__name__ == "RealtimeFinalTranscript" else "partial", text=message.text)


transcriber = assemblyai.RealtimeTranscriber(
    sample_rate=16000, on_data=transcript, on_error=lambda error: report("error", text=str(error)),
    on_open=lambda message: report("opened", id=str(message.session_id)), on_close=lambda: report("closed"),
    on_extra_session_information=lambda message: report("information",
                                                        audio_duration_seconds=message.audio_duration_seconds))
transcriber.connect()
transcriber.configure_end_utterance_silence_threshold(500)
with wave.open(path) as file:
    while piece := file.readframes(1600):
        transcriber.stream(piece)
        time.sleep(0.02)
transcriber.stream(bytes(32000))
transcriber.force_end_utterance()
transcriber.close()
