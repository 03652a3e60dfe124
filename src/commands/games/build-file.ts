import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import { hashFile, hashTree, readTree, type TreeFile } from "../../io/tree.ts";
import type { Context } from "../define.ts";

/** A build as one file, ready to be sent. */
export interface BuildFile {
  file: string;
  filename: string;
  size: number;
  sha256: string;
  /** Hash of what it holds: two archives of the same files share it, whatever packed them. */
  contentSha256: string;
}

/** A build before it is made into one file. */
export interface Build {
  contentSha256: string;
  /** Folder it is made from. */
  folder?: string;
  /** The file; a folder is packed when this is first asked for. */
  pack(): Promise<BuildFile>;
}

/** The build at a path, for as long as `use` runs: a folder is packed, a file is taken as it is. */
export async function withBuild<T>(ctx: Context, source: string, use: (build: Build) => Promise<T>): Promise<T> {
  const path = resolve(ctx.io.cwd(), source);
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return use(await singleFile(path));
  if (!info?.isDirectory()) throw usage(`${source} is neither a file nor a folder.`);
  const files = await filesOf(ctx, path, source);
  const contentSha256 = await hashTree(files);
  const temporary = await mkdtemp(join(tmpdir(), "playtest-push-"));
  const target = join(temporary, `${basename(path) || "build"}.zip`);
  let packed: Promise<BuildFile> | undefined;
  const pack = () => {
    packed ??= zip(ctx, files, target).then(() => described(target, contentSha256));
    return packed;
  };
  try {
    return await use({ contentSha256, folder: path, pack });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function singleFile(path: string): Promise<Build> {
  const file = await described(path);
  return { contentSha256: file.contentSha256, pack: async () => file };
}

async function filesOf(ctx: Context, folder: string, source: string): Promise<TreeFile[]> {
  const { files, skipped } = await readTree(folder);
  if (files.length === 0) throw usage(`${source} holds no files to push.`);
  if (skipped.length > 0)
    ctx.out.warn(
      `Not packed, because they are links or devices: ${skipped.slice(0, 5).join(", ")}${skipped.length > 5 ? " …" : ""}.`,
    );
  return files;
}

async function zip(ctx: Context, files: readonly TreeFile[], target: string) {
  const { writeZip } = await import("../../io/zip.ts");
  const progress = await ctx.progress();
  progress.update(`Packing ${plural(files.length, "file")}`);
  await writeZip(files, target, ctx.signal).finally(() => progress.done());
}

async function described(file: string, contentSha256?: string): Promise<BuildFile> {
  const filename = basename(file);
  const { sha256, size } = await hashFile(file);
  if (size === 0) throw usage(`${filename} is empty.`);
  return { file, filename, size, sha256, contentSha256: contentSha256 ?? sha256 };
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
