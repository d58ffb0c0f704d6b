// The page: from choosing a recording to its text. Each part has its own module.
import { key, transcribe } from "/page/api.js";
import { languageName, loadChoices, settings, withKey } from "/page/choices.js";
import { askForKey, askToDiscard } from "/page/dialogs.js";
import { contentOf, download, save } from "/page/exports.js";
import { LiveRecording } from "/page/live.js";
import { Player, clock } from "/page/player.js";
import { byID, counted, say, showProblem, showProgress, showSource, state } from "/page/screen.js";
import { SearchBox } from "/page/search-box.js";
import { Transcript } from "/page/transcript.js";
import { TranscriptView } from "/page/view.js";

let transcript = new Transcript();
/** The recording: `{blob, name, isLive}`; null before the first one and while the microphone is on. */
let recording = null;
let live = null; // the `LiveRecording` while the microphone is on
let job = null; // the `AbortController` of the recognition
let hasEdits = false; // edits that have not been downloaded
let hasSound = false; // a live recording that has not been downloaded
let playbackProblem = "";

const view = new TranscriptView(byID("transcript"), {
  onplay: (word) => player.play(word.start),
  onediting: () => player.pause(),
  onedit: (word, text) => {
    if (!transcript.edit(word, text)) return;
    hasEdits = true;
    showEdits();
  },
});
const player = new Player(byID("player"), {
  ontime: (seconds) => view.setPlaying(seconds > 0 || player.isPlaying ? transcript.wordAt(seconds) : null),
  onproblem: (problem) => {
    playbackProblem = problem;
    showPlayable();
    if (isComplete()) showResult();
  },
});
const searchBox = new SearchBox(view, () => transcript);

// Display

function setState(state) {
  document.body.dataset.state = state;
  showTools();
}

function showTools() {
  const hasText = transcript.words.length > 0;
  byID("tools").hidden = !hasText;
  byID("keys").hidden = !hasText;
  document.querySelector("[data-format=wav]").hidden = !recording?.isLive;
  // Half a transcript would be mistaken for a whole one.
  for (const button of document.querySelectorAll("[data-format], #copy")) button.disabled = state() !== "done";
}

/** Whether a recognition has succeeded. */
const isComplete = () => state() === "done" && byID("problem").hidden;

function showPlayable() { byID("transcript").classList.toggle("audible", player.isLoaded); }

function showEdits() {
  byID("undo").hidden = !transcript.canUndo;
  searchBox.refresh();
}

function showResult() {
  const { duration, language, words } = transcript;
  showSource(recording.name, clock(duration), languageName(language));
  const result = words.length === 0 ? "No speech was found." : `Done: ${counted(words.length, "word")}.`;
  say(`${result} ${playbackProblem}`.trim());
}

/** Starts over with an empty transcript. */
function clear() {
  transcript = new Transcript();
  hasEdits = false;
  playbackProblem = "";
  view.show(transcript);
  player.unload();
  showPlayable();
  showProblem("");
  searchBox.clear();
  showEdits();
}

// Recordings

/** Asks before discarding anything that exists nowhere else. */
async function mayReplace() {
  if (hasSound) return askToDiscard("The recording has not been downloaded. It will be lost if you continue.");
  if (hasEdits) return askToDiscard("Your edits have not been downloaded. They will be lost if you continue.");
  return true;
}

async function open(files) {
  if (files.length === 0 || live || !await mayReplace()) return;
  job?.abort();
  recording = { blob: files[0], name: files[0].name, isLive: false };
  hasSound = false;
  await recognize();
  if (files.length > 1) say(`${byID("status").textContent} Only the first of ${files.length} files was opened.`);
}

/** Sends the recording to the server and shows the text as it arrives. */
async function recognize() {
  const mine = job = new AbortController();
  const { blob, name } = recording;
  clear();
  player.load(blob);
  showPlayable();
  showSource(name);
  showProgress("Sending…");
  setState("transcribing");
  say(`Transcribing ${name}.`);
  try {
    await withKey(async () => {
      for await (const event of transcribe(blob, name, settings(), mine.signal)) {
        if (mine === job) receive(event);
      }
    });
  } catch (error) {
    if (mine !== job) return;
    const isStopped = error.name === "AbortError";
    say(isStopped ? "Stopped. The text is incomplete." : "");
    if (!isStopped) showProblem(error.message);
  } finally {
    if (mine === job) {
      job = null;
      view.setVolatile("");
      setState("done");
    }
  }
}

function receive(event) {
  switch (event.type) {
    case "segment":
      view.setVolatile("");
      view.update(transcript.setSegment(event));
      showTools();
      searchBox.refresh();
      break;
    case "volatile":
      view.setVolatile(event.text);
      break;
    case "language":
      showSource(recording.name, languageName(event.code));
      break;
    case "progress": {
      const { position, duration } = event;
      if (duration) showProgress(`${clock(position)} of ${clock(duration)}`, position / duration);
      else showProgress(clock(position));
      break;
    }
    case "done":
      transcript.language = event.language;
      transcript.duration = event.duration;
      player.length = event.duration;
      showResult();
      break;
  }
}

