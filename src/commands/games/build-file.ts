import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { usage } from "../../errors.ts";
import { plural } from "../../io/text.ts";
import type { Context } from "../define.ts";

/** A build as one file, ready to be sent. */
export interface BuildFile {
  file: string;
  filename: string;
  size: number;
  sha256: string;
  /** Folder it was made from. */
  folder?: string;
}

/** Makes the build at a path into one file, for as long as `use` runs: a folder is packed, a file is taken as it is. */
export async function withBuildFile<T>(ctx: Context, source: string, use: (build: BuildFile) => Promise<T>): Promise<T> {
  const path = resolve(ctx.io.cwd(), source);
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return use(await described(path, basename(path)));
  if (!info?.isDirectory()) throw usage(`${source} is neither a file nor a folder.`);
  const temporary = await mkdtemp(join(tmpdir(), "playtest-push-"));
  try {
    const file = join(temporary, `${basename(path) || "build"}.zip`);
    await pack(ctx, path, source, file);
    return await use({ ...(await described(file, basename(file))), folder: path });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function pack(ctx: Context, folder: string, source: string, target: string) {
  const [{ readTree }, { writeZip }] = await Promise.all([import("../../io/tree.ts"), import("../../io/zip.ts")]);
  const { files, skipped } = await readTree(folder);
  if (files.length === 0) throw usage(`${source} holds no files to push.`);
  if (skipped.length > 0)
    ctx.out.warn(
      `Not packed, because they are links or devices: ${skipped.slice(0, 5).join(", ")}${skipped.length > 5 ? " …" : ""}.`,
    );
  const progress = await ctx.progress();
  progress.update(`Packing ${plural(files.length, "file")}`);
  await writeZip(files, target, ctx.signal).finally(() => progress.done());
}

async function described(file: string, filename: string): Promise<BuildFile> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  if (size === 0) throw usage(`${filename} is empty.`);
  return { file, filename, size, sha256: hash.digest("hex") };
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
