import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import type { Query } from "../../server/database/port.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { tablesOf } from "../../server/database/tables.ts";
import { doctor } from "../../server/operations/doctor.ts";
import * as settings from "../../server/operations/keys/store.ts";
import { move } from "../../server/operations/move/move.ts";
import { startProcess } from "../helpers/cluster.ts";
import { dataDirFixture } from "../helpers/data-dir-fixture.ts";
import { personWith } from "../helpers/factories.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import { sql } from "../helpers/postgres-server.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { startRestricted } from "../helpers/restricted.ts";
import { createTestRandom } from "../helpers/server.ts";
import { Database } from "../helpers/sqlite.ts";
import { freshFolder } from "../helpers/store.ts";

let dataDir: string;
let target: FreshDatabase;
beforeEach(async () => {
  target = await freshDatabase({ empty: true });
});
afterEach(async () => {
  await killLeftovers();
  await target.drop();
});

const serving = (...flags: string[]) => startProcess(dataDir, undefined, flags);

const serve = (...argv: string[]) => spawnPlaytest(freshFolder(), ["serve", ...argv, "--data", dataDir]);

const moving = (onProgress: () => void = () => {}, env: Record<string, string> = {}) =>
  move({ data: dataDir, databaseUrl: undefined, to: target.unrestrictedUrl, env, now: Date.now, randomBytes, onProgress });

/** Games that each client creates at most: four clients stay below the 1,000 games that an account can have. */
const GAMES_EACH = 200;

/** Clients that create games and orders until a change is refused. */
function writers(owner: ReturnType<typeof personWith>, gameId: string) {
  const answered = { games: [] as string[], orders: [] as string[], refused: [] as (string | null)[] };
  let going = true;
  const client = async (number: number) => {
    for (let turn = 0; going; turn++) {
      const newGame = { name: `Game ${number}-${turn}`, buildUrl: "https://example.com/a.zip" };
      const game = turn < GAMES_EACH ? await owner.post("/games", newGame) : undefined;
      if (game?.status === 201) answered.games.push(game.body.data.game.id);
      const order = await owner.post(`/games/${gameId}/playtests`, { quantity: 1 });
      if (order.status === 201) answered.orders.push(order.body.data.playtest.id);
      for (const reply of [game, order]) {
        if (reply === undefined || reply.status === 201) continue;
        if (reply.status !== 503) throw new Error(reply.text);
        answered.refused.push(reply.headers.get("retry-after"));
        going = false;
      }
    }
  };
  const all = Promise.all(Array.from({ length: 4 }, (_, number) => client(number)));
  return { answered, all };
}

async function inTarget<T>(read: (q: Query) => Promise<T>): Promise<T> {
  const store = await openStore({ databaseUrl: target.unrestrictedUrl });
  return store.read(read).finally(() => store.close());
}

