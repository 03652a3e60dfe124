import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freshFolder } from "../helpers/store.ts";

/** A folder with the program's starter, and with a build or sources that only say which of them runs. */
function programIn(parts: readonly ("dist" | "src")[]): string {
  const root = join(import.meta.dirname, "../..");
  const folder = freshFolder();
  for (const name of ["bin", "dist", "src"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  copyFileSync(join(root, "bin/playtest.js"), join(folder, "bin/playtest.js"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const name of parts) {
    const file = name === "dist" ? "main.js" : "main.ts";
    writeFileSync(join(folder, name, file), `export const main = () => { console.log(${JSON.stringify(name)}); return 0; };`);
  }
  return folder;
}

const run = (folder: string, env: NodeJS.ProcessEnv) =>
  execFileSync(process.execPath, [join(folder, "bin/playtest.js"), "games", "list"], { env, encoding: "utf8" });

it.each([
  { what: "a checkout with an old build runs its sources", parts: ["dist", "src"], env: {}, runs: "src" },
  { what: "a checkout without a build runs its sources", parts: ["src"], env: {}, runs: "src" },
  {
    what: "PLAYTEST_BUILT=1 chooses the build of a checkout",
    parts: ["dist", "src"],
    env: { PLAYTEST_BUILT: "1" },
    runs: "dist",
  },
  { what: "an installed package runs its build", parts: ["dist"], env: {}, runs: "dist" },
] as const)("the starter of the program: $what", ({ parts, env, runs }) => {
  expect(run(programIn(parts), env)).toBe(`${runs}\n`);
});
