import { copyFileSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Ends this process on a signal in the way that it ends by itself, so that what listens for its end does its work. */
export function exitOnSignals(): void {
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
}

/** Takes each step in turn. One that fails is printed, and the others are taken all the same. */
export async function cleanUp(steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      process.stderr.write(`A part of the cleaning up failed: ${error instanceof Error ? error.stack : error}\n`);
    }
}

/** Copies the logs of a folder to another one, which is kept, and prints where that is. */
export function keepLogs(folder: string): void {
  const kept = mkdtempSync(join(tmpdir(), "playtest-logs-"));
  const logs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".log"));
  for (const name of logs) {
    mkdirSync(dirname(join(kept, name)), { recursive: true });
    copyFileSync(join(folder, name), join(kept, name));
  }
  process.stderr.write(`The logs are in ${kept}\n`);
}
