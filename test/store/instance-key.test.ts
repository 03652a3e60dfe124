import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StoreUnavailable } from "../../server/database/port.ts";
import { createSecrets, type KeyRing } from "../../server/lib/secrets.ts";
import { requireIdentity } from "../../server/operations/keys/identity.ts";
import { refreshKeys } from "../../server/operations/keys/ring.ts";
import { rotate } from "../../server/operations/keys/rotate.ts";
import { sealedColumns } from "../../server/operations/keys/sealed.ts";
import { watchKeys } from "../../server/operations/keys/watch.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { createTestLog, createTestRandom } from "../helpers/server.ts";
import { drivers, freshFolder, type TestStore } from "../helpers/store.ts";

const times = { created_at: 1, updated_at: 1 };
const person = { email: "a", email_key: "a", password_hash: "", role: "game_owner", display_name: "A", company_name: "A" };
const webhook = { url: "u", host: "h", events: "[]", is_active: 1, failure_count: 0, created_at: 1 };

describe.each(drivers)("instance key ($name)", ({ name: driver, open }) => {
  let store: TestStore;
  let dataDir: string;
  const randomBytes = createTestRandom("instance key tests");
  const keys = (more: { dataDir?: string; sandbox?: boolean; secretKey?: string } = {}) =>
    requireIdentity({ store, dataDir, sandbox: false, secretKey: undefined, randomBytes, ...more });
  const hex = (key: Uint8Array) => Buffer.from(key).toString("hex");
  const keyIn = (folder: string) => readFileSync(join(folder, "instance.key"), "utf8").trim();

  beforeEach(async () => {
    store = await open();
    dataDir = freshFolder();
  });
  afterEach(() => store.remove());

  /** Webhooks whose secrets are sealed with the current key of `ring`. */
  async function seal(ring: KeyRing, ...ids: string[]) {
    const secrets = createSecrets(ring, randomBytes);
    await store.write(async (tx) => {
      if (!(await tx.one("SELECT 1 AS found FROM users"))) await insertRow(tx, "users", { id: "o", ...person, ...times });
      for (const id of ids)
        await insertRow(tx, "webhooks", { id, owner_id: "o", ...webhook, secret: secrets.seal(`s${id}`, `webhook ${id}`) });
    });
  }
  async function opened(ring: KeyRing) {
    const rows = await store.read((q) => q.all<{ id: string; secret: string }>("SELECT id, secret FROM webhooks ORDER BY id"));
    return rows.map(({ id, secret }) => createSecrets(ring, randomBytes).open(secret, `webhook ${id}`));
  }
  const alone = (ring: KeyRing): KeyRing => ({ current: ring.current, others: [] });
  const rotated = (ring: KeyRing, settle = async () => {}) =>
    rotate({ store, dataDir, ring, randomBytes, settle, onProgress: () => {} });

  it("is followed without a word of it in the log while the database is away", async () => {
    const ring = await keys();
    let outcome: Error = new StoreUnavailable("the database is away");
    let reads = 0;
    const read = async () => {
      reads += 1;
      throw outcome;
    };
    const log = createTestLog();
    const away = { ...store, shared: true, read } as unknown as TestStore;
    const stop = watchKeys({ store: away, dataDir, ring, log, randomBytes });
    await vi.waitUntil(() => reads === 2, { timeout: 60_000 });
    expect(log.lines).toEqual([]);
    outcome = new Error("damaged");
    await vi.waitUntil(() => log.lines.length > 0, { timeout: 60_000 });
    expect(log.lines.join()).toContain("the instance key could not be rotated");
    await stop();
  });

  it("is remembered: a server with the same key starts, one with another or without one says what to do", async () => {
    const first = await keys();
    await seal(first, "1");
    expect(hex((await keys()).current)).toBe(hex(first.current));
    expect(hex((await keys({ secretKey: hex(first.current) })).current)).toBe(hex(first.current));
    const other = { secretKey: "ab".repeat(32) };
    await expect(keys(other)).rejects.toThrow("from PLAYTEST_SECRET_KEY is not the key of this database");
    const elsewhere = freshFolder();
    await expect(keys({ dataDir: elsewhere })).rejects.toThrow("A backup contains it too.");
    expect(existsSync(join(elsewhere, "instance.key"))).toBe(false);
  });

  it("of a database from before it was remembered must open what is sealed there", async () => {
    const [right, wrong] = [randomBytes(32), randomBytes(32)];
    await seal({ current: right, others: [] }, "1");
    await expect(keys()).rejects.toThrow("There is no instance key in");
    await expect(keys({ secretKey: hex(wrong) })).rejects.toThrow("is not the key of this database");
    expect(hex((await keys({ secretKey: hex(right) })).current)).toBe(hex(right));
  });

  it("comes with the mode of the database, live or sandbox, and no server starts in the other", async () => {
    await keys({ sandbox: true });
    await keys({ sandbox: true });
    await expect(keys()).rejects.toThrow("belongs to a sandbox");
  });

  it("a live database is not opened as a sandbox, nor the other way around where a sandbox moved its clock", async () => {
    await keys();
    await expect(keys({ sandbox: true })).rejects.toThrow("belongs to a live server");
    await store.write((tx) => tx.run("DELETE FROM settings"));
    await store.write((tx) => tx.run("INSERT INTO settings (name, value) VALUES ('clock_offset_ms', '5')"));
    await expect(keys()).rejects.toThrow("belongs to a sandbox");
  });

  it("rotates: everything is sealed with the new key, which is in a private file, and the old one is refused", async () => {
    const ring = await keys();
    const old = hex(ring.current);
    const ids = Array.from({ length: 450 }, (_, i) => String(i).padStart(3, "0"));
    await seal(ring, ...ids);
    const plain = Buffer.from("not sealed");
    const row = { account_id: "o", fingerprint: "", status: 200, headers: "{}", created_at: 1, expires_at: 2 };
    const sealed = createSecrets(ring, randomBytes).sealBytes(Buffer.from("reply"), "idempotency o k1");
    await store.write(async (tx) => {
      await insertRow(tx, "idempotency", { ...row, idempotency_key: "k1", body: sealed });
      await insertRow(tx, "idempotency", { ...row, idempotency_key: "k2", body: plain });
    });
    expect((await rotated(ring)).resealed).toBe(451);
    expect([hex(ring.current) === old, keyIn(dataDir), statSync(join(dataDir, "instance.key")).mode & 0o777]).toEqual([
      false,
      hex(ring.current),
      0o600,
    ]);
    expect(await opened(alone(ring))).toEqual(ids.map((id) => `s${id}`));
    const bodies = await store.read((q) => q.all<{ body: Uint8Array }>("SELECT body FROM idempotency ORDER BY idempotency_key"));
    expect(createSecrets(alone(ring), randomBytes).openBytes(bodies[0]!.body, "idempotency o k1").toString()).toBe("reply");
    expect(Buffer.from(bodies[1]!.body)).toEqual(plain);
    expect(hex((await keys()).current)).toBe(hex(ring.current));
    await expect(keys({ secretKey: old })).rejects.toThrow("unset PLAYTEST_SECRET_KEY");
  });

  // SQLite has one process.
  const shared = driver === "postgres" ? ["another process serves"] : [];
  it.each(shared)("rotates while %s: each opens at any moment what the other sealed", async () => {
    const [mine, theirs] = [await keys(), await keys()];
    await seal(theirs, "1");
    let turn = 1;
    await rotated(mine, async () => {
      await seal(theirs, String(++turn));
      await refreshKeys(store, theirs, randomBytes);
      await seal(theirs, String(++turn));
      expect(await opened(theirs)).toHaveLength(turn);
      expect(await opened(mine)).toHaveLength(turn);
    });
    await refreshKeys(store, theirs, randomBytes);
    expect(hex(theirs.current)).toBe(hex(mine.current));
    expect(await opened(alone(mine))).toHaveLength(turn);
  });

  it.each(["begun", "announced its key"])(
    "of two rotations at once one replaces the key: the other had only %s",
    async (progress) => {
      const [mine, theirs] = [await keys(), await keys()];
      await seal(mine, "1", "2");
      const { read, write, check, close, dialect } = store;
      const sharing = {
        read: read.bind(store),
        write: write.bind(store),
        check: check.bind(store),
        close: close.bind(store),
        dialect,
      };
      const late = { store: { ...sharing, shared: true }, dataDir, ring: mine, randomBytes, onProgress: () => {} };
      if (progress === "begun") await rotated(theirs);
      const slow = rotate({ ...late, settle: async () => void (await rotated(theirs)) });
      await expect(slow).rejects.toThrow("Another command rotated the instance key at the same time.");
      const later = await keys();
      expect([hex(later.current), keyIn(dataDir)]).toEqual([hex(theirs.current), hex(theirs.current)]);
      expect(await opened(alone(later))).toEqual(["s1", "s2"]);
      expect((await rotated(later)).resealed).toBe(2);
      expect(await opened(alone(await keys()))).toEqual(["s1", "s2"]);
    },
  );

  it.each(["next_key", "previous_key"])("a rotation that was cut off when it set %s goes on", async (name) => {
    const ring = await keys();
    await seal(ring, "1", "2");
    const reached = (found: { name: string; value: string }[]) => found.some((one) => one.name === name);
    const read: typeof store.read = (fn) => store.read(fn);
    const write: typeof store.write = async (fn) => {
      const result = await store.write(fn);
      const found = await store.read((q) => q.all<{ name: string; value: string }>("SELECT name, value FROM settings"));
      if (reached(found)) throw new Error("the process died");
      return result;
    };
    const dying = { read, write, dialect: store.dialect, shared: store.shared, check: store.check, close: store.close };
    const options = { dataDir, ring, randomBytes, settle: async () => {}, onProgress: () => {} };
    await expect(rotate({ ...options, store: dying })).rejects.toThrow("the process died");
    const later = await keys();
    expect(await opened(later)).toEqual(["s1", "s2"]);
    expect((await rotated(later)).resealed).toBe(2);
    expect(await opened(alone(later))).toEqual(["s1", "s2"]);
    expect(keyIn(dataDir)).toBe(hex(later.current));
    expect(existsSync(join(dataDir, "instance.key.next"))).toBe(false);
  });
});

