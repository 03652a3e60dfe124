import { constants } from "node:fs";
import { chmod, copyFile, open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Context } from "../../../cli/define.ts";
import { isExecutable, isFolder, isLink, type ReadAt, readZipIndex, type ZipEntry } from "../../../contract/files/zip-index.ts";
import { usage } from "../../../errors.ts";
import { type OnBytes, readContents } from "../../../io/files/contents.ts";
import { isProgram } from "../../../io/files/kinds.ts";
import { unreadable } from "../../../io/files/tree.ts";
import { headOf } from "../../../io/files/zip-head.ts";
import { plural } from "../../../io/text.ts";
import {
  type ContentFlags,
  checkLinks,
  checkNames,
  type Findings,
  listed,
  noFindings,
  notLookedInto,
  refuseEscaping,
  secretSearch,
  tell,
  tellNotExecutable,
} from "./checks.ts";
import { withByteProgress } from "./progress.ts";
import { type Build, noRoom, type Source } from "./source.ts";

/** Calls `use` with a function that reads parts of a file. */
export async function withReader<T>(path: string, use: (readAt: ReadAt<Buffer>) => Promise<T>): Promise<T> {
  const handle = await open(path);
  try {
    return await use(async (start, length) => {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    });
  } finally {
    await handle.close();
  }
}

/** The build that a file is. It is sent as it is, but for the executable bits of a zip archive that lost them. */
export async function fileBuild(ctx: Context, source: Source, total: number): Promise<Build> {
  const filename = basename(source.path);
  if (total === 0) throw usage(`${filename} is empty.`);
  const findings = noFindings();
  const modes = await checkInside(ctx, source, total, findings).catch(refuseUnreadable(source));
  tell(ctx, findings);
  const file = modes.length > 0 ? await withModes(source, filename, total, modes) : source.path;
  const secrets = secretSearch(ctx, "file");
  const keys = secrets.keysOf();
  const { head, ...read } = await withByteProgress(ctx, "Reading", filename, total, (onBytes: OnBytes) =>
    readContents(file, onBytes, keys.look),
  ).catch(refuseUnreadable(source));
  secrets.look(filename, head, keys.found());
  secrets.refuse(source.flags);
  const contentSha256 = read.sha256;
  return { contentSha256, findings, pack: async () => ({ sha256: read.sha256, size: read.size, file, filename, contentSha256 }) };
}

const refuseUnreadable =
  ({ given }: Source) =>
  (error: unknown): never => {
    if (error instanceof Error && "syscall" in error) throw usage(`${given} ${unreadable(error)}.`);
    throw error;
  };

/** Archives that are not read here, by their endings. What systems install, such as dmg and apk, is signed, and none of them. */
const closed = /\.(7z|rar|xz|txz|bz2?|tbz2?|zst|tzst|br|tbr|lz|lzma|lz4|z|gz|ace|arj|cab|cpio)$/i;

/** Checks what is in an archive, as far as it can be read. Returns the modes to set. */
async function checkInside(ctx: Context, source: Source, size: number, findings: Findings): Promise<NewMode[]> {
  const { path } = source;
  if (/\.(tar(\.gz)?|tgz)$/i.test(path)) {
    await (await import("./tar.ts")).checkTar(ctx, source, size, findings);
    return [];
  }
  if (/\.zip$/i.test(path)) return modesToSet(ctx, source, size, findings);
  if (closed.test(path)) notLookedInto(ctx, basename(path), "archives of this kind cannot be read");
  return [];
}

/** A mode of a file in an archive, to be written into its record. */
interface NewMode {
  record: number;
  mode: number;
}

