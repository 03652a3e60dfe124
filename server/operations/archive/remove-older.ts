import { readdirSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type KeepRule, kept } from "../../config/keep-rule.ts";
import { flush } from "../../uploads/local-blobs.ts";
import { backupName, isBackupFolder } from "./contents.ts";

const dayMs = 86_400_000;

const timeOf = (name: string) =>
  Date.parse(backupName.exec(name)![1]!.replace(/(....)(..)(..)T(..)(..)(..)Z/, "$1-$2-$3T$4:$5:$6Z"));

/**
 * Removes the backups beside the one just made that the rule does not keep, and what killed runs left. Touches only what is named as this command names
 * it; exports and backups are counted apart. Returns the paths of the removed backups.
 */
export async function removeOlder(made: string, rule: KeepRule, portable: boolean, now: number): Promise<string[]> {
  const folder = dirname(made);
  const names = readdirSync(folder);
  const ours = names.filter((name) => backupName.test(name) && name.startsWith("playtest-export-") === portable);
  const backups = ours.filter((name) => name.endsWith(".tar") || isBackupFolder(join(folder, name)));
  const keep = kept(rule, backups.map(timeOf));
  // A clock that was ahead may have named an older one later.
  const old = backups.filter((name) => !keep.has(timeOf(name)) && name !== basename(made)).sort();
  for (const name of old) await remove(folder, name);
  for (const name of names) if (isLeftOver(folder, name, now)) await rm(join(folder, name), { recursive: true, force: true });
  return old.map((name) => join(folder, name));
}

/** Half of a backup must never have its name. */
async function remove(folder: string, name: string): Promise<void> {
  const away = join(folder, `.${name}.removed`);
  await rename(join(folder, name), away);
  await flush(folder);
  await rm(away, { recursive: true, force: true });
}

const leftOver = /^\.playtest-(export-)?\d{8}T\d{6}Z(\.tar)?\.(part|removed)/;

/** A run that goes on writes something every day. */
function isLeftOver(folder: string, name: string, now: number): boolean {
  if (!leftOver.test(name)) return false;
  return name.endsWith(".removed") || lastChange(join(folder, name)) < now - dayMs;
}

/** When something in a file or folder was last written (ms). */
function lastChange(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found?.mtimeMs ?? 0;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => lastChange(join(path, name))));
}
