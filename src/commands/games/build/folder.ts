import { basename, isAbsolute, join, relative, sep } from "node:path";
import type { Context } from "../../../cli/define.ts";
import type { Fault } from "../../../contract/files/build-names.ts";
import { usage } from "../../../errors.ts";
import { type BuildItem, hashItems, type OnBytes, type ReadFile, readContents } from "../../../io/files/contents.ts";
import { isProgram, type Secret } from "../../../io/files/kinds.ts";
import { readTree, type TreeFile, type TreeItem, unreadable } from "../../../io/files/tree.ts";
import { plural } from "../../../io/text.ts";
import { checkLinks, checkNames, type Findings, noFindings, refuseFaults, secretSearch, tell } from "./checks.ts";
import { withByteProgress } from "./progress.ts";
import { type Build, type BuildFile, noRoom, type Source } from "./source.ts";

/** The build in a folder, read and checked. */
export async function folderBuild(ctx: Context, source: Source): Promise<Build> {
  const findings = noFindings();
  const items = await itemsOf(ctx, source, findings);
  const files = items.filter((item) => item.kind === "file");
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const read = await withByteProgress(ctx, "Reading", plural(files.length, "file"), total, (onBytes) =>
    readItems(ctx, source, items, onBytes, findings),
  );
  tell(ctx, findings);
  const contentSha256 = hashItems(read);
  let packed: Promise<BuildFile> | undefined;
  const pack = () => {
    packed ??= zip(ctx, source, read).then((zipped) => ({ ...zipped, contentSha256 }));
    return packed;
  };
  return { contentSha256, folder: source.path, findings, pack };
}

/** What is in the folder and will be packed. Throws if anything in it cannot be. */
async function itemsOf(ctx: Context, { path, given, flags }: Source, findings: Findings): Promise<TreeItem[]> {
  const { items, skipped, faults } = await readTree(path, ctx.signal, !flags.noDefaultIgnores);
  refuseFaults(faults);
  if (!items.some(({ kind }) => kind === "file")) throw usage(`${given} contains no files to push.`);
  findings.skippedFiles.push(...skipped);
  const links = items.filter((item) => item.kind === "link");
  const paths = items.map((item) => item.path);
  const leftOut = new Set<TreeItem>(checkLinks(ctx, links, paths, flags.skipLinks, findings));
  checkNames(ctx, paths, flags, findings);
  const time = givenTime(ctx);
  return items.filter((item) => !leftOut.has(item)).map((item) => (time === undefined ? item : { ...item, time }));
}

/** The one time of all files, as reproducible builds name it. */
function givenTime(ctx: Context): number | undefined {
  const seconds = ctx.io.env.SOURCE_DATE_EPOCH;
  if (!seconds) return undefined;
  if (/^\d{1,11}$/.test(seconds)) return Number(seconds) * 1000;
  throw usage(
    "SOURCE_DATE_EPOCH is not a number of seconds.",
    "Set it to seconds since 1970, such as `git log -1 --format=%ct` prints.",
  );
}

const setting: Secret = { kind: "key", what: "is in the folder of this command's settings" };

/** Reads every file. Refuses secrets, and makes programs executable. */
async function readItems(ctx: Context, { flags }: Source, items: readonly TreeItem[], onBytes: OnBytes, findings: Findings) {
  const { directory } = ctx.store;
  const secrets = secretSearch(ctx, "folder");
  const faults: Fault[] = [];
  const add = async (item: TreeFile): Promise<ReadFile[]> => {
    try {
      const keys = secrets.keysOf();
      const { head, ...contents } = await readContents(item.file, onBytes, keys.look);
      const isSetting = directory !== undefined && isWithin(item.file, directory);
      secrets.look(item.path, head, isSetting ? setting : keys.found());
      const made = !flags.keepModes && !item.executable && isProgram(head);
      if (made) findings.madeExecutable.push(item.path);
      return [{ ...item, ...contents, executable: item.executable || made }];
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      faults.push({ path: item.path, problem: unreadable(error) });
      return [];
    }
  };
  const read: BuildItem[] = [];
  for (const item of items) read.push(...(item.kind === "file" ? await add(item) : [item]));
  refuseFaults(faults);
  secrets.refuse(flags);
  return read;
}

function isWithin(file: string, folder: string): boolean {
  const path = relative(folder, file);
  return !isAbsolute(path) && path !== ".." && !path.startsWith(`..${sep}`);
}

async function zip(ctx: Context, source: Source, items: readonly BuildItem[]) {
  const { writeZip } = await import("../../../io/files/zip.ts");
  const files = items.filter((item) => item.kind === "file");
  const needed = files.reduce((sum, { size }) => sum + size, 0);
  const folder = await source.temporary();
  const filename = `${basename(source.path) || "build"}.zip`;
  const file = join(folder, filename);
  const zipped = await withByteProgress(ctx, "Packing", plural(files.length, "file"), 0, (onBytes) =>
    writeZip(items, file, ctx.signal, onBytes),
  ).catch((error: unknown) => {
    throw ctx.signal.aborted ? ctx.signal.reason : noRoom(error, needed);
  });
  return { ...zipped, file, filename };
}
