import { describe, expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { type AuthenticatorApp, setUpFactor } from "../helpers/factors.ts";
import { mailedPath, mailedToken } from "../helpers/mails.ts";
import { type Fact, pageFacts } from "../helpers/page-facts.ts";
import { addPasskey } from "../helpers/passkeys.ts";
import { signedIn, type Visitor, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const [minute, hour] = [60_000, 3_600_000];
const password = "correct horse";

interface Scene {
  server: TestServer;
  ann: factories.Person;
  browser: Visitor;
  email: string;
  app?: AuthenticatorApp;
}

const signInWith = async ({ server, email }: Scene, given: string) =>
  (await visitor(server).submit("/play/sign-in", "/play/sign-in/password", { email, password: given })).location;
const works = async ({ ann }: Scene) => (await ann.get("/auth/me")).status === 200;
const isSignedIn = async (browser: Visitor) => (await browser.get("/play/account")).status === 200;
const askForLink = async ({ server, email }: Scene) => {
  const asked = await visitor(server).submit("/play/sign-in", "/play/sign-in/link", { email });
  await server.advance(0);
  return (await visitor(server).get(asked.location!)).html;
};
const askForReset = async ({ server, email }: Scene) => {
  const asked = await visitor(server).submit("/play/forgot", "/play/forgot", { email });
  await server.advance(0);
  return (await visitor(server).get(asked.location!)).html;
};
const openReset = async ({ server }: Scene, fields: Record<string, string> = {}) =>
  visitor(server).submit(mailedPath(server, "reset"), "/reset-password", { password: "a new password", ...fields });
const subjectsTo = ({ server }: Scene, address: string) =>
  server.mails.filter(({ to }) => to === address).map(({ subject }) => subject);

const facts: Fact<Scene>[] = [
  {
    says: "There will be an email with a link to each of the two addresses. The address changes when both links were opened.",
    see: async () => "/play/account",
    async holds({ server, ann, browser, email }) {
      await browser.submit("/play/account", "/play/account/email", { newEmail: "new@example.com", emailPassword: password });
      await server.advance(0);
      const links = [email, "new@example.com"].map((to) => {
        const { text } = server.mails.findLast((mail) => mail.to === to && mail.subject.startsWith("Confirm the change"))!;
        const { pathname, search } = new URL(/https?:\/\/\S+/.exec(text)![0]);
        return pathname + search;
      });
      for (const [at, link] of links.entries()) {
        expect((await ann.getMe()).email).toBe(email);
        const { html } = await visitor(server).submit(link, "/change-email");
        if (at === 0)
          expect(html).toContain("Now open the link in the email to the other address. Until then the address stays as it is.");
        else expect((await ann.getMe()).email).toBe("new@example.com");
      }
    },
  },
  {
    says: "Changing your password signs you out of every browser, including this one.",
    see: async () => "/play/account",
    async holds({ server, ann, browser }) {
      const other = await signedIn(server, ann);
      const fields = { current: password, password: "a new password" };
      expect((await browser.submit("/play/account", "/play/account/password", fields)).status).toBe(303);
      expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, false]);
    },
  },
  {
    says: "visible to owners when you apply",
    see: async () => "/play/account",
    async holds({ server, ann, browser }) {
      await browser.submit("/play/account", "/play/account", { name: "Ann of Ayr", experience: "Twenty years" });
      const owner = await factories.registerOwner(server);
      await factories.giveCredit(server, owner, 10_000);
      const id = await factories.order(owner, await factories.createGame(owner), { selectionMode: "manual" });
      await ann.applyToPlaytest({ params: { id } });
      expect((await owner.get(`/playtests/${id}/applications`)).text).toMatch(/Ann of Ayr.*Twenty years/);
    },
  },
  {
    says: "others see “Deleted account”. Videos that were accepted and messages stay with the owners who received them; other videos are removed.",
    see: async () => "/play/account",
    async holds({ server, ann, browser, email }) {
      const owner = await factories.registerOwner(server);
      await factories.giveCredit(server, owner, 10_000);
      const gameId = await factories.createGame(owner);
      const [accepted, rejected] = [
        await factories.play(server, ann, await factories.order(owner, gameId)),
        await factories.play(server, ann, await factories.order(owner, gameId)),
      ];
      expect((await owner.post(`/playtests/slots/${accepted}/accept`)).status).toBe(200);
      expect((await owner.post(`/playtests/slots/${rejected}/reject`, { reason: "No sound." })).status).toBe(200);
      const admin = await factories.firstAdmin(server);
      expect((await admin.post("/admin/payouts", { userId: ann.id, amountCents: 1000 })).status).toBe(201);
      const gone = await browser.submit("/play/account", "/play/account/delete", {
        deleteEmail: email,
        deletePassword: password,
      });
      expect(gone.location).toBe("/play/sign-in?done=deleted");
      for (const slotId of [accepted, rejected])
        expect((await owner.get(`/playtests/slots/${slotId}`)).text).toContain("Deleted account");
      expect((await owner.get(`/playtests/slots/${accepted}/download-url`)).status).toBe(200);
      expect((await owner.get(`/playtests/slots/${rejected}/download-url`)).status).toBe(404);
      expect(await signInWith({ server, ann, browser, email }, password)).toBeNull();
    },
  },
  {
    says: "(not needed within 15 minutes of signing in)",
    see: async () => "/play/account",
    async holds(scene) {
      const { server, ann, browser, email } = scene;
      await server.advance(16 * minute);
      const remove = (who: Visitor) => who.submit("/play/account", "/play/account/delete", { deleteEmail: email });
      expect((await remove(browser)).status).not.toBe(303);
      const fresh = await signedIn(server, ann);
      await server.advance(14 * minute);
      expect((await remove(fresh)).location).toBe("/play/sign-in?done=deleted");
    },
  },
  {
    says: "You are signed out of every browser. API keys still work.",
    async see({ browser }) {
      const { location } = await browser.submit("/play/account", "/play/account/sign-out-everywhere");
      return location!;
    },
    async holds(scene) {
      expect([await isSignedIn(scene.browser), await works(scene)]).toEqual([false, true]);
    },
  },
  {
    says: "The API key and those created with it or in its place were revoked.",
    async see({ browser }) {
      const path = /\/play\/account\/keys\/[^/"]+\/revoke/.exec((await browser.get("/play/account/keys")).html)![0];
      return (await browser.submit("/play/account/keys", path)).location!;
    },
    holds: async (scene) => expect(await works(scene)).toBe(false),
  },
  {
    says: "Emails about the security of your account are always sent, and",
    see: async () => "/play/account/emails",
    async holds(scene) {
      const { server, ann, browser, email } = scene;
      await ann.updateNotificationSettings({ body: { mail: "off" } });
      const owner = await factories.registerOwner(server);
      await factories.giveCredit(server, owner, 10_000);
      const slotId = await factories.play(server, ann, await factories.order(owner, await factories.createGame(owner)));
      server.mails.length = 0;
      await owner.post(`/slots/${slotId}/accept`);
      await browser.submit("/play/account", "/play/account/password", { current: password, password: "a new password" });
      await server.advance(minute);
      expect(subjectsTo(scene, email)).toEqual(["Your password was changed"]);
      expect((await ann.get("/notifications")).text).toContain("slot.accepted");
    },
  },
  {
    says: "“One a day” collects what happened into one email at 08:00 UTC. What would come too late in it is sent at once.",
    see: async () => "/play/account/emails",
    async holds(scene) {
      const { server, ann, email } = scene;
      await ann.updateNotificationSettings({ body: { kinds: ["slot.accepted"], mail: "digest" } });
      const owner = await factories.registerOwner(server);
      await factories.giveCredit(server, owner, 10_000);
      const gameId = await factories.createGame(owner);
      for (const _ of [1, 2])
        await owner.post(`/slots/${await factories.play(server, ann, await factories.order(owner, gameId))}/accept`);
      server.mails.length = 0;
      expect(new Date(server.deps.clock.now()).toISOString()).toContain("T12:0");
      await server.advance(19 * hour);
      expect(subjectsTo(scene, email)).toEqual([]);
      await server.advance(hour + 5 * minute);
      expect(subjectsTo(scene, email)).toHaveLength(1);
    },
  },
  {
    says: "With a second factor, signing in also takes a six-digit code",
    see: async () => "/play/account/factor",
    async holds(scene) {
      await setUpFactor(scene.server, scene.ann, password);
      expect(await signInWith(scene, password)).toMatch(/^\/play\/sign-in\/code/);
      await askForLink(scene);
      const opened = await visitor(scene.server).submit(mailedPath(scene.server, "signIn"), "/play/sign-in/confirm");
      expect(opened.location).toMatch(/^\/play\/sign-in\/code/);
    },
  },
  {
    says: "Your present recovery codes then stop working.",
    async see(scene) {
      scene.app = await setUpFactor(scene.server, scene.ann, password);
      return "/play/account/factor";
    },
    async holds({ server, browser, app }) {
      const path = "/play/account/factor";
      const [first, second] = app!.recoveryCodes;
      const renewed = await browser.submit(path, `${path}/recovery-codes`, { code: first! });
      expect(renewed.html).toContain("They are shown only now.");
      const [, fresh] = /<li><code>([^<]+)<\/code>/.exec(renewed.html)!;
      expect((await browser.get(path)).html).not.toContain(fresh);
      const disable = async (code: string) => (await browser.submit(path, `${path}/disable`, { code })).status;
      expect([await disable(first!), await disable(second!)]).not.toContain(303);
      await server.advance(minute);
      expect(await disable(fresh!)).toBe(303);
    },
  },
  {
    says: "Nobody can sign in with the passkey",
    async see({ server, ann }) {
      const { id } = await addPasskey(server, ann);
      return `/play/account/passkeys/${id}`;
    },
    async holds({ server, ann, browser }) {
      const { passkeys } = await ann.listPasskeys();
      const path = `/play/account/passkeys/${passkeys[0]!.id}`;
      expect((await browser.submit(path, `${path}/remove`, { password })).status).toBe(303);
      expect((await ann.listPasskeys()).passkeys).toEqual([]);
      expect(await server.deps.store.read((q) => q.all("SELECT id FROM passkeys"))).toEqual([]);
    },
  },
  {
    says: "The link works once, for 15 minutes.",
    see: askForLink,
    async holds(scene) {
      const { server } = scene;
      const press = () => visitor(server).submit(mailedPath(server, "signIn"), "/play/sign-in/confirm");
      expect([(await press()).status, (await press()).status]).toEqual([303, 410]);
      await askForLink(scene);
      await server.advance(15 * minute + 1);
      expect((await press()).status).toBe(410);
    },
  },
  {
    says: "The link works once, for one hour.",
    see: askForReset,
    async holds(scene) {
      expect((await openReset(scene)).html).toContain("you were signed out of every browser. API keys still work.");
      expect([await isSignedIn(scene.browser), await works(scene)]).toEqual([false, true]);
      expect(await signInWith(scene, "a new password")).toBe("/play");
      expect((await openReset(scene).catch(() => undefined))?.status ?? 410).toBe(410);
      await askForReset(scene);
      await scene.server.advance(hour + 1);
      expect((await visitor(scene.server).get(mailedPath(scene.server, "reset"))).html).toContain("This link has expired");
    },
  },
  {
    says: "All API keys were revoked.",
    async see(scene) {
      await askForReset(scene);
      return (await openReset(scene, { keys: "revoke" })).html;
    },
    holds: async (scene) => expect(await works(scene)).toBe(false),
  },
  {
    says: "Open the link in the email we sent to verify your address. It works for 24 hours.",
    async see({ server }) {
      server.deps.config.autoVerify = false;
      const fields = { name: "Ida", email: "ida@example.com", password };
      const browser = visitor(server);
      const { location } = await browser.submit("/play/register", "/play/register", fields);
      await server.advance(0);
      return (await browser.get(location!)).html;
    },
    async holds({ server }) {
      expect(server.mails.at(-1)!.to).toBe("ida@example.com");
      const path = mailedPath(server, "verify");
      await server.advance(24 * hour - minute);
      expect((await visitor(server).get(path)).html).toContain("Was it you?");
      await server.advance(minute + 1);
      expect((await visitor(server).get(path)).html).toContain("This link has expired");
    },
  },
  {
    says: "The account was deleted. Its password and API keys do not work, and you will get no more email about it.",
    async see({ server }) {
      server.deps.config.autoVerify = false;
      await visitor(server).submit("/play/register", "/play/register", { name: "Ida", email: "ida@example.com", password });
      await server.advance(0);
      const token = mailedToken(server, "verify");
      return (await visitor(server).send("/verify-email", { token, action: "delete" })).html;
    },
    async holds(scene) {
      scene.server.mails.length = 0;
      expect(await signInWith({ ...scene, email: "ida@example.com" }, password)).toBeNull();
      await scene.server.advance(8 * 24 * hour);
      expect(subjectsTo(scene, "ida@example.com")).toEqual([]);
    },
  },
];

/** What a reply says, the request that it answers, and that it is so. */
interface Said {
  says: string;
  ask(scene: Scene & { owner: factories.Person }): Promise<Reply>;
  holds(scene: Scene & { owner: factories.Person }): Promise<void>;
}

type Reply = Awaited<ReturnType<factories.Person["post"]>>;

/** An accepted slot lets both sides write to each other. Returns the conversation. */
async function conversation({ server, ann, owner }: Scene & { owner: factories.Person }): Promise<string> {
  const slotId = await factories.play(server, ann, await factories.order(owner, await factories.createGame(owner)));
  await owner.post(`/slots/${slotId}/accept`);
  const reply = await ann.openConversation({ body: { contactId: owner.id } });
  return reply.conversation.id;
}

/** What becomes of a message of the owner. */
const write = async ({ ann, owner }: Scene & { owner: factories.Person }) => {
  const { id } = (await owner.openConversation({ body: { contactId: ann.id } })).conversation;
  return (await owner.post(`/chat/conversations/${id}/messages`, { content: "Hi" })).status;
};

const replies: Said[] = [
  {
    says: "The contact was blocked and can no longer send you messages.",
    async ask(scene) {
      return scene.ann.post(`/chat/conversations/${await conversation(scene)}/block`);
    },
    holds: async (scene) => expect(await write(scene)).toBe(403),
  },
  {
    says: "You no longer block this contact.",
    async ask(scene) {
      const id = await conversation(scene);
      await scene.ann.blockConversation({ params: { id } });
      return scene.ann.post(`/chat/conversations/${id}/unblock`);
    },
    holds: async (scene) => expect(await write(scene)).toBe(201),
  },
  {
    says: "The password was changed. API keys remain valid.",
    ask: ({ ann }) => ann.post("/auth/change-password", { currentPassword: password, newPassword: "a new password" }),
    async holds(scene) {
      expect([await works(scene), await signInWith(scene, password)]).toEqual([true, null]);
      expect(await signInWith(scene, "a new password")).toBe("/play");
    },
  },
  {
    says: "Every browser was signed out. API keys remain valid.",
    ask: ({ ann }) => ann.post("/auth/sign-out-everywhere"),
    holds: async (scene) => expect([await isSignedIn(scene.browser), await works(scene)]).toEqual([false, true]),
  },
  {
    says: "Every browser was signed out, and all other API keys were revoked.",
    ask: ({ ann }) => ann.post("/auth/sign-out-everywhere", { revokeApiKeys: true }),
    async holds({ ann, browser }) {
      expect(await isSignedIn(browser)).toBe(false);
      expect((await ann.listApiKeys()).keys).toHaveLength(1);
    },
  },
];

onBothDatabases("what replies state", (_serve, it) => {
  describe("is so", () => {
    it.for(replies)("$says", async ({ says, ask, holds }, { server }) => {
      const [ann, owner] = [await factories.registerPlaytester(server, "Ann"), await factories.registerOwner(server)];
      await factories.giveCredit(server, owner, 10_000);
      const { email } = await ann.getMe();
      const scene = { server, ann, owner, browser: await signedIn(server, ann), email };
      expect((await ask(scene)).text).toContain(says);
      await holds(scene);
    });
  });
});

onBothDatabases("what the pages of accounts state", (serve) => {
  pageFacts(facts, async () => {
    const server = await serve();
    const ann = await factories.registerPlaytester(server, "Ann");
    const { email } = await ann.getMe();
    return { server, ann, browser: await signedIn(server, ann), email };
  });
});
