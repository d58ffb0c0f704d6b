"""Feeds a recording to RealtimeSTT as a microphone would: realtime_stt.py MODEL FILE.wav"""
import logging
import sys
import threading
import time
import wave

from RealtimeSTT import AudioToTextRecorder

CHUNK = 512


def feed(recorder, path):
    with wave.open(path) as file:
        while data := file.readframes(CHUNK):
            recorder.feed_audio(data, 16000)
            time.sleep(CHUNK / 16000)
    for _ in range(100):
        recorder.feed_audio(bytes(2 * CHUNK), 16000)
        time.sleep(CHUNK / 16000)


if __name__ == "__main__":
    recorder = AudioToTextRecorder(
        model=sys.argv[1], language="en", device="cpu", compute_type="float32", use_microphone=False, spinner=False,
        silero_backend="pytorch_cpu", post_speech_silence_duration=1.0, level=logging.ERROR, no_log_file=True,
        allowed_latency_limit=10000)
    threading.Thread(target=feed, args=(recorder, sys.argv[2]), daemon=True).start()
    print("text:", recorder.text(), flush=True)
    recorder.shutdown()
