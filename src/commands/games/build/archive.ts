import { constants } from "node:fs";
import { chmod, copyFile, open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Context } from "../../../cli/define.ts";
import { usage } from "../../../errors.ts";
import { type OnBytes, readContents } from "../../../io/files/contents.ts";
import { isProgram, secretIn } from "../../../io/files/kinds.ts";
import { type Fault, unpackable, unreadable } from "../../../io/files/tree.ts";
import { headOf, isExecutable, isFolder, isLink, type ReadAt, readZipIndex, type ZipEntry } from "../../../io/files/zip-index.ts";
import { plural } from "../../../io/text.ts";
import {
  type ContentFlags,
  checkLinks,
  checkNames,
  type Findings,
  listed,
  noFindings,
  refuseFaults,
  refuseSecrets,
  tell,
} from "./checks.ts";
import { withByteProgress } from "./progress.ts";
import { type Build, noRoom, type Source } from "./source.ts";

/** Calls `use` with a function that reads parts of a file. */
export async function withReader<T>(path: string, use: (readAt: ReadAt) => Promise<T>): Promise<T> {
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
  const modes = await modesToSet(ctx, source, total, findings).catch(refuseUnreadable(source));
  tell(ctx, findings);
  const file = modes.length > 0 ? await withModes(source, filename, total, modes) : source.path;
  const { head, ...read } = await withByteProgress(ctx, "Reading", filename, total, (onBytes: OnBytes) =>
    readContents(file, onBytes),
  ).catch(refuseUnreadable(source));
  const secret = secretIn(filename, head, ctx.settings().apiKey()?.value);
  const faults = secret ? [{ path: filename, problem: secret.what }] : [];
  if (secret?.kind === "key") refuseSecrets(faults, [], source.flags);
  else refuseSecrets([], faults, source.flags);
  const contentSha256 = read.sha256;
  return { contentSha256, findings, pack: async () => ({ sha256: read.sha256, size: read.size, file, filename, contentSha256 }) };
}

const refuseUnreadable =
  ({ given }: Source) =>
  (error: unknown): never => {
    if (error instanceof Error && "syscall" in error) throw usage(`${given} ${unreadable(error)}.`);
    throw error;
  };

/** Whether a file is an archive of files. Programs and packages may end in one, and are signed as they are. */
const isZip = (name: string, start: Buffer) => /\.zip$/i.test(name) && start.toString("latin1", 0, 2) === "PK";

/** A mode of a file in an archive, to be written into its record. */
interface NewMode {
  record: number;
  mode: number;
}

/** Checks what is in a zip archive, and returns the modes that make its programs executable. Other files need none. */
async function modesToSet(ctx: Context, { path, flags }: Source, size: number, findings: Findings): Promise<NewMode[]> {
  return withReader(path, async (readAt) => {
    const entries = isZip(path, await readAt(0, 4)) ? await readZipIndex(size, readAt) : undefined;
    if (!entries) return [];
    const files = entries.filter((entry) => !isFolder(entry));
    const paths = files.map((entry) => entry.path);
    refuseFaults(paths.flatMap(escaping));
    checkLinks(ctx, await linksOf(files, readAt), paths, false, findings);
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

/** The files of an archive that are programs without being executable. Refuses secrets. */
async function lookInside(ctx: Context, files: readonly ZipEntry[], readAt: ReadAt, flags: ContentFlags): Promise<ZipEntry[]> {
  const [keys, secrets, lacking]: [Fault[], Fault[], ZipEntry[]] = [[], [], []];
  const apiKey = ctx.settings().apiKey()?.value;
  const progress = await ctx.progress();
  for (const [at, entry] of files.entries()) {
    ctx.signal.throwIfAborted();
    progress.update(`Checking ${plural(files.length, "file")}`, at / files.length);
    const head = (isLink(entry) ? undefined : await headOf(entry, readAt)) ?? Buffer.alloc(0);
    const secret = secretIn(entry.path, head, apiKey);
    if (secret) (secret.kind === "key" ? keys : secrets).push({ path: entry.path, problem: secret.what });
    if (!isExecutable(entry) && isProgram(head)) lacking.push(entry);
  }
  progress.done();
  refuseSecrets(keys, secrets, flags);
  return lacking;
}

function cannotMake(ctx: Context, names: readonly string[]): [] {
  ctx.out.warn(
    `These programs are not executable and will not start on Linux and macOS: ${listed(names)}. Push the folder instead of the archive.`,
  );
  return [];
}

/** For an archive from a system without modes, every entry gets one: unpacking programs take its names and modes from one system. */
const newModes = (entries: readonly ZipEntry[], programs: ReadonlySet<ZipEntry>): NewMode[] =>
  entries.flatMap((entry) => {
    const { record, mode = isFolder(entry) ? 0o40755 : 0o100644 } = entry;
    if (programs.has(entry)) return [{ record, mode: mode | 0o111 }];
    return entry.mode === undefined ? [{ record, mode }] : [];
  });

/** Paths that lead out of the folder that an archive is unpacked into. */
function escaping(path: string): Fault[] {
  const problem =
    path.startsWith("/") || path.split("/").includes("..") ? "would be unpacked outside its folder" : unpackable(path);
  return problem === undefined ? [] : [{ path, problem }];
}

async function linksOf(entries: readonly ZipEntry[], readAt: ReadAt) {
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
