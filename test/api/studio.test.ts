import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readEventStream } from "../../src/api/event-stream.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { mailedPath } from "../helpers/mails.ts";
import { hiddenFields, pagesMarket, type Shown, signedIn, visitor } from "../helpers/portal.ts";

const emailOf = async (person: factories.Person): Promise<string> => (await person.get("/auth/me")).body.data.email;
const password = "correct horse";

onBothDatabases("Studio", (serve) => {
  const market = async (change: Parameters<typeof serve>[0] = {}) => pagesMarket(await serve(change));

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
      expect(asked.location).toBe("/studio/sign-in/sent?next=%2Fstudio%2Fgames");
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
      expect(first.location).toBe("/studio/sign-in/code");
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
      const playtestId = await factories.order(given.owner, given.gameId, { quantity: 1 });
      const slotId = await factories.play(given.server, given.playtester, playtestId);
      return { ...given, playtestId, slotId };
    }

    it("is sent to its owner, also in parts", async () => {
      const { server, owner, slotId } = await submitted();
      const browser = await signedIn(server, owner, "/studio");
      expect((await browser.get(`/studio/slots/${slotId}`)).html).toContain(`src="/studio/slots/${slotId}/video"`);
      const path = `${server.baseUrl}/studio/slots/${slotId}/video`;
      const part = await fetch(path, { headers: { cookie: browser.cookie(), range: "bytes=4-11" } });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 4-11/4096"]);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(factories.videoBytes().subarray(4, 12));
    });

    it.each(["video", "captions", ""])("nobody else gets /%s", async (part) => {
      const { server, slotId, playtester } = await submitted();
      const stranger = await signedIn(server, await factories.registerOwner(server), "/studio");
      const path = `/studio/slots/${slotId}${part && `/${part}`}`;
      const statusOf = ({ status, location }: Shown) => [status, location];
      expect(statusOf(await stranger.get(path))).toEqual([404, null]);
      expect(statusOf(await (await signedIn(server, playtester)).get(path))).toEqual([403, null]);
      const nobody = await visitor(server).get(path);
      expect(statusOf(nobody)).toEqual([303, `/studio/sign-in?${new URLSearchParams({ next: path })}`]);
    });
  });

  describe("pages", () => {
    async function busy() {
      const given = await market();
      const { server, owner, gameId, playtester } = given;
      const playtestId = await factories.order(owner, gameId, { quantity: 4 });
      const submitted = await factories.play(server, playtester, playtestId);
      const second = await factories.registerPlaytester(server, "Bo");
      const blocked = await factories.claim(second, playtestId);
      await second.post(`/playtester/slots/${blocked}/report`, { reasonCode: "crash", notes: "At the <door>." });
      const manual = await factories.order(owner, gameId, { selectionMode: "manual", quantity: 1 });
      const answer = { qualificationsResponse: "I own a cat." };
      const applied = await second.post(`/playtester/playtests/${manual}/applications`, answer);
      const application = applied.body.data.application.id as string;
      return {
        ...given,
        playtestId,
        submitted,
        blocked,
        manual,
        application,
        second,
        browser: await signedIn(server, owner, "/studio"),
      };
    }

    it("inbox: what waits, the nearest deadline first", async () => {
      const { browser, submitted, blocked, manual } = await busy();
      const { html } = await browser.get("/studio");
      const links = [...html.matchAll(/<p class="what"><a href="([^"]+)"/g)].map(([, path]) => path);
      expect(links).toEqual([
        `/studio/playtests/${manual}/applications`,
        `/studio/slots/${blocked}/problem`,
        `/studio/slots/${submitted}`,
      ]);
      expect(html).toContain("At the &lt;door&gt;.");
    });

    it("board: each slot in the column of its state", async () => {
      const { browser, playtestId, gameId } = await busy();
      expect((await browser.get("/studio/games")).html).toContain(`/studio/games/${gameId}`);
      expect((await browser.get(`/studio/games/${gameId}`)).html).toContain(`/studio/playtests/${playtestId}`);
      const { html } = await browser.get(`/studio/playtests/${playtestId}`);
      const counts = [...html.matchAll(/<h2>([\w ]+) <span class="soft">(\d+)</g)].map(
        ([, title, count]) => `${title}: ${count}`,
      );
      expect(counts).toEqual(["Open: 2", "Being played: 0", "Problem: 1", "To review: 1", "Accepted: 0", "Ended: 0"]);
      expect(html).toContain(`playtest playtests cancel ${playtestId}`);
    });

    it("application: is approved by a button, and rejected with a message", async () => {
      const { browser, manual, application, second, server, owner, gameId } = await busy();
      const page = `/studio/playtests/${manual}/applications`;
      const done = await browser.submit(page, `${page}/${application}/approve`);
      expect(done.location).toBe(`${page}?done=approved`);
      expect((await browser.get(done.location!)).html).toContain("You approved the application.");
      expect((await second.get("/playtester/slots")).body.data.slots).toHaveLength(2);

      const other = await factories.order(owner, gameId, { selectionMode: "manual", quantity: 1 });
      const applied = await second.post(`/playtester/playtests/${other}/applications`, { qualificationsResponse: "A cat." });
      const next = `/studio/playtests/${other}/applications`;
      const { id } = applied.body.data.application;
      const action = `${next}/${id}/reject`;
      const long = await browser.submit(next, action, { customMessage: "x".repeat(1501) });
      expect(long).toMatchObject({
        status: 422,
        html: expect.stringMatching(
          new RegExp(`<details open>.*\n.*\n<textarea id="message-${id}" [^>]*aria-invalid[^>]*>x{1501}<`),
        ),
      });
      expect((await browser.submit(next, action, { customMessage: "Not this time." })).location).toBe(`${next}?done=rejected`);
      await server.advance(0);
      expect(server.mails.at(-1)!.text).toContain("Not this time.");
    });

    it("problem: an answer returns the slot, and cancelling needs a confirmation", async () => {
      const { browser, blocked, owner } = await busy();
      const page = `/studio/slots/${blocked}/problem`;
      const statusOf = async () => (await owner.get(`/slots/${blocked}`)).body.data.slot.status;
      const refused = await browser.submit(page, `/studio/slots/${blocked}/cancel`);
      expect([refused.status, refused.html]).toEqual([400, expect.stringContaining("Nothing was changed.")]);
      const answered = await browser.submit(page, page, { message: "Fixed.", keys: "" });
      expect([answered.location, await statusOf()]).toEqual([`${page}?done=answered`, "reserved"]);
      expect((await browser.get(answered.location!)).html).toContain("You answered, and the playtester got the slot back.");
    });

    it("problem: is ended by cancelling the slot", async () => {
      const { browser, blocked, owner } = await busy();
      const page = `/studio/slots/${blocked}/problem`;
      const done = await browser.submit(page, `/studio/slots/${blocked}/cancel`, { sure: "yes" });
      expect(done.location).toBe(`${page}?done=cancelled`);
      expect((await owner.get(`/slots/${blocked}`)).body.data.slot.status).toBe("cancelled");
    });

    it("messages: from the contact to a message sent", async () => {
      const { browser, owner, submitted, playtester } = await busy();
      await owner.post(`/slots/${submitted}/accept`);
      const opened = await browser.submit("/studio/messages", `/studio/messages/with/${playtester.id}`);
      const sent = await browser.submit(opened.location!, opened.location!, { content: "Well played!" });
      expect(sent.location).toBe(opened.location);
      const conversation = (await playtester.get("/chat/contacts")).body.data.contacts[0].conversationId;
      const shown = async (path: string) => (await browser.get(path)).html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
      expect(await shown("/studio/messages")).toContain("You: Well played!");
      await playtester.post(`/chat/conversations/${conversation}/messages`, { content: "Thank you!" });
      expect(await shown("/studio")).toMatch(/1 unread message from .{1,80}Thank you!/);
      await owner.post(`/chat/conversations/${conversation}/messages`, { content: "See you." });
      const inbox = await shown("/studio");
      expect([/1 unread message from/.test(inbox), inbox.includes("See you.")]).toEqual([true, false]);
      const { messages } = (await playtester.get(`/chat/conversations/${conversation}`)).body.data;
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(["Well played!", "Thank you!", "See you."]);
    });

    it("every page and form of another owner's things: 404, and nothing changes", async () => {
      const { server, owner, blocked, submitted, manual, playtestId, gameId, application } = await busy();
      const stranger = await signedIn(server, await factories.registerOwner(server), "/studio");
      const { csrf } = hiddenFields((await stranger.get("/studio")).html, "/studio/sign-out");
      const read = [
        `games/${gameId}`,
        `playtests/${playtestId}`,
        `playtests/${manual}/applications`,
        `slots/${submitted}`,
        `slots/${blocked}/problem`,
      ];
      const posts = [
        `playtests/${manual}/applications/${application}/approve`,
        `playtests/${manual}/applications/${application}/reject`,
        `slots/${blocked}/problem`,
        `slots/${blocked}/cancel`,
      ];
      const statuses = async (paths: string[], ask: (path: string) => Promise<Shown>) =>
        Promise.all(paths.map(async (path) => (await ask(`/studio/${path}`)).status));
      expect(await statuses(read, (path) => stranger.get(path))).toEqual(read.map(() => 404));
      const foreign = (path: string) => stranger.send(path, { csrf: csrf!, formKey: "k", sure: "yes" });
      expect(await statuses(posts, foreign)).toEqual(posts.map(() => 404));
      expect((await owner.get(`/slots/${blocked}`)).body.data.slot.status).toBe("blocked");
    });

    it("every form without the session's token: 403, and nothing changes", async () => {
      const { browser, owner, blocked, manual, application } = await busy();
      const posts = [
        `playtests/${manual}/applications/${application}/approve`,
        `slots/${blocked}/problem`,
        `slots/${blocked}/cancel`,
        "sign-out",
      ];
      for (const path of posts) {
        const reply = await browser.send(`/studio/${path}`, { csrf: "wrong", formKey: "k", sure: "yes" });
        expect([path, reply.status]).toEqual([path, 403]);
      }
      expect((await owner.get(`/slots/${blocked}`)).body.data.slot.status).toBe("blocked");
      expect((await browser.get("/studio")).status).toBe(200);
    });

    it("events: are streamed to a browser that is signed in, until it signs out", async () => {
      const { server, browser, owner, submitted } = await busy();
      expect((await visitor(server).get("/studio/events")).status).toBe(303);
      const reply = await fetch(`${server.baseUrl}/studio/events`, { headers: { cookie: browser.cookie() } });
      expect(reply.headers.get("content-type")).toMatch(/^text\/event-stream/);
      const events = readEventStream(Readable.fromWeb(reply.body as never));
      expect((await events.next()).value?.data).toBeUndefined();
      await owner.post(`/slots/${submitted}/accept`);
      expect(JSON.parse((await events.next()).value!.data!).event).toBe("slot.accepted");
      await browser.submit("/studio", "/studio/sign-out");
      await owner.post(`/slots/${(await owner.get("/submissions?status=blocked")).body.data.submissions[0].slot.id}/unblock`);
      expect((await events.next()).done).toBe(true);
    });
  });
});
