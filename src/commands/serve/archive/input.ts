import { createWriteStream, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Context } from "../../../cli/define.ts";
import { failure, usage } from "../../../errors.ts";

/**
 * Calls `use` with the path of an archive. For `-`, that is a temporary file with what comes from standard input: an archive is read more
 * than once, because its list of files is at its end.
 */
export async function withArchive<T>(
  { io, signal }: Pick<Context, "io" | "signal">,
  path: string,
  folder: string | undefined,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (path !== "-") return use(path);
  if (io.terminal.stdin)
    throw usage("Standard input is a terminal. Nothing was changed.", "Pipe an archive in, or pass the path of one.");
  const input = io.claimStdin("the archive");
  const temporary = mkdtempSync(join(folder ?? tmpdir(), "playtest-archive-"));
  const file = join(temporary, "standard-input.tar");
  try {
    await pipeline(input, createWriteStream(file, { mode: 0o600 }), { signal }).catch((error: Error) => {
      if (signal.aborted) throw signal.reason;
      throw failure(
        `Standard input could not be kept in ${file}: ${error.message}. Nothing was changed.`,
        "Name a directory on a larger disk with TMPDIR.",
        error,
      );
    });
    return await use(file);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
