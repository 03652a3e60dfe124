import type { Dirent } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { type Fault, unpackable } from "../../contract/files/build-names.ts";
import { decoded } from "../../contract/input/decode.ts";
import { ignoring, type WhyIgnored } from "./ignored.ts";

interface Item {
  /** With slashes on every system. */
  path: string;
  /** Last modification, in milliseconds. */
  time: number;
}

export interface TreeFile extends Item {
  kind: "file";
  /** Where it is on this computer. */
  file: string;
  executable: boolean;
  /** Bytes. */
  size: number;
}

export interface TreeLink extends Item {
  kind: "link";
  /** What the link says, with slashes on every system. */
  target: string;
}

/** A folder with nothing in it: of the others, their files tell. */
export interface TreeFolder extends Item {
  kind: "folder";
}

export type TreeItem = TreeFile | TreeLink | TreeFolder;

export interface Skipped {
  path: string;
  reason: "default" | "special" | "link";
}

export interface Tree {
  /** Sorted by the bytes of their paths, so that the order is the same everywhere. */
  items: TreeItem[];
  /** What the user did not ask to leave out, and is not packed all the same. */
  skipped: Skipped[];
  /** What cannot be packed. */
  faults: Fault[];
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "cannot be read: permission denied",
  EPERM: "cannot be read: operation not permitted",
  ENOENT: "disappeared while the folder was read",
};

/** Why a file or folder cannot be packed, from the error of the system. */
export const unreadable = (error: unknown) =>
  reasons[(error as NodeJS.ErrnoException).code ?? ""] ?? `cannot be read: ${(error as Error).message}`;

/** A name that is not UTF-8, with its other bytes as `\xe9`. */
const escaped = (name: Buffer) =>
  name.toString("latin1").replace(/[^ -~]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);

const bytes = (text: string) => Buffer.from(text);

interface Reading {
  root: string;
  signal: AbortSignal;
  ignored: WhyIgnored;
  tree: Tree;
}

/** Adds what is in a folder, or the folder itself if that is nothing. */
async function readFolder(reading: Reading, folder: string): Promise<void> {
  const { root, tree } = reading;
  const entries = await readdir(join(root, folder), { withFileTypes: true, encoding: "buffer" }).catch((error: unknown) => {
    tree.faults.push({ path: folder || ".", problem: unreadable(error) });
  });
  if (!entries) return;
  const before = tree.items.length + tree.faults.length;
  for (const entry of entries as unknown as Dirent<Buffer>[]) await readEntry(reading, folder, entry);
  if (folder !== "" && tree.items.length + tree.faults.length === before)
    tree.items.push({ kind: "folder", path: folder, time: (await lstat(join(root, folder))).mtimeMs });
}

async function readEntry({ root, signal, ignored, tree }: Reading, folder: string, entry: Dirent<Buffer>): Promise<void> {
  signal.throwIfAborted();
  const name = decoded(entry.name);
  const path = `${folder === "" ? "" : `${folder}/`}${name ?? escaped(entry.name)}`;
  const isFolder = entry.isDirectory();
  const why = ignored(path, isFolder);
  if (why === "default") tree.skipped.push({ path: isFolder ? `${path}/` : path, reason: "default" });
  if (why !== undefined) return;
  const problem = name === undefined ? "has a name that is not UTF-8" : unpackable(path);
  if (problem !== undefined) return void tree.faults.push({ path, problem });
  if (isFolder) return readFolder({ root, signal, ignored, tree }, path);
  if (!entry.isFile() && !entry.isSymbolicLink()) return void tree.skipped.push({ path, reason: "special" });
  try {
    tree.items.push(entry.isFile() ? await fileAt(root, path) : await linkAt(root, path));
  } catch (error) {
    tree.faults.push({ path, problem: unreadable(error) });
  }
}

async function fileAt(root: string, path: string): Promise<TreeFile> {
  const file = join(root, path);
  const { mode, size, mtimeMs } = await lstat(file);
  return { kind: "file", path, file, executable: (mode & 0o111) !== 0, size, time: mtimeMs };
}

async function linkAt(root: string, path: string): Promise<TreeLink> {
  const file = join(root, path);
  const target = decoded(await readlink(file, { encoding: "buffer" }));
  if (target === undefined) throw new Error("it leads to a name that is not UTF-8");
  const { mtimeMs } = await lstat(file);
  return { kind: "link", path, target: process.platform === "win32" ? target.replaceAll("\\", "/") : target, time: mtimeMs };
}

/** What is below a folder, except what its `.playtestignore` and our own list leave out. Aborting the signal stops it. */
export async function readTree(root: string, signal: AbortSignal, defaultIgnores: boolean): Promise<Tree> {
  const tree: Tree = { items: [], skipped: [], faults: [] };
  await readFolder({ root, signal, ignored: await ignoring(root, defaultIgnores), tree }, "");
  tree.items.sort((a, b) => Buffer.compare(bytes(a.path), bytes(b.path)));
  tree.skipped.sort((a, b) => (a.path < b.path ? -1 : 1));
  return tree;
}
