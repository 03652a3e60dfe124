import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { containing, contains } from "../../server/database/containing.ts";
import { LostRace, type Query, type Store, type WriteOptions } from "../../server/database/port.ts";
import { hostUrls } from "../../server/database/postgres/hosts.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { numbered } from "../../server/database/postgres/queries.ts";
import * as jobs from "../../server/jobs/store.ts";
import { watchClock } from "../../server/operations/watch-clock.ts";
import { endHeldCommit, holdCommits } from "../helpers/held-commits.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import { sql } from "../helpers/postgres-server.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { createTestLog } from "../helpers/server.ts";
import { startTcpProxy } from "../helpers/tcp-proxy.ts";

let database: FreshDatabase;
let store: Store;
let pauses: number[];
let warnings: string[];

beforeEach(async () => {
  database = await freshDatabase();
  pauses = [];
  warnings = [];
  store = await openPostgres(database.url, {
    random: () => 0.5,
    sleep: async (ms) => pauses.push(ms),
    log: { warn: (_, message) => warnings.push(message) },
  });
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const put = (tx: Query, name: string, value = "") => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", name, value);
const stored = () => sql<{ name: string; value: string }>(database.url, "SELECT name, value FROM settings ORDER BY name");
const backends = (tx: Query) => tx.one<{ pid: number }>("SELECT pg_backend_pid() AS pid");

/** A promise and its resolver. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("PostgreSQL serialization failures", () => {
  it("the transaction that lost is run again, so that both take effect", async () => {
    await store.write((tx) => put(tx, "count", "0"));
    const bothRead = gate();
    let readers = 0;
    const runs = [0, 0];
    const increment = (which: 0 | 1) =>
      store.write(async (tx) => {
        runs[which]! += 1;
        const row = await tx.one<{ value: string }>("SELECT value FROM settings WHERE name = 'count'");
        readers += 1;
        if (readers === 2) bothRead.open();
        await bothRead.opened;
        await tx.run("UPDATE settings SET value = ? WHERE name = 'count'", String(Number(row?.value) + 1));
      });
    await Promise.all([increment(0), increment(1)]);
    expect(runs.sort()).toEqual([1, 2]);
    expect(pauses).toEqual([5]);
    expect(await stored()).toEqual([{ name: "count", value: "2" }]);
  });

  it("a write is run again even if its callback caught or replaced the failure", async () => {
    let runs = 0;
    const value = await store.write(async (tx) => {
      runs += 1;
      if (runs === 1) await tx.run(raise("40001")).catch(() => {});
      if (runs === 2) await tx.run(raise("40P01")).catch(() => Promise.reject(new Error("replaced")));
      return runs;
    });
    expect(value).toBe(3);
  });

  it.each(["40001", "40P01", "55P03"])(
    "%s: a write is given up after 16 tries, with pauses that double up to a second",
    async (code) => {
      let runs = 0;
      const write = store.write(async (tx) => {
        runs += 1;
        await put(tx, "a");
        await tx.run(raise(code));
      });
      await expect(write).rejects.toMatchObject({ name: "StoreUnavailable", outcomeUnknown: false });
      expect(runs).toBe(16);
      expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, ...Array<number>(8).fill(500)]);
      expect(await stored()).toEqual([]);
    },
  );

  it("a write is not run again for any other failure", async () => {
    let runs = 0;
    const write = store.write(async (tx) => {
      runs += 1;
      await tx.run(raise("22012"));
    });
    await expect(write).rejects.toMatchObject({ code: "22012" });
    expect(runs).toBe(1);
  });
});

describe("PostgreSQL writes of isolation `rows`", () => {
  const rows = { isolation: "rows" } as const;

  it("writes that read the same rows and change others never run again", async () => {
    await store.write((tx) => put(tx, "shared"));
    const bothRead = gate();
    let readers = 0;
    let runs = 0;
    const insert = (name: string) =>
      store.write(async (tx) => {
        runs += 1;
        await tx.all("SELECT name FROM settings");
        readers += 1;
        if (readers === 2) bothRead.open();
        await bothRead.opened;
        await put(tx, name);
      }, rows);
    await Promise.all([insert("a"), insert("b")]);
    expect(runs).toBe(2);
    expect((await stored()).map(({ name }) => name)).toEqual(["a", "b", "shared"]);
  });

  it("writes of the same row wait for each other, and each sees what the one before it made of it", async () => {
    await store.write((tx) => put(tx, "count", "0"));
    let runs = 0;
    const increment = () =>
      store.write(async (tx) => {
        runs += 1;
        await tx.run("UPDATE settings SET value = CAST(CAST(value AS INT) + 1 AS TEXT) WHERE name = 'count'");
      }, rows);
    await Promise.all(Array.from({ length: 20 }, increment));
    expect({ runs, stored: await stored() }).toEqual({ runs: 20, stored: [{ name: "count", value: "20" }] });
  });

  it("a write that lost a race runs again, 16 times at most", async () => {
    let runs = 0;
    const write = store.write(async () => {
      runs += 1;
      throw new LostRace("taken");
    }, rows);
    await expect(write).rejects.toThrow("taken");
    expect(runs).toBe(16);
  });
});

describe("PostgreSQL writes of one queue", () => {
  it("run one after the other, whatever becomes of them, and those that wait hold no connection", async () => {
    const small = await openPostgres(database.url, { connections: 2 });
    const first = gate();
    const ran: string[] = [];
    const queued = (name: string, waitFor?: Promise<void>) =>
      small.write(
        async (tx) => {
          await waitFor;
          await put(tx, name);
          ran.push(name);
          if (name === "b") throw new Error("b failed");
        },
        { isolation: "rows", queue: "one" },
      );
    const replies = [queued("a", first.opened), queued("b"), queued("c"), queued("d")];
    await small.write((tx) => put(tx, "other"));
    ran.push("other");
    first.open();
    const outcomes = await Promise.allSettled(replies);
    await small.close();
    expect(ran).toEqual(["other", "a", "b", "c", "d"]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect((await stored()).map(({ name }) => name)).toEqual(["a", "c", "d", "other"]);
  });
});

describe("PostgreSQL locks", () => {
  const rows = { isolation: "rows" } as const;
  const ula = {
    ...{ id: "u", email: "ula@example.com", email_key: "ula@example.com", password_hash: "!", role: "game_owner" },
    ...{ display_name: "Ula", company_name: "Ula", simulated: 0, created_at: 1, updated_at: 1 },
  };
  const name = (tx: Query) => tx.one<{ name: string }>("SELECT display_name AS name FROM users WHERE id = 'u'");
  const rename = (tx: Query, to: string) => tx.run("UPDATE users SET display_name = ? WHERE id = 'u'", to);

  it.each([
    { other: "rows" as const, runs: 1 },
    { other: "serializable" as const, runs: 2 },
  ])("a write of isolation $other that locks a row decides by what the one before it left", async ({ other, runs }) => {
    await store.write((tx) => insertRow(tx, "users", ula));
    const locked = gate();
    const over = gate();
    const first = store.write(async (tx) => {
      tx.lock("users", "id = ?", "u");
      await name(tx);
      locked.open();
      await over.opened;
    }, rows);
    await locked.opened;
    let count = 0;
    const second = store.write(
      async (tx) => {
        count += 1;
        await tx.one("SELECT 1");
        tx.lock("users", "id = ?", "u");
        if (count === 1) over.open();
        await rename(tx, `${(await name(tx))!.name} twice`);
      },
      { isolation: other },
    );
    await Promise.all([first, second]);
    expect([count, (await store.read(name))?.name]).toEqual([runs, "Ula twice"]);
  });
});

describe("PostgreSQL writes that collided", () => {
  it("hold back no write with row locks", async () => {
    const raised = gate();
    const over = gate();
    let runs = 0;
    const colliding = store.write(async (tx) => {
      runs += 1;
      if (runs < 4) await tx.run(raise("40001"));
      raised.open();
      await over.opened;
    });
    await raised.opened;
    await store.write((tx) => put(tx, "other"), { isolation: "rows" });
    over.open();
    await colliding;
    expect((await stored()).map(({ name }) => name)).toEqual(["other"]);
  });
});

describe("PostgreSQL statements that are sent together", () => {
  let one: Store;
  beforeEach(async () => {
    one = await openPostgres(database.url, { connections: 1 });
  });
  afterEach(() => one.close());

  it("those behind one that fails are not run, fail as it does, and work in the next write on the same connection", async () => {
    const invalid = "UPDATE settings SET value = CAST(? AS INTEGER) WHERE name = 'a'";
    const behind = "UPDATE settings SET value = 'z' WHERE name = ? RETURNING value";
    const write = (number: string) =>
      one.write((tx) =>
        Promise.allSettled([put(tx, "a"), tx.run(invalid, number), tx.one(behind, "a"), backends(tx)]).then((all) => {
          outcomes.push(all.map((done) => (done.status === "fulfilled" ? done.value : done.reason.code)));
        }),
      );
    const outcomes: unknown[][] = [];
    await expect(write("none")).rejects.toMatchObject({ code: "22P02" });
    expect(outcomes).toEqual([[1, "22P02", "22P02", "22P02"]]);
    expect(await stored()).toEqual([]);
    await write("1");
    await expect(write("1")).rejects.toMatchObject({ name: "UniqueViolation", columns: ["name"] });
    expect(outcomes[1]).toEqual([1, 1, { value: "z" }, { pid: expect.any(Number) }]);
    expect(await stored()).toEqual([{ name: "a", value: "z" }]);
  });

  it("a write that fails stores nothing of what was sent, and the next write is not held up", async () => {
    const write = one.write(async (tx) => {
      tx.send("INSERT INTO settings (name, value) VALUES ('a', '')");
      throw new Error("changed my mind");
    });
    await expect(write).rejects.toThrow("changed my mind");
    await one.write((tx) => put(tx, "b"));
    expect((await stored()).map(({ name }) => name)).toEqual(["b"]);
  });

  it.each(["one connection", "ten"])("a table that got a column meanwhile: over %s writes and reads run again", async (how) => {
    const chosen = how === "ten" ? store : one;
    const write = (options: WriteOptions) => chosen.write((tx) => tx.all("SELECT * FROM settings"), options);
    const read = () => chosen.read((q) => q.all("SELECT * FROM settings"));
    const everyWay = () =>
      Promise.all([write({}), write({ isolation: "rows", locks: ["a"] }), ...Array.from({ length: 40 }, read)]);
    await one.write((tx) => put(tx, "a"));
    const before = { name: "a", value: "" };
    expect(await everyWay()).toEqual(Array(42).fill([before]));
    await sql(database.url, "ALTER TABLE settings ADD COLUMN note TEXT");
    expect(await everyWay()).toEqual(Array(42).fill([{ ...before, note: null }]));
  });

  it("a result that JavaScript would round fails alone", async () => {
    const write = one.write(async (tx) => {
      const [big] = await Promise.allSettled([tx.one("SELECT CAST(9007199254740993 AS BIGINT) AS n"), put(tx, "a")]);
      return big.status;
    });
    await expect(write).rejects.toMatchObject({ name: "RangeError" });
    expect(await stored()).toEqual([]);
  });
});

const raise = (code: string) => `DO $$ BEGIN RAISE EXCEPTION 'made up' USING ERRCODE = '${code}'; END $$`;

describe("PostgreSQL connection", () => {
  it("lost inside a write: nothing is saved, and the next write gets a new connection", async () => {
    const write = store.write(async (tx) => {
      await put(tx, "a");
      await sql(database.url, `SELECT pg_terminate_backend(${(await backends(tx))?.pid})`);
      await put(tx, "b");
    });
    await expect(write).rejects.toMatchObject({ name: "StoreUnavailable", outcomeUnknown: false });
    await store.write((tx) => put(tx, "c"));
    expect((await stored()).map(({ name }) => name)).toEqual(["c"]);
    expect(warnings.length).toBeGreaterThan(0);
  });

  it("lost during COMMIT: the outcome is unknown, and the write is not run again", async () => {
    await holdCommits(database.url);
    let runs = 0;
    const write = store.write(async (tx) => {
      runs += 1;
      await put(tx, "a");
    });
    const ended = endHeldCommit(database.url);
    await expect(write).rejects.toMatchObject({ name: "StoreUnavailable", outcomeUnknown: true });
    await ended;
    expect(runs).toBe(1);
  });

  it("that only goes silent is ended: in a write, in its COMMIT, in a read; the next query gets a new one", async () => {
    const network = await startTcpProxy(database.url.replace(/^postgres(ql)?:/, "http:"));
    const through = new URL(database.url);
    through.host = new URL(network.url).host;
    const far = await openPostgres(through.href, { silenceMs: 300 });
    const unavailable = (outcomeUnknown: boolean) => ({ name: "StoreUnavailable", outcomeUnknown });
    const inside = far.write(async (tx) => {
      await put(tx, "a");
      network.freeze();
      await put(tx, "b");
    });
    await expect(inside).rejects.toMatchObject(unavailable(false));
    const atTheEnd = far.write(async (tx) => {
      await put(tx, "c");
      network.freeze();
    });
    await expect(atTheEnd).rejects.toMatchObject(unavailable(true));
    await far.read((q) => q.one("SELECT 1 AS one"));
    network.freeze();
    await expect(far.read((q) => q.one("SELECT 1 AS one"))).rejects.toMatchObject(unavailable(false));
    await far.write((tx) => put(tx, "d"));
    expect((await stored()).map(({ name }) => name)).toEqual(["d"]);
    network.drop();
    await far.close();
    await network.close();
  });

  it("to a server that stopped answering: requests fail at once, and work again when it answers", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { network, url } = await throughNetwork();
    const warnings: string[] = [];
    const log = { warn: (_: object, message: string) => void warnings.push(message) };
    const far = await openPostgres(url, { quietMs: 1_000, silenceMs: 60_000, log });
    await far.write((tx) => put(tx, "a"));
    network.leadTo(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const inside = far.write(async (tx) => {
      network.freeze();
      await put(tx, "b");
    });
    await expect(inside).rejects.toMatchObject({ name: "StoreUnavailable" });
    const told = "PostgreSQL does not answer. Nothing was changed. Try again in a moment.";
    await expect(far.write((tx) => put(tx, "c"))).rejects.toThrow(told);
    await expect(far.read((q) => q.one("SELECT 1 AS one"))).rejects.toThrow(told);
    network.leadTo(database.url.replace(/^postgres(ql)?:/, "http:"));
    await vi.waitUntil(() => warnings.includes("PostgreSQL answers again."), { timeout: 60_000 });
    await far.write((tx) => put(tx, "d"));
    expect((await stored()).map(({ name }) => name)).toEqual(["a", "d"]);
    await far.close();
    await network.close();
    silent.close();
  });

  it("to the second of two hosts, when the first one is down or goes down", async () => {
    const [one, two] = [await throughNetwork(), await throughNetwork()];
    const hosts = `${one.network.url.replace("http://", "")},${two.network.url.replace("http://", "")}`;
    const both = await openPostgres(database.url.replace(/@[^/]*/, `@${hosts}`));
    await both.write((tx) => put(tx, "a"));
    await one.network.close();
    const write = () =>
      both
        .write((tx) => put(tx, "b"))
        .then(
          () => true,
          () => false,
        );
    await vi.waitUntil(write, { timeout: 60_000 });
    const late = await openPostgres(database.url.replace(/@[^/]*/, `@${hosts}`));
    await late.write((tx) => put(tx, "c"));
    expect((await stored()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    await late.close();
    await both.close();
    await two.network.close();
  });

  /** The database as it is reached over a network that fails on command. */
  async function throughNetwork() {
    const network = await startTcpProxy(database.url.replace(/^postgres(ql)?:/, "http:"));
    const url = new URL(database.url);
    url.host = new URL(network.url).host;
    return { network, url: url.href };
  }

  it("to a server that is not running: StoreUnavailable, and the connection check fails", async () => {
    const nowhere = await openPostgres("postgres://nobody@127.0.0.1:1/none");
    const said = async (asked: Promise<unknown>) => {
      const error = await asked.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ name: "StoreUnavailable" });
      return (error as Error).message;
    };
    expect(await said(nowhere.write((tx) => put(tx, "a")))).toMatch(/ECONNREFUSED.*\. The change was not saved\. Try again/);
    expect(await said(nowhere.read((q) => q.all("SELECT 1")))).toMatch(/ECONNREFUSED[^)]*\)\. Try again in a moment\.$/);
    expect(await nowhere.check()).toMatchObject([{ name: "connection", ok: false }]);
    await nowhere.close();
  });
});

