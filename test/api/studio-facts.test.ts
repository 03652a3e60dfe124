import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { createCommandTranscriber } from "../../server/transcripts/command.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, giveCredit, giveVideo, order, play, registerPlaytester } from "../helpers/factories.ts";
import { holdCutter } from "../helpers/held-cutter.ts";
import { mailedPath } from "../helpers/mails.ts";
import { creditOf, earnedBy, type Fact, type Market, market, noticesOf, pageFacts, slotsOf } from "../helpers/page-facts.ts";
import { hiddenFields, signedIn, visitor } from "../helpers/portal.ts";
import { manyRows } from "../helpers/slot-factories.ts";

const day = 86_400_000;
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));
const [transcriber, ffmpeg] = [fixture("transcriber"), fixture("ffmpeg")];
const password = "correct horse";

const submitted = async ({ server, owner, gameId, playtester }: Market) =>
  `/studio/slots/${await play(server, playtester, await order(owner, gameId))}`;

async function applied({ owner, gameId, playtester }: Market) {
  const id = await order(owner, gameId, { selectionMode: "manual" });
  const application = (await playtester.post(`/playtester/playtests/${id}/applications`)).body.data.application.id as string;
  const page = `/studio/playtests/${id}/applications`;
  return { page, form: `${page}/${application}` };
}

