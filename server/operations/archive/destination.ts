import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { ConfigError } from "../../config/read.ts";
import { makeFolder } from "../../lib/folders.ts";
import { flush } from "../../uploads/local-blobs.ts";
import { stampOf } from "./contents.ts";
import { type Earlier, FolderWriter, newestIn } from "./folder.ts";
import { makeScratch } from "./scratch.ts";
import { type TarOutput, TarWriter } from "./tar.ts";
import type { Target } from "./write.ts";

/** Where a backup goes: a tar file, a folder of its own in the folder of the backups, or a stream. */
export type Place = { kind: "file"; path: string } | { kind: "folder"; path: string } | { kind: "stream"; path: string };

export interface PlaceOptions {
  /** The file to create, the folder to create it in, or `-` for `output`. */
  target: string;
  /** Standard output, for the target `-`. */
  output?: TarOutput | undefined;
  portable: boolean;
  force: boolean;
  keep?: string | undefined;
  dryRun: boolean;
  now: number;
}

/** A target without a file extension is a folder and is created: otherwise the first backup would become a file of that name. */
export function findPlace({ target, portable, force, keep, now, dryRun }: PlaceOptions): Place {
  if (target === "-" && keep === undefined) return { kind: "stream", path: "standard output" };
  const path = resolve(target);
  const found = statSync(path, { throwIfNoEntry: false });
  if (keep !== undefined && (target === "-" || (found && !found.isDirectory())))
    throw new ConfigError(
      `--keep can only be used with a folder, and ${target === "-" ? "standard output" : path} is not one. Nothing was written.`,
    );
  const inFolder = keep !== undefined || (found ? found.isDirectory() : extname(path) === "");
  if (inFolder && !dryRun) makeFolder(path);
  const name = portable ? `playtest-export-${stampOf(now)}.tar` : `playtest-${stampOf(now)}`;
  const file = inFolder ? join(path, name) : path;
  if (!inFolder && !existsSync(dirname(file)))
    throw new ConfigError(`The folder ${dirname(file)} does not exist. Nothing was written. Create it first.`);
  const asFolder = inFolder && !portable;
  if (existsSync(file) && (asFolder || !force))
    throw Object.assign(
      new ConfigError(
        `${file} already exists and was not changed. ${asFolder ? "Try again in a second." : "Pass --force to replace it."}`,
      ),
      { exitCode: 6 },
    );
  return { kind: asFolder ? "folder" : "file", path: file };
}

/** The newest backup beside the one that is to be made. */
export const earlierAt = async ({ kind, path }: Place): Promise<Earlier | undefined> =>
  kind === "folder" && existsSync(dirname(path)) ? newestIn(dirname(path)) : undefined;

/** A backup that is being written. */
export interface Destination {
  target: Target;
  /** A file for the copy of the database. */
  scratch: string;
  /** Gives the complete backup its name. */
  finish(): Promise<void>;
  /** Closes it, and removes everything but a backup that has its name. */
  clean(): Promise<void>;
}

export async function openDestination(place: Place, { output, now }: PlaceOptions): Promise<Destination> {
  const { kind, path } = place;
  if (kind === "stream") {
    const folder = makeScratch(tmpdir(), "playtest-backup-", now);
    const clean = () => rm(folder, { recursive: true, force: true });
    return { target: new TarWriter(output!, now), scratch: join(folder, "database"), finish: async () => {}, clean };
  }
  const parent = dirname(path);
  const part = join(parent, `.${basename(path)}.part`);
  async function finish(): Promise<void> {
    await rename(part, path);
    await flush(parent);
  }
  async function clean(): Promise<void> {
    for (const name of readdirSync(parent))
      if (name.startsWith(basename(part))) await rm(join(parent, name), { recursive: true, force: true });
  }
  const scratch = `${part}.database`;
  if (kind === "folder") {
    await mkdir(part, { mode: 0o700 });
    return { target: new FolderWriter(part, await earlierAt(place)), scratch, finish, clean };
  }
  const handle = await open(part, "w", 0o600);
  return { target: new TarWriter(handle, now), scratch, finish, clean: () => handle.close().finally(clean) };
}
