/**
 * `npm run test:mutants:rules [-- FILE…]`: mutates the pure rules with Stryker (stryker.config.mjs), only those files if any are named.
 * What did not change since the last run is not run again, unless files are named. Stryker needs Node.js 22, which is brought where this
 * is an older one.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { installNode } from "../node-version.mjs";

const root = join(import.meta.dirname, "../..");
const needed = 22;

function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= needed) return process.execPath;
  const folder = join(root, `.tmp/node-${needed}`);
  const installed = join(folder, "node_modules/node/bin/node");
  return existsSync(installed) ? installed : join(installNode(needed, folder), "node");
}

const files = process.argv.slice(2);
const stryker = "test/node_modules/@stryker-mutator/core/bin/stryker.js";
const only = files.length > 0 ? ["--force", "--mutate", files.join(",")] : [];
const { status } = spawnSync(findNode(), [stryker, "run", "test/mutants/stryker.config.mjs", ...only], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
