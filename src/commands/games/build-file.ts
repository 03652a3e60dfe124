import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { Context } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { hashFile, hashTree, type OnBytes, readTree, type TreeFile } from "../../io/files/tree.ts";
import { createMeter } from "../../io/meter.ts";
import { plural } from "../../io/text.ts";

/** A build as one file, ready to upload. */
export interface BuildFile {
  file: string;
  filename: string;
  size: number;
  sha256: string;
  /** Hash of the files inside: two archives of the same files have the same hash, however they were packed. */
  contentSha256: string;
}

/** A build that is not packed into one file yet. */
export interface Build {
  contentSha256: string;
  /** Directory that it is packed from. */
  folder?: string;
  /** The file; a directory is packed on the first call. */
  pack(): Promise<BuildFile>;
}

/** Calls `use` with the build at a path: a directory is packed into a temporary zip file, a file is used unchanged. */
export async function withBuild<T>(ctx: Context, source: string, use: (build: Build) => Promise<T>): Promise<T> {
  const path = resolve(ctx.io.cwd(), source);
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return use(await singleFile(ctx, path, info.size));
  if (!info?.isDirectory()) throw usage(`${source} is neither a file nor a directory.`);
  const files = await filesOf(ctx, path, source);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const contentSha256 = await withByteProgress(ctx, "Reading", plural(files.length, "file"), total, (onBytes) =>
    hashTree(files, onBytes),
  );
  const temporary = await mkdtemp(join(tmpdir(), "playtest-push-"));
  const target = join(temporary, `${basename(path) || "build"}.zip`);
  let packed: Promise<BuildFile> | undefined;
  const pack = () => {
    packed ??= zip(ctx, files, target).then((zipped) => ({ ...zipped, file: target, filename: basename(target), contentSha256 }));
    return packed;
  };
  try {
    return await use({ contentSha256, folder: path, pack });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function singleFile(ctx: Context, path: string, total: number): Promise<Build> {
  const filename = basename(path);
  const hashed = await withByteProgress(ctx, "Reading", filename, total, (onBytes) => hashFile(path, onBytes));
  if (hashed.size === 0) throw usage(`${filename} is empty.`);
  return { contentSha256: hashed.sha256, pack: async () => ({ ...hashed, file: path, filename, contentSha256: hashed.sha256 }) };
}

/** Runs `work` and shows its progress through `total` bytes (0: unknown); stops it when the command is interrupted. */
async function withByteProgress<T>(
  ctx: Context,
  verb: string,
  what: string,
  total: number,
  work: (onBytes: OnBytes) => Promise<T>,
): Promise<T> {
  const progress = await ctx.progress();
  const meter = createMeter(ctx.now);
  meter.expect(total);
  return work((count) => {
    ctx.signal.throwIfAborted();
    meter.add(count);
    progress.update(`${verb} ${meter.text()}: ${what}`, meter.fraction);
  }).finally(() => progress.done());
}

async function filesOf(ctx: Context, folder: string, source: string): Promise<TreeFile[]> {
  const { files, skipped } = await readTree(folder, ctx.signal);
  if (files.length === 0) throw usage(`${source} contains no files to push.`);
  if (skipped.length > 0)
    ctx.out.warn(
      `Skipped, because they are links or devices: ${skipped.slice(0, 5).join(", ")}${skipped.length > 5 ? " …" : ""}.`,
    );
  return files;
}

async function zip(ctx: Context, files: readonly TreeFile[], target: string) {
  const { writeZip } = await import("../../io/files/zip.ts");
  return withByteProgress(ctx, "Packing", plural(files.length, "file"), 0, (onBytes) =>
    writeZip(files, target, ctx.signal, onBytes),
  );
}

/** Reads parts of a file, for `readZipIndex`. */
export const fileReader = (path: string) => async (start: number, length: number) => {
  const handle = await open(path);
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};
