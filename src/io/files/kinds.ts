import { secretByName } from "../../contract/files/build-names.ts";

/** How much of a file tells what it is. */
export const headBytes = 2 ** 16;

/** How Linux and macOS programs and libraries begin: ELF, and Mach-O in both byte orders and sizes. */
const programs = ["7f454c46", "feedface", "feedfacf", "cefaedfe", "cffaedfe"];
/** Mach-O for several processors at once. Java classes begin alike, but have at least 45 where these have the number of processors. */
const universal = ["cafebabe", "cafebabf"];

/** Whether a file is a program of Linux or macOS, or a script that names its interpreter, by how it begins. */
export function isProgram(head: Buffer): boolean {
  if (head.toString("latin1", 0, 2) === "#!") return /^#![ \t]*\//.test(head.toString("latin1", 0, 64));
  const magic = head.toString("hex", 0, 4);
  return programs.includes(magic) || (universal.includes(magic) && head.length >= 8 && head.readUInt32BE(4) < 45);
}

/** Whether a program is loaded by others, and so need not be executable. */
export const isLibrary = (path: string) => /\.(so(\.[0-9]+)*|dylib|bundle|node|o|a)$/i.test(path);

/** What a file holds that no playtester may read; `key`: of this service, which is never sent. */
export interface Secret {
  kind: "key" | "secret";
  /** As the rest of a sentence: "is a private key". */
  what: string;
}

const key = (what: string): Secret => ({ kind: "key", what });
const secret = (what: string): Secret => ({ kind: "secret", what });

const apiKeyFound = key("holds an API key of this service");

/** Whether bytes hold an API key. `apiKey`: the one in use, which may have any form. */
const holdsApiKey = (bytes: Buffer, apiKey: string | undefined) =>
  (bytes.includes("pt_sk_") && /pt_sk_[0-9a-f]{32}/.test(bytes.toString("latin1"))) ||
  (apiKey !== undefined && apiKey !== "" && bytes.includes(apiKey));

/** Shorter than this, a key of another form may be in a file by chance. */
const telling = 16;

/** Looks for an API key in all of a file, which is given block by block. A key may be in two of them. */
export function apiKeySearch(apiKey: string | undefined) {
  const own = apiKey !== undefined && apiKey.length >= telling ? apiKey : undefined;
  const longest = Math.max(64, own?.length ?? 0);
  let found = false;
  let rest = Buffer.alloc(0);
  return {
    look(block: Buffer): void {
      if (found) return;
      const bytes = Buffer.concat([rest, block]);
      found = holdsApiKey(bytes, own);
      rest = Buffer.from(bytes.subarray(-longest));
    },
    found: () => (found ? apiKeyFound : undefined),
  };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The file of the stored keys: API keys by address and profile. */
function isKeyFile(head: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(head.toString("utf8"));
    return isObject(value) && Object.entries(value).some(([name, held]) => /^https?:\/\//.test(name) && isObject(held));
  } catch {
    return false;
  }
}

/** The secret that a file of a build is or holds, by its path and how it begins. `apiKey`: the one in use, which may have any form. */
export function secretIn(path: string, head: Buffer, apiKey: string | undefined): Secret | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (holdsApiKey(head, apiKey)) return apiKeyFound;
  if (/^keys\.json$/i.test(name) && isKeyFile(head)) return key("holds stored API keys of this command");
  if (/^instance\.key(\.next)?$/i.test(name) && /^[0-9a-f]{64}\s*$/i.test(head.toString("latin1", 0, 80)))
    return key("is the key of a playtest server");
  if (/^playtest\.db$/i.test(name) && head.includes("SQLite format 3")) return key("is the database of a playtest server");
  if (/^\.npmrc$/i.test(name) && /_(auth|password)/i.test(head.toString("latin1"))) return secret("holds a password");
  const named = secretByName(path);
  if (named !== undefined) return secret(named);
  return isPrivateKey(head) ? secret("holds a private key") : undefined;
}

/** Only in text, and only before the end of a line: programs and libraries for encryption have these words among theirs. */
const isPrivateKey = (head: Buffer) =>
  head.includes("PRIVATE KEY") &&
  !head.includes(0) &&
  /-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)?-----(\s|\\[nr])/.test(head.toString("latin1"));
