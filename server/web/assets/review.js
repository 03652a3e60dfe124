/**
 * The review page without this script works by plain forms. With it, a decision waits some seconds and can be undone, moments are noted
 * without leaving the video and are kept in this browser until the server has them, and everything has a key.
 */
import { exactPosition, positionText } from "./position.js";

document.documentElement.classList.add("scripted");

const undoMs = 5_000;
const retryMs = 10_000;

const fieldsOf = (form) => Object.fromEntries(new FormData(form));
/** The folder of this host's pages. `playtest studio` has another one at each start. */
const root = new URL("..", import.meta.url).href;

const post = (path, fields) => fetch(path, { method: "POST", body: new URLSearchParams(fields) });

/** Whether the reply is the page that follows the form, and not the one to sign in. */
const isDone = (reply) => reply.ok && !reply.url.includes("/sign-in");
const pageOf = async (reply) => new DOMParser().parseFromString(await reply.text(), "text/html");
const problemIn = (page) => page.querySelector("main .note.bad")?.textContent.trim() ?? "The server did not accept this.";

/** A decision that can be undone for some seconds. Nothing is sent before, and whoever leaves the page meanwhile is asked. */
class Decision {
  #box = document.getElementById("undo");
  #pending;
  /** Where to go when the decision is sent. */
  next;

  constructor() {
    for (const form of document.querySelectorAll("form[data-undo]"))
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (!this.#pending) this.#hold(form);
      });
    this.#box?.querySelector("button").addEventListener("click", () => this.#press());
    window.addEventListener("beforeunload", (event) => {
      if (this.#pending && !this.#pending.isDone) event.preventDefault();
    });
    window.addEventListener("online", () => {
      if (this.#pending?.failed) void this.#send();
    });
  }

  get isPending() {
    return this.#pending !== undefined;
  }

  #hold(form) {
    this.#pending = { form, fields: { ...fieldsOf(form), confirmed: "yes" }, endsAt: performance.now() + undoMs };
    this.#box.hidden = false;
    this.#say(`${form.dataset.undo}.`, "Undo");
    this.#box.querySelector("button").focus();
    this.#tick();
  }

  #tick() {
    const left = this.#pending.endsAt - performance.now();
    this.#box.querySelector(".countdown").textContent = `${Math.max(0, Math.ceil(left / 1000))} s`;
    if (left <= 0) return void this.#send();
    this.#pending.timer = setTimeout(() => this.#tick(), Math.min(left, 250));
  }

  #say(words, label) {
    this.#box.querySelector("[role=status]").textContent = words;
    const button = this.#box.querySelector("button");
    button.hidden = label === undefined;
    if (label !== undefined) button.firstChild.textContent = `${label} `;
    this.#box.querySelector(".countdown").textContent = "";
  }

  undo() {
    if (!this.#pending || this.#pending.isSent) return;
    clearTimeout(this.#pending.timer);
    const { form } = this.#pending;
    this.#pending = undefined;
    this.next = undefined;
    this.#say("Undone. Nothing was sent.");
    form.querySelector("button:not([type=button])").focus();
  }

  #press() {
    if (this.#pending?.failed) void this.#send();
    else this.undo();
  }

  async #send() {
    const pending = this.#pending;
    Object.assign(pending, { isSent: true, failed: false });
    this.#say("Sending…");
    let reply;
    try {
      reply = await post(pending.form.action, pending.fields);
    } catch {
      pending.failed = true;
      return this.#say(
        "The connection was lost, so it is not known whether your decision arrived. Sending it again is safe: it takes effect once.",
        "Send again",
      );
    }
    pending.isDone = true;
    if (isDone(reply)) {
      location.assign(this.next ?? reply.url);
      return;
    }
    // The server's own page says what is wrong and has what was typed. The same form takes effect once.
    pending.form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "confirmed", value: "yes" }));
    pending.form.submit();
  }
}

const decision = new Decision();

/** Replaces what a form changed: the list of the moments and their marks on the timeline. */
function swap(page) {
  for (const selector of ["#moments", ".timeline .marks"]) {
    const [fresh, shown] = [page.querySelector(selector), document.querySelector(selector)];
    if (fresh && shown) shown.replaceWith(document.adoptNode(fresh));
  }
  document.dispatchEvent(new Event("playtest:shown"));
}

/** Shows what is being cut out of the video as soon as it is there; after a minute that takes a reload. */
async function followCutting(waitMs = 1_000) {
  const ids = [...document.querySelectorAll("[data-cutting]")].map(({ id }) => id);
  if (ids.length === 0 || waitMs > 60_000) return;
  await new Promise((done) => setTimeout(done, waitMs));
  const reply = await fetch(location.pathname + location.search).catch(() => undefined);
  const page = reply && isDone(reply) ? await pageOf(reply) : undefined;
  for (const id of ids) {
    const fresh = page?.getElementById(id);
    if (fresh) document.getElementById(id)?.replaceWith(document.adoptNode(fresh));
  }
  return followCutting(waitMs * 2);
}
void followCutting();

