import { mkdir } from "node:fs/promises";
import { cannotWrite } from "../../errors.ts";

/** Makes a folder with those above it, where they are not there yet. */
export const makeFolder = (path: string) =>
  mkdir(path, { recursive: true }).catch((error: Error) => Promise.reject(cannotWrite(path, error)));
