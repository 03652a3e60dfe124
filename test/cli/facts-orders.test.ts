import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commandFacts, type Fact, type Scene } from "../helpers/command-facts.ts";
import { openWallet } from "../helpers/crypto.ts";

import { claim, createGame, giveMinutes, giveVideo, play, registerPlaytester } from "../helpers/factories.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { multiplySlots } from "../helpers/slot-factories.ts";
import { videoOf } from "../helpers/videos.ts";
import { evmWallet } from "../helpers/wallets.ts";

const [minute, hour] = [60_000, 3_600_000];

const balance = async ({ owner }: Scene) => (await owner.get("/billing/balance")).body.data.balanceCents;
const minutesOf = async ({ owner }: Scene) => (await owner.get("/billing/balance")).body.data.playtestMinutes;
const playtestsOf = async ({ owner, gameId }: Scene, id = gameId): Promise<{ id: string; status: string; quantity: number }[]> =>
  (await owner.get(`/games/${id}/playtests`)).body.data.playtests;
const onlyPlaytest = async (scene: Scene) => (await playtestsOf(scene))[0]!;

let receiver: Receiver | undefined;
let tx = "";

/** A game whose build is where a server gives this status. */
async function gameAt({ owner }: Scene, code: number): Promise<string> {
  receiver = await startReceiver(status(code));
  return createGame(owner, { buildUrl: receiver.url });
}

const crypto: Fact[] = [
  ...["", " --chain solana --currency USDC", " --chain base --currency ETH"].map(
    (chosen): Fact => ({
      says: `After sending it, run: playtest billing credit x402${chosen} --tx HASH --wait`,
      line: () => `billing credit x402 --amount 20${chosen}`,
      async holds(scene, { stdout }) {
        expect(await balance(scene)).toBe(50_000);
        const [, chain = "base", currency = "USDC"] = /--chain (\w+) --currency (\w+)/.exec(chosen) ?? [];
        const to = /^to +(\S+)/m.exec(stdout)![1]!;
        const link = /^wallet link +(\S+)/m.exec(stdout)![1]!;
        const shown = /[?&](?:uint256|value|amount)=([\d.]+)/.exec(link)![1]!;
        const amount = chain === "solana" ? String(Math.round(Number(shown) * 1e6)) : shown;
        const body = { chain, currency, to, amount, confirmations: 1000 };
        const { txHash } = (await scene.server.request("POST", "/sandbox/chain/transactions", { body })).body.data;
        await scene.run(`billing credit x402${chosen} --tx ${txHash} --wait`);
        expect(await balance(scene)).toBe(52_000);
      },
    }),
  ),
  {
    says: "signing moves no money",
    async line(scene) {
      const wallet = await openWallet(scene.server, scene.owner);
      const [asked, payer] = [await wallet.ask(2000), evmWallet()];
      tx = await wallet.send(asked, { by: 5_000_000, from: payer.address });
      const { id } = asked.body.error.payment;
      const { stdout } = await scene.run(`billing credit x402 prove ${id} --tx ${tx}`);
      tx = `${id} --tx ${tx} --signature ${payer.sign(stdout.slice(0, -1))}`;
      return "billing credit x402 prove --help";
    },
    async holds(scene) {
      expect(await balance(scene)).toBe(50_000);
      expect((await scene.run(`billing credit x402 prove ${tx}`)).stdout).toContain("Credited $25.00.");
      expect(await balance(scene)).toBe(52_500);
      await scene.run(`billing credit x402 prove ${tx}`);
      expect(await balance(scene)).toBe(52_500);
    },
  },
];

