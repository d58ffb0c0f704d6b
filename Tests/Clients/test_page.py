"""The pages at `/` and `/docs` in a real browser: everything that a user can do with them.

A screenshot of every failed test is kept in .build/screenshots. RECORD=1 renews the pictures in docs/images.
"""

import json
import os
import re
import wave
from io import BytesIO
from pathlib import Path

import axe_core_python
import pytest
import requests
from browser import Browser, program
from conftest import KEY
from forms import CONTENT_TYPE
from test_speakers import talk  # noqa: F401, a fixture
from wire import Connection, head

ROOT = Path(__file__).parents[2]
CLIP = ROOT / "Tests/Fixtures/clips/say-05.wav"
OTHER = ROOT / "Tests/Fixtures/clips/say-01.wav"
LONG = ROOT / "Tests/Fixtures/clips/long-three-minutes.flac"
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


def opened(browser, server, request, path=""):
    failures = request.session.testsfailed
    page = browser.page()
    page.open(server.url + path)
    if not path:
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


def names(page):
    """Those in the list of recordings."""
    return page.value("[...document.querySelectorAll('#recordings .name')].map((name) => name.textContent)")


def is_current(number):
    return f"document.querySelectorAll('#recordings button')[{number}].ariaCurrent === 'true'"


def show(page, number):
    """Selects a recording of the list."""
    page.click(f"(document.querySelectorAll('#recordings button')[{number}])")
    page.wait(is_current(number))


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
    page.click("#downloads summary")
    page.click(f"[data-format={format}]")
    return page.download(f"{name}.{format}").decode()


# A file


def watch(page):
    """Notes in the page what is shown while a recording is transcribed."""
    page.value("""(() => {
        window.dimmed = [];
        window.progress = [];
        window.places = [];
        new MutationObserver(() => {
            const text = document.querySelector(".segment.volatile .text")?.textContent;
            if (text) window.dimmed.push(text);
            const progress = document.querySelector("#progress-text").textContent;
            if (document.body.dataset.state === "transcribing" && window.progress.at(-1) !== progress)
                window.progress.push(progress);
            window.places.push([scrollY, document.documentElement.scrollHeight - innerHeight - scrollY]);
        }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
    })()""")


def test_text_is_dimmed_until_it_is_final_and_followed_until_it_is_complete(page):
    # Three minutes: with a few seconds, the text would be final before volatile text is shown.
    page.resize(500, 400)
    watch(page)
    page.choose_file("#file", LONG)
    page.wait("document.body.dataset.state === 'done'", timeout=90)
    assert not page.is_visible(".volatile")
    final = " ".join(page.value("[...document.querySelectorAll('.segment .text')].map((text) => text.innerText)"))
    assert any(" ".join(text.split()) in final for text in page.value("window.dimmed"))

    # A percentage at once, and "Sending…" only before it.
    shown = page.value("window.progress")
    sent = next(number for number, text in enumerate(shown) if not text.startswith("Sending…"))
    assert all(re.fullmatch(r"\d+ %( · \d:\d\d of \d:\d\d)?", text) for text in shown[sent:]), shown
    assert any(text.startswith("0 % · 0:00 of 2:") for text in shown), shown
    percents = [int(text.split()[0]) for text in shown[sent:]]
    assert percents == sorted(percents) and percents[-1] > 0

    far = [place for place in page.value("window.places") if place[0] > 100]
    assert len(far) > 3 and sum(rest < 60 for _, rest in far) > 0.8 * len(far)
    assert page.value("scrollY") == 0


def test_who_has_scrolled_is_left_in_peace(page):
    page.resize(500, 400)
    page.choose_file("#file", LONG)
    page.wait("document.querySelectorAll('.segment').length > 8 && scrollY > 100", timeout=60)
    page.command("Input.dispatchMouseEvent", type="mouseWheel", x=200, y=200, deltaX=0, deltaY=-150)
    page.wait("document.documentElement.scrollHeight - innerHeight - scrollY > 100")
    place = page.value("scrollY")
    known = page.value("document.querySelectorAll('.segment').length")
    page.wait(f"document.querySelectorAll('.segment').length > {known}", timeout=60)
    assert page.value("scrollY") == place
    page.click("#cancel")
    page.wait("document.body.dataset.state === 'done'")


