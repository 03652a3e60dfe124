import { describe, expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import {
  createGame,
  giveCredit,
  order,
  type Person,
  play,
  registerOwner,
  registerPlaytester,
  videoBytes,
} from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { mailedPath } from "../helpers/mails.ts";
import { hiddenFields, type Shown, signedIn, visitor } from "../helpers/portal.ts";

const emailOf = async (person: Person): Promise<string> => (await person.get("/auth/me")).body.data.email;
const password = "correct horse";

onBothDatabases("Studio", (serve) => {
  async function market(change: Parameters<typeof serve>[0] = {}) {
    const server = await serve(change);
    const owner = await registerOwner(server, "Hearth & Co");
    await giveCredit(server, owner, 100_000);
    const gameId = await createGame(owner, { buildUrl: `${server.baseUrl}/build.zip` });
    const playtester = await registerPlaytester(server, "Ann <b>");
    return { server, owner, gameId, playtester };
  }

  describe("sign-in", () => {
    it("password: leads to the page that was asked for, and signs out again", async () => {
      const { server, owner } = await market();
      const browser = visitor(server);
      const asked = await browser.get("/studio/games");
      expect(asked).toMatchObject({ status: 303, location: "/studio/sign-in?next=%2Fstudio%2Fgames" });
      const fields = { email: await emailOf(owner), password };
      const reply = await browser.submit(asked.location!, "/studio/sign-in/password", fields);
      expect(reply).toMatchObject({ status: 303, location: "/studio/games" });
      expect((await browser.get("/studio")).html).toContain("Hearth &amp; Co");
      expect((await browser.submit("/studio", "/studio/sign-out")).location).toBe("/studio/sign-in?done=signed-out");
      expect((await browser.get("/studio")).location).toBe("/studio/sign-in?next=%2Fstudio");
    });

    it("emailed link: leads back to Studio", async () => {
      const { server, owner } = await market();
      const browser = visitor(server);
      const email = await emailOf(owner);
      const asked = await browser.submit("/studio/sign-in?next=/studio/games", "/studio/sign-in/link", { email });
      expect(asked.location).toBe("/studio/sign-in/sent");
      await server.advance(0);
      const path = mailedPath(server, "signIn");
      expect(path).toMatch(/^\/studio\/sign-in\/confirm\?/);
      expect((await browser.submit(path, "/studio/sign-in/confirm")).location).toBe("/studio/games");
    });

    it("emailed link: a playtester gets none here, and an owner none at the portal", async () => {
      const { server, owner, playtester } = await market();
      await visitor(server).submit("/studio/sign-in", "/studio/sign-in/link", { email: await emailOf(playtester) });
      await visitor(server).submit("/play/sign-in", "/play/sign-in/link", { email: await emailOf(owner) });
      await server.advance(0);
      expect(server.mails).toEqual([]);
    });

    it("second factor: asks for the code after the password", async () => {
      const { server, owner } = await market();
      const app = await setUpFactor(server, owner, password);
      const browser = visitor(server);
      const fields = { email: await emailOf(owner), password };
      const first = await browser.submit("/studio/sign-in", "/studio/sign-in/password", fields);
      expect(first.location).toBe("/studio/sign-in/code?next=%2Fstudio");
      expect((await browser.get("/studio")).status).toBe(303);
      const wrong = await browser.submit(first.location!, "/studio/sign-in/code", { code: "000000" });
      expect(wrong.status).toBe(422);
      const code = await app.nextCode();
      expect((await browser.submit(first.location!, "/studio/sign-in/code", { code })).location).toBe("/studio");
      expect((await browser.get("/studio")).status).toBe(200);
    });

    it("registration: creates an owner's account", async () => {
      const server = await serve({ config: (config) => Object.assign(config, { autoVerify: true }) });
      const browser = visitor(server);
      const fields = { name: "New Studio", email: "new@example.com", password: "a long enough password" };
      expect((await browser.submit("/studio/register", "/studio/register", fields)).location).toBe("/studio");
      expect((await browser.get("/studio")).html).toContain("New Studio");
    });
  });

  describe("an account of the other kind", () => {
    it.each<{ name: string; at: "/studio" | "/play"; own: "/studio" | "/play"; says: string }>([
      { name: "a playtester at Studio", at: "/studio", own: "/play", says: "This is a playtester account." },
      { name: "an owner at the portal", at: "/play", own: "/studio", says: "This is a game owner account." },
    ])("$name: is not signed in, and is led to the right page", async ({ at, own, says }) => {
      const { server, owner, playtester } = await market();
      const fields = { email: await emailOf(own === "/play" ? playtester : owner), password };
      const reply = await visitor(server).submit(`${at}/sign-in`, `${at}/sign-in/password`, fields);
      expect([reply.status, reply.html]).toEqual([403, expect.stringContaining(says)]);
      expect(reply.html).toContain(`<a href="${own}/sign-in">`);
      expect(reply.headers.getSetCookie().join()).not.toContain("playtest_session");
    });

    it.each<{ name: string; at: "/studio" | "/play"; own: "/studio" | "/play" }>([
      { name: "a playtester who is signed in, at Studio", at: "/studio", own: "/play" },
      { name: "an owner who is signed in, at the portal", at: "/play", own: "/studio" },
    ])("$name: gets a link to their own pages, and can sign out", async ({ at, own }) => {
      const { server, owner, playtester } = await market();
      const browser = await signedIn(server, own === "/play" ? playtester : owner, own);
      const page = await browser.get(at);
      expect([page.status, page.html]).toEqual([403, expect.stringContaining(`<a class="button" href="${own}">`)]);
      expect((await browser.get(`${at}/slots/${owner.id}`)).status).toBe(403);
      expect((await browser.send(`${at}/sign-out`, { csrf: "wrong" })).status).toBe(403);
      expect((await browser.send(`${at}/sign-out`, hiddenFields(page.html, `${at}/sign-out`))).status).toBe(303);
      expect((await browser.get(own)).status).toBe(303);
    });
  });

  describe("the video of a slot", () => {
    async function submitted() {
      const given = await market();
      const playtestId = await order(given.owner, given.gameId, { quantity: 1 });
      const slotId = await play(given.server, given.playtester, playtestId);
      return { ...given, playtestId, slotId };
    }

    it("is sent to its owner, also in parts", async () => {
      const { server, owner, slotId } = await submitted();
      const browser = await signedIn(server, owner, "/studio");
      expect((await browser.get(`/studio/slots/${slotId}`)).html).toContain(`src="/studio/slots/${slotId}/video"`);
      const path = `${server.baseUrl}/studio/slots/${slotId}/video`;
      const part = await fetch(path, { headers: { cookie: browser.cookie(), range: "bytes=4-11" } });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 4-11/4096"]);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(videoBytes().subarray(4, 12));
    });

    it.each(["video", "captions", ""])("nobody else gets /%s", async (part) => {
      const { server, slotId, playtester } = await submitted();
      const stranger = await signedIn(server, await registerOwner(server), "/studio");
      const path = `/studio/slots/${slotId}${part && `/${part}`}`;
      const statusOf = ({ status, location }: Shown) => [status, location];
      expect(statusOf(await stranger.get(path))).toEqual([404, null]);
      expect(statusOf(await (await signedIn(server, playtester)).get(path))).toEqual([403, null]);
      const nobody = await visitor(server).get(path);
      expect(statusOf(nobody)).toEqual([303, `/studio/sign-in?${new URLSearchParams({ next: path })}`]);
    });
  });
});
