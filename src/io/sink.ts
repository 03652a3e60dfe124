import { open, rename, rm } from "node:fs/promises";
import { failure } from "../errors.ts";
import type { Io } from "./io.ts";

/** Where data goes: standard output, or a file that appears only when it is whole. */
export interface Sink {
  readonly terminal: boolean;
  write(chunk: string | Uint8Array): Promise<void>;
  /** Ends the output; without `complete` a file is taken back. */
  close(complete: boolean): Promise<void>;
}

export const stdoutSink = (io: Io): Sink => ({
  terminal: io.terminal.stdout,
  write: io.out,
  close: async () => {},
});

/** A file written beside its place and renamed at the end. `mode` is for a new file. */
export function fileSink(path: string, mode = 0o666): Sink {
  const temporary = `${path}.part`;
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  const complain = (error: Error) => {
    throw failure(`Cannot write ${path}: ${error.message}.`, undefined, error);
  };
  const opened = async () => {
    handle ??= await open(temporary, "w", mode).catch(complain);
    return handle;
  };
  return {
    terminal: false,
    async write(chunk) {
      const file = await opened();
      await file.writeFile(chunk).catch(complain);
    },
    async close(complete) {
      if (complete) await opened();
      if (handle === undefined) return;
      await handle.close();
      handle = undefined;
      await (complete ? rename(temporary, path).catch(complain) : rm(temporary, { force: true }));
    },
  };
}
