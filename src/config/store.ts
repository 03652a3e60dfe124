import { readFileSync } from "node:fs";
import { join } from "node:path";
import { badConfig, CliError, cannotWrite, exitCodes, failure } from "../errors.ts";
import { causeOf } from "../io/files/folder.ts";
import type { Keyring } from "./keyring.ts";

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

/** API keys by base URL, then by profile name; `{ keyring: true }` for a key that is in the system's keyring. */
type KeyFile = Record<string, Record<string, string | { keyring: true }>>;

/** A stored login, without its key. */
export interface Login {
  baseUrl: string;
  profile: string;
}

/** The user's settings and keys: two files, written atomically and readable only by their owner, and where possible the system's keyring. */
export interface Store {
  readonly path: string;
  config(): ConfigFile;
  saveConfig(change: (config: ConfigFile) => void): Promise<void>;
  logins(): Login[];
  /** The stored key; undefined if there is none. Throws if the keyring that holds it cannot be read. */
  key(login: Login): string | undefined;
  /** Where the key is, in words; undefined if none is stored. */
  placeOfKey(login: Login): string | undefined;
  /** Stores a key in the keyring, else in the file. */
  saveKey(login: Login, key: string): Promise<void>;
  /** Throws, and keeps the login, if the keyring does not let the key go. */
  removeKey(login: Login): Promise<void>;
}

const accountOf = ({ baseUrl, profile }: Login) => `${profile} @ ${baseUrl}`;

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

export function openStore(directory: string, keyring?: Keyring): Store {
  const path = join(directory, "config.json");
  const config = (): ConfigFile => ({ profiles: {}, ...(readObject(path) as Partial<ConfigFile> | undefined) });
  const keyPath = join(directory, "keys.json");
  const keys = () => (readObject(keyPath) ?? {}) as KeyFile;
  const stored = ({ baseUrl, profile }: Login) => keys()[baseUrl]?.[profile];

  /** conf writes a temporary file and renames it. It is loaded only here, so that commands that only read start fast. */
  async function write(configName: string, value: object) {
    const { default: Conf } = await import("conf");
    const options = { cwd: directory, configName, configFileMode: 0o600, accessPropertiesByDotNotation: false };
    try {
      new Conf<Record<string, unknown>>(options).store = { ...value };
    } catch (error) {
      const hint = "Nothing was saved. PLAYTEST_CONFIG_DIR names another folder.";
      const file = join(directory, `${configName}.json`);
      throw cannotWrite(file, causeOf(file, error as Error), hint);
    }
  }

  function key(login: Login): string | undefined {
    const found = stored(login);
    if (found === undefined || typeof found === "string") return found;
    const inKeyring = attempt(() => keyring?.get(accountOf(login)));
    if (typeof inKeyring === "string") return inKeyring;
    throw new CliError(
      "KEYRING",
      exitCodes.unauthenticated,
      `The API key of profile ${login.profile} is in the system keyring and could not be read${inKeyring instanceof Error ? `: ${inKeyring.message}` : ""}.`,
      { hint: "Unlock the keyring, pass another key in PLAYTEST_API_KEY, or run `playtest login`." },
    );
  }

  /** Whether the keyring took the key. It is read back, because some accept what they do not keep. */
  const keptByKeyring = (login: Login, secret: string) =>
    attempt(() => {
      keyring?.set(accountOf(login), secret);
      return keyring?.get(accountOf(login)) === secret;
    }) === true;

  async function saveKey(login: Login, secret: string) {
    const value = keyring !== undefined && keptByKeyring(login, secret) ? ({ keyring: true } as const) : secret;
    const all = keys();
    all[login.baseUrl] = { ...all[login.baseUrl], [login.profile]: value };
    await write("keys", all);
  }

  async function removeKey(login: Login) {
    const { baseUrl, profile } = login;
    const removed = typeof stored(login) === "object" ? attempt(() => keyring?.remove(accountOf(login))) : undefined;
    if (removed instanceof Error)
      throw failure(`The API key of profile ${profile} could not be removed from the system keyring: ${removed.message}.`);
    const all = keys();
    delete all[baseUrl]?.[profile];
    if (Object.keys(all[baseUrl] ?? {}).length === 0) delete all[baseUrl];
    await write("keys", all);
  }

  return {
    path,
    config,
    async saveConfig(change) {
      const value = config();
      change(value);
      await write("config", value);
    },
    logins: () => Object.entries(keys()).flatMap(([baseUrl, held]) => Object.keys(held).map((profile) => ({ baseUrl, profile }))),
    key,
    placeOfKey(login) {
      const found = stored(login);
      return found === undefined ? undefined : typeof found === "string" ? keyPath : "system keyring";
    },
    saveKey,
    removeKey,
  };
}

/** A result, or the error that was thrown: a keyring fails in many ways, and none is a bug of this program. */
function attempt<T>(use: () => T): T | Error {
  try {
    return use();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
