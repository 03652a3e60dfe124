import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A file below a folder; `path` with slashes, on every system. */
export interface TreeFile {
  path: string;
  file: string;
  executable: boolean;
}

export interface Tree {
  /** In order of their paths' bytes, so that the same files are the same list everywhere. */
  files: TreeFile[];
  /** Links and devices, which are never packed. */
  skipped: string[];
}

const always = [".git/", ".DS_Store", "Thumbs.db", "/.playtestignore", "/.playtest.json"];

type Ignore = (path: string, folder: boolean) => boolean;

interface Rule {
  pattern: RegExp;
  negated: boolean;
  foldersOnly: boolean;
}

const literally = (text: string) => text.replace(/[.+^${}()|[\]\\]/g, "\\$&");

/** A line of an ignore file, as git reads it. */
function parseRule(line: string): Rule | undefined {
  const text = line.replace(/\s+$/, "");
  if (text === "" || text.startsWith("#")) return undefined;
  const negated = text.startsWith("!");
  const glob = text.slice(negated ? 1 : 0).replace(/\/$/, "");
  const foldersOnly = text.endsWith("/");
  const anchored = glob.includes("/");
  const body = glob
    .replace(/^\//, "")
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" })[part] ?? literally(part))
    .join("");
  return { pattern: new RegExp(`^${anchored ? "" : "(?:.*/)?"}${body}$`), negated, foldersOnly };
}

/** What the lines of an ignore file leave out; the last line that fits decides. */
export function ignoring(lines: readonly string[]): Ignore {
  const rules = lines.map(parseRule).filter((rule) => rule !== undefined);
  return (path, folder) => {
    const decisive = rules.findLast(({ pattern, foldersOnly }) => (folder || !foldersOnly) && pattern.test(path));
    return decisive !== undefined && !decisive.negated;
  };
}

/** The files below a folder, without what its `.playtestignore` and a few constants leave out. */
export async function readTree(root: string): Promise<Tree> {
  const own = await readFile(join(root, ".playtestignore"), "utf8").catch(() => "");
  const ignored = ignoring([...always, ...own.split(/\r?\n/)]);
  const tree: Tree = { files: [], skipped: [] };

  async function visit(folder: string) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (ignored(path, entry.isDirectory())) continue;
      const file = join(root, path);
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) tree.files.push({ path, file, executable: ((await stat(file)).mode & 0o111) !== 0 });
      else tree.skipped.push(path);
    }
  }

  await visit("");
  tree.files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return tree;
}

/** SHA-256 of a file, and its size in bytes. */
export async function hashFile(file: string): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { sha256: hash.digest("hex"), size };
}

/** What a tree holds as one hash: paths, who may run them, contents. The same on every machine, whatever packs it. */
export async function hashTree(files: readonly TreeFile[]): Promise<string> {
  const hash = createHash("sha256");
  for (const { path, file, executable } of files)
    hash.update(`${executable ? "755" : "644"} ${(await hashFile(file)).sha256} ${path}\0`);
  return hash.digest("hex");
}
