import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playtest, type RunOptions } from "../helpers/cli.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";

let server: TestServer;
let owner: Person;
let gameId: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  const store = await drivers[0]!.open();
  server = await startTestServer({ store });
  owner = await registerOwner(server);
  await giveCredit(server, owner, 20_000);
  gameId = await createGame(owner, { name: "Moon Miner" });
  await createGame(owner, { name: "Star Miner" });
  const playtestId = await order(owner, gameId, { quantity: 2 });
  const slotId = await play(server, await registerPlaytester(server), playtestId);
  await owner.post(`/slots/${slotId}/accept`, { rating: 4 });
  stop = async () => {
    await server.close();
    await store.remove();
  };
});
afterAll(() => stop());

const run = (words: string, options: RunOptions = {}) =>
  playtest(words.split(" "), {
    baseUrl: server.baseUrl,
    key: owner.key,
    tty: true,
    columns: 80,
    env: { NO_COLOR: "1" },
    ...options,
  });

describe("stats", () => {
  it("draws slots, ratings and times, of all games or one by its name", async () => {
    const { code, stdout } = await run("stats");
    expect([code, stdout]).toMatchInlineSnapshot(`
      [
        0,
        "2 slots ordered since 2025-12-01

      Slots by status
        open      1  ████████████████████████████████████████
        accepted  1  ████████████████████████████████████████
      Of the reviewed submissions, 100% were accepted and 0% got a retry.

      Ratings: 4.00 on average of 1
        5  0
        4  1  ████████████████████████████████████████
        3  0
        2  0
        1  0

      Average rating by build
        2026-03-01  4.00 of 1  ████████████████████████████████████████

      Average rating over time, 2025-12-01 to 2026-02-23
                    ▇

      Times: median, and 9 of 10 slots took no longer than
        until claimed    0 min, 0 min
        until submitted  0 min, 0 min
        until reviewed   0 min, 0 min
      ",
      ]
    `);
    expect((await playtest(["stats", "Moon Miner"], { baseUrl: server.baseUrl, key: owner.key })).stdout).toBe(stdout);
    expect((await playtest(["stats", "Star Miner"], { baseUrl: server.baseUrl, key: owner.key })).stdout).toMatch(
      /^No slots were ordered since /,
    );
  });

  it("has no escape sequences, and with --plain only ASCII", async () => {
    const { stdout } = await run("stats --plain", { columns: 40, env: { FORCE_COLOR: "1" } });
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it("--json prints the numbers, and --since takes an age", async () => {
    const { stdout } = await run("stats --since 30d --json", { tty: false });
    expect(JSON.parse(stdout)).toMatchObject({ since: "2026-01-30T12:00:00.000Z", ratings: { count: 1, average: 4 } });
  });

  it("--csv has a line for each game", async () => {
    const { code, stdout } = await run("stats --csv", { tty: false });
    expect([code, stdout.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "ID")]).toMatchInlineSnapshot(`
      [
        0,
        "game,id,total,open,reserved,submitted,accepted,rejected,blocked,expired,cancelled,publishing,acceptance rate,retry rate,ratings,average rating,rated 1,rated 2,rated 3,rated 4,rated 5,claim median minutes,claim p90 minutes,submit median minutes,submit p90 minutes,review median minutes,review p90 minutes
      Star Miner,ID,0,0,0,0,0,0,0,0,0,0,,,0,,0,0,0,0,0,,,,,,
      Moon Miner,ID,2,1,0,0,1,0,0,0,0,0,1,0,1,4,0,0,0,1,0,0,0,0,0,0,0
      ",
      ]
    `);
  });

  it("counts slots by status on a server without statistics", async () => {
    const hosted = await startHosted(server.baseUrl, "json");
    const { stdout, stderr } = await run(`stats ${gameId}`, { baseUrl: hosted.baseUrl });
    expect(stderr).toBe("This server has no statistics. These are its counts of slots by status.\n");
    expect(stdout).toMatch(/^Slots by status\n {2}open {6}1 .*\n {2}accepted {2}1 .*\n$/);
    const json = JSON.parse((await run("stats --json", { baseUrl: hosted.baseUrl, tty: false })).stdout);
    expect(json).toMatchObject({ gameId: null, slots: { total: 2, open: 1, accepted: 1 } });
    expect((await run("billing spend", { baseUrl: hosted.baseUrl })).stderr).toContain("This server does not support");
    await hosted.close();
  });
});

describe("billing spend", () => {
  it.each(["month", "game"])("by %s", async (by) => {
    const { code, stdout } = await run(`billing spend --by ${by} --since 2026-01-10`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Spent since 2026-01-10: \$20\.00\n/)]);
    expect(stdout).toMatch(
      by === "month"
        ? /^ {2}2026-01 {3}\$0\.00\n {2}2026-02.*\n {2}2026-03 {2}\$20\.00 {2}█+$/m
        : /^ {2}Moon Miner {2}\$20\.00 {2}█+$/m,
    );
    expect(stdout).toContain("Forecast for slots that have not ended: $20.00\n");
  });

  it.each(["month", "game"])("--csv by %s has a line for each", async (by) => {
    const { code, stdout } = await run(`billing spend --csv --by ${by} --since 2026-01-10`, { tty: false });
    const lines = stdout
      .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "ID")
      .trimEnd()
      .split(/\r?\n/);
    const expected = {
      month: ["month,spent,spent minutes", "2026-01,$0.00,0", "2026-02,$0.00,0", "2026-03,$20.00,0"],
      game: ["game,id,spent,spent minutes,forecast,forecast minutes", "Moon Miner,ID,$20.00,0,$20.00,0"],
    };
    expect([code, lines]).toEqual([0, expected[by as "month" | "game"]]);
  });

  it("says in a sentence that nothing was spent, and that a server runs without payments", async () => {
    const stranger = await registerOwner(server);
    const none = await run("billing spend", { key: stranger.key });
    expect(none.stdout).toBe("Nothing was spent since 2025-04-01, and no slots are open.\n");
    const store = await drivers[0]!.open();
    const free = await startTestServer({ store, config: (config) => void Object.assign(config.payments, { enabled: false }) });
    const person = await registerOwner(free);
    const { code, stdout, stderr } = await run("billing spend", { baseUrl: free.baseUrl, key: person.key });
    expect([code, stdout, stderr]).toEqual([0, "", "This server runs without payments. New playtests cost and earn nothing.\n"]);
    await free.close();
    await store.remove();
  });
});
