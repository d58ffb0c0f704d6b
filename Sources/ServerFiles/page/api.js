// Requests to the server, and errors in words for the user.
import { post } from "/page/upload.js";

const keyName = "whisper-local key";

/** The server's key, kept until the tab is closed. */
export const key = {
  get: () => sessionStorage.getItem(keyName),
  set: (value) => value ? sessionStorage.setItem(keyName, value) : sessionStorage.removeItem(keyName),
};

/** A refusal or a failure; `status` is 0 if the server could not be reached, `param` the field that is to blame. */
export class Refusal extends Error {
  constructor(status, message, param = null) {
    super(message);
    this.status = status;
    this.param = param;
  }
}

const unreachable = "The server is not responding. Is `whisper-local serve` still running?";
const lost = "The connection to the server was lost. The text is incomplete.";

/** The sentence for a status without a message of its own. */
function sentence(status) {
  switch (status) {
    case 401: return "The key was not accepted.";
    case 403: return "The server does not accept requests from this page's address.";
    case 413: return "The recording is larger than the server accepts (--max-upload).";
    case 429: case 503: return "The recognizer is busy. Try again in a moment.";
    default: return `The server returned an error (${status}).`;
  }
}

const authorization = () => key.get() ? { Authorization: `Bearer ${key.get()}` } : {};

/** @param text the body of the answer */
function refusal(status, text) {
  let error;
  try {
    ({ error } = JSON.parse(text));
  } catch {
    // Not from this server, but from a proxy.
  }
  // A streaming route's errors are plain strings.
  const message = typeof error === "string" ? error : error?.message;
  return new Refusal(status, message || sentence(status), error?.param);
}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: authorization() });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, unreachable);
  }
  if (response.ok) return response;
  throw refusal(response.status, await response.text().catch(() => ""));
}

/**
 * What can be chosen: `{models: [{name, languages: [code], takesLanguage, translates}], default, languages: [{code, name}],
 * speakers, limit}`, the limit in bytes or null.
 */
export async function choices() { return (await request("/page/choices")).json(); }

/** A transcript as `srt`, `vtt` or `md`. */
export async function subtitles(format, transcript) {
  const response = await request(`/page/subtitles?format=${format}`, { method: "POST", body: JSON.stringify(transcript) });
  return response.text();
}

/**
 * Sends a recording and returns an iterator over the events of its recognition, the last of which is `done`.
 *
 * @param settings see `settings` in choices.js
 * @param onsent called with the part of the recording that has been sent, 0…1
 */
export async function* transcribe(recording, name, settings, signal, onsent) {
  const form = new FormData();
  for (const [field, value] of Object.entries(settings)) form.append(field, value);
  form.append("file", recording, name);
  const parts = post("/page/transcribe", form, authorization(), signal, onsent);
  let status = 0;
  try {
    ({ value: status } = await parts.next());
    if (status !== 200) {
      let text = "";
      for await (const part of parts) text += part;
      throw refusal(status, text);
    }
    for await (const event of eventsOf(parts)) {
      if (event.type === "error") throw new Refusal(event.status, event.message || sentence(event.status), event.param);
      yield event;
      if (event.type === "done") return;
    }
  } catch (error) {
    if (error instanceof TypeError) throw new Refusal(0, status === 0 ? unreachable : lost);
    throw error;
  }
  throw new Refusal(0, lost);
}

/** The data of server-sent events, parsed. */
async function* eventsOf(parts) {
  let text = "";
  for await (const part of parts) {
    const events = (text + part).split("\n\n");
    text = events.pop();
    for (const event of events) {
      if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
    }
  }
}

/** The characters of terms that fit into the address of live captions. */
const maxTerms = 1000;

/** The address for live captions at 16 kHz, with a token if the server has a key, which a socket cannot send. */
export async function captionsAddress({ model, language, speakers, terms }) {
  const address = new URL("/v3/ws", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const query = address.searchParams;
  query.set("sample_rate", "16000");
  query.set("encoding", "pcm_s16le");
  query.set("format_turns", "true");
  if (model) query.set("speech_model", model);
  if (language) query.set("language_code", language);
  else query.set("language_detection", "true");
  if (speakers) query.set("speaker_labels", "true");
  // Of a vocabulary, captions know the terms only.
  const known = terms.split("\n").filter((line) => !line.includes("=>"))
    .map((line) => line.replace(/(^|\s)[#~^].*/, "").trim()).filter((term) => term !== "");
  while (known.join().length > maxTerms) known.pop();
  if (known.length > 0) query.set("keyterms_prompt", JSON.stringify(known));
  if (key.get()) {
    const answer = await request("/v3/token?expires_in_seconds=60");
    query.set("token", (await answer.json()).token);
  }
  return address;
}
