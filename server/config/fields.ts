import * as z from "zod";

/** Builders for the fields of the settings schema. */

/** What the configuration reference shows in addition to the zod type. */
interface Extra {
  unit?: string | undefined;
  /** The environment variable that sets it and overrides the file. Items of a list are separated by commas. */
  variable?: string;
  /** The value may contain a password or an API key and is never shown. */
  secret?: true;
  /** The allowed values, when the type and the range do not say it. */
  expected?: string;
}

/** Adds the description of a field. Registers it in place: `.meta()` would copy each of the hundred fields at every start. */
export const described = <T extends z.ZodType>(type: T, description: string, extra: Extra = {}): T => {
  const { unit, variable, secret, expected } = extra;
  z.globalRegistry.add(type, {
    description,
    ...(unit && { "x-unit": unit }),
    ...(variable && { "x-variable": variable }),
    ...(secret && { "x-secret": secret }),
    ...(expected && { "x-expected": expected }),
  });
  return type;
};

export const integer = (description: string, initial: number, min: number, max: number, unit?: string) =>
  described(z.int().check(z.gte(min), z.lte(max)).default(initial), description, { unit });
export const ms = (description: string, initial: number, min: number, max: number) =>
  integer(description, initial, min, max, "milliseconds");
export const cents = (description: string, initial: number) => integer(description, initial, 0, 1_000_000, "US cents");
export const bytes = (description: string, initial: number, min: number, max: number) =>
  integer(description, initial, min, max, "bytes");
export const perMinute = (description: string, initial: number) =>
  integer(description, initial, 1, 1_000_000, "requests per minute");
export const toggle = (description: string, initial: boolean) => described(z.boolean().default(initial), description);

/** Null means that the setting is off. */
export const orNull = (type: z.ZodType<string>, description: string, extra: Extra) =>
  described(z.nullable(type).default(null), description, extra);
export const matching = (isValid: (text: string) => boolean) => z.string().refine(isValid);
export const list = (item: z.ZodType<string>, description: string, extra: Extra) =>
  described(z.array(item).default([]), description, extra);

export const hasScheme =
  (...schemes: string[]) =>
  (text: string) =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol);
export const isWebUrl = hasScheme("http:", "https:");
export const webUrl = (description: string) =>
  orNull(matching(isWebUrl), description, { expected: "an http:// or https:// URL, or null", secret: true });

export const isHostName = (text: string) =>
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(text);
export const isMailbox = (text: string) =>
  /^([^<>@\p{Cc}]*<[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+>|[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+)$/u.test(text);
const isPlainText = (text: string) => !/\p{Cc}/u.test(text);
export const plainText = (max: number, min = 1) => z.string().min(min).max(max).refine(isPlainText);

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
export const year = 365 * day;
export const KiB = 1024;
export const MiB = 1024 * KiB;
export const GiB = 1024 * MiB;
export const TiB = 1024 * GiB;
