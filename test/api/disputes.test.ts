import { describe, expect, test } from "vitest";
import { openTill } from "../helpers/billing.ts";
import { asking, openWallet, proof } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, giveMinutes, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { signedIn, visitor } from "../helpers/portal.ts";
import { serveWithStripe } from "../helpers/stripe-server.ts";

const day = 24 * 3_600_000;
const follow = (url: string) => fetch(url, { redirect: "manual" });

onBothDatabases("disputes", (serve) => {
  /** An owner who pays by Stripe, a playtester and an admin. Earnings are not held for other reasons. */
  async function open() {
    const { stripe, server } = await serveWithStripe(serve, (config) => {
      config.payouts.holdDays = 0;
    });
    const till = await openTill(server, "Olga");
    const tester = await registerPlaytester(server, "Pia");
    const gameId = await createGame(till.owner);
    const admin = await firstAdmin(server);
    /** Pays at Stripe's page and reports it. */
    const settle = async (checkoutUrl: string) => {
      const session = (await follow(checkoutUrl)).headers.get("location")!.split("/").at(-1)!;
      stripe.pay(session);
      await stripe.report(server, "checkout.session.completed", session);
      return session;
    };
    const buy = async (cents = 5000) => {
      const { checkoutUrl, paymentId } = await till.buy(cents);
      return { paymentId, session: await settle(checkoutUrl) };
    };
    const dispute = async (session: string, status: string, id?: string, dueBy?: number) => {
      const name = stripe.dispute(session, status, { ...(id && { id }), ...(dueBy && { dueBy: dueBy / 1000 }) });
      await stripe.report(server, status === "won" ? "charge.dispute.closed" : "charge.dispute.created", name);
    };
    const earn = async (playtestId: string, person = tester, of = till.owner) => {
      const slotId = await play(server, person, playtestId);
      await of.post(`/playtests/slots/${slotId}/accept`);
      return slotId;
    };
    const earnings = async () => (await tester.get("/playtester/earnings")).body.data;
    const pay = (amountCents: number) => admin.post("/admin/payouts", { userId: tester.id, amountCents });
    return { stripe, server, till, tester, gameId, admin, settle, buy, dispute, earn, earnings, pay };
  }

  test("wait for operators with the amount and the deadline of the answer, until they have ended", async () => {
    const { server, till, admin, buy, dispute } = await open();
    const waiting = async () => {
      const { items } = await admin.getInbox();
      return items.find(({ kind }) => kind === "disputes");
    };
    const browser = visitor(server);
    await browser.submit("/admin/sign-in", "/admin/sign-in", { key: admin.key });
    const nothing = { kind: "disputes", count: 0, dueAt: null, amountCents: null, firstId: null };
    expect(await waiting()).toEqual(nothing);
    const [first, second] = [await buy(), await buy(3000)];
    const dueBy = server.clock.now() + 7 * day;
    const dueAt = new Date(dueBy).toISOString();
    await dispute(first.session, "needs_response", undefined, dueBy);
    await dispute(second.session, "under_review", undefined, dueBy - day);
    expect(await waiting()).toEqual({ kind: "disputes", count: 2, dueAt, amountCents: 8000, firstId: first.paymentId });
    const { disputes } = await admin.listDisputes();
    expect(disputes.map(({ paymentId, answerBy }) => [paymentId, answerBy])).toEqual([
      [second.paymentId, null],
      [first.paymentId, dueAt],
    ]);
    const { html } = await browser.get("/admin");
    expect(html).toContain(`$50.00 of <a href="/admin/people/${till.owner.id}">Olga</a>`);
    expect(html).toMatch(/Answer at the card processor in 7 days, by <time datetime="2026-03-08/);
    expect(html).toContain("If the bank waits for an answer, the card processor says until when.");
    expect(html).toContain(`playtest admin disputes lift ${first.paymentId} --note &#39;paid by bank transfer&#39;`);
    await dispute(first.session, "under_review");
    expect(await waiting()).toMatchObject({ count: 2, dueAt: null });
    for (const { session } of [first, second]) await dispute(session, "won");
    expect(await waiting()).toEqual(nothing);
    expect((await browser.get("/admin")).html).toContain("Nothing waits for you.");
  });

  const refusal = (paymentId: string, amount = "$50.00") =>
    `Your payment ${paymentId} is disputed (${amount}), so you cannot order until the dispute has ended. Nothing was ordered or charged. Contact the operator of this server.`;

  describe("orders", () => {
    test("are refused while a payment is disputed, however they are paid, and possible again when the dispute is won", async () => {
      const { till, server, gameId, buy, dispute } = await open();
      const { owner } = till;
      await giveMinutes(server, owner, 600);
      const { paymentId, session } = await buy();
      await buy(9000);
      const unpaid = (await owner.post(`/games/${gameId}/playtests`, { durationMinutes: 60 }, { "x-payment-method": "card" }))
        .body.data;
      await dispute(session, "needs_response");
      const place = (body: object, method?: string) =>
        owner.post(`/games/${gameId}/playtests`, body, method ? { "x-payment-method": method } : {});
      const pay = (method: string) => owner.post(`/playtests/${unpaid.playtest.id}/pay`, { method });
      const replies = [
        await place({ durationMinutes: 60 }),
        await place({ durationMinutes: 60 }, "credit"),
        await place({ durationMinutes: 60 }, "hours"),
        await place({ durationMinutes: 60 }, "card"),
        await place({ isFreePublicTrial: true }),
        await owner.post("/playtests/quote", { gameId, durationMinutes: 60 }),
        await pay("credit"),
        await pay("hours"),
        await pay("card"),
      ];
      expect(replies.map((reply) => [reply.status, reply.body.error?.message])).toEqual(
        replies.map(() => [403, refusal(paymentId)]),
      );
      expect((await owner.get(`/games/${gameId}/playtests`)).body.data.playtests).toHaveLength(1);
      const others = await registerOwner(server, "Otto");
      expect((await others.post(`/games/${await createGame(others)}/playtests`, { isFreePublicTrial: true })).status).toBe(201);

      await dispute(session, "won");
      expect([(await pay("credit")).status, (await place({ durationMinutes: 60 }, "hours")).status]).toEqual([200, 201]);
    });

    test("a checkout or a crypto payment from before pays nothing: the money becomes credit", async () => {
      const { till, gameId, buy, dispute, settle } = await open();
      const { session } = await buy();
      const placed = await till.owner.post(`/games/${gameId}/playtests`, { durationMinutes: 60 }, { "x-payment-method": "card" });
      const { playtest, checkoutUrl, paymentId } = placed.body.data;
      await dispute(session, "needs_response");
      await settle(checkoutUrl);
      const state = async () => (await till.owner.get(`/playtests/${playtest.id}`)).body.data.playtest.status;
      expect([await state(), await till.credit(), await till.flag(paymentId)]).toEqual([
        "pending_payment",
        2000,
        "a disputed payment froze the owner when the order was paid; the amount was credited",
      ]);
      await dispute(session, "won");
      expect((await till.owner.post(`/playtests/${playtest.id}/pay`, { method: "credit" })).status).toBe(200);
      expect(await state()).toBe("active");
    });

    test("a crypto payment of an order is refused before, and credited when it was sent before", async () => {
      const server = await serve();
      const till = await openTill(server, "Olga");
      const gameId = await createGame(till.owner);
      const wallet = await openWallet(server, till.owner);
      const crypto = asking("base", "USDC");
      const ask = (key: string) =>
        till.owner.post(
          `/games/${gameId}/playtests`,
          { durationMinutes: 60, quantity: 2 },
          { ...crypto, "idempotency-key": key },
        );
      const { paymentId } = await till.buy(2000);
      await till.complete(paymentId, "paid");
      const asked = await ask("before");
      await till.complete(paymentId, "disputed");
      expect((await ask("after")).body.error.message).toBe(refusal(paymentId, "$20.00"));
      const txHash = await wallet.send(asked);
      const claim = () => till.owner.post(`/games/${gameId}/playtests`, { durationMinutes: 60, quantity: 2 }, proof(txHash));
      for (const reply of [await claim(), await claim()])
        expect(reply.body.error).toMatchObject({
          code: "CONFLICT",
          message: expect.stringMatching(
            /^The amount was credited to your account, but it does not pay the order: another payment/,
          ),
        });
      expect(await till.credit()).toBe(4000);
    });

    test("stay refused while another payment is disputed; an administrator can lift each freeze, once, and it is recorded", async () => {
      const { admin, till, gameId, buy, dispute } = await open();
      const [first, second] = [await buy(), await buy(6000)];
      await dispute(first.session, "needs_response");
      await dispute(second.session, "needs_response");
      const list = async (status = "open") =>
        (await admin.get(`/admin/disputes?status=${status}`)).body.data.disputes.map((entry: Record<string, unknown>) => [
          entry.paymentId,
          entry.amountCents,
          entry.status,
        ]);
      expect((await list()).sort()).toEqual(
        [
          [first.paymentId, 5000, "open"],
          [second.paymentId, 6000, "open"],
        ].sort(),
      );
      const lift = (id: string) => admin.post(`/admin/payments/${id}/lift-dispute`, { note: "paid by bank transfer" });
      expect((await lift(first.paymentId)).status).toBe(200);
      expect((await lift(first.paymentId)).body.error).toMatchObject({
        code: "CONFLICT",
        message: "No open dispute of this payment freezes anything. Nothing was changed.",
      });
      const trial = () => till.owner.post(`/games/${gameId}/playtests`, { isFreePublicTrial: true });
      expect((await trial()).body.error.message).toBe(refusal(second.paymentId, "$60.00"));
      await lift(second.paymentId);
      expect([await list(), (await list("lifted")).length, (await trial()).status]).toEqual([[], 2, 201]);
      expect(await till.credit()).toBe(0);
      const { entries } = (await admin.get(`/admin/audit?action=payment.lift_dispute`)).body.data;
      expect(entries.map((entry: Record<string, unknown>) => [entry.targetId, entry.details, entry.before, entry.after])).toEqual(
        [second, first].map(({ paymentId }) => [
          paymentId,
          { note: "paid by bank transfer" },
          { openDisputes: 1 },
          { openDisputes: 0 },
        ]),
      );
    });

    test("the owner is told when it begins and how it ends, by notification, event and mail, also of what is won after the freeze was lifted", async () => {
      const { server, admin, till, buy, dispute } = await open();
      const [first, second] = [await buy(), await buy(6000)];
      await dispute(first.session, "needs_response");
      await dispute(first.session, "under_review");
      await dispute(second.session, "needs_response");
      await dispute(first.session, "won");
      await admin.post(`/admin/payments/${second.paymentId}/lift-dispute`, { note: "settled" });
      await dispute(second.session, "won");
      const { notifications } = (await till.owner.get("/notifications?limit=100")).body.data;
      const told = notifications.filter(({ type }: { type: string }) => type.startsWith("payment.dispute"));
      expect(
        told.reverse().map(({ title, body }: { title: string; body: string }) => `${title}: ${body}`),
      ).toMatchInlineSnapshot(`
        [
          "Payment disputed: $50.00 of a card payment was disputed and taken back. You cannot order until the dispute has ended.",
          "Payment disputed: $60.00 of a card payment was disputed and taken back. You cannot order until the dispute has ended.",
          "Dispute ended: The dispute of your card payment has ended, and $50.00 was returned to your account. Another payment is still disputed, so you cannot order yet.",
          "Dispute ended: The operator ended the freeze because of the dispute over $60.00. You can order again.",
          "Dispute ended: The dispute of your card payment has ended, and $60.00 was returned to your account.",
        ]
      `);
      expect(await till.events("payment.disputed")).toEqual([
        { paymentId: first.paymentId, amountCents: 5000 },
        { paymentId: second.paymentId, amountCents: 6000 },
      ]);
      expect(await till.events("payment.dispute_ended")).toEqual([
        { paymentId: first.paymentId, amountCents: 5000, outcome: "won" },
        { paymentId: second.paymentId, amountCents: 6000, outcome: "lifted" },
        { paymentId: second.paymentId, amountCents: 6000, outcome: "won" },
      ]);
      const sql = "SELECT subject, text_body FROM mails WHERE subject LIKE '%disput%' ORDER BY created_at, id";
      const mails = await server.deps.store.read((q) => q.all<{ subject: string; text_body: string }>(sql));
      const text = mails.map((mail) => `# ${mail.subject}\n${mail.text_body}`).join("\n");
      expect(
        text
          .replaceAll(first.paymentId, "FIRST")
          .replaceAll(second.paymentId, "SECOND")
          .replaceAll(server.deps.config.baseUrl, "http://SERVER"),
      ).toMatchInlineSnapshot(`
        "# A payment of yours was disputed
        Hello Olga,

        $50.00 of your payment FIRST was disputed at the bank, so the amount was taken back from this marketplace and from your account.

        Until the dispute has ended you cannot order playtests, and playtesters are not paid what this payment paid for. Running playtests continue.

        If you did not dispute it, or want to withdraw the dispute, ask your bank, then tell the operator of the server.

        See the payment:
        http://SERVER/studio/billing/payments/FIRST

        playtest

        # A payment of yours was disputed
        Hello Olga,

        $60.00 of your payment SECOND was disputed at the bank, so the amount was taken back from this marketplace and from your account.

        Until the dispute has ended you cannot order playtests, and playtesters are not paid what this payment paid for. Running playtests continue.

        If you did not dispute it, or want to withdraw the dispute, ask your bank, then tell the operator of the server.

        See the payment:
        http://SERVER/studio/billing/payments/SECOND

        playtest

        # A dispute of your payment has ended
        Hello Olga,

        The dispute of your payment FIRST was decided, and $50.00 was returned to your account.

        Another payment of yours is still disputed, so you cannot order yet.

        See the payment:
        http://SERVER/studio/billing/payments/FIRST

        playtest

        # A dispute of your payment has ended
        Hello Olga,

        The operator ended the freeze that came with the dispute of $60.00 of your payment SECOND. The amount is not returned.

        You can order playtests again.

        See the payment:
        http://SERVER/studio/billing/payments/SECOND

        playtest

        # A dispute of your payment has ended
        Hello Olga,

        The dispute of your payment SECOND was decided, and $60.00 was returned to your account.

        See the payment:
        http://SERVER/studio/billing/payments/SECOND

        playtest
        "
      `);
    });
  });

  test.each([
    { name: "the whole price", amount: undefined, taken: true },
    { name: "a part of the price", amount: 1000, taken: false },
  ])("of a plan, $name: the owner is told of the plan and its hours, not of credit", async ({ amount, taken }) => {
    const { stripe, server, till, settle } = await open();
    const { body } = await till.owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" });
    const session = await settle(body.data.checkoutUrl);
    const balance = async () => {
      const { balanceCents, playtestMinutes } = (await till.owner.get("/billing/balance")).body.data;
      return [balanceCents, playtestMinutes];
    };
    const [, all] = await balance();
    const change = { ...(amount !== undefined && { amount }) };
    await stripe.report(server, "charge.dispute.created", stripe.dispute(session, "needs_response", change));
    expect(await balance()).toEqual([0, taken ? 0 : all]);
    await stripe.report(server, "charge.dispute.closed", stripe.dispute(session, "won", change));
    expect(await balance()).toEqual([0, all]);
    const { subscription } = (await till.owner.get("/billing/subscription")).body.data;
    expect(subscription.status).toBe("cancelled");
    const { notifications } = (await till.owner.get("/notifications?limit=100")).body.data;
    const told = notifications.filter(({ type }: { type: string }) => type.startsWith("payment.dispute"));
    const sums = taken ? "$79.00" : "$10.00";
    expect(told.reverse().map(({ body: said }: { body: string }) => said)).toEqual([
      `${sums} of a card payment for a plan was disputed and taken back. The plan has ended${taken ? ", and its hours were taken from your account" : ""}. You cannot order until the dispute has ended.`,
      `The dispute of your card payment for a plan has ended. The plan stays ended${taken ? ", and its hours were returned to your account" : ""}. You can order again.`,
    ]);
    const ended = notifications.filter(({ type }: { type: string }) => type === "subscription.cancelled");
    expect(ended.map(({ body: said }: { body: string }) => said)).toEqual([
      `Indie Monthly has ended${taken ? ", and its hours were taken from your account, because its payment was returned." : ". You keep your unused hours."}`,
    ]);
    const sql = "SELECT text_body FROM mails WHERE subject LIKE '%disput%' ORDER BY created_at, id";
    const mails = await server.deps.store.read((q) => q.all<{ text_body: string }>(sql));
    expect(mails.map(({ text_body: text }) => text.split("\n\n")[1])).toEqual([
      expect.stringContaining(
        `from this marketplace. The plan has ended${taken ? ", and its hours were taken from your account." : "."}`,
      ),
      expect.stringContaining(
        `was decided. The plan stays ended${taken ? ", and its hours were returned to your account." : "."}`,
      ),
    ]);
  });

  describe("earnings", () => {
    test("paid from the credit that a disputed payment bought are on hold until the dispute ends; older and other ones are not", async () => {
      const { till, server, gameId, tester, admin, buy, dispute, earn, earnings, pay } = await open();
      const other = await openTill(server, "Otto");
      await buy(2000);
      const before = await earn(await order(till.owner, gameId));
      await server.advance(1000);
      const { paymentId, session } = await buy(4000);
      const [held, later] = [await order(till.owner, gameId), await order(till.owner, gameId)];
      const slot = await earn(held);
      const browser = await signedIn(server, tester);
      await giveMinutes(server, other.owner, 60);
      const elsewhere = await earn(await order(other.owner, await createGame(other.owner)), tester, other.owner);
      await dispute(session, "needs_response");
      const seen = await earnings();
      expect(seen).toMatchObject({
        balanceCents: 3000,
        availableCents: 2000,
        heldCents: 0,
        disputedCents: 1000,
        heldUntil: null,
      });
      const flags = Object.fromEntries(
        seen.entries.map((entry: { slotId: string; disputed: boolean }) => [entry.slotId, entry.disputed]),
      );
      expect(flags).toEqual({ [before]: false, [slot]: true, [elsewhere]: false });
      expect(JSON.stringify(seen)).not.toContain(paymentId);
      expect((await pay(2001)).body.error.message).toBe(
        "This playtester has $20.00 to pay out now, less than $20.01. Another $10.00 is on hold because the payment is disputed: see `playtest admin disputes`. Nothing was recorded. Pay up to $20.00 now, or wait until the dispute has ended.",
      );
      expect((await pay(2000)).status).toBe(201);
      const page = async () => (await browser.get("/play/earnings")).html;
      const says =
        "$10.00 of your balance is on hold because the payment is disputed. It is available when the dispute has ended.";
      expect(await page()).toContain(says);
      // Playtests that were paid before go on, and what they earn is on hold too.
      await earn(later, await registerPlaytester(server, "Quin"));
      await server.advance(1000);
      expect(await earnings()).toMatchObject({ balanceCents: 1000, availableCents: 0, disputedCents: 1000 });
      expect((await pay(1)).body.error.message).toMatch(/Nothing was recorded\. Pay it when the dispute has ended\.$/);

      await admin.post(`/admin/payments/${paymentId}/lift-dispute`, { note: "lost" });
      expect(await earnings()).toMatchObject({ balanceCents: 1000, availableCents: 1000, disputedCents: 0 });
      expect(await page()).not.toContain(says);
      expect((await pay(1000)).status).toBe(201);
    });

    test("of an order that was paid by card are on hold only for the dispute of its own payment", async () => {
      const { till, gameId, buy, dispute, earn, earnings, settle } = await open();
      const place = async () =>
        (await till.owner.post(`/games/${gameId}/playtests`, { durationMinutes: 60 }, { "x-payment-method": "card" })).body.data;
      const credit = await buy();
      const [one, two] = [await place(), await place()];
      const first = await settle(one.checkoutUrl);
      await settle(two.checkoutUrl);
      await earn(one.playtest.id);
      await dispute(credit.session, "needs_response");
      expect(await earnings()).toMatchObject({ balanceCents: 1000, availableCents: 1000, disputedCents: 0 });
      await dispute(first, "needs_response");
      expect(await earnings()).toMatchObject({ balanceCents: 1000, availableCents: 0, disputedCents: 1000 });
      await dispute(first, "won");
      expect(await earnings()).toMatchObject({ availableCents: 1000, disputedCents: 0 });
    });

    test.each(["slots of its order were cancelled", "its order had ended"])(
      "paid from the credit that a disputed payment of an order became are on hold: %s",
      async (why) => {
        const { till, gameId, dispute, earn, earnings, settle } = await open();
        const placed = await till.owner.post(
          `/games/${gameId}/playtests`,
          { durationMinutes: 60 },
          { "x-payment-method": "card" },
        );
        const { playtest, checkoutUrl } = placed.body.data;
        const cancel = async () => expect((await till.owner.post(`/playtests/${playtest.id}/cancel`)).status).toBe(200);
        if (why === "its order had ended") await cancel();
        const session = await settle(checkoutUrl);
        if (why !== "its order had ended") await cancel();
        expect(await till.credit()).toBe(2000);
        await earn(await order(till.owner, gameId));
        await dispute(session, "needs_response");
        expect(await earnings()).toMatchObject({ balanceCents: 1000, availableCents: 0, disputedCents: 1000 });
        await dispute(session, "won");
        expect(await earnings()).toMatchObject({ availableCents: 1000, disputedCents: 0 });
      },
    );

    test("paid from the hours of a disputed plan are on hold", async () => {
      const { till, gameId, dispute, earn, earnings, settle } = await open();
      const bought = await till.owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" });
      const session = await settle(bought.body.data.checkoutUrl);
      await earn(await order(till.owner, gameId));
      await dispute(session, "needs_response");
      expect(await earnings()).toMatchObject({ balanceCents: 1000, availableCents: 0, disputedCents: 1000 });
    });

    test("that were paid out before the dispute are not held again from newer ones; a payout that failed is", async () => {
      const { till, server, gameId, admin, tester, buy, dispute, earn, earnings, pay } = await open();
      const { session } = await buy(2000);
      await earn(await order(till.owner, gameId));
      const { id } = (await pay(1000)).body.data.payout;
      await server.advance(1000);
      await dispute(session, "needs_response");
      const other = await openTill(server, "Otto");
      await giveMinutes(server, other.owner, 60);
      await earn(await order(other.owner, await createGame(other.owner)), tester, other.owner);
      expect(await earnings()).toMatchObject({ balanceCents: 1000, availableCents: 1000, disputedCents: 0 });
      await admin.post(`/admin/payouts/${id}/fail`);
      expect(await earnings()).toMatchObject({ balanceCents: 2000, availableCents: 1000, disputedCents: 1000 });
    });

    test("that are held for some days and on hold for a dispute are counted once", async () => {
      const { till, server, gameId, buy, dispute, earn, earnings } = await open();
      server.deps.config.payouts.holdDays = 7;
      await buy(2000);
      await earn(await order(till.owner, gameId));
      const free = new Date(server.deps.clock.now() + 7 * day).toISOString();
      await server.advance(day);
      const { session } = await buy(2000);
      await earn(await order(till.owner, gameId));
      await dispute(session, "needs_response");
      expect(await earnings()).toMatchObject({
        ...{ balanceCents: 2000, availableCents: 0, heldCents: 1000, heldUntil: free, disputedCents: 1000 },
        entries: [
          { disputed: true, availableFrom: null },
          { disputed: false, availableFrom: free },
        ],
      });
      await server.advance(8 * day);
      expect(await earnings()).toMatchObject({ availableCents: 1000, heldCents: 0, heldUntil: null, disputedCents: 1000 });
    });
  });
});
