"""Forms as clients send them, and as they should not."""
import asyncio
import json

import aiohttp
import pytest
import requests

from clips import DOOR, DOOR_TEXT, FAN, converted, silence, words
from forms import (BOUNDARY, CONTENT_TYPE, MODEL, PATH, chunked, error, field, file, form, part, post, post_bytes,
                   speech_form)
from wire import Connection, exchange, head

#: The error for a form that was read to its end: its file is not audio.
READ = (400, "invalid_audio")


def outcome(response):
    return response.status, error(response)["code"]


GOOD = form(MODEL, file())


@pytest.mark.parametrize("content_type", [
    f'multipart/form-data; boundary="{BOUNDARY}"', f"multipart/form-data; Boundary={BOUNDARY}",
    f"Multipart/Form-Data;boundary={BOUNDARY}", f"multipart/form-data; charset=utf-8; boundary={BOUNDARY}",
    f"multipart/form-data; boundary={BOUNDARY}; charset=utf-8", f"multipart/form-data ;  boundary={BOUNDARY} "])
def test_content_types_of_forms_are_accepted(server, content_type):
    assert outcome(post(server, GOOD, content_type=content_type)) == READ


@pytest.mark.parametrize("boundary", ["a", "A" * 70, "'()+_,-./:=?", "D8A2B3C4-1F5E-4B8D-9C3A-0E7F6A5B4C3D", "a b"])
def test_good_boundaries_are_accepted(server, boundary):
    body = form(MODEL, file(), boundary=boundary)
    assert outcome(post(server, body, content_type=f'multipart/form-data; boundary="{boundary}"')) == READ


@pytest.mark.parametrize("content_type,boundary", [
    ("multipart/form-data", BOUNDARY), ("multipart/form-data; boundary=", ""), ('multipart/form-data; boundary=""', ""),
    (f"multipart/form-data; boundary={'A' * 71}", "A" * 71), ('multipart/form-data; boundary="a{b"', "a{b"),
    ('multipart/form-data; boundary="a\u00e9"', "a\u00e9"), ('multipart/form-data; boundary="ab "', "ab "),
    ('multipart/form-data; boundary="ab', "ab")])
def test_bad_boundaries_are_refused(server, content_type, boundary):
    body = form(MODEL, file(), boundary=boundary)
    assert outcome(post(server, body, content_type=content_type))[0] == 400


@pytest.mark.parametrize("content_type", [None, "application/x-www-form-urlencoded", "application/json", "text/plain",
                                          f"multipart/mixed; boundary={BOUNDARY}", "multipart", "nonsense"])
def test_other_content_types_are_refused(server, content_type):
    assert outcome(post(server, GOOD, content_type=content_type)) == (415, "unsupported_media_type")


@pytest.mark.parametrize("body", [
    b"a preamble\r\nof two lines\r\n" + GOOD, GOOD + b"an epilogue\r\n--nothing", GOOD[:-2],
    GOOD.replace(BOUNDARY.encode() + b"\r\n", BOUNDARY.encode() + b" \t \r\n"), b"\r\n" + GOOD,
], ids=["preamble", "epilogue", "no last line end", "blanks after the boundary", "empty line first"])
def test_text_around_parts_is_accepted(server, body):
    assert outcome(post(server, body)) == READ


@pytest.mark.parametrize("body", [
    GOOD.replace(b"\r\n", b"\n"), b"", b"\r\n", b"no form at all", form()[:-4],
    GOOD[:GOOD.rindex(b"\r\n--")], GOOD[:-30], form(MODEL)[:40], f"--{BOUNDARY}\r\n".encode(), f"--{BOUNDARY}--\r\n".encode(),
], ids=["LF only", "empty", "one line end", "text", "boundary only", "no closing boundary", "cut in data", "cut in a header",
        "one delimiter", "no parts"])
def test_incomplete_forms_are_refused(server, body):
    response = post(server, body)
    assert response.status == 400 and error(response)["code"] != "invalid_audio"


def test_every_prefix_is_refused(server):
    """Truncated anywhere, a form is incomplete and never mistaken for a complete one."""
    with Connection(server) as connection:
        for end in range(0, len(GOOD) - 2, 3):
            connection.send(post_bytes(server, GOOD[:end]))
            response = connection.response()
            assert response.status == 400 and error(response)["code"] != "invalid_audio", end
            if response.headers.get("connection") == "close":
                connection.__init__(server)


def test_every_split_gives_the_same(server):
    start = head(server, "POST", "/v1/audio/transcriptions", f"Content-Type: {CONTENT_TYPE}", "Transfer-Encoding: chunked")
    with Connection(server) as connection:
        for end in range(1, len(GOOD)):
            connection.send(start + b"%x\r\n%s\r\n" % (end, GOOD[:end]))
            connection.send(b"%x\r\n%s\r\n0\r\n\r\n" % (len(GOOD) - end, GOOD[end:]))
            assert outcome(connection.response()) == READ, end


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64])
def test_small_chunks(server, size):
    body = form(MODEL, field("language", "en"), file(silence(0.1)))
    request = head(server, "POST", "/v1/audio/transcriptions", f"Content-Type: {CONTENT_TYPE}", "Transfer-Encoding: chunked")
    response = exchange(server, request + chunked(body, size), "POST")
    assert (response.status, response.body.startswith(b'{"text":""')) == (200, True)


