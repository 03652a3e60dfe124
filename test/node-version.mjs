import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const versions = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };

/** Runs npm, which says only what goes wrong. */
export const npm = (args, options) =>
  execFileSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { stdio: "inherit", ...options });

/** Installs a version of Node.js in a folder, from the npm package `node`. Returns the folder of its program. */
export function installNode(major, folder) {
  const version = versions[major];
  if (!version) throw new Error(`Name one of the versions ${Object.keys(versions).join(", ")}, such as: npm run test:node -- 24`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  // The package `node` has an install script that fetches this one.
  npm(["install", "--no-save", `node@npm:node-${process.platform}-${process.arch}@${version}`], { cwd: folder });
  return join(folder, "node_modules/node/bin");
}
