// Converts the microphone's sample rate to Whisper's with a windowed sinc, because not all browsers do it.

/** Zero crossings of the sinc on each side; with the window 60 dB below the passband from 8.7 kHz on. */
const crossings = 24;

export class Resampler {
  #up;
  #down;
  #half;
  #filters = [];
  #input;
  /** The next output's place in `#input`, in units of 1 / `#up` samples. */
  #position = 0;

  constructor(from, to = 16_000) {
    const divisor = gcd(Math.round(from), to);
    this.#up = to / divisor;
    this.#down = Math.round(from) / divisor;
    const band = Math.min(1, to / from);
    this.#half = Math.ceil(crossings / band);
    for (let phase = 0; phase < this.#up; phase++) {
      this.#filters.push(filter(phase / this.#up, this.#half, band * 0.96));
    }
    // Silence before the first sample, so that outputs are not delayed.
    this.#input = new Float32Array(this.#half - 1);
  }

  /** Takes the next samples and returns what can be computed from all so far. */
  push(samples) {
    const input = new Float32Array(this.#input.length + samples.length);
    input.set(this.#input);
    input.set(samples, this.#input.length);
    const taps = 2 * this.#half;
    const output = [];
    let start = Math.floor(this.#position / this.#up);
    while (start + taps <= input.length) {
      const weights = this.#filters[this.#position % this.#up];
      let sum = 0;
      for (let i = 0; i < taps; i++) sum += weights[i] * input[start + i];
      output.push(sum);
      this.#position += this.#down;
      start = Math.floor(this.#position / this.#up);
    }
    const used = Math.min(start, input.length);
    this.#input = input.slice(used);
    this.#position -= used * this.#up;
    return Float32Array.from(output);
  }

  /** What is left when nothing follows. */
  flush() { return this.push(new Float32Array(this.#half)); }
}

function gcd(a, b) { return b === 0 ? a : gcd(b, a % b); }

/** The weights of 2 · half samples around a point `offset` after the middle one; their sum is 1. */
function filter(offset, half, band) {
  const weights = Float64Array.from({ length: 2 * half }, (_, i) => {
    const x = i - (half - 1) - offset;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * band * x) / (Math.PI * band * x);
    const place = x / half;
    // Blackman's window
    return sinc * (0.42 + 0.5 * Math.cos(Math.PI * place) + 0.08 * Math.cos(2 * Math.PI * place));
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
