import { positionText } from "../../../../src/contract/text/position.ts";
import { around, type Part } from "../shared/dom.ts";

/** What the track needs of its player. */
interface Seekable {
  video: HTMLVideoElement;
  /** In seconds. */
  length: number | undefined;
  part: { choose(part: Part): void } | undefined;
  seek(seconds: number): void;
  goTo(ms: number): void;
}

/** How far a pointer moves (pixels) before it drags. */
const dragFrom = 5;
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowRight: 5,
  ArrowDown: -5,
  ArrowUp: 5,
  PageDown: -60,
  PageUp: 60,
};

/**
 * The timeline as a slider. A click or a tap seeks; dragging chooses a part where the page can use one, and elsewhere moves the playhead.
 */
export class Track {
  #root: HTMLElement;
  #player: Seekable;
  #from: { x: number; mark: string | undefined } | undefined;
  #isDragging = false;

  constructor(root: HTMLElement, player: Seekable) {
    this.#root = root;
    this.#player = player;
    root.tabIndex = 0;
    root.setAttribute("role", "slider");
    root.setAttribute("aria-label", "Position in the video");
    for (const name of ["timeupdate", "seeking", "durationchange"]) player.video.addEventListener(name, () => this.#show());
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("pointerdown", (event) => this.#press(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", (event) => this.#release(event));
    root.addEventListener("pointercancel", () => this.#forget());
    this.#show();
  }

  #show(): void {
    const { length = 0, video } = this.#player;
    const text = `${positionText(video.currentTime * 1000)} of ${positionText(length * 1000)}`;
    this.#root.setAttribute("aria-valuemin", "0");
    this.#root.setAttribute("aria-valuemax", String(Math.round(length)));
    this.#root.setAttribute("aria-valuenow", String(Math.round(video.currentTime)));
    this.#root.setAttribute("aria-valuetext", text);
  }

  #key(event: KeyboardEvent): void {
    const { video, length = 0 } = this.#player;
    const step = steps[event.key];
    const to =
      event.key === "Home" ? 0 : event.key === "End" ? length : step === undefined ? undefined : video.currentTime + step;
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#player.seek(to);
  }

  /** The second under a pointer. */
  #secondAt(x: number): number {
    const { left, width } = this.#root.getBoundingClientRect();
    return Math.min(Math.max((x - left) / width, 0), 1) * (this.#player.length ?? 0);
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary || !this.#player.length) return;
    this.#from = { x: event.clientX, mark: around<SVGElement>(event, "[data-at]")?.dataset.at };
    this.#isDragging = false;
    this.#root.setPointerCapture(event.pointerId);
  }

  #move({ clientX }: PointerEvent): void {
    if (!this.#from || (!this.#isDragging && Math.abs(clientX - this.#from.x) < dragFrom)) return;
    this.#isDragging = true;
    const [start, here] = [this.#secondAt(this.#from.x), this.#secondAt(clientX)];
    this.#player.part?.choose({ fromMs: Math.min(start, here) * 1000, toMs: Math.max(start, here) * 1000 });
    this.#player.seek(here);
  }

  #release({ clientX }: PointerEvent): void {
    const from = this.#from;
    const wasDragging = this.#isDragging;
    this.#forget();
    if (!from || wasDragging) return;
    if (from.mark !== undefined) this.#player.goTo(Number(from.mark));
    else this.#player.seek(this.#secondAt(clientX));
  }

  #forget(): void {
    this.#from = undefined;
    this.#isDragging = false;
  }
}