def test_what_is_being_sent_is_counted(page):
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 60_000}
    watch(page)
    page.command("Network.emulateNetworkConditions", **slow)
    read(page)
    shown = page.value("window.progress")
    assert any(re.fullmatch(r"Sending… [1-9]\d? %", text) for text in shown), shown


def test_a_dropped_file_is_transcribed(page):
    page.drop(CLIP)
    page.wait("document.body.dataset.state === 'done'", timeout=60)
    assert words(page) == WORDS
    assert page.value("[...document.querySelectorAll('.segment .text')].map((text) => text.innerText)") == SENTENCES
    assert not page.is_visible(".volatile")
    assert page.text("#source-name") == "say-05.wav"
    assert page.text("#status") == f"Done: {len(WORDS)} words."


def test_several_files_are_transcribed_one_after_another(page, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("no sound")
    summaries = "[...document.querySelectorAll('#recordings .quiet')].map((one) => one.textContent)"
    at_work = f"{summaries}.filter((text) => !['waiting', 'done', 'failed'].includes(text)).length"
    page.value(f"{{ let most = 0; window.most = () => most;"
               f" new MutationObserver(() => {{ most = Math.max(most, {at_work}); }})"
               f".observe(document.querySelector('#recordings'), {{ childList: true, characterData: true, subtree: true }}); }}")
    page.drop(CLIP, notes, OTHER)
    page.wait("document.querySelectorAll('#recordings button').length === 4")  # and one to delete them all
    page.wait(f"{summaries}.every((text) => ['done', 'failed'].includes(text))", timeout=60)
    assert page.value("most()") == 1
    assert names(page) == ["say-05.wav", "notes.txt", "say-01.wav"]
    assert page.value(summaries) == ["done", "failed", "done"]
    assert words(page) == WORDS

    show(page, 2)
    assert page.text("#source-name") == "say-01.wav"
    assert words(page) not in ([], WORDS)
    show(page, 1)
    assert page.is_visible("#problem") and not page.is_visible("#tools")
    page.click("#delete")
    page.wait("document.querySelector('#source-name').textContent === 'say-01.wav'")
    assert names(page) == ["say-05.wav", "say-01.wav"]
    page.click("#delete-all")
    page.wait("document.querySelector('#discard-dialog[open]')")
    page.click("#discard")
    page.wait("document.body.dataset.state === 'empty'")
    assert not page.is_visible("#recordings") and not page.is_visible("#problem")


def test_a_file_that_waits_can_be_withdrawn(page):
    page.choose_file("#file", LONG, CLIP)
    page.wait("document.querySelectorAll('#recordings button').length === 3")
    # In a few words: on a phone, the name would not have room beside the times.
    page.wait("/^\\d+ %$/.test(document.querySelector('#recordings .quiet').textContent)", timeout=60)
    show(page, 1)
    assert page.text("#progress-text") == "Waiting for the other recordings"
    page.click("#cancel")
    show(page, 0)
    page.click("#cancel")
    page.wait("document.querySelector('#recordings .quiet').textContent === 'incomplete'")
    show(page, 1)
    assert page.text("#status") == "Stopped. The text is incomplete."
    page.click("#again")
    page.wait("document.querySelector('#status').textContent.startsWith('Done')", timeout=60)
    assert words(page) == WORDS


def test_transcripts_survive_a_reload_until_they_are_deleted(page):
    page.choose_file("#file", CLIP, OTHER)
    page.wait("document.querySelectorAll('#recordings .quiet')[1]?.textContent === 'done'", timeout=60)
    page.click(word(0), count=2)
    page.type("Remember")
    page.press("Enter")
    address = page.value("location.href")
    page.open(address)
    page.wait("document.querySelector('audio').duration > 5")
    assert words(page) == ["Remember", *WORDS[1:]] and page.is_visible(".edited")
    assert names(page) == ["say-05.wav", "say-01.wav"]
    page.click(word(3))
    page.wait("document.querySelector('.playing')")
    page.click("#delete")
    page.wait("document.querySelector('#discard-dialog[open]')")
    page.click("#discard")
    page.wait("document.querySelector('#source-name').textContent === 'say-01.wav'")
    page.open(address)
    page.wait("document.body.dataset.state === 'done'")
    assert page.text("#source-name") == "say-01.wav" and not page.is_visible("#recordings")


def test_what_a_reload_has_interrupted_can_be_repeated(page):
    page.choose_file("#file", LONG)
    page.wait("document.querySelector('.segment')", timeout=60)
    page.open(page.value("location.href"))
    page.wait("document.body.dataset.state === 'done'")
    assert page.text("#status") == "Stopped. The text is incomplete."
    assert page.is_visible("#again")


def test_a_recognition_can_be_stopped_and_the_next_one_starts_at_once(page):
    page.choose_file("#file", LONG)
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
    # Another attempt would not help.
    assert page.is_visible("#help-choose")
    assert not page.is_visible("#again") and not page.is_visible("#help-again")


def test_a_file_that_is_too_large_is_not_sent(browser, small, request, tmp_path):
    path = tmp_path / "large.wav"
    path.write_bytes(CLIP.read_bytes() + bytes(2 << 20))
    for page in opened(browser, small, request):
        read(page, path)
        assert page.text("#problem") == ("The recording has 3 MiB, and this server accepts 1 MiB. Start it with a larger "
                                         "--max-upload, or send a compressed file.")
        assert page.is_visible("#help-choose") and not page.is_visible("#again")
        assert not any(address.endswith("/page/transcribe") for address in page.requests)


@pytest.mark.parametrize("path", ["/page/transcribe", "/v1/audio/transcriptions"])
def test_on_this_machine_a_file_may_have_any_size(server, path):
    assert requests.get(f"{server.url}/page/choices", timeout=10).json()["limit"] is None
    with Connection(server) as connection:
        connection.send(head(server, "POST", path, f"Content-Type: {CONTENT_TYPE}", f"Content-Length: {5 << 30}",
                             "Expect: 100-continue"))
        assert connection.head()[0] == 100


def test_a_server_that_has_gone_is_explained(page):
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.command("Network.emulateNetworkConditions", **offline)
    read(page)
    assert page.text("#problem") == "The server is not responding. Is `whisper-local serve` still running?"
    page.errors.clear()  # the browser reports the failed request
    page.command("Network.emulateNetworkConditions", **{**offline, "offline": False})
    page.click("#help-again")
    page.wait("document.querySelector('#status').textContent.startsWith('Done')", timeout=60)
    assert not page.is_visible("#problem")


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
    wanted = {"model", "choose", "record", "again", "delete", "search", "edit", "copy", "play", "position", "rate"}
    assert wanted <= set(reached), wanted - set(reached)
    assert any(name.startswith("word") for name in reached)
    assert "file" not in reached


def test_panels_work_with_the_keyboard_alone(transcript):
    page = transcript
    page.value("document.querySelector('#options summary').focus()")
    page.press("Enter")
    assert page.is_visible("#terms")
    page.press("Tab")
    page.press("Escape")
    assert not page.is_visible("#terms")
    assert page.value("document.activeElement.matches('#options summary')")

    page.value("document.querySelector('#downloads summary').focus()")
    page.press("Enter")
    page.press("Tab")
    assert page.value("document.activeElement.dataset.format") == "txt"
    page.press("Enter")
    assert page.download("say-05.txt").decode() == "".join(f"{sentence}\n" for sentence in SENTENCES)
    assert not page.is_visible("[data-format=txt]")
    # It closes when the focus leaves it.
    page.value("document.querySelector('#options summary').focus()")
    page.press("Enter")
    page.value("document.querySelector('#search').focus()")
    assert not page.is_visible("#terms")


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
    for button in ("#again", "#delete"):
        page.click(button)
        page.wait("document.querySelector('#discard-dialog[open]')")
        page.press("Escape")
        page.wait("!document.querySelector('dialog[open]')")
        assert words(page)[0] == "Remember"
    # Another file does not replace them.
    read(page, OTHER)
    page.wait("document.querySelector('#source-name').textContent === 'say-01.wav'")
    show(page, 0)
    assert words(page)[0] == "Remember"
    download(page, "txt")
    page.click("#again")
    page.wait("document.querySelector('#status').textContent.startsWith('Done') && !document.querySelector('.edited')", timeout=60)
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
        rf"1\n({stamp}) --> ({stamp})\n(.*)\n\n2\n({stamp}) --> ({stamp})\n(.*\n.*)\n\n", download(page, "srt"))
    assert cues, "not SubRip"
    assert (cues[3], cues[6].replace("\n", " ")) == (SENTENCES[0], second)
    assert cues[1] < cues[2] <= cues[4] < cues[5]
    assert "," in cues[1]

    vtt = download(page, "vtt")
    assert vtt.startswith("WEBVTT\n\n00:00:0")
    assert "&lt;loud&gt; &amp; big table.\n\n" in vtt
    assert len(re.findall(rf"^{stamp} --> {stamp}$", vtt, re.M)) == 2

    document = json.loads(download(page, "json"))
    assert document["text"] == f"{SENTENCES[0]} {second}"
    assert document["language"] == "en"
    assert 5.2 < document["duration"] < 5.4
    assert [segment["id"] for segment in document["segments"]] == [0, 1]
    edited = [one["word"] for segment in document["segments"] for one in segment["words"]]
    assert edited == [*SENTENCES[0].split(), "The", "white", "bike", "is", "on", "the", "<loud> & big", "table."]


