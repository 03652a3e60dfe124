import { all, here, isInUse, the } from "../shared/dom.ts";

/** What a form sends: by the names of its fields. The forms of this page have no files. */
export type Fields = Record<string, string>;

export const fieldsOf = (form: HTMLFormElement): Fields => Object.fromEntries(new FormData(form)) as Fields;

/** The folder of this host's pages. `playtest studio` has another one at each start. */
export const root = new URL("..", import.meta.url).href;

/** Whose page this is. What this browser keeps is named by it, so that nobody else who signs in here is shown it. */
export const account = (): string => the("[data-account]").dataset.account!;

export const post = (path: string, fields: Fields | [string, string][]): Promise<Response> =>
  fetch(path, { method: "POST", body: new URLSearchParams(fields) });

/** Whether the reply is the page that follows the form, and not the one to sign in. */
export const isDone = (reply: Response) => reply.ok && !reply.url.includes("/sign-in");

/** Whether the session has ended: the reply is the page to sign in, where a form that was sent is kept (401) or one is led (200). */
export const isSignedOut = (reply: Response) => reply.status === 401 || (reply.ok && !isDone(reply));

export const pageOf = async (reply: Response): Promise<Document> =>
  new DOMParser().parseFromString(await reply.text(), "text/html");

export const problemIn = (page: Document): string =>
  page.querySelector("main .note.bad")?.textContent.trim() ?? "The server did not accept this.";

/** The forms of a part of the page that somebody writes in: moments that are open, and one that becomes a finding. */
const openIn = (part: Element) => [...all("#moments li:has(textarea)", part), ...all("#same", part).filter(isInUse)];

/** Puts a form that somebody writes in at its place in a fresh page, with the moments to choose from that are there. */
function carryOver(form: Element, place: Element): void {
  const [choice, fresh] = [form, place].map((one) => one.querySelector<HTMLSelectElement>("[name=evidence]"));
  if (choice && fresh) {
    const { value } = choice;
    choice.replaceChildren(...fresh.children);
    choice.value = value;
  }
  place.replaceWith(form);
}

/**
 * Replaces what a form changed: the list of the moments, their marks on the timeline and the findings. Other forms that somebody writes in
 * stay, and so does what has one that is not in the fresh page. `sent`: in the form that was sent.
 */
export function swap(page: Document, sent: Element | null = null): void {
  const focused = document.activeElement;
  for (const selector of ["#moments", ".timeline .marks", "#findings"]) {
    const [fresh, shown] = [page.querySelector(selector), document.querySelector(selector)];
    if (!fresh || !shown) continue;
    const open = openIn(shown).filter((form) => !form.contains(sent));
    const places = open.map(({ id }) => fresh.querySelector(`#${id}`)).filter((place) => place !== null);
    if (places.length < open.length) continue;
    for (const [at, form] of open.entries()) carryOver(form, places[at]!);
    shown.replaceWith(document.adoptNode(fresh));
  }
  // A form that was carried over lost it.
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  document.dispatchEvent(new Event("playtest:shown"));
}

/** Shows what is being cut out of the video as soon as it is there; after a minute that takes a reload. */
export async function followCutting(waitMs = 1_000): Promise<void> {
  const ids = all("[data-cutting]").map(({ id }) => id);
  if (ids.length === 0 || waitMs > 60_000) return;
  await new Promise((done) => setTimeout(done, waitMs));
  const reply = await fetch(here()).catch(() => undefined);
  const page = reply && isDone(reply) ? await pageOf(reply) : undefined;
  for (const id of ids) {
    const fresh = page?.getElementById(id);
    if (fresh) document.getElementById(id)?.replaceWith(document.adoptNode(fresh));
  }
  return followCutting(waitMs * 2);
}
