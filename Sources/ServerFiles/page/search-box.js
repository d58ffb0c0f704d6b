import { byID } from "/page/screen.js";
import { Search } from "/page/search.js";

/** The field that searches the transcript, and the keys and buttons that lead through its matches. */
export class SearchBox {
  #search = new Search();
  #field = byID("search");
  #hits = [];
  #current = 0;

  /** @param transcript returns the transcript to search */
  constructor(view, transcript) {
    this.view = view;
    this.transcript = transcript;
    this.#field.oninput = () => this.#find();
    this.#field.onkeydown = (event) => this.#key(event);
    byID("previous-hit").onclick = () => this.#move(-1);
    byID("next-hit").onclick = () => this.#move(1);
  }

  clear() {
    this.#field.value = "";
    this.refresh();
  }

  focus() { this.#field.select(); }

  /** Searches again after the text has changed. */
  refresh() {
    this.#hits = this.#search.matches(this.transcript(), this.#field.value);
    this.#current = Math.max(0, Math.min(this.#current, this.#hits.length - 1));
    this.#show();
  }

  #find() {
    this.#current = 0;
    this.refresh();
    this.view.reveal(this.#hits[0]);
  }

  #move(step) {
    if (this.#hits.length === 0) return;
    this.#current = (this.#current + step + this.#hits.length) % this.#hits.length;
    this.#show();
    this.view.reveal(this.#hits[this.#current]);
  }

  #show() {
    const count = this.#hits.length;
    const position = count === 0 ? "none" : `${this.#current + 1} of ${count}`;
    byID("hits").textContent = this.#field.value.trim() === "" ? "" : position;
    for (const id of ["previous-hit", "next-hit"]) byID(id).hidden = count < 2;
    this.view.mark(this.#hits, this.#hits[this.#current]);
  }

  #key(event) {
    if (event.key === "Enter") {
      this.#move(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.clear();
      this.view.focus();
    } else {
      return;
    }
    event.preventDefault();
  }
}
