import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The revisions of this repository that an upgrade can begin at, and their packed programs. */
const root = join(import.meta.dirname, "../..");
const migrationList = "server/database/migrate.ts";
/** Tarballs are kept here: the program of a commit never changes. */
const cache = join(tmpdir(), "playtest-upgrade");

const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 }).trim();

/** The migrations of a revision, as its list names them. */
function migrationsOf(ref: string): string[] {
  const [, names = ""] =
    /const migrations: readonly Migration\[\] = \[([^\]]*)\]/.exec(git("show", `${ref}:${migrationList}`)) ?? [];
  return names.split(",").flatMap((name) => name.trim() || []);
}

/** Whether a database of `ref` can be brought up to date: what was not released may have had its migrations in another order. */
function isBefore(ref: string): boolean {
  const [then, now] = [migrationsOf(ref), migrationsOf("HEAD")];
  return then.length > 0 && then.length < now.length && then.every((name, position) => now[position] === name);
}

/** The newest release; where there is none, the last revision before the newest migration. */
export function previousVersions(): string[] {
  const tags = git("tag", "--list", "v*", "--sort=-version:refname").split("\n");
  const newest = tags.find((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
  return newest ? [newest] : lastVersions(1);
}

/** The last revision before each of the newest migrations, newest first: `count` of them. */
export function lastVersions(count: number): string[] {
  const changed = git("rev-list", "--first-parent", "HEAD", "--", migrationList).split("\n");
  const found: string[] = [];
  for (const commit of changed) {
    if (found.length === count) break;
    if (isBefore(`${commit}^`)) found.push(git("rev-parse", "--short=8", `${commit}^`));
  }
  return found;
}

/** A program that is unpacked in a folder of its own. */
export interface Version {
  name: string;
  program: string;
}

/** The program of a tarball, or of a revision, which is packed the first time. Uses the packages of this checkout. */
export function versionOf(from: string, folder: string): Version {
  const isFile = statSync(from, { throwIfNoEntry: false })?.isFile() === true;
  const tarball = isFile ? from : packed(git("rev-parse", "--verify", "--quiet", `${from}^{commit}`));
  const unpacked = mkdtempSync(join(folder, "version-"));
  execFileSync("tar", ["-xzf", tarball, "-C", unpacked]);
  symlinkSync(join(root, "node_modules"), join(unpacked, "package/node_modules"));
  return { name: isFile ? from : from.slice(0, 20), program: join(unpacked, "package/bin/playtest.js") };
}

/** The tarball of a commit. */
function packed(commit: string): string {
  const tarball = join(cache, `${commit}.tgz`);
  if (existsSync(tarball)) return tarball;
  process.stderr.write(`Packing ${git("log", "-1", "--format=%h %s", commit)} …\n`);
  mkdirSync(cache, { recursive: true });
  const checkout = mkdtempSync(join(cache, "checkout-"));
  try {
    execFileSync("tar", ["-x", "-C", checkout], {
      input: execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 }),
    });
    symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
    // What it says of the build belongs to nobody who waits for the upgrade.
    execFileSync("npm", ["pack", "--silent", "--pack-destination", checkout], { cwd: checkout, stdio: ["ignore", "ignore", 2] });
    renameSync(join(checkout, readdirSync(checkout).find((name) => name.endsWith(".tgz"))!), tarball);
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
  return tarball;
}

/** The program of this checkout, as it was built. */
export const present: Version = { name: "this version", program: join(root, "bin/playtest.js") };
