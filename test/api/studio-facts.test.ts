import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, order, play } from "../helpers/factories.ts";
import { mailedPath } from "../helpers/mails.ts";
import { creditOf, earnedBy, type Fact, type Market, market, noticesOf, pageFacts, slotsOf } from "../helpers/page-facts.ts";
import { signedIn, visitor } from "../helpers/portal.ts";

const day = 86_400_000;
const password = "correct horse";

const submitted = async ({ server, owner, gameId, playtester }: Market) =>
  `/studio/slots/${await play(server, playtester, await order(owner, gameId))}`;

async function applied({ owner, gameId, playtester }: Market) {
  const id = await order(owner, gameId, { selectionMode: "manual" });
  const application = (await playtester.post(`/playtester/playtests/${id}/applications`)).body.data.application.id as string;
  const page = `/studio/playtests/${id}/applications`;
  return { page, form: `${page}/${application}` };
}

async function reported({ owner, gameId, playtester }: Market) {
  const slotId = await claim(playtester, await order(owner, gameId));
  await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
  return `/studio/slots/${slotId}`;
}

/** Presses a button and the one that asks once more. */
async function decide({ browser }: Market, page: string, action: string, fields: Record<string, string>) {
  return (await browser.submit(page, `${page}/${action}`, { ...fields, confirmed: "yes" })).location!;
}

