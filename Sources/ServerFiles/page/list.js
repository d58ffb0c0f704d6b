import { byID } from "/page/screen.js";

/** The list of recordings, shown if there are several. */
export class RecordingList {
  #rows = new Map();

  /** @param onselect called with the recording to show */
  constructor(onselect) { this.onselect = onselect; }

  /** Shows the recordings, one of which is the current one. */
  show(recordings, current) {
    byID("recordings").hidden = recordings.length < 2;
    for (const [recording, row] of this.#rows) {
      if (recordings.includes(recording)) continue;
      row.item.remove();
      this.#rows.delete(recording);
    }
    for (const recording of recordings) {
      if (!this.#rows.has(recording)) {
        const row = this.#row(recording);
        this.#rows.set(recording, row);
        byID("recording-list").append(row.item);
      }
      this.refresh(recording);
      const { button } = this.#rows.get(recording);
      if (recording === current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** Shows what has become of a recording. */
  refresh(recording) {
    const row = this.#rows.get(recording);
    if (!row) return;
    row.name.textContent = recording.name;
    if (row.summary.textContent !== recording.summary) row.summary.textContent = recording.summary;
  }

  #row(recording) {
    const [item, button, name, summary] = ["li", "button", "span", "span"].map((tag) => document.createElement(tag));
    name.className = "name";
    summary.className = "quiet";
    button.append(name, " ", summary);
    button.onclick = () => this.onselect(recording);
    item.append(button);
    return { item, button, name, summary };
  }
}
