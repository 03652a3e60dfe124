import { once } from "node:events";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate, migrations } from "../../server/database/migrate.ts";
import type { Store } from "../../server/database/port.ts";
import { openSqlite } from "../../server/database/sqlite/sqlite.ts";
import { requireIdentity } from "../../server/operations/keys/identity.ts";
import { playtest, testFolder } from "../helpers/cli.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { createTestRandom } from "../helpers/server.ts";
import { type DatabaseLocation, drivers, openBefore, openUnmigrated } from "../helpers/store.ts";

const next = "032-order-refs";
const last = "031-request-counts";
const newest = migrations.at(-1)!.name;
const person = { email: "a@example.com", email_key: "a@example.com", password_hash: "!", role: "game_owner" };
const owner = { id: "o", ...person, display_name: "Ada", company_name: "Moon Games" };
const otherKey = "ab".repeat(32);

/** What the database says that a start could change. */
const state = (store: Store) =>
  store.read(async (q) => ({
    migrations: (await q.all<{ name: string }>("SELECT name FROM schema_migrations ORDER BY position")).at(-1)?.name,
    settings: await q.all("SELECT name, value FROM settings ORDER BY name"),
    people: (await q.all<{ id: string }>("SELECT id FROM users ORDER BY id")).map(({ id }) => id),
    jobs: await q.all("SELECT kind FROM jobs"),
  }));

