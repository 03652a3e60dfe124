import { dangerous, oneLine, unicode } from "../contract/text/one-line.ts";
import { plural as known } from "../contract/text/plural.ts";
import { shellQuote } from "../contract/text/shell.ts";

/** Pure functions that format text for people and escape characters that could control the terminal. */

export { oneLine };

/** Like `oneLine`, but keeps line breaks and tabs. */
export const lines = (text: string) =>
  text.replaceAll("\r\n", "\n").replace(dangerous, (c) => (c === "\n" || c === "\t" ? c : oneLine(c)));

const countCodePoints = (text: string) => [...text].length;

/** Lines of at most `width` columns, broken between words. A longer word stays whole, and so does code in backticks. */
export function fold(text: string, width: number): string[] {
  const folded: string[] = [];
  for (const word of text.match(/(?:`[^`\n]*`|\S)+/g) ?? []) {
    const last = folded.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && countCodePoints(longer) <= width) folded[folded.length - 1] = longer;
    else folded.push(word);
  }
  return folded;
}

/** Text whose lines fit into `width` columns where words allow it; a line that is broken keeps its indentation. */
export function foldLines(text: string, width: number): string {
  const foldLine = (line: string) => {
    if (countCodePoints(line) <= width) return [line];
    const indent = /^ */.exec(line)![0];
    return fold(line, width - indent.length).map((part) => indent + part);
  };
  return text.split("\n").flatMap(foldLine).join("\n");
}

/** Equivalent JSON text without characters that could control a terminal. */
export const safeJson = (json: string) =>
  json.replace(dangerous, (c) => (c === "\n" || c === "\t" || c === "\r" ? c : unicode(c)));

/** A value as JSON that is safe to print. `indent` 0: on one line. */
export const toJson = (value: unknown, indent = 0) => safeJson(JSON.stringify(value, null, indent));

/** Instead of an amount that another server left out. */
export const notReported = "not reported";

/** Integer cents as `$1,520.00`. */
export function usd(cents: number | null | undefined) {
  if (typeof cents !== "number") return notReported;
  const whole = Math.trunc(Math.abs(cents) / 100)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = (Math.abs(cents) % 100).toString().padStart(2, "0");
  return `${cents < 0 ? "-" : ""}$${whole}.${rest}`;
}

const binary = ["B", "KiB", "MiB", "GiB", "TiB"];
export function bytes(count: number | null | undefined) {
  if (typeof count !== "number") return notReported;
  let unit = 0;
  let value = count;
  while (value >= 1024 && unit < binary.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${binary[unit]}`;
}

const units = [
  ["y", 31_536_000],
  ["mo", 2_592_000],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
] as const;

/** Seconds as their largest unit: `45s`, `5m`, `2h`, `7d`. */
export function duration(seconds: number) {
  if (Number.isNaN(seconds)) return "an unknown time";
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** An ISO time relative to `now` (milliseconds): `5m ago`, `in 2h`. Anything else is returned escaped. */
export function ago(iso: string, now: number) {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return oneLine(iso);
  const seconds = Math.round((now - at) / 1000);
  if (Math.abs(seconds) < 5) return "now";
  return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
}

/** The short form of an id: its end, because ids are time-ordered and begin alike. */
export const shortId = (id: string) => (uuid.test(id) ? id.slice(-8) : id);
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const secretKeys =
  /^(authorization|x-payment|apiKey|adminKey|ownerKey|testerKeys|password|currentPassword|newPassword|secret|token|keysForTesters|keys|recoveryCodes|downloadUrl|checkoutUrl)$/i;
const secretText =
  /\b((?:pt|wpg)_sk_|whsec_|otpauth:\/\/)[A-Za-z0-9+/=_:.%?&-]+|([?&](?:token|sig|signature|X-Amz-[A-Za-z]+)=)[^&\s"]+|(Bearer )[\w.~+/=-]+/g;

/** Redacts API keys, webhook secrets, signatures and bearer tokens in a text. */
export const redactText = (text: string) =>
  text.replace(secretText, (_, prefix, query, bearer) => `${prefix ?? query ?? bearer}…`);

/** A code of a second factor. Errors have a `code` too, which is no secret. */
const isOneTimeCode = (key: string, value: unknown) => key === "code" && /^(?=.*\d)[A-Z2-9\d\s-]{6,}$/i.test(String(value));

/** A copy of a value with everything redacted that is secret by its name or its format. */
export function redact(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      inner !== null && (secretKeys.test(key) || isOneTimeCode(key, inner)) ? "…" : redact(inner),
    ]),
  );
}

/** Like `shellQuote`, for a command that is printed: control characters are escaped in the `$'…'` quotes of bash and zsh. */
export const shellShown = (word: string) =>
  oneLine(word) === word ? shellQuote(word) : `$'${oneLine(word.replace(/[\\']/g, "\\$&"))}'`;

/** As `known`, also for a number that a server left out. */
export const plural = (count: number | null | undefined, noun: string, many = `${noun}s`) =>
  typeof count === "number" ? known(count, noun, many) : `an unknown number of ${many}`;

const ansi = {
  bold: "1",
  dim: "2",
  red: "31",
  green: "32",
  yellow: "33",
  cyan: "36",
} as const;
export type Color = keyof typeof ansi;
export type Paint = (color: Color, text: string) => string;

/** Colors text, or returns it unchanged if disabled. */
export const painter =
  (enabled: boolean): Paint =>
  (color, text) =>
    enabled && text !== "" ? `\u001b[${ansi[color]}m${text}\u001b[0m` : text;
