// The page: from recordings to their texts. Each part has its own module.
import { key, transcribe } from "/page/api.js";
import { languageName, loadChoices, settings, sizeProblem, withKey } from "/page/choices.js";
import { askForKey, askForName, askToDiscard } from "/page/dialogs.js";
import { download, plainText, save } from "/page/exports.js";
import { RecordingList } from "/page/list.js";
import { LiveRecording } from "/page/live.js";
import "/page/menu.js";
import { Player, clock } from "/page/player.js";
import { Recording, forgetAll } from "/page/recording.js";
import { byID, counted, percentage, say, showProblem, showProgress, showSource, state } from "/page/screen.js";
import { SearchBox } from "/page/search-box.js";
import { kept } from "/page/store.js";
import { Transcript } from "/page/transcript.js";
import { TranscriptView } from "/page/view.js";

/** In the order in which they are transcribed. */
let recordings = [];
/** The one that is shown; null before the first one and while the microphone is on. */
let current = null;
let transcript = new Transcript(); // the one that is shown
let live = null; // the `LiveRecording` while the microphone is on
let running = null; // the recording that is being transcribed
let job = null; // the `AbortController` of its recognition
let playbackProblem = "";

const view = new TranscriptView(byID("transcript"), {
  onplay: (word) => player.play(word.start),
  onediting: () => player.pause(),
  onedit: (word, text) => {
    if (transcript.edit(word, text)) edited();
  },
  onrename: renameSpeaker,
});
const player = new Player(byID("player"), {
  ontime: (seconds) => view.setPlaying(seconds > 0 || player.isPlaying ? transcript.wordAt(seconds) : null),
  onproblem: (problem) => {
    playbackProblem = problem;
    showPlayable();
    if (current?.phase === "done") showResult();
  },
});
const searchBox = new SearchBox(view, () => transcript);
const list = new RecordingList(select);

// Display

function setState(state) {
  document.body.dataset.state = state;
  showTools();
}

function showTools() {
  const hasText = transcript.words.length > 0;
  byID("tools").hidden = !hasText;
  byID("keys").hidden = !hasText;
  document.querySelector("[data-format=wav]").hidden = !current?.isLive;
  // Half a transcript would be mistaken for a whole one.
  for (const button of document.querySelectorAll("[data-format], #copy")) button.disabled = state() !== "done";
}

function showPlayable() { byID("transcript").classList.toggle("audible", player.isLoaded); }

function showEdits() {
  byID("undo").hidden = !transcript.canUndo;
  searchBox.refresh();
}

function showResult() {
  const { duration, language, words } = transcript;
  showSource(current.name, clock(duration), languageName(language));
  const result = words.length === 0 ? "No speech was found." : `Done: ${counted(words.length, "word")}.`;
  say(`${result} ${playbackProblem}`.trim());
}

/** Shows what has become of the current recording. */
function showCurrent() {
  const { phase, name, progress, problem, help } = current;
  // A file that is not a recording will not become one.
  byID("again").hidden = current.isMute || phase === "failed" && help !== "again";
  showProblem(problem, help);
  showProgress(progress.text, progress.fraction);
  setState(["waiting", "transcribing"].includes(phase) ? phase : "done");
  switch (phase) {
    case "waiting":
      showSource(name);
      showProgress("Waiting for the other recordings");
      say("");
      break;
    case "transcribing":
      showSource(name, languageName(transcript.language));
      say(`Transcribing ${name}.`);
      break;
    case "done":
      showResult();
      break;
    case "stopped":
      showSource(name);
      say("Stopped. The text is incomplete.");
      break;
    case "failed":
      showSource(name);
      say("");
  }
}

/** Shows a transcript from its start. */
function showTranscript(next) {
  transcript = next;
  playbackProblem = "";
  view.show(transcript);
  player.unload();
  showPlayable();
  searchBox.clear();
  showEdits();
}

/** Shows one of the recordings; null shows none. */
async function select(recording) {
  if (live) return;
  current = recording;
  localStorage.current = recording?.id ?? "";
  list.show(recordings, current);
  showTranscript(recording?.transcript ?? new Transcript());
  scrollTo(0, 0);
  if (!recording) {
    showProblem("");
    say("");
    return setState("empty");
  }
  showCurrent();
  if (running === current) view.follow();
  const blob = await recording.sound();
  if (current !== recording) return;
  if (blob) player.load(blob, recording.phase === "done" ? transcript.duration : 0);
  else showCurrent();
  showPlayable();
}

