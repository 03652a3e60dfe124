import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Creates a folder that only this user can read, and its parents. Throws the system's error for the path that is in the way. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refusalAtParent(path) ?? error;
  }
}

/** Creates the folder unless it exists, and throws the system's error where this user cannot write in it. */
export function makeWritableFolder(path: string): void {
  makeFolder(path);
  requireWritable(path);
}

/** Throws the system's error for a folder that does not exist or in which this user cannot write. */
export function requireWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw Object.assign(error as Error, { path });
  }
}

/** Node reports a folder that it cannot create, for example on a read-only disk, as missing. The parent that exists says more. */
function refusalAtParent(path: string): Error | undefined {
  try {
    accessSync(nearest(path), constants.W_OK);
    return undefined;
  } catch (error) {
    return Object.assign(error as Error, { path });
  }
}

const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)));
