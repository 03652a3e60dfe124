import type { ServerMemory } from "../api/types.ts";
import { cacheFile } from "../io/files/cache-file.ts";

/** For how long commands rely on it: a server may gain extensions. */
const keepMs = 24 * 3_600_000;

/** Remembers by base URL which servers have no extensions, so that not every command asks again. */
export function openServerMemory(directory: string | undefined, baseUrl: string, now: () => number): ServerMemory {
  const file = cacheFile(directory, "servers.json");
  /** What this command learned, which may be kept nowhere else. */
  let learned: boolean | undefined;
  const read = (): Record<string, unknown> => ({ ...(file.read() as object | undefined) });

  return {
    lacksExtensions() {
      if (learned !== undefined) return learned;
      const at = read()[baseUrl];
      return typeof at === "number" && at <= now() && now() - at < keepMs;
    },
    rememberLack(lacks) {
      learned = lacks;
      const { [baseUrl]: _, ...others } = read();
      file.write({ ...others, ...(lacks && { [baseUrl]: now() }) });
    },
  };
}
