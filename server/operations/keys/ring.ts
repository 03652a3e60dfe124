import type { Store } from "../../database/port.ts";
import { createSecrets, fingerprintOf, type KeyRing } from "../../lib/secrets.ts";
import * as settings from "./store.ts";

export const contexts = { next: "next instance key", previous: "previous instance key" } as const;

/** Loads keys that a rotation, in this or another process, announced or activated. Call it periodically. */
export async function refreshKeys(store: Store, ring: KeyRing, randomBytes: (count: number) => Buffer): Promise<void> {
  const known = await store.read(async (q) => ({
    current: await settings.get(q, "instance_key"),
    next: await settings.get(q, "next_key"),
    previous: await settings.get(q, "previous_key"),
  }));
  const fingerprint = (key: Uint8Array) => fingerprintOf(key, randomBytes);
  const all = [ring.current, ...ring.others];
  if (known.next) all.push(...openedBy(all, known.next, contexts.next, randomBytes));
  const current = all.find((key) => fingerprint(key) === known.current);
  if (!current)
    throw new Error(
      "the instance key was rotated while this process could not follow: restart it with the new key from instance.key",
    );
  if (known.previous) all.push(...openedBy([current], known.previous, contexts.previous, randomBytes));
  const others = new Map(all.map((key) => [fingerprint(key), key]));
  others.delete(fingerprint(current));
  ring.current = current;
  ring.others = [...others.values()];
}

/** Opens a key that was sealed with one of `keys`. Empty if none of them opens it. */
function openedBy(
  keys: readonly Uint8Array[],
  sealed: string,
  context: string,
  randomBytes: (count: number) => Buffer,
): Buffer[] {
  for (const key of keys) {
    try {
      return [Buffer.from(createSecrets(key, randomBytes).open(sealed, context), "hex")];
    } catch {
      // Not sealed with this key: try the next one.
    }
  }
  return [];
}