describe("moving a running server from SQLite to PostgreSQL", () => {
  beforeEach(() => {
    dataDir = freshFolder();
  });

  it("loses no acknowledged change, and afterwards the old database accepts none", async () => {
    const old = await serving("--seed", "minimal");
    const { ownerKey, gameId } = old as typeof old & { ownerKey: string; gameId: string };
    const owner = personWith(old.node, ownerKey, "");
    const { answered, all } = writers(owner, gameId);
    while (answered.orders.length < 50) await owner.get("/billing/balance");

    const { code, stdout, stderr } = await serve("migrate", "--to", target.unrestrictedUrl, "--json", "--quiet").ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout).result).toMatchObject({ from: expect.stringContaining("playtest.db"), rows: expect.any(Number) });
    await all;
    expect(answered.refused).not.toEqual([]);
    expect(new Set(answered.refused)).toEqual(new Set(["1"]));
    expect((await owner.get("/billing/balance")).status).toBe(200);
    await old.stop();

    const restarted = await serve("run", "--sandbox", "--port", "0").ended;
    expect(restarted).toMatchObject({ code: 2, stderr: expect.stringContaining("was moved to PostgreSQL") });

    const moved = await serving("--database-url", target.unrestrictedUrl);
    const there = personWith(moved.node, ownerKey, "");
    const paths = [...answered.games.map((id) => `/games/${id}`), ...answered.orders.map((id) => `/playtests/${id}`)];
    const lost: string[] = [];
    for (const path of paths) if ((await there.get(path)).status !== 200) lost.push(path);
    expect(lost).toEqual([]);
    expect((await there.post(`/games/${gameId}/playtests`, { quantity: 1 })).status).toBe(201);
    await moved.stop();
    const checks = await doctor({
      data: dataDir,
      databaseUrl: target.unrestrictedUrl,
      ledger: true,
      fix: false,
      now: Date.now(),
      env: {},
    });
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  }, 600_000);

  it("lets the server go on when it is killed, and then works with the same or an empty database", async () => {
    const old = await serving("--seed", "minimal");
    const { ownerKey, gameId } = old as typeof old & { ownerKey: string; gameId: string };
    const random = createTestRandom(process.env.PLAYTEST_SEED ?? "move");
    const orderOne = () => personWith(old.node, ownerKey, "").post(`/games/${gameId}/playtests`, { quantity: 1 });
    for (let round = 0; round < 4; round++) {
      const { child, ended } = serve("migrate", "--to", target.unrestrictedUrl);
      setTimeout(() => child.kill("SIGKILL"), 500 + (random(2).readUInt16BE() % 1500));
      const { code } = await ended;
      const { status } = await orderOne();
      // Ended or killed after the data file was given up, which the same command is for as well.
      if (code === 0 || status === 503) break;
      expect(status).toBe(201);
      // Killed between the last steps, it leaves a copy that no server starts with.
      if ((await inTarget((q) => settings.get(q, "moving_from"))) !== undefined) {
        await target.drop();
        target = await freshDatabase({ empty: true });
      }
      expect(await inTarget((q) => settings.get(q, "mode"))).toBeUndefined();
    }
    const { stderr } = await serve("migrate", "--to", target.unrestrictedUrl, "--quiet").ended;
    expect(stderr).toMatch(/^$|was moved before/);
    expect(await orderOne()).toMatchObject({ status: 503 });
    await old.stop();
    const moved = await serving("--database-url", target.unrestrictedUrl);
    expect((await personWith(moved.node, ownerKey, "").get("/billing/balance")).status).toBe(200);
    await moved.stop();
  });
});

