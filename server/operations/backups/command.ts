import { reasonIn } from "../../../src/contract/input/reason.ts";
import type { Config } from "../../config/schema.ts";
import type { DatabaseLocation } from "../../database/drivers.ts";
import type { BackUp, MadeBackup } from "./types.ts";

/** What a command of this program printed, and how it ended. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command of this program in a process of its own, with these variables instead of the server's, until `signal` aborts. */
export type RunCommand = (
  argv: readonly string[],
  variables: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<CommandResult>;

/** Files of the database are missing on the server: the backup was made all the same. */
const incomplete = 11;

/**
 * Backs up a server by `playtest serve backup`, as its operator would: in another process, because copying and checking a large database
 * takes long and the server has to answer meanwhile. `file` is its configuration file, where that is not in the data directory.
 */
export function backUpByCommand(
  run: RunCommand,
  { dataDir, databaseUrl }: Pick<DatabaseLocation, "dataDir" | "databaseUrl">,
  { blobs }: Pick<Config, "blobs">,
  file: string | undefined,
): BackUp {
  // In the environment, where other users of the machine do not see passwords.
  const variables = { PLAYTEST_DATABASE_URL: databaseUrl ?? "", DATABASE_URL: "", PLAYTEST_BLOBS: blobs.address ?? "" };
  return async ({ to, keep, signal }) => {
    const argv = [
      "serve",
      "backup",
      to,
      "--keep",
      keep,
      "--data",
      dataDir,
      ...(file === undefined ? [] : ["--config", file]),
      "--json",
    ];
    const { code, stdout, stderr } = await run(argv, variables, signal);
    if (code === 0 || code === incomplete) return (JSON.parse(stdout) as { result: MadeBackup }).result;
    throw new Error(reasonIn(stderr) ?? (code === null ? "it was killed" : `it ended with code ${code}`));
  };
}
