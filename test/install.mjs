/**
 * Installs the packages that only tests and benchmarks use into test/node_modules, unless those of test/package-lock.json are
 * there already. The npm scripts that need them run this first.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const modules = join(folder, "node_modules");
const inputs = ["package.json", "package-lock.json", ".npmrc"];
const stampName = ".installed-from";

const hash = createHash("sha256");
for (const name of inputs) hash.update(readFileSync(join(folder, name)));
/** Some packages hold programs for one kind of machine. */
const wanted = `${process.platform} ${process.arch} ${hash.digest("hex")}\n`;

/** Runs `action`; undefined when it failed in one of the ways given. */
function unless(codes, action) {
  try {
    return action();
  } catch (error) {
    if (!codes.includes(error.code)) throw error;
    return undefined;
  }
}

const isCurrent = () => unless(["ENOENT"], () => readFileSync(join(modules, stampName), "utf8")) === wanted;

/** Whether it succeeded. */
async function npmCi(cwd) {
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
  });
  // When interrupted, wait for npm to end, so that what it wrote can be removed.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => npm.kill(signal));
  const [code] = await once(npm, "exit");
  return code === 0;
}

/**
 * Puts the new packages in place. Renaming a folder is atomic, so no run ever sees half of them; of two runs that install at the
 * same time, the first to finish wins.
 */
function publish(temporary) {
  if (isCurrent()) return;
  unless(["ENOENT"], () => renameSync(modules, join(temporary, "replaced")));
  unless(["ENOTEMPTY", "EEXIST"], () => renameSync(join(temporary, "node_modules"), modules));
}

async function install() {
  process.stderr.write("Installing the packages that only the tests use into test/node_modules …\n");
  mkdirSync(join(folder, ".tmp"), { recursive: true });
  const temporary = mkdtempSync(join(folder, ".tmp/install-"));
  try {
    for (const name of inputs) copyFileSync(join(folder, name), join(temporary, name));
    if (await npmCi(temporary)) {
      writeFileSync(join(temporary, "node_modules", stampName), wanted);
      publish(temporary);
    } else {
      process.stderr.write("npm ci failed, so test/node_modules was not changed. Run the same command again to retry.\n");
      process.exitCode = 1;
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const isLink = lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink();
if (isLink && !isCurrent()) {
  process.stderr.write("test/node_modules is a link to the packages of another lockfile; it is used as it is.\n");
} else if (!isCurrent()) {
  await install();
}
