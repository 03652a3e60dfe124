import { readFileSync } from "node:fs";

/** The video that simulated playtesters submit, in base64: a real MP4 of three seconds. The build ships these bytes instead of a path. */
export const sampleVideo = readFileSync(new URL("sample.mp4", import.meta.url)).toString("base64");
