import { around, the } from "../shared/dom.ts";
import {
  account,
  type Fields,
  fieldsOf,
  followCutting,
  isDone,
  isSignedOut,
  pageOf,
  post,
  problemIn,
  root,
  swap,
} from "./pages.ts";

const retryMs = 10_000;

/** A moment that the server does not have yet, as this browser keeps it. */
interface Kept {
  /** Where the form is sent, below the root, so that what waits is sent after `playtest studio` started again too. */
  path: string;
  /** Makes it take effect once, even if two tabs send it. */
  key: string;
  fields: Fields;
  /** Why the server refused it for good. */
  refused?: string;
}

interface Entry extends Kept {
  /** Its name in the browser's storage. */
  name: string;
}

const keptAs = (name: string) => JSON.parse(localStorage.getItem(name) ?? "null") as Kept | null;

/** Moments that the server does not have yet. Each is an entry of its own in the browser's storage, so that two tabs lose nothing. */
export class Outbox {
  #form: HTMLFormElement;
  #prefix: string;
  #isBusy = false;
  /** Whether the page says that moments wait. */
  #isLate = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The name of the entry that the form has, until that is saved. Whoever leaves the page before finds it again. */
  #edited: string | undefined;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#prefix = `playtest note ${account()} `;
    form.addEventListener("submit", (event) => this.#submit(event));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    the(".waiting").addEventListener("click", (event) => this.#decide(event));
    for (const name of ["online", "storage", "focus"]) window.addEventListener(name, () => void this.#deliver());
    void this.#deliver();
  }

  get #path(): string {
    return this.#form.action.slice(root.length);
  }