describe("PostgreSQL checks", () => {
  it("report the server's version, its isolation level, and a clock that is wrong", async () => {
    const [row] = await sql<{ ms: string }>(database.url, "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS ms");
    const now = Number(row?.ms);
    expect(await store.check({ now })).toMatchObject([
      { name: "server_version", ok: true },
      { name: "isolation", ok: true, detail: "serializable" },
      { name: "clock", ok: true },
    ]);
    expect((await store.check({ now: now - 60_000 })).filter(({ ok }) => !ok)).toMatchObject([{ name: "clock" }]);
  });
});

it.each([
  ["postgres://u:p@one:5432,two/db", ["postgres://u:p@one:5432/db", "postgres://u:p@two/db"]],
  ["postgres://u:p@one/db?sslmode=require", ["postgres://u:p@one/db?sslmode=require"]],
  [
    "postgresql://one,[::1]:6000/db?target_session_attrs=read-write&sslmode=require",
    ["postgresql://one/db?sslmode=require", "postgresql://[::1]:6000/db?sslmode=require"],
  ],
  ["postgres://one/db?target_session_attrs=any", ["postgres://one/db"]],
  ["postgres:///db?host=/run/postgresql", ["postgres:///db?host=/run/postgresql"]],
])("PostgreSQL: the hosts of %s", (url, expected) => {
  expect(hostUrls(url)).toEqual(expected);
});

