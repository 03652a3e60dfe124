import { basename } from "node:path";
import type { Context } from "../../../cli/define.ts";
import { usage } from "../../../errors.ts";
import { isLibrary, isProgram } from "../../../io/files/kinds.ts";
import { boundsOf, readTar, type TarEntry } from "../../../io/files/tar.ts";
import {
  checkLinks,
  checkNames,
  type Findings,
  notLookedInto,
  refuseEscaping,
  secretSearch,
  tellNotExecutable,
} from "./checks.ts";
import { withByteProgress } from "./progress.ts";
import type { Source } from "./source.ts";

/** Checks what is in a tar archive, which stays as it is. */
export async function checkTar(ctx: Context, { path: file, flags }: Source, size: number, findings: Findings): Promise<void> {
  const filename = basename(file);
  const secrets = secretSearch(ctx, "archive");
  const [folders, paths, lacking]: [string[], string[], string[]] = [[], [], []];
  const links: { path: string; target: string }[] = [];
  const take = (entry: TarEntry) => {
    const { path, kind, target, executable, head } = entry;
    if (kind === "folder") return void folders.push(path);
    paths.push(path);
    if (target !== undefined) links.push({ path, target: entry.hard ? fromTop(path, target) : target });
    if (kind !== "file") return;
    secrets.look(path, head);
    if (!executable && isProgram(head) && !isLibrary(path)) lacking.push(path);
  };
  const shortfall = await withByteProgress(ctx, "Checking", filename, size, (onBytes) =>
    readTar(file, boundsOf(size), onBytes, take),
  );
  if (shortfall?.damaged)
    throw usage(
      `${filename} cannot be unpacked whole, so nothing was sent: ${shortfall.why}.`,
      "Make the archive again. If it is not a tar archive, give it the file extension of what it is.",
    );
  refuseEscaping([...folders, ...paths]);
  checkLinks(ctx, links, [...folders, ...paths], undefined, findings);
  checkNames(ctx, paths, flags, findings);
  secrets.refuse(flags);
  if (shortfall) notLookedInto(ctx, `part of ${filename}`, shortfall.why);
  if (lacking.length > 0 && !flags.keepModes)
    tellNotExecutable(ctx, lacking, "Make them executable before you pack the archive, or push the folder instead.");
}

/** What a link would have to say to lead to a path that is seen from the top of the archive. */
const fromTop = (path: string, target: string) =>
  target.startsWith("/") ? target : `${"../".repeat(path.split("/").length - 1)}${target}`;
