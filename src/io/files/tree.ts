import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../hash.ts";

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
  /** Path segments; `**` stands for any number of them. */
  segments: readonly string[];
  negated: boolean;
  foldersOnly: boolean;
}

/**
 * Whether `items` match `pattern`, in which a star stands for any number of them. Only the last star is ever tried again, so the time is at
 * most the product of the lengths; a regular expression takes exponentially long for patterns such as `*a*a*a*b`.
 */
function matchesWild<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isStar: (one: P) => boolean,
  matches: (one: P, item: T) => boolean,
): boolean {
  let [at, star, resume] = [0, -1, 0];
  for (let i = 0; i < items.length; ) {
    if (at < pattern.length && isStar(pattern[at]!)) [star, resume] = [at++, i];
    else if (at < pattern.length && matches(pattern[at]!, items[i]!)) [at, i] = [at + 1, i + 1];
    else if (star < 0) return false;
    else [at, i] = [star + 1, ++resume];
  }
  return pattern.slice(at).every(isStar);
}

const matchesSegment = (pattern: string, name: string) =>
  matchesWild(
    [...pattern],
    [...name],
    (one) => one === "*",
    (one, character) => one === "?" || one === character,
  );

const matchesPath = ({ segments }: Rule, path: string) =>
  matchesWild(segments, path.split("/"), (one) => one === "**", matchesSegment);

/** Parses a line of an ignore file, with the syntax of `.gitignore`. */
function parseRule(line: string): Rule | undefined {
  const text = line.replace(/\s+$/, "");
  if (text === "" || text.startsWith("#")) return undefined;
  const negated = text.startsWith("!");
  const glob = text.slice(negated ? 1 : 0).replace(/\/$/, "");
  const segments = glob.replace(/^\//, "").split("/");
  if (!glob.includes("/")) segments.unshift("**");
  // `a/**` stands for what is in the folder, not for the folder.
  else if (segments.at(-1) === "**") segments.splice(-1, 0, "*");
  return { segments, negated, foldersOnly: text.endsWith("/") };
}

/** Tests paths against the lines of an ignore file. The last matching line decides. */
export function ignoring(lines: readonly string[]): Ignore {
  const rules = lines.map(parseRule).filter((rule) => rule !== undefined);
  return (path, folder) => {
    const decisive = rules.findLast((rule) => (folder || !rule.foldersOnly) && matchesPath(rule, path));
    return decisive !== undefined && !decisive.negated;
  };
}

/** The files below a directory, except those that its `.playtestignore` or the built-in rules exclude. Aborting the signal stops it. */
export async function readTree(root: string, signal: AbortSignal): Promise<Tree> {
  const own = await readFile(join(root, ".playtestignore"), "utf8").catch(() => "");
  const ignored = ignoring([...always, ...own.split(/\r?\n/)]);
  const tree: Tree = { files: [], skipped: [] };

  async function visit(folder: string) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      signal.throwIfAborted();
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
  const hash = sha256();
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
  const hash = sha256();
  for (const { path, file, executable } of files)
    hash.update(`${executable ? "755" : "644"} ${(await hashFile(file, onBytes)).sha256} ${path}\0`);
  return hash.digest("hex");
}
