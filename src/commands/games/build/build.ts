import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Context } from "../../../cli/define.ts";
import { cannotWrite, usage } from "../../../errors.ts";
import { unreadable } from "../../../io/files/tree.ts";
import type { ContentFlags } from "./checks.ts";
import type { Build } from "./source.ts";

/** Calls `use` with the build at a path: a directory is packed into a temporary zip file; of a file, only an archive's modes change. */
export async function withBuild<T>(
  ctx: Context,
  given: string,
  flags: ContentFlags,
  use: (build: Build) => Promise<T>,
): Promise<T> {
  const path = resolve(ctx.io.cwd(), given);
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw usage(`${given} ${unreadable(error)}.`);
  });
  if (!info?.isDirectory() && !info?.isFile()) throw usage(`${given} is neither a file nor a directory.`);
  let folder: Promise<string> | undefined;
  const temporary = () => {
    folder ??= temporaryFolder();
    return folder;
  };
  const source = { path, given, flags, temporary };
  try {
    if (info.isFile()) return await use(await (await import("./archive.ts")).fileBuild(ctx, source, info.size));
    return await use(await (await import("./folder.ts")).folderBuild(ctx, source));
  } finally {
    const made = await folder?.catch(() => undefined);
    if (made) await rm(made, { recursive: true, force: true });
  }
}

const remedy = "Set TMPDIR (on Windows TEMP) to a folder that can be written. Nothing was sent.";
const temporaryFolder = () =>
  mkdtemp(join(tmpdir(), "playtest-push-")).catch((error: Error) => {
    throw cannotWrite(tmpdir(), error, remedy);
  });
