"""Asks a Wyoming server what is said in a recording: wyoming_client.py PORT FILE.wav"""
import socket
import sys
import time
import wave

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import read_event, write_event


def connect(port):
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.1)
    sys.exit("the server does not listen")


with connect(int(sys.argv[1])) as connection, connection.makefile("rwb") as stream, wave.open(sys.argv[2]) as file:
    form = {"rate": file.getframerate(), "width": file.getsampwidth(), "channels": file.getnchannels()}
    write_event(Transcribe(language="en").event(), stream)
    write_event(AudioStart(**form).event(), stream)
    while data := file.readframes(1024):
        write_event(AudioChunk(audio=data, **form).event(), stream)
    write_event(AudioStop().event(), stream)
    stream.flush()
    while event := read_event(stream):
        if Transcript.is_type(event.type):
            print("transcript:", Transcript.from_event(event).text.strip())
            break
    else:
        sys.exit("the server has closed the connection")
