import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ConfigError } from "../../config/read.ts";
import { iso } from "../../lib/time.ts";
import { unlessMissing } from "../../uploads/local-blobs.ts";

/**
 * The accounts that were deleted, beside the backups, a line each: its id and when. A restore brings the list along in the data folder, and
 * the server deletes those accounts again before it answers requests.
 */
export const deletionsFile = "deletions.txt";

const line = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}) (\S+Z)$/;

/** The ids in a list and when each account was deleted (ms). Undefined for a text that is no such list. */
export function parseDeletions(text: string): Map<string, number> | undefined {
  const written = text.split("\n").filter((one) => one !== "");
  // A line that a full disk cut was written again.
  const lines = written.filter((one, at) => !written.slice(at + 1).some((later) => later.startsWith(one)));
  const found = lines.map((one) => line.exec(one));
  return found.every((match) => match !== null) ? new Map(found.map((match) => [match![1]!, Date.parse(match![2]!)])) : undefined;
}

/** The list that belongs to a backup: the given file, which must exist, or the one beside the backup. Throws ConfigError for another file. */
export async function deletionsFor(archive: string, given: string | undefined): Promise<Map<string, number>> {
  const path = given ?? join(dirname(resolve(archive)), deletionsFile);
  const text = await readFile(path, "utf8").catch((error: Error) => {
    if (given === undefined) return unlessMissing(error);
    throw new ConfigError(`--deletions ${path} cannot be read: ${error.message}. Nothing was changed.`);
  });
  const found = parseDeletions(text ?? "");
  if (found) return found;
  throw new ConfigError(
    `${path} is not a list of deleted accounts. Nothing was changed. Correct it, or pass another with --deletions.`,
  );
}

/** It begins with a line feed, because the line before may have been cut. */
export const deletionLine = (id: string, time: number) => `\n${id} ${iso(time)}\n`;