/** Moments that the server does not have yet. Each is an entry of its own in the browser's storage, so that two tabs lose nothing. */
class Outbox {
  #form;
  #prefix;
  #isBusy = false;
  /** Whether the page says that moments wait. */
  #isLate = false;
  #timer;

  constructor(form) {
    this.#form = form;
    this.#prefix = `playtest note ${form.dataset.outbox} `;
    form.addEventListener("submit", (event) => this.#submit(event));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    document.querySelector(".waiting").addEventListener("click", (event) => this.#decide(event));
    for (const name of ["online", "storage", "focus"]) window.addEventListener(name, () => void this.#deliver());
    void this.#deliver();
  }

  /** Where the form is sent, below the root, so that what waits is sent after `playtest studio` started again too. */
  get #path() {
    return this.#form.action.slice(root.length);
  }

  #entries() {
    const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at));
    const own = names.filter((name) => name.startsWith(this.#prefix)).sort();
    return own.map((name) => ({ name, ...JSON.parse(localStorage.getItem(name)) }));
  }

  #submit(event) {
    const { csrf: _, formKey: __, ...fields } = fieldsOf(this.#form);
    const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    try {
      localStorage.setItem(`${this.#prefix}${Date.now()} ${key}`, JSON.stringify({ path: this.#path, key, fields }));
    } catch {
      // This browser stores nothing: the form is sent as without scripts.
      return;
    }
    event.preventDefault();
    this.#form.elements.text.value = "";
    document.querySelector("[data-player] video")?.focus({ preventScroll: true });
    void this.#deliver();
  }

  /** Sends what waits, in one tab at a time. The key of an entry makes it take effect once, even if two tabs send it. */
  async #deliver() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    clearTimeout(this.#timer);
    const run = async () => {
      for (const entry of this.#entries()) if (!entry.refused && !(await this.#send(entry))) return false;
      return true;
    };
    try {
      const all = await (navigator.locks ? navigator.locks.request(this.#prefix, run) : run());
      if (!all) this.#timer = setTimeout(() => void this.#deliver(), retryMs);
    } finally {
      this.#isBusy = false;
      this.#show();
    }
  }

  /** Whether the entry is settled: saved, or refused for good. */
  async #send({ name, path, key, fields }) {
    this.#say("Saving…");
    try {
      const { csrf } = fieldsOf(this.#form);
      const reply = await post(root + path, { ...fields, csrf, formKey: key });
      if (isDone(reply)) return this.#saved(name, path, await pageOf(reply));
      if (reply.ok)
        return this.#later(
          "You are signed out. Moments are kept in this browser. Sign in again and reload this page to save them.",
        );
      // Somebody signed out and in again, so the form is of another session.
      if (reply.status === 403)
        return this.#later("This page is out of date. Moments are kept in this browser. Reload the page to save them.");
      // `playtest studio` replies with 424 when its server cannot be reached or fails.
      if ([424, 429].includes(reply.status) || reply.status >= 500)
        return this.#later("The server cannot save moments now. They are kept in this browser and sent again.");
      localStorage.setItem(name, JSON.stringify({ path, key, fields, refused: problemIn(await pageOf(reply)) }));
      this.#say("A moment was not saved.");
      return true;
    } catch {
      return this.#later("The server cannot be reached. Moments are kept in this browser and sent when it can.");
    }
  }

  #saved(name, path, page) {
    localStorage.removeItem(name);
    if (path === this.#path) swap(page);
    void followCutting();
    this.#say(page.querySelector("main .note[role=status]")?.textContent.trim() ?? "Saved.");
    return true;
  }

  #later(words) {
    this.#say(words);
    this.#isLate = true;
    return false;
  }

  #say(words) {
    this.#isLate = false;
    document.querySelector(".note-status").textContent = words;
  }

  #show() {
    const list = document.querySelector(".waiting");
    const entries = this.#entries();
    // Another tab saved them, or they were discarded.
    if (this.#isLate && entries.length === 0) this.#say("");
    list.hidden = entries.length === 0;
    list.replaceChildren(...entries.map(waitingItem));
  }

  #decide({ target }) {
    const { name } = target.closest("li")?.dataset ?? {};
    if (!name || target.tagName !== "BUTTON") return;
    const entry = JSON.parse(localStorage.getItem(name) ?? "null");
    localStorage.removeItem(name);
    if (target.dataset.act === "edit" && entry) fillIn(this.#form, entry.fields);
    this.#show();
  }
}

function waitingItem({ name, fields, refused }) {
  const item = document.createElement("li");
  item.dataset.name = name;
  const button = (act, label) => {
    const one = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: label });
    one.dataset.act = act;
    return one;
  };
  const why = Object.assign(document.createElement("span"), { className: refused ? "bad" : "soft" });
  why.textContent = refused ?? "Not saved yet.";
  item.append(`${fields.position} ${fields.text} `, why, " ", button("edit", "Edit"), " ", button("discard", "Discard"));
  return item;
}

