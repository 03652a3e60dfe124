import * as z from "zod";
import { scopes } from "./endpoint.ts";
import { isBlank } from "./text/blank.ts";
import { countryOf } from "./text/country.ts";
import { emailPattern, longestEmail, withAsciiDomain } from "./text/email-address.ts";
import { languageTag } from "./text/language-tag.ts";
import { isTimeZone, zoneName } from "./time/zones.ts";

/**
 * Field rules shared by the resources. Lengths count Unicode code points. Nothing is coerced, so that a typo in an order costs no
 * money. URLs are http(s).
 */

const codePoints = (text: string) => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** A NUL or half a surrogate pair: PostgreSQL refuses the one, UTF-8 cannot hold the other. */
const unstorable = /[\0\p{Surrogate}]/u;

/** A string of `min` to `max` code points that every database can store. */
export function text(max: number, min = 0) {
  const tooShort = min === 1 ? "must not be empty" : `must be at least ${min} characters`;
  const faults = (value: string) => {
    // UTF-16 length bounds the code point count from above, so the loop runs only where it could matter.
    if (value.length > max && codePoints(value) > max) return `must be at most ${max} characters`;
    if (value.length < min * 2 && codePoints(value) < min) return tooShort;
    return unstorable.test(value) ? "must not contain a NUL character or an unpaired surrogate" : undefined;
  };
  const base = z.string().check((ctx) => {
    const message = faults(ctx.value);
    if (message) ctx.issues.push({ code: "custom", message, input: ctx.value });
  });
  return base.meta({ maxLength: max, ...(min > 0 ? { minLength: min } : {}) });
}

/** A text of at most `max` code points that a person reads, so it is not blank. With 0 as `min` it may be empty, as if it was left out. */
export const readableText = (max: number, min: 0 | 1 = 1) =>
  text(max, min)
    .refine((value) => value === "" || !isBlank(value), "must not be blank")
    .meta({ maxLength: max, ...(min === 1 ? { minLength: 1, pattern: "\\S" } : { pattern: "^$|\\S" }) });

// The parser drops tabs and line breaks and escapes the rest, so what is stored would not be what was checked.
const notInUrls = /[\0-\x20\x7f\p{Surrogate}]/u;

const isHttpUrl = (value: string) => {
  // The parser takes `https:///x` and `https:x` for `https://x`.
  if (notInUrls.test(value) || !/^https?:\/\/[^/\\]/i.test(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  return (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "";
};

/** A BCP 47 language tag such as `en` or `pt-BR`, in its usual spelling from here on. */
export const language = () => languageOr();
/** The same, or a word that is no tag. */
export const languageOr = (word?: string) =>
  z
    .string()
    .max(35)
    .refine((value) => value === word || languageTag(value) !== undefined, "must be a language tag such as en or pt-BR")
    .overwrite((value) => (value === word ? value : (languageTag(value) ?? value)))
    .meta({ format: "bcp47", maxLength: 35 });

/** The code of a country (ISO 3166-1), in its usual spelling from here on. */
export const country = () =>
  z
    .string()
    .toUpperCase()
    .refine((code) => countryOf(code) !== undefined, "must be a country code such as DE")
    .overwrite((code) => countryOf(code) ?? code)
    .meta({ minLength: 2, maxLength: 2, pattern: "^[A-Za-z]{2}$", format: "iso3166" });

/** Up to `max` game keys, none twice. */
export const gameKeys = (max: number) =>
  z
    .array(readableText(200))
    .min(1)
    .max(max)
    .refine((keys) => new Set(keys).size === keys.length, "must not hold the same key twice");

/** An absolute http or https URL without credentials, at most 2048 characters. */
export const httpUrl = () =>
  z.string().max(2048).refine(isHttpUrl, "must be an http or https URL").meta({ format: "uri", maxLength: 2048 });

/** A UUID in either case; lower case from here on, as in paths. */
export const id = () => z.uuid().toLowerCase();
export const timestamp = () => z.iso.datetime();
/** A time that a client gives: ISO 8601 with `Z` or an offset; in UTC from here on. */
export const instant = () =>
  z.iso
    .datetime({ offset: true })
    .overwrite((value) => (Number.isNaN(Date.parse(value)) ? value : new Date(value).toISOString()));
export const cents = () => z.int().min(0);
export const minutes = () => z.int();

/** A playtester confirms the time of a playtest at a fixed time by repeating it. */
export const confirmedTime = () =>
  instant()
    .optional()
    .meta({ description: "The fixed time of the playtest, to confirm that you will play then; only if it has one." });

/** Another time of a slot that is answered, so that an answer never counts for one that its reader has not seen. */
export const proposedTime = () =>
  instant()
    .optional()
    .meta({ description: "The proposed time that you answer. Refused with 409 when another one is proposed by now." });

/** A whole number in a query string: digits only, no sign, no exponent. */
export const queryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)
    .meta({ type: "integer", minimum: min, maximum: max });

const cursor = z.string().max(1024).optional().meta({ description: "`meta.cursor` of the previous page." });
const limit = (initial: number, described: string) =>
  queryInteger(1, 100)
    .default(initial)
    .meta({ description: `Items per page, 1 to 100; default ${described}.` });

/** `limit` and `cursor` of a paged list. */
export const page = { limit: limit(20, "20"), cursor };
/** The same of a list that clients expect whole: up to 1000 items, unless the caller asks for pages. */
export const wholePage = { limit: limit(1000, "all, up to 1000"), cursor };

export const pageQuery = () => z.object(page);
export const wholeListQuery = () => z.object(wholePage);
export const message = () => z.strictObject({ message: z.string() });

/** The IANA name of a time zone. */
export const timeZone = () =>
  z.string().max(64).refine(isTimeZone, "must be a time zone such as Europe/Berlin").overwrite(zoneName).meta({ maxLength: 64 });

/** Marks a field that is an extension: other servers of this API need not have it. */
export const extension = <T extends z.ZodType>(type: T) => type.meta({ ...type.meta(), "x-extension": true });
export const email = () =>
  z
    .string()
    .overwrite(withAsciiDomain)
    .check(z.email({ pattern: emailPattern }), z.maxLength(longestEmail));
export const scopeName = () => z.enum(scopes);
