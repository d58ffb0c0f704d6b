// Files of a transcript, created in the browser so that they include edits.
import { textOf } from "/page/transcript.js";

const types = { txt: "text/plain", srt: "application/x-subrip", vtt: "text/vtt", json: "application/json" };

/** The content of a file: `txt`, `srt`, `vtt` or `json`. */
export function contentOf(transcript, format) {
  const segments = transcript.segments.filter((segment) => textOf(segment) !== "");
  switch (format) {
    case "txt": return segments.map((segment) => textOf(segment) + "\n").join("");
    case "srt": return segments.map((segment, index) => {
      const [start, end] = times(segment);
      return `${index + 1}\n${stamp(start, ",")} --> ${stamp(end, ",")}\n${cue(segment)}\n\n`;
    }).join("");
    case "vtt": return "WEBVTT\n\n" + segments.map((segment) => {
      const [start, end] = times(segment);
      return `${stamp(start, ".")} --> ${stamp(end, ".")}\n${escaped(cue(segment))}\n\n`;
    }).join("");
    case "json": return JSON.stringify({
      text: segments.map(textOf).join(" "), language: transcript.language, duration: transcript.duration,
      segments: segments.map((segment, id) => ({
        id, start: segment.start, end: segment.end, text: textOf(segment),
        words: segment.words.filter(({ word }) => word !== "")
          .map(({ word, start, end, probability }) => ({ word: word.trim(), start, end, probability })),
      })),
    }, null, 2) + "\n";
  }
  throw new Error(`no format ${format}`);
}

/** Offers a transcript as a file called after its recording. */
export function download(transcript, format, name) {
  save(new Blob([contentOf(transcript, format)], { type: `${types[format]};charset=utf-8` }), `${name}.${format}`);
}

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function times(segment) {
  const words = segment.words.filter(({ word }) => word !== "");
  return [words[0].start, words.at(-1).end];
}

/** `HH:MM:SS` and milliseconds after the mark. */
function stamp(seconds, mark) {
  const total = Math.max(0, Math.round(seconds * 1000));
  const pad = (number, width = 2) => String(number).padStart(width, "0");
  const whole = Math.floor(total / 1000);
  return `${pad(Math.floor(whole / 3600))}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}${mark}${pad(total % 1000, 3)}`;
}

/** An arrow inside a cue would end it. */
const cue = (segment) => textOf(segment).replaceAll("-->", "->");

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
