import { describe, expect, it } from "vitest";
import { payPayment } from "../../server/billing/settle.ts";
import * as payments from "../../server/billing/store.ts";
import { openWallet, send } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, giveMinutes, type Person, personWith, registerOwner } from "../helpers/factories.ts";
import { createTestClock, type Reply, type TestServer } from "../helpers/server.ts";

const [minute, day] = [60_000, 86_400_000];

interface Budget {
  id: string;
  keyId: string | null;
  period: string;
  spentCents: number;
  spentMinutes: number;
  spentSlots: number;
  applies: boolean;
}

/** An owner with credit and a game, and what keys of theirs do. A playtest of an hour costs $20. */
class Shop {
  readonly server: TestServer;
  readonly owner: Person;
  readonly gameId: string;
  constructor(server: TestServer, owner: Person, gameId: string) {
    [this.server, this.owner, this.gameId] = [server, owner, gameId];
  }

  /** A key with budgets, made by the owner's key or by another one. */
  async key(budgets: object[], by = this.owner, more: object = {}): Promise<Person & { keyId: string }> {
    const { status, body } = await by.post("/auth/api-keys", { name: "agent", budgets, ...more });
    expect(status).toBe(201);
    return { ...personWith(this.server, body.data.apiKey, this.owner.id), keyId: body.data.key.id };
  }
  order = (by: Person, body: object = {}, method?: string, headers: Record<string, string> = {}) =>
    by.post(`/games/${this.gameId}/playtests`, body, { ...(method && { "x-payment-method": method }), ...headers });
  budgets = async (by = this.owner) => (await by.get("/billing/budgets")).body.data.budgets as Budget[];
  spent = async () =>
    (await this.budgets()).map(({ spentCents, spentMinutes, spentSlots }) => [spentCents, spentMinutes, spentSlots]);
  count = async () => (await this.owner.get(`/games/${this.gameId}/playtests`)).body.data.playtests.length as number;
}

async function open(server: TestServer, { cents = 100_000, minutes = 0 } = {}): Promise<Shop> {
  const owner = await registerOwner(server);
  if (cents > 0) await giveCredit(server, owner, cents);
  if (minutes > 0) await giveMinutes(server, owner, minutes);
  return new Shop(server, owner, await createGame(owner));
}

const codeOf = ({ status, body }: Reply) => (status < 400 ? status : `${status} ${body.error.code}`);
const exceeded = "402 BUDGET_EXCEEDED";
const perDay = (dollars: number) => ({ period: "day", limitCents: dollars * 100 });

