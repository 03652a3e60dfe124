import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { createGame, personWith } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

/** Commands that order, with a key whose budget covers one order: none of them orders a second one. */

const fixture = eachOwnerFixture();
let key = "";
let folder = "";

beforeEach(async () => {
  const budgets = [{ period: "day", limitCents: 2000 }];
  key = (await fixture.owner.post("/auth/api-keys", { name: "ci", budgets })).body.data.apiKey;
  folder = testFolder();
  writeFileSync(join(folder, "orders.csv"), "quantity\n1\n1\n1\n");
  writeFileSync(join(folder, "order.yaml"), "quantity: 1\n");
  mkdirSync(join(folder, "build"));
  writeFileSync(join(folder, "build", "game.txt"), "1");
});

const spent = async () => (await fixture.owner.get("/billing/budgets")).body.data.budgets[0].spentCents;
const count = async () => (await fixture.owner.get(`/games/${fixture.gameId}/playtests`)).body.data.playtests.length;
const run = (line: string) => fixture.run(line, { key, cwd: folder });

it("bulk orders what the budget covers, and says why no more", async () => {
  const ran = await run(`bulk orders.csv --game ${fixture.gameId} --yes --journal ${join(folder, "journal")}`);
  expect([ran.code, ran.stdout + ran.stderr]).toEqual([7, expect.stringContaining("A budget of this API key does not cover")]);
  expect([await count(), await spent()]).toEqual([1, 2000]);
});

it("a push with --order orders what the budget covers, and the second one says why not", async () => {
  const other = await createGame(fixture.owner);
  const push = (game: string) => run(`games push build ${game} --order order.yaml --yes`);
  expect((await push(fixture.gameId)).code).toBe(0);
  const second = await push(other);
  expect([second.code, second.stderr]).toEqual([7, expect.stringContaining("A budget of this API key does not cover $20.00.")]);
  expect([await count(), await spent()]).toEqual([1, 2000]);
  // Nor is the build of a running playtest replaced, which would order it anew in effect.
  writeFileSync(join(folder, "build", "game.txt"), "2");
  expect((await push(fixture.gameId)).stderr).toContain("cannot replace the build of a game that is being playtested");
});

it.each([
  { flags: "--yes", code: 7, says: "Pay at the address above." },
  { flags: "--yes --allow-pending", code: 0, says: "The order is not paid yet." },
])("approving an order by card with $flags says that it is not paid yet", async ({ flags, code, says }) => {
  const budgets = [{ period: "order", approveOverCents: 1000 }];
  const { apiKey } = (await fixture.owner.post("/auth/api-keys", { name: "agent", budgets })).body.data;
  const agent = personWith(fixture.server, apiKey, fixture.owner.id);
  const waits = await agent.post(`/games/${fixture.gameId}/playtests`, {}, { "x-payment-method": "card" });
  const { approval } = waits.body.data;
  const ran = await fixture.run(`approvals approve ${approval.id} ${flags}`);
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([
    code,
    expect.stringMatching(/^pay at\thttps?:/m),
    expect.stringContaining(says),
  ]);
});
