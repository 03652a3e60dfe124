import { currentTrace } from "./trace.ts";

type Write = (fields: Record<string, unknown>, message?: string) => void;

export interface Log {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  /** One line per request. Its fields cannot contain secrets, so it is the only kind of line that is not redacted. */
  access(fields: Record<string, unknown>): void;
}

const secretPaths = [
  "authorization",
  "password",
  "currentPassword",
  "newPassword",
  "apiKey",
  "secret",
  "token",
  "x-payment",
  "cookie",
];

const traceId = () => {
  const trace = currentTrace();
  return trace ? { traceId: trace.id } : {};
};

/** Writes JSON lines, or short text for a terminal, to `write`. Secrets are redacted by field name. */
export async function createLog(options: { level: string; text: boolean; write(line: string): void }): Promise<Log> {
  const { default: pino } = await import("pino");
  const redact = { paths: secretPaths.flatMap((path) => [`["${path}"]`, `*["${path}"]`]), censor: "[redacted]" };
  const gather = gathered(options.write);
  const write = options.text ? (line: string) => gather(textLine(line)) : gather;
  const logger = pino({ level: options.level, base: null, redact, mixin: traceId }, { write });
  const plain = pino({ level: options.level, base: null, mixin: traceId }, { write });
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    access: (fields) => plain.info(fields),
  };
}

/** Writes the lines of one turn of the event loop together, because each write to a pipe is a system call. */
function gathered(write: (text: string) => void): (line: string) => void {
  let waiting = "";
  const flush = () => {
    const text = waiting;
    waiting = "";
    write(text);
  };
  return (line) => {
    if (waiting === "") setImmediate(flush);
    waiting += line;
  };
}

/** A value as one word, so that no value can start a new line. */
const word = (value: unknown) => (typeof value === "string" && /^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value));

function textLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const label = Number(level) >= 50 ? "error" : Number(level) >= 40 ? "warn " : "info ";
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${word(value)}`);
  return `${new Date(Number(time)).toISOString()} ${label} ${[msg, ...fields].join(" ")}\n`;
}
