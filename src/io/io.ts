import { readFile } from "node:fs/promises";
import { decode } from "../contract/input/decode.ts";
import { failure, Interrupted, PipeClosed, usage } from "../errors.ts";

interface Output extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
}

/** The part of `process` that the program uses. Tests pass their own. */
export interface ProcessLike {
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  platform: string;
  pid: number;
  cwd(): string;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
  kill(pid: number, signal: string): unknown;
}

/** The standard streams and signals of the process. Nothing else accesses them. */
export interface Io {
  readonly env: ProcessLike["env"];
  readonly platform: string;
  readonly pid: number;
  /** For questions at a terminal. Whatever else reads it calls `claimStdin`. */
  readonly stdin: ProcessLike["stdin"];
  readonly stderr: Output;
  readonly terminal: { stdin: boolean; stdout: boolean; stderr: boolean };
  /** Width of the terminal that standard output is; 80 if unknown. */
  readonly columns: number;
  /** Width for messages on standard error; unlimited if it is not a terminal. */
  readonly messageColumns: number;
  /** Aborts with `Interrupted` at the first signal, and with `PipeClosed` when the reader of standard output closes the pipe. */
  readonly signal: AbortSignal;
  cwd(): string;
  /** Writes to standard output and waits until there is room for more. */
  out(chunk: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /**
   * Standard input, for its only reader: `reader` is a flag, an argument, or what is read. Throws a usage error that names both
   * if it was read for something else.
   */
  claimStdin(reader: string): ProcessLike["stdin"];
  /** Reads a file, or standard input for `-`, as it is. Errors name `flag`. */
  readBytes(path: string, flag: string): Promise<Uint8Array>;
  /** The same as text. */
  readText(path: string, flag: string): Promise<string>;
  /** Waits until standard error is written, then removes the signal handlers. */
  close(): Promise<void>;
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: "the file does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
};

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}

const signals = ["SIGINT", "SIGTERM"] as const;

/** First signal: abort and let the command clean up. Second signal: end the process at once. */
function watchSignals(process: ProcessLike, abort: (reason: Error) => void) {
  const listeners = signals.map((signal) => {
    const first = () => {
      abort(new Interrupted(signal));
      process.once(signal, second);
    };
    const second = () => {
      stop();
      process.kill(process.pid, signal);
    };
    process.once(signal, first);
    return { signal, first, second };
  });
  const stop = () => {
    for (const { signal, first, second } of listeners) {
      process.removeListener(signal, first);
      process.removeListener(signal, second);
    }
  };
  return stop;
}

export function createIo(process: ProcessLike): Io {
  const { stdin, stdout, stderr, env } = process;
  const controller = new AbortController();
  const stopSignals = watchSignals(process, (reason) => controller.abort(reason));
  let broken: Error | undefined;
  let stdinReader: string | undefined;

  const onOutputError = (error: NodeJS.ErrnoException) => {
    const closed = error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED";
    broken ??= closed ? new PipeClosed() : failure(`Cannot write to standard output: ${error.message}.`, undefined, error);
    controller.abort(broken);
  };
  const ignore = () => {};
  stdout.on("error", onOutputError);
  stderr.on("error", ignore);

  const out = (chunk: string | Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      if (broken) return reject(broken);
      stdout.write(chunk as string, (error) => {
        if (!error) return resolve();
        onOutputError(error);
        reject(broken);
      });
    });

  function claimStdin(reader: string): ProcessLike["stdin"] {
    if (stdinReader !== undefined) throw usage(`${stdinReader} and ${reader} cannot both read standard input.`);
    stdinReader = reader;
    return stdin;
  }

  async function readBytes(path: string, flag: string): Promise<Uint8Array> {
    if (path === "-" && stdin.isTTY)
      throw usage(`${flag} -: standard input is a terminal.`, "Pipe the text in, or pass a file name.");
    if (path === "-") return bytesOf(claimStdin(flag));
    return readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw usage(`${flag}: cannot read ${path}: ${unreadable[error.code ?? ""] ?? error.message}.`);
    });
  }
  const readText = async (path: string, flag: string) =>
    decode(await readBytes(path, flag), `${flag}: ${path === "-" ? "standard input" : path}`);

  async function close() {
    await new Promise<void>((resolve) => stderr.write("", () => resolve()));
    stopSignals();
  }

  return {
    env,
    platform: process.platform,
    pid: process.pid,
    stdin,
    stderr,
    terminal: { stdin: stdin.isTTY === true, stdout: stdout.isTTY === true, stderr: stderr.isTTY === true },
    columns: stdout.columns || 80,
    messageColumns: stderr.isTTY === true ? stderr.columns || 80 : Number.POSITIVE_INFINITY,
    signal: controller.signal,
    cwd: () => process.cwd(),
    out,
    err: (text) => void stderr.write(text),
    claimStdin,
    readBytes,
    readText,
    close,
  };
}