it.each([
  ["target_session_attrs=standby", "asks for a standby, which cannot be written. Leave it out."],
  ["host=one,two", "Name them before the path instead: postgres://USER@ONE,TWO/DATABASE."],
])("PostgreSQL: a URL with %s is refused", (query, message) => {
  expect(() => hostUrls(`postgres://u:secret@one,two/db?${query}`)).toThrow(message);
});

it("PostgreSQL: settings that may lose acknowledged writes are warnings", async () => {
  const checks = await store.check({ thorough: true });
  expect(checks.filter(({ warning }) => warning)).toMatchObject([
    { name: "append_only", ok: true, detail: expect.stringContaining("superuser") },
    { name: "fsync", ok: true, detail: expect.stringContaining("Set fsync = on") },
    { name: "synchronous_commit", ok: true },
  ]);
});

it("PostgreSQL: a server whose clock is wrong logs it", async () => {
  const lines: unknown[] = [];
  const log = { ...createTestLog(), warn: (fields: object, text?: string) => void lines.push([fields, text]) };
  const stop = watchClock({ store, log, now: () => Date.now() - 120_000 });
  await vi.waitUntil(() => lines.length > 0, { timeout: 60_000 });
  stop();
  const seen = { clock: expect.stringMatching(/^1[12]\d{4} ms ahead of this machine$/) };
  expect(lines).toEqual([[seen, "the clocks of this machine and of the database differ: set both by NTP"]]);
});

