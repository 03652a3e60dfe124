import { readFileSync } from "node:fs";

/** The script of the page that uploads a video. The build ships its text instead of a path. */
export const uploadScript = readFileSync(new URL("upload.js", import.meta.url), "utf8");
