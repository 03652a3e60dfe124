import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A file in a directory tree. `path` uses slashes on every system. */
export interface TreeFile {
  path: string;
  file: string;
  executable: boolean;
  /** Bytes. */
  size: number;
}

export interface Tree {
  /** Sorted by the bytes of their paths, so that the order is the same everywhere. */
  files: TreeFile[];
  /** Symbolic links and devices, which are never packed. */
  skipped: string[];
}

const always = [".git/", ".DS_Store", "Thumbs.db", "/.playtestignore", "/.playtest.json"];

type Ignore = (path: string, folder: boolean) => boolean;

interface Rule {
  pattern: RegExp;
  negated: boolean;
  foldersOnly: boolean;
}

const escapeRegExp = (text: string) => text.replace(/[.+^${}()|[\]\\]/g, "\\$&");

/** Parses a line of an ignore file, with the syntax of `.gitignore`. */
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
    .map((part) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" })[part] ?? escapeRegExp(part))
    .join("");
  return { pattern: new RegExp(`^${anchored ? "" : "(?:.*/)?"}${body}$`), negated, foldersOnly };
}

/** Tests paths against the lines of an ignore file. The last matching line decides. */
export function ignoring(lines: readonly string[]): Ignore {
  const rules = lines.map(parseRule).filter((rule) => rule !== undefined);
  return (path, folder) => {
    const decisive = rules.findLast(({ pattern, foldersOnly }) => (folder || !foldersOnly) && pattern.test(path));
    return decisive !== undefined && !decisive.negated;
  };
}

/** The files below a directory, except those that its `.playtestignore` or the built-in rules exclude. */
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
      else if (entry.isFile()) {
        const { mode, size } = await stat(file);
        tree.files.push({ path, file, executable: (mode & 0o111) !== 0, size });
      } else tree.skipped.push(path);
    }
  }

  await visit("");
  tree.files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return tree;
}

/** Called with the number of bytes processed. Throwing aborts the work. */
export type OnBytes = (count: number) => void;

/** SHA-256 of a file, and its size in bytes. */
export async function hashFile(file: string, onBytes: OnBytes): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
    onBytes(chunk.length);
  }
  return { sha256: hash.digest("hex"), size };
}

/** Hash of a directory tree: paths, executable bits and contents. The same on every machine. */
export async function hashTree(files: readonly TreeFile[], onBytes: OnBytes): Promise<string> {
  const hash = createHash("sha256");
  for (const { path, file, executable } of files)
    hash.update(`${executable ? "755" : "644"} ${(await hashFile(file, onBytes)).sha256} ${path}\0`);
  return hash.digest("hex");
}
