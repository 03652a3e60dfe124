import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Io } from "../io.ts";
import { temporaryFolder } from "./temporary.ts";

/** A file that leads a program to an address, which other users of the computer would see among the program's arguments. */
export interface PrivateFile {
  folder: string;
  path: string;
  remove(): Promise<void>;
}

const escaped: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const inHtml = (text: string) => text.replace(/[&<>"]/g, (character) => escaped[character]!);

/**
 * The folder of the file. Browsers that are installed as snaps, such as Firefox on Ubuntu, can read neither `/tmp` nor hidden folders, so on
 * Linux it is in the home folder for that moment.
 */
async function newFolder({ env, platform }: Io): Promise<string> {
  if (platform !== "linux" || !isAbsolute(env.HOME ?? "")) return temporaryFolder("open");
  return mkdtemp(join(env.HOME!, "playtest-open-")).catch(() => temporaryFolder("open"));
}

/** Writes a text to a file that only this user can read. */
export async function privateFile(io: Io, name: string, text: string): Promise<PrivateFile> {
  const folder = await newFolder(io);
  const path = join(folder, name);
  await chmod(folder, 0o700);
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  return { folder, path, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A page that leads on to an address. Returns its own address, too. */
export async function privatePage(io: Io, href: string): Promise<PrivateFile & { href: string }> {
  const to = inHtml(href);
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>playtest</title>
<meta http-equiv="refresh" content="0; url=${to}"><p><a href="${to}">Continue</a></p>\n`;
  const file = await privateFile(io, "open.html", page);
  return { ...file, href: pathToFileURL(file.path).href };
}
