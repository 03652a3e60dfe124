import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./read.ts";

const bytes = 32;

/**
 * The 32-byte key that encrypts secrets and signs links: `PLAYTEST_SECRET_KEY` (64 hex digits, for several processes on one
 * database), otherwise `instance.key` in the data folder, created on the first start. Backups include it.
 */
export function loadInstanceKey(fromEnv: string | undefined, dataDir: string, randomBytes: (count: number) => Buffer): Buffer {
  const known = findInstanceKey(fromEnv, dataDir);
  if (known !== undefined) return known;
  const file = keyFile(dataDir);
  // Written completely to a draft and then linked: when two processes start for the first time at once, both use the same key.
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(bytes).toString("hex")}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return parse(read(file)!, file);
}

export const keyFile = (dataDir: string) => join(dataDir, "instance.key");
/** The key that a rotation brings, until it is in force. */
export const nextKeyFile = (dataDir: string) => join(dataDir, "instance.key.next");

/** The key in use, if there is one yet. */
export function findInstanceKey(fromEnv: string | undefined, dataDir: string): Buffer | undefined {
  if (fromEnv !== undefined) return parse(fromEnv, "PLAYTEST_SECRET_KEY");
  return readKeyFile(keyFile(dataDir));
}

/** The key in a file; undefined without one. */
export function readKeyFile(file: string): Buffer | undefined {
  const text = read(file);
  return text === undefined ? undefined : parse(text, file);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(`The instance key ${file} cannot be read: ${(error as Error).message}. Nothing was changed.`);
  }
}

function parse(text: string, source: string): Buffer {
  const hex = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(hex))
    throw new ConfigError(
      `${source} is not an instance key: it must be 64 hex digits. Nothing was changed. Give the key of this server, which its backups contain, or none for a new server.`,
    );
  return Buffer.from(hex, "hex");
}
