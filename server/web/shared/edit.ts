import { canonicalJson } from "../../../src/contract/text/canonical-json.ts";
import { firstCharacters } from "../../../src/contract/text/one-line.ts";
import { ApiError } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import { html, type Markup } from "../html.ts";
import type { Form } from "../types.ts";

type Values = object;
/** What tells whether a value is still the same, by the name of its field. */
type Marks = Readonly<Record<string, string>>;

/** A value as every form would send it: the order of ticked boxes, spaces around a text and how its lines break say nothing. */
function plain(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\r\n", "\n").trim() || null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.toSorted();
  return value ?? null;
}

const valueIn = (values: Values, name: string): unknown => (values as Record<string, unknown>)[name];
const markIn = (values: Values, name: string): string => sha256(canonicalJson(plain(valueIn(values, name)))).slice(0, 16);
const marksOf = (values: Values, names = Object.keys(values)): Marks =>
  Object.fromEntries(names.map((name) => [name, markIn(values, name)]));

function readMarks(text: string | undefined): Marks | undefined {
  try {
    const marks: unknown = JSON.parse(text ?? "null");
    return typeof marks === "object" && marks !== null ? (marks as Marks) : undefined;
  } catch {
    // A form without marks changes everything that it has.
    return undefined;
  }
}

const changed = (filled: Values, marks: Marks): string[] =>
  Object.keys(filled).filter((name) => markIn(filled, name) !== marks[name]);

/** What was changed in the form, and differently elsewhere. */
const conflicts = (filled: Values, marks: Marks, now: Values): string[] =>
  changed(filled, marks).filter((name) => ![marks[name], markIn(filled, name)].includes(markIn(now, name)));

const mostShown = 200;

function whatItIs(value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  if (text.trim() === "") return "was emptied";
  return `was changed to “${text.length > mostShown ? `${firstCharacters(text, mostShown)}…` : text}”`;
}

const elsewhere = "elsewhere while this page was open. Nothing was saved. Save again to replace that";

/**
 * A form that changes several fields. It carries marks of the values that it was filled in from, so that it changes only what somebody
 * changed in it, and undoes nothing that was changed elsewhere while its page was open. `of` names it on a page with several forms.
 */
export function edit<B extends Values>(of: string, bodyOf: (form: Form) => B) {
  const field = `${of}-before`;

  /** What a form that is shown again says was changed elsewhere: sent again, it replaces that. */
  function told(form: Form, marks: Marks, now: Values): Marks {
    try {
      return marksOf(now, conflicts(bodyOf(form), marks, now));
    } catch {
      // The form is wrong, and is shown for that.
      return {};
    }
  }

  return {
    /** The hidden field with the marks of what there is now. A form that is shown again keeps those that it had. */
    marks(form: Form, now: Values): Markup {
      const before = readMarks(form[field]);
      const marks = before === undefined ? marksOf(now) : { ...before, ...told(form, before, now) };
      return html`<input type="hidden" name="${field}" value="${JSON.stringify(marks)}" autocomplete="off">`;
    },
    /**
     * The values that were changed in the form. Throws 409 if one of them was changed elsewhere meanwhile, and says what it is now; `named`
     * says it for values that are ids.
     */
    changes(form: Form, now: Values, named: Values = {}): Partial<B> {
      const filled = bodyOf(form);
      const marks = readMarks(form[field]);
      if (marks === undefined) return filled;
      const details = conflicts(filled, marks, now).map((name) => ({
        field: name,
        message: `${whatItIs(valueIn({ ...now, ...named }, name))} ${elsewhere}`,
      }));
      if (details.length > 0) {
        const names = details.map(({ field: name }) => name).join(", ");
        throw new ApiError("CONFLICT", `${names}: changed ${elsewhere}.`, { details });
      }
      return Object.fromEntries(changed(filled, marks).map((name) => [name, valueIn(filled, name)])) as Partial<B>;
    },
  };
}
