import { existsSync, readdirSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate, migrations } from "../../server/database/migrate.ts";
import { eventKinds as firstEventKinds } from "../../server/database/migrations/002-enumerations.ts";
import { type OpenOptions, openStore } from "../../server/database/open.ts";
import type { Query } from "../../server/database/port.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { openSqlite } from "../../server/database/sqlite/sqlite.ts";
import { tablesOf } from "../../server/database/tables.ts";
import { sha256 } from "../../server/lib/secrets.ts";
import { readIndex, TarWriter } from "../../server/operations/archive/tar.ts";
import { roleScopes } from "../../src/contract/endpoint.ts";
import { eventKinds } from "../../src/contract/events/kinds.ts";
import { operations } from "../../src/contract/static.ts";
import { playtest } from "../helpers/cli.ts";
import { dataDirFixture } from "../helpers/data-dir-fixture.ts";
import { claim, createGame, giveCredit, giveVideo, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { createHistory } from "../helpers/history.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { createTestClock, startTestServer, type TestServer } from "../helpers/server.ts";
import { type DatabaseLocation, drivers, freshFolder } from "../helpers/store.ts";

/** A key for everybody there is; by account. */
async function keysForAll(server: TestServer): Promise<Map<string, string>> {
  const { store, newId, clock } = server.deps;
  const users = await store.read((q) =>
    q.all<{ id: string; role: keyof typeof roleScopes }>("SELECT id, role FROM users ORDER BY id"),
  );
  const keys = new Map(users.map(({ id }) => [id, `pt_sk_${sha256(id).slice(0, 32)}`]));
  await store.write(async (tx) => {
    for (const { id, role } of users) {
      const key = { id: newId(), user_id: id, name: "test", prefix: "pt_sk_", hash: sha256(keys.get(id)!) };
      await insertRow(tx, "api_keys", { ...key, scopes: JSON.stringify(roleScopes[role]), created_at: clock.now() });
    }
  });
  return keys;
}

/** Which list has the ids that a path takes. */
const listOf = (path: string) => {
  if (/slots\/:id/.test(path)) return "slots";
  if (path.startsWith("/chat/conversations")) return "conversations";
  return /^\/(?:billing\/)?(\w+)\/:/.exec(path)?.[1] ?? "";
};

const paths = Object.values(operations)
  .filter(({ method, path }) => method === "GET" && !/^\/(sandbox|openapi|info\/server)/.test(path))
  .map(({ path }) => path)
  .sort((a, b) => a.split(":").length - b.split(":").length || (a < b ? -1 : 1));

/** All that everybody may read, as it comes but for the address it comes from. */
async function readSet(server: TestServer, keys: Map<string, string>): Promise<string[]> {
  const answers: string[] = [];
  for (const key of keys.values()) {
    const ids = new Map<string, Set<string>>();
    const note = (data: object) => {
      for (const [name, value] of Object.entries(data)) {
        if (!Array.isArray(value)) continue;
        for (const one of value) ids.set(name, (ids.get(name) ?? new Set()).add(one?.id));
        if (name === "contacts") ids.set("conversations", new Set(value.map(({ conversationId }) => conversationId)));
      }
    };
    for (const path of paths) {
      const known = path.includes(":buildId") ? [] : [...(ids.get(listOf(path)) ?? [])].filter(Boolean);
      for (const url of path.includes(":") ? known.map((id) => path.replace(/:\w+/, id)) : [path]) {
        const reply = await server.request("GET", url, { key });
        if (reply.status === 200 && reply.body) note(reply.body.data);
        const text = reply.body?.data ? JSON.stringify({ ...reply.body, meta: { ...reply.body.meta, requestId: "" } }) : "";
        answers.push(`${reply.status} ${url} ${text.replaceAll(server.baseUrl, "")}`);
      }
    }
  }
  return answers;
}

/** What the API shows of nobody here: the ends of every kind of value. */
async function addExtremes(tx: Query, ownerId: string): Promise<void> {
  const every = Uint8Array.from({ length: 256 }, (_, at) => at);
  const text = `"\\/\u2028\u{1f3ae} e\u0301 ß\t\r\n \u0001 日本 ' ; --`;
  const reply = { fingerprint: text, status: 201, headers: "{}", created_at: -1, expires_at: Number.MAX_SAFE_INTEGER };
  await insertRow(tx, "idempotency", { account_id: ownerId, idempotency_key: text, body: every, ...reply });
  await insertRow(tx, "idempotency", {
    account_id: ownerId,
    idempotency_key: "",
    body: new Uint8Array(),
    ...reply,
    expires_at: Number.MIN_SAFE_INTEGER,
  });
  const sent = { chain: "base", currency: "ETH", receiver: text, status: "reverted", confirmations: 0, created_at: 0 };
  const amounts = { Z: `${2n ** 256n - 1n}`, a: "9007199254740993" };
  for (const [hash, amount] of Object.entries(amounts))
    await insertRow(tx, "sandbox_chain", { ...sent, tx_hash: hash, amount_atomic: amount });
}

/** More rows than one page and one statement take. */
async function addMany(tx: Query, userId: string): Promise<void> {
  for (let number = 0; number < 1234; number++) {
    const id = `019a0000-0000-7000-8000-${String(number).padStart(12, "0")}`;
    await insertRow(tx, "notifications", {
      id,
      user_id: userId,
      type: "test.ping",
      title: "T",
      body: `${number}`,
      created_at: number,
    });
  }
}

interface Home {
  server: TestServer;
  flags: string[];
  close(): Promise<void>;
}

const clockAt = (home: Home) => createTestClock(home.server.clock.now());

async function serveAt(options: OpenOptions, dataDir: string, clock = createTestClock()): Promise<Home> {
  const store = await openStore(options);
  const server = await startTestServer({ store, dataDir, clock });
  const flags = ["--data", dataDir, ...("databaseUrl" in options ? ["--database-url", options.databaseUrl!] : [])];
  const close = async () => {
    await server.close();
    await store.close();
  };
  return { server, flags, close };
}

async function lived(): Promise<Home> {
  const dataDir = dataDirFixture();
  const home = await serveAt({ dataDir }, dataDir);
  const { server } = home;
  await createHistory(server);
  const [owner, worker] = [await registerOwner(server, "Zoë"), await registerPlaytester(server, "Ünal")];
  await giveCredit(server, owner, 50_000);
  const gameId = await createGame(owner);
  await owner.post("/webhooks", { url: "http://127.0.0.1:9/hook", events: ["slot.submitted"] });
  const slotId = await claim(worker, await order(owner, gameId, { keysForTesters: ["KEY-1", "KEY-2"], quantity: 2 }));
  await giveVideo(server, slotId, worker);
  await server.deps.store.write((tx) => addExtremes(tx, owner.id));
  await server.deps.store.write((tx) => addMany(tx, owner.id));
  return home;
}

const run = async (...argv: string[]) => {
  const { code, stdout, stderr } = await playtest(["serve", ...argv], { now: Date.now() });
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
};

/** The rows of an archive, in an order of their own: each database sorts text by its own rules. */
function rowsOf(file: string): string[] {
  const bytes = readFileSync(file);
  const from = bytes.indexOf("rows.ndjson\0");
  const size = Number.parseInt(bytes.toString("latin1", from + 124, from + 135), 8);
  return bytes
    .toString("utf8", from + 512, from + 512 + size)
    .split("\n")
    .sort();
}

describe("a server that moves", () => {
  let home: Home;
  let keys: Map<string, string>;
  let answers: string[];
  let houseTar: string;
  const homes: Home[] = [];

  beforeAll(async () => {
    home = await lived();
    homes.push(home);
    keys = await keysForAll(home.server);
    // Reading marks messages as read, and keys as used: what is compared is what is read after that.
    await readSet(home.server, keys);
    answers = await readSet(home.server, keys);
    houseTar = join(freshFolder(), "house.tar");
    await run("export", houseTar, ...home.flags);
  });
  afterAll(async () => {
    for (const one of homes) await one.close();
  });

  async function moveTo(options: OpenOptions, dataDir: string, archive: string): Promise<Home> {
    const databaseUrl = options.databaseUrl === undefined ? [] : ["--database-url", options.databaseUrl];
    await run("import", archive, "--data", dataDir, ...databaseUrl);
    const moved = await serveAt(options, dataDir, clockAt(home));
    homes.push(moved);
    return moved;
  }

  it("answers as before on the other database, and as before when it comes back", async () => {
    expect(answers.length).toBeGreaterThan(250);
    expect(answers.filter((line) => /KEY-[12]/.test(line))).toHaveLength(2);
    expect(answers.filter((line) => line.startsWith("200") && line.includes("download-url"))).not.toEqual([]);
    const location = await drivers.find(({ name }) => name === "postgres")!.location({ empty: true });
    const { databaseUrl } = location.options as { databaseUrl: string };
    const there = await moveTo({ databaseUrl }, join(freshFolder(), "there"), houseTar);
    expect(await readSet(there.server, keys)).toEqual(answers);

    const backTar = join(freshFolder(), "back.tar");
    await run("backup", backTar, ...there.flags);
    expect(rowsOf(backTar)).toEqual(rowsOf(houseTar));
    const dataDir = join(freshFolder(), "back");
    const back = await moveTo({ dataDir }, dataDir, backTar);
    expect(await readSet(back.server, keys)).toEqual(answers);
    expect(await run("doctor", "--ledger", ...there.flags)).not.toContain("\tfailed\t");
  });

  it.each(drivers)(
    "takes an archive of an older program to $name, backs it up as it is, and brings it up to date",
    async (driver) => {
      const older = await remade(await remade(houseTar, "manifest.json", olderHistory), "rows.ndjson", await olderRows());
      const { databaseUrl } = (await driver.location({ empty: true })).options;
      const there = ["--data", join(freshFolder(), "there"), ...(databaseUrl ? ["--database-url", databaseUrl] : [])];
      await run("import", older, ...there);
      const copy = join(freshFolder(), "copy.tar");
      await run("backup", copy, ...there);
      const restored = ["--data", join(freshFolder(), "restored")];
      await run("restore", copy, "--yes", ...restored);
      for (const flags of [there, restored]) {
        expect(await run("migrate", ...flags)).toMatch(
          new RegExp(`\\nApplied ${later.length} migrations: ${later.map(({ name }) => name).join(", ")}\\.\\n`),
        );
        expect(await run("doctor", "--ledger", ...flags)).not.toContain("\tfailed\t");
      }
    },
  );
});

/** An archive with one of its files changed and its checksums corrected, as someone could make it by hand. */
async function remade(archive: string, name: string, edit: (text: string) => string): Promise<string> {
  const file = join(freshFolder(), "remade.tar");
  const [from, to] = [await open(archive), await open(file, "w")];
  const tar = new TarWriter(to, 0);
  const sums: string[] = [];
  for (const entry of await readIndex(from, (await from.stat()).size)) {
    if (entry.name === "SHA256SUMS") continue;
    const bytes = readFileSync(archive).subarray(entry.position, entry.position + entry.size);
    const now = entry.name === name ? Buffer.from(edit(bytes.toString())) : bytes;
    sums.push(`${await tar.add(entry.name, now.length, [now])}  ${entry.name}\n`);
  }
  const list = Buffer.from(sums.join(""));
  await tar.add("SHA256SUMS", list.length, [list]);
  await tar.end();
  await Promise.all([from.close(), to.close()]);
  return file;
}

describe("serve import", () => {
  let archive: string;
  let refusing: DatabaseLocation;
  beforeAll(async () => {
    refusing = await postgres({ empty: true });
    const dataDir = dataDirFixture();
    const store = await openStore({ dataDir });
    await store.write((tx) => addExtremes(tx, "a"));
    await store.close();
    archive = join(freshFolder(), "house.tar");
    await run("export", archive, "--data", dataDir);
  });
  const postgres = (options?: { empty: boolean }) => drivers.find(({ name }) => name === "postgres")!.location(options);
  const urlOf = ({ options }: { options: OpenOptions }) => (options as { databaseUrl: string }).databaseUrl;
  const importInto = (file: string, dataDir: string, ...more: string[]) =>
    playtest(["serve", "import", file, "--data", dataDir, ...more]);

  it("takes a backup of the SQLite file to PostgreSQL as well", async () => {
    const dataDir = dataDirFixture();
    const store = await openStore({ dataDir });
    await store.write((tx) => addExtremes(tx, "a"));
    await store.close();
    const file = join(freshFolder(), "backup.tar");
    await run("backup", file, "--data", dataDir);
    const [location, there] = [await postgres({ empty: true }), join(freshFolder(), "there")];
    await run("import", file, "--data", there, "--database-url", urlOf(location));
    const again = join(freshFolder(), "again.tar");
    await run("export", again, "--data", there, "--database-url", urlOf(location));
    expect(rowsOf(again)).toEqual(rowsOf(archive));
    expect(readdirSync(there).sort()).toEqual(["instance.key", "playtest.db.lock"]);
  });

  it.each(["import", "restore"])("refuses a PostgreSQL database that is not empty (%s)", async (verb) => {
    const location = await postgres();
    const store = await openStore(location.options);
    await store.write((tx) => insertRow(tx, "settings", { name: "a", value: "b" }));
    await store.close();
    const there = join(freshFolder(), "there");
    const flags = ["--data", there, "--database-url", urlOf(location), "--yes"];
    const { code, stderr } = await playtest(["serve", verb, archive, ...flags]);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr:
        "error: The database is not empty: it has rows in settings. Nothing was changed. Create a new database and pass it with --database-url.\n",
    });
    expect(existsSync(there)).toBe(false);
  });

  it("refuses an empty PostgreSQL database with the tables of a newer version than that of the archive", async () => {
    const older = await remade(archive, "manifest.json", (text) => {
      const manifest = JSON.parse(text) as { migrations: unknown[] };
      return JSON.stringify({ ...manifest, migrations: manifest.migrations.slice(0, -1) });
    });
    const there = join(freshFolder(), "there");
    const { code, stderr } = await importInto(older, there, "--database-url", urlOf(await postgres()));
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr:
        "error: The database already has the tables of a newer version than that of the archive. Nothing was changed. Create a new, empty database and pass it with --database-url.\n",
    });
    expect(existsSync(there)).toBe(false);
  });

  it("refuses a folder with a server in it", async () => {
    const there = dataDirFixture();
    const { code, stderr } = await importInto(archive, there);
    expect(code).toBe(6);
    expect(stderr).toContain(`${join(there, "playtest.db")} already exists. Nothing was changed.`);
  });

  it.each<[string, string, (text: string) => string, RegExp]>([
    [
      "of a newer format",
      "manifest.json",
      (text) => text.replace('"version": 1', '"version": 2'),
      /created by a newer version of playtest/,
    ],
    ["of a newer database", "manifest.json", newerHistory, /newer than this program: it has migration 999-later/],
    [
      "of another history",
      "manifest.json",
      (text) => text.replace(/"checksum": "."/, '"checksum": "x"').replace(/"checksum": "[0-9a-f]/, '"checksum": "x'),
      /differs from 001-initial/,
    ],
    ["with another manifest", "manifest.json", (text) => text.replace("missing", "lost"), /its manifest\.json is damaged/],
    [
      "with a table of its own",
      "rows.ndjson",
      (text) => `${text}{"table":"users; DROP TABLE users","columns":[]}\n`,
      /has a table "users; DROP TABLE users"/,
    ],
    [
      "with a column of its own",
      "rows.ndjson",
      (text) => text.replace('"email"', '"mail"'),
      /has a table "users" that its migrations/,
    ],
    ["with a row too short", "rows.ndjson", (text) => text.replace(/\n\[/, '\n["a"]\n['), /a row that does not match its table/],
    [
      "with a value of another kind",
      "rows.ndjson",
      (text) => text.replace('"base","Z"', '{"a":1},"Z"'),
      /a value that no database column can hold/,
    ],
    ["with text for a number", "rows.ndjson", (text) => text.replace('"reverted",0', '"reverted","many"'), /was not restored/],
    ["with a row twice", "rows.ndjson", (text) => text.replace(/(\["base","Z"[^\n]*\n)/, "$1$1"), /already exists/],
    ["without its last line's end", "rows.ndjson", (text) => text.slice(0, -1), /ends in the middle of a line/],
    ["with lines that are not JSON", "rows.ndjson", (text) => `${text}nothing\n`, /a line that is not JSON/],
    [
      "with a ledger that does not balance",
      "rows.ndjson",
      (text) => text.replace(/(\{"table":"ledger_accounts".*\n)/, '$1["usd:balance:a","USD",5]\n'),
      /failed the checks \(ledger_2/,
    ],
    ["with a build that is not in it", "rows.ndjson", withLostBuild, /the file builds\/019a\S+ is missing/],
    ["with another key", "instance.key", () => "no", /is not an instance key/],
  ])("refuses an archive %s, on both databases, and leaves nothing", async (_, name, edit, message) => {
    const file = await remade(archive, name, edit);
    for (const more of [[], ["--database-url", urlOf(refusing)]]) {
      const there = join(freshFolder(), "there");
      const { code, stderr } = await importInto(file, there, ...more);
      expect([1, 2]).toContain(code);
      expect(stderr).toMatch(message);
      expect(stderr.match(/Nothing was changed/g)).toHaveLength(1);
      expect(existsSync(there)).toBe(false);
    }
  });

  it("takes one into the database that refused all of these", async () => {
    expect(await importInto(archive, join(freshFolder(), "there"), "--database-url", urlOf(refusing))).toMatchObject({ code: 0 });
  });
});

const later = migrations.slice(1);

/** Makes rows those of the first version: without the tables and columns that came later. */
async function olderRows(): Promise<(text: string) => string> {
  const store = await openSqlite(dataFile(freshFolder()), { strict: true });
  await migrate(store, migrations.slice(0, 1));
  const tables = new Map((await store.read((q) => tablesOf(q, store.dialect))).map(({ name, columns }) => [name, columns]));
  await store.close();
  // Events of kinds that the first version did not have, and whatever names such a row.
  const gone = new Set<unknown>(eventKinds.filter((kind) => !firstEventKinds.includes(kind)));
  const tooNew = (row: unknown[]) => {
    if (!row.some((value) => gone.has(value))) return false;
    gone.add(row[0]);
    return true;
  };
  return (text) => {
    let kept: number[] | undefined;
    const lines = text
      .trimEnd()
      .split("\n")
      .flatMap((line) => {
        const row = JSON.parse(line) as unknown[] | { table: string; columns: string[] };
        if (Array.isArray(row)) return kept && !tooNew(row) ? [kept.map((at) => row[at])] : [];
        const columns = tables.get(row.table);
        kept = columns?.length ? columns.map((name) => row.columns.indexOf(name)) : undefined;
        return kept ? [{ table: row.table, columns }] : [];
      });
    return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  };
}

/** As an archive of the first version says. */
function olderHistory(text: string): string {
  const manifest = JSON.parse(text);
  return JSON.stringify({ ...manifest, migrations: manifest.migrations.slice(0, 1) });
}

function newerHistory(text: string): string {
  const manifest = JSON.parse(text);
  manifest.migrations.push({ position: manifest.migrations.length, name: "999-later", checksum: "" });
  return JSON.stringify(manifest);
}

function withLostBuild(text: string): string {
  const id = "019a0000-0000-7000-8000-000000000001";
  const rowFor = (table: string, values: Record<string, unknown>) => {
    const head = new RegExp(`\\{"table":"${table}","columns":(\\[.*\\])\\}\n`).exec(text)!;
    const row = (JSON.parse(head[1]!) as string[]).map((column) => values[column] ?? null);
    text = text.replace(head[0], `${head[0]}${JSON.stringify(row)}\n`);
  };
  const times = { created_at: 1, updated_at: 1 };
  rowFor("users", {
    id,
    email: "",
    email_key: "",
    password_hash: "",
    role: "game_owner",
    published_name: "shown",
    display_name: "",
    company_name: "",
    simulated: 0,
    ...times,
  });
  rowFor("games", {
    id,
    owner_id: id,
    name: "",
    build_url: "",
    status: "active",
    devices: "[]",
    platforms: "[]",
    languages: "[]",
    ...times,
    last_finding: 0,
  });
  rowFor("builds", { id, game_id: id, build_url: "", blob_key: `builds/${id}`, ...times });
  return text;
}
