import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerMemory } from "../api/types.ts";

/** For how long commands rely on it: a server may gain extensions. */
const keepMs = 24 * 3_600_000;

/**
 * Remembers by base URL which servers have no extensions, so that not every command asks again. Optional, like the cache of ids: a file
 * that cannot be read counts as empty, and a failed write is ignored.
 */
export function openServerMemory(directory: string, baseUrl: string, now: () => number): ServerMemory {
  const path = join(directory, "servers.json");
  const read = (): Record<string, unknown> => {
    try {
      return { ...(JSON.parse(readFileSync(path, "utf8")) as object) };
    } catch {
      return {};
    }
  };

  return {
    lacksExtensions() {
      const at = read()[baseUrl];
      return typeof at === "number" && at <= now() && now() - at < keepMs;
    },
    rememberLack(lacks) {
      const { [baseUrl]: _, ...others } = read();
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        writeFileSync(`${path}.part`, JSON.stringify({ ...others, ...(lacks && { [baseUrl]: now() }) }), { mode: 0o600 });
        renameSync(`${path}.part`, path);
      } catch {
        return;
      }
    },
  };
}
