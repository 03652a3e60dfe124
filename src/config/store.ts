import { readFileSync } from "node:fs";
import { join } from "node:path";
import { badConfig } from "../errors.ts";

/** Settings of a profile or of the directory file; durations in seconds. */
export interface Values {
  baseUrl?: string;
  gameId?: string;
  timeout?: number;
  retries?: number;
  maxWait?: number;
  color?: string;
  time?: string;
  progress?: string;
}

export interface ConfigFile {
  /** The profile to use when none is named. */
  profile?: string;
  profiles: Record<string, Values>;
}

/** API keys by base URL, then by profile name. */
export type KeyFile = Record<string, Record<string, string>>;

/** The user's settings and keys: two files, written atomically and readable only by their owner. */
export interface Store {
  readonly path: string;
  config(): ConfigFile;
  keys(): KeyFile;
  saveConfig(change: (config: ConfigFile) => void): Promise<void>;
  saveKeys(change: (keys: KeyFile) => void): Promise<void>;
}

/** The JSON object in a file; undefined if the file does not exist. Any other content is a configuration error. */
export function readObject(path: string): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw badConfig(`Cannot read ${path}: ${message}.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw badConfig(`${path} is not valid JSON: ${(error as Error).message}.`, "Fix the file or delete it.");
  }
  throw badConfig(`${path} does not contain a JSON object.`, "Fix the file or delete it.");
}

export function openStore(directory: string): Store {
  const path = join(directory, "config.json");
  const config = (): ConfigFile => ({ profiles: {}, ...(readObject(path) as Partial<ConfigFile> | undefined) });
  const keys = () => (readObject(join(directory, "keys.json")) ?? {}) as KeyFile;

  /** conf writes a temporary file and renames it. It is loaded only here, so that commands that only read start fast. */
  async function write(configName: string, value: object) {
    const { default: Conf } = await import("conf");
    const options = { cwd: directory, configName, configFileMode: 0o600, accessPropertiesByDotNotation: false };
    new Conf<Record<string, unknown>>(options).store = { ...value };
  }

  return {
    path,
    config,
    keys,
    async saveConfig(change) {
      const value = config();
      change(value);
      await write("config", value);
    },
    async saveKeys(change) {
      const value = keys();
      change(value);
      await write("keys", value);
    },
  };
}
