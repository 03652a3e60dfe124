import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { instanceUrl } from "../api/url.ts";
import { shellQuote } from "../contract/text/shell.ts";
import { badConfig, usage } from "../errors.ts";
import { readObject, type Store, type Values } from "./store.ts";

export type Source = "flag" | "environment" | "directory file" | "profile" | "default";

export interface Setting<T> {
  value: T;
  source: Source;
  /** The flag, variable or file that set it. */
  from: string;
}

type Env = Readonly<Record<string, string | undefined>>;
/** Values of global flags, by setting name. */
export type FlagValues = Partial<Record<keyof Values | "profile" | "apiKeyFile" | "apiKeyText", string>>;

export const defaultBaseUrl = "http://127.0.0.1:4747";
export const directoryFileName = ".playtest.json";

const variables: Partial<Record<keyof Values, string>> = { baseUrl: "PLAYTEST_BASE_URL", timeout: "PLAYTEST_TIMEOUT" };
const flagNames: Record<keyof Values, string> = {
  baseUrl: "--base-url",
  gameId: "GAME",
  timeout: "--timeout",
  retries: "--retries",
  maxWait: "--max-wait",
  color: "--color",
  time: "--time",
  progress: "--progress",
};
export const settingNames = Object.keys(flagNames) as (keyof Values)[];
const defaults: Values = {
  baseUrl: defaultBaseUrl,
  timeout: 30,
  retries: 3,
  maxWait: 60,
  color: "auto",
  time: "relative",
  progress: "auto",
};

export const choices: Partial<Record<keyof Values, readonly string[]>> = {
  color: ["auto", "always", "never"],
  time: ["iso", "local", "relative"],
  progress: ["auto", "plain", "none"],
};

const unitSeconds: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `30s`, `5m`, `2h`, `7d` or a bare number; anything else is undefined. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text.trim()) ?? [];
  return amount === undefined || unit === undefined ? undefined : Number(amount) * unitSeconds[unit]!;
}

/** Seconds. A timer of Node.js that is set to more than 24.8 days fires at once. */
const longestTimer = 24 * 86_400;

/** Seconds of a duration in a range. Throws a usage error that starts with `from`. Most durations set a timer. */
export function requireDuration(
  text: string,
  from: string,
  { min = 0, max = longestTimer }: { min?: number | undefined; max?: number | undefined } = {},
): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw usage(`${from}: ${JSON.stringify(text)} is not a valid duration. Examples: 30s, 5m, 2h, 7d.`);
  if (seconds < min || seconds > max) throw usage(`${from}: must be from ${min}s to ${max / 86_400}d, not ${text}.`);
  return seconds;
}

/** Checks one setting and returns its value; errors start with `from`, the flag, variable or file that set it. */
export function parseSetting<K extends keyof Values>(name: K, raw: unknown, from: string): Values[K] {
  const text = String(raw);
  const invalid = (expected: string) => usage(`${from}: ${JSON.stringify(raw)} is not ${expected}.`);
  const parsed = () => {
    if (name === "timeout" || name === "maxWait") return requireDuration(text, from, { min: name === "timeout" ? 0.01 : 0 });
    if (name === "retries") {
      if (!/^\d{1,3}$/.test(text)) throw invalid("a whole number from 0 to 999");
      return Number(text);
    }
    if (name === "baseUrl") return instanceUrl(text);
    const allowed = choices[name];
    if (allowed && !allowed.includes(text)) throw invalid(`one of ${allowed.join(", ")}`);
    return text;
  };
  return parsed() as Values[K];
}

const secretName = /key|secret|token|password|authorization/i;
const secretValue = /^((pt|wpg)_sk_|whsec_|sk_|Bearer )/;

