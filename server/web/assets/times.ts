import { readFileSync } from "node:fs";

/** The script that says times in the reader's zone. The build ships its text instead of a path. */
export const timesScript = readFileSync(new URL("times.js", import.meta.url), "utf8");
