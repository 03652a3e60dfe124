import type { Outside } from "./cli/context.ts";
import { outside } from "./cli/outside.ts";
import { type Running, run } from "./cli/program.ts";
import { ExitWith, Interrupted } from "./errors.ts";
import { createIo, type ProcessLike } from "./io/io.ts";

/**
 * Runs one command line and returns the exit code. Never throws and never exits the process, so that standard output drains.
 * `replaced` replaces the clock, randomness and sleep in tests.
 */
export async function main(argv: readonly string[], process: ProcessLike, replaced: Partial<Outside> = {}): Promise<number> {
  const io = createIo(process);
  const running: Running = {};
  let code = 0;
  try {
    await run(argv, io, { ...outside, ...replaced }, running);
    await running.session?.close(true);
    io.signal.throwIfAborted();
  } catch (error) {
    const { report } = await import("./cli/report.ts");
    const explains = error instanceof Error && error.cause !== undefined && error.cause === io.signal.reason;
    const final = error instanceof ExitWith || error instanceof Interrupted || explains;
    const reason = io.signal.aborted && !final ? io.signal.reason : error;
    code = await report(reason, argv, io, running);
    await running.session?.close(code === 0 || running.complete === true);
  }
  await io.close();
  return code;
}
