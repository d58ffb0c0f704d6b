// The transcript: segments of words with times in seconds. A word includes the space before it, if its language has
// spaces.

/** Scripts that are written without blanks. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}]/u;

export class Transcript {
  segments = [];
  /** Code such as `en`; null if unknown. */
  language = null;
  /** Seconds; 0 if unknown. */
  duration = 0;
  /** Where a detector heard speech, in pairs of seconds; null if none was used. */
  speech = null;
  /** The names that the user has given to speakers. */
  names = {};
  /** Grows with every change of the text. */
  version = 0;
  #history = [];
  #words = { version: -1, list: [] };

  /** Adds a final segment of a recording, or replaces it. */
  setSegment({ id, start, end, text, words, speaker = null }) {
    const timed = words.length > 0 ? words : spread(text, start, end);
    return this.#put({ id, start, end, speaker, isFinal: true, words: timed.map((word) => ({ ...word, isFinal: true })) });
  }

  /** Adds or replaces a turn of live captions, whose times are in milliseconds. */
  setTurn({ turn_order: id, words, end_of_turn: isFinal, speaker_label: label }) {
    const timed = words.map((word, index) => ({
      word: separator(words[index - 1]?.text, word.text) + word.text,
      start: word.start / 1000, end: word.end / 1000, probability: word.confidence,
      isFinal: isFinal || word.word_is_final,
    }));
    const [start, end] = [timed[0]?.start ?? 0, timed.at(-1)?.end ?? 0];
    return this.#put({ id, start, end, speaker: label ? speakerWith(label) : null, isFinal, words: timed });
  }

  #put(segment) {
    const index = this.segments.findIndex((other) => other.id === segment.id);
    const old = this.segments[index];
    if (old) {
      // Corrections, and whatever the view has attached to a word, stay with it.
      segment.words = segment.words.map((word, i) => {
        const known = old.words[i];
        return known ? Object.assign(known, word, known.isEdited ? { word: known.word } : {}) : word;
      });
      Object.assign(old, segment);
    } else {
      this.segments.push(segment);
    }
    this.version += 1;
    return old ?? segment;
  }

  /** The speakers in the order in which they first speak. */
  get speakers() { return [...new Set(this.segments.map(({ speaker }) => speaker).filter((speaker) => speaker))]; }

  /** The name of a speaker: the one that the user has given, or such as `Speaker 1`. */
  nameOf(speaker) { return this.names[speaker] ?? speaker.replace(/^s/, "S"); }

  /** Everything but the history of edits, as plain objects. */
  get plain() {
    const { language, duration, speech, names } = this;
    const segments = this.segments.map(({ id, start, end, speaker, words }) => ({
      id, start, end, speaker,
      words: words.map(({ word, start, end, probability, isEdited }) => ({ word, start, end, probability, isEdited })),
    }));
    return { language, duration, speech, names, segments };
  }

  static from({ segments, ...plain }) {
    const transcript = Object.assign(new Transcript(), plain);
    const finalWord = (word) => ({ ...word, isFinal: true });
    transcript.segments = segments.map((segment) => ({ ...segment, isFinal: true, words: segment.words.map(finalWord) }));
    return transcript;
  }

  /** The words that are left after editing. */
  get words() {
    if (this.#words.version !== this.version) {
      const list = this.segments.flatMap((segment) => segment.words).filter((word) => word.word !== "");
      this.#words = { version: this.version, list };
    }
    return this.#words.list;
  }

  /** The word spoken at a time, or null in a pause. */
  wordAt(seconds) {
    const words = this.words;
    let low = 0, high = words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (words[middle].start <= seconds) low = middle + 1; else high = middle;
    }
    const word = words[low - 1];
    return word && seconds < Math.max(word.end, word.start + 0.05) ? word : null;
  }

  /** Replaces a word's text; empty text removes the word. Returns whether that changed anything. */
  edit(word, text) {
    const blank = word.word.match(/^\s*/)[0];
    const trimmed = text.replace(/\s+/g, " ").trim();
    const changed = trimmed === "" ? "" : blank + trimmed;
    if (changed === word.word) return false;
    this.#history.push({ word, before: word.word, wasEdited: word.isEdited });
    Object.assign(word, { word: changed, isEdited: true });
    this.version += 1;
    return true;
  }

  get canUndo() { return this.#history.length > 0; }

  /** Takes the last edit back and returns its word. */
  undo() {
    const last = this.#history.pop();
    if (!last) return null;
    Object.assign(last.word, { word: last.before, isEdited: last.wasEdited });
    this.version += 1;
    return last.word;
  }
}

export const textOf = (segment) => segment.words.map((word) => word.word).join("").trim();

/** `speaker 1` for the label `A`, as recordings call them. */
const speakerWith = (label) => /^[A-Z]$/.test(label) ? `speaker ${label.charCodeAt(0) - 64}` : label;

function separator(before, after) {
  if (before === undefined) return "";
  return unspaced.test(before.at(-1)) && unspaced.test(after.at(0)) ? "" : " ";
}

/** Words with times in proportion to their lengths, for a model that gives none. */
function spread(text, start, end) {
  const words = text.match(/\s*\S+/g) ?? [];
  const seconds = (end - start) / Math.max(1, text.length);
  let position = start;
  return words.map((word) => {
    const from = position;
    position += word.length * seconds;
    return { word, start: from, end: position, probability: 1 };
  });
}
