import { parsePosition, positionInLink, positionText } from "../../../src/contract/text/position.ts";
import { ChosenPart } from "./player/part.ts";
import { Track } from "./player/track.ts";
import { all, around, type Part, the } from "./shared/dom.ts";

/**
 * The player of a video: keys, speed, single frames, positions in the address, and the timeline. Without this script the browser's own
 * controls work. Keys act on every player of the page, and not while somebody types.
 */

const speeds = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3] as const;

/** A frame in seconds that is shorter than most. */
const shortFrame = 1 / 60;
/** Where the frame before is reached: positions are rounded, and no frame is as short as this. */
const margin = 0.002;
const mostTries = 12;

type Direction = 1 | -1;

/**
 * Shows single frames. Browsers seek to positions and do not say how long a frame is, and recordings of screens have frames of any length.
 * So this looks a little further until another frame is shown.
 */
class Frames {
  #video: HTMLVideoElement;
  /** Where the frame that is shown begins, in seconds. Undefined in browsers that do not say it. */
  #shown: number | undefined;
  /** The shortest frame that was seen. */
  #shortest: number | undefined;
  #isBusy = false;

  constructor(video: HTMLVideoElement) {
    this.#video = video;
    if ("requestVideoFrameCallback" in video) this.#watch();
  }

  #watch(): void {
    this.#video.requestVideoFrameCallback((_now, { mediaTime }) => {
      this.#shown = mediaTime;
      this.#watch();
    });
  }

  /** Shows the next frame, or with -1 the one before. */
  async step(direction: Direction): Promise<void> {
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

  async #stepForward(): Promise<void> {
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

  async #seek(seconds: number): Promise<void> {
    const seeked = new Promise((done) => this.#video.addEventListener("seeked", done, { once: true }));
    this.#video.currentTime = Math.max(seconds, 0);
    await seeked;
    // The frame of the new position is presented after it.
    for (let frames = 0; frames < 2; frames++) await new Promise((done) => requestAnimationFrame(done));
  }
}

class Player {
  readonly root: HTMLElement;
  readonly video: HTMLVideoElement;
  /** Undefined on pages that note nothing. */
  readonly part: ChosenPart | undefined;
  #frames: Frames;

  constructor(root: HTMLElement) {
    this.root = root;
    this.video = the("video", root);
    this.#frames = new Frames(this.video);
    this.part = root.dataset.marks === undefined ? undefined : new ChosenPart(root);
    // One bar of controls. What the browser's own can do, this one can too, and it stays in sight.
    this.video.controls = false;
    this.video.tabIndex = -1;
    the(".player-bar", root).hidden = false;
    new Track(the(".track", root), this);
    root.addEventListener("playtest:choose", (event) => this.part?.choose((event as CustomEvent<Part>).detail));
    this.#listen();
    void this.#showProblem();
    this.#showLength();
    this.#showPosition();
  }

