import { positionText } from "../../../../src/contract/text/position.ts";
import { shellQuote } from "../../../../src/contract/text/shell.ts";
import { all, the } from "../shared/dom.ts";
import { type Fields, fieldsOf } from "./pages.ts";

/** The beginning of a command, and what is filled in: the command that does the same as the form. */
type Command = (start: string, fields: Fields, data: DOMStringMap) => string;

const option = (flag: string, value: string | undefined) => (value ? ` ${flag} ${shellQuote(value)}` : "");
const flag = (name: string, isSet: string | undefined) => (isSet ? ` ${name}` : "");

const commands: Readonly<Record<string, Command>> = {
  accept: (start, { rating, comment = "" }) => start + option("--rating", rating) + option("--comment", comment.trim()),
  reject: (start, { reason = "", allowRetry }) => start + option("--reason", reason.trim()) + flag("--retry", allowRetry),
  share: (start, { clip, validForSeconds, password, withNotes, withName }, { shared = "" }) =>
    start.replace(shared, () => clip || shared) +
    option("--for", `${Number(validForSeconds) / 86_400}d`) +
    flag("--password", password) +
    flag("--with-notes", withNotes) +
    flag("--with-name", withName),
  note(start, { position, text = "", kind, severity, tags = "", still }) {
    const words = [start, shellQuote(position || positionText(0)), shellQuote(text.trim() || "TEXT")].join(" ");
    const named = tags.toLowerCase().split(/[\s,]+/);
    return (
      words +
      (kind === "note" ? "" : option("--kind", kind)) +
      option("--severity", severity) +
      named.map((tag) => option("--tag", tag)).join("") +
      flag("--still", still)
    );
  },
};

/** Shows the command that does the same as a form as it is filled in. */
export function showCommands(): void {
  for (const form of all<HTMLFormElement>("form[data-command]")) {
    const box = the(".command", form.parentElement!);
    const [code, button] = [the("code", box), the("button", box)];
    const start = code.textContent;
    const show = () => {
      code.textContent = commands[form.dataset.command!]!(start, fieldsOf(form), form.dataset);
      button.dataset.copy = code.textContent;
    };
    form.addEventListener("input", show);
    form.addEventListener("change", show);
    show();
  }
}
