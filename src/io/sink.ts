import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { cannotWrite } from "../errors.ts";
import type { Io } from "./io.ts";

/** Where data goes: standard output, or a file that appears only when it is whole. */
export interface Sink {
  readonly terminal: boolean;
  /** Makes sure, before anything is done, that there is a place to write to. */
  open(): Promise<void>;
  write(chunk: string | Uint8Array): Promise<void>;
  /** Ends the output; without `complete` a file is taken back. */
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
  /** Where the file is until it is whole, and where it goes then; neither for a device or a pipe, which is written as it is. */
  moves?: { from: string; to: string };
}

async function openOutputFile(path: string, mode: number): Promise<OutputFile> {
  const there = await stat(path).catch(() => undefined);
  if (there && !there.isFile()) return { handle: await open(path, "w", mode) };
  const to = there ? await realpath(path) : path;
  return { handle: await open(`${to}.part`, "w", mode), moves: { from: `${to}.part`, to } };
}

/** A file written beside its output and renamed at the end. `mode` is for a new file. */
export function fileSink(path: string, mode = 0o666): Sink {
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
        throw cannotWrite(path, error, "Nothing was done. Make its folder, or name another file.");
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
