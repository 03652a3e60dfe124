import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigError } from "../../config/read.ts";
import { assertSameHistory } from "../../database/migrate.ts";
import { sameText } from "../../lib/secrets.ts";
import { isMissing, unlessMissing } from "../../uploads/local-blobs.ts";
import { databaseNameOf, isName, type Manifest, manifestSchema, names, newestName, parseSums } from "./contents.ts";
import { type Entry, pieces, readIndex } from "./tar.ts";

/** The files of an archive: a tar file or a folder. */
interface Contents {
  readonly entries: readonly Listed[];
  read(entry: Listed): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

interface Listed {
  name: string;
  size: number;
}

/** An archive with a valid list of contents. The files are checked when they are extracted. */
export interface Archive {
  readonly manifest: Manifest;
  readonly entries: readonly Listed[];
  /** Total size of its files. */
  readonly bytes: number;
  /** A short file as text; undefined if it is not in the archive. Its sum is not checked. */
  text(name: string): Promise<string | undefined>;
  /** Checks every file against its sum and, if `folder` is given, writes it there. Calls `onBytes` with the number of bytes done. */
  extract(folder: string | undefined, onBytes: (bytes: number) => void): Promise<void>;
  close(): Promise<void>;
}

const largestList = 256 * 1024 * 1024;

/** Opens an archive. Throws an error that names the file unless it is a complete archive that this program understands. */
export async function openArchive(path: string): Promise<Archive> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? undefined : await open(path).catch((error) => Promise.reject(unreadable(path, error)));
  try {
    return await read(file ? await tarContents(file) : await folderContents(path));
  } catch (error) {
    await file?.close();
    const reason = (error as Error).message.replace("Nothing was changed. ", "").replace(/\.$/, "");
    throw new Error(`${path} cannot be used: ${reason}. Nothing was changed.`, { cause: error });
  }
}

async function tarContents(file: FileHandle): Promise<Contents> {
  const entries = await readIndex(file, (await file.stat()).size);
  return {
    entries,
    read: (entry) => pieces(file, entry.size, (entry as Entry).position),
    close: () => file.close(),
  };
}

/** Only what the list of the backup names is looked at: whatever else is in the folder does not belong to it. */
async function folderContents(folder: string): Promise<Contents> {
  const listed = await readFile(join(folder, names.sums), "utf8").catch(unlessMissing);
  if (listed === undefined) throw new Error(notAnArchive(folder));
  const entries: Listed[] = [];
  for (const name of [...(parseSums(listed)?.keys() ?? []), names.sums].filter(isName)) {
    const found = await lstat(join(folder, name)).catch(unlessMissing);
    if (found && !found.isFile()) throw new Error(`${name} is not a regular file`);
    if (found) entries.push({ name, size: found.size });
  }
  async function* read({ name, size }: Listed): AsyncGenerator<Buffer> {
    const file = await open(join(folder, name));
    try {
      yield* pieces(file, size);
    } finally {
      await file.close();
    }
  }
  return { entries, read, close: async () => {} };
}

function notAnArchive(folder: string): string {
  const newest = newestName(folder);
  return newest === undefined
    ? `it has no ${names.sums}, so it is not a playtest archive`
    : `it is a folder of backups: pass one of them, the newest of which is ${join(folder, newest)}`;
}

async function read(contents: Contents): Promise<Archive> {
  const { entries } = contents;
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const unexpected =
    entries.find(({ name }) => !isName(name)) ??
    (byName.size < entries.length && entries.find((one) => byName.get(one.name) !== one));
  if (unexpected) throw new Error(`${JSON.stringify(unexpected.name)} is not a file of a playtest archive, or is in it twice`);
  const sums = parseSums(await textOf(contents, byName, names.sums));
  if (!sums) throw new Error(`${names.sums} is damaged`);
  const manifest = readManifest(await textOf(contents, byName, names.manifest));
  const required = [names.key, databaseNameOf(manifest)];
  const missing =
    [...required, ...sums.keys()].find((name) => !byName.has(name)) ??
    entries.find(({ name }) => name !== names.sums && !sums.has(name))?.name;
  if (missing !== undefined) throw new Error(`${missing} is missing from the archive or from its ${names.sums}`);

  async function extract(folder: string | undefined, onBytes: (bytes: number) => void): Promise<void> {
    for (const entry of entries) {
      if (entry.name === names.sums) continue;
      const hash = createHash("sha256");
      const target = folder && (await openTarget(join(folder, entry.name)));
      try {
        for await (const piece of contents.read(entry)) {
          hash.update(piece);
          if (target) await target.writeFile(piece);
          onBytes(piece.length);
        }
        if (target) await target.sync();
      } finally {
        if (target) await target.close();
      }
      if (!sameText(hash.digest("hex"), sums!.get(entry.name)!)) throw new Error(`${entry.name} does not match its checksum`);
    }
  }

  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  const text = async (name: string) => (byName.has(name) ? textOf(contents, byName, name) : undefined);
  return { manifest, entries, bytes, text, extract, close: () => contents.close() };
}

async function openTarget(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return open(path, "wx", 0o600);
}

async function textOf(contents: Contents, entries: ReadonlyMap<string, Listed>, name: string): Promise<string> {
  const entry = entries.get(name);
  if (!entry) throw new Error(`it has no ${name}, so it is not a playtest archive`);
  if (entry.size > largestList) throw new Error(`its ${name} is too long`);
  const parts: Buffer[] = [];
  for await (const piece of contents.read(entry)) parts.push(Buffer.from(piece));
  return Buffer.concat(parts).toString();
}

function readManifest(text: string): Manifest {
  const { format, version } = parsed(text) as { format?: unknown; version?: unknown };
  if (format === "playtest-archive" && typeof version === "number" && version > 1)
    throw new Error("it was created by a newer version of playtest. Install that version");
  const { success, data } = manifestSchema.safeParse(parsed(text));
  if (!success) throw new Error(`its ${names.manifest} is damaged`);
  assertSameHistory(data.migrations);
  return data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function unreadable(path: string, error: unknown): ConfigError {
  const reason = isMissing(error) ? "the file does not exist" : (error as Error).message;
  return new ConfigError(`${path} cannot be read: ${reason}. Nothing was changed.`, { cause: error });
}