onBothDatabases("budgets", (serve) => {
  it("an order takes its price, says what is left, and is refused when that is less", async () => {
    const shop = await open(await serve());
    const agent = await shop.key([perDay(50)]);
    const first = await shop.order(agent);
    expect(first.body.data.budgets).toMatchObject([
      { period: "day", limitCents: 5000, spentCents: 2000, spentSlots: 1, resetsAt: "2026-03-02T00:00:00.000Z" },
    ]);
    const second = await shop.order(agent, { quantity: 2 });
    expect(codeOf(second)).toBe(exceeded);
    expect(second.body.error).toMatchObject({
      message: expect.stringContaining(
        "A budget of this API key does not cover $40.00. Left today: $30.00 of $50.00. It is reset at 2026-03-02T00:00:00.000Z. Nothing was ordered or charged.",
      ),
      budget: { limitCents: 5000, spentCents: 2000, period: "day" },
    });
    expect([await shop.count(), await shop.spent()]).toEqual([1, [[2000, 0, 1]]]);
    expect((await shop.order(shop.owner, { quantity: 3 })).body.data.budgets).toBeUndefined();
  });

  it("a refused order is tried again under its key, and its owner is told once", async () => {
    const server = await serve();
    const shop = await open(server);
    const agent = await shop.key([perDay(10)]);
    const key = { "idempotency-key": "k" };
    expect(codeOf(await shop.order(agent, {}, undefined, key))).toBe(exceeded);
    expect(codeOf(await shop.order(agent))).toBe(exceeded);
    await shop.owner.post("/billing/budgets", { keyId: agent.keyId, ...perDay(20) });
    expect(codeOf(await shop.order(agent, {}, undefined, key))).toBe(201);
    const { notifications } = (await shop.owner.get("/notifications?limit=100")).body.data;
    const titles = notifications.map(({ title }: { title: string }) => title).filter((title: string) => /udget/.test(title));
    expect(titles).toEqual(["Budget spent", "Refused by a budget"]);
    await server.advance(0);
    expect(server.mails.map(({ subject }) => subject).filter((subject) => /udget/.test(subject))).toEqual([
      "A budget refused an order or payment",
      "A budget is spent",
    ]);
  });

  it("tells of 50, 80 and 100 percent once each", async () => {
    const shop = await open(await serve());
    const agent = await shop.key([perDay(200)]);
    for (let orders = 0; orders < 10; orders++) expect(codeOf(await shop.order(agent))).toBe(201);
    const { events } = (await shop.owner.get("/events?limit=100")).body.data;
    const told = events.filter(({ event }: { event: string }) => event === "budget.threshold");
    expect(told.map(({ data }: { data: object }) => data)).toMatchObject([
      { percent: 100, spentCents: 20_000 },
      { percent: 80, spentCents: 16_000 },
      { percent: 50, spentCents: 10_000 },
    ]);
  });

  it("counts a day and a month of UTC, each from its beginning", async () => {
    const server = await serve();
    const shop = await open(server);
    const agent = await shop.key([perDay(20), { period: "month", limitCents: 4000 }]);
    expect([codeOf(await shop.order(agent)), codeOf(await shop.order(agent))]).toEqual([201, exceeded]);
    await server.advance(12 * 60 * minute - 1);
    expect(codeOf(await shop.order(agent))).toBe(exceeded);
    await server.advance(1);
    expect([codeOf(await shop.order(agent)), codeOf(await shop.order(agent))]).toEqual([201, exceeded]);
    await server.advance(day);
    const refused = await shop.order(agent);
    expect(refused.body.error.message).toContain("Left this month: $0.00 of $40.00. It is reset at 2026-04-01T00:00:00.000Z.");
    await server.advance(29 * day);
    expect(codeOf(await shop.order(agent))).toBe(201);
  });

  it("a clock that is put back at midnight opens no new day, and the next one opens once", async () => {
    let now = Date.parse("2026-03-01T23:59:59.000Z");
    const clock = { ...createTestClock(now), now: () => now, real: () => now };
    const shop = await open(await serve({ clock }));
    const agent = await shop.key([perDay(20)]);
    const codes: (string | number)[] = [];
    for (const step of [0, 1500, -2000, 2500, -5000, 6000]) {
      now += step;
      codes.push(codeOf(await shop.order(agent)));
    }
    expect(codes).toEqual([201, 201, exceeded, exceeded, exceeded, exceeded]);
  });

  describe("all of the tree counts, and no key gets out of it", () => {
    it.each<[string, (shop: Shop, agent: Person & { keyId: string }) => Promise<Person>]>([
      ["a child", (shop, agent) => shop.key([], agent)],
      ["a child of a child", async (shop, agent) => shop.key([], await shop.key([], agent))],
      ["a child with a larger budget", (shop, agent) => shop.key([perDay(1000)], agent)],
      [
        "a rotated key",
        async ({ server, owner }, agent) =>
          personWith(server, (await agent.post(`/auth/api-keys/${agent.keyId}/rotate`, {})).body.data.apiKey, owner.id),
      ],
      [
        "a key rotated with the password",
        async ({ server, owner }, agent) => {
          const body = { password: "correct horse" };
          return personWith(server, (await owner.post(`/auth/api-keys/${agent.keyId}/rotate`, body)).body.data.apiKey, owner.id);
        },
      ],
      [
        "a child of a rotated key",
        async (shop, agent) => {
          const { apiKey } = (await agent.post(`/auth/api-keys/${agent.keyId}/rotate`, { graceSeconds: 0 })).body.data;
          return shop.key([], personWith(shop.server, apiKey, shop.owner.id));
        },
      ],
    ])("%s", async (_, make) => {
      const shop = await open(await serve());
      const agent = await shop.key([perDay(20)]);
      const other = await make(shop, agent);
      expect([codeOf(await shop.order(other)), codeOf(await shop.order(other))]).toEqual([201, exceeded]);
      expect((await shop.budgets(other)).filter(({ applies }) => applies).length).toBeGreaterThan(0);
    });

    it("a budget that is set on a key later holds for the keys that it made before", async () => {
      const shop = await open(await serve());
      const parent = await shop.key([]);
      const child = await shop.key([], parent);
      expect(codeOf(await shop.order(child))).toBe(201);
      expect(codeOf(await shop.owner.post("/billing/budgets", { keyId: parent.keyId, ...perDay(20) }))).toBe(201);
      expect([codeOf(await shop.order(child)), codeOf(await shop.order(child)), codeOf(await shop.order(shop.owner))]).toEqual([
        201,
        exceeded,
        201,
      ]);
    });

    it("a key with a budget cannot change what would let it out", async () => {
      const shop = await open(await serve());
      const agent = await shop.key([perDay(20)]);
      const [{ id }] = (await shop.budgets()) as [Budget];
      const hook = { url: "https://example.com/hook", events: ["*"] };
      const refused = [
        await agent.post("/billing/budgets", { keyId: agent.keyId, ...perDay(1000) }),
        await agent.delete(`/billing/budgets/${id}`),
        await agent.post("/webhooks", hook),
        await agent.post("/auth/change-email", { newEmail: "other@example.com", password: "correct horse" }),
        await agent.post("/auth/change-password", { currentPassword: "correct horse", newPassword: "battery staple" }),
        await agent.post("/auth/delete-account", { password: "correct horse" }),
      ];
      expect(refused.map(codeOf)).toEqual(refused.map(() => "403 FORBIDDEN"));
      expect(refused[0]!.body.error.message).toBe(
        "An API key with a budget cannot do this. Nothing was changed. Use a key without one, or sign in to Studio.",
      );
      expect(codeOf(await shop.owner.post("/webhooks", hook))).toBe(201);
    });
  });

  describe("every way of spending counts", () => {
    it.each<[string, { cents?: number; minutes?: number }, (shop: Shop, agent: Person) => Promise<Reply>, number[]]>([
      ["credit", {}, (shop, agent) => shop.order(agent, {}, "credit"), [2000, 0, 1]],
      ["a card", {}, (shop, agent) => shop.order(agent, {}, "card"), [2000, 0, 1]],
      ["left unpaid", { cents: 0 }, (shop, agent) => shop.order(agent), [2000, 0, 1]],
      ["hours", { minutes: 600 }, (shop, agent) => shop.order(agent, {}, "hours"), [0, 60, 1]],
      ["free", {}, (shop, agent) => shop.order(agent, { visibility: "public" }), [0, 0, 1]],
      ["an x402 quote", { cents: 0 }, (shop, agent) => shop.order(agent, {}, "x402"), [2000, 0, 1]],
      ["credit that is bought", {}, (_, agent) => agent.post("/billing/credit", { amountCents: 2000 }), [2000, 0, 0]],
      ["credit by x402", {}, (_, agent) => agent.post("/billing/credit/x402", { amountCents: 2000 }), [2000, 0, 0]],
      ["a plan", {}, (_, agent) => agent.post("/billing/subscription/checkout", { planKey: "indie_monthly" }), [7900, 0, 0]],
    ])("%s", async (_, funds, act, taken) => {
      const shop = await open(await serve(), funds);
      const agent = await shop.key([
        { period: "day", limitCents: 1.5 * Math.max(2000, taken[0]!), limitMinutes: 60, limitSlots: 1 },
      ]);
      const first = await act(shop, agent);
      expect(codeOf(first)).not.toBe(exceeded);
      expect(await shop.spent()).toEqual([taken]);
      expect(codeOf(await act(shop, agent))).toBe(exceeded);
      expect(await shop.spent()).toEqual([taken]);
    });

    it("hours by the price of the order, where the budget limits dollars and no minutes", async () => {
      const shop = await open(await serve(), { cents: 0, minutes: 600 });
      const agent = await shop.key([{ period: "total", limitCents: 5000 }]);
      const { id } = (await shop.order(agent, { quantity: 2 })).body.data.playtest;
      expect(await shop.spent()).toEqual([[4000, 120, 2]]);
      expect(codeOf(await shop.order(agent))).toBe(exceeded);
      const { slots } = (await shop.owner.get(`/playtests/${id}/slots`)).body.data;
      await shop.owner.delete(`/slots/${slots[0].id}`);
      expect(await shop.spent()).toEqual([[2000, 60, 1]]);
      expect(codeOf(await shop.order(agent))).toBe(201);
    });

    it("paying an order that somebody else placed", async () => {
      const shop = await open(await serve(), { cents: 0 });
      const agent = await shop.key([perDay(30)]);
      const ids: string[] = [];
      for (let n = 0; n < 2; n++) ids.push((await shop.order(shop.owner)).body.data.playtest.id);
      await giveCredit(shop.server, shop.owner, 100_000);
      const pay = (id: string, method: string) => agent.post(`/playtests/${id}/pay`, { method });
      expect([
        codeOf(await pay(ids[0]!, "credit")),
        codeOf(await pay(ids[1]!, "credit")),
        codeOf(await pay(ids[1]!, "card")),
      ]).toEqual([200, exceeded, exceeded]);
      expect(await shop.spent()).toEqual([[2000, 0, 1]]);
    });

    it("an order that was counted as unpaid is counted once when it is paid", async () => {
      const shop = await open(await serve(), { cents: 0 });
      const agent = await shop.key([perDay(40)]);
      const first = (await shop.order(agent)).body.data.playtest.id;
      const second = (await shop.order(agent)).body.data.playtest.id;
      await giveCredit(shop.server, shop.owner, 100_000);
      await giveMinutes(shop.server, shop.owner, 600);
      expect(codeOf(await agent.post(`/playtests/${first}/pay`, { method: "credit" }))).toBe(200);
      expect(await shop.spent()).toEqual([[4000, 0, 2]]);
      expect(codeOf(await shop.owner.post(`/playtests/${second}/pay`, { method: "hours" }))).toBe(200);
      expect(await shop.spent()).toEqual([[4000, 60, 2]]);
    });

    it("as minutes, when hours pay for an order that was counted as money by a budget that limits both", async () => {
      const shop = await open(await serve(), { cents: 0 });
      const agent = await shop.key([{ period: "day", limitCents: 4000, limitMinutes: 120 }]);
      const { id } = (await shop.order(agent)).body.data.playtest;
      await giveMinutes(shop.server, shop.owner, 600);
      expect(await shop.spent()).toEqual([[2000, 0, 1]]);
      expect(codeOf(await shop.owner.post(`/playtests/${id}/pay`, { method: "hours" }))).toBe(200);
      expect(await shop.spent()).toEqual([[0, 60, 1]]);
    });

    it("a budget of a game counts its orders, one of the account those of every key and game", async () => {
      const shop = await open(await serve());
      const other = await createGame(shop.owner, { name: "Two" });
      await shop.owner.post("/billing/budgets", { gameId: shop.gameId, ...perDay(20) });
      await shop.owner.post("/billing/budgets", perDay(60));
      const elsewhere = () => shop.owner.post(`/games/${other}/playtests`, {});
      const replies = [await shop.order(shop.owner), await shop.order(shop.owner), await elsewhere(), await elsewhere()];
      expect(replies.map(codeOf)).toEqual([201, exceeded, 201, 201]);
      expect(codeOf(await elsewhere())).toBe(exceeded);
    });

    it("a limit for each order, which is no budget that is used up", async () => {
      const shop = await open(await serve());
      const agent = await shop.key([{ period: "order", limitCents: 4000, limitSlots: 3 }]);
      const asked = [{ quantity: 2 }, { quantity: 2 }, { quantity: 3 }, { quantity: 4, visibility: "public" }];
      const replies: Reply[] = [];
      for (const body of asked) replies.push(await shop.order(agent, body));
      expect(replies.map(codeOf)).toEqual([201, 201, exceeded, exceeded]);
    });
  });

  describe("what is paid back", () => {
    it.each([
      ["day", exceeded],
      ["month", exceeded],
      ["total", 201],
    ])("of a %s: the next order is %s", async (period, next) => {
      const shop = await open(await serve());
      const agent = await shop.key([{ period, limitCents: 2000 }]);
      const { id } = (await shop.order(agent)).body.data.playtest;
      expect((await agent.post(`/playtests/${id}/cancel`)).body.data.refundedCents).toBe(2000);
      expect(codeOf(await shop.order(agent))).toBe(next);
    });

    it("an unpaid order that is cancelled or expires was never spent", async () => {
      const server = await serve();
      const shop = await open(server, { cents: 0 });
      const agent = await shop.key([{ period: "month", limitCents: 2000 }]);
      const { id } = (await shop.order(agent)).body.data.playtest;
      expect(codeOf(await shop.order(agent))).toBe(exceeded);
      await agent.post(`/playtests/${id}/cancel`);
      expect(codeOf(await shop.order(agent))).toBe(201);
      await server.advance(8 * day);
      expect(await shop.spent()).toEqual([[0, 0, 0]]);
      expect(codeOf(await shop.order(agent))).toBe(201);
    });

    it("an x402 quote is counted until it expires", async () => {
      const server = await serve();
      const shop = await open(server);
      const agent = await shop.key([{ period: "total", limitCents: 2000 }]);
      await (await openWallet(server, agent)).ask(2000);
      expect(await shop.spent()).toEqual([[2000, 0, 0]]);
      await server.advance(31 * minute);
      expect(await shop.spent()).toEqual([[0, 0, 0]]);
    });

    it.each(["x402", "card"])(
      "an order by %s that is paid after it was cancelled is counted as credit that was bought",
      async (method) => {
        const server = await serve();
        const shop = await open(server, { cents: 0 });
        const agent = await shop.key([{ period: "total", limitCents: 2000 }]);
        await shop.owner.post("/billing/budgets", { gameId: shop.gameId, period: "total", limitCents: 2000 });
        const reply = await shop.order(agent, {}, method);
        const [{ id }] = (await agent.get(`/games/${shop.gameId}/playtests`)).body.data.playtests;
        await agent.post(`/playtests/${id}/cancel`);
        expect(await shop.spent()).toEqual([
          [0, 0, 0],
          [0, 0, 0],
        ]);
        if (method === "x402") {
          await send(server, reply);
          await server.advance(10 * minute);
        } else {
          const [{ id: paymentId }] = (await agent.get("/billing/payments")).body.data.payments;
          await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "paid" } });
        }
        expect((await shop.owner.get("/billing/balance")).body.data.balanceCents).toBe(2000);
        // The game's budget counts no credit.
        expect(await shop.spent()).toEqual([
          [2000, 0, 0],
          [0, 0, 0],
        ]);
        expect(codeOf(await shop.order(agent))).toBe(exceeded);
      },
    );

    it("a checkout is counted until it expires, and again when the money arrives after all, even beyond the limit", async () => {
      const server = await serve();
      const shop = await open(server);
      const agent = await shop.key([{ period: "total", limitCents: 2000 }]);
      const buy = async () => (await agent.post("/billing/credit", { amountCents: 2000 })).body.data.paymentId as string;
      const first = await buy();
      await server.advance(day);
      expect(await shop.spent()).toEqual([[0, 0, 0]]);
      await buy();
      await server.deps.store.write(async (tx) => payPayment(tx, (await payments.find(tx, first))!));
      expect(await shop.spent()).toEqual([[4000, 0, 0]]);
    });
  });

  it.each([1, 5])("orders at the same time never spend more: %i keys of one tree", async (keys) => {
    const shop = await open(await serve(), { cents: 1_000_000 });
    const agent = await shop.key([{ period: "day", limitCents: 20_000 }]);
    const people = [agent];
    while (people.length < keys) people.push(await shop.key([], people.at(-1)!));
    const methods = [undefined, "credit", "card", "x402"];
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, n) => shop.order(people[n % keys]!, {}, methods[n % methods.length])),
    );
    expect(replies.filter(({ status }) => status === 201 || status === 402).length).toBe(60);
    expect(await shop.spent()).toEqual([[20_000, 0, 10]]);
    expect(await shop.count()).toBe(10);
  });

  it.each<[string, object, string]>([
    ["no limit", { period: "day" }, "limitCents"],
    ["an unknown period", { period: "week", limitCents: 1 }, "period"],
    ["less than nothing", { period: "day", limitCents: -1 }, "limitCents"],
    ["another account's key", { period: "day", limitCents: 1, keyId: "00000000-0000-7000-8000-000000000000" }, "keyId"],
    ["another account's game", { period: "day", limitCents: 1, gameId: "00000000-0000-7000-8000-000000000000" }, "gameId"],
  ])("refuses %s", async (_, body, field) => {
    const shop = await open(await serve());
    const reply = await shop.owner.post("/billing/budgets", body);
    expect([codeOf(reply), reply.body.error.details[0].field]).toEqual(["422 VALIDATION_ERROR", field]);
  });

  it("setting a budget again changes its limit and keeps what was spent; removing it ends it", async () => {
    const shop = await open(await serve());
    const agent = await shop.key([perDay(20)]);
    await shop.order(agent);
    const again = await shop.owner.post("/billing/budgets", { keyId: agent.keyId, ...perDay(50) });
    expect([again.status, again.body.data.budget]).toMatchObject([200, { limitCents: 5000, spentCents: 2000 }]);
    expect([codeOf(await shop.order(agent)), codeOf(await shop.order(agent))]).toEqual([201, exceeded]);
    const [{ id }] = (await shop.budgets()) as [Budget];
    expect(codeOf(await shop.owner.delete(`/billing/budgets/${id}`))).toBe(200);
    expect(codeOf(await shop.owner.delete(`/billing/budgets/${id}`))).toBe("404 NOT_FOUND");
    expect([codeOf(await shop.order(agent)), (await shop.budgets()).length]).toEqual([201, 0]);
  });
});

onBothDatabases("a read-only key", (serve) => {
  it("reads, quotes, and changes nothing", async () => {
    const shop = await open(await serve());
    const reader = await shop.key([], shop.owner, { readOnly: true });
    expect((await shop.owner.get("/auth/api-keys")).body.data.keys[0]).toMatchObject({ name: "agent", readOnly: true });
    const allowed = [await reader.get("/games"), await reader.get("/billing/balance"), await reader.post("/playtests/quote", {})];
    expect(allowed.map(codeOf)).toEqual([200, 200, 200]);
    const refused = [
      await shop.order(reader),
      await reader.post("/games", {}),
      await reader.post("/auth/api-keys", { name: "child" }),
      await reader.post(`/auth/api-keys/${reader.keyId}/rotate`, {}),
      await reader.delete(`/auth/api-keys/${reader.keyId}`),
    ];
    expect(refused.map(codeOf)).toEqual(refused.map(() => "403 FORBIDDEN"));
    expect(refused[0]!.body.error.message).toBe("The API key is read-only. Nothing was changed.");
    const { key } = (await shop.owner.post(`/auth/api-keys/${reader.keyId}/rotate`, {})).body.data;
    expect(key.readOnly).toBe(true);
  });
});
