/**
 * The player of a video: keys, speed, single frames, positions in the address, and the timeline. Without this script the browser's own
 * controls work. Keys act on every player of the page, and not while somebody types.
 */
import { positionInAddress, positionInLink, positionText } from "./position.js";

const speeds = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3];

/** A frame in seconds that is shorter than most. */
const shortFrame = 1 / 60;
/** Where the frame before is reached: positions are rounded, and no frame is as short as this. */
const margin = 0.002;
const mostTries = 12;

/**
 * Shows single frames. Browsers seek to positions and do not say how long a frame is, and recordings of screens have frames of any length.
 * So this looks a little further until another frame is shown.
 */
class Frames {
  #video;
  /** Where the frame that is shown begins, in seconds. */
  #shown;
  /** The shortest frame that was seen. */
  #shortest;
  #isBusy = false;

  constructor(video) {
    this.#video = video;
    if (video.requestVideoFrameCallback) this.#watch();
  }

  #watch() {
    this.#video.requestVideoFrameCallback((_now, { mediaTime }) => {
      this.#shown = mediaTime;
      this.#watch();
    });
  }

  /** Shows the next frame, or with -1 the one before. */
  async step(direction) {
    if (this.#isBusy || this.#video.readyState === 0) return;
    this.#isBusy = true;
    this.#video.pause();
    this.#video.dataset.stepping = "";
    try {
      if (direction < 0) await this.#seek((this.#shown ?? this.#video.currentTime) - margin);
      else await this.#stepForward();
    } finally {
      this.#isBusy = false;
      delete this.#video.dataset.stepping;
    }
  }

  async #stepForward() {
    const from = this.#shown ?? this.#video.currentTime;
    let ahead = (this.#shortest ?? shortFrame) * 1.5;
    for (let tries = 0; tries < mostTries && from + ahead < this.#video.duration; tries++) {
      await this.#seek(from + ahead);
      if (this.#shown === undefined) return;
      if (this.#shown > from) {
        this.#shortest = Math.min(this.#shortest ?? 1, this.#shown - from);
        return;
      }
      ahead *= 1.5;
    }
  }

  async #seek(seconds) {
    const seeked = new Promise((done) => this.#video.addEventListener("seeked", done, { once: true }));
    this.#video.currentTime = Math.max(seconds, 0);
    await seeked;
    // The frame of the new position is presented after it.
    for (let frames = 0; frames < 2; frames++) await new Promise((done) => requestAnimationFrame(done));
  }
}

class Player {
  root;
  video;
  #frames;

  constructor(root) {
    this.root = root;
    this.video = root.querySelector("video");
    this.#frames = new Frames(this.video);
    root.querySelector(".player-bar").hidden = false;
    this.#listen();
    void this.#showProblem();
    this.#showLength();
    this.#showPosition();
  }

  #listen() {
    const { video, root } = this;
    for (const name of ["timeupdate", "seeking"]) video.addEventListener(name, () => this.#showPosition());
    for (const name of ["loadedmetadata", "durationchange"]) video.addEventListener(name, () => this.#showLength());
    video.addEventListener("loadedmetadata", () => void this.#showProblem());
    video.addEventListener("ratechange", () => this.#showSpeed());
    video.addEventListener("error", () => void this.#showProblem());
    root.querySelector(".speed").addEventListener("change", ({ target }) => {
      video.playbackRate = Number(target.value);
    });
    root.querySelector(".player-bar").addEventListener("click", ({ target }) => {
      const act = target.closest("button")?.dataset.act;
      if (act) acts[act](this);
    });
    root.querySelector(".timeline").addEventListener("click", (event) => this.#clickTimeline(event));
    root.querySelector(".retry").addEventListener("click", () => this.#retry());
  }

  seek(seconds) {
    this.video.currentTime = Math.min(Math.max(seconds, 0), this.length ?? seconds);
  }

  /** In seconds. A recording that was written while it was streamed says nothing of its length, and the server has measured it. */
  get length() {
    const { duration } = this.video;
    if (Number.isFinite(duration)) return duration;
    const { length } = this.root.dataset;
    return length === undefined ? undefined : Number(length) / 1000;
  }

  skip(seconds) {
    this.seek(this.video.currentTime + seconds);
  }

  toggle() {
    if (this.video.paused) this.video.play().catch(() => void this.#showProblem());
    else this.video.pause();
  }

  step(direction) {
    void this.#frames.step(direction);
  }

  changeSpeed(direction) {
    const at = speeds.findIndex((speed) => speed >= this.video.playbackRate);
    this.video.playbackRate = speeds[Math.min(Math.max(at + direction, 0), speeds.length - 1)];
  }

  /** Shows or hides the captions. */
  toggleCaptions() {
    const [track] = this.video.textTracks;
    if (track) track.mode = track.mode === "showing" ? "disabled" : "showing";
  }

  /** Says where the video is, to whatever on the page notes it. */
  mark() {
    if (this.root.dataset.marks === undefined) return;
    const detail = { seconds: this.video.currentTime };
    this.root.dispatchEvent(new CustomEvent("playtest:mark", { bubbles: true, detail }));
  }

  #showPosition() {
    const { currentTime } = this.video;
    const playhead = this.root.querySelector(".playhead");
    this.root.querySelector(".at").textContent = positionText(currentTime);
    for (const name of ["x1", "x2"]) playhead.setAttribute(name, String(Math.round(currentTime * 1000)));
  }

  /** The timeline's unit is a millisecond, so its width is the length of the video, which only the file says exactly. */
  #showLength() {
    const { length } = this;
    if (length === undefined) return;
    this.root.querySelector(".length").textContent = positionText(length);
    const timeline = this.root.querySelector(".timeline");
    timeline.setAttribute("viewBox", `0 0 ${Math.max(1, Math.round(length * 1000))} 100`);
    timeline.removeAttribute("hidden");
  }

  #showSpeed() {
    const select = this.root.querySelector(".speed");
    const value = String(this.video.playbackRate);
    if ([...select.options].some((option) => option.value === value)) select.value = value;
  }

  #clickTimeline({ target, currentTarget, clientX }) {
    const { at } = target.dataset;
    const { left, width } = currentTarget.getBoundingClientRect();
    if (at !== undefined) goTo(this, Number(at) / 1000);
    else if (this.length) this.seek(((clientX - left) / width) * this.length);
  }

  /**
   * A video that is broken or whose connection was lost says so in words: browsers only show a symbol, and of a picture that they cannot
   * show nothing at all.
   */
  async #showProblem() {
    const { error } = this.video;
    const names = [".player-problem", ".player-problem span", ".retry", ".download"];
    const [box, words, retry, download] = names.map((name) => this.root.querySelector(name));
    const isBlind = !error && this.video.readyState > 0 && this.video.videoWidth === 0;
    if (!error && !isBlind) {
      box.hidden = true;
      return;
    }
    const cause = isBlind ? "blind" : error.code === MediaError.MEDIA_ERR_NETWORK ? "connection" : await this.#cause();
    if (this.video.error !== error) return;
    box.hidden = false;
    words.textContent = box.dataset[cause];
    retry.hidden = cause !== "connection";
    download.hidden = cause !== "broken" && cause !== "blind";
  }

  /** Browsers report as a broken file also a connection that is lost before the first frame, and the page to sign in that comes instead. */
  async #cause() {
    try {
      const { status, headers } = await fetch(this.video.currentSrc, { method: "HEAD" });
      // `playtest studio` replies with 424 when its server cannot be reached or fails.
      if (status >= 500 || status === 424) return "connection";
      return headers.get("content-type")?.startsWith("text/html") ? "stale" : "broken";
    } catch {
      return "connection";
    }
  }

  #retry() {
    const { currentTime } = this.video;
    this.video.load();
    this.video.currentTime = currentTime;
    void this.#showProblem();
  }
}

const acts = {
  toggle: (player) => player.toggle(),
  back: (player) => player.skip(-10),
  forward: (player) => player.skip(10),
  "frame-back": (player) => player.step(-1),
  "frame-forward": (player) => player.step(1),
  mark: (player) => player.mark(),
  keys: (player) => player.root.querySelector(".keys-dialog").showModal(),
};

const keys = {
  " ": (player) => player.toggle(),
  k: (player) => player.toggle(),
  j: (player) => player.skip(-10),
  l: (player) => player.skip(10),
  ArrowLeft: (player) => player.skip(-5),
  ArrowRight: (player) => player.skip(5),
  ",": (player) => player.step(-1),
  ".": (player) => player.step(1),
  "<": (player) => player.changeSpeed(-1),
  ">": (player) => player.changeSpeed(1),
  Home: (player) => player.seek(0),
  c: (player) => player.toggleCaptions(),
  m: (player) => player.mark(),
};

const players = [...document.querySelectorAll("[data-player]")].map((root) => new Player(root));

/** Whether a key belongs to what has the focus: a field, or for some keys a button, a link or the browser's own controls. */
function isTaken({ key, target, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey || document.querySelector("dialog[open]")) return true;
  if (target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]")) return true;
  if (key === " ") return target.closest?.("a, button, input, summary, video") !== null;
  return key.startsWith("Arrow") && target.closest?.("video") !== null;
}

/** The players that a key is for: of those that play together one, which the others follow. */
const keyed = () =>
  document.querySelector("[data-together]") ? [players.find(({ video }) => !video.ended) ?? players[0]] : players;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || isTaken(event) || players.length === 0) return;
  if (event.key === "?") {
    event.preventDefault();
    return acts.keys(players[0]);
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!Object.hasOwn(keys, key)) return;
  event.preventDefault();
  for (const player of keyed()) keys[key](player);
});

/** Seeks, and keeps the position in the address, so that it can be copied. */
function goTo(player, seconds) {
  player.seek(seconds);
  history.replaceState(null, "", `#t=${positionInLink(seconds)}`);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-at]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || players.length === 0) return;
  event.preventDefault();
  const scope = link.closest("[data-scope]");
  goTo(players.find(({ root }) => scope?.contains(root)) ?? players[0], Number(link.dataset.at) / 1000);
});

function openAddress() {
  const seconds = positionInAddress();
  if (seconds !== undefined) for (const player of players) player.seek(seconds);
}
window.addEventListener("hashchange", openAddress);
openAddress();
