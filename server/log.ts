type Write = (fields: Record<string, unknown>, message?: string) => void;

export interface Log {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
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

/** JSON lines (or short text on a terminal) to `write`; secrets are cut out by name wherever they appear. */
export async function createLog(options: { level: string; text: boolean; write(line: string): void }): Promise<Log> {
  const { pino } = await import("pino");
  const redact = { paths: secretPaths.flatMap((path) => [`["${path}"]`, `*["${path}"]`]), censor: "[redacted]" };
  const logger = pino(
    { level: options.level, base: null, redact },
    { write: options.text ? (line) => options.write(textLine(line)) : options.write },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function textLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const label = Number(level) >= 50 ? "error" : Number(level) >= 40 ? "warn " : "info ";
  const fields = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
  );
  return `${new Date(Number(time)).toISOString()} ${label} ${[msg, ...fields].join(" ")}\n`;
}
