import { mkdir } from "node:fs/promises";
import { cannotWrite } from "../../errors.ts";

/** Creates a directory and its parents if they do not exist. */
export const makeFolder = (path: string) =>
  mkdir(path, { recursive: true }).catch((error: Error) => Promise.reject(cannotWrite(path, error)));
