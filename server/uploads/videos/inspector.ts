import { readFileSync } from "node:fs";

/** The text of the module that inspects videos, for the thread that runs it and for browsers. The build replaces the path by the text. */
export const inspectorSource = readFileSync(new URL("../../../src/contract/files/inspect-video.js", import.meta.url), "utf8");
