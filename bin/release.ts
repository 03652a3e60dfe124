/**
 * `npm run release -- VERSION` releases what CHANGELOG.md has under "Unreleased": sets the version, dates the heading, packs the program, and
 * commits and tags that. The tarball and the notes are in `.tmp/release`. Nothing is pushed or published: the last line says how.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const changelog = "CHANGELOG.md";
const changed = ["package.json", "package-lock.json", changelog];
const folder = ".tmp/release";
const heading = "## Unreleased";

type Run = (program: "git" | "npm", ...args: string[]) => string;

/** Runs git and npm in a folder. What npm says, such as the files of the tarball, belongs to standard error. */
const runIn =
  (cwd: string): Run =>
  (program, ...args) =>
    program === "git"
      ? execFileSync(program, args, { cwd, encoding: "utf8" }).trim()
      : String(execFileSync(program, args, { cwd, stdio: ["ignore", 2, 2] }));

/** Nothing was released, and why. */
export class Refused extends Error {
  constructor(reason: string, remedy: string) {
    super(`${reason} Nothing was released. ${remedy}`);
  }
}

const isVersion = (text: string) => /^\d+\.\d+\.\d+$/.test(text);
const compare = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

/** The version to release. Throws Refused unless it is higher than that of every tag, such as `v1.2.3`. */
function versionFrom(given: string | undefined, run: Run): string {
  const tags = run("git", "tag", "--list", "v*").split("\n");
  const released = tags.map((tag) => tag.slice(1)).filter(isVersion);
  const last = released.sort(compare).at(-1);
  if (given === undefined || !isVersion(given))
    throw new Refused(`${given ?? "No version"} is not a version.`, "Name it: npm run release -- 1.2.3");
  if (last !== undefined && compare(given, last) <= 0)
    throw new Refused(`Version ${given} is not higher than ${last}, the last that was released.`, "Name a higher one.");
  return given;
}

function requireCleanTree(run: Run): void {
  const changes = run("git", "status", "--porcelain");
  if (changes !== "") throw new Refused(`There are changes that are not committed:\n${changes}\n`, "Commit or stash them.");
}

/** What stands under "Unreleased". Throws Refused if nothing does. */
function notesFrom(text: string): string {
  const [, rest = ""] = text.split(`\n${heading}\n`);
  const notes = rest.split(/^## /m)[0]!.trim();
  if (notes === "") throw new Refused(`${changelog} has nothing under "Unreleased".`, "Say there what users can notice.");
  return notes;
}

/** Releases the repository in `root`, and returns what to say of it. Throws Refused; all files are then as they were. */
export function release(root: string, given: string | undefined): string {
  const run = runIn(root);
  requireCleanTree(run);
  const version = versionFrom(given, run);
  const text = readFileSync(join(root, changelog), "utf8");
  const notes = notesFrom(text);
  const today = new Date().toISOString().slice(0, 10);
  mkdirSync(join(root, folder), { recursive: true });
  try {
    run("npm", "version", version, "--no-git-tag-version", "--allow-same-version");
    writeFileSync(join(root, changelog), text.replace(heading, `${heading}\n\n## ${version} (${today})`));
    run("npm", "pack", "--pack-destination", folder);
  } catch (error) {
    run("git", "checkout", "--", ...changed);
    throw new Refused(`The program could not be packed: ${(error as Error).message}.`, "Correct what npm says above.");
  }
  const notesFile = `${folder}/notes-${version}.md`;
  writeFileSync(join(root, notesFile), `${notes}\n`);
  run("git", "commit", "--quiet", "--message", `Release ${version}`, "--", ...changed);
  // Lines of the notes that begin with # are headings, not comments.
  run("git", "tag", "--annotate", `v${version}`, "--cleanup=whitespace", "--file", notesFile);
  const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const tarball = `${folder}/${name}-${version}.tgz`;
  return `Released ${version}: the tag v${version}, ${tarball} and its notes, ${notesFile}.
To publish it: git push --follow-tags && npm publish ${tarball}
`;
}

function main(): void {
  try {
    process.stdout.write(release(join(import.meta.dirname, ".."), process.argv[2]));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
