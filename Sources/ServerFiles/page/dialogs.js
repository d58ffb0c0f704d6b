import { byID } from "/page/screen.js";

/** Opens a dialog and returns whether it was confirmed. */
function confirmed(dialog) {
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok"), { once: true });
  });
}

/** Opens a dialog with a field and returns its text; null if it was cancelled or is empty. */
async function entered(dialog, input, text) {
  input.value = text;
  dialog.querySelector("[value=cancel]").onclick = () => dialog.close("cancel");
  const isConfirmed = confirmed(dialog);
  input.select();
  const answer = await isConfirmed ? input.value.trim() : "";
  input.value = "";
  return answer === "" ? null : answer;
}

/** Asks for the server's key; null if the person would rather not. */
export function askForKey(message) {
  byID("key-message").textContent = message;
  return entered(byID("key-dialog"), byID("key"), "");
}

/** Asks who a speaker is; null if the name stays. */
export function askForName(name) { return entered(byID("name-dialog"), byID("name"), name); }

/** Asks whether something may be lost. */
export function askToDiscard(title, message, action) {
  byID("discard-title").textContent = title;
  byID("discard-message").textContent = message;
  byID("discard").textContent = action;
  return confirmed(byID("discard-dialog"));
}
