import { extname } from "node:path";
import { usage } from "../../errors.ts";
import { videoExtensions } from "../../io/files/download.ts";

/** Names of downloaded files: pure, because what goes into them was written by others. */

// What some file system refuses or gives a meaning: separators, wildcards, streams, controls, characters that reorder text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A text as one harmless part of a file name, at most 80 characters. */
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

/** Refuses a template that names no slot, leads out of the folder, or has an unknown placeholder. */
export function checkTemplate(template: string): string {
  const unknown = [...template.matchAll(/\{([^}]*)\}/g)]
    .map(([, name]) => name!)
    .find((name) => !(placeholders as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw usage(`--name-template: there is no {${unknown}}.`, `Known: ${placeholders.map((name) => `{${name}}`).join(" ")}.`);
  if (!template.includes("{id}")) throw usage("--name-template: needs {id}, or two videos could get one name.");
  if (template.startsWith("/") || template.split(/[/\\]/).includes("..")) throw usage("--name-template: must stay inside --dir.");
  return template;
}

/** The path below the folder, and the extension if the template names one. */
export function fileName(template: string, values: NameValues): { stem: string; extension: string | undefined } {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: keyof NameValues) => safePart(values[name]));
  const extension = extname(filled).toLowerCase();
  if (!videoExtensions.includes(extension)) return { stem: filled, extension: undefined };
  return { stem: filled.slice(0, -extension.length), extension };
}