describe("a move", () => {
  beforeEach(() => {
    dataDir = dataDirFixture();
  });

  const addSetting = async (name: settings.Name, value: string, options: Parameters<typeof openStore>[0] = { dataDir }) => {
    const store = await openStore(options);
    await store.write((tx) => settings.set(tx, name, value)).finally(() => store.close());
  };

  it("that fails at any step leaves the old database as it was and the new one empty", async () => {
    await addSetting("mode", "sandbox");
    let steps = 0;
    for (let failing = 1; ; failing += 37) {
      steps = 0;
      const fail = () => {
        if (++steps === failing) throw new Error("ended here");
      };
      const failed = await moving(fail).then(
        () => false,
        () => true,
      );
      if (!failed) break;
      expect(await inTarget((q) => settings.get(q, "mode"))).toBeUndefined();
      await addSetting("mode", "sandbox");
    }
    expect(steps).toBeGreaterThan(1);
    expect(await inTarget((q) => settings.get(q, "mode"))).toBe("sandbox");
    await expect(addSetting("mode", "live")).rejects.toThrow("was moved to PostgreSQL");
  });

  it("says how many rows it moved, that nothing could be written meanwhile, and what the old database does now", async () => {
    const { code, stdout } = await serve("migrate", "--to", target.unrestrictedUrl).ended;
    const [, rows, tables] =
      /^Moved SQLite \S+ to PostgreSQL \S+ and compared both: (\d+) rows? in (\d+) tables?\.\nNothing could be written for the last \d+\.\d s, and the old database refuses every change from now on\.\n/.exec(
        stdout,
      )!;
    expect([code, stdout]).toEqual([0, expect.stringContaining("Remove the old database when everything works.")]);
    await expect(addSetting("mode", "sandbox")).rejects.toThrow("was moved to PostgreSQL");
    const store = await openStore({ databaseUrl: target.unrestrictedUrl });
    const counts = await store.read(async (q) => {
      const found = await tablesOf(q, store.dialect);
      return Promise.all(found.map(({ name }) => q.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}`)));
    });
    await store.close();
    expect([counts.reduce((sum, row) => sum + Number(row!.n), 0), counts.length]).toEqual([Number(rows), Number(tables)]);
  });

  it("says for how long nothing could be written: every write until then is in the new database, and none was possible after", async () => {
    const database = new Database(dataFile(dataDir), { timeout: 0 });
    const write = database.prepare("INSERT INTO settings (name, value) VALUES (?, 'written meanwhile')");
    let seconds = 0;
    const [written, refused]: number[][] = [[], []];
    const onProgress = () => {
      seconds++;
      try {
        write.run(`second ${seconds}`);
        written!.push(seconds);
      } catch {
        refused!.push(seconds);
      }
    };
    const options = { data: dataDir, databaseUrl: undefined, to: target.unrestrictedUrl, env: {}, randomBytes, onProgress };
    const { pauseMs } = await move({ ...options, now: () => seconds * 1000 });
    database.close();
    const moved = await inTarget((q) => q.all<{ name: string }>("SELECT name FROM settings WHERE value = 'written meanwhile'"));
    expect(moved.map(({ name }) => name).toSorted()).toEqual(written!.map((second) => `second ${second}`).toSorted());
    expect([written!.length > 0, pauseMs, refused]).toEqual([
      true,
      refused!.length * 1000,
      refused!.map((_, i) => seconds - refused!.length + 1 + i),
    ]);
  });

  it("is refused for a database with rows", async () => {
    await addSetting("mode", "sandbox", { databaseUrl: target.unrestrictedUrl });
    await expect(moving()).rejects.toThrow("The database is not empty: it has rows in settings");
  });

  it("is refused for a database that an interrupted move has filled", async () => {
    await addSetting("moving_from", "ab".repeat(16), { databaseUrl: target.unrestrictedUrl });
    await expect(moving()).rejects.toThrow("the copy of a move that was interrupted");
  });

  it("is refused with another key than the one the data is sealed with", async () => {
    const { stop } = await serving();
    await stop();
    rmSync(join(dataDir, "instance.key"));
    writeFileSync(join(dataDir, "instance.key"), `${"ab".repeat(32)}\n`);
    await expect(moving()).rejects.toThrow("is not the key of this database");
  });

  it("is refused from PostgreSQL, and to something else", async () => {
    const other = { data: dataDir, env: {}, now: Date.now, randomBytes, onProgress() {} };
    await expect(move({ ...other, databaseUrl: target.unrestrictedUrl, to: target.unrestrictedUrl })).rejects.toThrow(
      "Only a server with SQLite",
    );
    await expect(move({ ...other, databaseUrl: undefined, to: "mysql://localhost/x" })).rejects.toThrow("does not start with");
  });

  it("is refused to a database that cannot define tables inside a transaction", async () => {
    const wire = await startRestricted(target.unrestrictedUrl, { seed: 1, conflicts: 0, delayMs: 0 });
    const options = { data: dataDir, databaseUrl: undefined, to: wire.url, env: {}, now: Date.now, randomBytes };
    await expect(move({ ...options, onProgress: () => {} })).rejects.toThrow("Use `playtest serve export`");
    expect(await sql(target.unrestrictedUrl, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    await wire.close();
  });

  it("is completed by the same command when it was interrupted after the old database was given up", async () => {
    await addSetting("mode", "sandbox");
    await moving();
    const source = await openStore({ dataDir });
    const id = await source.read((q) => settings.get(q, "moved_to")).finally(() => source.close());
    await addSetting("moving_from", id!, { databaseUrl: target.unrestrictedUrl });
    const refused = await serve("run", "--sandbox", "--port", "0", "--database-url", target.unrestrictedUrl).ended;
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Run the same command again") });
    const { code, stdout } = await serve("migrate", "--to", target.unrestrictedUrl).ended;
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Completed the move of SQLite \S+ to PostgreSQL \S+ that was interrupted: 1 row in \d+ tables\. /),
    ]);
    await expect(addSetting("mode", "live")).rejects.toThrow("was moved to PostgreSQL");
    expect(await inTarget((q) => settings.get(q, "moving_from"))).toBeUndefined();
    await expect(moving()).rejects.toThrow("This data was moved before");
  });
});
