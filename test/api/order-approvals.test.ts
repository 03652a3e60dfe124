import { describe, expect, it } from "vitest";
import type { Config } from "../../server/config/schema.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, type Person, personWith, registerOwner } from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";
import type { Reply, TestServer } from "../helpers/server.ts";

const hour = 3_600_000;

interface Approval {
  id: string;
  status: string;
  playtestId: string | null;
  totalCents: number;
}

/** An owner with credit and a game, and a key of theirs whose orders above $20 wait. A playtest of an hour costs $20. */
class Shop {
  readonly server: TestServer;
  readonly owner: Person;
  readonly gameId: string;
  readonly agent: Person & { keyId: string };
  constructor(server: TestServer, owner: Person, gameId: string, agent: Person & { keyId: string }) {
    [this.server, this.owner, this.gameId, this.agent] = [server, owner, gameId, agent];
  }

  order = (body: object = { quantity: 2 }, headers: Record<string, string> = {}, by: Person = this.agent) =>
    by.post(`/games/${this.gameId}/playtests`, body, headers);
  /** Orders what has to wait. */
  async ask(body?: object, headers?: Record<string, string>): Promise<Approval> {
    const reply = await this.order(body, headers);
    expect(reply.status).toBe(202);
    return reply.body.data.approval;
  }
  approve = (id: string, by = this.owner) => by.post(`/approvals/${id}/approve`);
  show = async (id: string) => (await this.owner.get(`/approvals/${id}`)).body.data.approval as Approval;
  count = async () => (await this.owner.get(`/games/${this.gameId}/playtests`)).body.data.playtests.length as number;
  balance = async () => (await this.owner.get("/billing/balance")).body.data.balanceCents as number;
  spent = async () =>
    (await this.owner.get("/billing/budgets")).body.data.budgets.map(({ spentCents }: { spentCents: number }) => spentCents);
}

async function keyWith(server: TestServer, by: Person, budgets: object[]): Promise<Person & { keyId: string }> {
  const { apiKey, key } = (await by.post("/auth/api-keys", { name: "agent", budgets })).body.data;
  return { ...personWith(server, apiKey, by.id), keyId: key.id };
}

async function open(server: TestServer, { cents = 100_000, budgets = [] as object[] } = {}): Promise<Shop> {
  const owner = await registerOwner(server);
  if (cents > 0) await giveCredit(server, owner, cents);
  const agent = await keyWith(server, owner, [{ period: "day", limitCents: 50_000, approveOverCents: 2000 }, ...budgets]);
  return new Shop(server, owner, await createGame(owner), agent);
}

const codeOf = ({ status, body }: Reply) => (status < 400 ? status : `${status} ${body.error.code}`);