/** Checks what is in a zip archive, and returns the modes that make its programs executable. Other files need none. */
async function modesToSet(ctx: Context, { path, flags }: Source, size: number, findings: Findings): Promise<NewMode[]> {
  return withReader(path, async (readAt) => {
    const entries = await readZipIndex(size, readAt);
    if (!entries) {
      notLookedInto(ctx, basename(path), "it cannot be read as a zip archive");
      return [];
    }
    const files = entries.filter((entry) => !isFolder(entry));
    const paths = files.map((entry) => entry.path);
    const all = entries.map(({ path: one }) => one.replace(/\/$/, ""));
    refuseEscaping(all);
    checkLinks(ctx, await linksOf(files, readAt), all, undefined, findings);
    checkNames(ctx, paths, flags, findings);
    const lacking = await lookInside(ctx, files, readAt, flags);
    if (flags.keepModes || lacking.length === 0) return [];
    const names = lacking.map((entry) => entry.path);
    // Those who unpack read such names by the system that the archive says it is from, which setting modes changes.
    if (entries.some(({ clearName, mode }) => !clearName && mode === undefined)) return cannotMake(ctx, names);
    findings.madeExecutable = names;
    return newModes(entries, new Set(lacking));
  });
}

/** Whether a mode says that it is one of a file: if not, 7-Zip ignores it. */
const saysFile = ({ mode = 0 }: ZipEntry) => (mode & 0o170000) === 0o100000;

/** The files of an archive that are programs without being executable. Refuses secrets. */
async function lookInside(
  ctx: Context,
  files: readonly ZipEntry[],
  readAt: ReadAt<Buffer>,
  flags: ContentFlags,
): Promise<ZipEntry[]> {
  const secrets = secretSearch(ctx, "archive");
  const [unread, lacking]: [string[], ZipEntry[]] = [[], []];
  const progress = await ctx.progress();
  for (const [at, entry] of files.entries()) {
    ctx.signal.throwIfAborted();
    progress.update(`Checking ${plural(files.length, "file")}`, at / files.length);
    const read = isLink(entry) ? Buffer.alloc(0) : await headOf(entry, readAt);
    if (!read) unread.push(entry.path);
    const head = read ?? Buffer.alloc(0);
    secrets.look(entry.path, head);
    if (!(isExecutable(entry) && saysFile(entry)) && isProgram(head)) lacking.push(entry);
  }
  progress.done();
  secrets.refuse(flags);
  if (unread.length > 0) notLookedInto(ctx, listed(unread), "encrypted or unusually compressed files cannot be read");
  return lacking;
}

function cannotMake(ctx: Context, names: readonly string[]): [] {
  tellNotExecutable(ctx, names, "Push the folder instead of the archive.");
  return [];
}

/** For an archive from a system without modes, every entry gets one: unpacking programs take its names and modes from one system. */
const newModes = (entries: readonly ZipEntry[], programs: ReadonlySet<ZipEntry>): NewMode[] =>
  entries.flatMap((entry) => {
    const { record, mode = isFolder(entry) ? 0o40755 : 0o100644 } = entry;
    if (programs.has(entry)) return [{ record, mode: (mode & 0o7777) | 0o100111 }];
    return entry.mode === undefined ? [{ record, mode }] : [];
  });

async function linksOf(entries: readonly ZipEntry[], readAt: ReadAt<Buffer>) {
  const links = entries.filter(isLink).map(async ({ path, ...entry }) => {
    const target = await headOf({ path, ...entry }, readAt);
    return { path, target: target?.toString("utf8") ?? "" };
  });
  return Promise.all(links);
}

/** A copy of a zip archive with these modes in its index. Its data stays as it is. */
async function withModes(source: Source, filename: string, size: number, modes: readonly NewMode[]): Promise<string> {
  const copy = join(await source.temporary(), filename);
  await copyFile(source.path, copy, constants.COPYFILE_FICLONE).catch((error: unknown) => {
    throw noRoom(error, size);
  });
  await chmod(copy, 0o600);
  const file = await open(copy, "r+");
  const [unix, attributes] = [Buffer.from([3]), Buffer.alloc(2)];
  try {
    for (const { record, mode } of modes) {
      attributes.writeUInt16LE(mode);
      await file.write(unix, 0, 1, record + 5);
      await file.write(attributes, 0, 2, record + 40);
    }
  } finally {
    await file.close();
  }
  return copy;
}
