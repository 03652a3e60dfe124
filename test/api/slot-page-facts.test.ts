import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, order, play } from "../helpers/factories.ts";
import { type AuthenticatorApp, setUpFactor } from "../helpers/factors.ts";
import { holdCutter } from "../helpers/held-cutter.ts";
import { type Fact, type Market, market, pageFacts, slotsOf } from "../helpers/page-facts.ts";
import { visitor } from "../helpers/portal.ts";
import { submitted as reviewable, transcriptOf } from "../helpers/review.ts";

const [minute, day] = [60_000, 86_400_000];
const ffmpeg = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
const password = "correct horse";

const pageOf = (slotId: string) => `/studio/slots/${slotId}`;
const ownSlot = async (scene: Market): Promise<string> => (await slotsOf(scene))[0].id;
const submitted = async ({ server, owner, gameId, playtester }: Market) => play(server, playtester, await order(owner, gameId));
const claimed = async ({ owner, gameId, playtester }: Market) => claim(playtester, await order(owner, gameId));
const momentsOf = async ({ owner }: Market, id: string) => (await owner.get(`/slots/${id}/moments`)).body.data.moments;
const cuts = ({ server: { deps } }: Market) => {
  deps.cutter = createFfmpegCutter({ ...deps.config.clips, ffmpeg: [process.execPath, ffmpeg, "cut"] });
};

/** A slot has the status and no video, whichever way it is asked for. */
const hasNoVideo = (status: string) => async (scene: Market) => {
  const [playtest] = (await scene.owner.get(`/games/${scene.gameId}/playtests`)).body.data.playtests;
  const { slots } = (await scene.owner.get(`/playtests/${playtest.id}/slots`)).body.data;
  const slot = slots.find((one: { status: string }) => one.status === status);
  expect((await scene.owner.get(`/slots/${slot.id}`)).body.data.slot.submission).toBeNull();
  expect((await scene.owner.get(`/slots/${slot.id}/download-url`)).status).toBeGreaterThanOrEqual(400);
};

