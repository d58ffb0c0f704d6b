/** Why the microphone cannot be used, in words for the person in front of it. */
const problems = {
  NotAllowedError: "The microphone is blocked. Allow it for this page in the browser, then press Record again.",
  NotFoundError: "No microphone was found. Connect one, then press Record again.",
  NotReadableError: "The microphone is in use by another program, or the system blocks it.",
};

/** Delivers what the microphone hears as Int16Arrays at 16 kHz. */
export class Microphone {
  #stream;
  #context;
  #node;
  #ended;

  /**
   * @param onframe called with 80 ms of samples and their peak, 0…1
   * @param onlost called if the microphone goes away
   */
  async start(onframe, onlost) {
    if (!navigator.mediaDevices) {
      throw new Error("Browsers allow the microphone only at http://127.0.0.1 or over HTTPS.");
    }
    try {
      // Processing meant for calls distorts speech for the recognizer.
      this.#stream = await navigator.mediaDevices.getUserMedia({
        audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false },
      });
    } catch (error) {
      throw new Error(problems[error.name] ?? `The microphone cannot be used: ${error.message}`);
    }
    this.#context = new AudioContext();
    await this.#context.audioWorklet.addModule("/page/capture.js");
    this.#node = new AudioWorkletNode(this.#context, "capture", { numberOfOutputs: 0 });
    this.#ended = new Promise((resolve) => {
      this.#node.port.onmessage = ({ data }) => data.isLast ? resolve() : onframe(data.frame, data.peak);
    });
    this.#stream.getAudioTracks()[0].onended = onlost;
    this.#context.createMediaStreamSource(this.#stream).connect(this.#node);
  }

  /** Delivers the last samples and releases the microphone. */
  async stop() {
    this.#node.port.postMessage("end");
    await Promise.race([this.#ended, new Promise((resolve) => setTimeout(resolve, 1000))]);
    for (const track of this.#stream.getTracks()) track.stop();
    await this.#context.close();
  }
}
