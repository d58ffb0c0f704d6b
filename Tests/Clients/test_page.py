"""The page at `/` in a real browser: everything that a user can do with it.

A screenshot of every failed test is kept in .build/screenshots. RECORD=1 renews the pictures in docs/images.
"""

import json
import os
import re
import wave
from io import BytesIO
from pathlib import Path

import pytest
from browser import Browser, program
from conftest import KEY

ROOT = Path(__file__).parents[2]
CLIP = ROOT / "Tests/Fixtures/clips/say-05.wav"
SENTENCES = ["Note that Emma will be late on Wednesday.", "The white bike is on the quiet table."]
WORDS = " ".join(SENTENCES).split()

pytestmark = pytest.mark.skipif(program() is None, reason="Chromium is not installed")


@pytest.fixture(scope="module")
def browser():
    browser = Browser(microphone=CLIP)
    yield browser
    browser.close()


@pytest.fixture
def page(browser, server, request):
    """The empty page. At the end its console must be clean, and all its requests must have gone to the server."""
    yield from opened(browser, server, request)


@pytest.fixture
def locked_page(browser, secured, request):
    """The page of a server with a key."""
    yield from opened(browser, secured, request)


@pytest.fixture
def transcript(page):
    """The page with the transcript of the clip."""
    read(page)
    return page


def opened(browser, server, request):
    failures = request.session.testsfailed
    page = browser.page()
    page.open(server.url)
    page.wait("document.querySelector('#model').length > 0 || document.querySelector('dialog[open]')")
    yield page
    if request.session.testsfailed > failures:
        folder = ROOT / ".build/screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(folder / f"{request.node.name}.png")
        return
    assert page.errors == []
    own = (server.url + "/", f"ws://127.0.0.1:{server.port}/", f"blob:{server.url}/")
    assert [address for address in page.requests if not address.startswith(own)] == []


def read(page, path=CLIP):
    """Has a recording transcribed."""
    page.choose_file("#file", path)
    page.wait("document.body.dataset.state !== 'empty'")
    page.wait("document.body.dataset.state === 'done'", timeout=60)


def word(number):
    return f"(document.querySelectorAll('#transcript .word')[{number}])"


def words(page):
    return page.value("[...document.querySelectorAll('#transcript .word:not([hidden])')].map((word) => word.textContent)")


def focused(page):
    return page.value("document.activeElement.textContent")


def download(page, format, name="say-05"):
    page.click(f"[data-format={format}]")
    return page.download(f"{name}.{format}").decode()


# A file


def test_text_is_dimmed_until_it_is_final(page):
    # Three minutes: with a few seconds, the text would be final before volatile text is shown.
    page.value("""(() => {
        window.dimmed = [];
        window.progress = [];
        new MutationObserver(() => {
            const text = document.querySelector(".segment.volatile .text")?.textContent;
            if (text) window.dimmed.push(text);
            window.progress.push(document.querySelector("#progress").position);
        }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
    })()""")
    page.choose_file("#file", ROOT / "Tests/Fixtures/clips/long-three-minutes.flac")
    page.wait("document.body.dataset.state === 'done'", timeout=90)
    assert not page.is_visible(".volatile")
    final = " ".join(page.value("[...document.querySelectorAll('.segment .text')].map((text) => text.innerText)"))
    assert any(" ".join(text.split()) in final for text in page.value("window.dimmed"))
    assert max(page.value("window.progress")) > 0


def test_a_dropped_file_is_transcribed(page):
    page.drop(CLIP)
    page.wait("document.body.dataset.state === 'done'", timeout=60)
    assert words(page) == WORDS
    assert page.value("[...document.querySelectorAll('.segment .text')].map((text) => text.innerText)") == SENTENCES
    assert not page.is_visible(".volatile")
    assert page.text("#source-name") == "say-05.wav"
    assert page.text("#status") == f"Done: {len(WORDS)} words."