const inStudio: Fact<Market>[] = [
  {
    says: "Nobody has claimed this slot yet, so there is no video.",
    async see({ owner, gameId }) {
      const [slot] = (await owner.get(`/playtests/${await order(owner, gameId)}/slots`)).body.data.slots;
      return pageOf(slot.id);
    },
    holds: hasNoVideo("open"),
  },
  {
    says: "The playtester has not submitted a video yet.",
    see: async (scene) => pageOf(await claimed(scene)),
    holds: hasNoVideo("reserved"),
  },
  {
    says: "The playtester reported a problem and has not submitted a video.",
    async see(scene) {
      const id = await claimed(scene);
      await scene.playtester.post(`/playtester/slots/${id}/report`, { reasonCode: "crash" });
      return pageOf(id);
    },
    holds: hasNoVideo("blocked"),
  },
  {
    says: "No video was submitted for this slot.",
    async see(scene) {
      const id = await claimed(scene);
      await scene.server.advance(4 * day);
      return pageOf(id);
    },
    holds: hasNoVideo("expired"),
  },
  {
    says: "The moment is saved, without an image: this server cuts none. Its operator can install ffmpeg.",
    async see(scene) {
      scene.server.deps.cutter = null;
      const page = pageOf(await submitted(scene));
      return (await scene.browser.submit(page, `${page}/moments`, { position: "0:02", text: "The key", still: "yes" })).location!;
    },
    async holds(scene) {
      const id = await ownSlot(scene);
      expect(await momentsOf(scene, id)).toMatchObject([{ text: "The key", still: null }]);
      cuts(scene);
      const fields = { position: "0:03", text: "The door", still: "yes" };
      const { location } = await scene.browser.submit(pageOf(id), `${pageOf(id)}/moments`, fields);
      expect(location).toContain("done=noted-pictured");
      await scene.server.advance(0);
      expect((await momentsOf(scene, id)).at(-1)).toMatchObject({ text: "The door", still: { status: "ready" } });
    },
  },
  {
    says: "It is gone for good.",
    async see(scene) {
      const id = await submitted(scene);
      const { body } = await scene.owner.post(`/slots/${id}/moments`, { atMs: 2000, text: "Lost" });
      return `${pageOf(id)}?edit=${body.data.moment.id}`;
    },
    async holds(scene) {
      const id = await ownSlot(scene);
      const [moment] = await momentsOf(scene, id);
      const action = `${pageOf(id)}/moments/delete`;
      const { location } = await scene.browser.submit(`${pageOf(id)}?edit=${moment.id}`, action, { moment: moment.id });
      expect((await scene.browser.get(location!)).html).toContain("The moment is deleted.");
      expect(await momentsOf(scene, id)).toEqual([]);
      expect((await scene.owner.patch(`/moments/${moment.id}`, { text: "Found" })).status).toBe(404);
      expect(await scene.server.deps.store.read((q) => q.all("SELECT * FROM moments"))).toEqual([]);
    },
  },
  {
    says: "The timeline shows the moments of this list.",
    async see(scene) {
      const id = await submitted(scene);
      for (let at = 0; at < 60; at++) await scene.owner.post(`/slots/${id}/moments`, { atMs: at * 10, text: `Moment ${at}` });
      return pageOf(id);
    },
    async holds(scene) {
      const page = pageOf(await ownSlot(scene));
      const first = (await scene.browser.get(page)).html;
      const later = (await scene.browser.get(`${page}${/href="[^"]*(\?cursor=[^"#]*)#moments">Later/.exec(first)![1]}`)).html;
      for (const [html, others] of [
        [first, later],
        [later, first],
      ] as const) {
        const inTimeline = [...html.matchAll(/class="mark[^"]*" data-at="(\d+)"/g)].map(([, at]) => at);
        const inList = [...html.matchAll(/class="at" href="[^"]*" data-at="(\d+)"/g)].map(([, at]) => at);
        expect([inTimeline.length > 0, inTimeline]).toEqual([true, inList]);
        expect(others).not.toContain(`class="at" href="?t=0s#player" data-at="${inList[0]}"`);
      }
    },
  },
  {
    says: "is being cut: reload this page in a moment",
    async see(scene) {
      cuts(scene);
      const page = pageOf(await submitted(scene));
      const cut = holdCutter(scene.server);
      const { location } = await scene.browser.submit(page, `${page}/clips`, { part: "0:00-0:01", name: "The key" });
      const { html } = await scene.browser.get(location!);
      cut();
      return html;
    },
    async holds(scene) {
      await scene.server.advance(0);
      const page = pageOf(await ownSlot(scene));
      const { html } = await scene.browser.get(page);
      expect(html).not.toContain("is being cut");
      const [, link] = /<li id="clip-[^"]*"><a href="([^"]+)"/.exec(html)!;
      const download = () => fetch(link!.replaceAll("&amp;", "&"));
      expect((await download()).status).toBe(200);
      const [, clip] = /name="clip" value="([^"]+)"/.exec(html)!;
      const { location } = await scene.browser.submit(page, `${page}/clips/delete`, { clip: clip! });
      expect((await scene.browser.get(location!)).html).toContain("The clip is deleted.");
      // A job removes its file.
      await scene.server.advance(0);
      expect((await download()).status).toBe(404);
    },
  },
  {
    says: "Searches the transcripts and key takeaways of your videos, the notes of playtesters, your own notes and findings, and the names of games, playtests and playtesters.",
    see: async () => "/studio/search",
    async holds(scene) {
      const { server, owner, gameId, browser, playtester } = scene;
      const said = { notes: "The cellar", transcript: transcriptOf(["A lantern"]), takeaways: ["The rope is short"] };
      const id = await reviewable(server, owner, { gameId, playtester, ...said });
      await owner.post(`/slots/${id}/moments`, { atMs: 2000, text: "Finds the well" });
      await owner.post(`/games/${gameId}/findings`, { title: "The bridge wobbles", kind: "bug" });
      await order(owner, gameId, { ref: "autumn" });
      await server.advance(0);
      const found = async (word: string, who = browser) => (await who.get(`/studio/search?q=${word}`)).html.includes(id);
      const stranger = (await market(server, "/studio")).browser;
      const words = ["lantern", "rope", "cellar", "well"];
      expect(await Promise.all(words.map((word) => found(word)))).toEqual([true, true, true, true]);
      expect(await Promise.all(words.map((word) => found(word, stranger)))).toEqual([false, false, false, false]);
      const { displayName } = (await owner.getSlot({ params: { id } })).slot.playtester!;
      const isListed = async (word: string, who = browser) =>
        (await who.get(`/studio/search?q=${encodeURIComponent(word)}`)).html.includes('class="card"');
      const names = ["bridge", "autumn", "Deep", displayName];
      expect(await Promise.all(names.map((name) => isListed(name)))).toEqual([true, true, true, true]);
      expect(await isListed("autumn", stranger)).toBe(false);
    },
  },
];

interface Visit extends Market {
  app?: AuthenticatorApp;
  /** The recovery codes of the account. */
  codes?: string[];
}

const factorPage = "/play/account/factor";

const inPortal: Fact<Visit>[] = [
  {
    says: "When you accept, the time and your network address are recorded with it.",
    async see({ server, owner, gameId }) {
      await server.request("PUT", `/games/${gameId}/agreement`, { key: owner.key, body: { text: "Tell nobody." } });
      return `/play/offers/${await order(owner, gameId)}/agreement`;
    },
    async holds({ server, browser, playtester, gameId, owner }) {
      const [{ id }] = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests;
      const page = `/play/offers/${id}/agreement`;
      const consents = () =>
        server.deps.store.read((q) => q.all<{ user_id: string; address: string; created_at: number }>("SELECT * FROM consents"));
      expect(await consents()).toEqual([]);
      await server.advance(minute);
      await browser.submit(page, page, { accepted: "on" });
      const [consent] = await consents();
      expect(consent).toMatchObject({ user_id: playtester.id, address: "127.0.0.1" });
      expect(Number(consent!.created_at)).toBe(server.clock.now());
      const when = new Date(server.clock.now()).toISOString();
      expect((await browser.get(page)).html).toContain(`You accepted this version on <time datetime="${when}"`);
    },
  },
  {
    says: "Changing your password or email address does too.",
    async see(scene) {
      scene.app = await setUpFactor(scene.server, scene.playtester, password);
      return factorPage;
    },
    async holds({ server, playtester, browser, app }) {
      const [page, next] = ["/play/account", "new@example.com"];
      const withCode = (code?: string): Record<string, string> => (code === undefined ? {} : { code });
      const moveFields = { newEmail: next, emailPassword: password };
      const move = (code?: string) => browser.submit(page, `${page}/email`, { ...moveFields, ...withCode(code) });
      const mailed = async () => {
        await server.advance(0);
        return server.mails.some(({ to }) => to === next);
      };
      const passwordFields = { current: password, password: "a new password" };
      const change = (code?: string) => browser.submit(page, `${page}/password`, { ...passwordFields, ...withCode(code) });
      const { email } = (await playtester.get("/auth/me")).body.data;
      const oldWorks = async () => {
        const signIn = { email, password };
        return (await visitor(server).submit("/play/sign-in", "/play/sign-in/password", signIn)).status === 303;
      };
      for (const code of [undefined, "000000"])
        expect([(await move(code)).status, (await change(code)).status]).not.toContain(303);
      expect([await mailed(), await oldWorks()]).toEqual([false, true]);
      await move(await app!.nextCode());
      await change(await app!.nextCode());
      expect([await mailed(), await oldWorks()]).toEqual([true, false]);
    },
  },
  {
    says: "If you lose your phone, enter one of them instead of the app's code. Each works once.",
    async see(scene) {
      const { recoveryCodes } = await setUpFactor(scene.server, scene.playtester, password);
      const { html } = await scene.browser.submit(factorPage, `${factorPage}/recovery-codes`, { code: recoveryCodes[0]! });
      scene.codes = [...html.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code]) => code!);
      return html;
    },
    async holds({ server, playtester, codes = [] }) {
      const { email } = (await playtester.get("/auth/me")).body.data;
      const signIn = async (code: string) => {
        const person = visitor(server);
        const asked = await person.submit("/play/sign-in", "/play/sign-in/password", { email, password });
        await person.submit(asked.location!, "/play/sign-in/code", { code });
        return (await person.get("/play/account")).status;
      };
      const [first, second] = codes as [string, string];
      expect([await signIn(first), await signIn(first), await signIn(second)]).toEqual([200, 303, 200]);
    },
  },
];

onBothDatabases("what pages of slots in Studio state", (serve) => {
  pageFacts(inStudio, async () => market(await serve(), "/studio"));
});

onBothDatabases("what pages of the portal state about agreements and codes", (serve) => {
  pageFacts(inPortal, async (): Promise<Visit> => market(await serve(), "/play"));
});
