import { readFileSync } from "node:fs";

/** The script of Studio: changes as they happen, and commands to copy. The build replaces the path by the text of the file. */
export const studioScript = readFileSync(new URL("studio.js", import.meta.url), "utf8");