def test_only_the_first_of_several_files_is_opened(page):
    page.drop(CLIP, ROOT / "Tests/Fixtures/clips/say-01.wav")
    page.wait("document.querySelector('#status').textContent.includes('first')", timeout=60)
    assert page.text("#status") == f"Done: {len(WORDS)} words. Only the first of 2 files was opened."
    assert page.text("#source-name") == "say-05.wav"


def test_a_recognition_can_be_stopped_and_the_next_one_starts_at_once(page):
    page.choose_file("#file", ROOT / "Tests/Fixtures/clips/long-three-minutes.flac")
    page.wait("document.querySelector('.segment')", timeout=60)
    assert page.value("[...document.querySelectorAll('[data-format]')].every((button) => button.disabled)")
    page.click("#cancel")
    page.wait("document.body.dataset.state === 'done'")
    assert page.text("#status") == "Stopped. The text is incomplete."
    page.choose_file("#file", CLIP)
    page.wait("document.querySelector('#source-name').textContent === 'say-05.wav'")
    page.wait("document.body.dataset.state === 'done'", timeout=20)
    assert words(page) == WORDS


def test_a_file_that_is_not_audio_is_explained(page, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no sound")
    read(page, path)
    assert page.text("#problem").startswith("This recording could not be read")
    # It takes the browser a while to find that it cannot play the file.
    page.wait("document.querySelector('#player').hidden")
    assert not page.is_visible("#tools")


def test_a_server_that_has_gone_is_explained(page):
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.command("Network.emulateNetworkConditions", **offline)
    read(page)
    assert page.text("#problem") == "The server is not responding. Is `whisper-local serve` still running?"
    page.errors.clear()  # the browser reports the failed request


# Playback


def test_a_click_plays_from_a_word_and_the_word_played_is_marked(transcript):
    number = WORDS.index("bike")
    page = transcript
    page.value("""window.marked = []; new MutationObserver(changes => {
        for (const { target } of changes)
            if (target.matches('.playing') && marked.at(-1) !== target.textContent) marked.push(target.textContent)
    }).observe(document.body, { subtree: true, attributeFilter: ['class'] })""")
    page.click(word(number))
    page.wait("document.querySelector('audio').ended")
    marked = page.value("marked")
    assert marked[0] == "bike"
    # A busy browser may miss a short word.
    rest = iter(WORDS[number:])
    assert len(marked) > 2 and all(any(one == next_word for next_word in rest) for one in marked)
    assert page.value("document.querySelector('#play').ariaLabel") == "Play"


def test_the_word_played_has_the_time_of_the_recording(transcript):
    page = transcript
    segments = json.loads(download(page, "json"))["segments"]
    for one in [one for segment in segments for one in segment["words"]][::4]:
        page.value(f"(document.querySelector('audio').currentTime = {(one['start'] + one['end']) / 2}, 0)")
        page.wait(f"document.querySelector('.playing')?.textContent === {json.dumps(one['word'])}")


def test_space_plays_and_pauses(transcript):
    page = transcript
    page.press(" ")
    page.wait("!document.querySelector('audio').paused")
    page.press(" ")
    page.wait("document.querySelector('audio').paused")


def test_the_time_beside_a_sentence_plays_it(transcript):
    page = transcript
    page.click("(document.querySelectorAll('.time')[1])")
    page.wait("document.querySelector('.playing')")
    assert page.value("document.querySelector('.playing').textContent") == "The"


# The keyboard


def test_every_control_is_reached_with_the_tab_key(transcript):
    page = transcript
    reached = []
    page.value("document.activeElement.blur()")
    for _ in range(40):
        page.press("Tab")
        reached.append(page.value("document.activeElement.id || document.activeElement.dataset.format || document.activeElement.className"))
    wanted = {"model", "choose", "record", "again", "search", "edit", "copy", "txt", "srt", "vtt", "json", "play", "position", "rate"}
    assert wanted <= set(reached), wanted - set(reached)
    assert any(name.startswith("word") for name in reached)
    assert "file" not in reached


def test_arrows_move_among_words_and_enter_plays(transcript):
    page = transcript
    page.value(f"{word(0)}.focus()")
    moves = [
        ("ArrowRight", "that"), ("ArrowDown", "The"), ("ArrowLeft", "Wednesday."),
        ("Home", "Note"), ("End", "table."), ("ArrowUp", "Note"), ("ArrowDown", "The"),
    ]
    for key, reached in moves:
        page.press(key)
        assert focused(page) == reached, key
    page.press("Enter")
    page.wait("document.querySelector('.playing')?.textContent === 'The'")


# Search


def test_search_finds_words_and_phrases_over_the_ends_of_sentences(transcript):
    page = transcript
    page.press("/")
    page.type("THE")
    hits = [index for index, text in enumerate(WORDS) if "the" in text.lower()]
    assert page.text("#hits") == f"1 of {len(hits)}"
    assert page.value("[...document.querySelectorAll('.hit')].map((word) => word.textContent)") == [WORDS[i] for i in hits]
    page.press("Enter")
    assert page.text("#hits") == f"2 of {len(hits)}"
    page.press("Enter", shift=True)
    page.press("Enter", shift=True)
    assert page.text("#hits") == f"{len(hits)} of {len(hits)}"
    page.value("document.querySelector('#search').select()")
    page.type("wednesday. the wh")
    assert page.value("[...document.querySelectorAll('.current-hit')].map((word) => word.textContent)") == ["Wednesday.", "The", "white"]
    page.value("document.querySelector('#search').select()")
    page.type("elephant")
    assert page.text("#hits") == "none"
    page.press("Escape")
    assert page.value("document.querySelectorAll('.hit').length") == 0
    assert not page.is_visible("#hits")


def test_search_ignores_accents(page):
    found = page.value("""Promise.all([import("/page/search.js"), import("/page/transcript.js")]).then(([s, t]) => {
        const transcript = new t.Transcript();
        transcript.setSegment({id: 0, start: 0, end: 1, text: " Où est Zoë", words: []});
        return new s.Search().matches(transcript, "ou  EST zoe").map((match) => match.map(({word}) => word));
    })""")
    assert found == [[" Où", " est", " Zoë"]]


# Editing


def test_a_word_is_edited_kept_dropped_and_taken_back(transcript):
    page = transcript
    number = WORDS.index("Emma")
    page.click(word(number), count=2)
    assert page.value("document.activeElement.isContentEditable")
    page.type("Emily Jane")
    page.press("Enter")
    assert words(page)[number] == "Emily Jane"
    assert not page.value("document.activeElement.isContentEditable")
    assert focused(page) == "Emily Jane"

    page.press("F2")
    page.type("nonsense")
    page.press("Escape")
    assert words(page)[number] == "Emily Jane"

    page.press("F2")
    page.type("Emilia")
    page.press("Tab")  # continues with the next word
    page.type("might")
    page.press("Enter")
    assert words(page)[number:number + 3] == ["Emilia", "might", "be"]

    page.press("F2")
    page.value("document.execCommand('delete')")
    page.press("Enter")
    assert words(page) == [*WORDS[:number], "Emilia", *WORDS[number + 2:]]
    for _ in range(4):
        page.press("z", control=True)
    assert words(page) == WORDS
    assert not page.is_visible("#undo")


def test_with_the_switch_a_click_edits(transcript):
    page = transcript
    page.click("#edit")
    page.click(word(1))
    page.type("how")
    page.click(word(4))  # leaving a word keeps its text
    page.press("Escape")
    assert words(page)[:5] == ["Note", "how", "Emma", "will", "be"]
    assert page.value("document.querySelector('audio').paused")


def test_edits_are_not_lost_without_a_question(transcript):
    page = transcript
    page.value(f"{word(0)}.focus()")
    page.press("F2")
    page.type("Remember")
    page.press("Enter")
    page.choose_file("#file", CLIP)
    page.wait("document.querySelector('#discard-dialog[open]')")
    page.press("Escape")
    page.wait("!document.querySelector('dialog[open]')")
    assert words(page)[0] == "Remember"
    download(page, "txt")
    read(page)
    assert words(page) == WORDS


# Files


def test_downloads_hold_the_edited_words(transcript):
    page = transcript
    page.click(word(WORDS.index("quiet")), count=2)
    page.type("<loud> & big")
    page.press("Enter")
    second = "The white bike is on the <loud> & big table."
    assert download(page, "txt") == f"{SENTENCES[0]}\n{second}\n"

    stamp = r"00:00:0\d[.,]\d{3}"
    cues = re.fullmatch(
        rf"1\n({stamp}) --> ({stamp})\n(.*)\n\n2\n({stamp}) --> ({stamp})\n(.*)\n\n", download(page, "srt"))
    assert cues, "not SubRip"
    assert (cues[3], cues[6]) == (SENTENCES[0], second)
    assert cues[1] < cues[2] <= cues[4] < cues[5]
    assert "," in cues[1]

    vtt = download(page, "vtt")
    assert vtt.startswith("WEBVTT\n\n00:00:0")
    assert "The white bike is on the &lt;loud&gt; &amp; big table.\n\n" in vtt
    assert len(re.findall(rf"^{stamp} --> {stamp}$", vtt, re.M)) == 2

    document = json.loads(download(page, "json"))
    assert document["text"] == f"{SENTENCES[0]} {second}"
    assert document["language"] == "en"
    assert 5.2 < document["duration"] < 5.4
    assert [segment["id"] for segment in document["segments"]] == [0, 1]
    edited = [one["word"] for segment in document["segments"] for one in segment["words"]]
    assert edited == [*SENTENCES[0].split(), "The", "white", "bike", "is", "on", "the", "<loud> & big", "table."]


def test_the_text_is_copied(transcript):
    page = transcript
    page.allow("clipboardReadWrite", "clipboardSanitizedWrite")
    page.command("Page.bringToFront")
    page.click("#copy")
    page.wait("document.querySelector('#status').textContent === 'Copied.'")
    assert page.value("navigator.clipboard.readText()") == "".join(f"{sentence}\n" for sentence in SENTENCES)


# The microphone


def speak(page):
    """Records until the clip, which the browser plays as its microphone, has been captioned."""
    page.value("""(() => {
        window.dimmed = [];
        window.loudest = 0;
        new MutationObserver(() => {
            window.loudest = Math.max(window.loudest, document.querySelector("#level").value);
            const words = [...document.querySelectorAll(".word.volatile")].map((word) => word.textContent);
            if (words.length > 0) window.dimmed.push(words);
        }).observe(document.body, {subtree: true, childList: true, attributes: true});
    })()""")
    page.click("#record")
    page.wait("document.body.dataset.state === 'recording'")


def finish(page):
    page.click("#stop")
    page.wait("document.body.dataset.state === 'done'", timeout=60)


def test_captions_are_live_dimmed_first_and_the_recording_can_be_played(server, request):
    # A separate browser: the clip starts when the microphone is turned on for the first time.
    browser = Browser(microphone=CLIP)
    try:
        for page in opened(browser, server, request):
            speak(page)
            page.wait("document.querySelectorAll('.word:not(.volatile)').length > 3", timeout=30)
            assert page.value("document.body.dataset.state") == "recording"
            assert page.value("window.loudest") > 0.3
            page.wait("document.querySelector('#progress-text').textContent >= '0:07'", timeout=30)
            finish(page)
            text = page.value("[...document.querySelectorAll('.segment .text')].map((text) => text.innerText).join(' ')")
            spoken = text.lower().rstrip(".").split()
            expected = " ".join(SENTENCES).lower().replace(".", "").split()
            assert len(set(expected) & set(re.findall(r"\w+", text.lower()))) >= 0.7 * len(set(expected)), text
            assert page.value("window.dimmed.length") > 0
            assert not page.is_visible(".volatile")
            assert spoken

            page.click("[data-format=wav]")
            name = page.text("#source-name")
            with wave.open(BytesIO(page.download(f"{name}.wav"))) as recording:
                assert (recording.getframerate(), recording.getnchannels(), recording.getsampwidth()) == (16_000, 1, 2)
                seconds = recording.getnframes() / 16_000
            assert 7 <= seconds < 20
            assert abs(page.value("document.querySelector('audio').duration") - seconds) < 0.01

            page.click(word(2))
            page.wait("document.querySelector('.playing')")
            assert "0:00" != page.value("document.querySelector('#length').textContent")
            page.click("#again")
            page.wait("document.body.dataset.state === 'transcribing'")
            page.wait("document.body.dataset.state === 'done'", timeout=60)
            assert len(words(page)) > 5
    finally:
        browser.close()


def test_a_recording_survives_the_end_of_its_captions(page):
    page.value("(WebSocket.prototype.send = function () { this.close(); }, 0)")
    speak(page)
    page.wait("document.querySelector('#problem').checkVisibility()")
    assert page.text("#problem").startswith("Live captions stopped")
    finish(page)
    assert page.value("document.querySelector('audio').duration") > 0
    # Without captions, the recording is transcribed like a file.
    assert any(address.endswith("/page/transcribe") for address in page.requests)


@pytest.mark.parametrize("name, beginning", [
    ("NotAllowedError", "The microphone is blocked."), ("NotFoundError", "No microphone was found."),
    ("NotReadableError", "The microphone is in use"),
])
def test_a_microphone_that_cannot_be_used_is_explained(page, name, beginning):
    page.value(f"(MediaDevices.prototype.getUserMedia = async () => {{ throw new DOMException('', '{name}'); }}, 0)")
    page.click("#record")
    page.wait("document.querySelector('#problem').checkVisibility()")
    assert page.text("#problem").startswith(beginning)
    assert page.value("document.body.dataset.state") == "empty"


@pytest.mark.parametrize("rate", [8000, 16_000, 44_100, 48_000, 96_000])
def test_the_microphones_rate_is_converted(page, rate):
    """A tone of 1 kHz is unchanged; one of 11 kHz, which 16 kHz cannot carry, is gone."""
    level, error, count = page.value(f"""import("/page/resampler.js").then(({{Resampler}}) => {{
        const tone = (hertz) => {{
            const resampler = new Resampler({rate});
            const parts = [];
            for (let start = 0; start < {rate}; start += 128) {{
                const length = Math.min(128, {rate} - start);
                const input = Float32Array.from({{length}}, (_, i) => Math.sin(2 * Math.PI * hertz * (start + i) / {rate}));
                parts.push(...resampler.push(input));
            }}
            return [...parts, ...resampler.flush()];
        }};
        const middle = (samples) => samples.slice(1000, 15000);
        const kept = tone(1000);
        const error = Math.max(...middle(kept).map((sample, i) => Math.abs(sample - Math.sin(2 * Math.PI * (i + 1000) / 16))));
        const level = {rate} > 22000 ? Math.max(...middle(tone(11000)).map(Math.abs)) : 0;
        return [level, error, kept.length];
    }})""")
    assert level < 0.001  # -60 dB
    assert error < 0.001
    assert abs(count - 16_000) <= 1


# The key


def test_the_key_is_asked_for_and_kept_for_this_tab_only(locked_page):
    page = locked_page
    page.wait("document.querySelector('#key-dialog[open]')")
    page.type("wrong")
    page.press("Enter")
    page.wait("document.querySelector('#key-message').textContent.includes('not accepted')")
    page.wait("document.querySelector('#key-dialog[open]')")
    page.type(KEY)
    page.press("Enter")
    page.wait("document.querySelector('#model').length > 0")
    assert not page.is_visible("#problem")
    assert page.value("Object.values(sessionStorage)") == [KEY]
    assert KEY not in page.value("JSON.stringify(localStorage) + document.cookie + document.documentElement.outerHTML")
    page.errors.clear()  # the browser reports the failed requests

    read(page)
    assert words(page) == WORDS
    page.click("#record")
    page.wait("document.body.dataset.state === 'recording'")
    page.wait("document.querySelector('#level').value > 0 || document.querySelector('#progress-text').textContent > '0:01'")
    assert not page.is_visible("#problem")
    finish(page)
    # Without captions the recording would have been sent, too.
    assert len([address for address in page.requests if address.endswith("/page/transcribe")]) == 1
    sockets = [address for address in page.requests if address.startswith("ws:")]
    assert len(sockets) == 1
    assert "token=" in sockets[0] and KEY not in sockets[0]


def test_without_a_key_the_page_says_what_is_missing(locked_page):
    page = locked_page
    page.wait("document.querySelector('#key-dialog[open]')")
    page.click("#key-dialog [value=cancel]")
    page.wait("document.querySelector('#problem').checkVisibility()")
    assert page.text("#problem") == "This server needs a key. Press “Key…” to enter it."
    page.errors.clear()
    page.click("#key-button")
    page.type(KEY)
    page.press("Enter")
    page.wait("document.querySelector('#model').length > 0")
    assert not page.is_visible("#problem")


# Models


def test_the_languages_are_those_of_the_model(browser, start, request):
    server = start("--cache", "off", "--model", ROOT / "Tests/Fixtures/parakeet/tdt/f16.gguf")
    languages = "[...document.querySelector('#language').options].map((option) => option.text)"
    for page in opened(browser, server, request):
        assert page.value(languages) == ["English"]
        assert page.value("document.querySelector('#language').disabled")
        page.value("""(() => {
            const model = document.querySelector('#model');
            model.value = 'f16';
            model.onchange();
        })()""")
        assert page.value(languages) == ["Detect", "English", "French", "German", "Spanish"]
        assert page.value("document.querySelector('#language').value") == ""


# Looks

CONTRASTS = """(() => {
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => [r, g, b].map((value) => value / 255)
        .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
    const background = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const color = channels(getComputedStyle(at).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color;
        }
    };
    return [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility() && !element.disabled
        && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")).map((element) => {
            const [a, b] = [channels(getComputedStyle(element).color), background(element)].map(luminance);
            return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.outerHTML.slice(0, 80)];
        }).filter(([contrast]) => contrast < 4.5);
})()"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everything_is_legible(page, dark):
    page.set_dark(dark)
    brightness = page.value("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(brightness) < 80) if dark else (min(brightness) > 200)
    assert page.value(CONTRASTS) == []
    read(page)
    page.press("/")
    page.type("the")
    page.click(word(2))
    page.wait("document.querySelector('.playing')")
    page.press(" ")
    assert page.value(CONTRASTS) == []


@pytest.mark.parametrize("width", [320, 500, 760])
def test_nothing_is_cut_off_in_a_narrow_window(page, width):
    page.resize(width, 640)

    def overflowing():
        return page.value("""[...document.querySelectorAll("body *")].filter((element) => {
            const box = element.getBoundingClientRect();
            return element.checkVisibility() && box.width > 0 && (box.left < 0 || box.right > innerWidth + 0.5);
        }).map((element) => element.outerHTML.slice(0, 80))""")

    assert overflowing() == []
    read(page)
    page.press("/")
    page.type("the")
    assert overflowing() == []
    assert page.value("document.documentElement.scrollWidth") <= width
    page.click("#play")
    page.wait("!document.querySelector('audio').paused")


@pytest.mark.skipif(os.environ.get("RECORD") != "1", reason="RECORD=1 renews the pictures")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pictures_for_the_documentation(page, dark):
    page.set_dark(dark)
    page.resize(900, 640)
    read(page, ROOT / "Tests/Fixtures/clips/say-19.wav")
    page.press("/")
    page.type("message")
    page.value("document.activeElement.blur()")
    page.click(word(9))
    page.wait("document.querySelector('.playing')")
    page.value("document.querySelector('audio').pause()")
    path = ROOT / f"docs/images/server-page-{'dark' if dark else 'light'}.png"
    path.parent.mkdir(exist_ok=True)
    page.screenshot(path)
    assert path.stat().st_size < 150_000
