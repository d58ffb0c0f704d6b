import { Captions } from "/page/captions.js";
import { Microphone } from "/page/microphone.js";
import { wavOf } from "/page/wav.js";

/** A recording from the microphone with live captions. It is kept whole, whatever becomes of the captions. */
export class LiveRecording {
  #microphone = new Microphone();
  #captions;
  #frames = [];
  #samples = 0;
  #isIncomplete = false;

  /**
   * @param onturn called with each `Turn`
   * @param onsound called with the peak level, 0…1, about twelve times a second
   * @param onproblem called with a sentence if there are no captions any more
   * @param onlost called if the microphone goes away
   */
  constructor({ onturn, onsound, onproblem, onlost }) {
    this.onsound = onsound;
    this.onproblem = onproblem;
    this.onlost = onlost;
    this.#captions = new Captions(onturn, (reason) => this.#fail(`Live captions stopped: ${reason}.`));
  }

  get seconds() { return this.#samples / 16_000; }

  /** Turns the microphone on; throws a sentence if that fails. */
  start() {
    return this.#microphone.start((frame, peak) => {
      this.#frames.push(frame);
      this.#samples += frame.length;
      this.#captions.send(frame);
      this.onsound(peak);
    }, this.onlost);
  }

  /** Connects the captions. What has been said before is captioned too. */
  async connect(settings, withKey) {
    try {
      await withKey(() => this.#captions.open(settings()));
    } catch (error) {
      this.#captions.close();
      this.#fail(`Live captions are not available. ${error.message}`);
    }
  }

  /**
   * Turns the microphone off.
   *
   * @returns the recording as a file, and whether its captions are `complete`, `lost` or `cancelled`
   */
  async stop() {
    await this.#microphone.stop();
    const captions = this.#isIncomplete ? "lost" : await this.#captions.finish();
    return { blob: wavOf(this.#frames), captions };
  }

  /** Stops waiting for the rest of the captions. */
  cancel() { this.#captions.close(); }

  #fail(problem) {
    this.#isIncomplete = true;
    this.onproblem(`${problem} The recording goes on and is transcribed when you stop.`);
  }
}
