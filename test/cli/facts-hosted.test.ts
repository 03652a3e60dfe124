import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { playtest, type Ran, testFolder } from "../helpers/cli.ts";
import * as factories from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";
import { videoOf } from "../helpers/videos.ts";
import { newId } from "../helpers/walk.ts";

/** Sentences about a server that lacks an extension. What they state is checked on the server behind it, which has all. */
interface Fact {
  says: string;
  line(): Promise<string> | string;
  /** Default 0. */
  code?: number;
  holds(ran: Ran): Promise<void>;
}

let server: TestServer;
let hosted: Awaited<ReturnType<typeof startHosted>>;
let admin: factories.Person;
let owner: factories.Person;
let gameId: string;
let cwd: string;
beforeAll(async () => {
  server = await ownServer();
  admin = await factories.firstAdmin(server);
  return server.close;
});
beforeEach(async () => {
  owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 50_000);
  gameId = await factories.createGame(owner);
  cwd = testFolder();
  hosted = await startHosted(server.baseUrl, "json", ["videoDurationSeconds"]);
});
afterEach(async () => {
  server.deps.config.pricing.baseCents = { ...prices };
  await hosted.close();
});

const run = (line: string) =>
  playtest(line.split(" "), {
    baseUrl: hosted.baseUrl,
    key: owner.key,
    cwd,
    env: { PLAYTEST_CONFIG_DIR: cwd, NO_COLOR: "1" },
    outside: { newId },
  });

const prices = { 30: 1500, 60: 2000, 120: 3500, 180: 5000 };
/** An order of one slot of an hour, when that cost so much. */
async function orderAt(cents: number, game = gameId, body = {}): Promise<void> {
  server.deps.config.pricing.baseCents = { ...prices, 60: cents };
  await server.advance(1000);
  await factories.order(owner, game, body);
}
const ordered = async (game = gameId): Promise<{ costPerSlotCents: number; playerCount: number; status: string }[]> =>
  (await owner.get(`/games/${game}/playtests`)).body.data.playtests;
const spent = async () => 50_000 - (await owner.get("/billing/balance")).body.data.balanceCents;
const quotes = async () => (await fetch(`${hosted.baseUrl}/api/v1/playtests/quote`, { method: "POST" })).status !== 404;
const costIn = ({ stdout }: Ran) => JSON.parse(stdout).costPerSlotCents;