const builds: Fact[] = [
  {
    says: /The build at \S+ returned status 404\. Nothing was ordered\./,
    code: 1,
    line: async (scene) => `order ${await gameAt(scene, 404)} --check-build --yes`,
    async holds(scene, { stderr }) {
      const { id } = (await scene.owner.get("/games?limit=1")).body.data.games[0];
      expect([await playtestsOf(scene, id), await balance(scene)]).toEqual([[], 50_000]);
      await receiver!.close();
      receiver = await startReceiver();
      const change = /`playtest (games update) (--build-url) URL`/.exec(stderr.replace(/\s+/g, " "))!;
      expect((await scene.run(`${change[1]} ${id} ${change[2]} ${receiver.url}`)).code).toBe(0);
      expect((await scene.run(`order ${id} --check-build --yes`)).code).toBe(0);
      await receiver.close();
    },
  },
  {
    says: /warning: The build at \S+ returned status 404\. /,
    line: async (scene) => `order ${await gameAt(scene, 404)} --yes`,
    async holds(scene) {
      expect([receiver!.received.length, await balance(scene)]).toEqual([1, 48_000]);
      await receiver!.close();
    },
  },
  {
    says: /^playtest [0-9a-f]/,
    line: async (scene) => `order ${await gameAt(scene, 401)} --check-build --yes`,
    async holds(scene) {
      expect(await balance(scene)).toBe(48_000);
      await receiver!.close();
    },
  },
];

const reviews: Fact[] = [
  {
    says: "1:30 of 120:00 booked",
    typed: "q\n",
    async line(scene) {
      const id = await claim(scene.ann, await scene.order({ durationMinutes: 120 }));
      await giveVideo(scene.server, id, scene.ann, await videoOf(90));
      await scene.ann.post(`/playtester/slots/${id}/submit`);
      return "review next";
    },
    async holds(scene) {
      const { id } = (await scene.owner.get("/submissions")).body.data.submissions[0].slot;
      const { slot } = (await scene.owner.get(`/slots/${id}`)).body.data;
      expect([slot.submission.videoDurationSeconds, slot.playtest.durationMinutes]).toEqual([90, 120]);
    },
  },
];

const statistics: Fact[] = [
  {
    says: /20000 slots ordered since \S+, the newest of many /,
    async line(scene) {
      await scene.order();
      await multiplySlots(scene.server, scene.owner.id, 20_001);
      await scene.server.advance(minute);
      return "stats";
    },
    async holds({ server, owner }) {
      const sql = "SELECT COUNT(*) AS n FROM slots WHERE owner_id = ?";
      const row = await server.deps.store.read((q) => q.one<{ n: number }>(sql, owner.id));
      expect(Number(row!.n)).toBe(20_001);
    },
  },
  {
    says: /^No slots were ordered since \d{4}-\d\d-\d\d\. $/,
    async line({ order, server }) {
      await order();
      await server.advance(31 * hour);
      return "stats --since 30h";
    },
    async holds({ owner, gameId, server }, { stdout }) {
      const [playtest] = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests;
      const since = server.clock.now() - 30 * hour;
      expect(Date.parse(playtest.createdAt)).toBeLessThan(since);
      expect(stdout).toContain(new Date(since).toISOString().slice(0, 10));
    },
  },
];

/** Orders so many of one slot each and pays them as the forecast says: with hours where they suffice. */
async function payAsSaid(scene: Scene, methods: Record<"hours" | "credit", number>): Promise<void> {
  for (const [method, count] of Object.entries(methods))
    for (let number = 0; number < count; number++)
      expect((await scene.run(`order ${scene.gameId} --pay ${method} --yes`)).code).toBe(0);
}