  #listen(): void {
    const { video, root } = this;
    for (const name of ["timeupdate", "seeking"]) video.addEventListener(name, () => this.#showPosition());
    for (const name of ["loadedmetadata", "durationchange"]) video.addEventListener(name, () => this.#showLength());
    video.addEventListener("loadedmetadata", () => void this.#showProblem());
    video.addEventListener("ratechange", () => this.#showSpeed());
    for (const name of ["play", "pause", "ended", "volumechange"]) video.addEventListener(name, () => this.#showState());
    video.addEventListener("click", () => this.toggle());
    const volume = the<HTMLInputElement>(".volume", root);
    volume.addEventListener("input", () => {
      video.volume = Number(volume.value);
      video.muted = video.volume === 0;
    });
    video.addEventListener("error", () => void this.#showProblem());
    const speed = the<HTMLSelectElement>(".speed", root);
    speed.addEventListener("change", () => {
      video.playbackRate = Number(speed.value);
    });
    root.addEventListener("click", (event) => {
      const act = around(event, "[data-act]")?.dataset.act;
      if (act) acts[act]?.(this);
    });
    the(".retry", root).addEventListener("click", () => this.#retry());
  }

  seek(seconds: number): void {
    this.video.currentTime = Math.min(Math.max(seconds, 0), this.length ?? seconds);
  }

  /** In seconds. A recording that was written while it was streamed says nothing of its length, and the server has measured it. */
  get length(): number | undefined {
    const { duration } = this.video;
    if (Number.isFinite(duration)) return duration;
    const { length } = this.root.dataset;
    return length === undefined ? undefined : Number(length) / 1000;
  }

  skip(seconds: number): void {
    this.seek(this.video.currentTime + seconds);
  }

  toggle(): void {
    if (this.video.paused) this.video.play().catch(() => void this.#showProblem());
    else this.video.pause();
  }

  step(direction: Direction): void {
    void this.#frames.step(direction);
  }

  changeSpeed(direction: Direction): void {
    const at = speeds.findIndex((speed) => speed >= this.video.playbackRate);
    this.video.playbackRate = speeds[Math.min(Math.max(at + direction, 0), speeds.length - 1)]!;
  }

  toggleSound(): void {
    this.video.muted = !this.video.muted;
    if (!this.video.muted && this.video.volume === 0) this.video.volume = 1;
  }

  /** The whole player, so that its bar stays in sight; where browsers allow that for videos alone, the video. */
  toggleFull(): void {
    if (document.fullscreenElement) return void document.exitFullscreen();
    const video = this.video as HTMLVideoElement & { webkitEnterFullscreen?: () => void };
    if (this.root.requestFullscreen) void this.root.requestFullscreen().catch(() => {});
    else video.webkitEnterFullscreen?.();
  }

  /** Goes to a position, and keeps it in the address, so that it can be copied. */
  goTo(ms: number): void {
    this.seek(ms / 1000);
    history.replaceState(null, "", `#t=${positionInLink(ms)}`);
  }

  /** Shows or hides the captions. */
  toggleCaptions(): void {
    const [track] = this.video.textTracks;
    if (track) track.mode = track.mode === "showing" ? "disabled" : "showing";
  }

  /** Says where the video is, to whatever on the page notes it. */
  mark(): void {
    if (this.root.dataset.marks === undefined) return;
    const detail = { seconds: this.video.currentTime };
    this.root.dispatchEvent(new CustomEvent("playtest:mark", { bubbles: true, detail }));
  }

  #showPosition(): void {
    const { currentTime } = this.video;
    const playhead = the<SVGElement>(".playhead", this.root);
    the(".at", this.root).textContent = positionText(currentTime * 1000);
    for (const name of ["x1", "x2"]) playhead.setAttribute(name, String(Math.round(currentTime * 1000)));
  }

  /** The timeline's unit is a millisecond, so its width is the length of the video, which only the file says exactly. */
  #showLength(): void {
    const { length } = this;
    if (length === undefined) return;
    the(".length", this.root).textContent = positionText(length * 1000);
    const viewBox = `0 0 ${Math.max(1, Math.round(length * 1000))} 100`;
    for (const drawn of all<SVGElement>(".timeline, .strip", this.root)) {
      drawn.setAttribute("viewBox", viewBox);
      drawn.removeAttribute("hidden");
    }
  }

  #showState(): void {
    const { video, root } = this;
    root.dataset.state = video.paused ? "paused" : "playing";
    root.toggleAttribute("data-muted", video.muted);
    the<HTMLInputElement>(".volume", root).value = String(video.muted ? 0 : video.volume);
  }

  #showSpeed(): void {
    const select = the<HTMLSelectElement>(".speed", this.root);
    const value = String(this.video.playbackRate);
    if ([...select.options].some((option) => option.value === value)) select.value = value;
  }

  /**
   * A video that is broken or whose connection was lost says so in words: browsers only show a symbol, and of a picture that they cannot
   * show nothing at all.
   */
  async #showProblem(): Promise<void> {
    const { error } = this.video;
    const box = the(".player-problem", this.root);
    const isBlind = !error && this.video.readyState > 0 && this.video.videoWidth === 0;
    if (!error && !isBlind) {
      box.hidden = true;
      return;
    }
    const cause = error === null ? "blind" : error.code === MediaError.MEDIA_ERR_NETWORK ? "connection" : await this.#cause();
    if (this.video.error !== error) return;
    box.hidden = false;
    the("span", box).textContent = box.dataset[cause]!;
    the(".retry", this.root).hidden = cause !== "connection" && cause !== "away";
    the(".download", this.root).hidden = cause !== "broken" && cause !== "blind";
  }

  /** Browsers report as a broken file also a connection that is lost before the first frame, and the page to sign in that comes instead. */
  async #cause(): Promise<"connection" | "away" | "stale" | "broken"> {
    try {
      const { status, headers } = await fetch(this.video.currentSrc, { method: "HEAD" });
      if (status === 503) return "away";
      // `playtest studio` replies with 424 when its server cannot be reached or fails.
      if (status >= 500 || status === 424) return "connection";
      return headers.get("content-type")?.startsWith("text/html") ? "stale" : "broken";
    } catch {
      return "connection";
    }
  }

  #retry(): void {
    const { currentTime } = this.video;
    this.video.load();
    this.video.currentTime = currentTime;
    void this.#showProblem();
  }
}