/** The path of the first secret in a value, at any depth; undefined: none. */
function secretPath(value: unknown, name: string): string | undefined {
  if (typeof value === "string") return secretValue.test(value) ? name : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const path = name === "" ? key : `${name}.${key}`;
    const found = !Array.isArray(value) && secretName.test(key) ? path : secretPath(inner, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Refuses a directory file that contains a secret: such files are committed to repositories that others can read. */
function refuseSecrets(values: Record<string, unknown>, path: string) {
  const found = secretPath(values, "");
  if (found === undefined) return;
  throw badConfig(
    `${path} contains a secret (${found}). The file was not used.`,
    "Remove the secret from the file, revoke that key, and store a new one with `playtest login` or in PLAYTEST_API_KEY.",
  );
}

export interface DirectoryFile {
  path: string;
  values: Record<string, unknown>;
}

/** The nearest `.playtest.json` in a directory or its parents. */
export function findDirectoryFile(from: string): DirectoryFile | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const path = join(directory, directoryFileName);
    const values = readObject(path);
    if (values) {
      refuseSecrets(values, path);
      return { path, values };
    }
    if (dirname(directory) === directory) return undefined;
  }
}

/** Sets values in a directory file, created in `cwd` if there is none; returns its path. */
export async function saveDirectoryFile(file: DirectoryFile | undefined, cwd: string, values: Values): Promise<string> {
  const path = file?.path ?? join(cwd, directoryFileName);
  await writeFile(`${path}.part`, `${JSON.stringify({ ...file?.values, ...values }, null, 2)}\n`);
  await rename(`${path}.part`, path);
  return path;
}

export interface Sources {
  flags: FlagValues;
  env: Env;
  cwd: string;
  store: Store;
}

/** Every setting with its source: flag > environment > directory file > profile > default. */
export interface Settings {
  profile: Setting<string>;
  directoryFile: DirectoryFile | undefined;
  get<K extends keyof Values>(name: K): Setting<NonNullable<Values[K]>> | undefined;
  /** The API key for the effective base URL. Throws when the key must not be sent there. */
  apiKey(): Setting<string> | undefined;
  /** Whether only a directory file chose this address and the user never signed in there: whatever is secret must not go there. */
  untrusted(): boolean;
  /** Throws if the address is untrusted; `what` is not sent then. */
  refuseUntrusted(what: string): void;
}

function chooseProfile(
  { flags, env, store }: Omit<Sources, "cwd">,
  stored: string | undefined,
  directory: DirectoryFile | undefined,
): Setting<string> {
  const named: Setting<string | undefined>[] = [
    { value: flags.profile, source: "flag", from: "--profile" },
    { value: env.PLAYTEST_PROFILE, source: "environment", from: "PLAYTEST_PROFILE" },
    { value: directory?.values.profile as string | undefined, source: "directory file", from: directory?.path ?? "" },
    { value: stored, source: "profile", from: stored === undefined ? "" : store.path },
  ];
  const chosen = named.find((candidate) => candidate.value) as Setting<string> | undefined;
  return chosen ?? { value: "default", source: "default", from: "built in" };
}

/** Where a setting was set. A profile and a directory file hold several, so the place has its name, too. */
const placeOf = (name: keyof Values, { source, from }: Setting<unknown>) =>
  source === "profile" || source === "directory file" ? `${from}: ${name}` : from;

