import { readFileSync } from "node:fs";

const base64 = (file: string) => readFileSync(new URL(file, import.meta.url)).toString("base64");

/** The videos that simulated playtesters submit in turn, in base64: real MP4s of three seconds. The build ships these bytes instead of paths. */
export const sampleVideos: readonly string[] = [base64("sample.mp4"), base64("sample-2.mp4")];
