import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../server/database/open.ts";
import type { Query, Store } from "../../server/database/port.ts";
import { Connection } from "../../server/database/sqlite/connection.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { openSqlite } from "../../server/database/sqlite/sqlite.ts";
import { freshFolder } from "../helpers/store.ts";

let dataDir: string;
let closeAfter: Pick<Store, "close">[];
let children: ChildProcess[];

beforeEach(() => {
  dataDir = freshFolder();
  closeAfter = [];
  children = [];
});
afterEach(async () => {
  for (const store of closeAfter) await store.close();
  for (const child of children) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
});

async function open(options: { readOnly?: boolean } = {}): Promise<Store> {
  const store = await (options.readOnly ? openSqlite(dataFile(dataDir), options) : openStore({ dataDir, strict: true }));
  closeAfter.push(store);
  return store;
}

const put = (tx: Query, name: string, value = "") => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", name, value);
const names = (store: Store) =>
  store
    .read((q) => q.all<{ name: string }>("SELECT name FROM settings ORDER BY name"))
    .then((rows) => rows.map((row) => row.name));

function start(mode: "hold" | "write", flags: string[] = []) {
  const script = fileURLToPath(new URL("fixtures/process.ts", import.meta.url));
  const child = spawn(process.execPath, [...flags, "--import", "tsx", script, mode, dataDir], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  return { child, line, open: () => child.stdin.write("\n") };
}

describe("SQLite group commit", () => {
  it("keeps the result of a query that is asked again, until a write changes its table", async () => {
    const store = await open();
    const ask = () => store.read((q) => q.one<{ value: string }>("SELECT value FROM settings WHERE name = ?", "color"));
    const set = (value: string) =>
      store.write((tx) =>
        tx.run(
          "INSERT INTO settings (name, value) VALUES ('color', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
          value,
        ),
      );
    for (const value of ["red", "green", "blue"]) {
      await set(value);
      const [, second, third] = [await ask(), await ask(), await ask()];
      expect([second, third === second]).toEqual([{ value }, true]);
    }
  });

  it("no write returns before all writes of its group are stored", async () => {
    const store = await open();
    const other = await open({ readOnly: true });
    const answered: string[] = [];
    const write = async (name: string) => {
      await store.write(async (tx) => {
        await put(tx, name);
        expect(await names(other)).toEqual([]);
        expect(answered).toEqual([]);
      });
      answered.push(name);
      expect(await names(other)).toEqual(["a", "b", "c"]);
    };
    await Promise.all(["a", "b", "c"].map(write));
    expect(answered).toEqual(["a", "b", "c"]);
  });

  describe("writes that arrive in turns of the event loop", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
    afterEach(() => void vi.useRealTimers());

    /** Writes in each turn. Resolves to how many writes were stored before each of them. */
    async function writeInTurns(each: number, turns: number, ms: number): Promise<number[]> {
      const store = await open();
      const other = await open({ readOnly: true });
      const stored: Promise<number>[] = [];
      for (let turn = 0; turn < turns; turn++) {
        for (let index = 0; index < each; index++) {
          const name = `${stored.length}`;
          stored.push(
            store.write(async (tx) => {
              await put(tx, name);
              return (await names(other)).length;
            }),
          );
        }
        vi.advanceTimersByTime(ms);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return Promise.all(stored);
    }

    it.each([
      ["two in each are committed together", 2, 5, 0, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
      ["two in each are committed together while the first has waited less than 40 ms", 2, 5, 13, [0, 0, 0, 0, 0, 0, 0, 0, 8, 8]],
      ["are not waited for when the first has waited for 40 ms", 2, 3, 40, [0, 0, 2, 2, 4, 4]],
      ["are not waited for by a single write", 1, 3, 0, [0, 1, 2]],
    ])("%s", async (_, each, turns, ms, expected) => {
      expect(await writeInTurns(each, turns, ms)).toEqual(expected);
    });

    it("are not waited for when 64 are waiting", async () => {
      const store = await open();
      const written: Promise<unknown>[] = [];
      let answered = 0;
      while (answered === 0 && written.length < 200) {
        for (const name of [`${written.length}`, `${written.length + 1}`])
          written.push(store.write((tx) => put(tx, name)).then(() => answered++));
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(written.length).toBeLessThan(70);
      await Promise.all(written);
    });
  });

  it("commits 64 writes at most at once", async () => {
    const store = await open();
    const other = await open({ readOnly: true });
    const write = (name: number) =>
      store.write(async (tx) => {
        await put(tx, `${name}`);
        return (await names(other)).length;
      });
    const stored = await Promise.all(Array.from({ length: 70 }, (_, name) => write(name)));
    expect(stored).toEqual(Array.from({ length: 70 }, (_, name) => (name < 64 ? 0 : 64)));
  });

  it("writes that arrive during a commit are the next group, in order of arrival", async () => {
    const store = await open();
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => store.write(async (tx) => void order.push(i, await put(tx, `${i}`)))),
    );
    expect(order.filter((_, index) => index % 2 === 0)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  it("a write that pauses (outside strict mode) is invisible to others, and other writes wait for it", async () => {
    const store = await openStore({ dataDir });
    closeAfter.push(store);
    let seen: unknown;
    const paused = store.write(async (tx) => {
      await put(tx, "a");
      await new Promise((resolve) => setImmediate(resolve));
      seen = await tx.all("SELECT name FROM settings");
      throw new Error("changed my mind");
    });
    const next = store.write((tx) => put(tx, "b"));
    await expect(paused).rejects.toThrow("changed my mind");
    await next;
    expect(seen).toEqual([{ name: "a" }]);
    expect(await names(store)).toEqual(["b"]);
  });
});

describe("SQLite COMMIT that fails", () => {
  it("rejects and undoes all writes of its group, and the next write succeeds", async () => {
    const store = await open();
    const failing = store.write(async (tx) => {
      await tx.run("PRAGMA defer_foreign_keys = ON");
      await tx.run("INSERT INTO game_categories (game_id, category_id) VALUES ('none', 'none')");
    });
    const beside = store.write((tx) => put(tx, "beside"));
    await expect(failing).rejects.toMatchObject({ name: "StoreUnavailable", outcomeUnknown: false });
    await expect(beside).rejects.toMatchObject({ name: "StoreUnavailable" });
    await store.write((tx) => put(tx, "next"));
    expect(await names(store)).toEqual(["next"]);
  });
});

describe("SQLite database without space", () => {
  it("rejects and undoes a write that does not fit, and accepts writes again once there is space", async () => {
    const store = await open();
    const pages = await store.read((q) => q.one<{ page_count: number }>("PRAGMA page_count"));
    const limit = (count: number) => store.write((tx) => tx.one(`PRAGMA max_page_count = ${count}`));
    await limit((pages?.page_count ?? 0) + 20);
    const big = "x".repeat(1_000_000);
    const write = (name: string, value: string) =>
      store.write(async (tx) => {
        await put(tx, `${name} begun`);
        await put(tx, name, value);
      });
    const results = await Promise.allSettled([write("a", "small"), write("b", big), write("c", "small")]);
    expect(results[1]).toMatchObject({
      status: "rejected",
      reason: { name: "StoreUnavailable", cause: { code: "SQLITE_FULL" } },
    });
    const kept = ["a", "b", "c"].filter((_, i) => results[i]?.status === "fulfilled").flatMap((name) => [name, `${name} begun`]);
    expect(await names(store)).toEqual(kept);
    await write("d", "small");
    await limit(1_000_000);
    await write("e", big);
    expect(await names(store)).toEqual([...kept, "d", "d begun", "e", "e begun"]);
  });
});

describe("SQLite with a failing disk", () => {
  const database = {
    name: "/srv/data/playtest.db",
    pragma() {},
    function: () => {},
    prepare(sql: string) {
      if (sql === "COMMIT") return {};
      throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
    },
  } as unknown as Database;

  it.each([
    [false, "The SQLite database /srv/data/playtest.db cannot be read right now (SQLITE_IOERR_READ: disk I/O error). Check"],
    [
      true,
      "The SQLite database /srv/data/playtest.db cannot be written right now (SQLITE_IOERR_READ: disk I/O error). The change was not saved. Check",
    ],
  ])("writes %s: the error says what was not done", (writes, message) => {
    expect(() => new Connection(database, { writes }).one("SELECT 1", [])).toThrow(message);
  });
});

it("SQLite's LOWER knows the letters of all languages", async () => {
  const store = await open();
  expect(await store.read((q) => q.one("SELECT LOWER('ÜBER') AS text, LOWER(NULL) AS none"))).toEqual({
    text: "über",
    none: null,
  });
  await store.close();
});

describe("SQLite write-ahead log", () => {
  it("stays bounded while writes run, and is removed on close", async () => {
    const store = await open();
    const sizes: number[] = [];
    for (let i = 0; i < 60; i++) {
      await store.write((tx) => put(tx, `${i}`, "x".repeat(500_000)));
      sizes.push(statSync(`${dataFile(dataDir)}-wal`).size);
    }
    expect(Math.max(...sizes)).toBeLessThan(20_000_000);
    await store.close();
    expect(existsSync(`${dataFile(dataDir)}-wal`)).toBe(false);
  });
});

describe("SQLite write-ahead log without writes", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("is moved into the data file after two seconds", async () => {
    const store = await open();
    await store.write((tx) => put(tx, "a"));
    const size = () => statSync(`${dataFile(dataDir)}-wal`).size;
    expect(size()).toBeGreaterThan(0);
    vi.advanceTimersByTime(2000);
    expect(size()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(await names(store)).toEqual(["a"]);
  });
});

describe("SQLite data file: one process at a time", () => {
  it("a second process is refused and told the first one's id", async () => {
    const first = start("hold", ["--expose-gc"]);
    await first.line();
    first.open();
    expect(await first.line()).toBe("open");
    await expect(open()).rejects.toThrow(
      `${dataFile(dataDir)} is in use by another playtest server (process ${first.child.pid}). Nothing was changed. ` +
        "Stop that process, or choose another folder with --data.",
    );
  });

  it("a process can open the file after another one was killed", async () => {
    const first = start("hold");
    await first.line();
    first.open();
    expect(await first.line()).toBe("open");
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    expect(await names(await open())).toEqual([]);
  });

  it("a stale file with a process id does not count, only the lock does", async () => {
    writeFileSync(`${dataFile(dataDir)}.pid`, `${process.ppid}\n`);
    expect(await names(await open())).toEqual([]);
  });

  it("of four processes that start at the same time, one opens the file", async () => {
    const all = Array.from({ length: 4 }, () => start("hold"));
    for (const { line } of all) await line();
    for (const one of all) one.open();
    const printed = await Promise.all(all.map(({ line }) => line()));
    expect(printed.filter((line) => line === "open")).toHaveLength(1);
    expect(printed.filter((line) => line.includes("is in use by another playtest server"))).toHaveLength(3);
  });

  it("a second store in the same process is refused until the first is closed", async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(`in use by another playtest server (process ${process.pid})`);
    await first.close();
    await open();
  });

  it("a read-only store can be opened beside a server and cannot write", async () => {
    const server = await open();
    await server.write((tx) => put(tx, "a"));
    const doctor = await open({ readOnly: true });
    expect(await names(doctor)).toEqual(["a"]);
    expect((await doctor.check({ thorough: true })).filter(({ ok }) => !ok)).toEqual([]);
    await expect(doctor.write((tx) => put(tx, "b"))).rejects.toThrow("Nothing was written");
    await expect(doctor.read((q) => put(q, "b"))).rejects.toThrow("readonly");
  });
});

it("SQLite: after kill -9 every acknowledged write is stored, and none in part", async () => {
  const server = start("write");
  const acknowledged: string[] = [];
  while (acknowledged.length < 500) acknowledged.push(await server.line());
  server.child.kill("SIGKILL");
  for (let line = await server.line(); line !== "undefined"; line = await server.line()) acknowledged.push(line);
  const store = await open();
  const rows = await store.read((q) => q.all<{ name: string; value: string }>("SELECT name, value FROM settings"));
  const found = new Set(rows.map(({ name }) => name));
  expect(acknowledged.filter((name) => !found.has(name))).toEqual([]);
  expect(rows.filter(({ value }) => value !== "whole")).toEqual([]);
  expect((await store.check({ thorough: true })).filter(({ ok }) => !ok)).toEqual([]);
});

it("SQLite: files can be read only by their owner", async () => {
  const store = await open();
  await store.write((tx) => put(tx, "a"));
  const modes = ["", "-wal", "-shm", ".lock", ".pid"].map((suffix) =>
    (statSync(dataFile(dataDir) + suffix).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(["600", "600", "600", "600", "600"]);
});

it("SQLite: the thorough check finds a search index in order that another connection has written since the last check", async () => {
  const store = await open();
  const doctor = await open({ readOnly: true });
  for (let words = 0; words < 40; words++) {
    await store.write((tx) => tx.run("INSERT INTO search_words (rowid, words) VALUES (?, ?)", words, `word${words} lantern`));
    expect((await doctor.check({ thorough: true })).filter(({ ok }) => !ok)).toEqual([]);
  }
});

it("SQLite: foreign keys are enforced", async () => {
  const store = await open();
  await expect(
    store.write((tx) => tx.run("INSERT INTO game_categories (game_id, category_id) VALUES ('none', 'c')")),
  ).rejects.toThrow("FOREIGN KEY");
});

it("SQLite: without better-sqlite3, the error says how to install it", async () => {
  const hook = `export const resolve = (name, context, next) => {
    if (name.startsWith("better-sqlite3")) throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  }`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(dataUrl(hook))});`;
  const server = start("hold", ["--import", dataUrl(register)]);
  await server.line();
  server.open();
  expect(await server.line()).toMatch(
    /requires the optional package better-sqlite3(-12)?, which is not installed or was not built.*install playtest again.*DATABASE_URL/,
  );
});

const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
