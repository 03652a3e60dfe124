import { webUrl } from "../../api/url.ts";
import type { Context } from "../../cli/define.ts";
import { isExecutable, isFolder, isLink, readZipIndex, type ZipEntry } from "../../contract/files/zip-index.ts";
import { CliError } from "../../errors.ts";
import { withReader } from "./build/archive.ts";
import type { BuildFile } from "./build/source.ts";

export interface Change {
  change: "added" | "changed" | "removed";
  path: string;
  size: number | null;
}

type Packed = Pick<ZipEntry, "path" | "size" | "crc32" | "mode">;

const differ = (a: Packed, b: Packed) =>
  a.size !== b.size || a.crc32 !== b.crc32 || isLink(a) !== isLink(b) || isExecutable(a) !== isExecutable(b);

/** The differences between what two archives hold. */
export function changes(before: readonly Packed[], after: readonly Packed[]): Change[] {
  const previous = new Map(before.map((entry) => [entry.path, entry]));
  const kept = new Set(after.map(({ path }) => path));
  const found: Change[] = [];
  for (const entry of after) {
    const { path, size } = entry;
    const known = previous.get(path);
    if (!known) found.push({ change: "added", path, size });
    else if (differ(known, entry)) found.push({ change: "changed", path, size });
  }
  found.push(
    ...before.filter(({ path }) => !kept.has(path)).map(({ path }) => ({ change: "removed" as const, path, size: null })),
  );
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The files of the current build; undefined if they cannot be read. */
async function currentFiles(ctx: Context, link: string): Promise<ZipEntry[] | undefined> {
  const url = webUrl(link);
  const fetchPart = async (range: string) => {
    const reply = await ctx.send({ method: "GET", url, headers: { range }, signal: ctx.signal });
    if (reply.status !== 206) throw new CliError("NO_RANGES", 1, `the server returned ${reply.status} to a range request.`);
    return reply;
  };
  try {
    const size = Number(/\/(\d+)$/.exec((await fetchPart("bytes=0-0")).headers["content-range"] ?? "")?.[1]);
    return await readZipIndex(size, async (start, length) => (await fetchPart(`bytes=${start}-${start + length - 1}`)).body);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    ctx.out.note(`Cannot compare with the current build: ${error.message}`);
    return undefined;
  }
}

/** What is in an archive: of folders, only the empty ones. Some programs name all of them, some none that files tell of. */
function contentsOf(entries: readonly ZipEntry[] = []): ZipEntry[] {
  const filled = new Set<string>();
  for (const { path } of entries)
    for (let end = path.lastIndexOf("/", path.length - 2); end > 0; end = path.lastIndexOf("/", end - 1))
      filled.add(path.slice(0, end + 1));
  return entries.filter((entry) => !isFolder(entry) || !filled.has(entry.path));
}

/** The files, links and empty folders that a push would change, from the indexes of both archives. `link`: where to download the current build. */
export async function preview(ctx: Context, build: BuildFile, link: string | undefined): Promise<Change[]> {
  const after = await withReader(build.file, (readAt) => readZipIndex(build.size, readAt));
  const before = link === undefined || after === undefined ? undefined : await currentFiles(ctx, link);
  if (after === undefined) ctx.out.note(`${build.filename} is not a zip file. It is pushed unchanged.`);
  return changes(
    contentsOf(before),
    after ? contentsOf(after) : [{ path: build.filename, size: build.size, crc32: 0, mode: undefined }],
  );
}