/** Something about a recording has changed. */
function changed(recording) {
  list.refresh(recording);
  if (recording === current) showCurrent();
}

// Recordings

/** Puts files into the queue. */
function open(files) {
  if (files.length === 0 || live) return;
  const added = files.map((file) => new Recording(file, file.name));
  recordings.push(...added);
  if (running && running === current) list.show(recordings, current);
  else select(added[0]);
  for (const recording of added) recording.keepAll();
  work();
}

/** Transcribes what waits, one after another. */
async function work() {
  while (!running) {
    const next = recordings.find(({ phase }) => phase === "waiting");
    if (!next) return;
    running = next;
    try {
      await recognize(next);
    } finally {
      running = null;
    }
  }
}

/** Sends a recording to the server and shows the text as it arrives. */
async function recognize(recording) {
  const mine = job = new AbortController();
  const { name } = recording;
  const blob = await recording.sound();
  Object.assign(recording, { phase: "transcribing", problem: "", help: "", progress: { text: "Sending…" } });
  changed(recording);
  if (recording === current) view.follow();
  try {
    const problem = sizeProblem(blob);
    if (problem) throw Object.assign(new Error(problem), { param: "file" });
    await withKey(async () => {
      const onsent = (part) => showSent(recording, part);
      for await (const event of transcribe(blob, name, settings(), mine.signal, onsent)) receive(recording, event);
    });
    recording.phase = "done";
  } catch (error) {
    const isStopped = error.name === "AbortError";
    recording.phase = isStopped ? "stopped" : "failed";
    if (!isStopped) Object.assign(recording, { problem: error.message, help: helpFor(error) });
  }
  job = null;
  if (recordings.includes(recording)) recording.keep();
  if (recording === current) {
    view.setVolatile("");
    showEdits();
    changed(recording);
    view.settle();
  } else {
    list.refresh(recording);
  }
}

/** Another file, if this one is to blame; otherwise another attempt. */
const helpFor = ({ param }) => param === "file" ? "choose" : "again";

function showSent(recording, part) {
  if (recording.progress.isSent) return;
  const text = part < 1 ? `Sending… ${percentage(part)}` : "0 %";
  setProgress(recording, { text, fraction: part < 1 ? part : 0, isSent: part >= 1 });
}

function setProgress(recording, progress) {
  recording.progress = progress;
  list.refresh(recording);
  if (recording === current) showProgress(progress.text, progress.fraction);
}

function receive(recording, event) {
  const isShown = recording === current;
  switch (event.type) {
    case "segment": {
      const segment = recording.transcript.setSegment(event);
      if (!isShown) break;
      view.setVolatile("");
      view.update(segment);
      showTools();
      searchBox.refresh();
      break;
    }
    case "volatile":
      if (isShown) view.setVolatile(event.text);
      break;
    case "language":
      recording.transcript.language = event.code;
      if (isShown) showSource(recording.name, languageName(event.code));
      break;
    case "progress": {
      const { position, duration } = event;
      const fraction = duration ? position / duration : undefined;
      const place = duration ? `${percentage(fraction)} · ${clock(position)} of ${clock(duration)}` : clock(position);
      setProgress(recording, { text: place, fraction, isSent: true });
      break;
    }
    case "done":
      recording.transcript.language = event.language;
      recording.transcript.duration = event.duration;
      recording.transcript.speech = event.speech ?? null;
      if (isShown) player.length = event.duration;
      break;
  }
}

/** Transcribes the current recording from the start. */
async function repeat() {
  if (current.hasEdits && !await askToDiscard(
    "Replace this transcript?", "Your edits will be lost if you continue.", "Replace it")) return;
  current.hasEdits = false;
  current.phase = "waiting";
  current.transcript = new Transcript();
  current.progress = { text: "" };
  select(current);
  work();
}

/** Deletes recordings and their transcripts, after a question if something is found nowhere else. */
async function remove(removed, title) {
  const isLost = removed.some(({ hasEdits, isLive }) => hasEdits || isLive);
  const message = isLost ? "What has not been downloaded will be lost." : "The transcripts will be deleted from this browser.";
  if ((isLost || removed.length > 1) && !await askToDiscard(title, message, "Delete")) return;
  const place = recordings.indexOf(current);
  recordings = recordings.filter((recording) => !removed.includes(recording));
  forgetAll(removed);
  if (removed.includes(running)) job?.abort();
  select(recordings[Math.min(place, recordings.length - 1)] ?? null);
  byID("choose").focus();
}

