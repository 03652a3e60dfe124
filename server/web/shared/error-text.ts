import { ended } from "../../../src/contract/text/one-line.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import type { ApiError } from "../../lib/api-error.ts";

/** Words of field names that are not written in lower case. */
const written: Readonly<Record<string, string>> = { iban: "IBAN", url: "URL", api: "API", tx: "transaction" };

/** "new email" for `newEmail`; the field itself for one in a list or an object. */
export function wordsOf(field: string): string {
  const own = field.split(".").findLast((part) => !/^\d+$/.test(part)) ?? field;
  const words = own
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
  return words.map((word) => written[word] ?? word).join(" ");
}

/** Instants as the API writes them, in the form of every page. What stands in quotation marks was written by somebody, and stays. */
const readable = (text: string) =>
  text.replace(/(?<!["“])\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b(?!["”])/g, (iso) => {
    const ms = Date.parse(iso);
    return Number.isNaN(ms) ? iso : zonedText(ms, null);
  });

/**
 * What a page says about a problem, with times in UTC. The message of invalid input begins with a field's name, which people who fill in a form do not
 * know: it becomes a sentence for each field.
 */
export function errorText({ message, details = [] }: Pick<ApiError, "message" | "details">): string {
  const [first] = details;
  if (first === undefined || message !== `${first.field}: ${first.message}`) return readable(message);
  return readable(details.map(({ field, message: what }) => ended(`The ${wordsOf(field)} ${what}`)).join(" "));
}
