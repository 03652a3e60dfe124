import { readFileSync } from "node:fs";

/** The script that shows times in the reader's time zone. The build replaces the path by the text of the file. */
export const timesScript = readFileSync(new URL("times.js", import.meta.url), "utf8");
