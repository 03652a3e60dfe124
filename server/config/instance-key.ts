import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./read.ts";

const bytes = 32;

/**
 * The 32-byte key that seals secrets and signs links: `PLAYTEST_SECRET_KEY` (64 hex digits, for several processes on one
 * database), else `instance.key` in the data folder, made on first start. It is in backups.
 */
export function loadInstanceKey(fromEnv: string | undefined, dataDir: string, randomBytes: (count: number) => Buffer): Buffer {
  const known = findInstanceKey(fromEnv, dataDir);
  if (known !== undefined) return known;
  const file = fileIn(dataDir);
  // Written whole beside it and linked: of two first starts at once, one key wins and both use it.
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

const fileIn = (dataDir: string) => join(dataDir, "instance.key");

/** The key in force, if there is one yet. */
export function findInstanceKey(fromEnv: string | undefined, dataDir: string): Buffer | undefined {
  if (fromEnv !== undefined) return parse(fromEnv, "PLAYTEST_SECRET_KEY");
  const text = read(fileIn(dataDir));
  return text === undefined ? undefined : parse(text, fileIn(dataDir));
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(`The instance key ${file} cannot be read: ${(error as Error).message}`);
  }
}

function parse(text: string, source: string): Buffer {
  const hex = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new ConfigError(`${source} is not an instance key: it must be 64 hex digits.`);
  return Buffer.from(hex, "hex");
}
