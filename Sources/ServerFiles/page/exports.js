// Files of a transcript as it has been edited. The server shapes subtitles and paragraphs, so that they look like its own.
import { subtitles } from "/page/api.js";
import { textOf } from "/page/transcript.js";

const types = { txt: "text/plain", md: "text/markdown", srt: "application/x-subrip", vtt: "text/vtt", json: "application/json" };

/** The content of a text file. */
export function plainText(transcript) {
  return spoken(transcript).map((segment) => prefix(transcript, segment) + textOf(segment) + "\n").join("");
}

/** The content of a file: `txt`, `md`, `srt`, `vtt` or `json`. */
async function contentOf(transcript, format) {
  switch (format) {
    case "txt": return plainText(transcript);
    case "json": return JSON.stringify(documentOf(transcript), null, 2) + "\n";
    default: return subtitles(format, subtitled(transcript));
  }
}

/** Offers a transcript as a file called after its recording. */
export async function download(transcript, format, name) {
  const content = await contentOf(transcript, format);
  save(new Blob([content], { type: `${types[format]};charset=utf-8` }), `${name}.${format}`);
}

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const spoken = (transcript) => transcript.segments.filter((segment) => textOf(segment) !== "");
const wordsOf = (segment) => segment.words.filter(({ word }) => word !== "");
const prefix = (transcript, { speaker }) => speaker ? `[${transcript.nameOf(speaker)}] ` : "";

function documentOf(transcript) {
  const segments = spoken(transcript);
  const speakerOf = ({ speaker }) => speaker ? { speaker: transcript.nameOf(speaker) } : {};
  return {
    text: segments.map(textOf).join(" "), language: transcript.language, duration: transcript.duration,
    segments: segments.map((segment, id) => ({
      id, start: segment.start, end: segment.end, text: textOf(segment), ...speakerOf(segment),
      words: wordsOf(segment)
        .map(({ word, start, end, probability }) => ({ word: word.trim(), start, end, probability })),
    })),
  };
}

/** What the server needs for subtitles and paragraphs. */
function subtitled(transcript) {
  return {
    language: transcript.language ?? "", speech: transcript.speech,
    segments: spoken(transcript).map((segment) => {
      const words = wordsOf(segment);
      return {
        start: words[0].start, end: Math.max(words[0].start, words.at(-1).end),
        speaker: segment.speaker ? transcript.nameOf(segment.speaker) : null,
        words: words.map(({ word, start, end }) => [word, start, Math.max(start, end)]),
      };
    }),
  };
}
