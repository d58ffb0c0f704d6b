// Requests to the server, and errors in words for the user.

const keyName = "whisper-local key";

/** The server's key, kept until the tab is closed. */
export const key = {
  get: () => sessionStorage.getItem(keyName),
  set: (value) => value ? sessionStorage.setItem(keyName, value) : sessionStorage.removeItem(keyName),
};

/** A refusal or a failure; `status` is 0 if the server could not be reached. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const unreachable = "The server is not responding. Is `whisper-local serve` still running?";

/** The sentence for a status without a message of its own. */
function sentence(status) {
  switch (status) {
    case 401: return "The key was not accepted.";
    case 403: return "The server does not accept requests from this page's address.";
    case 413: return "The recording is larger than the server accepts. Send a shorter one.";
    case 429: case 503: return "The recognizer is busy. Try again in a moment.";
    default: return `The server returned an error (${status}).`;
  }
}

async function request(path, options = {}) {
  const headers = key.get() ? { Authorization: `Bearer ${key.get()}` } : {};
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, unreachable);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  // A streaming route's errors are plain strings.
  const message = typeof body.error === "string" ? body.error : body.error?.message;
  throw new Refusal(response.status, message || sentence(response.status));
}

/** Models and languages: `{models: [{name, languages: [code]}], default, languages: [{code, name}]}`. */
export async function choices() { return (await request("/page/choices")).json(); }

/**
 * Sends a recording and returns an iterator over the events of its recognition, the last of which is `done`.
 *
 * @param settings `model` and `language`; empty for the default and for detection
 */
export async function* transcribe(recording, name, { model, language }, signal) {
  const form = new FormData();
  form.append("model", model);
  form.append("language", language);
  form.append("file", recording, name);
  const response = await request("/page/transcribe", { method: "POST", body: form, signal });
  for await (const event of eventsOf(response.body)) {
    if (event.type === "error") throw new Refusal(event.status, event.message || sentence(event.status));
    yield event;
    if (event.type === "done") return;
  }
  throw new Refusal(0, "The connection to the server was lost. The text is incomplete.");
}

/** The data of server-sent events, parsed. */
async function* eventsOf(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (true) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return;
    }
    if (part.done) return;
    const events = (text + part.value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
    }
  }
}

/** The address for live captions at 16 kHz, with a token if the server has a key, which a socket cannot send. */
export async function captionsAddress({ model, language }) {
  const address = new URL("/v3/ws", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const query = address.searchParams;
  query.set("sample_rate", "16000");
  query.set("encoding", "pcm_s16le");
  query.set("format_turns", "true");
  if (model) query.set("speech_model", model);
  if (language) query.set("language_code", language);
  else query.set("language_detection", "true");
  if (key.get()) {
    const answer = await request("/v3/token?expires_in_seconds=60");
    query.set("token", (await answer.json()).token);
  }
  return address;
}
