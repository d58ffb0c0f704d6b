import { Transcript } from "/page/transcript.js";

/** Without case and accents, so that `uber` finds “Über”. */
const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ");

/** Finds words and phrases in a transcript. */
export class Search {
  #transcript = new Transcript();
  #version = -1;
  #text = "";
  #words = [];
  /** Where each word starts in `#text`. */
  #starts = [];

  /** The matches of a query, each a list of words. */
  matches(transcript, query) {
    const wanted = folded(query).trim();
    if (wanted === "") return [];
    this.#index(transcript);
    const matches = [];
    let from = 0, first = 0;
    for (let at; (at = this.#text.indexOf(wanted, from)) >= 0; from = at + wanted.length) {
      while (this.#end(first) <= at) first += 1;
      let last = first;
      while (this.#end(last) < at + wanted.length) last += 1;
      matches.push(this.#words.slice(first, last + 1));
    }
    return matches;
  }

  #end(index) { return this.#starts[index + 1] ?? this.#text.length; }

  #index(transcript) {
    if (this.#transcript === transcript && this.#version === transcript.version) return;
    this.#transcript = transcript;
    this.#version = transcript.version;
    this.#text = "";
    this.#words = [];
    this.#starts = [];
    for (const segment of transcript.segments) {
      let isFirst = true;
      for (const word of segment.words) {
        if (word.word === "") continue;
        this.#words.push(word);
        this.#starts.push(this.#text.length);
        // A phrase may cross the end of a segment.
        this.#text += (isFirst ? " " : "") + folded(isFirst ? word.word.trimStart() : word.word);
        isFirst = false;
      }
    }
  }
}