// Edits

function edited() {
  current.hasEdits = true;
  current.keep();
  showEdits();
}

function undo() {
  const word = transcript.undo();
  if (!word) return;
  view.refresh(word);
  view.focusOn(word);
  edited();
}

async function renameSpeaker(speaker) {
  if (!current) return;
  const name = await askForName(transcript.nameOf(speaker));
  if (name === null) return;
  transcript.names[speaker] = name;
  view.refreshSpeakers();
  edited();
}

// Microphone

async function record() {
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
  current = null;
  showTranscript(new Transcript());
  list.show(recordings, null);
  showProblem("");
  showSource("Recording");
  showProgress("0:00");
  setState("recording");
  view.follow();
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
  const recording = new Recording(blob, `Recording ${timeOfDay()}`, true);
  recordings.push(recording);
  // Captions are in the language that is spoken.
  if (captions !== "lost" && settings().task === "transcribe") {
    transcript.duration = seconds;
    transcript.language ??= settings().language || null;
    recording.transcript = transcript;
    recording.phase = "done";
  }
  recording.keepAll();
  view.settle();
  await select(recording);
  byID("again").focus();
  work();
}

/** Such as `2026-11-23 14.05`, in local time. */
function timeOfDay() {
  const now = new Date();
  const pad = (number) => String(number).padStart(2, "0");
  const day = [now.getFullYear(), pad(now.getMonth() + 1), pad(now.getDate())].join("-");
  return `${day} ${pad(now.getHours())}.${pad(now.getMinutes())}`;
}

// Events

byID("choose").onclick = byID("help-choose").onclick = () => byID("file").click();
byID("file").onchange = () => {
  open([...byID("file").files]);
  byID("file").value = "";
};
byID("record").onclick = record;
byID("stop").onclick = stopRecording;
byID("cancel").onclick = () => {
  live?.cancel();
  if (!current) return;
  if (current === running) return job?.abort();
  current.phase = "stopped";
  changed(current);
};
byID("again").onclick = byID("help-again").onclick = repeat;
byID("delete").onclick = () => remove([current], "Delete this transcript?");
byID("delete-all").onclick = () => remove(recordings, "Delete all transcripts?");
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
    await navigator.clipboard.writeText(plainText(transcript));
    say("Copied.");
  } catch {
    showProblem("Your browser does not allow copying. Select the text, or download it.");
  }
};
for (const button of document.querySelectorAll("[data-format]")) {
  button.onclick = async () => {
    const { format } = button.dataset;
    const recording = current;
    const name = recording.isLive ? recording.name : recording.name.replace(/\.[^.]*$/, "");
    if (format === "wav") return save(await recording.sound(), `${name}.wav`);
    try {
      await withKey(() => download(recording.transcript, format, name));
    } catch (error) {
      return showProblem(error.message);
    }
    recording.hasEdits = false;
    recording.keep();
  };
}

addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input:not([type=range], [type=checkbox]), select, textarea, [contenteditable]");
  if (isTyping || event.altKey || document.querySelector("dialog[open]")) return;
  const hasCommand = event.ctrlKey || event.metaKey;
  if (hasCommand && event.key === "z" && transcript.canUndo) undo();
  else if (hasCommand) return;
  else if (event.key === "/" && !byID("tools").hidden) searchBox.focus();
  else if (event.key === " " && !event.target.matches("button, summary, input") && player.isLoaded) player.toggle();
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
  const isLost = recordings.some(({ isKept, hasEdits, isLive }) => !isKept && (hasEdits || isLive));
  if (live || isLost) event.preventDefault();
});

async function start() {
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  byID("privacy").textContent =
    (isHere ? "Nothing leaves this computer." : `Recordings go to ${location.hostname} and nowhere else.`)
    + " Transcripts stay in this browser until you delete them.";
  try {
    await loadChoices();
    if (current) showCurrent(); // with the names of languages
    else if (!live) showProblem("");
  } catch (error) {
    showProblem(error.message);
  }
}

async function restore() {
  recordings = (await kept()).map(Recording.from);
  if (recordings.length > 0) await select(recordings.find(({ id }) => id === localStorage.current) ?? recordings.at(-1));
}

restore().then(start);
