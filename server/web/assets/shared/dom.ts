/**
 * The element of the page, or of a part of it, that a script works on. The server sends the script only with pages that have it, so
 * its absence is a defect: throws.
 */
export function the<E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E {
  const found = within.querySelector<E>(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
}

export const all = <E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E[] => [
  ...within.querySelectorAll<E>(selector),
];

/** The nearest element around what an event happened to, including itself. */
export const around = <E extends Element = HTMLElement>({ target }: Event, selector: string): E | null =>
  target instanceof Element ? target.closest<E>(selector) : null;

/** The address of this page. That of the browser is another one after a form was refused, and only takes forms. */
export const here = (): string => document.querySelector<HTMLLinkElement>("link[rel=canonical]")?.href ?? location.href;

/** Whether somebody is writing or choosing in this part of the page, which must not be taken away. */
export const isInUse = (part: Element) =>
  part.contains(document.activeElement) ||
  part.querySelector("details[open]") !== null ||
  all<HTMLInputElement | HTMLTextAreaElement>("textarea, input:not([type=hidden])", part).some(
    (field) => field.value !== field.defaultValue,
  );

/** A part of a video, in milliseconds. */
export interface Part {
  fromMs: number;
  toMs: number;
}

declare global {
  interface DocumentEventMap {
    /** The player's button to note a moment was pressed, here in the video. */
    "playtest:mark": CustomEvent<{ seconds: number }>;
    /** A part of the video was chosen, or is to be noted or cut. */
    "playtest:part": CustomEvent<Part & { use: "none" | "note" | "clip" }>;
  }
}
