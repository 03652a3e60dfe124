#!/usr/bin/env node
// Built code where there is some; in a checkout without it, the sources by tsx.
import { existsSync } from "node:fs";

const argv = process.argv.slice(2);
const built = existsSync(new URL("../dist/main.js", import.meta.url));
if (!built) (await import("tsx/esm/api")).register();
const load = (path) => import(built ? `../dist/${path.replace(/^.*\//, "")}.js` : `../src/${path}.ts`);

// The version, the overview and completion come from a small file of their own: shells ask for them at every key.
const words = ["--version", "-V", "--help", "-h", "__complete"];
const answer = words.includes(argv[0]) ? await (await load("cli/quick")).quick(argv, process.env, process.platform) : undefined;
if (answer === undefined) process.exitCode = await (await load("main")).main(argv, process);
else process.stdout.on("error", () => {}).write(answer);
