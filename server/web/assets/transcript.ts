import { positionInLink, positionText } from "../../../src/contract/text/position.ts";
import { all, around, the } from "./shared/dom.ts";

/**
 * The transcript beside a video: follows it, and loads the cues that the page does not have yet. Clicking a cue is up to the player's
 * script, since a cue is a link to a position.
 */

/** Start and end in milliseconds, and what is said. */
type Cue = readonly [startMs: number, endMs: number, text: string];

/** How many cues are added at a time, so that the page stays responsive. They form one part, which the browser skips while it is out of sight. */
const partSize = 200;

const whenIdle = (run: () => void) => ("requestIdleCallback" in window ? requestIdleCallback(run) : setTimeout(run, 0));

function cueOf([startMs, endMs, text]: Cue): HTMLLIElement {
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = `?t=${positionInLink(startMs)}#player`;
  link.dataset.at = String(startMs);
  link.dataset.end = String(endMs);
  link.appendChild(document.createElement("time")).textContent = positionText(startMs);
  link.append(" ", text);
  return item;
}

class Transcript {
  #root: HTMLElement;
  #list: HTMLElement;
  #video: HTMLVideoElement | null;
  /** The links of all cues, in the order of the video. */
  #links: HTMLAnchorElement[] = [];
  #current: HTMLAnchorElement | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#list = the(".cues", root);
    this.#video = (root.closest("[data-scope]") ?? document).querySelector("[data-player] video");
    the(".follow", root).hidden = false;
    this.#collect();
    for (const name of ["timeupdate", "seeking"]) this.#video?.addEventListener(name, () => this.#follow());
    this.#list.addEventListener("keydown", (event) => this.#walk(event));
    if (root.dataset.cues) void this.#loadAll(root.dataset.cues);
  }

  #collect(): void {
    this.#links = all<HTMLAnchorElement>("a", this.#list);
    // One stop of the Tab key for the whole list; the arrow keys move inside it.
    for (const link of this.#links) {
      link.tabIndex = -1;
      // Dragging selects lines, which chooses that part of the video.
      link.draggable = false;
    }
    this.#current = undefined;
    this.#follow();
  }

  async #loadAll(path: string): Promise<void> {
    try {
      const reply = await fetch(path);
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      this.#render((await reply.json()) as Cue[]);
    } catch {
      the(".cues-problem", this.#root).hidden = false;
    }
  }

  #render(cues: readonly Cue[]): void {
    const parts = document.createDocumentFragment();
    const add = (from: number): unknown => {
      const part = parts.appendChild(document.createElement("ol"));
      part.start = from + 1;
      part.append(...cues.slice(from, from + partSize).map(cueOf));
      if (from + partSize < cues.length) return whenIdle(() => add(from + partSize));
      this.#list.replaceChildren(parts);
      this.#root.querySelector(".cues-more")?.remove();
      this.#root.dataset.loaded = String(cues.length);
      return this.#collect();
    };
    add(0);
  }

  /** The last cue that has begun. */
  #at(ms: number): HTMLAnchorElement | undefined {
    let [low, high] = [0, this.#links.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(this.#links[middle]!.dataset.at) <= ms) low = middle + 1;
      else high = middle;
    }
    return this.#links[low - 1];
  }

  #follow(): void {
    const link = this.#at((this.#video?.currentTime ?? 0) * 1000 + 1);
    if (!this.#current) (link ?? this.#links[0])?.setAttribute("tabindex", "0");
    if (link === this.#current) return;
    this.#current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
    this.#current = link;
    if (link === undefined) return;
    this.#focusable(link);
    if (the<HTMLInputElement>(".follow input", this.#root).checked) this.#show(link);
  }

  #focusable(link: HTMLAnchorElement): void {
    if (this.#list.contains(document.activeElement)) return;
    for (const one of all('a[tabindex="0"]', this.#list)) one.tabIndex = -1;
    link.tabIndex = 0;
  }

  /** Scrolls the list alone: the page stays where it is. */
  #show(link: HTMLAnchorElement): void {
    const [list, item] = [this.#list.getBoundingClientRect(), link.getBoundingClientRect()];
    const isVisible = item.top >= list.top && item.bottom <= list.bottom;
    if (!isVisible) this.#list.scrollTop += item.top - list.top - list.height / 3;
  }

  #walk(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const link = around<HTMLAnchorElement>(event, "a");
    const from = link ? this.#links.indexOf(link) : -1;
    const to = this.#links[from + step];
    if (step === 0 || from < 0 || !link || !to) return;
    event.preventDefault();
    link.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}

for (const root of all("[data-transcript]")) new Transcript(root);