it("PostgreSQL: leases are measured by the database's clock, however wrong those of the servers are", async () => {
  const lease = { due: 10 ** 15, leaseMs: 60_000, count: 1, kinds: { except: [] } };
  await store.write((tx) => jobs.add(tx, { id: "1", kind: "k", key: "k", payload: {}, runAt: 0, now: 0 }));
  const claim = (real: number) =>
    store.write((tx) => jobs.claim(tx, { ...lease, token: String(real), now: jobs.leaseTime(store.dialect, real) }));
  const [first] = await claim(0);
  expect(first).toMatchObject({ kind: "k" });
  expect(await claim(Date.now() + 120_000)).toEqual([]);
  await store.write((tx) => jobs.extend(tx, first!, jobs.leaseTime(store.dialect, 0), -60_000));
  expect(await claim(0)).toHaveLength(1);
});

it("PostgreSQL: a URL with another scheme is refused without printing its password", async () => {
  const error: unknown = await openPostgres("mysql://u:secret@h/d").catch((e) => e);
  expect(String(error)).toBe("Error: The database URL does not start with postgres://. Nothing was opened.");
});

describe("PostgreSQL placeholders", () => {
  it.each([
    ["SELECT ? + ?", "SELECT $1 + $2"],
    ["SELECT '?', ?", "SELECT '?', $1"],
    ["SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1"],
    ['SELECT "a?", ?', 'SELECT "a?", $1'],
    ["SELECT 1 -- why?\n, ?", "SELECT 1 -- why?\n, $1"],
  ])("%s", (given, expected) => {
    expect(numbered(given)).toBe(expected);
  });
});

it("finds a text as it is written where the locale is C, and in any case elsewhere", async () => {
  const found = (column: string, text: string) =>
    store.read((q) =>
      q.one(
        `SELECT 1 AS yes FROM (SELECT CAST(? AS TEXT) COLLATE ${column} AS name) x WHERE ${contains("name")}`,
        "ÜBER 1",
        ...containing(text),
      ),
    );
  const texts = ["ÜBER", "über", "R 1", "r 1"];
  const inLocale = async (collation: string) =>
    Promise.all(texts.map(async (text) => (await found(collation, text)) !== undefined));
  expect(await inLocale('"C"')).toEqual([true, false, true, true]);
  expect(await inLocale('"en-US-x-icu"')).toEqual([true, true, true, true]);
});
