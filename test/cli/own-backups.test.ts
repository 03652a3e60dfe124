import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { save } from "../../server/admin/backups-store.ts";
import { openStore } from "../../server/database/open.ts";
import { playtest } from "../helpers/cli.ts";
import { buildId, dataDirFixture, withBuild } from "../helpers/data-dir-fixture.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { drivers, freshFolder } from "../helpers/store.ts";

afterEach(killLeftovers);

const isBackup = (name: string) => /^playtest-\d{8}T\d{6}Z$/.test(name);

/** Waits until a folder has an entry, or none, that `wanted` describes. */
async function until(folder: string, wanted: (names: string[]) => boolean): Promise<string[]> {
  const watcher = watch(folder);
  try {
    for (let names = readdirSync(folder); ; names = readdirSync(folder)) {
      if (wanted(names)) return names;
      await once(watcher, "change");
    }
  } finally {
    watcher.close();
  }
}

const run = (data: string, to: string, ...flags: string[]) =>
  spawnPlaytest(freshFolder(), ["serve", "run", "--port", "0", "--data", data, "--backup-to", to, "--log", "json", ...flags]);

describe.each(drivers)("a server that backs itself up ($name)", (driver) => {
  it("makes a backup that can be verified, and says so", async () => {
    const { databaseUrl } = (await driver.location({ empty: true })).options as { databaseUrl?: string };
    const where = databaseUrl === undefined ? [] : ["--database-url", databaseUrl];
    const [data, to] = [join(freshFolder(), "data"), freshFolder()];
    const config = join(freshFolder(), "settings.json");
    writeFileSync(config, JSON.stringify({ http: { drainMs: 1000 } }));
    const server = run(data, to, "--backup-every", "2h", "--backup-keep", "2d", "--config", config, ...where);
    const name = (await until(to, (names) => names.some(isBackup))).find(isBackup);
    expect(readFileSync(join(to, name!, "config.json"), "utf8")).toBe(readFileSync(config, "utf8"));
    const checked = await playtest(["serve", "backup", "verify", to]);
    expect([checked.code, checked.stderr]).toEqual([0, ""]);
    const found = async () =>
      (await playtest(["serve", "doctor", "--data", data, ...where], { now: Date.now() })).stdout.match(/^backups.*/m)?.[0];
    while (!(await found())?.includes(`\tok\tthe last one is ${to}/playtest-`)) await until(data, () => true);
    server.child.kill("SIGINT");
    expect(await server.ended).toMatchObject({ code: 0 });
  });
});

it("a server that is stopped in the middle of its backup leaves nothing of it", async () => {
  const [data, to] = [await withBuild(64 * 1024 * 1024), freshFolder()];
  const server = run(data, to);
  await until(to, (names) => names.some((name) => name.endsWith(".part")));
  server.child.kill("SIGINT");
  expect(await server.ended).toMatchObject({ code: 0 });
  await until(to, (names) => names.length === 0);
  truncateSync(join(data, "blobs/builds", buildId), 1000);
  const next = run(data, to);
  const name = (await until(to, (names) => names.some(isBackup))).find(isBackup);
  expect(statSync(join(to, name!, "blobs/builds", buildId)).size).toBe(1000);
  next.child.kill("SIGINT");
  await next.ended;
});

describe("serve doctor", () => {
  const [day, now] = [86_400_000, Date.UTC(2026, 2, 10)];
  const checked = async (state: Partial<Parameters<typeof save>[1]>) => {
    const data = dataDirFixture();
    const store = await openStore({ dataDir: data });
    await store.write((tx) => save(tx, { to: "/b", everyMs: day, since: now - day, ...state }));
    await store.close();
    const { code, stdout } = await playtest(["serve", "doctor", "--data", data], { now });
    return [code, /^backups\t.*/m.exec(stdout)?.[0]];
  };

  it.each<[string, Parameters<typeof checked>[0], number, string]>([
    ["none yet", {}, 0, "warning\tthe server has made none in /b yet"],
    [
      "a good one",
      { doneAt: now - day, file: "/b/playtest-1" },
      0,
      "ok\tthe last one is /b/playtest-1, made at 2026-03-09T00:00:00.000Z",
    ],
    [
      "failures",
      { doneAt: now - day, failedAt: now - 1, error: "The disk is full." },
      1,
      "failed\tbackups to /b fail since 2026-03-09T23:59:59.999Z: The disk is full. The last good one was made at 2026-03-09T00:00:00.000Z.",
    ],
    [
      "none for too long",
      { since: now - 3 * day },
      1,
      "failed\tno backup was made in /b for too long. There is no good one yet.",
    ],
  ])("tells of backups: %s", async (_, state, code, line) => {
    expect(await checked(state)).toEqual([code, `backups\t${line}`]);
  });
});

it.each([
  [["--backup-every", "2h"], "--backup-every and --backup-keep need a folder for the backups. The server was not started."],
  [["--backup-every", "30m", "--backup-to", "b"], "--backup-every: must be from 1h to 31d."],
  [["--backup-keep", "often", "--backup-to", "b"], "--backup-keep often is not a rule. The server was not started."],
])("serve run %j is refused", async (flags, message) => {
  const data = join(freshFolder(), "data");
  const { code, stderr } = await playtest(["serve", "run", "--port", "0", "--data", data, ...flags]);
  expect([code, stderr, existsSync(data)]).toEqual([2, expect.stringContaining(message), false]);
});