def lines(subtitles):
    """The lines of each cue of an SRT file."""
    cues = [cue.split("\n") for cue in subtitles.split("\n\n")[:-1]]
    assert [cue[0] for cue in cues] == [str(number + 1) for number in range(len(cues))]
    times = [time for cue in cues for time in re.fullmatch(r"(\S{12}) --> (\S{12})", cue[1]).groups()]
    assert times == sorted(times)
    return [cue[2:] for cue in cues]


def test_subtitles_have_short_lines(page):
    read(page, ROOT / "Tests/Fixtures/clips/say-19.wav")
    cues = lines(download(page, "srt", "say-19"))
    assert all(len(cue) <= 2 and all(len(line) <= 42 for line in cue) for cue in cues), cues
    assert any(len(cue) == 2 for cue in cues)
    assert " ".join(line for cue in cues for line in cue).split() == words(page)


def test_the_users_words_are_recognized(page):
    page.click("#options summary")
    page.value("document.querySelector('#terms').focus()")
    page.type("white bike => Wide Mike")
    read(page)
    assert words(page) == " ".join(WORDS).replace("white bike", "Wide Mike").split()
    page.value("document.querySelector('#terms').select()")
    page.type("Emma\n=> nothing")
    page.press("Escape")
    page.click("#again")
    page.wait("document.querySelector('#problem').checkVisibility()")
    assert page.text("#problem").startswith("Your words, line 2: ")
    assert page.is_visible("#help-again")
    page.errors.clear()  # the browser reports the failed request


