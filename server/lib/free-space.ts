import { statfs } from "node:fs/promises";

/** How many bytes programs that are not root can still write to the disk of this folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
