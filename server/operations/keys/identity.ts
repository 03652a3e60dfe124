import { renameSync } from "node:fs";
import { findInstanceKey, keyFile, loadInstanceKey, nextKeyFile, readKeyFile } from "../../config/instance-key.ts";
import { ConfigError } from "../../config/read.ts";
import type { Check, Query, Store } from "../../database/port.ts";
import { fingerprintOf, type KeyRing } from "../../lib/secrets.ts";
import { opensSealed } from "./reseal.ts";
import { refreshKeys } from "./ring.ts";
import * as settings from "./store.ts";

/** The mode and instance key of a server, and its database. */
export interface Identity {
  store: Store;
  dataDir: string;
  sandbox: boolean;
  /** The value of `PLAYTEST_SECRET_KEY`. */
  secretKey: string | undefined;
  randomBytes(count: number): Buffer;
}

/** Where a key of a server can be. */
export type KeyPlace = Pick<Identity, "dataDir" | "secretKey" | "randomBytes">;

/** The instance key that is here is not that of the database, or there is none. */
class WrongKey extends ConfigError {
  readonly what: string;
  readonly remedy: string;

  constructor(what: string, outcome: string, remedy: string) {
    super(`${what} ${outcome} ${remedy}`);
    this.what = what;
    this.remedy = remedy;
  }
}

/**
 * Returns the keys of the database. The first server on a database determines its mode and key. Throws ConfigError for a server with
 * another mode, which could expose the sandbox's routes, or with another key, which could not read the stored secrets.
 */
export async function requireIdentity(identity: Identity): Promise<KeyRing> {
  await requireMode(identity);
  return requireKeys(identity);
}

/** Like `requireIdentity`, without the check of the mode, for commands that do not serve requests. */
export async function requireKeys(identity: Omit<Identity, "sandbox">): Promise<KeyRing> {
  const ring = { current: await requireKey(identity), others: [] };
  await refreshKeys(identity.store, ring, identity.randomBytes);
  return ring;
}

/** Throws what `requireIdentity` would throw, and changes nothing: for a database that will be brought up to date. */
export async function refuseOthers(identity: Identity): Promise<void> {
  const { store } = identity;
  const [mode, known] = await store.read(async (q) => [await knownMode(q), await settings.get(q, "instance_key")]);
  if (mode !== undefined) refuseOtherMode(mode, identity);
  if (known !== undefined) findKey(identity, known);
  else await findFitting(identity);
}

/** Whether the key that is here is that of the database, so that a server can start. */
export async function keyCheck(identity: Omit<Identity, "sandbox">): Promise<Check> {
  const name = "instance_key";
  try {
    const known = await identity.store.read((q) => settings.get(q, "instance_key"));
    if (known === undefined) await findFitting(identity);
    else if (findKey(identity, known).isNext && identity.secretKey !== undefined) throw otherKey(identity, known, true);
    return { name, ok: true, detail: known === undefined ? "no server has used this database yet" : "the key of this database" };
  } catch (error) {
    if (error instanceof WrongKey) return { name, ok: false, detail: error.what, help: error.remedy };
    if (error instanceof ConfigError) return { name, ok: false, detail: "not valid", help: error.message };
    throw error;
  }
}

/**
 * The key of a database that has this fingerprint: `inForce`, which a rotation may have replaced since, or the one that is in a file. Throws
 * ConfigError, which says what the `outcome` is, when it is neither.
 */
export function keyWith(known: string, inForce: Uint8Array, place: KeyPlace, outcome: string): Uint8Array {
  const { dataDir, randomBytes } = place;
  const isKnown = (key: Uint8Array | undefined) => key !== undefined && fingerprintOf(key, randomBytes) === known;
  if (isKnown(inForce)) return inForce;
  // The next key first: when it is renamed between both looks, the second one finds it.
  const kept = [nextKeyFile(dataDir), keyFile(dataDir)].map(readKeyFile).find(isKnown);
  if (kept) return kept;
  throw otherKey(place, known, true, outcome);
}

const knownMode = async (q: Query) => (await settings.get(q, "mode")) ?? ((await settings.wasSandbox(q)) ? "sandbox" : undefined);

