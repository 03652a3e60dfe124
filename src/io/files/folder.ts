import { accessSync, constants, existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { cannotWrite } from "../../errors.ts";

/** Creates a directory and its parents if they do not exist. */
export const makeFolder = (path: string) =>
  mkdir(path, { recursive: true }).catch((error: Error) => Promise.reject(cannotWrite(path, causeOf(path, error))));

/**
 * Why a file or folder cannot be created: `error`, unless it says that the folder is missing. Node says so also when it cannot create
 * the folder, for example on a read-only disk. Then the parent that exists says more.
 */
export function causeOf(path: string, error: NodeJS.ErrnoException): Error {
  if (error.code !== "ENOENT") return error;
  let parent = dirname(path);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK);
    return error;
  } catch (refusal) {
    return Object.assign(refusal as Error, { path });
  }
}
