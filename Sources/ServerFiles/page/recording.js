import { forget, keep, keepSound, soundOf } from "/page/store.js";
import { Transcript } from "/page/transcript.js";

/** A recording, what has become of it, and its transcript. */
export class Recording {
  id = crypto.getRandomValues(new Uint32Array(4)).join("-");
  added = Recording.#last = Math.max(Date.now(), Recording.#last + 1);
  /** `waiting`, `transcribing`, `done`, `stopped` or `failed`. */
  phase = "waiting";
  transcript = new Transcript();
  /** What went wrong, and what helps: see `showProblem`. */
  problem = "";
  help = "";
  /** What is shown while it is being transcribed. */
  progress = { text: "", fraction: undefined };
  /** Whether there are edits that have not been downloaded. */
  hasEdits = false;
  /** Whether the page may be closed without losing anything. */
  isKept = false;
  /** Whether the sound turned out not to be kept. */
  isMute = false;
  #blob;
  /** When the last one was added: each has a place in their order. */
  static #last = 0;

  /** @param isLive whether it comes from the microphone */
  constructor(blob, name, isLive = false) {
    this.#blob = blob;
    this.name = name;
    this.isLive = isLive;
  }

  /** One from an earlier visit. */
  static from({ id, added, name, isLive, phase, problem, help, hasEdits, transcript }) {
    const isOver = ["done", "failed"].includes(phase);
    const recording = new Recording(undefined, name, isLive);
    Object.assign(recording, { id, added, phase: isOver ? phase : "stopped", problem, help, hasEdits, isKept: true });
    recording.transcript = Transcript.from(transcript);
    return recording;
  }

  /** The sound; null if this browser has not kept it. */
  async sound() {
    if (this.#blob === undefined) this.#blob = await soundOf(this.id);
    this.isMute = this.#blob === null;
    return this.#blob;
  }

  /** Keeps a new recording. */
  async keepAll() {
    const [hasText, hasSound] = await Promise.all([this.keep(), keepSound(this.id, this.#blob)]);
    this.isKept = hasText && hasSound;
  }

  /** Keeps what has changed. */
  keep() {
    const { id, added, name, isLive, phase, problem, help, hasEdits, transcript } = this;
    return keep({ id, added, name, isLive, phase, problem, help, hasEdits, transcript: transcript.plain });
  }

  /** In a few words. */
  get summary() {
    switch (this.phase) {
      case "waiting": return "waiting";
      // The times stand beside the bar.
      case "transcribing": return this.progress.text.split(" · ")[0];
      case "done": return "done";
      case "stopped": return "incomplete";
      case "failed": return "failed";
    }
  }
}

/** Deletes recordings from this browser. */
export const forgetAll = (recordings) => forget(recordings.map(({ id }) => id));