function fillIn(form, fields) {
  if (form.elements.still) form.elements.still.checked = fields.still !== undefined;
  for (const [name, value] of Object.entries(fields))
    if (form.elements[name] && name !== "still") form.elements[name].value = value;
  form.elements.text.focus();
}

const note = document.getElementById("note");
if (note) new Outbox(note);

document.addEventListener("playtest:mark", ({ detail: { seconds } }) => {
  if (!note) return;
  document.querySelector("[data-player] video").pause();
  note.elements.position.value = exactPosition(Math.round(seconds * 10) / 10);
  note.elements.position.dispatchEvent(new Event("input", { bubbles: true }));
  note.elements.text.focus();
});

/** Replaces a moment by its form, or the form by the moment, without leaving the video. */
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-edit]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const { edit: id } = link.dataset;
  try {
    const reply = await fetch(link.href);
    const fresh = isDone(reply) ? (await pageOf(reply)).getElementById(id) : null;
    if (!fresh) return location.assign(link.href);
    document.getElementById(id).replaceWith(document.adoptNode(fresh));
    (fresh.querySelector("textarea") ?? fresh.querySelector(".edit")).focus();
  } catch {
    location.assign(link.href);
  }
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form[data-swap]")) return;
  event.preventDefault();
  const problem = form.querySelector(".swap-problem");
  problem.hidden = true;
  const refuse = (words) => {
    problem.textContent = words;
    problem.hidden = false;
  };
  try {
    const { submitter } = event;
    const action = submitter?.hasAttribute("formaction") ? submitter.formAction : form.action;
    const reply = await post(action, new FormData(form, submitter));
    const page = await pageOf(reply);
    if (isDone(reply)) {
      swap(page);
      void followCutting();
    } else
      refuse(
        reply.ok
          ? "You are signed out. Nothing was changed. Copy what you typed, then sign in again and reload this page."
          : problemIn(page),
      );
  } catch {
    refuse("The server cannot be reached. It is not known whether this was saved. Try again: it takes effect once.");
  }
});

const word = (text) => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const option = (flag, value) => (value ? ` ${flag} ${word(value)}` : "");
/** The command that does the same as a form, from its beginning and what is filled in. */
const commands = {
  accept: (start, { rating, comment = "" }) => start + option("--rating", rating) + option("--comment", comment.trim()),
  reject: (start, { reason = "", allowRetry }) => start + option("--reason", reason.trim()) + (allowRetry ? " --retry" : ""),
  share: (start, { clip, validForSeconds, password, withNotes, withName }, { shared }) =>
    start.replace(shared, clip || shared) +
    option("--for", `${validForSeconds / 86_400}d`) +
    (password ? " --password" : "") +
    (withNotes ? " --with-notes" : "") +
    (withName ? " --with-name" : ""),
  note: (start, { position, text, kind, severity, tags, still }) =>
    `${start} ${word(position || positionText(0))} ${word(text.trim() || "TEXT")}${kind === "note" ? "" : option("--kind", kind)}${option("--severity", severity)}` +
    tags
      .toLowerCase()
      .split(/[\s,]+/)
      .map((tag) => option("--tag", tag))
      .join("") +
    (still ? " --still" : ""),
};

/** Shows the command that does the same as a form as it is filled in. */
for (const form of document.querySelectorAll("form[data-command]")) {
  const box = form.parentElement.querySelector(".command");
  const [code, button] = [box.querySelector("code"), box.querySelector("button")];
  const start = code.textContent;
  const show = () => {
    code.textContent = commands[form.dataset.command](start, fieldsOf(form), form.dataset);
    button.dataset.copy = code.textContent;
  };
  form.addEventListener("input", show);
  form.addEventListener("change", show);
  show();
}

/** Chooses a clip in the form that shares, without leaving the video. */
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-share]");
  const field = document.getElementById("share-clip");
  if (!link || event.ctrlKey || event.metaKey || !field?.querySelector(`[value="${link.dataset.share}"]`)) return;
  event.preventDefault();
  field.value = link.dataset.share;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.closest("details").open = true;
  field.focus();
});

const go = (rel) => {
  const link = document.querySelector(`a[rel=${rel}]`);
  if (!link) return;
  if (decision.isPending) decision.next = link.href;
  else location.assign(link.href);
};

const keys = {
  n: () => go("next"),
  p: () => go("prev"),
  a: () => document.querySelector("#accept input[type=radio]:checked")?.focus(),
  r() {
    const reason = document.getElementById("reason");
    if (!reason) return;
    reason.closest("details").open = true;
    reason.focus();
  },
};

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (key === "Escape" && decision.isPending) return decision.undo();
  if (key === "Escape" && note?.contains(target)) return document.querySelector("[data-player] video").focus();
  if (target.closest("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]")) return;
  if (target.name === "rating" && /^[1-5]$/.test(key)) {
    const choice = target.form.querySelector(`[name=rating][value="${key}"]`);
    choice.focus();
    return choice.click();
  }
  if (!Object.hasOwn(keys, key)) return;
  event.preventDefault();
  keys[key]();
});
