#!/usr/bin/env node
// Built code where there is some; in a checkout without it, the sources by tsx.
import { existsSync } from "node:fs";

const built = new URL("../dist/main.js", import.meta.url);
let entry = built.href;
if (!existsSync(built)) {
  const { register } = await import("tsx/esm/api");
  register();
  entry = new URL("../src/main.ts", import.meta.url).href;
}
const { main } = await import(entry);
process.exitCode = await main(process.argv.slice(2), process);
