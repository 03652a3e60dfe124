import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenOptions, openStore } from "../../server/database/open.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { retire } from "../../server/database/sqlite/retired.ts";
import { referencedBlobs } from "../../server/uploads/blob-store.ts";
import { playtest } from "../helpers/cli.ts";
import { type Corruption, corrupt, corruptions } from "../helpers/corruptions.ts";
import { createHistory } from "../helpers/history.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { startTestServer } from "../helpers/server.ts";
import { Database } from "../helpers/sqlite.ts";
import { type DatabaseLocation, drivers, freshFolder, type TestStore } from "../helpers/store.ts";

/** A database whose server told a long history and ended; its uploads are in the folder, or in that of the SQLite file. */
async function lived(name: "sqlite" | "postgres", folder?: string): Promise<DatabaseLocation> {
  const store = await drivers.find((driver) => driver.name === name)!.open();
  const server = await startTestServer({ store });
  await createHistory(server);
  await keepFiles(store, folder ?? folderOf(store.location));
  await server.close();
  await store.close();
  return store.location;
}

/** A test server takes its uploads along when it goes: files of their names, which is all that doctor looks for. */
async function keepFiles(store: TestStore, folder: string): Promise<void> {
  for (const key of await store.read(referencedBlobs)) {
    const file = join(folder, "blobs", key);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
  }
}

async function break_(options: OpenOptions, corruption: Corruption): Promise<void> {
  const store = await openStore(options);
  await store.write((tx) => corrupt(tx, store.dialect, corruption));
  await store.close();
}

const folderOf = (location: DatabaseLocation) => (location.options as { dataDir: string }).dataDir;

