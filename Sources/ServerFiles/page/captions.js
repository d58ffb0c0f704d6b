import { captionsAddress } from "/page/api.js";

const patience = 30_000; // ms to wait for the last captions

/** Live captions over a socket. Samples sent before it is open wait for it. */
export class Captions {
  #socket = null;
  #waiting = [];
  #isFinished = false;
  #isClosed = false;
  #reason = "";
  #finish;
  #finished = new Promise((resolve) => { this.#finish = resolve; });

  /**
   * @param onturn called with each `Turn`
   * @param onend called with a sentence if the captions end before `finish`
   */
  constructor(onturn, onend) {
    this.onturn = onturn;
    this.onend = onend;
  }

  async open(settings) {
    const socket = new WebSocket(await captionsAddress(settings));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      for (const message of this.#waiting) socket.send(message);
      this.#waiting = [];
    };
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = () => this.#end();
    this.#socket = socket;
    if (this.#isClosed) socket.close();
  }

  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(message);
    else if (!this.#socket || this.#socket.readyState === WebSocket.CONNECTING) this.#waiting.push(message);
  }

  /**
   * Asks for the rest of the captions and waits for it.
   *
   * @returns `complete`, `lost` if the server did not deliver it, or `cancelled`
   */
  async finish() {
    this.#isFinished = true;
    this.send(JSON.stringify({ type: "Terminate" }));
    setTimeout(() => this.#finish("lost"), patience);
    return this.#finished;
  }

  /** Gives up. */
  close() {
    this.#isFinished = this.#isClosed = true;
    this.#waiting = [];
    this.#socket?.close();
    this.#finish("cancelled");
  }

  #receive(message) {
    switch (message.type) {
      case "Turn": this.onturn(message); break;
      case "Termination": this.#finish("complete"); break;
      case "Error": this.#reason = message.error; break;
    }
  }

  #end() {
    this.#finish("lost");
    if (this.#isFinished) return;
    this.onend(this.#reason || "the connection to the server was lost");
  }
}
