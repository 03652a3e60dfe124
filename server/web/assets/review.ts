import { readFileSync } from "node:fs";

/** The scripts of the review page and of the comparison. The build replaces the paths by the texts of the files. */
export const reviewScript = readFileSync(new URL("review.js", import.meta.url), "utf8");
export const compareScript = readFileSync(new URL("compare.js", import.meta.url), "utf8");