def test_names_of_the_servers_file_are_right(browser, start, request, tmp_path):
    vocabulary = tmp_path / "names"
    vocabulary.write_text("Wednezday\nWhitebike\nQuiettable\n")
    server = start("--cache", "off", "--vocabulary", vocabulary)
    for page in opened(browser, server, request):
        read(page)
        assert " ".join(words(page)) == "Note that Emma will be late on Wednezday. The Whitebike is on the Quiettable."


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

            cues = lines(download(page, "srt", page.text("#source-name")))
            assert all(len(cue) <= 2 and all(0 < len(line) <= 42 for line in cue) for cue in cues), cues
            assert " ".join(line for cue in cues for line in cue).split() == text.split()

            page.click("#downloads summary")
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


def test_what_a_model_cannot_do_is_explained(browser, start, request):
    server = start("--cache", "off", "--model", ROOT / "Tests/Fixtures/parakeet/tdt/f16.gguf")
    for page in opened(browser, server, request):
        assert page.text("#start .model-note") == "nano.en understands English only. f16 can do more."
        page.click("#options summary")
        assert page.value("document.querySelector('#translate').disabled && document.querySelector('#speakers').disabled")
        assert page.text("#translate-note") == ("nano.en cannot translate. A multilingual model can do more: "
                                                "whisper-local models pull base.")
        assert "models pull speakers" in page.text("#speakers-note")
        page.value("(document.querySelector('#model').value = 'f16', document.querySelector('#model').onchange())")
        assert page.text("#start .model-note") == ("f16 understands English, French, German, and Spanish. It finds out itself "
                                                   "which one is spoken.")


