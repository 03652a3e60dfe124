/** Pure text functions: what is shown to a person, and how it is kept from driving a terminal. */

// C0 and C1 controls, DEL, line separators, and the characters that reorder text.
const dangerous = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const short: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Text on one line that cannot drive a terminal: control and reordering characters are shown escaped. */
export const oneLine = (text: string) => text.replace(dangerous, (c) => short[c] ?? unicode(c));

/** As `oneLine`, but line breaks and tabs stay. */
export const lines = (text: string) =>
  text.replaceAll("\r\n", "\n").replace(dangerous, (c) => (c === "\n" || c === "\t" ? c : oneLine(c)));

/** JSON text with the same meaning in which no character can drive a terminal. */
export const safeJson = (json: string) =>
  json.replace(dangerous, (c) => (c === "\n" || c === "\t" || c === "\r" ? c : unicode(c)));

/** JSON of a value, safe to show; `indent` 0 gives one line. */
export const toJson = (value: unknown, indent = 0) => safeJson(JSON.stringify(value, null, indent));

/** Integer cents as `$1,520.00`. */
export function usd(cents: number) {
  const whole = Math.trunc(Math.abs(cents) / 100)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = (Math.abs(cents) % 100).toString().padStart(2, "0");
  return `${cents < 0 ? "-" : ""}$${whole}.${rest}`;
}

const binary = ["B", "KiB", "MiB", "GiB", "TiB"];
export function bytes(count: number) {
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
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ["s", 1];
  return `${Math.floor(seconds / size)}${unit}`;
}

/** An ISO time as seen from `now` (milliseconds): `5m ago`, `in 2h`. Not a time: as it is. */
export function ago(iso: string, now: number) {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return oneLine(iso);
  const seconds = Math.round((now - at) / 1000);
  if (Math.abs(seconds) < 5) return "now";
  return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
}

/** The short form of an id: ids are time-ordered, so their ends tell them apart. */
export const shortId = (id: string) => (uuid.test(id) ? id.slice(-8) : id);
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const secretKeys =
  /^(authorization|x-payment|apiKey|adminKey|ownerKey|testerKeys|password|currentPassword|newPassword|secret|token|keysForTesters|keys|downloadUrl|checkoutUrl)$/i;
const secretText =
  /\b((?:pt|wpg)_sk_|whsec_)[A-Za-z0-9+/=_-]+|([?&](?:token|sig|signature|X-Amz-[A-Za-z]+)=)[^&\s"]+|(Bearer )[\w.~+/=-]+/g;

/** Text with keys, webhook secrets, signatures and bearer tokens taken out. */
export const redactText = (text: string) =>
  text.replace(secretText, (_, prefix, query, bearer) => `${prefix ?? query ?? bearer}…`);

/** A copy of a value in which whatever is secret by name or by form is taken out. */
export function redact(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, secretKeys.test(key) && inner !== null ? "…" : redact(inner)]),
  );
}

/** One argument as a POSIX shell would read it back. */
export const shellQuote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** As `shellQuote`, for a command that is shown: what could drive the terminal is spelled out, in the quotes that bash and zsh read. */
export const shellShown = (word: string) =>
  oneLine(word) === word ? shellQuote(word) : `$'${oneLine(word.replace(/[\\']/g, "\\$&"))}'`;

export const plural = (count: number, noun: string, many = `${noun}s`) => `${count} ${count === 1 ? noun : many}`;

const ansi = {
  bold: "1",
  dim: "2",
  red: "31",
  green: "32",
  yellow: "33",
  cyan: "36",
} as const;
export type Colour = keyof typeof ansi;
export type Paint = (colour: Colour, text: string) => string;

/** Colours text, or leaves it alone. */
export const painter =
  (enabled: boolean): Paint =>
  (colour, text) =>
    enabled && text !== "" ? `\u001b[${ansi[colour]}m${text}\u001b[0m` : text;
