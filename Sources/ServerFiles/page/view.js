import { clock } from "/page/player.js";

const followPause = 4000; // ms without automatic scrolling after the reader has scrolled
const colors = 8; // of speakers, in the style sheet

/**
 * Shows a transcript as paragraphs of words. One word at a time can be reached with the Tab key; arrows move from there.
 *
 * Words carry `element`, their span, and `blank`, the text before it.
 */
export class TranscriptView {
  #root;
  #transcript;
  #paragraphs = new Map();
  #volatile = paragraph("segment volatile");
  #focused = null;
  #editing = null;
  #playing = null;
  #marked = [];
  #scrolledAt = -Infinity;
  /** Whether the text is growing, and whether its end is kept in sight. */
  #grows = false;
  #isFollowing = false;
  /** Position and height of the page when it was last scrolled. */
  #place = { top: 0, height: 0 };
  /** Whether a click edits instead of playing. */
  editsOnClick = false;

  /**
   * @param onplay called with the word to play from
   * @param onediting called when the reader starts to change a word
   * @param onedit called with a word and its new text
   * @param onrename called with a speaker
   */
  constructor(root, { onplay, onediting, onedit, onrename }) {
    this.#root = root;
    this.onplay = onplay;
    this.onediting = onediting;
    this.onedit = onedit;
    this.onrename = onrename;
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("dblclick", (event) => this.edit(this.#wordOf(event.target)));
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("focusin", (event) => this.#setFocused(this.#wordOf(event.target)));
    root.addEventListener("focusout", ({ target }) => {
      if (target === this.#editing?.element) this.#endEdit(true);
    });
    for (const kind of ["wheel", "touchmove"]) {
      addEventListener(kind, () => { this.#scrolledAt = performance.now(); }, { passive: true });
    }
    addEventListener("scroll", () => this.#scrolled(), { passive: true });
    // What comes into sight may be higher than was estimated.
    new ResizeObserver(() => this.#followEnd()).observe(root);
  }

  get isEditing() { return this.#editing !== null; }

  /** Replaces everything by another transcript. */
  show(transcript) {
    this.#transcript = transcript;
    this.#paragraphs.clear();
    this.#root.replaceChildren();
    this.#focused = this.#editing = this.#playing = null;
    this.#marked = [];
    this.#volatile.element.remove();
    for (const segment of transcript.segments) this.update(segment);
  }

  /** The text begins to grow: what is new stays in sight until the reader scrolls. */
  follow() {
    this.#grows = this.#isFollowing = true;
  }

  /** The text is complete: who has only watched reads from the start. */
  settle() {
    const hasWatched = this.#isFollowing;
    this.#grows = this.#isFollowing = false;
    if (hasWatched && !this.isEditing && !this.#playing) scrollTo(0, 0);
  }

  /** Shows the names of the speakers after one has changed. */
  refreshSpeakers() {
    for (const segment of this.#transcript.segments) this.#showSpeaker(segment);
  }

  /** Shows a segment that is new or has changed. */
  update(segment) {
    let shown = this.#paragraphs.get(segment);
    if (!shown) {
      shown = paragraph("segment");
      shown.time.onclick = () => this.onplay(segment.words.find((word) => word.word !== "") ?? segment.words[0]);
      this.#paragraphs.set(segment, shown);
      this.#root.insertBefore(shown.element, this.#volatile.element.isConnected ? this.#volatile.element : null);
    }
    shown.time.textContent = clock(segment.start);
    shown.time.setAttribute("aria-label", `Play from ${clock(segment.start)}`);
    for (const word of segment.words) {
      word.element ??= wordElement(word);
      word.blank ??= new Text();
      this.refresh(word);
    }
    shown.text.replaceChildren(...segment.words.flatMap((word) => [word.blank, word.element]));
    this.#showSpeaker(segment);
    const next = this.#transcript.segments[this.#transcript.segments.indexOf(segment) + 1];
    if (next && this.#paragraphs.has(next)) this.#showSpeaker(next);
    if (!this.#focused && segment.words[0]) this.#setFocused(segment.words[0]);
    this.#followEnd();
  }

  /** Names the speaker where another one has spoken before. */
  #showSpeaker(segment) {
    const { element, speaker } = this.#paragraphs.get(segment);
    const segments = this.#transcript.segments;
    const last = segments[segments.indexOf(segment) - 1]?.speaker;
    const color = segment.speaker ? this.#transcript.speakers.indexOf(segment.speaker) % colors + 1 : "";
    element.dataset.speaker = color;
    speaker.hidden = !segment.speaker || segment.speaker === last;
    if (speaker.hidden) return;
    const name = this.#transcript.nameOf(segment.speaker);
    speaker.textContent = name;
    speaker.setAttribute("aria-label", `${name}, rename`);
    speaker.onclick = () => this.onrename(segment.speaker);
  }

  /** Shows text after the last segment that may still change; empty removes it. */
  setVolatile(text) {
    this.#volatile.text.textContent = text.trim();
    if (text.trim() === "") this.#volatile.element.remove();
    else this.#root.append(this.#volatile.element);
    this.#followEnd();
  }

  /** Shows a word's text and state after a change. */
  refresh(word) {
    const text = word.word.trimStart();
    word.blank.data = word.word.slice(0, word.word.length - text.length);
    if (word.element.textContent !== text) word.element.textContent = text;
    word.element.hidden = text === "";
    word.element.classList.toggle("volatile", !word.isFinal);
    word.element.classList.toggle("edited", word.isEdited === true);
  }

  /** Marks the word being played, or none, and keeps it in sight. */
  setPlaying(word) {
    if (word === this.#playing) return;
    this.#playing?.element.classList.remove("playing");
    this.#playing = word;
    if (!word) return;
    word.element.classList.add("playing");
    if (performance.now() - this.#scrolledAt > followPause && !this.isEditing) this.#scrollTo(word);
  }

  /** Marks the matches of a search, and one of them as the current one. */
  mark(matches, current = []) {
    for (const word of this.#marked) word.element.classList.remove("hit", "current-hit");
    this.#marked = matches.flat();
    for (const word of this.#marked) word.element.classList.add("hit");
    for (const word of current) word.element.classList.add("current-hit");
  }

  /** Scrolls to a match and lets the keyboard go on from there. */
  reveal(match) {
    if (!match) return;
    this.#setFocused(match[0]);
    this.#scrollTo(match[0]);
  }

  /** Moves the keyboard to the current word. */
  focus() { this.#focused?.element.focus(); }

  focusOn(word) {
    this.#setFocused(word);
    this.focus();
  }

  /** Lets a word be changed in place. */
  edit(word) {
    if (!word || word === this.#editing || !this.#segmentOf(word).isFinal) return;
    this.#endEdit(true);
    this.onediting();
    this.#editing = word;
    const { element } = word;
    try {
      element.contentEditable = "plaintext-only";
    } catch {
      element.contentEditable = "true";
    }
    element.setAttribute("role", "textbox");
    element.setAttribute("aria-label", "Edit word");
    element.focus();
    getSelection().selectAllChildren(element);
  }

  #endEdit(keeps) {
    const word = this.#editing;
    if (!word) return;
    this.#editing = null;
    const text = word.element.textContent;
    for (const name of ["contenteditable", "role", "aria-label"]) word.element.removeAttribute(name);
    getSelection().removeAllRanges();
    if (keeps) this.onedit(word, text);
    this.refresh(word);
    if (word === this.#focused && word.word === "") this.#setFocused(this.#neighbor(word, 1) ?? this.#neighbor(word, -1));
  }

  #click({ target }) {
    const word = this.#wordOf(target);
    if (!word || word === this.#editing || !getSelection().isCollapsed) return;
    if (this.editsOnClick) return this.edit(word);
    this.focusOn(word);
    this.onplay(word);
  }

  #key(event) {
    if (this.#editing) return this.#editingKey(event);
    if (event.altKey || event.ctrlKey || event.metaKey || !this.#wordOf(event.target)) return;
    const words = this.#transcript.words;
    switch (event.key) {
      case "ArrowLeft": this.focusOn(this.#neighbor(this.#focused, -1) ?? this.#focused); break;
      case "ArrowRight": this.focusOn(this.#neighbor(this.#focused, 1) ?? this.#focused); break;
      case "ArrowUp": this.#moveSegment(-1); break;
      case "ArrowDown": this.#moveSegment(1); break;
      case "Home": this.focusOn(words[0]); break;
      case "End": this.focusOn(words.at(-1)); break;
      case "Enter": this.onplay(this.#focused); break;
      case "F2": this.edit(this.#focused); break;
      default: return;
    }
    event.preventDefault();
  }

  #editingKey(event) {
    // Enter also accepts a suggestion of an input method.
    if (event.isComposing) return;
    const word = this.#editing;
    if (!["Enter", "Escape", "Tab"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.#neighbor(word, event.shiftKey ? -1 : 1);
    this.#endEdit(event.key !== "Escape");
    if (event.key === "Tab" && next) this.edit(next);
    else this.focus();
  }

  #wordOf(element) {
    const span = element instanceof Element ? element.closest(".word") : null;
    return span?.word ?? null;
  }

  /** The word some places after another one, skipping removed ones. */
  #neighbor(word, step) {
    const all = this.#transcript.segments.flatMap((segment) => segment.words);
    let index = all.indexOf(word) + step;
    while (all[index]?.word === "") index += step;
    return all[index] ?? null;
  }

  #segmentOf(word) { return this.#transcript.segments.find((segment) => segment.words.includes(word)); }

  #moveSegment(step) {
    const segments = this.#transcript.segments;
    let index = segments.indexOf(this.#segmentOf(this.#focused)) + step;
    while (segments[index]?.words.every((word) => word.word === "")) index += step;
    const word = segments[index]?.words.find((other) => other.word !== "");
    if (word) this.focusOn(word);
  }

  #setFocused(word) {
    if (!word || word === this.#focused) return;
    this.#focused?.element.removeAttribute("tabindex");
    this.#focused = word;
    word.element.tabIndex = 0;
  }

  #isAtEnd() { return innerHeight + scrollY >= document.documentElement.scrollHeight - 48; }

  #followEnd() {
    if (!this.#isFollowing) return;
    const height = document.documentElement.scrollHeight;
    scrollTo(0, height);
    this.#place = { top: scrollY, height };
  }

  /** Only the reader scrolls up, unless the page has become shorter. Scrolling back to the end follows the text again. */
  #scrolled() {
    const height = document.documentElement.scrollHeight;
    if (scrollY < this.#place.top && height >= this.#place.height) this.#isFollowing = false;
    if (this.#isAtEnd()) this.#isFollowing = this.#grows;
    this.#place = { top: scrollY, height };
  }

  /** Scrolls only if the word is hidden or close to the edge. */
  #scrollTo(word) {
    const { top, bottom } = word.element.getBoundingClientRect();
    if (top > 100 && bottom < innerHeight - 100) return;
    this.#isFollowing = false;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    word.element.scrollIntoView({ block: "center", behavior: isCalm ? "auto" : "smooth" });
  }
}

function paragraph(className) {
  const element = document.createElement("div");
  const time = document.createElement("button");
  const body = document.createElement("div");
  const speaker = document.createElement("button");
  const text = document.createElement("p");
  element.className = className;
  speaker.className = "speaker";
  speaker.hidden = true;
  time.className = "time";
  time.tabIndex = -1; // words lead to every time already
  text.className = "text";
  body.append(speaker, text);
  element.append(time, body);
  return { element, time, speaker, text };
}

function wordElement(word) {
  const element = document.createElement("span");
  element.className = "word";
  element.word = word;
  return element;
}
