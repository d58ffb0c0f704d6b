/** `1:05`, or `1:01:05` from one hour on. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const pad = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return (hours > 0 ? `${hours}:${pad(minutes)}` : minutes) + ":" + pad(whole % 60);
}

/** Plays the recording and reports the position. */
export class Player {
  #bar;
  #audio;
  #button;
  #position;
  #knownLength = 0;

  /**
   * @param bar the element with the controls
   * @param ontime called with the position in seconds, in every frame while playing
   * @param onproblem called with a sentence if the browser cannot play the recording
   */
  constructor(bar, { ontime, onproblem }) {
    this.#bar = bar;
    this.#audio = bar.querySelector("audio");
    this.#button = bar.querySelector("#play");
    this.#position = bar.querySelector("#position");
    const audio = this.#audio;
    const rate = bar.querySelector("#rate");
    this.ontime = ontime;
    this.#button.onclick = () => this.toggle();
    this.#position.oninput = () => this.seek(Number(this.#position.value));
    rate.onchange = () => { audio.playbackRate = Number(rate.value); };
    audio.onplay = () => { this.#show(); this.#follow(); };
    audio.onpause = audio.onseeked = audio.onloadedmetadata = audio.ondurationchange = () => this.#show();
    audio.onerror = () => {
      if (!audio.hasAttribute("src")) return;
      this.unload();
      onproblem("This browser cannot play this kind of recording.");
    };
  }

  get isLoaded() { return this.#audio.hasAttribute("src"); }
  get isPlaying() { return this.isLoaded && !this.#audio.paused; }

  /** Loads a recording. Many browsers do not know its length before they have played it, so it can be given. */
  load(recording, seconds = 0) {
    this.unload();
    this.#knownLength = seconds;
    const rate = this.#audio.playbackRate;
    this.#audio.src = URL.createObjectURL(recording);
    this.#audio.defaultPlaybackRate = rate;
    this.#bar.hidden = false;
    this.#show();
  }

  unload() {
    if (!this.isLoaded) return;
    this.#audio.pause();
    URL.revokeObjectURL(this.#audio.src);
    this.#audio.removeAttribute("src");
    this.#audio.load();
    this.#bar.hidden = true;
  }

  set length(seconds) {
    this.#knownLength = seconds;
    this.#show();
  }

  async play(from) {
    if (!this.isLoaded) return;
    if (from !== undefined) this.#audio.currentTime = from;
    // Pausing before it has started, or a recording that cannot be played, is reported elsewhere.
    await this.#audio.play().catch(() => {});
  }

  pause() { this.#audio.pause(); }

  toggle() {
    if (this.isPlaying) this.pause(); else this.play();
  }

  seek(seconds) {
    this.#audio.currentTime = seconds;
    this.#show();
  }

  #follow() {
    if (!this.isPlaying) return;
    this.#show();
    requestAnimationFrame(() => this.#follow());
  }

  #show() {
    const { currentTime, duration } = this.#audio;
    const length = Number.isFinite(duration) ? duration : Math.max(this.#knownLength, currentTime);
    this.#button.classList.toggle("on", this.isPlaying);
    this.#button.setAttribute("aria-label", this.isPlaying ? "Pause" : "Play");
    this.#position.max = length;
    this.#position.value = currentTime;
    this.#position.setAttribute("aria-valuetext", `${clock(currentTime)} of ${clock(length)}`);
    this.#bar.querySelector("#time").textContent = clock(currentTime);
    this.#bar.querySelector("#length").textContent = clock(length);
    if (this.isLoaded) this.ontime(currentTime);
  }
}
