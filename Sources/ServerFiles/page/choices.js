// What can be chosen before a recording is transcribed, and the server's key.
import { Refusal, choices, key } from "/page/api.js";
import { askForKey } from "/page/dialogs.js";
import { byID } from "/page/screen.js";

let languages = [];
let models = [];
let hasSpeakers = false;
let limit = null;

/** Asks the server what can be chosen. Earlier choices in this browser are restored. */
export async function loadChoices() {
  const offered = await withKey(choices);
  ({ languages, models, limit, speakers: hasSpeakers } = offered);
  const names = models.map(({ name }) => name);
  const model = byID("model");
  model.replaceChildren(...names.map((name) => new Option(name, name)));
  model.value = names.includes(localStorage.model) ? localStorage.model : offered.default;
  byID("speakers").checked = localStorage.speakers === "true";
  byID("translate").checked = localStorage.translate === "true";
  byID("terms").value = localStorage.terms ?? "";
  showModel();
}

/** The fields of a request. Empty texts are the default model and detection. */
export function settings() {
  const isOn = (id) => byID(id).checked && !byID(id).disabled;
  return {
    model: byID("model").value, language: byID("language").value, task: isOn("translate") ? "translate" : "transcribe",
    speakers: isOn("speakers"), terms: byID("terms").value,
  };
}

/** Why a file cannot be sent; empty if it can. */
export function sizeProblem(blob) {
  if (limit === null || blob.size <= limit) return "";
  const mebibytes = (bytes) => `${Math.ceil(bytes / 2 ** 20).toLocaleString("en")} MiB`;
  return `The recording has ${mebibytes(blob.size)}, and this server accepts ${mebibytes(limit)}. `
    + "Start it with a larger --max-upload, or send a compressed file.";
}

/** The name of a language such as `en`; empty if unknown. */
export const languageName = (code) => titled(languages.find((language) => language.code === code)?.name ?? "");

/** Runs something that may need the server's key, and asks for the key until it is accepted. */
export async function withKey(action) {
  while (true) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 401)) throw error;
      byID("key-button").hidden = false;
      const entered = await askForKey(
        key.get() ? "The key was not accepted. Try another one." : "Enter the key that this server was started with.");
      if (entered === null) throw new Error("This server needs a key. Press “Key…” to enter it.");
      key.set(entered);
      if (action !== choices && byID("model").length === 0) await loadChoices();
    }
  }
}

const chosenModel = () => models.find(({ name }) => name === byID("model").value);

/** Shows what the chosen model can do. */
function showModel() {
  showLanguages();
  const model = chosenModel();
  for (const note of document.querySelectorAll(".model-note")) note.textContent = model ? noteOn(model) : "";
  byID("translate").disabled = !model?.translates;
  byID("translate-note").textContent =
    model && !model.translates ? `${model.name} cannot translate. ${alternative((other) => other.translates)}` : "";
  byID("speakers").disabled = !hasSpeakers;
  byID("speakers-note").textContent =
    hasSpeakers ? "" : "This needs the speaker networks: whisper-local models pull speakers.";
}

function showLanguages() {
  const select = byID("language");
  const known = chosenModel()?.languages ?? [];
  const isOnly = known.length === 1;
  const offered = languages.filter(({ code }) => known.includes(code))
    .map(({ code, name }) => new Option(titled(name), code)).sort((a, b) => a.text.localeCompare(b.text));
  select.replaceChildren(...isOnly ? [] : [new Option("Detect", "")], ...offered);
  select.value = isOnly ? known[0] : known.includes(localStorage.language) ? localStorage.language : "";
  select.disabled = isOnly;
}

/** What a model understands, in words. */
function noteOn({ name, languages: known, takesLanguage }) {
  if (known.length === 1) {
    return `${name} understands ${languageName(known[0])} only. ${alternative((other) => other.languages.length > 1)}`;
  }
  const names = known.map(languageName).sort((a, b) => a.localeCompare(b));
  const list = names.length > 5 ? `${names.length} languages` : new Intl.ListFormat("en").format(names);
  const how = takesLanguage ? "It detects the one that is spoken first, unless you choose it."
    : "It finds out itself which one is spoken.";
  return `${name} understands ${list}. ${how}`;
}

/** What to do if the chosen model cannot do something. */
function alternative(canDo) {
  const other = models.find(canDo);
  return other ? `${other.name} can do more.` : "A multilingual model can do more: whisper-local models pull base.";
}

const titled = (name) => name.replace(/\b\p{L}/gu, (letter) => letter.toUpperCase());

byID("model").onchange = () => {
  localStorage.model = byID("model").value;
  showModel();
};
byID("language").onchange = () => { localStorage.language = byID("language").value; };
for (const id of ["translate", "speakers"]) {
  byID(id).onchange = () => { localStorage[id] = byID(id).checked; };
}
byID("terms").onchange = () => { localStorage.terms = byID("terms").value; };
