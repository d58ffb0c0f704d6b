// What the page shows outside the transcript.

export const byID = (id) => document.getElementById(id);

/** `empty`, `waiting`, `transcribing`, `recording`, `finishing` or `done`; the style sheet shows what belongs to it. */
export const state = () => document.body.dataset.state;

/**
 * Shows what went wrong; empty text takes it away.
 *
 * @param help what may help: `again`, `choose` for another file, or nothing
 */
export function showProblem(text, help = "") {
  byID("problem").textContent = text;
  byID("problem").hidden = text === "";
  byID("help-again").hidden = help !== "again";
  byID("help-choose").hidden = help !== "choose";
}

/** Screen readers say this aloud, so only what matters. */
export function say(text) { byID("status").textContent = text; }

/** @param fraction 0…1; unknown if left out */
export function showProgress(text, fraction) {
  byID("progress-text").textContent = text;
  if (fraction === undefined) byID("progress").removeAttribute("value");
  else byID("progress").value = fraction;
}

export function showSource(name, ...details) {
  byID("source-name").textContent = name;
  byID("source-details").textContent = details.filter((detail) => detail).join(" · ");
}

export const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** Such as `7 %`: never 100 before everything is done. */
export const percentage = (fraction) => `${Math.min(99, Math.floor(100 * fraction))} %`;
