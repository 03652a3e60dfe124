import { extname } from "node:path";
import { videoExtensions } from "../../contract/files/media.ts";
import { usage } from "../../errors.ts";

/** Pure functions for names of downloaded files, which contain untrusted text. */

// Characters that a file system rejects or interprets: separators, wildcards, streams, control and bidirectional characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A text as one safe part of a file name, at most 80 characters long. */
export function safePart(text: string): string {
  const clean = text.normalize("NFC").replace(unsafe, "_").replace(/\s+/g, " ").trim();
  const short = [...clean]
    .slice(0, 80)
    .join("")
    .replace(/^\.+/, "_")
    .replace(/[. ]+$/, "");
  if (short === "") return "_";
  return reserved.test(short) ? `_${short}` : short;
}

export const placeholders = ["id", "game", "playtester", "playtest", "status", "date"] as const;
export type NameValues = Record<(typeof placeholders)[number], string>;

export const defaultTemplate = "{game}-{playtester}-{id}";

/** Throws if a template lacks the slot id, leads out of the directory, or has an unknown placeholder. */
export function checkTemplate(template: string): string {
  const unknown = [...template.matchAll(/\{([^}]*)\}/g)]
    .map(([, name]) => name!)
    .find((name) => !(placeholders as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw usage(
      `--name-template: unknown placeholder {${unknown}}.`,
      `Known placeholders: ${placeholders.map((name) => `{${name}}`).join(" ")}.`,
    );
  if (!template.includes("{id}")) throw usage("--name-template: must contain {id}, so that every video gets a different name.");
  if (template.startsWith("/") || template.split(/[/\\]/).includes("..")) throw usage("--name-template: must stay inside --dir.");
  return template;
}

/** The path relative to the directory, and the extension if the template has one. */
export function fileName(template: string, values: NameValues): { stem: string; extension: string | undefined } {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: keyof NameValues) => safePart(values[name]));
  const extension = extname(filled).toLowerCase();
  if (!videoExtensions.includes(extension)) return { stem: filled, extension: undefined };
  return { stem: filled.slice(0, -extension.length), extension };
}
