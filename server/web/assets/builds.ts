import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  archiveSays,
  escaping,
  nameFaults,
  namesWarning,
  refusalOf,
  secretByName,
} from "../../../src/contract/files/build-names.ts";
import { isFolder, readZipIndex } from "../../../src/contract/files/zip-index.ts";
import { the } from "./shared/dom.ts";
import { sizeText } from "./upload/amounts.ts";
import { readStart, Unusable } from "./upload/start.ts";

/** A name cannot be longer than a line, nor hold what controls one. */
const oneLine = (text: string) => text.replace(/\p{Cc}/gu, " ");

const pieceBytes = 8 * 1024 * 1024;

/** The SHA-256 of a file, which can be larger than memory. `read` reads a part of it, and `told` hears how far it is. */
export async function hashOf(
  { size }: File,
  read: (start: number, end: number) => Promise<Uint8Array>,
  told: (bytes: number) => void,
): Promise<string> {
  const hash = sha256.create();
  for (let at = 0; at < size; at += pieceBytes) {
    hash.update(await read(at, at + pieceBytes));
    told(Math.min(size, at + pieceBytes));
  }
  return bytesToHex(hash.digest());
}

/** What is in a zip archive; undefined where that cannot be read. */
async function pathsIn(file: File): Promise<string[] | undefined> {
  if (!/\.zip$/i.test(file.name)) return undefined;
  const readAt = async (start: number, length: number) => new Uint8Array(await file.slice(start, start + length).arrayBuffer());
  const entries = await readZipIndex(file.size, readAt).catch(() => undefined);
  return entries?.map((entry) => (isFolder(entry) ? entry.path.slice(0, -1) : entry.path));
}

/** Fails for a build that the server or `playtest games push` would refuse, before any of it is sent. Returns what to know of it. */
export async function checkBuild(file: File, maxBytes: number): Promise<string | undefined> {
  if (file.size === 0) throw new Unusable(`${file.name} is empty. Nothing was sent. Choose another file.`);
  if (file.size > maxBytes)
    throw new Unusable(
      `${file.name} has ${sizeText(file.size)}, and a build can have at most ${sizeText(maxBytes)}. Nothing was sent. Make it smaller, or use an address.`,
    );
  await readStart(file);
  const paths = await pathsIn(file);
  if (!paths) return undefined;
  const outside = escaping(paths);
  if (outside.length > 0) throw new Unusable(`${refusalOf(archiveSays.escaping, outside, oneLine)} ${archiveSays.renameThem}`);
  refuseSecrets(paths);
  const faults = nameFaults(paths);
  return faults.length > 0 ? namesWarning(faults, oneLine) : undefined;
}

/** Files that look secret are sent only when somebody says so, in a box that appears with the refusal. */
function refuseSecrets(paths: readonly string[]): void {
  const secrets = paths.flatMap((path) => {
    const problem = secretByName(path);
    return problem === undefined ? [] : [{ path, problem }];
  });
  if (secrets.length === 0 || the<HTMLInputElement>("#include-secrets").checked) return;
  the("#build-secrets").hidden = false;
  throw new Unusable(
    `${refusalOf(archiveSays.secret, secrets, oneLine)} Make the archive again without it, or tick the box below and choose the file again.`,
  );
}

const typedIn = (id: string) => the<HTMLInputElement | HTMLTextAreaElement>(id).value.trim();

/** What the form says of the build. */
export function labels(): Record<string, string> {
  const given = { version: typedIn("#version"), channel: typedIn("#channel"), notes: typedIn("#notes") };
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ""));
}
