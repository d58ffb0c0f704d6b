// The recordings and their transcripts in this browser, so that they survive a reload.

/** Transcripts, which change, apart from the sound, which does not. */
const [transcripts, sounds] = ["transcripts", "sounds"];

function promised(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

let opened = null;

function database() {
  opened ??= (() => {
    const request = indexedDB.open("whisper-local", 1);
    request.onupgradeneeded = () => {
      for (const name of [transcripts, sounds]) request.result.createObjectStore(name, { keyPath: "id" });
    };
    return promised(request);
  })();
  return opened;
}

/** Runs requests in one transaction; returns once it is complete. */
async function change(names, action) {
  const transaction = (await database()).transaction(names, "readwrite");
  const isComplete = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
  action(...names.map((name) => transaction.objectStore(name)));
  return isComplete;
}

/** All transcripts in the order in which they were added; none if this browser keeps nothing. */
export async function kept() {
  try {
    const store = (await database()).transaction(transcripts).objectStore(transcripts);
    return (await promised(store.getAll())).sort((a, b) => a.added - b.added);
  } catch {
    return [];
  }
}

/** The sound of a recording; null if it is not kept. */
export async function soundOf(id) {
  try {
    return (await promised((await database()).transaction(sounds).objectStore(sounds).get(id)))?.blob ?? null;
  } catch {
    return null;
  }
}

/** Keeps a transcript; returns whether that succeeded. */
export async function keep(transcript) {
  try {
    await change([transcripts], (store) => store.put(transcript));
    return true;
  } catch {
    return false;
  }
}

/** Keeps the sound of a recording, unless there is no room for it; returns whether that succeeded. */
export async function keepSound(id, blob) {
  try {
    await change([sounds], (store) => store.put({ id, blob }));
    return true;
  } catch {
    return false;
  }
}

export async function forget(ids) {
  try {
    await change([transcripts, sounds], (...stores) => {
      for (const store of stores) for (const id of ids) store.delete(id);
    });
  } catch {
    // Nothing is kept.
  }
}