@pytest.mark.parametrize("trap", [
    BOUNDARY, f"--{BOUNDARY}", f"--{BOUNDARY}--", f"\r\n--{BOUNDARY}X", f"\r\n--{BOUNDARY[:-1]}", f"\n--{BOUNDARY}\n",
    f"\r--{BOUNDARY}", f"\r\r\n-{BOUNDARY}", "\r\n--", "\r\n\r\n"])
def test_what_looks_like_a_boundary_is_data(server, trap):
    """After the samples, so that a file that ends too early or too late shows in the field of the response."""
    content = DOOR.read_bytes() + trap.encode() * 3
    response = post(server, form(file(content), MODEL))
    assert response.status == 200 and DOOR_TEXT in response.body.decode()


@pytest.mark.parametrize("bad", [
    b"\r\nno headers", b"Content-Type: text/plain\r\n\r\nx", b'Content-Disposition: attachment; name="a"\r\n\r\nx',
    b"Content-Disposition: form-data\r\n\r\nx", b'Content-Disposition: form-data; name="\r\n\r\nx',
    b'Content-Disposition: form-data; name="a\0b"\r\n\r\nx', b'Content-Disposition: form-data; name="a"\r\nno colon\r\n\r\nx',
    b'Content-Disposition: form-data; name="a"\r\n' + b"X-A: b\r\n" * 16 + b"\r\nx",
    b'Content-Disposition: form-data; name="a"\r\nX-A: ' + b"b" * 4096 + b"\r\n\r\nx",
    b'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\neA==',
    b'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nx',
], ids=["no headers", "no disposition", "attachment", "no name", "open quote", "NUL", "no colon", "17 headers", "4 KiB",
        "base64", "quoted-printable"])
def test_bad_parts_are_refused(server, bad):
    response = post(server, form(MODEL, bad, file()))
    assert response.status == 400 and error(response)["code"] != "invalid_audio"


@pytest.mark.parametrize("good", [
    b'content-disposition:form-data;name="a"\r\n\r\nx', b'CONTENT-TYPE: text/plain\r\nCONTENT-DISPOSITION: FORM-DATA; name=a\r\n\r\nx',
    b'Content-Disposition: form-data; name="a\\"b"\r\n\r\nx', b'Content-Disposition: form-data; name="a%22b"\r\n\r\nx',
    b'Content-Disposition: form-data; name="a"\r\n' + b"X-A: b\r\n" * 15 + b"\r\nx",
    b'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: binary\r\n\r\nx',
    b'Content-Disposition: form-data; name="_charset_"\r\n\r\niso-8859-1',
    b'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nx',
], ids=["no blanks", "upper case", "quoted quote", "encoded quote", "16 headers", "binary", "_charset_", "aiohttp"])
def test_good_parts_are_accepted(server, good):
    assert outcome(post(server, form(MODEL, good, file()))) == READ


@pytest.mark.parametrize("name", [
    'filename=""', 'filename="../../../etc/passwd"', 'filename="C:\\x\\y.wav"', f'filename="{"n" * 3800}.wav"',
    "filename*=UTF-8''%C3%BC.m4a", "filename=\"a.wav\"; filename*=UTF-8''b%2Fc.wav", 'filename="\u00fc\u4e2d.wav"',
    'filename="%22%0D%0A.wav"', "filename=plain.wav"], ids=lambda name: name[:30])
def test_file_names_do_not_matter(server, name):
    body = form(MODEL, part(f'name="file"; {name}', silence(0.1), "Content-Type: audio/mp4"))
    assert post(server, body).status == 200


def test_a_file_without_a_name(server):
    assert post(server, form(MODEL, part('name="file"', silence(0.1)))).status == 200


@pytest.mark.parametrize("parts,param", [
    ([MODEL, file(), file()], "file"), ([MODEL, MODEL, file()], "model"),
    ([MODEL, field("language", "en"), field("language", "en"), file()], "language"), ([MODEL], "file"),
    ([file()], "model"), ([field("model", ""), file()], "model"), ([MODEL, file(b"")], "file"),
    ([MODEL, field("language", "e" * 1100), file()], "language"), ([MODEL, field("prompt", "p" * 66000), file()], "prompt"),
    ([MODEL, field("prompt", b"\xff"), file()], "prompt"), ([MODEL, field("prompt", "a\0b"), file()], "prompt"),
    ([MODEL, part('name="prompt"', b"\xe9", "Content-Type: text/plain; charset=iso-8859-1"), file()], "prompt"),
], ids=["two files", "two models", "two languages", "no file", "no model", "empty model", "empty file", "long field",
        "long prompt", "not UTF-8", "NUL", "not UTF-8, but said so"])
def test_bad_fields_are_refused(server, parts, param):
    response = post(server, form(*parts))
    assert response.status == 400 and error(response)["param"] == param


