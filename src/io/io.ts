import { readFile } from "node:fs/promises";
import { failure, Interrupted, PipeClosed, usage } from "../errors.ts";

interface Output extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
}

/** The part of `process` the program uses, so that a test can hand in another. */
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

/** The terminal side of the program: the one owner of the standard streams. */
export interface Io {
  readonly env: ProcessLike["env"];
  readonly platform: string;
  readonly pid: number;
  readonly stdin: ProcessLike["stdin"];
  readonly stderr: Output;
  readonly terminal: { stdin: boolean; stdout: boolean; stderr: boolean };
  /** Columns of the terminal that standard output is; 80 when it does not say. */
  readonly columns: number;
  /** Aborts with `Interrupted` at the first signal, with `PipeClosed` when the reader of standard output goes away. */
  readonly signal: AbortSignal;
  cwd(): string;
  /** Writes to standard output and waits until there is room for more. */
  out(chunk: string | Uint8Array): Promise<void>;
  err(text: string): void;
  /** Text of a file, or of standard input for `-`; `flag` is named when it cannot be read. */
  readText(path: string, flag: string): Promise<string>;
  /** Waits until all remarks have left; then no handler of this program is attached any more. */
  close(): Promise<void>;
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "it is not yours to read",
  EISDIR: "it is a folder",
};

/** Text without its byte order mark. One that is not what it seems would be sent with its letters broken. */
function decode(bytes: Uint8Array, label: string): string {
  const [first, second] = bytes;
  const wide = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  try {
    return new TextDecoder(wide ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${label} is not text in UTF-8.`, "Save it as UTF-8; Excel calls that CSV UTF-8.");
  }
}

async function bytesOf(stream: NodeJS.ReadableStream): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}

const signals = ["SIGINT", "SIGTERM"] as const;

/** First signal: abort and let the command clean up. Second: die by it at once. */
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

  const onOutputError = (error: NodeJS.ErrnoException) => {
    const closed = error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED";
    broken ??= closed ? new PipeClosed() : failure(`Standard output cannot be written: ${error.message}.`, undefined, error);
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

  async function readText(path: string, flag: string) {
    if (path === "-" && stdin.isTTY) throw usage(`${flag} -: standard input is a terminal.`, "Pipe the text in, or name a file.");
    if (path === "-") return decode(await bytesOf(stdin), `${flag}: standard input`);
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw usage(`${flag}: cannot read ${path}: ${unreadable[error.code ?? ""] ?? error.message}.`);
    });
    return decode(bytes, `${flag}: ${path}`);
  }

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
    signal: controller.signal,
    cwd: () => process.cwd(),
    out,
    err: (text) => void stderr.write(text),
    readText,
    close,
  };
}
