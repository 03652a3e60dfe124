import { positionText } from "../../../../src/contract/text/position.ts";
import { type Part, the } from "../shared/dom.ts";

/** The shortest part, in milliseconds. */
const shortest = 100;

/** The part of a video that is chosen to be noted or cut: from and to the playhead, by dragging, or from lines of the transcript. */
export class ChosenPart {
  #root: HTMLElement;
  #fromMs: number | undefined;
  #toMs: number | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** It starts here. An end before that is forgotten. */
  begin(seconds: number): void {
    this.#fromMs = Math.round(seconds * 10) * 100;
    if (this.#toMs !== undefined && this.#toMs < this.#fromMs + shortest) this.#toMs = undefined;
    this.#show();
  }

  /** It ends here. A start after that is forgotten: then it is chosen from the beginning of the video. */
  end(seconds: number): void {
    this.#toMs = Math.round(seconds * 10) * 100;
    if (this.#fromMs === undefined || this.#fromMs > this.#toMs - shortest) this.#fromMs = 0;
    this.#show();
  }

  choose({ fromMs, toMs }: Part): void {
    if (toMs - fromMs < shortest) return;
    [this.#fromMs, this.#toMs] = [Math.round(fromMs / 100) * 100, Math.round(toMs / 100) * 100];
    this.#show();
  }

  clear(): void {
    this.#fromMs = this.#toMs = undefined;
    this.#show();
  }

  /** Hands it to whatever on the page notes or cuts it. */
  use(use: "none" | "note" | "clip"): void {
    if (this.#fromMs === undefined || this.#toMs === undefined) return;
    const detail = { fromMs: this.#fromMs, toMs: this.#toMs, use };
    this.#root.dispatchEvent(new CustomEvent("playtest:part", { bubbles: true, detail }));
  }

  #show(): void {
    const [from, to] = [this.#fromMs, this.#toMs];
    const box = the(".part", this.#root);
    const drawn = the<SVGElement>(".chosen", this.#root);
    box.hidden = from === undefined;
    box.classList.toggle("begun", to === undefined);
    drawn.setAttribute("x", String(from ?? 0));
    drawn.setAttribute("width", String(from === undefined || to === undefined ? 0 : to - from));
    if (from === undefined) return;
    the("[role=status]", box).textContent =
      to === undefined
        ? `From ${positionText(from)}. Press O, or Out, where it ends.`
        : `${positionText(from)}–${positionText(to)} (${Math.round((to - from) / 100) / 10} s)`;
    this.use("none");
  }
}
