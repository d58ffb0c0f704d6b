// Runs in the browser's audio thread: microphone in, 16-bit samples at 16 kHz out.
import { Resampler } from "/page/resampler.js";

/** 80 ms */
const frameSamples = 1280;
/** 50 ms, the shortest frame that streaming services accept */
const leastSamples = 800;

class Capture extends AudioWorkletProcessor {
  #resampler = new Resampler(sampleRate);
  #frame = new Int16Array(frameSamples);
  #count = 0;
  #peak = 0;
  #isEnding = false;

  constructor() {
    super();
    this.port.onmessage = () => { this.#isEnding = true; };
  }

  process([channels]) {
    if (channels.length > 0) this.#take(this.#resampler.push(mixed(channels)));
    if (!this.#isEnding) return true;
    this.#take(this.#resampler.flush());
    if (this.#count > 0) this.#send(Math.max(this.#count, leastSamples));
    this.port.postMessage({ isLast: true });
    return false;
  }

  #take(samples) {
    for (const sample of samples) {
      this.#peak = Math.max(this.#peak, Math.abs(sample));
      this.#frame[this.#count++] = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767);
      if (this.#count === frameSamples) this.#send(frameSamples);
    }
  }

  #send(count) {
    const frame = this.#frame.slice(0, count);
    this.port.postMessage({ frame, peak: this.#peak }, [frame.buffer]);
    this.#frame.fill(0);
    this.#count = 0;
    this.#peak = 0;
  }
}

function mixed(channels) {
  if (channels.length === 1) return channels[0];
  return channels[0].map((_, i) => channels.reduce((sum, channel) => sum + channel[i], 0) / channels.length);
}

registerProcessor("capture", Capture);
