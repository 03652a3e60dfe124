import { extname } from "node:path";
import { videoExtensions } from "../../contract/files/media.ts";
import { usage } from "../../errors.ts";
import { safePart } from "../../io/files/safe-name.ts";

/** Pure functions for names of downloaded files, which contain untrusted text. */

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
