import { all, the } from "../shared/dom.ts";
import { rememberDecision } from "./decided.ts";
import { forgetDrafts } from "./drafts.ts";
import { type Fields, fieldsOf, isDone, post } from "./pages.ts";

const undoMs = 5_000;

interface Pending {
  form: HTMLFormElement;
  fields: Fields;
  /** By `performance.now()`. */
  endsAt: number;
  timer?: ReturnType<typeof setTimeout>;
  /** `failed`: it is not known whether it arrived. */
  state: "held" | "sending" | "failed" | "done";
}

/** Whether nobody can change the forms. Unlike fields that are disabled, these are still sent. */
function lock(isLocked: boolean): void {
  for (const form of all("form[data-undo]")) form.inert = isLocked;
}

/**
 * A decision that can be undone for some seconds. Nothing is sent before, and whoever leaves the page meanwhile is asked. Its fields stay as
 * they were decided, so that the page shows what is sent.
 */
export class Decision {
  #pending: Pending | undefined;
  /** Where to go when the decision is sent. */
  #next: string | undefined;

  constructor() {
    for (const form of all<HTMLFormElement>("form[data-undo]"))
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (!this.#pending) this.#hold(form);
      });
    document.querySelector("#undo button")?.addEventListener("click", () => this.#press());
    window.addEventListener("beforeunload", (event) => {
      if (this.#pending && this.#pending.state !== "done") event.preventDefault();
    });
    window.addEventListener("online", () => {
      if (this.#pending?.state === "failed") void this.#send(this.#pending);
    });
  }

  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Whether it will be sent, or is being sent. */
  get isOnItsWay(): boolean {
    return this.#pending?.state === "held" || this.#pending?.state === "sending";
  }

  /** Goes to another page once the decision is sent. Until then it can still be undone. */
  leaveFor(next: string): void {
    this.#next = next;
    const pending = this.#pending;
    if (pending?.state === "held") this.#say(`${pending.form.dataset.undo}. Then the page that you chose opens.`, "Undo");
  }

  #hold(form: HTMLFormElement): void {
    const fields = { ...fieldsOf(form), confirmed: "yes" };
    this.#pending = { form, fields, endsAt: performance.now() + undoMs, state: "held" };
    lock(true);
    the("#undo").hidden = false;
    this.#say(`${form.dataset.undo}.`, "Undo");
    the("#undo button").focus();
    this.#tick(this.#pending);
  }

  #tick(pending: Pending): void {
    const left = pending.endsAt - performance.now();
    the("#undo .countdown").textContent = `${Math.max(0, Math.ceil(left / 1000))} s`;
    if (left <= 0) return void this.#send(pending);
    pending.timer = setTimeout(() => this.#tick(pending), Math.min(left, 250));
  }

  /** Without a label there is nothing to press. */
  #say(words: string, label?: string): void {
    the("#undo [role=status]").textContent = words;
    const button = the("#undo button");
    button.hidden = label === undefined;
    if (label !== undefined) button.firstChild!.textContent = `${label} `;
    the("#undo .countdown").textContent = "";
  }

  undo(): void {
    if (this.#pending?.state !== "held") return;
    clearTimeout(this.#pending.timer);
    const { form } = this.#pending;
    this.#pending = undefined;
    this.#next = undefined;
    lock(false);
    this.#say("Undone. Nothing was sent.");
    the("button:not([type=button])", form).focus();
  }

  #press(): void {
    if (this.#pending?.state === "failed") void this.#send(this.#pending);
    else this.undo();
  }

  async #send(pending: Pending): Promise<void> {
    pending.state = "sending";
    this.#say("Sending…");
    let reply: Response;
    try {
      reply = await post(pending.form.action, pending.fields);
    } catch {
      pending.state = "failed";
      this.#next = undefined;
      return this.#say(
        "The connection was lost, so it is not known whether your decision arrived. Sending it again is safe: it takes effect once.",
        "Send again",
      );
    }
    pending.state = "done";
    if (isDone(reply)) {
      forgetDrafts();
      rememberDecision(pending.form.dataset.done ?? "");
      return location.assign(this.#next ?? reply.url);
    }
    // The server's own page says what is wrong and has what was typed. The same form takes effect once.
    pending.form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "confirmed", value: "yes" }));
    pending.form.submit();
  }
}