const facts: Fact[] = [
  {
    says: "This server does not quote prices. The price is that of an earlier order of the same length and number of players.",
    async line() {
      for (const cents of [1000, 1700]) await orderAt(cents);
      await orderAt(1700, gameId, { playerCount: 2 });
      server.deps.config.pricing.baseCents = prices;
      return `playtests quote ${gameId} --json`;
    },
    async holds(ran) {
      const newest = (await ordered()).find(({ playerCount }) => playerCount === 1)!;
      expect([costIn(ran), newest.costPerSlotCents, await quotes()]).toEqual([1700, 1700, false]);
    },
  },
  {
    says: "The price is that of an earlier order of the same length and number of players.",
    async line() {
      const newer = await factories.createGame(owner);
      await orderAt(1000, newer);
      await orderAt(1700);
      return "playtests quote --json";
    },
    holds: async (ran) => expect(costIn(ran)).toBe(1700),
  },
  {
    says: "was placed and costs $60.00, which is more than $51.00, the price by an earlier order.",
    async line() {
      await orderAt(1700);
      server.deps.config.pricing.baseCents = prices;
      return `playtests order ${gameId} --quantity 3 --yes`;
    },
    holds: async () => expect([(await ordered()).length, await spent()]).toEqual([2, 1700 + 6000]),
  },
  {
    says: "This server does not quote prices, and no earlier order of the same length and number of players was found to go by.",
    async line() {
      await orderAt(1700, gameId, { playerCount: 2 });
      return `playtests quote ${gameId} --json`;
    },
    async holds(ran) {
      expect([costIn(ran), (await ordered()).map(({ playerCount }) => playerCount), await quotes()]).toEqual([null, [2], false]);
      await orderAt(1700);
      expect(costIn(await run(`playtests quote ${gameId} --json`))).toBe(1700);
    },
  },
  {
    says: "So --max-cost cannot be kept. Nothing was ordered. To order at the price that the server then asks, pass --yes instead.",
    code: 7,
    line: () => `playtests order ${gameId} --max-cost 100`,
    async holds() {
      expect([await ordered(), await spent()]).toEqual([[], 0]);
      expect([(await run(`playtests order ${gameId} --yes`)).code, await spent()]).toEqual([0, 2000]);
    },
  },
  {
    says: "was found to go by. Nothing was ordered. To learn the price, place one: playtest playtests order ",
    code: 7,
    line() {
      writeFileSync(join(cwd, "orders.csv"), `game,quantity\n${gameId},2\n`);
      return "playtests bulk orders.csv --yes";
    },
    async holds({ stderr }) {
      expect([await ordered(), await spent()]).toEqual([[], 0]);
      const [, command] = /place one: playtest (.+)/.exec(stderr.replace(/\s+/g, " ").trim())!;
      expect((await run(`${command} --yes`)).code).toBe(0);
      expect([(await run("playtests bulk orders.csv --yes")).code, (await ordered()).length, await spent()]).toEqual([
        0, 2, 6000,
      ]);
    },
  },
  {
    says: "was found to go by. Nothing can be compared.",
    code: 3,
    line: () => "billing forecast --quantity 2",
    async holds() {
      await orderAt(2000);
      expect((await run("billing forecast --quantity 2")).code).toBe(0);
    },
  },
  {
    says: "This server does not let an order choose to be paid with credit. Nothing was ordered. Without --pay, it takes playtest hours if they cover the whole order, otherwise credit.",
    code: 3,
    async line() {
      await orderAt(2000);
      await admin.post(`/admin/users/${owner.id}/hours`, { minutes: 60, note: "Thanks." });
      return `playtests order ${gameId} --pay credit --yes`;
    },
    async holds() {
      expect([(await ordered()).length, await spent()]).toEqual([1, 2000]);
      for (let times = 0; times < 2; times++) expect((await run(`playtests order ${gameId} --yes`)).code).toBe(0);
      expect([(await ordered()).length, await spent()]).toEqual([3, 4000]);
    },
  },
  {
    says: "This server has no tester groups. Nothing was ordered. Leave out --panel.",
    code: 3,
    line: () => `playtests order ${gameId} --panel 019a0000-0000-7000-8000-000000000001 --yes`,
    async holds() {
      expect([await ordered(), (await run("admin groups list")).code]).toEqual([[], 3]);
      expect((await run(`playtests order ${gameId} --yes`)).code).toBe(0);
    },
  },
  {
    says: "This server has no playtests for certain players. Nothing was ordered. Leave out --target-….",
    code: 3,
    line: () => `playtests order ${gameId} --target-country DE --yes`,
    async holds() {
      expect(await ordered()).toEqual([]);
      expect((await run(`playtests order ${gameId} --yes`)).code).toBe(0);
    },
  },
  {
    says: "The position must be within the video, which ends at 1:30. Nothing was noted.",
    code: 2,
    async line() {
      const ann = await factories.registerPlaytester(server, "Ann");
      slotId = await factories.claim(ann, await factories.order(owner, gameId));
      await factories.giveVideo(server, slotId, ann, await videoOf(90));
      await ann.post(`/playtester/slots/${slotId}/submit`);
      return `review note ${slotId} 1:30.001 late`;
    },
    async holds() {
      expect(existsSync(join(cwd, "notes"))).toBe(false);
      const last = await run(`review note ${slotId} 1:30 last`);
      expect([last.code, existsSync(join(cwd, "notes"))]).toEqual([0, true]);
      hosted.extend();
      expect((await run("review notes push")).code).toBe(0);
      expect((await owner.get(`/slots/${slotId}/moments`)).body.data.moments).toMatchObject([{ atMs: 90_000, text: "last" }]);
    },
  },
];
let slotId: string;

it.each(facts)("$says", async ({ says, line, code = 0, holds }) => {
  const ran = await run(await line());
  const said = (ran.stdout + ran.stderr).replace(/\s+/g, " ");
  expect([ran.code, said]).toEqual([code, expect.stringContaining(says)]);
  await holds(ran);
});