onBothDatabases("orders that wait for approval", (serve) => {
  it("are not placed until their owner approves them, as they were asked for", async () => {
    const server = await serve();
    const shop = await open(server);
    expect(codeOf(await shop.order({}))).toBe(201);
    const reply = await shop.order({ quantity: 2, ref: "a1", notesForTesters: "Loud" });
    expect([reply.status, reply.body.data]).toMatchObject([
      202,
      {
        needsApproval: true,
        approval: { status: "pending", totalCents: 4000, quantity: 2, ref: "a1", keyName: "agent", gameName: "Lantern Deep" },
      },
    ]);
    expect([await shop.count(), await shop.balance(), await shop.spent()]).toEqual([1, 98_000, [2000]]);
    const { id } = reply.body.data.approval;
    const approved = await shop.approve(id);
    expect([approved.status, approved.body.data]).toMatchObject([
      201,
      {
        approval: { status: "approved", playtestId: approved.body.data.order.playtest.id },
        order: { paidWithCredit: true, totalCents: 4000, playtest: { ref: "a1", notesForTesters: "Loud", status: "active" } },
      },
    ]);
    expect([await shop.count(), await shop.balance(), await shop.spent()]).toEqual([2, 94_000, [6000]]);
  });

  it("say in the API and in Studio whom they would be offered to", async () => {
    const server = await serve();
    const shop = await open(server);
    expect(await shop.ask()).toMatchObject({ targetingType: null, panel: null, targetCountries: [], selectionMode: "automatic" });
    const target = { targetCountries: ["DE"], targetDevices: ["Mac"], targetingType: "new", targetingScope: "game" };
    const { id } = await shop.ask({ quantity: 2, ...target, selectionMode: "manual" });
    expect(await shop.show(id)).toMatchObject({ ...target, targetedPlaytesterId: null, selectionMode: "manual" });
    const { get } = await signedIn(server, shop.owner, "/studio");
    const { html } = await get(`/studio/approvals/${id}`);
    expect(html).toContain("offered to players in Germany with a Mac, new to this game</li><li>you choose who plays");
    expect((await get("/studio/approvals")).html).toContain("offered to everyone");
    expect(html).toMatch(/<li>expires in \d+ (days|hours)</);
  });

  it.each([
    {
      what: "by card",
      headers: { "x-payment-method": "card" },
      shown: { status: 200, html: expect.stringContaining("Continue to the payment") },
    },
    {
      what: "without credit",
      method: "any",
      shown: { status: 303, location: expect.stringMatching(/playtests\/.*done=unpaid/) },
    },
  ])("Studio leads from the approval of an order $what to its payment", async ({ headers, shown }) => {
    const server = await serve();
    const shop = await open(server, { cents: 0 });
    const { id } = await shop.ask({ quantity: 2 }, headers);
    const browser = await signedIn(server, shop.owner, "/studio");
    const page = `/studio/approvals/${id}`;
    expect(await browser.submit(page, `${page}/approve`)).toMatchObject(shown);
    const { playtestId } = await shop.show(id);
    const { html } = await browser.get(`/studio/playtests/${playtestId}?done=unpaid`);
    expect(html).toContain("The order was placed, but it is not paid yet.");
    expect(html).toContain("Pay $40.00");
  });

  it("a reason that is too long is shown again to be shortened", async () => {
    const server = await serve();
    const shop = await open(server);
    const page = `/studio/approvals/${(await shop.ask()).id}`;
    const browser = await signedIn(server, shop.owner, "/studio");
    const { status, html } = await browser.submit(page, `${page}/decline`, { reason: "x".repeat(1001) });
    expect([status, html]).toEqual([
      422,
      expect.stringMatching(/<details open>.*\n.*\n<textarea [^>]*aria-invalid[^>]*>x{1001}</),
    ]);
  });

  it("a fixed time is told in the zone of the owner", async () => {
    const server = await serve();
    const shop = await open(server);
    await shop.owner.patch("/auth/profile", { timeZone: "Asia/Kolkata" });
    const { id } = await shop.ask({ quantity: 2, scheduledAt: "2026-03-05T17:00:00.000Z" });
    const { get } = await signedIn(server, shop.owner, "/studio");
    for (const page of ["/studio/approvals", `/studio/approvals/${id}`])
      expect((await get(page)).html).toContain("Thu 2026-03-05 22:30, Asia/Kolkata (UTC+05:30)");
  });

  it("its owner gets an email with a link, a notification and the event", async () => {
    const server = await serve();
    const shop = await open(server);
    const { id } = await shop.ask();
    await server.advance(0);
    const mail = server.mails.find(({ subject }) => subject === "Approve an order of $40.00?")!;
    expect(mail.text).toContain(`/studio/approvals/${id}`);
    expect(mail.text).not.toContain("playtest approvals");
    const { notifications } = (await shop.owner.get("/notifications")).body.data;
    expect(notifications[0]).toMatchObject({ title: "Approve an order" });
    await shop.approve(id);
    const { events } = (await shop.owner.get("/events?limit=100")).body.data;
    const told = events.filter(({ event }: { event: string }) => event.startsWith("order."));
    expect(told.map(({ event, data }: { event: string; data: { verdict?: string } }) => [event, data.verdict])).toEqual([
      ["order.approval_decided", "approved"],
      ["order.approval_requested", undefined],
    ]);
  });

  describe("at most one order comes of one approval", () => {
    it("approved twice", async () => {
      const shop = await open(await serve());
      const { id } = await shop.ask();
      expect([codeOf(await shop.approve(id)), codeOf(await shop.approve(id)), await shop.count()]).toEqual([
        201,
        "409 CONFLICT",
        1,
      ]);
    });

    it("approved at the same time", async () => {
      const shop = await open(await serve());
      const { id } = await shop.ask();
      const replies = await Promise.all(Array.from({ length: 8 }, () => shop.approve(id)));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
      expect([await shop.count(), await shop.balance(), await shop.spent()]).toEqual([1, 96_000, [4000]]);
    });

    it("approved and declined at the same time", async () => {
      const shop = await open(await serve());
      const { id } = await shop.ask();
      const replies = await Promise.all([shop.approve(id), shop.owner.post(`/approvals/${id}/decline`, {})]);
      expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
      expect([(await shop.show(id)).status === "approved" ? 1 : 0]).toEqual([await shop.count()]);
    });

    it("after it expired", async () => {
      const server = await serve();
      const shop = await open(server);
      const { id } = await shop.ask();
      await server.advance(24 * hour);
      expect([(await shop.show(id)).status, codeOf(await shop.approve(id)), await shop.count()]).toEqual([
        "expired",
        "409 CONFLICT",
        0,
      ]);
    });

    it("after it was declined, with a reason", async () => {
      const shop = await open(await serve());
      const { id } = await shop.ask();
      const declined = await shop.owner.post(`/approvals/${id}/decline`, { reason: "Wait for the next build" });
      expect(declined.body.data.approval).toMatchObject({ status: "declined", reason: "Wait for the next build" });
      expect([codeOf(await shop.approve(id)), await shop.count()]).toEqual(["409 CONFLICT", 0]);
    });

    it("after the key that ordered was revoked", async () => {
      const shop = await open(await serve());
      const { id } = await shop.ask();
      await shop.owner.delete(`/auth/api-keys/${shop.agent.keyId}`);
      expect([codeOf(await shop.approve(id)), await shop.count()]).toEqual(["409 CONFLICT", 0]);
    });
  });

  it("at another price, what was asked ends and the new price is asked for", async () => {
    const server = await serve();
    const shop = await open(server);
    const { id } = await shop.ask();
    const { pricing } = server.deps.config as { pricing: { baseCents: Record<number, number> } } & Config;
    const before = pricing.baseCents[60]!;
    pricing.baseCents[60] = 2500;
    try {
      const reply = await shop.approve(id);
      expect([codeOf(reply), await shop.count(), (await shop.show(id)).status]).toEqual(["409 CONFLICT", 0, "declined"]);
      const [next] = (await shop.owner.get("/approvals?status=pending")).body.data.approvals as [Approval];
      expect(reply.body.error.message).toBe(
        `The price is $50.00 now, not $40.00. Nothing was ordered or charged. To order at the new price, approve ${next.id} instead.`,
      );
      expect([codeOf(await shop.approve(next.id)), await shop.count(), await shop.balance()]).toEqual([201, 1, 95_000]);
    } finally {
      pricing.baseCents[60] = before;
    }
  });

  describe("who may decide", () => {
    const forbidden = "403 FORBIDDEN";

    it("not the key that ordered, nor one made with it, nor another with a budget, nor another account", async () => {
      const server = await serve();
      const shop = await open(server);
      const { id } = await shop.ask();
      const child = await keyWith(server, shop.agent, []);
      const other = await keyWith(server, shop.owner, [{ period: "day", limitCents: 1 }]);
      const stranger = await registerOwner(server);
      const deciders = [shop.agent, child, other, stranger];
      const approvals = [];
      for (const by of deciders)
        approvals.push(codeOf(await shop.approve(id, by)), codeOf(await by.post(`/approvals/${id}/decline`, {})));
      expect(approvals).toEqual([...Array(6).fill(forbidden), "404 NOT_FOUND", "404 NOT_FOUND"]);
      expect(await shop.count()).toBe(0);
    });

    it("no key at all where the account itself wants approval", async () => {
      const server = await serve();
      const shop = await open(server);
      await shop.owner.post("/billing/budgets", { period: "order", approveOverCents: 1000 });
      const { id } = (await shop.order({}, {}, shop.owner)).body.data.approval;
      const second = await keyWith(server, shop.owner, []);
      expect([codeOf(await shop.approve(id)), codeOf(await shop.approve(id, second))]).toEqual([forbidden, forbidden]);
    });
  });

  describe("the same request again", () => {
    it("gets the order that was approved, whatever became of the budget and the credit since", async () => {
      const shop = await open(await serve(), { cents: 4000, budgets: [{ period: "total", limitCents: 5000 }] });
      const body = { quantity: 2, ref: "night" };
      const key = { "idempotency-key": "k" };
      const { id, totalCents } = await shop.ask(body, key);
      const placed = (await shop.approve(id)).body.data.order.playtest.id;
      expect([totalCents, await shop.balance()]).toEqual([4000, 0]);
      const repeated = async () => {
        const { status, body: reply } = await shop.order(body, key);
        return [status, reply.data?.playtest.id, await shop.count(), await shop.balance()];
      };
      expect(await repeated()).toEqual([200, placed, 1, 0]);
      await giveCredit(shop.server, shop.owner, 10_000);
      for (const budget of (await shop.owner.get("/billing/budgets")).body.data.budgets)
        await shop.owner.delete(`/billing/budgets/${budget.id}`);
      expect(await repeated()).toEqual([200, placed, 1, 10_000]);
    });

    it("waits still when the budget that asked is gone, and is placed once", async () => {
      const shop = await open(await serve());
      const key = { "idempotency-key": "k" };
      const { id } = await shop.ask(undefined, key);
      for (const budget of (await shop.owner.get("/billing/budgets")).body.data.budgets)
        await shop.owner.delete(`/billing/budgets/${budget.id}`);
      expect((await shop.ask(undefined, key)).id).toBe(id);
      expect(await shop.count()).toBe(0);
      await shop.approve(id);
      expect([await shop.count(), await shop.balance()]).toEqual([1, 96_000]);
    });

    it("waits still, gets the order once it was approved, and asks again when it was declined", async () => {
      const shop = await open(await serve());
      const key = { "idempotency-key": "k" };
      const { id } = await shop.ask(undefined, key);
      expect((await shop.ask(undefined, key)).id).toBe(id);
      const placed = (await shop.approve(id)).body.data.order.playtest.id;
      const again = await shop.order(undefined, key);
      expect([again.status, again.body.data.playtest.id, await shop.count()]).toEqual([200, placed, 1]);
      const other = await shop.ask(undefined, { "idempotency-key": "l" });
      await shop.owner.post(`/approvals/${other.id}/decline`, {});
      expect((await shop.ask(undefined, { "idempotency-key": "l" })).id).not.toBe(other.id);
    });

    it("with another body is another request", async () => {
      const shop = await open(await serve());
      const first = await shop.ask({ quantity: 2 });
      const second = await shop.ask({ quantity: 3 });
      expect([first.id === second.id, second.totalCents]).toEqual([false, 6000]);
      await shop.approve(first.id);
      expect(
        (await shop.owner.get(`/games/${shop.gameId}/playtests`)).body.data.playtests.map(
          ({ quantity }: { quantity: number }) => quantity,
        ),
      ).toEqual([2]);
    });
  });

  it("a budget still holds when it is approved, and the order goes on waiting", async () => {
    const shop = await open(await serve(), { budgets: [{ period: "total", limitCents: 5000 }] });
    const { id } = await shop.ask();
    await shop.order({});
    expect([codeOf(await shop.approve(id)), (await shop.show(id)).status, await shop.count()]).toEqual([
      "402 BUDGET_EXCEEDED",
      "pending",
      1,
    ]);
    expect(codeOf(await shop.order())).toBe("402 BUDGET_EXCEEDED");
  });

  it("nothing else that costs more than the amount can be done with the key", async () => {
    const server = await serve();
    const shop = await open(server, { cents: 0 });
    const { id } = (await shop.order({ quantity: 2 }, {}, shop.owner)).body.data.playtest;
    await giveCredit(server, shop.owner, 100_000);
    const refused = [
      await shop.agent.post(`/playtests/${id}/pay`, { method: "credit" }),
      await shop.agent.post("/billing/credit", { amountCents: 2001 }),
      await shop.agent.post("/billing/credit/x402", { amountCents: 2001 }),
      await shop.agent.post("/billing/subscription/checkout", { planKey: "indie_monthly" }),
    ];
    expect(refused.map(codeOf)).toEqual(refused.map(() => "402 BUDGET_EXCEEDED"));
    expect(await shop.balance()).toBe(100_000);
  });

  it("an order by card or crypto that was approved is unpaid, and the key can pay it", async () => {
    const shop = await open(await serve(), { cents: 0 });
    const { id } = await shop.ask({ quantity: 2 }, { "x-payment-method": "x402" });
    const { order } = (await shop.approve(id)).body.data;
    expect(order).toMatchObject({ requiresPayment: true, playtest: { status: "pending_payment" } });
    const paying = await shop.agent.post(`/playtests/${order.playtest.id}/pay`, { method: "x402" });
    expect([codeOf(paying), await shop.spent()]).toEqual(["402 PAYMENT_REQUIRED", [4000]]);
    const card = await shop.ask({ quantity: 3 }, { "x-payment-method": "card" });
    expect((await shop.approve(card.id)).body.data.order.checkoutUrl).toMatch(/\/checkout\//);
  });

  it.each(["approved", "declined", "expired"])("%s: no game keys are kept with what was asked", async (status) => {
    const server = await serve();
    const shop = await open(server);
    const { id } = await shop.ask({ quantity: 2, keysForTesters: ["KEY-1", "KEY-2"], notesForTesters: "Hello" });
    const kept = () =>
      server.deps.store.read(async (q) => {
        const { sealed } = (await q.one<{ sealed: string }>("SELECT sealed FROM order_approvals WHERE id = ?", id))!;
        return server.deps.secrets.open(sealed, `order approval ${id}`);
      });
    expect(await kept()).toContain("KEY-1");
    if (status === "approved") await shop.approve(id);
    if (status === "declined") await shop.owner.post(`/approvals/${id}/decline`);
    if (status === "expired") await server.advance(24 * hour);
    expect(await shop.show(id)).toMatchObject({ status, notesForTesters: "Hello", quantity: 2 });
    expect(await kept()).not.toContain("KEY");
  });

  it("lists them by status, newest first", async () => {
    const shop = await open(await serve());
    const first = await shop.ask({ quantity: 2 });
    const second = await shop.ask({ quantity: 3 });
    await shop.approve(first.id);
    const list = async (query = "") =>
      (await shop.agent.get(`/approvals${query}`)).body.data.approvals.map(({ id }: Approval) => id);
    expect([await list(), await list("?status=pending"), await list("?status=expired")]).toEqual([
      [second.id, first.id],
      [second.id],
      [],
    ]);
  });
});