def test_order_does_not_matter(server):
    for parts in ([file(silence(0.1)), MODEL, field("response_format", "text")],
                  [MODEL, file(silence(0.1)), field("response_format", "text")],
                  [field("response_format", "text"), MODEL, file(silence(0.1))]):
        assert post(server, form(*parts)).body == b"\n"


@pytest.mark.parametrize("count,accepted", [(62, True), (63, False), (10_000, False)])
def test_the_number_of_parts(server, count, accepted):
    # 64 with the model and the file.
    response = post(server, form(MODEL, file(), *[field(f"x{number}", "") for number in range(count)]))
    assert response.status == 400 and (error(response)["code"] == "invalid_audio") == accepted


def test_a_nested_multipart_file_is_not_audio(server):
    inner = b"--b\r\nContent-Disposition: file; filename=a.wav\r\n\r\n" + DOOR.read_bytes() + b"\r\n--b--\r\n"
    body = form(MODEL, part('name="file"', inner, "Content-Type: multipart/mixed; boundary=b"))
    assert outcome(post(server, body)) == READ


def test_boundary_over_a_megabyte_of_dashes(server):
    """A parser that starts over at each dash would take minutes."""
    response = post(server, form(MODEL, file(b"\r\n--" * 700_000)), timeout=20)
    assert outcome(response) == READ


def test_aiohttp(server):
    async def run():
        data = aiohttp.FormData()
        data.add_field("model", "whisper-1")
        data.add_field("response_format", "text", content_type="text/plain")
        data.add_field("file", DOOR.open("rb"), filename="t\u00fcr.wav")
        async with aiohttp.ClientSession() as session:
            async with session.post(f"{server.url}/v1/audio/transcriptions", data=data) as response:
                return response.status, await response.text()

    assert asyncio.run(run()) == (200, DOOR_TEXT + "\n")


def test_requests(server):
    answer = requests.post(f"{server.url}/audio/transcriptions", data={"model": "whisper-1", "response_format": "text"},
                           files={"file": ("t\u00fcr.wav", DOOR.open("rb"))}, timeout=30)
    assert (answer.status_code, answer.text) == (200, DOOR_TEXT + "\n")


def test_whole_speech_by_hand(server):
    response = post(server, speech_form(field("response_format", "text")))
    assert (response.status, response.body.decode()) == (200, DOOR_TEXT + "\n")


@pytest.mark.parametrize("disposition", ['; filename="upload"', '; filename=""', "; filename=upload.txt"])
@pytest.mark.parametrize("path", [PATH, "/v1/audio/translations", "/inference", "/page/transcribe"])
def test_fields_that_are_sent_as_files_are_used(server, path, disposition):
    """As httpx sends all of `files=`."""
    def answer(disposition):
        fields = [part(f'name="{name}"{disposition}', value, "Content-Type: application/octet-stream") for name, value in
                  (("model", "whisper-1"), ("language", "xx"), ("response_format", "srt"), ("temperature", "7"))]
        response = post(server, form(*fields, file(DOOR.read_bytes())), path=path)
        return response.status, response.headers["content-type"], response.body

    assert answer(disposition) == answer("") and answer(disposition)[0] == 400


def test_subtitles_are_asked_for_with_a_field_that_is_a_file(server):
    fields = [part('name="response_format"; filename="upload"', "srt")]
    assert b" --> " in post(server, speech_form(*fields)).body
    assert b" --> " in post(server, form(*fields, file(DOOR.read_bytes())), path="/inference").body


@pytest.mark.parametrize("name", ["timestamp_granularities", "timestamp_granularities[]", "timestamp_granularities[0]"])
def test_lists_are_named_in_three_ways(server, name):
    answer = json.loads(post(server, speech_form(field("response_format", "verbose_json"), field(name, "word"))).body)
    assert "words" in answer and "segments" not in answer


@pytest.mark.parametrize("encoding", ["mulaw", "alaw"])
def test_telephone_recordings_without_a_header_are_read(server, encoding):
    raw = converted(FAN, encoding, "-f", encoding, "-ar", "8000", "-ac", "1").read_bytes()
    names = {"mulaw": [("a", "audio/basic"), ("a.ulaw", "application/octet-stream"), ("a.bin", "audio/PCMU;rate=8000")],
             "alaw": [("a.alaw", "application/octet-stream"), ("a.wav", "audio/PCMA"), ("a.al", "audio/basic")]}[encoding]
    texts = set()
    for path in (PATH, "/inference"):
        for name, declared in names:
            recording = part(f'name="file"; filename="{name}"', raw, f"Content-Type: {declared}")
            answer = json.loads(post(server, form(MODEL, recording), path=path).body)
            texts.add(tuple(words(answer["text"])))
    # As a recording with a header: the sound is that of a telephone, and the model small.
    wave = converted(FAN, "wav", "-c:a", f"pcm_{encoding}", "-ar", "8000", "-ac", "1").read_bytes()
    assert texts == {tuple(words(json.loads(post(server, form(MODEL, file(wave))).body)["text"]))}
