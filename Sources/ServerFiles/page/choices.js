// The choice of model and language, and the server's key.
import { Refusal, choices, key } from "/page/api.js";
import { askForKey } from "/page/dialogs.js";
import { byID } from "/page/screen.js";

let languages = [];
let models = [];

/** Asks the server what can be chosen. Earlier choices in this browser are restored. */
export async function loadChoices() {
  const offered = await withKey(choices);
  ({ languages, models } = offered);
  const names = models.map(({ name }) => name);
  const model = byID("model");
  model.replaceChildren(...names.map((name) => new Option(name, name)));
  model.value = names.includes(localStorage.model) ? localStorage.model : offered.default;
  showLanguages();
}

/** Empty texts are the default model and detection. */
export const settings = () => ({ model: byID("model").value, language: byID("language").value });

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

function showLanguages() {
  const select = byID("language");
  const known = models.find(({ name }) => name === byID("model").value)?.languages ?? [];
  const isOnly = known.length === 1;
  const offered = languages.filter(({ code }) => known.includes(code))
    .map(({ code, name }) => new Option(titled(name), code)).sort((a, b) => a.text.localeCompare(b.text));
  select.replaceChildren(...isOnly ? [] : [new Option("Detect", "")], ...offered);
  select.value = isOnly ? known[0] : known.includes(localStorage.language) ? localStorage.language : "";
  select.disabled = isOnly;
}

const titled = (name) => name.replace(/\b\p{L}/gu, (letter) => letter.toUpperCase());

byID("model").onchange = () => {
  localStorage.model = byID("model").value;
  showLanguages();
};
byID("language").onchange = () => { localStorage.language = byID("language").value; };