def test_speakers_have_colors_and_names(browser, diarizing, request, talk, tmp_path):  # noqa: F811
    recording = tmp_path / "talk.wav"
    recording.write_bytes(talk[0])
    shown = "[...document.querySelectorAll('.speaker:not([hidden])')]"
    for page in opened(browser, diarizing, request):
        assert page.text("#start .model-note").startswith("base understands 99 languages. It detects the one")
        page.click("#options summary")
        page.click("#speakers")
        page.click("#options summary")
        page.choose_file("#file", recording)
        page.wait("document.body.dataset.state === 'done'", timeout=90)
        labels = page.value(f"{shown}.map((one) => one.textContent)")
        assert labels[0] == "Speaker 1" and {"Speaker 1", "Speaker 2", "Speaker 3"} <= set(labels)
        assert all(one != other for one, other in zip(labels, labels[1:]))
        colors = page.value(f"Object.fromEntries({shown}.map((one) => [one.textContent, getComputedStyle(one).color]))")
        assert len(set(colors.values())) == len(colors)
        assert page.value(CONTRASTS) == []

        page.click(f"({shown}[1])")
        page.wait("document.querySelector('#name-dialog[open]')")
        page.type("Zoë & Co")
        page.press("Enter")
        page.wait(f"{shown}.some((one) => one.textContent === 'Zoë & Co')")
        assert page.value(f"{shown}.map((one) => one.textContent)") == [
            "Zoë & Co" if label == labels[1] else label for label in labels]
        assert "[Zoë & Co] " in download(page, "txt", "talk") and "[Speaker 1] " in download(page, "srt", "talk")
        assert "<v Zoë &amp; Co>" in download(page, "vtt", "talk")
        speakers = [segment["speaker"] for segment in json.loads(download(page, "json", "talk"))["segments"]]
        assert set(speakers) == {*labels, "Zoë & Co"} - {labels[1]}
        page.open(page.value("location.href"))
        page.wait("document.body.dataset.state === 'done'")
        assert "Zoë & Co" in page.value(f"{shown}.map((one) => one.textContent)")
        assert axe(page) == []


def test_a_recording_is_translated(browser, diarizing, request):
    for page in opened(browser, diarizing, request):
        page.click("#options summary")
        page.click("#translate")
        page.value("(document.querySelector('#language').value = 'de', 0)")
        page.command("Network.enable", maxPostDataSize=1 << 16)
        read(page)
        assert page.text("#source-details") == "0:05 · German"
        assert "Wednesday" in " ".join(words(page))


# The description of the API


def test_the_api_is_described_for_people(browser, server, request):
    document = requests.get(f"{server.url}/openapi.json", timeout=10).json()
    for page in opened(browser, server, request, "/docs"):
        page.wait("document.querySelector('.operation')")
        entries = page.value("[...document.querySelectorAll('.operation summary')].map((one) => one.innerText.split('\\n'))")
        known = [f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item]
        assert sorted(" ".join(entry[:2]) for entry in entries) == sorted(known)
        page.value("(document.querySelectorAll('.operation').forEach((one) => { one.open = true; }), 0)")
        page.wait("[...document.querySelectorAll('.operation')].every((one) => one.children.length > 1)")
        text = page.text("#createTranscription")
        for part in ("-F file=@recording.wav", "timestamp_granularities[]", "model (required)", "200 application/json"):
            assert part in text, part
        assert "undefined" not in page.text("main") and "[object" not in page.text("main")
        for width, dark in ((1000, False), (360, True)):
            page.resize(width, 720)
            page.set_dark(dark)
            assert axe(page) == []
            assert page.value("document.documentElement.scrollWidth") <= width


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


AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()


def axe(page):
    """What axe finds, all its rules included."""
    if page.value("typeof axe") == "undefined":
        page.value(f"{AXE}; 0")
    return page.value("""axe.run().then(({violations}) => violations.map(({id, nodes}) =>
        `${id}: ${nodes.map(({html}) => html.slice(0, 100)).join(" | ")}`))""")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [(1000, 720), (390, 844)], ids=["desk", "phone"])
def test_axe_finds_nothing(page, size, dark, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("no sound")
    page.set_dark(dark)
    page.resize(*size)
    assert axe(page) == []
    page.click("#options summary")
    assert axe(page) == []
    page.press("Escape")
    page.choose_file("#file", CLIP, notes)
    page.wait("document.querySelectorAll('#recordings .quiet')[1]?.textContent === 'failed'", timeout=60)
    page.click("#downloads summary")
    assert axe(page) == []
    show(page, 1)
    page.click("#delete-all")
    page.wait("document.querySelector('#discard-dialog[open]')")
    assert axe(page) == []


def test_a_phone_has_room_for_fingers_and_text(page):
    page.command("Emulation.setTouchEmulationEnabled", enabled=True)
    page.resize(360, 640)
    assert page.text(".invitation") == "Choose a recording"
    small = """[...document.querySelectorAll("button, summary, select, input, textarea")].map((one) =>
        one.type === "checkbox" ? one.closest("label") : one).filter((one) => one.checkVisibility()).filter((one) => {
            const {width, height} = one.getBoundingClientRect();
            return width < 44 || height < 44;
        }).map((one) => one.outerHTML.slice(0, 80))"""
    rows = "new Set([...document.querySelectorAll('%s')].map((one) => one.getBoundingClientRect().top)).size"
    page.click("#options summary")
    assert page.value(small) == []
    page.press("Escape")
    assert page.value(rows % ".choices select, .choices summary") == 1
    read(page, ROOT / "Tests/Fixtures/clips/say-19.wav")
    assert page.value(small) == []
    assert page.value(rows % "#choose, #record, #again, #delete") == 1
    assert page.value(rows % "#search, #edit, #copy, #downloads summary") == 1
    page.value("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait("scrollY > 200")
    assert page.value("document.querySelector('#tools').getBoundingClientRect().top") == 0
    assert page.value("document.querySelector('#tools').getBoundingClientRect().height") < 64
    page.value("document.querySelector('#search').focus()")
    page.type("the")
    assert page.value(small) == []


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
@pytest.mark.parametrize("name, size, dark", [
    ("light", (900, 720), False), ("dark", (900, 720), True), ("phone", (390, 760), False)],
    ids=lambda value: str(value))
def test_pictures_for_the_documentation(browser, diarizing, request, talk, tmp_path, name, size, dark):  # noqa: F811
    recording = tmp_path / "interview.wav"
    recording.write_bytes(talk[0])
    for page in opened(browser, diarizing, request):
        page.set_dark(dark)
        page.resize(*size)
        # Two of the three people speak other languages.
        page.value("(document.querySelector('#speakers').checked = document.querySelector('#translate').checked = true, 0)")
        page.value("(document.querySelector('#language').value = 'fr', 0)")
        page.choose_file("#file", recording, ROOT / "Tests/Fixtures/clips/say-19.wav")
        page.wait("document.querySelectorAll('#recordings .quiet')[1]?.textContent === 'done'", timeout=90)
        page.click(".speaker")
        page.wait("document.querySelector('#name-dialog[open]')")
        page.type("Anna")
        page.press("Enter")
        page.wait("!document.querySelector('dialog[open]')")
        page.click(word(4))
        page.wait("document.querySelector('.playing')")
        page.value("(document.querySelector('audio').pause(), scrollTo(0, 0), document.activeElement.blur())")
        path = ROOT / f"docs/images/server-page-{name}.png"
        page.screenshot(path)
        assert path.stat().st_size < 150_000
