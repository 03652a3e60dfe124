import { readFileSync } from "node:fs";

/** The scripts of pages with a video. The build replaces the paths by the texts of the files. */
export const positionScript = readFileSync(new URL("position.js", import.meta.url), "utf8");
export const transcriptScript = readFileSync(new URL("transcript.js", import.meta.url), "utf8");
export const playerScript = readFileSync(new URL("player.js", import.meta.url), "utf8");
