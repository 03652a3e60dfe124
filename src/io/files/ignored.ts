import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Ignore } from "ignore";
import { decode } from "../../contract/input/decode.ts";
import { usage } from "../../errors.ts";

/** Why a path is left out: by the user's list, or because it is on ours; undefined if it is not. */
export type WhyIgnored = (path: string, folder: boolean) => "listed" | "default" | undefined;

const listName = ".playtestignore";

/** What belongs to this command, in the folder itself. */
const own = [`/${listName}`, "/.playtest.json"];

/** What systems and version control leave behind and no player needs. */
const unwanted = [
  ...[".git", ".svn", ".hg", ".bzr", "CVS/"],
  ...[".DS_Store", "._*", "__MACOSX/", ".AppleDouble/", ".Spotlight-V100/", ".Trashes/", ".fseventsd/"],
  ...["Thumbs.db", "ehthumbs.db", "desktop.ini", "$RECYCLE.BIN/"],
];

/** The text of the user's list. A list that cannot be read is an error: what it names would be published. */
async function listOf(root: string): Promise<string> {
  const file = join(root, listName);
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return Buffer.alloc(0);
    throw usage(`${file} cannot be read: ${error.message}. Nothing was sent.`, "Make it a readable file, or remove it.");
  });
  return decode(bytes, `${file}: nothing was sent, because it`, "Save it as UTF-8.");
}

/**
 * What to leave out of a folder: `.playtestignore`, which has the syntax of `.gitignore`, and, unless `withDefaults` is false, what
 * nobody wants. The user's list decides first, so `!Thumbs.db` keeps one. Only our names match in any case: Windows writes `thumbs.db`, too.
 */
export async function ignoring(root: string, withDefaults: boolean): Promise<WhyIgnored> {
  const { default: ignore } = await import("ignore");
  const listed = ignore({ ignorecase: false }).add(await listOf(root));
  const ours = ignore({ ignorecase: true }).add(withDefaults ? unwanted : []);
  const always = ignore({ ignorecase: false }).add(own);
  return (path, folder) => why(folder ? `${path}/` : path, listed, ours, always);
}

function why(path: string, listed: Ignore, ours: Ignore, always: Ignore) {
  if (always.ignores(path)) return "listed";
  const { ignored, unignored } = listed.test(path);
  if (ignored) return "listed";
  return !unignored && ours.ignores(path) ? "default" : undefined;
}