// Microphone

async function record() {
  if (!await mayReplace()) return;
  const next = new LiveRecording({
    onturn: (turn) => {
      view.update(transcript.setTurn(turn));
      transcript.language = turn.language_code ?? transcript.language;
      showTools();
    },
    onsound: (peak) => {
      // Quiet speech should be visible, and short pauses should not flicker.
      byID("level").value = Math.max(Math.sqrt(peak), byID("level").value * 0.8);
      if (state() === "recording") byID("progress-text").textContent = clock(next.seconds);
    },
    onproblem: showProblem,
    onlost: stopRecording,
  });
  byID("record").disabled = true;
  try {
    await next.start();
  } catch (error) {
    showProblem(error.message);
    return;
  } finally {
    byID("record").disabled = false;
  }
  live = next;
  recording = null;
  hasSound = true;
  clear();
  showSource("Recording");
  showProgress("0:00");
  setState("recording");
  say("Recording.");
  byID("stop").focus();
  await next.connect(settings, withKey);
}

async function stopRecording() {
  if (state() !== "recording") return;
  showProgress("Finishing…");
  setState("finishing");
  say("Finishing.");
  const { blob, captions } = await live.stop();
  const { seconds } = live;
  live = null;
  recording = { blob, name: `Recording ${timeOfDay()}`, isLive: true };
  if (captions === "lost") return recognize();
  transcript.duration = seconds;
  transcript.language ??= settings().language || null;
  player.load(blob, seconds);
  showPlayable();
  setState("done");
  showResult();
  byID("again").focus();
}

/** Such as `2026-11-23 14.05`, in local time. */
function timeOfDay() {
  const now = new Date();
  const pad = (number) => String(number).padStart(2, "0");
  const day = [now.getFullYear(), pad(now.getMonth() + 1), pad(now.getDate())].join("-");
  return `${day} ${pad(now.getHours())}.${pad(now.getMinutes())}`;
}

// Events

byID("choose").onclick = () => byID("file").click();
byID("file").onchange = () => {
  open([...byID("file").files]);
  byID("file").value = "";
};
byID("record").onclick = record;
byID("stop").onclick = stopRecording;
byID("cancel").onclick = () => {
  job?.abort();
  live?.cancel();
};
byID("again").onclick = async () => {
  if (!hasEdits || await askToDiscard("Your edits will be lost if you continue.")) recognize();
};
byID("key-button").onclick = async () => {
  const entered = await askForKey("The key that this server was started with.");
  if (entered === null) return;
  key.set(entered);
  start();
};

byID("edit").onclick = () => {
  view.editsOnClick = !view.editsOnClick;
  byID("edit").setAttribute("aria-pressed", view.editsOnClick);
  byID("transcript").classList.toggle("editable", view.editsOnClick);
};
byID("undo").onclick = undo;
byID("copy").onclick = async () => {
  try {
    await navigator.clipboard.writeText(contentOf(transcript, "txt"));
    say("Copied.");
  } catch {
    showProblem("Your browser does not allow copying. Select the text, or download it.");
  }
};
for (const button of document.querySelectorAll("[data-format]")) {
  button.onclick = () => {
    const { format } = button.dataset;
    const name = recording.isLive ? recording.name : recording.name.replace(/\.[^.]*$/, "");
    if (format === "wav") {
      save(recording.blob, `${name}.wav`);
      hasSound = false;
    } else {
      download(transcript, format, name);
      hasEdits = false;
    }
  };
}

function undo() {
  const word = transcript.undo();
  if (!word) return;
  view.refresh(word);
  view.focusOn(word);
  showEdits();
}

addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input:not([type=range]), select, [contenteditable]");
  if (isTyping || event.altKey || document.querySelector("dialog[open]")) return;
  const hasCommand = event.ctrlKey || event.metaKey;
  if (hasCommand && event.key === "z" && transcript.canUndo) undo();
  else if (hasCommand) return;
  else if (event.key === "/" && !byID("tools").hidden) searchBox.focus();
  else if (event.key === " " && !event.target.matches("button") && player.isLoaded) player.toggle();
  else return;
  event.preventDefault();
});

for (const kind of ["dragenter", "dragover"]) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
}
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  open([...event.dataTransfer.files]);
});

addEventListener("beforeunload", (event) => {
  if (hasEdits || hasSound) event.preventDefault();
});

async function start() {
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  byID("privacy").textContent =
    isHere ? "Nothing leaves this computer." : `Recordings go to ${location.hostname} and nowhere else.`;
  try {
    await loadChoices();
    showProblem("");
  } catch (error) {
    showProblem(error.message);
  }
}

start();