it("every place that seals is known to the rotation of the key", () => {
  const files = execFileSync("grep", ["-rlE", String.raw`secrets\.(seal|sealBytes)\(`, "server"], { encoding: "utf8" })
    .trim()
    .split("\n");
  const known = [
    // A cookie for hours, and no row: who has one signs in again after the rotation.
    "server/accounts/browser/operators.ts",
    "server/accounts/factors/handlers.ts",
    "server/accounts/payout-details/service.ts",
    "server/admin/payouts/payout.ts",
    "server/events/webhooks/handlers.ts",
    "server/http/idempotency.ts",
    "server/mail/queue.ts",
    "server/playtests/keys/service.ts",
    "server/playtests/order-approvals/service.ts",
    "server/playtests/publications/connections-handlers.ts",
    "server/playtests/publications/publishers.ts",
    "server/playtests/publications/service.ts",
    "server/sharing/shares/service.ts",
    "server/trackers/handlers.ts",
  ];
  expect(files.filter((file) => !file.startsWith("server/operations/keys/")).sort()).toEqual(known);
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`)).toEqual([
    "playtest_keys.ciphertext",
    "webhooks.secret",
    "shares.token",
    "publications.session",
    "publisher_connections.sealed",
    "tracker_connections.sealed",
    "second_factors.secret",
    "order_approvals.sealed",
    "payout_details.sealed",
    "payouts.details",
    "mails.sealed",
    "idempotency.body",
  ]);
});