export function readSettings({ flags, env, cwd, store }: Sources): Settings {
  const directoryFile = findDirectoryFile(cwd);
  const config = store.config();
  const profileWith = (directory: DirectoryFile | undefined) => chooseProfile({ flags, env, store }, config.profile, directory);
  const profile = profileWith(directoryFile);
  const keyIn = keyFileReader(flags.apiKeyText);

  const get = <K extends keyof Values>(name: K) => find(name, profile.value, directoryFile);

  function find<K extends keyof Values>(
    name: K,
    profileName: string,
    directory: DirectoryFile | undefined,
  ): Setting<NonNullable<Values[K]>> | undefined {
    const variable = variables[name];
    const candidates: Setting<unknown>[] = [
      { value: flags[name], source: "flag", from: flagNames[name] },
      { value: variable && (env[variable] || undefined), source: "environment", from: variable ?? "" },
      { value: directory?.values[name], source: "directory file", from: directory?.path ?? "" },
      { value: config.profiles[profileName]?.[name], source: "profile", from: `profile ${profileName}` },
      { value: defaults[name], source: "default", from: "built in" },
    ];
    const found = candidates.find((candidate) => candidate.value !== undefined);
    return found && { ...found, value: parseSetting(name, found.value, placeOf(name, found))! };
  }

  function checkProfile() {
    if (config.profiles[profile.value] || profile.source === "default") return;
    const known = Object.keys(config.profiles);
    throw usage(
      `Profile ${profile.value} not found (set by ${profile.from}).`,
      known.length > 0 ? `Profiles: ${known.join(", ")}.` : "Create one with `playtest login --profile NAME`.",
    );
  }

  /** Whether the address would be another one without the directory file. */
  function chosenByDirectory(): boolean {
    if (directoryFile === undefined) return false;
    return get("baseUrl")!.value !== find("baseUrl", profileWith(undefined).value, undefined)!.value;
  }

  const untrusted = () =>
    chosenByDirectory() && !Object.values(config.profiles).some((values) => values.baseUrl === get("baseUrl")!.value);

  /** A cloned repository must not decide where a secret is sent. */
  function refused(what: string): Error {
    const { value } = get("baseUrl")!;
    return badConfig(
      `${what} was not sent to ${value}: only ${directoryFile!.path} sets this address, and a file in a repository must not decide where a secret is sent.`,
      `If you trust this address, pass \`--base-url ${shellQuote(value)}\`, or set PLAYTEST_BASE_URL.`,
    );
  }

  function refuseUntrusted(what: string) {
    if (untrusted()) throw refused(what);
  }

  /** A key that is not stored for an instance goes to the one it was given with, wherever the user signed in before. */
  function requireOwnHost(from: string) {
    if (chosenByDirectory()) throw refused(`The API key from ${from}`);
    const given = from === "PLAYTEST_API_KEY" && env.PLAYTEST_BASE_URL ? instanceUrl(env.PLAYTEST_BASE_URL) : undefined;
    const { value, from: by } = get("baseUrl")!;
    if (given === undefined || given === value) return;
    throw badConfig(
      `The API key from ${from} was not sent to ${value} (set by ${by}): it was given with PLAYTEST_BASE_URL, which is ${given}.`,
      "Use a key of that instance: pass --api-key-file, or unset PLAYTEST_API_KEY and run `playtest login`.",
    );
  }

  function apiKey(): Setting<string> | undefined {
    checkProfile();
    const baseUrl = get("baseUrl")!;
    if (flags.apiKeyFile) {
      requireOwnHost("--api-key-file");
      return { value: keyIn(flags.apiKeyFile), source: "flag", from: "--api-key-file" };
    }
    if (env.PLAYTEST_API_KEY) {
      requireOwnHost("PLAYTEST_API_KEY");
      return { value: checkKey(env.PLAYTEST_API_KEY, "PLAYTEST_API_KEY"), source: "environment", from: "PLAYTEST_API_KEY" };
    }
    const key = store.key({ baseUrl: baseUrl.value, profile: profile.value });
    return key === undefined ? undefined : { value: key, source: "profile", from: `profile ${profile.value}` };
  }

  return { profile, directoryFile, get, apiKey, untrusted, refuseUntrusted };
}

/** Checks that a key fits into a header. Its text never appears in the error. */
export function checkKey(text: string, from: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]{8,512}$/.test(key))
    throw badConfig(`${from} does not contain a valid API key: one line of 8 to 512 printable characters.`);
  return key;
}

/** Reads a key file once: a pipe such as `<(pass show key)` is empty the second time. `text`: what was read of standard input. */
function keyFileReader(text: string | undefined): (path: string) => string {
  let key: string | undefined;
  return (path) => {
    key ??= text === undefined ? checkKey(textOf(path), path) : checkKey(text, "Standard input");
    return key;
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw usage(`--api-key-file: cannot read ${path}: ${(error as Error).message}.`);
  }
}
