import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { cannotWrite } from "../errors.ts";
import type { Io } from "./io.ts";

/** Destination of the output: standard output, or a file that appears only when it is complete. */
export interface Sink {
  readonly terminal: boolean;
  /** Throws if the destination cannot be written. Called before the command does anything. */
  open(): Promise<void>;
  write(chunk: string | Uint8Array): Promise<void>;
  /** Closes the output. Without `complete`, a file is removed. */
  close(complete: boolean): Promise<void>;
}

export const stdoutSink = (io: Io): Sink => ({
  terminal: io.terminal.stdout,
  open: async () => {},
  write: io.out,
  close: async () => {},
});

interface OutputFile {
  handle: FileHandle;
  /** Temporary and final path of the file. Absent for a device or a pipe, which is written directly. */
  moves?: { from: string; to: string };
}

async function openOutputFile(path: string, mode: number): Promise<OutputFile> {
  const existing = await stat(path).catch(() => undefined);
  if (existing && !existing.isFile()) return { handle: await open(path, "w", mode) };
  const to = existing ? await realpath(path) : path;
  // What an interrupted command left has its own mode.
  await rm(`${to}.part`, { force: true });
  return { handle: await open(`${to}.part`, "w", mode), moves: { from: `${to}.part`, to } };
}

/** A file that is written under a temporary name and renamed at the end. It replaces a file of the same name, and does not have its mode. */
export function fileSink(path: string, mode: number): Sink {
  let output: OutputFile | undefined;
  const complain = (error: Error) => {
    throw cannotWrite(path, error);
  };
  const opened = async () => {
    output ??= await openOutputFile(path, mode).catch(complain);
    return output;
  };
  return {
    terminal: false,
    async open() {
      output = await openOutputFile(path, mode).catch((error: Error) => {
        throw cannotWrite(path, error, "Nothing was done. Create its directory, or pass another file name.");
      });
    },
    async write(chunk) {
      const { handle } = await opened();
      await handle.writeFile(chunk).catch(complain);
    },
    async close(complete) {
      if (complete) await opened();
      if (output === undefined) return;
      const { handle, moves } = output;
      output = undefined;
      await handle.close();
      if (moves) await (complete ? rename(moves.from, moves.to).catch(complain) : rm(moves.from, { force: true }));
    },
  };
}
