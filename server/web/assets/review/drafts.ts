import { all } from "../shared/dom.ts";
import { root } from "./pages.ts";

/** What is typed into the forms that decide is kept in this tab until the decision is sent: whoever goes to another page finds it again. */

const fields = () => all<HTMLTextAreaElement>("form[data-undo] textarea");
const nameOf = ({ form, name }: HTMLTextAreaElement) => `playtest draft ${form!.action.slice(root.length)} ${name}`;

function keep(field: HTMLTextAreaElement): void {
  try {
    if (field.value === "") sessionStorage.removeItem(nameOf(field));
    else sessionStorage.setItem(nameOf(field), field.value);
  } catch {
    // This browser stores nothing, and the text is gone with the page.
  }
}

export function keepDrafts(): void {
  for (const field of fields()) {
    const kept = field.value === "" ? read(field) : null;
    if (kept !== null) fillIn(field, kept);
    field.addEventListener("input", () => keep(field));
  }
}

function read(field: HTMLTextAreaElement): string | null {
  try {
    return sessionStorage.getItem(nameOf(field));
  } catch {
    return null;
  }
}

function fillIn(field: HTMLTextAreaElement, text: string): void {
  field.value = text;
  const folded = field.closest("details");
  if (folded) folded.open = true;
}

export function forgetDrafts(): void {
  for (const field of fields()) {
    try {
      sessionStorage.removeItem(nameOf(field));
    } catch {
      return;
    }
  }
}
