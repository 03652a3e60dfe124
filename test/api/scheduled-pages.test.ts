import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { giveCredit, giveVideo, order, registerPlaytester } from "../helpers/factories.ts";
import type { Market } from "../helpers/market.ts";
import { hiddenFields, signedIn } from "../helpers/portal.ts";

const day = 24 * 3_600_000;
/** The text of a page, without its markup. */
const textOf = (html: string) => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

// The clock of the server stands at 2026-03-01T12:00:00Z.
const at = "2026-03-05T17:00:00.000Z";
const later = "2026-03-06T17:00:00.000Z";

/** An order at a fixed time that is paid with credit, and a slot of it that the playtester claimed. */
async function claimed({ server, owner, playtester, gameId }: Market, quantity = 1) {
  await giveCredit(server, owner, 100_000);
  const id = await order(owner, gameId, { scheduledAt: at, quantity });
  const { slot } = await playtester.claimPlaytest({ params: { id }, body: { scheduledAt: at } });
  return { id, slot };
}

onBothDatabases("pages of a playtest at a fixed time", (_serve, it) => {
  it("an offer says the time in the reader's zone, and a claim confirms it", async ({ server, owner, playtester, gameId }) => {
    await giveCredit(server, owner, 100_000);
    await playtester.updateProfile({ body: { timeZone: "Asia/Kolkata" } });
    const id = await order(owner, gameId, { scheduledAt: at });
    const ann = await signedIn(server, playtester);
    const played = "Played at Thu 2026-03-05 22:30, Asia/Kolkata (UTC+05:30)";
    expect(textOf((await ann.get("/play")).html)).toContain(played);
    const page = `/play/offers/${id}`;
    const text = textOf((await ann.get(page)).html);
    expect(text).toContain(played);
    expect(text).toContain("at most 24 hours after it");
    expect(text).toContain("I will play at Thu 2026-03-05 22:30, Asia/Kolkata (UTC+05:30)");
    const action = `/play/offers/${id}/claim`;
    const refused = await ann.submit(page, action, { sure: "yes", scheduledAt: "" });
    expect([refused.status, textOf(refused.html)]).toEqual([409, expect.stringContaining("This playtest is at a fixed time")]);
    const claimed = await ann.submit(page, action, { sure: "yes", scheduledAt: at });
    expect(claimed.location).toContain("?done=claimed");
    expect((await playtester.listHeldSlots({})).slots).toMatchObject([{ status: "reserved", scheduledAt: at }]);
  });

  it("an application confirms it", async ({ server, owner, playtester, gameId }) => {
    await giveCredit(server, owner, 100_000);
    const id = await order(owner, gameId, { scheduledAt: at, selectionMode: "manual" });
    const ann = await signedIn(server, playtester);
    const page = `/play/offers/${id}`;
    expect(textOf((await ann.get(page)).html)).toContain("I will play at Thu 2026-03-05 17:00, UTC");
    const applied = await ann.submit(page, `${page}/apply`, { scheduledAt: at });
    expect(applied.location).toContain("?done=applied");
  });

  it("a slot says when to play, and cannot be submitted before", async ({ server, owner, playtester, gameId }) => {
    const { slot } = await claimed({ server, owner, playtester, gameId });
    await giveVideo(server, slot.id, playtester);
    const ann = await signedIn(server, playtester);
    const page = async () => textOf((await ann.get(`/play/slots/${slot.id}`)).html);
    expect(await page()).toContain("Play at Thu 2026-03-05 17:00, UTC");
    expect(await page()).toContain("Submit by Fri 2026-03-06 17:00, UTC");
    expect(await page()).toContain("You can submit from Thu 2026-03-05 17:00, UTC on.");
    expect(textOf((await ann.get("/play/slots")).html)).toContain("Play at Thu 2026-03-05 17:00, UTC");
    await server.advance(4 * day + 5 * 3_600_000);
    expect(await page()).not.toContain("You can submit from");
  });

  it.for([
    { answer: "accept", says: "You play at the new time.", is: "reserved" },
    { answer: "decline", says: "You declined the new time", is: "cancelled" },
  ])("another time: $answer", async ({ answer, says, is }, { server, owner, playtester, gameId }) => {
    const { id, slot } = await claimed({ server, owner, playtester, gameId });
    await owner.updatePlaytest({ params: { id }, body: { scheduledAt: later } });
    const [ann, ada] = [await signedIn(server, playtester), await signedIn(server, owner, "/studio")];
    const page = `/play/slots/${slot.id}`;
    const text = textOf((await ann.get(page)).html);
    expect(text).toContain("The owner proposes to play at Fri 2026-03-06 17:00, UTC .");
    expect(text).toContain("Answer by Wed 2026-03-04 12:00, UTC .");
    expect(textOf((await ada.get(`/studio/playtests/${id}`)).html)).toMatch(
      /Played at Fri 2026-03-06 17:00, UTC.*You proposed Fri 2026-03-06 17:00, UTC instead of Thu 2026-03-05 17:00, UTC/,
    );
    expect((await ada.get(`/studio/playtests/${id}`)).html).toContain(
      `playtests update ${id} --at &quot;YYYY-MM-DD hh:mm&quot; --time-zone UTC`,
    );
    const review = textOf((await ada.get(`/studio/slots/${slot.id}`)).html);
    expect(review).toMatch(
      /Claimed .*Played at Thu 2026-03-05 17:00, UTC .*You proposed Fri 2026-03-06 17:00, UTC instead of Thu 2026-03-05 17:00, UTC/,
    );
    expect(review).not.toContain("Being played");
    const answered = await ann.submit(page, `${page}/reschedule`, { answer });
    expect(textOf((await ann.get(answered.location!)).html)).toContain(says);
    expect((await playtester.getHeldSlot({ params: { id: slot.id } })).slot.status).toBe(is);
    if (is !== "cancelled") return;
    const shown = (await ann.get(page)).html;
    expect(textOf(shown)).toContain(
      "The owner proposed another time, and you declined it or did not answer in time, so the slot was released.",
    );
    expect(shown).not.toContain("Released</span>");
    // It does not count against them, so they can claim one again.
    const offer = (await ann.get(`/play/offers/${id}`)).html;
    expect(offer).toContain("Claim a slot");
    expect(offer).not.toContain("You have or had a slot");
  });

  it("an answer to a proposal that was replaced since the page was opened is refused, and the page shows the new one", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const { id, slot } = await claimed({ server, owner, playtester, gameId });
    const propose = (scheduledAt: string) => owner.updatePlaytest({ params: { id }, body: { scheduledAt } });
    await propose(later);
    const ann = await signedIn(server, playtester);
    const page = `/play/slots/${slot.id}`;
    const form = hiddenFields((await ann.get(page)).html, `${page}/reschedule`);
    await propose("2026-03-07T17:00:00.000Z");
    const refused = await ann.send(`${page}/reschedule`, { ...form, answer: "accept" });
    expect([refused.status, textOf(refused.html)]).toEqual([409, expect.stringContaining("The owner now proposes another time")]);
    expect((await playtester.getHeldSlot({ params: { id: slot.id } })).slot.scheduledAt).toBe(at);
  });

  it("a slot that its owner cancelled late says what it earned", async ({ server, owner, playtester, gameId }) => {
    const { id, slot } = await claimed({ server, owner, playtester, gameId });
    await server.advance(Date.parse(at) - server.clock.now() - 3_600_000);
    await owner.cancelPlaytest({ params: { id } });
    const ann = await signedIn(server, playtester);
    expect(textOf((await ann.get(`/play/slots/${slot.id}`)).html)).toContain(
      "The owner cancelled this slot. This does not count against you. Because it was less than 12 hours before the fixed time, you earned $10.00",
    );
  });

  it("the account takes a time zone, and refuses another text beside its field", async ({ server }) => {
    const playtester = await registerPlaytester(server);
    const ann = await signedIn(server, playtester);
    const save = (timeZone: string) => ann.submit("/play/account", "/play/account", { name: "Ann", timeZone });
    expect((await save("Berlin")).html).toMatch(/id="time-zone-fault">[^<]*ust be a time zone such as Europe\/Berlin/);
    expect((await save("europe/berlin")).status).toBe(303);
    expect((await playtester.getMe({})).profile!.timeZone).toBe("Europe/Berlin");
    expect((await ann.get("/play/account")).html).toContain('value="Europe/Berlin"');
  });

  it("Studio orders at a time that is entered in a zone, and names the command", async ({ server, owner, gameId }) => {
    await giveCredit(server, owner, 100_000);
    await owner.updateProfile({ body: { timeZone: "Europe/Berlin" } });
    const ada = await signedIn(server, owner, "/studio");
    const page = "/studio/order";
    expect((await ada.get(page)).html).toContain('value="Europe/Berlin"');
    const filled = { gameId, quantity: "1", playerCount: "2", visibility: "private", minutes: "60", at: "2026-03-28T18:00" };
    const price = (more: Record<string, string>) => ada.submit(page, `${page}/price`, { ...filled, ...more });
    const wrong = async (at: string, atZone: string) => textOf((await price({ at, atZone })).html);
    expect(await wrong("2026-03-29T02:30", "Europe/Berlin")).toContain("does not exist in Europe/Berlin");
    expect(await wrong("2026-03-28T18:00", "Berlin")).toContain("Time zone : must be a time zone such as Europe/Berlin");
    expect(await wrong("2026-03-01T13:30", "Europe/Berlin")).toContain("must be 12 hours to 90 days from now");
    const inBerlin = { ...filled, atZone: "Europe/Berlin" };
    const { html } = await price(inBerlin);
    expect(textOf(html)).toContain("--at 2026-03-28T18:00 --time-zone Europe/Berlin");
    const placed = await ada.send(page, { ...hiddenFields(html, `${page}/price`), ...inBerlin });
    const made = await ada.get(placed.location!);
    expect(textOf(made.html)).toContain("Played at Sat 2026-03-28 18:00, Europe/Berlin (UTC+01:00)");
  });

  it("Studio proposes another time, and says what becomes of it", async ({ server, owner, playtester, gameId }) => {
    await giveCredit(server, owner, 100_000);
    await owner.updateProfile({ body: { timeZone: "Europe/Berlin" } });
    const id = await order(owner, gameId, { scheduledAt: at, quantity: 2 });
    const { slot } = await playtester.claimPlaytest({ params: { id }, body: { scheduledAt: at } });
    const ada = await signedIn(server, owner, "/studio");
    const page = `/studio/playtests/${id}`;
    const text = async () => textOf((await ada.get(page)).html);
    expect(await text()).toMatch(/Move it to another time Open slots move at once. 1 playtester who holds a slot is asked/);
    expect(await text()).toContain("Cancel this playtest, with its claimed slots You get their price back.");
    const propose = (entered: string) => ada.submit(page, `${page}/move`, { at: entered, atZone: "Europe/Berlin" });
    const refused = await propose("2026-08-06T18:00");
    expect([refused.status, textOf(refused.html)]).toEqual([
      422,
      expect.stringContaining("must be 12 hours to 90 days from now"),
    ]);
    const proposed = await propose("2026-03-06T18:00");
    expect(textOf((await ada.get(proposed.location!)).html)).toMatch(
      /The time was changed.*You proposed Fri 2026-03-06 18:00, Europe\/Berlin \(UTC\+01:00\) instead of Thu 2026-03-05 18:00/,
    );
    await playtester.rescheduleSlot({ params: { id: slot.id }, body: { accept: true } });
    expect(await text()).not.toContain("You proposed");
    await server.advance(4 * day + 18 * 3_600_000);
    expect(await text()).toContain("It begins in less than 12 hours, so its time cannot be changed any more.");
    expect(await text()).toContain(
      "You get the price of the slots that nobody claimed back. The playtesters who hold a slot are paid",
    );
  });

  it("a cancellation that would not do what its page said does nothing, and the page says what it does now", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const { id } = await claimed({ server, owner, playtester, gameId }, 2);
    const ada = await signedIn(server, owner, "/studio");
    const page = `/studio/playtests/${id}`;
    const form = hiddenFields((await ada.get(page)).html, `${page}/cancel`);
    await server.advance(4 * day - 6 * 3_600_000);
    const refused = await ada.send(`${page}/cancel`, form);
    expect([refused.status, textOf(refused.html)]).toEqual([
      409,
      expect.stringMatching(
        /Nothing was cancelled: what a cancellation does has changed.*You get the price of the slots that nobody/,
      ),
    ]);
    expect((await owner.getPlaytest({ params: { id } })).playtest.slots).toMatchObject({ reserved: 1, cancelled: 0 });
    const shown = hiddenFields(refused.html, `${page}/cancel`);
    // The same form again is the same cancellation.
    for (let times = 0; times < 2; times++)
      expect((await ada.send(`${page}/cancel`, shown)).location).toBe(`${page}?done=cancelled`);
  });

  it("the form that cancels a slot with a problem does nothing once the slot is returned", async ({
    server,
    owner,
    playtester,
    gameId,
  }) => {
    const { slot } = await claimed({ server, owner, playtester, gameId });
    await server.advance(4 * day - 6 * 3_600_000);
    await playtester.reportSlot({ params: { id: slot.id }, body: { reasonCode: "other", notes: "It does not start." } });
    const ada = await signedIn(server, owner, "/studio");
    const cancel = `/studio/slots/${slot.id}/cancel`;
    const form = { ...hiddenFields((await ada.get(`/studio/slots/${slot.id}/problem`)).html, cancel), sure: "yes" };
    await owner.unblockSlot({ params: { id: slot.id } });
    const refused = await ada.send(cancel, form);
    expect([refused.status, textOf(refused.html)]).toEqual([409, expect.stringContaining("The playtester has this slot back")]);
    expect((await owner.getSlot({ params: { id: slot.id } })).slot.status).toBe("reserved");
  });

  const paid = "You get the price of the slots that nobody claimed back. The playtesters who hold a slot are paid";
  const hour = 3_600_000;
  it.for<{ name: string; from: string; to: string; wait: number; accepts?: boolean; says: string; spent: number }>([
    { name: "the agreed time is near, the proposed one is not", from: at, to: later, wait: 88 * hour, says: paid, spent: 4000 },
    {
      name: "the proposed time is near, the agreed one is not",
      from: later,
      to: at,
      wait: 88 * hour,
      says: "slots You get their price back.",
      spent: 0,
    },
    {
      name: "one of two agreed to another time",
      from: at,
      to: later,
      wait: 88 * hour,
      accepts: true,
      says: "slots You get the price back, but not of",
      spent: 2000,
    },
    { name: "all agreed times are far", from: at, to: later, wait: 0, says: "slots You get their price back.", spent: 0 },
  ])("before a cancellation, Studio says what is refunded: $name", async (row, { server, owner, playtester, gameId }) => {
    await giveCredit(server, owner, 100_000);
    const id = await order(owner, gameId, { scheduledAt: row.from, quantity: 3 });
    const bea = await registerPlaytester(server, "Bea");
    const held = [];
    for (const one of [playtester, bea])
      held.push((await one.claimPlaytest({ params: { id }, body: { scheduledAt: row.from } })).slot.id);
    const before = (await owner.getBalance()).balanceCents + 6000;
    await server.advance(row.wait);
    await owner.updatePlaytest({ params: { id }, body: { scheduledAt: row.to } });
    if (row.accepts) await bea.rescheduleSlot({ params: { id: held[1]! }, body: { accept: true } });
    if (row.wait > 0) await server.advance(3 * hour);
    const ada = await signedIn(server, owner, "/studio");
    const page = `/studio/playtests/${id}`;
    expect(textOf((await ada.get(page)).html)).toContain(row.says);
    await ada.submit(page, `${page}/cancel`);
    expect(before - (await owner.getBalance()).balanceCents).toBe(row.spent);
  });
});
