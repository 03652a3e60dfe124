import { exactPosition } from "../../../../src/contract/text/position.ts";
import { all, around, type Part, the } from "../shared/dom.ts";
import { showPartOf } from "./tabs.ts";

/** Takes the positions of moments and clips from the player: where it is, or the part that was chosen there. */

const changed = (field: HTMLInputElement, value: string) => {
  if (field.value === value) return;
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

const textOf = ({ fromMs, toMs }: Part) => `${exactPosition(fromMs)}-${exactPosition(toMs)}`;
const here = (seconds: number) => exactPosition(Math.round(seconds * 10) * 100);

/** The position of a new moment follows the video until somebody writes the moment, or the position itself. */
class NotePosition {
  #note: HTMLFormElement;
  #field: HTMLInputElement;
  /** What this wrote into the field, as long as it may write there. */
  #followed: string | undefined;

  constructor(note: HTMLFormElement, video: HTMLVideoElement) {
    this.#note = note;
    this.#field = the("[name=position]", note);
    this.#followed = this.#field.value === "" ? "" : undefined;
    // The form keeps its position when it is sent, and follows again from then on.
    note.addEventListener("submit", () => {
      this.#followed = this.#field.value;
    });
    for (const name of ["timeupdate", "seeked"]) video.addEventListener(name, () => this.#follow(video.currentTime));
    this.#follow(video.currentTime);
  }

  #follow(seconds: number): void {
    const isWritten = the<HTMLTextAreaElement>("[name=text]", this.#note).value !== "";
    if (isWritten || this.#field.value !== this.#followed || document.activeElement === this.#field) return;
    this.#followed = here(seconds);
    changed(this.#field, this.#followed);
  }

  set(value: string): void {
    changed(this.#field, value);
    this.#followed = undefined;
  }
}

/** Marks the lines of the transcript that are selected as the chosen part. */
function chooseSelectedLines(player: HTMLElement): void {
  const chooseLines = (first: HTMLElement, last: HTMLElement) => {
    const detail: Part = { fromMs: Number(first.dataset.at), toMs: Number(last.dataset.end) };
    player.dispatchEvent(new CustomEvent("playtest:choose", { detail }));
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const choose = () => {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || selection.toString().trim() === "") return;
    const lines = all<HTMLAnchorElement>(".cues a").filter((line) => selection.containsNode(line, true));
    const [first, last] = [lines[0], lines.at(-1)];
    if (!first || !last) return;
    chooseLines(first, last);
  };
  // With Shift, from the line that the video is at to the one that is clicked.
  document.addEventListener("click", (event) => {
    const clicked = event.shiftKey ? around(event, ".cues a") : null;
    if (!clicked) return;
    event.preventDefault();
    const current = document.querySelector<HTMLElement>(".cues a[aria-current]") ?? clicked;
    const isBefore = Number(current.dataset.at) <= Number(clicked.dataset.at);
    if (isBefore) chooseLines(current, clicked);
    else chooseLines(clicked, current);
  });
  document.addEventListener("selectionchange", () => {
    clearTimeout(timer);
    timer = setTimeout(choose, 200);
  });
}

export function takePositions(note: HTMLFormElement | null): void {
  const player = document.querySelector<HTMLElement>("[data-player]");
  const video = player?.querySelector("video");
  if (!player || !video) return;
  const position = note ? new NotePosition(note, video) : undefined;
  const clip = document.querySelector<HTMLInputElement>("#part");
  chooseSelectedLines(player);

  // A video that was stopped for a note plays on once the note is saved.
  let playsOn = false;
  const stop = () => {
    playsOn ||= !video.paused;
    video.pause();
  };
  note?.addEventListener("submit", () => {
    if (playsOn) void video.play();
    playsOn = false;
  });

  document.addEventListener("playtest:mark", ({ detail: { seconds } }) => {
    if (!note) return;
    stop();
    position!.set(here(seconds));
    const text = the("[name=text]", note);
    showPartOf(text);
    text.focus();
  });

  document.addEventListener("playtest:part", ({ detail }) => {
    const text = textOf(detail);
    if (clip) changed(clip, text);
    if (detail.use === "none") return;
    const field = detail.use === "clip" ? clip : note?.querySelector<HTMLElement>("[name=text]");
    if (!field) return;
    stop();
    if (detail.use === "note") position!.set(text);
    const folded = field.closest("details");
    if (folded) folded.open = true;
    showPartOf(field);
    field.focus();
  });

  for (const row of all(".set-part")) row.hidden = false;
  document.addEventListener("click", ({ target }) => {
    const which = target instanceof Element ? target.closest<HTMLElement>("[data-set]")?.dataset.set : undefined;
    if (which) the(`[data-act=${which === "from" ? "in" : "out"}]`, player).click();
  });
}