  #entries(): Entry[] {
    const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? "");
    const own = names.filter((name) => name.startsWith(this.#prefix)).sort();
    return own.flatMap((name) => {
      const kept = keptAs(name);
      return kept ? [{ name, ...kept }] : [];
    });
  }

  #submit(event: SubmitEvent): void {
    const { csrf: _, formKey: __, ...fields } = fieldsOf(this.#form);
    const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const kept: Kept = { path: this.#path, key, fields };
    try {
      localStorage.setItem(`${this.#prefix}${Date.now()} ${key}`, JSON.stringify(kept));
    } catch {
      // This browser stores nothing: the form is sent as without scripts.
      this.#forgetEdited();
      return;
    }
    event.preventDefault();
    this.#forgetEdited();
    the<HTMLTextAreaElement>("[name=text]", this.#form).value = "";
    document.querySelector<HTMLElement>("[data-player] video")?.focus({ preventScroll: true });
    void this.#deliver();
  }

  #forgetEdited(): void {
    if (this.#edited !== undefined) localStorage.removeItem(this.#edited);
    this.#edited = undefined;
  }

  /** Sends what waits, in one tab at a time. */
  async #deliver(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    clearTimeout(this.#timer);
    const run = async () => {
      for (const entry of this.#entries()) if (!entry.refused && !(await this.#send(entry))) return false;
      return true;
    };
    try {
      const isAll = await (navigator.locks ? navigator.locks.request(this.#prefix, run) : run());
      if (!isAll) this.#timer = setTimeout(() => void this.#deliver(), retryMs);
    } finally {
      this.#isBusy = false;
      this.#show();
    }
  }

  /** Whether the entry is settled: saved, or refused for good. */
  async #send({ name, path, key, fields }: Entry): Promise<boolean> {
    this.#say("Saving…");
    try {
      const csrf = fieldsOf(this.#form).csrf!;
      const reply = await post(root + path, { ...fields, csrf, formKey: key });
      if (isDone(reply)) return this.#saved(name, path, await pageOf(reply));
      if (isSignedOut(reply))
        return this.#later(
          "You are signed out. Moments are kept in this browser. Sign in again and reload this page to save them.",
        );
      // Somebody signed out and in again, so the form is of another session.
      if (reply.status === 403)
        return this.#later("This page is out of date. Moments are kept in this browser. Reload the page to save them.");
      // `playtest studio` replies with 424 when its server cannot be reached or fails.
      if ([424, 429].includes(reply.status) || reply.status >= 500)
        return this.#later("The server cannot save moments now. They are kept in this browser and sent again.");
      const kept: Kept = { path, key, fields, refused: problemIn(await pageOf(reply)) };
      localStorage.setItem(name, JSON.stringify(kept));
      this.#say("A moment was not saved.");
      return true;
    } catch {
      return this.#later("The server cannot be reached. Moments are kept in this browser and sent when it can.");
    }
  }

  #saved(name: string, path: string, page: Document): true {
    localStorage.removeItem(name);
    if (path === this.#path) swap(page);
    void followCutting();
    this.#say(page.querySelector("main .note[role=status]")?.textContent.trim() ?? "Saved.");
    return true;
  }

  #later(words: string): false {
    this.#say(words);
    this.#isLate = true;
    return false;
  }

  #say(words: string): void {
    this.#isLate = false;
    the(".note-status").textContent = words;
  }

  #show(): void {
    const list = the(".waiting");
    const entries = this.#entries().filter(({ name }) => name !== this.#edited);
    // Another tab saved them, or they were discarded.
    if (this.#isLate && entries.length === 0) this.#say("");
    list.hidden = entries.length === 0;
    list.replaceChildren(...entries.map((entry) => waitingItem(entry, entry.path === this.#path)));
  }

  #decide(event: Event): void {
    const button = around(event, "button");
    const name = button?.closest<HTMLElement>("li")?.dataset.name;
    if (!button || !name) return;
    if (button.dataset.act === "edit") this.#edit(name);
    else localStorage.removeItem(name);
    this.#show();
  }

  /** Puts a moment into the form, but not while that has another that is not saved. */
  #edit(name: string): void {
    if (the<HTMLTextAreaElement>("[name=text]", this.#form).value !== "") {
      this.#say("The form has a moment that is not saved. Save it, or empty its text. Then press Edit again.");
      return;
    }
    const kept = keptAs(name);
    if (!kept) return;
    try {
      // It is not sent meanwhile.
      localStorage.setItem(name, JSON.stringify({ refused: "Not saved: it was being edited.", ...kept }));
    } catch {
      // The storage is full: only one that is not sent anyway can stay.
      if (kept.refused === undefined) localStorage.removeItem(name);
    }
    this.#edited = name;
    fillIn(this.#form, kept.fields);
  }
}

/** `isHere`: the moment is of the video of this page, whose form can edit it. Another one leads to its own page. */
function waitingItem({ name, path, fields, refused }: Entry, isHere: boolean): HTMLLIElement {
  const item = document.createElement("li");
  item.dataset.name = name;
  const button = (act: string, label: string) => {
    const one = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: label });
    one.dataset.act = act;
    return one;
  };
  const why = Object.assign(document.createElement("span"), { className: refused ? "bad" : "soft" });
  why.textContent = refused ?? "Not saved yet.";
  const edit = isHere ? button("edit", "Edit") : pageLink(path);
  item.append(`${fields.position} ${fields.text} `, why, " ", edit, " ", button("discard", "Discard"));
  return item;
}

const pageLink = (path: string) =>
  Object.assign(document.createElement("a"), {
    href: root + path.replace(/\/moments$/, "#note"),
    textContent: "Open the video that it belongs to",
  });

function fillIn(form: HTMLFormElement, fields: Fields): void {
  const still = form.querySelector<HTMLInputElement>("[name=still]");
  if (still) still.checked = fields.still !== undefined;
  for (const [name, value] of Object.entries(fields)) {
    const field = form.elements.namedItem(name);
    if (field && name !== "still" && "value" in field) field.value = value;
  }
  the("[name=text]", form).focus();
}
