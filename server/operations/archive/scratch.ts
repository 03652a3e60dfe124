import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const dayMs = 86_400_000;

/**
 * A new private folder in `parent` for the time of a command, which must remove it. Removes those that commands of the same user left which
 * were killed more than a day ago: they have copies of the database.
 */
export function makeScratch(parent: string, prefix: string, now: number): string {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if (name.startsWith(prefix) && isLeft(path, Number.parseInt(name.slice(prefix.length), 10), now))
      rmSync(path, { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}

/** Not only by the process: another container that shares the folder has processes of its own. */
function isLeft(path: string, pid: number, now: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.uid === process.getuid?.() && found.mtimeMs < now - dayMs && !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
