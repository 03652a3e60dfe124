import { showCommands } from "./review/commands.ts";
import { showDecided } from "./review/decided.ts";
import { Decision } from "./review/decision.ts";
import { keepDrafts } from "./review/drafts.ts";
import { Outbox } from "./review/outbox.ts";
import { followCutting, isDone, isSignedOut, pageOf, post, problemIn, swap } from "./review/pages.ts";
import { takePositions } from "./review/parts.ts";
import { followSameLinks, sameAsFinding } from "./review/same.ts";
import { showPartOf, startTabs } from "./review/tabs.ts";
import { around, the } from "./shared/dom.ts";

/**
 * The review page without this script works by plain forms. With it, a decision waits some seconds and can be undone, moments are noted
 * without leaving the video and are kept in this browser until the server has them, and everything has a key.
 */
document.documentElement.classList.add("scripted");

const decision = new Decision();
void followCutting();

const note = document.querySelector<HTMLFormElement>("#note");
if (note) new Outbox(note);

const video = () => the<HTMLVideoElement>("[data-player] video");

startTabs();
takePositions(note);
followSameLinks();
showDecided();
keepDrafts();

/** Replaces a moment by its form, or the form by the moment, without leaving the video. */
document.addEventListener("click", async (event) => {
  const link = around<HTMLAnchorElement>(event, "a[data-edit]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const id = link.dataset.edit!;
  try {
    const reply = await fetch(link.href);
    const fresh = isDone(reply) ? (await pageOf(reply)).getElementById(id) : null;
    if (!fresh) return location.assign(link.href);
    document.getElementById(id)!.replaceWith(document.adoptNode(fresh));
    (fresh.querySelector("textarea") ?? the(".edit", fresh)).focus();
  } catch {
    location.assign(link.href);
  }
});

document.addEventListener("submit", async (event) => {
  const form = around<HTMLFormElement>(event, "form[data-swap]");
  if (!form) return;
  event.preventDefault();
  const problem = the(".swap-problem", form);
  problem.hidden = true;
  const refuse = (words: string) => {
    problem.textContent = words;
    problem.hidden = false;
  };
  try {
    const submitter = event.submitter as HTMLButtonElement | null;
    const action = submitter?.hasAttribute("formaction") ? submitter.formAction : form.action;
    const reply = await post(action, [...new FormData(form, submitter)] as [string, string][]);
    const page = await pageOf(reply);
    if (isDone(reply)) {
      swap(page, submitter ?? form);
      void followCutting();
    } else
      refuse(
        isSignedOut(reply)
          ? "You are signed out. Nothing was changed. Copy what you typed, then sign in again and reload this page."
          : problemIn(page),
      );
  } catch {
    refuse("The server cannot be reached. It is not known whether this was saved. Try again: it takes effect once.");
  }
});

showCommands();

/** Chooses a clip in the form that shares, without leaving the video. */
document.addEventListener("click", (event) => {
  const link = around(event, "a[data-share]");
  const field = document.querySelector<HTMLSelectElement>("#share-clip");
  if (!link || event.ctrlKey || event.metaKey || !field?.querySelector(`[value="${link.dataset.share}"]`)) return;
  event.preventDefault();
  field.value = link.dataset.share!;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.closest("details")!.open = true;
  showPartOf(field);
  field.focus();
});

/** A key does what its link does. */
const go = (rel: "next" | "prev"): void => document.querySelector<HTMLAnchorElement>(`a[rel=${rel}]`)?.click();

document.addEventListener("click", (event) => {
  const link = around<HTMLAnchorElement>(event, "a[rel=next], a[rel=prev]");
  if (!link || !decision.isOnItsWay || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  decision.leaveFor(link.href);
});

/** Goes to a rating, and chooses it, unless it is decided already. Enter then accepts. */
function rate(which: string): void {
  const choice = document.querySelector<HTMLInputElement>(`#accept input[name=rating]${which}`);
  if (!choice || decision.isPending) return;
  showPartOf(choice);
  choice.focus();
  choice.click();
}

const keys: Readonly<Record<string, () => void>> = {
  n: () => go("next"),
  p: () => go("prev"),
  a: () => rate(":checked"),
  s: sameAsFinding,
  ...Object.fromEntries(["1", "2", "3", "4", "5"].map((score) => [score, () => rate(`[value="${score}"]`)])),
  r() {
    const reason = document.getElementById("reason");
    if (!reason || decision.isPending) return;
    reason.closest("details")!.open = true;
    showPartOf(reason);
    reason.focus();
  },
};

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const isSent = key === "Enter" && (event.ctrlKey || event.metaKey);
  if (isSent) return around(event, "textarea")?.closest<HTMLFormElement>("#accept, #reject")?.requestSubmit();
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (key === "Escape" && decision.isPending) return decision.undo();
  if (key === "Escape" && target instanceof Node && note?.contains(target)) return video().focus();
  if (around(event, "input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]")) return;
  if (!Object.hasOwn(keys, key)) return;
  event.preventDefault();
  keys[key]!();
});
