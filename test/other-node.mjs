/**
 * `npm run test:node -- 24 [arguments of the test runner]`: installs a copy of the checkout with another version of Node.js, which comes
 * from the npm package `node`, and runs the tests there. Packages with programs of their own differ between versions, so node_modules
 * cannot be shared; what only the tests use can.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { installNode, npm } from "./node-version.mjs";

const [major, ...rest] = process.argv.slice(2);
const root = join(import.meta.dirname, "..");
const folder = join(tmpdir(), `playtest-node-${major}-${process.pid}`);
const checkout = join(folder, "checkout");

try {
  const programs = installNode(major, join(folder, "node"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    cpSync(join(root, file), join(checkout, file));
  }
  // Tests of the layout ask git for the list of files.
  execFileSync("git", ["init", "--quiet"], { cwd: checkout });
  const PATH = `${programs}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH };
  npm(["ci"], { cwd: checkout, env });
  symlinkSync(join(root, "test/node_modules"), join(checkout, "test/node_modules"));
  const { status } = spawnSync("npm", ["test", "--", ...rest], { cwd: checkout, env, stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
