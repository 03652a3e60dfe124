/**
 * The transcript beside a video: follows it, and loads the cues that the page does not have yet. Clicking a cue is up to the player's
 * script, since a cue is a link to a position.
 */
import { positionInLink, positionText } from "./position.js";

/** How many cues are added at a time, so that the page stays responsive. They form one part, which the browser skips while it is out of sight. */
const partSize = 200;

const whenIdle = window.requestIdleCallback ?? ((run) => setTimeout(run, 0));

const cueOf = ([startMs, endMs, text]) => {
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = `?t=${positionInLink(startMs / 1000)}#player`;
  Object.assign(link.dataset, { at: startMs, end: endMs });
  link.appendChild(document.createElement("time")).textContent = positionText(startMs / 1000);
  link.append(" ", text);
  return item;
};

class Transcript {
  #root;
  #list;
  #video;
  /** The links of all cues, in the order of the video. */
  #links = [];
  #current;

  constructor(root) {
    this.#root = root;
    this.#list = root.querySelector(".cues");
    this.#video = (root.closest("[data-scope]") ?? document).querySelector("[data-player] video");
    this.#root.querySelector(".follow").hidden = false;
    this.#collect();
    for (const name of ["timeupdate", "seeking"]) this.#video?.addEventListener(name, () => this.#follow());
    this.#list.addEventListener("keydown", (event) => this.#walk(event));
    if (root.dataset.cues) void this.#loadAll(root.dataset.cues);
  }

  #collect() {
    this.#links = [...this.#list.querySelectorAll("a")];
    // One stop of the Tab key for the whole list; the arrow keys move inside it.
    for (const link of this.#links) link.tabIndex = -1;
    this.#current = undefined;
    this.#follow();
  }

  async #loadAll(path) {
    const problem = this.#root.querySelector(".cues-problem");
    try {
      const reply = await fetch(path);
      if (!reply.ok) throw new Error(`status ${reply.status}`);
      this.#render(await reply.json());
    } catch {
      problem.hidden = false;
    }
  }

  #render(cues) {
    const parts = document.createDocumentFragment();
    const add = (from) => {
      const part = parts.appendChild(document.createElement("ol"));
      part.start = from + 1;
      part.append(...cues.slice(from, from + partSize).map(cueOf));
      if (from + partSize < cues.length) return whenIdle(() => add(from + partSize));
      this.#list.replaceChildren(parts);
      this.#root.querySelector(".cues-more")?.remove();
      this.#root.dataset.loaded = String(cues.length);
      this.#collect();
    };
    add(0);
  }

  /** The last cue that has begun. */
  #at(ms) {
    let [low, high] = [0, this.#links.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(this.#links[middle].dataset.at) <= ms) low = middle + 1;
      else high = middle;
    }
    return this.#links[low - 1];
  }

  #follow() {
    const link = this.#at((this.#video?.currentTime ?? 0) * 1000 + 1);
    if (!this.#current) (link ?? this.#links[0])?.setAttribute("tabindex", "0");
    if (link === this.#current) return;
    this.#current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
    this.#focusable(link);
    this.#current = link;
    if (link && this.#root.querySelector(".follow input").checked) this.#show(link);
  }

  #focusable(link) {
    if (!link || this.#list.contains(document.activeElement)) return;
    for (const one of this.#list.querySelectorAll('a[tabindex="0"]')) one.tabIndex = -1;
    link.tabIndex = 0;
  }

  /** Scrolls the list alone: the page stays where it is. */
  #show(link) {
    const [list, item] = [this.#list.getBoundingClientRect(), link.getBoundingClientRect()];
    const isVisible = item.top >= list.top && item.bottom <= list.bottom;
    if (!isVisible) this.#list.scrollTop += item.top - list.top - list.height / 3;
  }

  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const from = this.#links.indexOf(event.target.closest("a"));
    const to = this.#links[from + (step ?? 0)];
    if (step === undefined || from < 0 || !to) return;
    event.preventDefault();
    this.#links[from].tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}

for (const root of document.querySelectorAll("[data-transcript]")) new Transcript(root);