const facts: Fact<Market>[] = [
  {
    says: "You approved the application. A slot is reserved for the playtester, who was told.",
    async see(scene) {
      const { page, form } = await applied(scene);
      return (await scene.browser.submit(page, `${form}/approve`)).location!;
    },
    async holds(scene) {
      expect(await slotsOf(scene)).toMatchObject([{ status: "reserved" }]);
      expect(await noticesOf(scene.playtester)).toContain("application.approved");
    },
  },
  {
    says: "You rejected the application. The playtester was told.",
    async see(scene) {
      const { page, form } = await applied(scene);
      return (await scene.browser.submit(page, `${form}/reject`)).location!;
    },
    async holds(scene) {
      expect(await slotsOf(scene)).toEqual([]);
      expect(await noticesOf(scene.playtester)).toContain("application.rejected");
    },
  },
  {
    says: "Your answer was sent. The playtester has the slot back, with a new deadline.",
    async see(scene) {
      const page = `${await reported(scene)}/problem`;
      await scene.server.advance(3 * day);
      return (await scene.browser.submit(page, page, { message: "Fixed." })).location!;
    },
    async holds(scene) {
      const [slot] = await slotsOf(scene);
      expect(slot.status).toBe("reserved");
      expect(Date.parse(slot.deadlineAt)).toBeGreaterThan(scene.server.clock.now());
      expect((await scene.playtester.get(`/playtester/slots/${slot.id}`)).text).toContain("Fixed.");
    },
  },
  {
    says: "The slot was cancelled and what it cost you was returned. The playtester was told and is not paid.",
    async see(scene) {
      const page = await reported(scene);
      expect((await scene.browser.get(`${page}/problem`)).html).toContain(
        "What the slot cost you is returned, and Pia is not paid.",
      );
      return (await scene.browser.submit(`${page}/problem`, `${page}/cancel`, { sure: "yes" })).location!;
    },
    async holds(scene) {
      expect([await creditOf(scene), await earnedBy(scene)]).toEqual([20_000, 0]);
      expect(await noticesOf(scene.playtester)).toContain("slot.resolved");
    },
  },
  {
    says: "Nobody answered in time, so the slot was cancelled.",
    async see(scene) {
      const page = `${await reported(scene)}/problem`;
      expect((await scene.browser.get(page)).html).toContain(
        "the slot is cancelled. What the slot cost you is returned, and the playtester is not paid.",
      );
      await scene.server.advance(14 * day);
      return page;
    },
    holds: async (scene) => expect([await creditOf(scene), await earnedBy(scene)]).toEqual([20_000, 0]),
  },
  {
    says: "Rejected. The playtester was told and is not paid.",
    async see(scene) {
      const page = await submitted(scene);
      expect((await scene.browser.get(page)).html).toContain(
        "Without another try, the playtester is not paid and the price is not refunded.",
      );
      return decide(scene, page, "reject", { reason: "No sound." });
    },
    async holds(scene) {
      const price = 20_000 - (await creditOf(scene));
      expect([price > 0, await earnedBy(scene)]).toEqual([true, 0]);
      expect(await noticesOf(scene.playtester)).toContain("slot.rejected");
      const [slot] = await slotsOf(scene);
      expect((await scene.browser.get(`/studio/slots/${slot.id}`)).html).toMatch(/Why it was rejected<\/h2><p[^>]*>No sound\./);
    },
  },
  {
    says: "Rejected. The playtester can try again within 24 hours.",
    see: async (scene) => decide(scene, await submitted(scene), "reject", { allowRetry: "yes" }),
    async holds(scene) {
      const again = (await slotsOf(scene)).find(({ status }: { status: string }) => status === "reserved");
      expect(Date.parse(again.deadlineAt) - scene.server.clock.now()).toBe(day);
    },
  },
  {
    says: "Playtesters do not see moments.",
    see: submitted,
    async holds(scene) {
      const [{ id }] = await slotsOf(scene);
      const note = "She missed the ladder.";
      expect((await scene.owner.post(`/slots/${id}/moments`, { atMs: 0, kind: "note", text: note })).status).toBe(201);
      expect((await scene.browser.get(`/studio/slots/${id}`)).html).toContain(note);
      const seen = [await scene.playtester.get(`/playtester/slots/${id}`), await scene.playtester.get(`/slots/${id}/moments`)];
      expect(seen.map(({ text }) => text.includes(note))).toEqual([false, false]);
      expect((await (await signedIn(scene.server, scene.playtester)).get(`/play/slots/${id}`)).html).not.toContain(note);
    },
  },
  {
    says: "Whoever has the link can watch without an account, with the password if you set one.",
    see: submitted,
    async holds(scene) {
      const { server, owner, browser } = scene;
      const page = `/studio/slots/${(await slotsOf(scene))[0].id}`;
      await browser.submit(page, `${page}/shares`, { validForSeconds: "86400", password: "the password" });
      const { url } = (await owner.get("/shares")).body.data.shares[0];
      const stranger = visitor(server);
      const path = new URL(url).pathname;
      expect((await stranger.get(path)).html).toContain(
        "The owner of a game set this password. Ask whoever sent you the link for it.",
      );
      const open = async () => {
        await stranger.send(path, { password: "the password" });
        return stranger.get(path);
      };
      expect((await open()).html).toContain(
        'This link works until <time datetime="2026-03-02T12:00:00.000Z">Mar 2, 2026, 12:00 UTC',
      );
      const end = Date.parse("2026-03-02T12:00:00.000Z");
      server.clock.set(end - 1);
      expect((await open()).status).toBe(200);
      server.clock.set(end);
      expect((await open()).status).toBe(404);
    },
  },
  {
    says: "The link has ended: it no longer works.",
    async see(scene) {
      const page = await submitted(scene);
      await scene.browser.submit(page, `${page}/shares`, { validForSeconds: "86400" });
      const { url, id } = (await scene.owner.get("/shares")).body.data.shares[0];
      expect((await visitor(scene.server).get(new URL(url).pathname)).status).toBe(200);
      const { location } = await scene.browser.submit(page, `${page}/shares/end`, { share: id });
      expect((await visitor(scene.server).get(new URL(url).pathname)).status).toBe(404);
      return location!;
    },
    holds: async ({ owner }) => expect((await owner.get("/shares?state=active")).text).not.toContain('"state":"active"'),
  },
  {
    says: "This order is not paid, so nobody can play yet.",
    async see({ owner, gameId }) {
      const reply = await owner.post(`/games/${gameId}/playtests`, {}, { "x-payment-method": "card" });
      return `/studio/playtests/${reply.body.data.playtest.id}`;
    },
    async holds({ playtester }) {
      expect((await playtester.get("/playtester/playtests")).body.data.playtests).toEqual([]);
    },
  },
  {
    says: "Your email address is verified. Your password and API keys were removed: anybody could have set them.",
    see: async () => "/studio?done=verified",
    async holds({ server }) {
      server.deps.config.autoVerify = false;
      const body = { email: "new@example.com", password, role: "game_owner" };
      const key = (await server.request("POST", "/auth/register/api-key", { body })).body.data.apiKey;
      const browser = visitor(server);
      await browser.submit("/studio/sign-in", "/studio/sign-in/link", body);
      await server.advance(0);
      const reply = await browser.submit(mailedPath(server, "signIn"), "/studio/sign-in/confirm");
      expect(reply.location).toBe("/studio?done=verified");
      expect((await server.request("GET", "/auth/me", { key })).status).toBe(401);
      expect((await visitor(server).submit("/studio/sign-in", "/studio/sign-in/password", body)).status).toBe(401);
    },
  },
  {
    says: "Nothing was spent in this time, and no slots are open.",
    see: async () => "/studio/stats",
    async holds(scene) {
      expect((await scene.browser.get("/studio/stats")).html).toContain("No slots were ordered in this time.");
      await order(scene.owner, scene.gameId);
      const { html } = await scene.browser.get("/studio/stats");
      expect(html).not.toMatch(/Nothing was spent in this time|No slots were ordered in this time/);
    },
  },
];

onBothDatabases("what Studio states", (serve) => {
  pageFacts(facts, async () => market(await serve(), "/studio"));

  it("says nothing about money where there is none", async () => {
    const server = await serve({ config: (config) => Object.assign(config.payments, { enabled: false }) });
    const scene = await market(server, "/studio");
    const [problem, review] = [`${await reported(scene)}/problem`, await submitted(scene)];
    for (const page of [problem, `${problem}?done=cancelled`, review])
      expect([page, /\bpaid\b|price|cost|refund/.exec((await scene.browser.get(page)).html)?.[0]]).toEqual([page, undefined]);
  });
});
