const byID = (id) => document.getElementById(id);

/** Opens a dialog and returns whether it was confirmed. */
function confirmed(dialog) {
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok"), { once: true });
  });
}

/** Asks for the server's key; null if the person would rather not. */
export async function askForKey(message) {
  const dialog = byID("key-dialog");
  const input = byID("key");
  byID("key-message").textContent = message;
  input.value = "";
  dialog.querySelector("[value=cancel]").onclick = () => dialog.close("cancel");
  const isConfirmed = await confirmed(dialog);
  const key = input.value.trim();
  input.value = "";
  return isConfirmed && key !== "" ? key : null;
}

/** Asks whether something may be lost. */
export function askToDiscard(message) {
  byID("discard-message").textContent = message;
  return confirmed(byID("discard-dialog"));
}