describe.each(drivers)("a database of an older program ($name)", (driver) => {
  let location: DatabaseLocation;
  let dataDir: string;
  let before: Awaited<ReturnType<typeof state>>;
  const copy = () => join(dataDir, `playtest.db.from-${last}`);
  const files = () => readdirSync(dataDir).filter((name) => !/\.lock(-journal)?$/.test(name));

  async function make({ sandbox = false } = {}) {
    const store = await openBefore(driver, next);
    location = store.location;
    dataDir = location.options.dataDir ?? testFolder();
    // Retention removes accounts that are old and not verified.
    const times = { created_at: Date.now(), updated_at: Date.now() };
    await store.write((tx) => insertRow(tx, "users", { ...owner, ...times }));
    await requireIdentity({ store, dataDir, sandbox, secretKey: undefined, randomBytes: createTestRandom("upgrade") });
    before = await state(store);
    await store.close();
    expect(before).toMatchObject({ migrations: last, people: ["o"], jobs: [] });
  }
  afterEach(() => location.remove());

  async function look(): Promise<typeof before> {
    const store = await openUnmigrated(location.options);
    const found = await state(store);
    await store.close();
    return found;
  }
  const at = () => ["--data", dataDir, ...(location.options.databaseUrl ? ["--database-url", location.options.databaseUrl] : [])];
  const run = (argv: readonly string[], env: Record<string, string> = {}) =>
    playtest(["serve", ...at(), "--port", "0", ...argv], { env });

  type Refusal = readonly [name: string, text: RegExp, argv?: readonly string[], env?: Record<string, string>];
  const portTaken = (port: string): Refusal => ["on a port in use", /is in use: another program listens/, ["--port", port]];
  const refusals: readonly Refusal[] = [
    ["of a live server with --sandbox", /belongs to a live server.* Nothing was changed/, ["--sandbox"]],
    ["of a live server with --seed", /belongs to a live server.* Nothing was changed/, ["--seed", "demo"]],
    ["with another key", /is not the key of this database.* Nothing was changed/, [], { PLAYTEST_SECRET_KEY: otherKey }],
    ["with a key that is none", /must be 64 hex digits\. Nothing was changed/, [], { PLAYTEST_SECRET_KEY: "zz" }],
    [
      "at an address of another machine",
      /cannot listen on 192\.0\.2\.1: this machine does not have the address\. Nothing was started/,
      ["--host", "192.0.2.1", "--behind-proxy"],
      { PLAYTEST_TRUSTED_PROXIES: "192.0.2.2" },
    ],
    [
      "with a ready file in no folder",
      /there is no folder \/nowhere\. The server was not started/,
      ["--ready-file", "/nowhere/a"],
    ],
    ["with a ready file that is a folder", /is a folder\. The server was not started/, ["--ready-file", "/"]],
    ["with a public address that has a path", /has a path.* The server was not started/, ["--public-url", "https://a.example/b"]],
    ["with a configuration file that is missing", /cannot be read.* Nothing was changed/, ["--config", "/nowhere/config.json"]],
    ["with a setting that is wrong", /mail\.smtpUrl .* is not valid/, [], { PLAYTEST_SMTP_URL: "nonsense" }],
  ];
  it("is left as it is by each start that is refused", async () => {
    await make();
    const listed = files();
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const port = String((taken.address() as AddressInfo).port);
    for (const [name, text, argv = [], env = {}] of [...refusals, portTaken(port)]) {
      const { code, stderr } = await run(argv, env);
      const said = stderr.split("\n").join(" ");
      expect([name, code === 1 || code === 2, said]).toEqual([name, true, expect.stringMatching(text)]);
      expect([name, await look(), files()]).toEqual([name, before, listed]);
    }
    taken.close();
  });

  it("leaves no ready file of an earlier server to those who wait for this one", async () => {
    await make();
    const ready = join(testFolder(), "ready.json");
    const left = async (text: string) => {
      writeFileSync(ready, text);
      expect((await run(["--ready-file", ready], { PLAYTEST_SECRET_KEY: otherKey })).code).not.toBe(0);
      return existsSync(ready);
    };
    // One that still runs keeps its file.
    const [own, running] = [JSON.stringify({ pid: 4711 }), JSON.stringify({ pid: process.pid })];
    expect([await left("{}"), await left(own), await left(running)]).toEqual([false, false, true]);
  });

  it("of a sandbox is left as it is by a start without --sandbox, and brought up to date by one with it", async () => {
    await make({ sandbox: true });
    const refused = await run([]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("belongs to a sandbox")]);
    expect(await look()).toEqual(before);
    expect((await run(["--sandbox", "--exec", "true"])).code).toBe(0);
    expect(await look()).toMatchObject({ migrations: newest });
  });

  it("is refused where its data was moved away, and left as it is", async () => {
    await make();
    const store = await openUnmigrated(location.options);
    await store.write((tx) => tx.run("INSERT INTO settings (name, value) VALUES ('moved_to', 'elsewhere')"));
    before = await state(store);
    await store.close();
    const { code, stderr } = await run([]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("was moved to PostgreSQL")]);
    expect(await look()).toEqual(before);
  });

  it("is refused where it is newer than the program, and left as it is", async () => {
    await make();
    const store = await openUnmigrated(location.options);
    await migrate(store);
    const row = { position: migrations.length, name: "900-later", checksum: "c" };
    await store.write((tx) => insertRow(tx, "schema_migrations", row));
    before = await state(store);
    await store.close();
    const { code, stderr } = await run([]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("it has migration 900-later. Nothing was changed.")]);
    expect(await look()).toEqual(before);
  });

  it.each([
    ["a start", ["--exec", "true"]],
    ["a start with --no-backup", ["--no-backup", "--exec", "true"]],
  ])("is brought up to date by %s, which says whether a copy is kept", async (_, argv) => {
    await make();
    const { code, stderr } = await run(argv);
    const kept = driver.name === "sqlite" && !argv.includes("--no-backup");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(kept ? `"copy":"${copy()}"` : "is brought up to date without a copy of it"),
    ]);
    expect(await look()).toMatchObject({ migrations: newest, people: [expect.any(String), "o"] });
    expect(existsSync(copy())).toBe(kept);
    // Nothing is left to bring up to date.
    const again = await run(["--exec", "true"]);
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining("brought up to date")]);
  });

  // PostgreSQL keeps no copy.
  if (driver.name === "sqlite") {
    it("is kept as a copy that the older program can open, for its owner only", async () => {
      await make();
      expect((await run(["--exec", "true"])).code).toBe(0);
      expect(statSync(copy()).mode & 0o777).toBe(0o600);
      const kept = await openSqlite(copy(), { readOnly: true });
      expect(await state(kept)).toEqual(before);
      await kept.close();
    });

    it("is kept as a copy for 14 days, in a sandbox as well", async () => {
      await make({ sandbox: true });
      const start = async () => {
        expect((await run(["--sandbox", "--exec", "true"])).code).toBe(0);
        return existsSync(copy());
      };
      const aged = (days: number) => {
        const then = new Date(Date.now() - days * 86_400_000);
        utimesSync(copy(), then, then);
      };
      expect(await start()).toBe(true);
      aged(13);
      expect(await start()).toBe(true);
      aged(15);
      expect(await start()).toBe(false);
    });
  }

  it("is copied by serve migrate as well, unless told not to", async () => {
    await make();
    const { code, stdout } = await playtest(["serve", "migrate", ...at()]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Applied ${migrations.length - 31} migrations: ${next}, `);
    expect(stdout.includes(`The database as it was before: ${copy()} (kept for 14 days).`)).toBe(driver.name === "sqlite");
    expect(await look()).toMatchObject({ migrations: newest, people: ["o"] });
  });

  it("is described by serve upgrade --check, which changes nothing", async () => {
    await make();
    const listed = files();
    const { code, stdout } = await playtest(["serve", "upgrade", "--check", ...at()]);
    const said = stdout.replace(/\s+/g, " ");
    expect(code).toBe(0);
    expect(said).toContain(`${migrations.length - 31} migrations pending. Nothing was changed. ${next}: adds `);
    expect(said).toMatch(/Estimated time: \d+ s to \d+ s, from the rows that are read \([^)]*slots 0[^)]*\)/);
    expect(said).toContain("Old and new processes cannot run side by side: ");
    expect(said.includes("Requests that use these tables wait until all migrations are done: ")).toBe(driver.name === "postgres");
    expect([await look(), files()]).toEqual([before, listed]);
    const { result } = JSON.parse((await playtest(["serve", "upgrade", "--check", "--json", ...at()])).stdout);
    expect(result.migrations.map(({ name }: { name: string }) => name)).toEqual(migrations.slice(31).map(({ name }) => name));
  });

  it("is brought up to date by serve upgrade, after which --check finds nothing", async () => {
    await make();
    expect(await playtest(["serve", "upgrade", ...at()])).toMatchObject({ code: 0 });
    expect(await look()).toMatchObject({ migrations: newest, people: ["o"] });
    const { stdout } = await playtest(["serve", "upgrade", "--check", ...at()]);
    expect(stdout).toContain("The database is up to date: this version changes nothing in it.");
  });

  it.each(["run", "migrate"])("is left to the older program where a migration fails in serve %s", async (verb) => {
    await make();
    const store = await openUnmigrated(location.options);
    // A value that no program writes, and that a migration in the middle refuses.
    const event = { id: "e", account_id: "o", kind: "odd", data: "{}", created_at: 0 };
    await store.write(async (tx) => {
      await tx.run("ALTER TABLE events DROP CONSTRAINT events_kind_check");
      await tx.run("ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK (kind IS NOT NULL)");
      await insertRow(tx, "events", event);
    });
    await store.close();
    const argv = verb === "run" ? ["--port", "0", "--exec", "true"] : [];
    const { code, stderr } = await playtest(["serve", verb, ...at(), ...argv]);
    expect(code).toBe(1);
    expect(stderr.replace(/\s+/g, " ")).toContain('have kind "odd", which is not one of');
    expect(await look()).toEqual(before);
    // As the older program opens it when it starts, and works with it.
    const older = await openUnmigrated(location.options);
    await migrate(older, migrations.slice(0, 31));
    await older.write((tx) => insertRow(tx, "events", { ...event, id: "f" }));
    await older.close();
  });
});

describe("a new data folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = join(testFolder(), "new");
  });

  it.each([
    ["a key that is none", [], { PLAYTEST_SECRET_KEY: "zz" }],
    ["a setting that is wrong", [], { PLAYTEST_SMTP_URL: "nonsense" }],
    ["an address of another machine", ["--host", "192.0.2.1", "--behind-proxy"], { PLAYTEST_TRUSTED_PROXIES: "192.0.2.2" }],
    ["a ready file in no folder", ["--ready-file", "/nowhere/a"], {}],
    ["a configuration file that is missing", ["--config", "/nowhere/config.json"], {}],
  ])("is not made by a start that is refused for %s", async (_, argv, env) => {
    const { code } = await playtest(["serve", "--data", folder, "--port", "0", ...argv], { env: env as Record<string, string> });
    expect([code === 1 || code === 2, existsSync(folder)]).toEqual([true, false]);
  });

  it("is refused where a file is in its place", async () => {
    writeFileSync(folder, "");
    const { code, stderr } = await playtest(["serve", "--data", folder, "--port", "0"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${folder} is not a folder. Nothing was changed.`)]);
  });
});
