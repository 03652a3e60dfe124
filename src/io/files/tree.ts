import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A file below a folder; `path` with slashes, on every system. */
export interface TreeFile {
  path: string;
  file: string;
  executable: boolean;
  /** Bytes. */
  size: number;
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

/** Hears of bytes as they are done with; what it throws ends the work. */
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

/** What a tree holds as one hash: paths, who may run them, contents. The same on every machine, whatever packs it. */
export async function hashTree(files: readonly TreeFile[], onBytes: OnBytes): Promise<string> {
  const hash = createHash("sha256");
  for (const { path, file, executable } of files)
    hash.update(`${executable ? "755" : "644"} ${(await hashFile(file, onBytes)).sha256} ${path}\0`);
  return hash.digest("hex");
}