const forecasts: Fact[] = [
  {
    says: "Cheapest, $79.00: buy indie_monthly for $79.00, pay 5 orders of 5 with hours.",
    line: () => "billing forecast --quantity 1 --orders 5",
    async holds(scene) {
      await scene.run("billing subscription checkout --plan-key indie_monthly --sandbox");
      await payAsSaid(scene, { hours: 5, credit: 0 });
      const { payments } = (await scene.owner.get("/billing/payments")).body.data;
      const paid = payments.map(({ amountCents }: { amountCents: number }) => amountCents).filter((cents: number) => cents > 0);
      expect([paid, await balance(scene), await minutesOf(scene)]).toEqual([[7_900, 50_000], 50_000, 0]);
    },
  },
  {
    says: "Cheapest, $40.00: pay 1 order of 3 with hours, pay $40.00 with credit.",
    async line(scene) {
      await giveMinutes(scene.server, scene.owner, 60);
      return "billing forecast --quantity 1 --orders 3";
    },
    async holds(scene) {
      await payAsSaid(scene, { hours: 1, credit: 2 });
      expect([await balance(scene), await minutesOf(scene)]).toEqual([46_000, 0]);
    },
  },
  {
    says: "Cheapest, $0.00: nothing to pay.",
    line: () => "billing forecast --visibility public --orders 2",
    async holds(scene) {
      for (const _ of [1, 2]) await scene.order({ visibility: "public" });
      expect([await balance(scene), await minutesOf(scene)]).toEqual([50_000, 0]);
    },
  },
  {
    says: "Cheapest, $300.00: pay 5 orders of 20 with hours, pay $300.00 with credit.",
    async line({ run }) {
      await run("billing subscription checkout --plan-key indie_monthly --sandbox");
      await run("billing subscription cancel --yes");
      return "billing forecast --quantity 1 --orders 20";
    },
    async holds(scene, { stdout }) {
      expect(stdout).not.toContain("indie_monthly");
      const buy = (planKey: string) => scene.owner.post("/billing/subscription/checkout", { planKey });
      expect([(await buy("indie_monthly")).status, (await buy("studio_monthly")).status]).toEqual([400, 200]);
    },
  },
];

const orders: Fact[] = [
  {
    says: "the same order within 24 hours returns the same playtest and costs nothing",
    line: () => "order --help",
    async holds(scene) {
      const once = () => scene.run(`order ${scene.gameId} --once --yes`);
      await once();
      await scene.server.advance(24 * hour - minute);
      await once();
      expect([(await playtestsOf(scene)).length, await balance(scene)]).toEqual([1, 48_000]);
      await scene.server.advance(minute);
      await once();
      expect([(await playtestsOf(scene)).length, await balance(scene)]).toEqual([2, 46_000]);
    },
  },
  {
    says: "The order costs $520.00, but the balance is $500.00: $20.00 short. Nothing was ordered. Buy credit with `playtest billing credit add --amount 20`. Or pay with --pay card.",
    code: 7,
    line: ({ gameId }) => `order ${gameId} --quantity 26 --yes`,
    async holds(scene) {
      expect([await playtestsOf(scene), await balance(scene)]).toEqual([[], 50_000]);
      await scene.run("billing credit add --amount 20 --sandbox");
      expect((await scene.run(`order ${scene.gameId} --quantity 26 --yes`)).code).toBe(0);
      expect(await balance(scene)).toBe(0);
    },
  },
  {
    says: "The order requires 60 playtest minutes, but the account has 59. Nothing was ordered.",
    code: 7,
    async line({ server, owner, gameId }) {
      await giveMinutes(server, owner, 59);
      return `order ${gameId} --pay hours --yes`;
    },
    async holds(scene) {
      expect([await playtestsOf(scene), await minutesOf(scene)]).toEqual([[], 59]);
      await giveMinutes(scene.server, scene.owner, 1);
      expect((await scene.run(`order ${scene.gameId} --pay hours --yes`)).code).toBe(0);
      expect([await balance(scene), await minutesOf(scene)]).toEqual([50_000, 0]);
    },
  },
  {
    says: /Order 1 slot of Lantern Deep for 60 of your 90 playtest minutes\?/,
    asks: true,
    async line({ server, owner, gameId }) {
      await giveMinutes(server, owner, 90);
      return `order ${gameId}`;
    },
    holds: async (scene) => expect([await balance(scene), await minutesOf(scene)]).toEqual([50_000, 30]),
  },
  {
    says: /total \$40\.00 .*pay with credit/,
    line: ({ gameId }) => `playtests quote ${gameId} --quantity 2`,
    async holds(scene) {
      expect([await playtestsOf(scene), await balance(scene)]).toEqual([[], 50_000]);
      await scene.order({ quantity: 2 });
      expect(await balance(scene)).toBe(46_000);
    },
  },
];

const rows = (scene: Scene, text: string): void => writeFileSync(join(scene.cwd, "orders.csv"), text);

