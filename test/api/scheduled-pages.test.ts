import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { giveCredit, giveVideo, order, registerPlaytester } from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";

const day = 24 * 3_600_000;
/** The text of a page, without its markup. */
const textOf = (html: string) => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

// The clock of the server stands at 2026-03-01T12:00:00Z.
const at = "2026-03-05T17:00:00.000Z";
const later = "2026-03-06T17:00:00.000Z";

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
    await giveCredit(server, owner, 100_000);
    const id = await order(owner, gameId, { scheduledAt: at });
    const { slot } = await playtester.claimPlaytest({ params: { id }, body: { scheduledAt: at } });
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
    await giveCredit(server, owner, 100_000);
    const id = await order(owner, gameId, { scheduledAt: at });
    const { slot } = await playtester.claimPlaytest({ params: { id }, body: { scheduledAt: at } });
    await owner.updatePlaytest({ params: { id }, body: { scheduledAt: later } });
    const [ann, ada] = [await signedIn(server, playtester), await signedIn(server, owner, "/studio")];
    const page = `/play/slots/${slot.id}`;
    const text = textOf((await ann.get(page)).html);
    expect(text).toContain("The owner proposes to play at Fri 2026-03-06 17:00, UTC .");
    expect(text).toContain("Answer by Wed 2026-03-04 12:00, UTC .");
    expect(textOf((await ada.get(`/studio/playtests/${id}`)).html)).toMatch(
      /Played at Fri 2026-03-06 17:00, UTC.*You proposed Fri 2026-03-06 17:00, UTC instead of Thu 2026-03-05 17:00, UTC/,
    );
    const answered = await ann.submit(page, `${page}/reschedule`, { answer });
    expect(textOf((await ann.get(answered.location!)).html)).toContain(says);
    expect((await playtester.getHeldSlot({ params: { id: slot.id } })).slot.status).toBe(is);
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
});