async function requireMode(identity: Identity): Promise<void> {
  const mode = await identity.store.write(async (tx) => {
    await settings.setIfAbsent(tx, "mode", (await knownMode(tx)) ?? modeOf(identity));
    return settings.get(tx, "mode");
  });
  refuseOtherMode(mode!, identity);
}

const modeOf = ({ sandbox }: Pick<Identity, "sandbox">) => (sandbox ? "sandbox" : "live");

function refuseOtherMode(mode: string, identity: Pick<Identity, "sandbox">): void {
  if (mode === modeOf(identity)) return;
  throw new ConfigError(
    mode === "live"
      ? "The database belongs to a live server: as a sandbox it would answer without a key and move its clock. Nothing was changed. Start it without --sandbox and --seed, or choose another --data folder or database for a sandbox."
      : "The database belongs to a sandbox: its money is not real and its clock may have been moved. Nothing was changed. Start it with --sandbox, or choose another --data folder or database for a live server.",
  );
}

async function requireKey(identity: Omit<Identity, "sandbox">): Promise<Uint8Array> {
  const { store, dataDir, secretKey } = identity;
  const known = await store.read((q) => settings.get(q, "instance_key"));
  if (known === undefined) return adopt(identity);
  const { key, isNext } = findKey(identity, known);
  // A rotation was interrupted after the database was switched to the new key.
  if (isNext) renameSync(nextKeyFile(dataDir), keyFile(dataDir));
  if (isNext && secretKey !== undefined) throw otherKey(identity, known, true);
  return key;
}

/** The key with this fingerprint. Throws ConfigError when it is not here. */
function findKey(identity: Omit<Identity, "sandbox" | "store">, known: string): { key: Uint8Array; isNext?: true } {
  const { dataDir, secretKey, randomBytes } = identity;
  const key = findInstanceKey(secretKey, dataDir);
  if (key && fingerprintOf(key, randomBytes) === known) return { key };
  const next = readKeyFile(nextKeyFile(dataDir));
  if (next && fingerprintOf(next, randomBytes) === known) return { key: next, isNext: true };
  throw otherKey(identity, known, key !== undefined);
}

/** Stores the fingerprint of the key in a database that has none. Throws ConfigError if the key cannot open what is sealed already. */
async function adopt(identity: Omit<Identity, "sandbox">): Promise<Uint8Array> {
  const { store, dataDir, secretKey, randomBytes } = identity;
  const key = (await findFitting(identity)) ?? loadInstanceKey(secretKey, dataDir, randomBytes);
  const own = fingerprintOf(key, randomBytes);
  const known = await store.write(async (tx) => {
    await settings.setIfAbsent(tx, "instance_key", own);
    return settings.get(tx, "instance_key");
  });
  if (known !== own) throw otherKey(identity, known, true);
  return key;
}

/** The key that is here, if any. Throws ConfigError if it cannot open what is sealed in a database that does not say with which key. */
async function findFitting({
  store,
  dataDir,
  secretKey,
  randomBytes,
}: Omit<Identity, "sandbox">): Promise<Uint8Array | undefined> {
  const found = findInstanceKey(secretKey, dataDir);
  if (await opensSealed(store, found ?? randomBytes(32), randomBytes)) return found;
  throw otherKey({ dataDir, secretKey, randomBytes }, undefined, found !== undefined);
}

function otherKey(
  { dataDir, secretKey, randomBytes }: KeyPlace,
  known: string | undefined,
  found: boolean,
  outcome = "Nothing was changed.",
): WrongKey {
  const file = keyFile(dataDir);
  const inFile = secretKey === undefined ? undefined : readKeyFile(file);
  const rotated = inFile && fingerprintOf(inFile, randomBytes) === known;
  const what = found
    ? `The instance key from ${secretKey === undefined ? file : "PLAYTEST_SECRET_KEY"} is not the key of this database: what it sealed could not be read.`
    : `There is no instance key in ${file}, and the secrets in this database are sealed with one.`;
  const hint = rotated
    ? `The key of the database is in ${file}: unset PLAYTEST_SECRET_KEY, or set it to that key.`
    : `Set PLAYTEST_SECRET_KEY to the key of the other servers on this database, or copy their instance.key to ${file}. A backup contains it too.`;
  return new WrongKey(what, outcome, hint);
}
