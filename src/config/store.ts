import { accessSync, constants, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutMark } from "../contract/input/decode.ts";
import { noHome } from "../contract/text/user-folders.ts";
import { badConfig, CliError, cannotWrite, exitCodes, failure } from "../errors.ts";
import { causeOf } from "../io/files/folder.ts";
import { locked } from "../io/files/lock.ts";
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
  /** Undefined where the user has no home: then there is nothing to read, and what needs the folder throws. */
  readonly directory: string | undefined;
  /** Of the settings file. */
  readonly path: string;
  /** Throws if nothing can be saved: for what must not be lost once it exists, such as a new key. */
  requireWritable(): void;
  config(): ConfigFile;
  saveConfig(change: (config: ConfigFile) => void): Promise<void>;
  logins(): Login[];
  /** The stored key; undefined if there is none. Throws where none can be, and if the keyring that holds it cannot be read. */
  key(login: Login): string | undefined;
  /** Where the key is, in words; undefined if none is stored. */
  placeOfKey(login: Login): string | undefined;
  /** Stores a key in the keyring, else in the file. */
  saveKey(login: Login, key: string): Promise<void>;
  /** Throws, and keeps the login, if the keyring does not let the key go. */
  removeKey(login: Login): Promise<void>;
}

const accountOf = ({ baseUrl, profile }: Login) => `${profile} @ ${baseUrl}`;

/** Entries by names that users choose. A name such as `toString` has no entry that nobody made. */
const byName = <T>(entries: Record<string, T> | undefined): Record<string, T> => Object.assign(Object.create(null), entries);

/** Editors on Windows write a byte-order mark before the JSON. */
const parsed = (text: string) => JSON.parse(withoutMark(text));

/** The JSON object in a file; undefined if the file does not exist. Any other content is a configuration error. */
export function readObject(path: string): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw badConfig(
      `Cannot read ${path}: ${message}.`,
      "Give this user the permission to read it. PLAYTEST_CONFIG_DIR names another folder for settings.",
    );
  }
  try {
    const value: unknown = parsed(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw badConfig(`${path} is not valid JSON: ${(error as Error).message}.`, "Fix the file or delete it.");
  }
  throw badConfig(`${path} does not contain a JSON object.`, "Fix the file or delete it.");
}

const notSaved = "Nothing was saved. PLAYTEST_CONFIG_DIR names another folder.";

/** The files of the store: each is written as a whole. */
function filesIn(directory: string | undefined) {
  function pathOf(name: "config" | "keys"): string {
    if (directory !== undefined) return join(directory, `${name}.json`);
    throw badConfig(
      noHome,
      "Set HOME, or set PLAYTEST_CONFIG_DIR to a folder for settings and keys. To only use a key: set PLAYTEST_API_KEY.",
    );
  }

  /** Runs `save`, whose failures are about a file of the store. */
  function saving(name: "config" | "keys", save: (folder: string) => void): void {
    const file = pathOf(name);
    try {
      save(dirname(file));
    } catch (error) {
      throw cannotWrite(file, causeOf(file, error as Error), notSaved);
    }
  }

  return {
    pathOf,
    /**
     * Replaces what the file contains by what `change` returns, while no other command changes it. conf writes a temporary file and
     * renames it. It is loaded only here, so that commands that only read start fast.
     */
    async update(configName: "config" | "keys", now: () => number, change: () => object) {
      const { default: Conf } = await import("conf");
      function write() {
        const changed = { ...change() };
        saving(configName, (cwd) => {
          const options = { cwd, configName, configFileMode: 0o600, accessPropertiesByDotNotation: false, deserialize: parsed };
          new Conf<Record<string, unknown>>(options).store = changed;
        });
      }
      await locked(pathOf(configName), now, write, notSaved);
    },
    requireWritable: () =>
      saving("keys", (folder) => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        accessSync(folder, constants.W_OK);
      }),
  };
}

/** `now` returns the time of this computer's files in ms: what only reads needs none. */
export function openStore(
  directory: string | undefined,
  { now = () => 0, keyring }: { now?(): number; keyring?: Keyring } = {},
): Store {
  const { pathOf, update, requireWritable } = filesIn(directory);
  const read = (name: "config" | "keys") => (directory === undefined ? undefined : readObject(pathOf(name)));
  const config = (): ConfigFile => {
    const saved = read("config") as Partial<ConfigFile> | undefined;
    return { ...saved, profiles: byName(saved?.profiles) };
  };
  const keys = () => (read("keys") ?? {}) as KeyFile;
  const stored = ({ baseUrl, profile }: Login) => byName(keys()[baseUrl])[profile];

  function key(login: Login): string | undefined {
    // Throws where the user has no home.
    pathOf("keys");
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
    await update("keys", now, () => {
      const all = keys();
      return { ...all, [login.baseUrl]: { ...all[login.baseUrl], [login.profile]: value } };
    });
  }

  async function removeKey(login: Login) {
    const { baseUrl, profile } = login;
    const removed = typeof stored(login) === "object" ? attempt(() => keyring?.remove(accountOf(login))) : undefined;
    if (removed instanceof Error)
      throw failure(`The API key of profile ${profile} could not be removed from the system keyring: ${removed.message}.`);
    await update("keys", now, () => {
      const all = keys();
      delete all[baseUrl]?.[profile];
      if (Object.keys(all[baseUrl] ?? {}).length === 0) delete all[baseUrl];
      return all;
    });
  }

  return {
    directory,
    get path() {
      return pathOf("config");
    },
    requireWritable,
    config,
    async saveConfig(change) {
      await update("config", now, () => {
        const value = config();
        change(value);
        return value;
      });
    },
    logins: () => Object.entries(keys()).flatMap(([baseUrl, held]) => Object.keys(held).map((profile) => ({ baseUrl, profile }))),
    key,
    placeOfKey(login) {
      const found = stored(login);
      return found === undefined ? undefined : typeof found === "string" ? pathOf("keys") : "system keyring";
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