const bulk: Fact[] = [
  {
    says: "2 orders, 3 slots: $60.00; the balance is $500.00.",
    line(scene) {
      rows(scene, "quantity\n1\n2\n");
      return `playtests bulk orders.csv --plan --game ${scene.gameId}`;
    },
    async holds(scene) {
      expect([await playtestsOf(scene), await balance(scene)]).toEqual([[], 50_000]);
      await scene.run(`playtests bulk orders.csv --game ${scene.gameId} --yes`);
      expect([(await playtestsOf(scene)).length, await balance(scene)]).toEqual([2, 44_000]);
    },
  },
  {
    says: "The funds do not cover the last row ($40.00): $20.00 more credit is needed. To order the rest later, add it and run the same command again.",
    code: 7,
    line(scene) {
      rows(scene, "quantity\n24\n2\n");
      return `playtests bulk orders.csv --game ${scene.gameId} --yes`;
    },
    async holds(scene) {
      expect([(await playtestsOf(scene)).map(({ quantity }) => quantity), await balance(scene)]).toEqual([[24], 2_000]);
      await scene.run("billing credit add --amount 20 --sandbox");
      await scene.run(`playtests bulk orders.csv --game ${scene.gameId} --yes`);
      expect([(await playtestsOf(scene)).map(({ quantity }) => quantity), await balance(scene)]).toEqual([[2, 24], 0]);
    },
  },
  {
    says: "The funds ran out with 1 row left: $20.00 more credit is needed. Buy credit with `playtest billing credit add --amount 20`. Run the same command again to resume.",
    code: 7,
    line(scene) {
      rows(scene, "quantity\n24\n2\n");
      return `playtests bulk orders.csv --game ${scene.gameId} --yes`;
    },
    holds: async (scene) => expect((await playtestsOf(scene)).map(({ quantity }) => quantity)).toEqual([24]),
  },
  {
    says: "1 playtest ordered for $20.00; 1 already ordered, 0 failed, 0 left.",
    async line(scene) {
      rows(scene, "quantity\n1\n");
      await scene.run(`playtests bulk orders.csv --game ${scene.gameId} --yes`);
      rows(scene, "quantity\n1\n1\n");
      return `playtests bulk orders.csv --game ${scene.gameId} --yes`;
    },
    holds: async (scene) => expect([(await playtestsOf(scene)).length, await balance(scene)]).toEqual([2, 46_000]),
  },
];

const waits: Fact[] = [
  {
    says: /The playtest did not reach all-submitted within 30s\. Current state: 1 submitted, 1 open\. /,
    code: 8,
    async line(scene) {
      const id = await scene.order({ quantity: 2 });
      await play(scene.server, scene.ann, id);
      return `playtests wait ${id} --for 30s`;
    },
    async holds(scene) {
      const { id } = await onlyPlaytest(scene);
      const { playtest } = (await scene.owner.get(`/playtests/${id}`)).body.data;
      expect(playtest.slots).toMatchObject({ open: 1, submitted: 1 });
    },
  },
  {
    says: "Slots that have ended count as done.",
    async line(scene) {
      await scene.order();
      return "playtests wait --help";
    },
    async holds(scene) {
      const { id } = await onlyPlaytest(scene);
      const wait = async () => (await scene.run(`playtests wait ${id} --for 30s`)).code;
      const before = await wait();
      await scene.owner.post(`/playtests/${id}/cancel`);
      expect([before, await wait()]).toEqual([8, 0]);
    },
  },
  {
    says: "The --fail-if condition rejected>0 is met. Current state: 1 open, 1 rejected.",
    code: 13,
    async line(scene) {
      const id = await scene.order({ quantity: 2 });
      const bo = await registerPlaytester(scene.server, "Bo");
      await scene.owner.post(`/slots/${await play(scene.server, bo, id)}/reject`);
      return `playtests wait ${id} --fail-if rejected>0`;
    },
    async holds(scene) {
      const { id } = await onlyPlaytest(scene);
      const { slots } = (await scene.owner.get(`/playtests/${id}`)).body.data.playtest;
      expect([slots.open, slots.rejected]).toEqual([1, 1]);
    },
  },
];

commandFacts([...crypto, ...builds, ...reviews, ...statistics, ...forecasts, ...orders, ...bulk, ...waits]);
