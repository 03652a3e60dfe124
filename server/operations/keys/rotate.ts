import { renameSync, rmSync, writeFileSync } from "node:fs";
import { keyFile, nextKeyFile, readKeyFile } from "../../config/instance-key.ts";
import { ConfigError } from "../../config/read.ts";
import type { Query, Store } from "../../database/port.ts";
import { createSecrets, fingerprintOf, type KeyRing } from "../../lib/secrets.ts";
import { reseal } from "./reseal.ts";
import { contexts, refreshKeys } from "./ring.ts";
import * as settings from "./store.ts";

export interface Rotation {
  /** The number of values that were sealed again with the new key. */
  resealed: number;
  /** The file with the new key. */
  keyFile: string;
}

export interface RotateOptions {
  store: Store;
  dataDir: string;
  /** The current keys, as returned by `requireIdentity`. Updated to the new keys. */
  ring: KeyRing;
  randomBytes(count: number): Buffer;
  /** Waits until every other process on the database has reloaded its keys. */
  settle(): Promise<void>;
  onProgress(resealed: number): void;
}

/**
 * Replaces the instance key while servers run, and seals all stored secrets again. Every step is durable: after a crash, call it again
 * to resume. The former key stays in the database, sealed with the new one, so that values sealed with it can still be opened.
 */
export async function rotate(options: RotateOptions): Promise<Rotation> {
  const { store, dataDir, ring, randomBytes, settle, onProgress } = options;
  const unfinished = await formerKey(options);
  const former = unfinished ?? ring.current;
  if (!unfinished) await replaceKey(options);
  let resealed = 0;
  for (let settled = !store.shared; ; settled = true) {
    const count = await reseal(store, { current: ring.current, former }, randomBytes, (more) => onProgress(resealed + more));
    resealed += count;
    if (settled && count === 0) break;
    // A process that had not reloaded its keys yet may have sealed a value with the former key.
    if (store.shared) await settle();
  }
  await store.write(async (tx) => {
    await settings.remove(tx, "next_key");
    await settings.set(tx, "rotation", "done");
  });
  return { resealed, keyFile: keyFile(dataDir) };
}

/** The key that an interrupted rotation replaced. Undefined if no rotation was interrupted. */
async function formerKey({ store, ring, randomBytes }: RotateOptions): Promise<Uint8Array | undefined> {
  const { state, previous } = await store.read(async (q) => ({
    state: await settings.get(q, "rotation"),
    previous: await settings.get(q, "previous_key"),
  }));
  if (state !== "resealing" || previous === undefined) return undefined;
  return Buffer.from(createSecrets(ring.current, randomBytes).open(previous, contexts.previous), "hex");
}

/** Announces the new key, so that every process can open values sealed with it, and then activates it. */
async function replaceKey({ store, dataDir, ring, randomBytes, settle }: RotateOptions): Promise<void> {
  const former = ring.current;
  const next = await announce({ store, dataDir, ring, randomBytes });
  if (store.shared) await settle();
  const previous = createSecrets(next, randomBytes).seal(Buffer.from(former).toString("hex"), contexts.previous);
  await store.write(async (tx) => {
    await requireInForce(tx, former, randomBytes);
    await settings.set(tx, "instance_key", fingerprintOf(next, randomBytes));
    await settings.set(tx, "previous_key", previous);
    await settings.set(tx, "rotation", "resealing");
  });
  renameSync(nextKeyFile(dataDir), keyFile(dataDir));
  await refreshKeys(store, ring, randomBytes);
}

/** Of two rotations at once only one may replace the key: what was sealed with the key of the other could never be opened again. */
async function requireInForce(tx: Query, key: Uint8Array, randomBytes: RotateOptions["randomBytes"]): Promise<void> {
  if ((await settings.get(tx, "instance_key")) === fingerprintOf(key, randomBytes)) return;
  throw new ConfigError(
    "Another command rotated the instance key at the same time. This one changed nothing. Run it again only if the key must be replaced once more.",
  );
}

/**
 * The new key: one announced by an interrupted rotation or by another at the same time, else the one in its file, else a random one. It is
 * saved in its file before it is activated.
 */
async function announce({ store, dataDir, ring, randomBytes }: Omit<RotateOptions, "settle" | "onProgress">): Promise<Buffer> {
  const secrets = createSecrets(ring.current, randomBytes);
  const file = nextKeyFile(dataDir);
  const saved = readKeyFile(file);
  const fresh = saved && !ring.current.every((byte, at) => byte === saved[at]) ? saved : randomBytes(32);
  const announced = await store.write(async (tx) => {
    await requireInForce(tx, ring.current, randomBytes);
    await settings.setIfAbsent(tx, "next_key", secrets.seal(fresh.toString("hex"), contexts.next));
    return (await settings.get(tx, "next_key"))!;
  });
  const next = Buffer.from(secrets.open(announced, contexts.next), "hex");
  if (!saved?.equals(next)) {
    rmSync(file, { force: true });
    writeFileSync(file, `${next.toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  }
  await refreshKeys(store, ring, randomBytes);
  return next;
}