describe("serve doctor --ledger", () => {
  let clean: DatabaseLocation;
  beforeAll(async () => {
    clean = await lived("sqlite");
  });
  afterAll(async () => {
    await killLeftovers();
    await clean.remove();
  });

  const copy = () => {
    const folder = freshFolder();
    cpSync(folderOf(clean), folder, { recursive: true });
    return folder;
  };
  const doctor = (folder: string, ...more: string[]) => playtest(["serve", "doctor", "--ledger", "--data", folder, ...more]);

  it("finds nothing wrong after a long history, as a process of its own", async () => {
    const folder = copy();
    const { code, stdout, stderr } = await spawnPlaytest(folder, ["serve", "doctor", "--ledger", "--data", folder]).ended;
    const lines = stdout.trimEnd().split("\n");
    expect({ code, stderr, failed: lines.filter((line) => !line.includes("\tok\t")) }).toEqual({
      code: 0,
      stderr: "",
      failed: [],
    });
    expect(lines.filter((line) => line.startsWith("ledger_"))).toHaveLength(14);
  });

  it.each(corruptions)("finds $name", async (corruption) => {
    const folder = copy();
    await break_({ dataDir: folder }, corruption);
    const { code, stdout, stderr } = await doctor(folder);
    const place = (name: string) => Number(/\d+/.exec(name)![0]);
    const names = [...(corruption.also ?? []), corruption.rule].sort((a, b) => place(a) - place(b));
    expect(code).toBe(1);
    const failed = stdout.split("\n").filter((line) => line.includes("\tfailed\t"));
    expect(failed.map((line) => line.split("\t")[0])).toEqual(names);
    expect(failed[names.indexOf(corruption.rule)]).toMatch(corruption.says);
    expect(stderr).toContain(`failed: ${names.join(", ")}.\n`);
    expect(stderr).toMatch(new RegExp(`${corruption.rule}: Violated invariant: .*(Stop|stop) the server`));
  });

  it("finds a damaged index of the search, and empties it with --fix, for a server to fill again", async () => {
    const folder = copy();
    const store = await openStore({ dataDir: folder });
    await store.write((tx) => tx.run("DELETE FROM search_passages WHERE seq = (SELECT MIN(seq) FROM search_passages)"));
    await store.close();
    const search = async (...more: string[]) => {
      const { code, stdout } = await doctor(folder, ...more);
      return [code, stdout.split("\n").filter((line) => /^(search|fixed)\t/.test(line))];
    };
    expect(await search()).toEqual([1, [expect.stringMatching(/^search\tfailed\t1 incomplete passage in the index/)]]);
    const waiting = expect.stringMatching(
      /^search\t\S+\tsearches do not find \d+ of the videos, findings and names yet: the server indexes the newest first/,
    );
    const fixed = "fixed\tok\temptied the index of the search: the next start of a server fills it";
    expect(await search("--fix")).toEqual([0, [fixed, waiting]]);
    expect(await search()).toEqual([0, [waiting]]);
  });

  it("says the same as JSON", async () => {
    const folder = copy();
    const [corruption] = corruptions;
    await break_({ dataDir: folder }, corruption!);
    const { code, stdout } = await doctor(folder, "--json");
    const { result: checks } = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([
      {
        name: corruption!.rule,
        ok: false,
        detail: expect.stringMatching(corruption!.says),
        help: expect.stringMatching(/^Violated invariant: /),
      },
    ]);
  });

  it("finds the guard gone that keeps postings as they are", async () => {
    const folder = copy();
    const store = await openStore({ dataDir: folder });
    await expect(store.write((tx) => tx.run("UPDATE ledger_postings SET amount = 0"))).rejects.toThrow(
      "a posting is never changed",
    );
    await expect(store.write((tx) => tx.run("DELETE FROM ledger_postings"))).rejects.toThrow("a posting is never removed");
    await store.write((tx) => tx.run("DROP TRIGGER ledger_postings_kept"));
    await store.close();
    const { code, stdout, stderr } = await doctor(folder);
    expect({ code, failed: stdout.split("\n").filter((line) => line.includes("\tfailed\t")) }).toEqual({
      code: 1,
      failed: ["append_only\tfailed\tledger_postings has 1 of its 2 triggers"],
    });
    expect(stderr).toContain("append_only: Something other than this program changed how the database protects");
  });

  it.each([
    [
      "replaced by one that does nothing",
      ["DROP TRIGGER audit_links_kept", "CREATE TRIGGER audit_links_kept BEFORE DELETE ON audit_links BEGIN SELECT 1; END"],
      "audit_links has 1 of its 2 triggers; the trigger audit_links_kept is not of this program",
    ],
    [
      "joined by one that changes what is written",
      ["CREATE TRIGGER helpful AFTER INSERT ON users BEGIN UPDATE users SET role = 'admin' WHERE id = NEW.id; END"],
      "the trigger helpful is not of this program",
    ],
    ["joined by a view", ["CREATE VIEW people AS SELECT email FROM users"], "the view people is not of this program"],
  ])("finds a guard %s", async (_, statements, says) => {
    const folder = copy();
    const store = await openStore({ dataDir: folder });
    for (const statement of statements) await store.write((tx) => tx.run(statement));
    await store.close();
    const { code, stdout } = await doctor(folder);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`append_only\tfailed\t${says}`)]);
  });

  it("takes the triggers of a database that was moved to another for what they are", async () => {
    const folder = copy();
    const database = new Database(dataFile(folder));
    retire(database, "This server's data was moved.");
    database.close();
    expect((await doctor(folder)).stdout).toContain("append_only\tok\t");
  });

  it("sets a wrong balance right with --fix", async () => {
    const folder = copy();
    await break_({ dataDir: folder }, corruptions.find(({ name }) => name === "a changed balance")!);
    expect((await doctor(folder)).code).toBe(1);
    expect(await doctor(folder, "--fix")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("set 1 balance to the sum"),
    });
    expect((await doctor(folder)).code).toBe(0);
  });

  it("looks at a PostgreSQL database as well", async () => {
    const folder = freshFolder();
    const location = await lived("postgres", folder);
    const { databaseUrl } = location.options as { databaseUrl: string };
    const flags = ["--data", folder, "--database-url", databaseUrl];
    const look = () => playtest(["serve", "doctor", "--ledger", ...flags], { now: Date.now() });
    expect(await look()).toMatchObject({ code: 0, stdout: expect.stringMatching(/uploads\tok[\s\S]*ledger_10_causes\tok/) });
    const corruption = corruptions.find(({ rule }) => rule === "ledger_4_holds")!;
    await break_(location.options, corruption);
    const { code, stdout } = await look();
    expect({ code, line: stdout.split("\n").find((line) => line.includes("\tfailed\t")) }).toEqual({
      code: 1,
      line: expect.stringMatching(corruption.says),
    });
    await location.remove();
  });
});
