import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figure } from "./measure.ts";

const root = join(import.meta.dirname, "../..");

/** `install`: packages and megabytes of `npm install` of the packed tarball, without better-sqlite3 itself. */
export async function install(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: root, stdio: "ignore" });
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"))!;
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, allowScripts: { "better-sqlite3": true } }));
    execFileSync("npm", ["install", "--no-audit", "--no-fund", join(folder, tarball)], { cwd: folder, stdio: "ignore" });
    const modules = join(folder, "node_modules");
    const packages = packagesIn(modules);
    const sqlite = readdirSync(modules).filter((name) => name.startsWith("better-sqlite3"));
    const megabytes = (sizeOf(modules) - sqlite.reduce((sum, name) => sum + sizeOf(join(modules, name)), 0)) / 1e6;
    const figure = (what: string, value: number, most: number, raw: string): Figure => {
      return { name: "install", what, ratio: value / most, goal: `≤ ${most}`, met: value <= most, raw };
    };
    return [
      figure("packages", packages, 120, String(packages)),
      figure("megabytes besides better-sqlite3", megabytes, 60, megabytes.toFixed(1)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const entries = (folder: string) => readdirSync(folder, { withFileTypes: true });

/** Also those inside of others, and in scopes. */
function packagesIn(modules: string): number {
  let count = 0;
  for (const entry of entries(modules)) {
    if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
    const path = join(modules, entry.name);
    if (entry.name.startsWith("@")) {
      count += packagesIn(path);
      continue;
    }
    count +=
      1 +
      entries(path)
        .filter(({ name }) => name === "node_modules")
        .map(() => packagesIn(join(path, "node_modules")))
        .reduce((a, b) => a + b, 0);
  }
  return count;
}

function sizeOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
