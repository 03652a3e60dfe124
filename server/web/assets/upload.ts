import { readFileSync } from "node:fs";

/** The script of the page that uploads a video. The build replaces the path by the text of the file. */
export const uploadScript = readFileSync(new URL("upload.js", import.meta.url), "utf8");