type Act = (player: Player) => void;

const acts: Readonly<Record<string, Act>> = {
  toggle: (player) => player.toggle(),
  back: (player) => player.skip(-10),
  forward: (player) => player.skip(10),
  "frame-back": (player) => player.step(-1),
  "frame-forward": (player) => player.step(1),
  mark: (player) => player.mark(),
  mute: (player) => player.toggleSound(),
  captions: (player) => player.toggleCaptions(),
  full: (player) => player.toggleFull(),
  in: (player) => player.part?.begin(player.video.currentTime),
  out: (player) => player.part?.end(player.video.currentTime),
  "no-part": (player) => player.part?.clear(),
  "note-part": (player) => player.part?.use("note"),
  "clip-part": (player) => player.part?.use("clip"),
  keys: (player) => the<HTMLDialogElement>(".keys-dialog", player.root).showModal(),
};

const keys: Readonly<Record<string, Act>> = {
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
  i: (player) => player.part?.begin(player.video.currentTime),
  o: (player) => player.part?.end(player.video.currentTime),
  x: (player) => player.part?.clear(),
};

const players = all("[data-player]").map((root) => new Player(root));

/** Whether a key belongs to what has the focus: a field, or for some keys a button, a link or the browser's own controls. */
function isTaken(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || document.querySelector("dialog[open]")) return true;
  if (around(event, "input:not([type=checkbox]), select, textarea, [contenteditable]")) return true;
  if (key === " ") return around(event, "a, button, input, summary") !== null;
  return /^(Arrow|Home)/.test(key) && around(event, "[role=slider]") !== null;
}

/** The players that a key is for: of those that play together one, which the others follow. */
const keyed = () =>
  document.querySelector("[data-together]") ? [players.find(({ video }) => !video.ended) ?? players[0]!] : players;

document.addEventListener("keydown", (event) => {
  const [first] = players;
  if (event.defaultPrevented || isTaken(event) || !first) return;
  if (event.key === "?") {
    event.preventDefault();
    return acts.keys!(first);
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!Object.hasOwn(keys, key)) return;
  event.preventDefault();
  for (const player of keyed()) keys[key]!(player);
});

document.addEventListener("click", (event) => {
  const link = around<HTMLAnchorElement>(event, "a[data-at]");
  const [first] = players;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !first) return;
  event.preventDefault();
  const scope = link.closest("[data-scope]");
  (players.find(({ root }) => scope?.contains(root)) ?? first).goTo(Number(link.dataset.at));
});

/** Seeks to the position that the address of the page names, as in `#t=12m41s`. */
function openAddress(): void {
  const ms = parsePosition(new URLSearchParams(location.hash.slice(1)).get("t") ?? "");
  if (ms !== undefined) for (const player of players) player.seek(ms / 1000);
}
window.addEventListener("hashchange", openAddress);
openAddress();
