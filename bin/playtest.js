#!/usr/bin/env node
// Runs the built code; in a checkout, the sources with tsx, so that a build made before the last change is never run by mistake.
// PLAYTEST_BUILT=1 runs the build in a checkout, too.
import { existsSync } from "node:fs";

const argv = process.argv.slice(2);
const built = process.env.PLAYTEST_BUILT === "1" || !existsSync(new URL("../src/main.ts", import.meta.url));
if (!built) (await import("tsx/esm/api")).register();
const load = (path) => import(built ? `../dist/${path.replace(/^.*\//, "")}.js` : `../src/${path}.ts`);

// The version, the overview and completion are in a small file of their own, because shells request completions at every key press.
const words = ["--version", "-V", "--help", "-h", "__complete"];
const answer = words.includes(argv[0]) ? await (await load("cli/quick")).quick(argv, process.env, process.platform) : undefined;
if (answer === undefined) {
  process.exitCode = await (await load("main")).main(argv, process);
  // Nothing is left to do for a server that stopped, but a connection to a mail server that does not answer would keep it running.
  if (argv[0] === "serve") setTimeout(() => process.exit(), 250).unref();
} else process.stdout.on("error", () => {}).write(answer);