/** The page of an order that a key of the owner asked for. */
async function waitingOrder({ server, owner, gameId }: Market): Promise<string> {
  const budgets = [{ period: "order", approveOverCents: 1000 }];
  const { apiKey: key } = (await owner.post("/auth/api-keys", { name: "agent", budgets })).body.data;
  const reply = await server.request("POST", `/games/${gameId}/playtests`, { key, body: {} });
  return `/studio/approvals/${reply.body.data.approval.id}`;
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

/** How many slots one statement inserts or deletes, so that none takes a minute on a busy machine. */
const atOnce = 4000;

/** Fills the account with copies of a slot, which go as one. */
async function copySlot({ server }: Market, id: string, count: number): Promise<void> {
  for (let first = 1; first <= count; first += atOnce) {
    await server.deps.store.write(
      (tx) =>
        tx.run(
          `INSERT INTO slots (id, playtest_id, game_id, owner_id, status, reserved_at, deadline_at, submitted_at, ended_at, created_at)
          WITH RECURSIVE n (i) AS (SELECT CAST(? AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < CAST(? AS INTEGER))
          SELECT 'ffffffff-0000-7000-8000-' || CAST(100000000000 + i AS TEXT), playtest_id, game_id, owner_id, status, reserved_at, deadline_at, submitted_at, ended_at, created_at
          FROM slots JOIN n ON 1 = 1 WHERE id = ?`,
          first,
          Math.min(count, first + atOnce - 1),
          id,
        ),
      manyRows,
    );
  }
  const { store } = server.deps;
  // A connection keeps the plans of foreign keys that it made while the table was small: each deletion would read the whole table.
  if (count > atOnce && store.dialect.variant === "postgres") await store.write((tx) => tx.run("ANALYZE slots"));
}

async function removeCopies({ server }: Market): Promise<void> {
  const some = "SELECT id FROM slots WHERE id LIKE 'ffffffff-%' LIMIT CAST(? AS INTEGER)";
  const remove = () => server.deps.store.write((tx) => tx.run(`DELETE FROM slots WHERE id IN (${some})`, atOnce), manyRows);
  while ((await remove()) > 0);
}

/** How many rows of a kind the inbox has, and what it says below them. */
const inboxOf = async ({ browser }: Market) => {
  const { html } = await browser.get("/studio");
  return { rows: html.split('<li class="row">').length - 1, html };
};

async function transcribing(scene: Market, mode: string) {
  const { deps } = scene.server;
  deps.transcriber = createCommandTranscriber({ ...deps.config.transcriber, command: [process.execPath, transcriber, mode] });
  return submitted(scene);
}

async function transcribed(scene: Market, mode: string) {
  const page = await transcribing(scene, mode);
  await scene.server.advance(0);
  return page;
}

/** A moment whose image is asked for, on the page of its slot. It is cut after `cut` was called. */
async function pictured(scene: Market, mode: string) {
  const { deps } = scene.server;
  deps.cutter = createFfmpegCutter({ ...deps.config.clips, ffmpeg: [process.execPath, ffmpeg, mode] });
  const cut = holdCutter(scene.server);
  const page = await submitted(scene);
  const { id } = (await scene.owner.post(`/slots/${page.split("/").at(-1)}/moments`, { atMs: 2000, text: "Lost" })).body.data
    .moment;
  await scene.browser.submit(page, `${page}/moments/still`, { moment: id });
  return { page, cut };
}

/** Pastes a table of orders and presses the button of its plan. Returns the plan and the result. */
async function bulk({ browser }: Market, text: string, fields: Record<string, string> = {}) {
  const at = "/studio/order/bulk";
  const plan = (await browser.submit(at, `${at}/check`, { text, ...fields })).html;
  const result = (await browser.send(`${at}/place`, { ...hiddenFields(plan, `${at}/check`), text, ...fields })).html;
  return { plan, result };
}

const facts: Fact<Market>[] = [
  {
    says: "This server knows rows without a ref for 24 hours. After that, the same rows are ordered again.",
    see: async (scene) => (await bulk(scene, "quantity\n1\n")).plan,
    async holds(scene) {
      expect((await bulk(scene, "quantity\n1\n")).result).toContain("0 playtests ordered for $0.00; 1 already ordered");
      const named = (await bulk(scene, "quantity,ref\n2,mine\n")).plan;
      expect(named).not.toContain("rows without a ref");
      await scene.server.advance(day);
      expect((await bulk(scene, "quantity\n1\n")).result).toContain("1 playtest ordered for $20.00");
      expect(await creditOf(scene)).toBe(20_000 - 2 * 2000 - 4000);
      expect(
        (await scene.browser.submit("/studio/order/bulk", "/studio/order/bulk/check", { text: "quantity,ref\n2,mine\n" })).html,
      ).toContain("Every row was ordered before. Nothing is left to order.");
    },
  },
  {
    says: "a name for this round: the same rows in another batch are new orders",
    see: async () => "/studio/order/bulk",
    async holds(scene) {
      for (const batch of ["", "second", "second"]) await bulk(scene, "quantity,ref\n1,mine\n", { batch });
      const { playtests } = (await scene.owner.get(`/games/${scene.gameId}/playtests`)).body.data;
      expect(playtests.map(({ ref }: { ref: string }) => ref)).toEqual(["second/mine", "mine"]);
    },
  },
  {
    says: "optional; the most that all rows together may cost, in dollars",
    see: async () => "/studio/order/bulk",
    async holds(scene) {
      expect((await bulk(scene, "quantity\n1\n1\n", { limit: "39.99" })).plan).toContain(
        "which is more than the limit of $39.99",
      );
      expect(await creditOf(scene)).toBe(20_000);
      await bulk(scene, "quantity\n1\n1\n", { limit: "40" });
      expect(await creditOf(scene)).toBe(16_000);
    },
  },
  {
    says: "Then check the same rows again: what was ordered is not ordered twice.",
    see: async (scene) => (await bulk(scene, "quantity\n8\n4\n")).result,
    async holds(scene) {
      expect(await creditOf(scene)).toBe(4000);
      await giveCredit(scene.server, scene.owner, 20_000);
      expect((await bulk(scene, "quantity\n8\n4\n")).result).toContain(
        "1 playtest ordered for $80.00; 1 already ordered, 0 failed, 0 left.",
      );
      expect(await creditOf(scene)).toBe(16_000);
    },
  },
  {
    says: "Who did not say it is not offered the playtest, so leave empty what does not matter.",
    see: async () => "/studio/order",
    async holds({ owner, gameId, playtester }) {
      const id = await order(owner, gameId, { targetAges: ["18-24"] });
      const offered = async () => (await playtester.get("/playtester/playtests")).body.data.playtests;
      expect(await offered()).toEqual([]);
      await playtester.patch("/auth/profile", { ageBand: "18-24" });
      expect(await offered()).toMatchObject([{ id, targetAges: ["18-24"], targetCountries: [] }]);
    },
  },
  {
    says: "More videos wait than are listed here. They appear when you have reviewed some of these.",
    async see(scene) {
      await submitted(scene);
      await copySlot(scene, (await slotsOf(scene))[0].id, 100);
      return "/studio";
    },
    async holds(scene) {
      const { owner } = scene;
      const waiting = async () =>
        (await owner.get("/inbox")).body.data.items.find(({ kind }: { kind: string }) => kind === "reviews");
      expect([(await inboxOf(scene)).rows, (await waiting()).count]).toEqual([100, 101]);
      await owner.post(`/slots/${(await slotsOf(scene))[0].id}/accept`);
      const { rows, html } = await inboxOf(scene);
      expect([rows, (await waiting()).count, html.includes("More videos wait")]).toEqual([100, 100, false]);
      await removeCopies(scene);
    },
  },
  {
    says: "More problems wait than are listed here. They appear when you have answered some of these.",
    async see(scene) {
      await copySlot(scene, (await reported(scene)).split("/").at(-1)!, 100);
      return "/studio";
    },
    async holds(scene) {
      expect((await inboxOf(scene)).rows).toBe(100);
      await scene.owner.post(`/slots/${(await slotsOf(scene))[0].id}/unblock`, { message: "Fixed." });
      const { rows, html } = await inboxOf(scene);
      expect([rows, html.includes("More problems wait")]).toEqual([100, false]);
      await removeCopies(scene);
    },
  },
  {
    says: "More than 100 slots are with playtesters.",
    async see(scene) {
      const { owner, gameId, playtester } = scene;
      await copySlot(scene, await claim(playtester, await order(owner, gameId)), 100);
      return "/studio";
    },
    async holds(scene) {
      const { clock, deps } = scene.server;
      // Not among those that are listed first.
      await deps.store.write((tx) =>
        tx.run("UPDATE slots SET deadline_at = ? WHERE id NOT LIKE 'ffffffff-%'", clock.now() + 3_600_000),
      );
      expect((await inboxOf(scene)).html).not.toContain("first deadline");
      await removeCopies(scene);
      expect((await inboxOf(scene)).html).toContain("1 slot is with playtesters. The first deadline is in 60 minutes.");
      expect((await inboxOf(scene)).html).toMatch(
        /<a href="[^"]+">[^<]+<\/a> <span class="soft">1 slot, due in 60 minutes<\/span>/,
      );
    },
  },
  {
    says: "There are very many slots. Only the newest 20000 are counted.",
    async see(scene) {
      await scene.owner.delete(`/slots/${(await reported(scene)).split("/").at(-1)}`);
      await copySlot(scene, (await slotsOf(scene))[0].id, 20_000);
      return "/studio/stats";
    },
    async holds(scene) {
      const counted = async () => {
        const { html } = await scene.browser.get("/studio/stats");
        return /Slots, with retries<\/span><br><strong>(\d+)/.exec(html)![1];
      };
      await scene.server.advance(day);
      await order(scene.owner, scene.gameId, { quantity: 2 });
      const { open, total } = (await scene.owner.get("/stats")).body.data.slots;
      expect([open, total, await counted()]).toEqual([2, 20_000, "20000"]);
      await removeCopies(scene);
      const { html } = await scene.browser.get("/studio/stats");
      expect([await counted(), html.includes("Only the newest")]).toEqual(["3", false]);
    },
  },
  {
    says: "Spent is the price of slots that were accepted, finally rejected, or cancelled too late for a refund. The forecast is what slots that have not ended cost if all are accepted; it is held already.",
    async see(scene) {
      const { server, owner, gameId, playtester } = scene;
      const played = async () => play(server, playtester, await order(owner, gameId));
      await owner.post(`/slots/${await played()}/accept`);
      await owner.post(`/slots/${await played()}/reject`, { reason: "Mute." });
      await owner.post(`/slots/${await played()}/reject`, { reason: "Mute.", allowRetry: true });
      await order(owner, gameId, { quantity: 2 });
      return "/studio/stats";
    },
    async holds(scene) {
      const { server, owner, playtester, browser } = scene;
      const figures = async () => {
        const { html } = await browser.get("/studio/stats");
        return ["Spent", "Forecast"].map((name) => new RegExp(`>${name}</span><br><strong>([^<]*)`).exec(html)![1]);
      };
      const held = "SELECT CAST(ABS(SUM(balance)) AS BIGINT) AS cents FROM ledger_accounts WHERE id LIKE 'liab:held:%'";
      const heldCents = async () => (await server.deps.store.read((q) => q.one<{ cents: number }>(held)))!.cents;
      expect([await figures(), await heldCents(), await creditOf(scene)]).toEqual([["$40.00", "$60.00"], 6000, 10_000]);
      const [retry] = await slotsOf(scene);
      await giveVideo(server, retry.id, playtester);
      await playtester.post(`/playtester/slots/${retry.id}/submit`);
      const [{ id }] = (await playtester.get("/playtester/playtests")).body.data.playtests;
      const others = [await play(server, playtester, id), await play(server, await registerPlaytester(server), id)];
      for (const slot of [retry.id, ...others]) expect((await owner.post(`/slots/${slot}/accept`)).status).toBe(200);
      expect([await figures(), await heldCents(), await creditOf(scene)]).toEqual([["$100.00", "$0.00"], 0, 10_000]);
      const scheduledAt = new Date(server.clock.now() + day).toISOString();
      const params = { id: await order(scene.owner, scene.gameId, { scheduledAt }) };
      const { slot } = await playtester.claimPlaytest({ params, body: { scheduledAt } });
      await server.advance(day - 1);
      expect((await owner.delete(`/slots/${slot.id}`)).status).toBe(200);
      expect([await figures(), await heldCents(), await creditOf(scene)]).toEqual([["$120.00", "$0.00"], 0, 8000]);
    },
  },
  {
    says: "The transcript could not be made.",
    see: (scene) => transcribed(scene, "fail"),
    async holds(scene) {
      const [{ id }] = await slotsOf(scene);
      expect((await scene.owner.get(`/slots/${id}`)).body.data.slot.transcription.status).toBe("failed");
      expect((await scene.owner.get(`/slots/${id}/transcript`)).status).toBe(404);
    },
  },
  {
    says: "The transcript is being made. Reload this page in a few minutes.",
    see: (scene) => transcribing(scene, "vtt"),
    async holds(scene) {
      await scene.server.advance(0);
      expect((await scene.browser.get(`/studio/slots/${(await slotsOf(scene))[0].id}`)).html).toContain("Hello there.");
    },
  },
  {
    says: "Nothing is said in this video.",
    see: (scene) => transcribed(scene, "silence"),
    async holds(scene) {
      const [{ id }] = await slotsOf(scene);
      expect((await scene.owner.get(`/slots/${id}`)).body.data.slot.transcription.status).toBe("approved");
      const { html: captions } = await scene.browser.get(`/studio/slots/${id}/captions`);
      expect([captions.includes("WEBVTT"), captions.includes("-->")]).toEqual([true, false]);
    },
  },
  {
    says: "This video has no transcript.",
    see: submitted,
    async holds(scene) {
      await scene.server.advance(day);
      expect((await scene.owner.get(`/slots/${(await slotsOf(scene))[0].id}/transcript`)).status).toBe(404);
    },
  },
  {
    says: "The still image could not be cut: the video may be damaged there.",
    async see(scene) {
      const { page, cut } = await pictured(scene, "fail");
      cut();
      await scene.server.advance(0);
      return page;
    },
    async holds(scene) {
      const page = `/studio/slots/${(await slotsOf(scene))[0].id}`;
      const why = await scene.server.deps.store.read((q) => q.all<{ error: string }>("SELECT error FROM stills"));
      expect(why.map(({ error }) => error)).toContainEqual(expect.stringContaining("moov atom not found"));
      const { html } = await scene.browser.get(page);
      expect([html.includes("Take an image"), html.includes("Delete the image"), html.includes("<img")]).toEqual([
        true,
        false,
        false,
      ]);
    },
  },
  {
    says: "The still image is being cut. Reload this page in a moment.",
    async see(scene) {
      const { page, cut } = await pictured(scene, "cut");
      const { html } = await scene.browser.get(page);
      cut();
      return html;
    },
    async holds(scene) {
      await scene.server.advance(0);
      const { html } = await scene.browser.get(`/studio/slots/${(await slotsOf(scene))[0].id}`);
      expect([html.includes("is being cut"), html.includes('alt="The video at 0:02"')]).toEqual([false, true]);
    },
  },
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
    says: "You approved the order. It was placed.",
    async see(scene) {
      const page = await waitingOrder(scene);
      return (await scene.browser.submit(page, `${page}/approve`)).location!;
    },
    async holds(scene) {
      expect((await scene.owner.get(`/games/${scene.gameId}/playtests`)).body.data.playtests).toMatchObject([
        { status: "active" },
      ]);
      expect(await creditOf(scene)).toBe(18_000);
    },
  },
  {
    says: "You declined the order. Nothing was ordered or charged.",
    async see(scene) {
      const page = await waitingOrder(scene);
      return (await scene.browser.submit(page, `${page}/decline`, { reason: "Later" })).location!;
    },
    async holds(scene) {
      expect((await scene.owner.get("/approvals")).body.data.approvals).toMatchObject([{ status: "declined", reason: "Later" }]);
      expect([await slotsOf(scene), await creditOf(scene)]).toEqual([[], 20_000]);
    },
  },
  {
    says: "Left today: $50.00 of $50.00",
    async see({ owner }) {
      await owner.post("/billing/budgets", { period: "day", limitCents: 5000 });
      return "/studio/approvals";
    },
    async holds({ owner }) {
      expect((await owner.get("/billing/budgets")).body.data.budgets).toMatchObject([{ limitCents: 5000, spentCents: 0 }]);
    },
  },
  {
    says: "(the API key nightly build)",
    async see({ owner }) {
      await owner.post("/auth/api-keys", { name: "nightly build", budgets: [{ period: "day", limitCents: 5000 }] });
      return "/studio/approvals";
    },
    async holds({ owner }) {
      const keys = (await owner.get("/auth/api-keys")).body.data.keys as { id: string; name: string }[];
      const keyId = keys.find(({ name }) => name === "nightly build")!.id;
      expect((await owner.get("/billing/budgets")).body.data.budgets).toMatchObject([{ keyId }]);
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
      expect((await open()).status).toBe(410);
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
    says: "Cancel the slots that nobody claimed, and get their price back",
    async see({ owner, gameId, playtester }) {
      const id = await order(owner, gameId, { quantity: 3 });
      await claim(playtester, id);
      return `/studio/playtests/${id}`;
    },
    async holds(scene) {
      const { owner, gameId } = scene;
      const [{ id }] = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests;
      const page = async () => (await scene.browser.get(`/studio/playtests/${id}`)).html;
      expect(await page()).toContain(`playtest playtests cancel ${id}`);
      await owner.post(`/playtests/${id}/cancel`);
      expect([await creditOf(scene), (await slotsOf(scene))[0].status]).toEqual([18_000, "reserved"]);
      expect(await page()).not.toContain(`playtest playtests cancel ${id}`);
    },
  },
  {
    says: "Three steps, and the videos of your first playtest appear here.",
    see: async () => "/studio",
    async holds(scene) {
      const page = await submitted(scene);
      expect((await scene.browser.get("/studio")).html).toContain(`<a href="${page}">Pia played Lantern Deep</a>`);
    },
  },
  {
    says: "When you accept a playtest, you and its playtester can message each other here.",
    see: async () => "/studio/messages",
    async holds(scene) {
      const page = await submitted(scene);
      await decide(scene, page, "accept", {});
      const { conversation } = (await scene.owner.post("/chat/conversations", { contactId: scene.playtester.id })).body.data;
      for (const person of [scene.owner, scene.playtester])
        expect((await person.post(`/chat/conversations/${conversation.id}/messages`, { content: "Hi" })).status).toBe(201);
      expect((await scene.browser.get("/studio/messages")).html).toContain("Pia");
    },
  },
  {
    says: "No ratings yet. You can rate a submission when you accept it.",
    async see(scene) {
      await submitted(scene);
      return "/studio/stats";
    },
    async holds(scene) {
      await decide(scene, `/studio/slots/${(await slotsOf(scene))[0].id}`, "accept", { rating: "4" });
      const { html } = await scene.browser.get("/studio/stats");
      expect([html.includes("No ratings yet."), html.includes("<strong>4.00</strong>")]).toEqual([false, true]);
    },
  },
  {
    says: "The playtester gave the slot up.",
    async see(scene) {
      const page = await reported(scene);
      await scene.playtester.post(`/playtester/slots/${page.split("/").at(-1)}/release`);
      return `${page}/problem`;
    },
    async holds(scene) {
      expect((await slotsOf(scene))[0].status).toBe("cancelled");
      const someone = await registerPlaytester(scene.server);
      expect((await someone.get("/playtester/playtests")).body.data.playtests).toHaveLength(1);
    },
  },
  {
    says: "The moment is saved, without an image. “Take an image” beside it tries again, and says what is wrong.",
    async see(scene) {
      const { deps } = scene.server;
      deps.cutter = createFfmpegCutter({ ...deps.config.clips, ffmpeg: [process.execPath, ffmpeg, "cut"] });
      const page = await submitted(scene);
      deps.config.uploads.accountMaxBytes = 1024;
      return (await scene.browser.submit(page, `${page}/moments`, { position: "0:02", text: "The key", still: "yes" })).location!;
    },
    async holds(scene) {
      const { deps } = scene.server;
      const id = (await slotsOf(scene))[0].id;
      const page = `/studio/slots/${id}`;
      const [moment] = (await scene.owner.get(`/slots/${id}/moments`)).body.data.moments;
      expect([moment.text, moment.still]).toEqual(["The key", null]);
      const take = () => scene.browser.submit(page, `${page}/moments/still`, { moment: moment.id });
      expect((await take()).html).toContain("An account can store at most 1024 bytes");
      deps.config.uploads.accountMaxBytes = 2 ** 40;
      expect((await take()).location).toContain("done=pictured");
    },
  },
  {
    says: "The newest 100 slots of this playtest are listed.",
    async see(scene) {
      await submitted(scene);
      const [{ id, requestId }] = await slotsOf(scene);
      await scene.server.deps.store.write((tx) => tx.run("UPDATE slots SET created_at = created_at + 1 WHERE id = ?", id));
      await copySlot(scene, id, 100);
      return `/studio/playtests/${requestId}/compare`;
    },
    async holds(scene) {
      const [{ id, requestId }] = await slotsOf(scene);
      const compare = async () => (await scene.browser.get(`/studio/playtests/${requestId}/compare`)).html;
      // The copies are as old as it, with later ids.
      expect(await compare()).not.toContain(`value="${id}"`);
      const one = "DELETE FROM slots WHERE id = 'ffffffff-0000-7000-8000-100000000001'";
      await scene.server.deps.store.write((tx) => tx.run(one));
      const html = await compare();
      expect([html.includes(`value="${id}"`), html.includes("are listed")]).toEqual([true, false]);
      await removeCopies(scene);
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
    const [{ id }] = (await scene.owner.get(`/games/${scene.gameId}/playtests`)).body.data.playtests;
    for (const page of [problem, `${problem}?done=cancelled`, review, `/studio/playtests/${id}`])
      expect([page, /\bpaid\b|price|cost|refund/.exec((await scene.browser.get(page)).html)?.[0]]).toEqual([page, undefined]);
  });
});
