import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, vi } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import * as users from "../../server/accounts/users-store.ts";
import { sha256 } from "../../server/lib/secrets.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { mailedPath, mailedToken } from "../helpers/mails.ts";
import {
  claimInBrowser,
  hiddenFields,
  type PlainFile,
  pagesMarket,
  plainForm,
  signedIn,
  type Visitor,
  visitor,
} from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";
import { octets, raw, tus } from "../helpers/tus.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

onBothDatabases("the portal", (serve, it) => {
  const market = async (change: Parameters<typeof serve>[0] = {}) => pagesMarket(await serve(change));

  const slotsOf = async (person: factories.Person) => (await person.get("/playtester/slots")).body.data.slots;
  const emailOf = async (person: factories.Person): Promise<string> => (await person.get("/auth/me")).body.data.email;

  async function admin(server: TestServer): Promise<factories.Person> {
    return factories.personWith(server, (await ensureAdmin(server.deps))!, "admin");
  }

  /** Asks for a link; where it leads. */
  async function linkFor(server: TestServer, browser: Visitor, email: string, page = "/play/sign-in"): Promise<string> {
    const links = () => server.mails.filter(({ subject }) => subject === "Your sign-in link").length;
    const before = links();
    const asked = await browser.submit(page, "/play/sign-in/link", { email });
    expect(asked).toMatchObject({ status: 303, location: expect.stringMatching(/^\/play\/sign-in\/sent/) });
    await server.advance(0);
    expect(links()).toBe(before + 1);
    return mailedPath(server, "signIn");
  }

  describe("sign-in", () => {
    it("emailed link: opening it asks for a click, which works once", async () => {
      const { server, playtester } = await market();
      const ann = visitor(server);
      const path = await linkFor(server, ann, (await emailOf(playtester)).toUpperCase(), "/play/sign-in?next=/play/slots");
      await ann.get(path);
      const pressed = await ann.submit(path, "/play/sign-in/confirm");
      expect(pressed).toMatchObject({ status: 303, location: "/play/slots" });
      expect(pressed.headers.getSetCookie()[0]).toMatch(
        /^playtest_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
      );
      expect((await ann.get("/play")).html).toContain("Ann &lt;b&gt;");
      // A second press in the same browser is harmless, and in another one it is nothing.
      expect((await ann.submit(path, "/play/sign-in/confirm")).status).toBe(303);
      expect((await visitor(server).submit(path, "/play/sign-in/confirm")).status).toBe(410);
    });

    it("expired link: does not sign in", async () => {
      const { server, playtester } = await market();
      const ann = visitor(server);
      const path = await linkFor(server, ann, await emailOf(playtester));
      await server.advance(15 * minute);
      expect((await ann.submit(path, "/play/sign-in/confirm")).status).toBe(410);
      expect((await ann.get("/play")).location).toBe("/play/sign-in?next=%2Fplay");
    });

    it("emailed link: verifies the address; before that, the password is refused", async () => {
      const server = await serve({ config: (config) => Object.assign(config, { autoVerify: false }) });
      await factories.registerPlaytester(server);
      const ann = visitor(server);
      const fields = { email: "playtester1@example.com", password: "correct horse" };
      const refused = await ann.submit("/play/sign-in", "/play/sign-in/password", fields);
      expect(refused.status).toBe(403);
      expect(refused.html).toContain("not verified yet");
      const path = await linkFor(server, ann, fields.email);
      expect((await ann.submit(path, "/play/sign-in/confirm")).status).toBe(303);
      expect((await ann.get("/play")).status).toBe(200);
    });

    it("unknown address: gets the same reply, and no email", async () => {
      const { server, owner } = await market();
      for (const email of ["nobody@example.com", await emailOf(owner), "not an address"]) {
        const asked = await visitor(server).submit("/play/sign-in", "/play/sign-in/link", { email });
        expect(asked).toMatchObject({ status: 303, location: "/play/sign-in/sent" });
      }
      await server.advance(0);
      expect(server.mails).toEqual([]);
    });

    it.each<{ name: string; fields: Record<string, string>; status: number; says: string }>([
      { name: "a wrong password", fields: { password: "wrong horse" }, status: 401, says: "is incorrect" },
      { name: "an unknown address", fields: { email: "x@example.com" }, status: 401, says: "is incorrect" },
      {
        name: "an owner",
        fields: { email: "game_owner1@example.com" },
        status: 403,
        says: 'This is a game owner account. You are not signed in. <a href="/studio/sign-in">',
      },
      { name: "no form token", fields: { csrf: "" }, status: 403, says: "out of date" },
    ])("password: $name", async ({ fields, status, says }) => {
      const { server, playtester } = await market();
      const good = { email: await emailOf(playtester), password: "correct horse" };
      const reply = await visitor(server).submit("/play/sign-in", "/play/sign-in/password", { ...good, ...fields });
      expect(reply.status).toBe(status);
      expect(reply.html).toContain(says);
      expect(reply.headers.getSetCookie().join()).not.toContain("playtest_session");
    });

    it("limits password attempts per address, together with the API", async () => {
      const { server } = await market({
        config: (config) => Object.assign(config.limits, { enabled: true, passwordPerMinute: 2, registerPerMinute: 10 }),
      });
      const body = { name: "x", email: "x@example.com", password: "wrong horse" };
      expect((await server.request("POST", "/auth/api-keys", { body })).status).toBe(401);
      const ann = visitor(server);
      const attempt = () => ann.submit("/play/sign-in", "/play/sign-in/password", body);
      expect((await attempt()).status).toBe(401);
      const refused = await attempt();
      expect(refused.status).toBe(429);
      expect(refused.headers.get("retry-after")).toBe("30");
      expect(refused.html).toContain("Too many requests. Wait 30 seconds, then try again.");
      server.clock.set(server.clock.now() + 29_500);
      expect((await attempt()).html).toContain("Too many requests. Wait 1 second, then try again.");
      expect((await ann.submit("/play/sign-in", "/play/sign-in/link", { email: "x@example.com" })).status).toBe(429);
      expect((await server.request("POST", "/auth/api-keys", { body })).status).toBe(429);
    });

    it("cookies: Secure when the base URL is https", async ({ server }) => {
      server.deps.config.baseUrl = "https://play.example.com";
      const cookie = (await visitor(server).get("/play/sign-in")).headers.getSetCookie()[0];
      expect(cookie).toMatch(/^__Host-playtest_visitor=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    });
  });

  describe("a session", () => {
    it("refuses a form without its token and changes nothing", async () => {
      const { server, owner, gameId, playtester } = await market();
      const id = await factories.order(owner, gameId);
      const [ann, other] = [
        await signedIn(server, playtester),
        await signedIn(server, await factories.registerPlaytester(server)),
      ];
      const foreign = hiddenFields((await other.get("/play")).html, "/play/sign-out").csrf!;
      for (const fields of [{}, { csrf: "" }, { csrf: "x".repeat(43) }, { csrf: foreign }]) {
        const refused = await ann.send(`/play/offers/${id}/claim`, fields as Record<string, string>);
        expect(refused.status).toBe(403);
        expect(refused.html).toContain("Nothing was changed");
      }
      expect(await slotsOf(playtester)).toEqual([]);
      expect((await claimInBrowser(ann, id)).status).toBe(303);
    });

    it.each<{ name: string; end(server: TestServer, playtester: factories.Person, browser: Visitor): Promise<unknown> }>([
      { name: "signing out", end: (_server, _person, browser) => browser.submit("/play", "/play/sign-out") },
      {
        name: "a new password",
        end: (_server, person) =>
          person.post("/auth/change-password", { currentPassword: "correct horse", newPassword: "another horse" }),
      },
      {
        name: "a password that was reset",
        async end(server, person) {
          await server.request("POST", "/auth/password-reset", { body: { email: await emailOf(person) } });
          await server.advance(0);
          const token = mailedToken(server, "reset");
          await server.request("POST", "/auth/password-reset/confirm", { body: { token, newPassword: "another horse" } });
        },
      },
      {
        name: "suspension",
        end: async (server, person) => (await admin(server)).post(`/admin/users/${person.id}/suspend`, {}),
      },
      {
        name: "suspension that was lifted since",
        async end(server, person) {
          const boss = await admin(server);
          await boss.post(`/admin/users/${person.id}/suspend`, {});
          await boss.post(`/admin/users/${person.id}/unsuspend`, {});
        },
      },
      {
        name: "a suspension that a session slipped past",
        end: (server, person) =>
          server.deps.store.write((tx) => users.update(tx, person.id, { suspended_at: server.clock.now() })),
      },
      { name: "30 days", end: (server) => server.advance(30 * day) },
    ])("ends by $name, also in a browser with a copied cookie", async ({ end }) => {
      const { server, owner, gameId, playtester } = await market();
      const id = await factories.order(owner, gameId);
      const ann = await signedIn(server, playtester);
      const thief = visitor(server);
      for (const [name, value] of ann.cookies) thief.cookies.set(name, value);
      const fields = { ...hiddenFields((await thief.get(`/play/offers/${id}`)).html, `/play/offers/${id}/claim`), sure: "yes" };
      await end(server, playtester, ann);
      expect((await thief.get("/play")).location).toBe("/play/sign-in?next=%2Fplay&done=ended");
      const leads = `/play/sign-in?next=${encodeURIComponent(`/play/offers/${id}`)}&done=ended`;
      expect((await thief.send(`/play/offers/${id}/claim`, fields)).location).toBe(leads);
      expect((await owner.get(`/playtests/${id}/slots`)).body.data.slots[0].status).toBe("open");
    });

    it("a suspended playtester cannot sign in again", async () => {
      const { server, playtester } = await market();
      const ann = visitor(server);
      const path = await linkFor(server, ann, await emailOf(playtester));
      await (await admin(server)).post(`/admin/users/${playtester.id}/suspend`, {});
      expect((await ann.submit(path, "/play/sign-in/confirm")).status).toBe(410);
      const fields = { email: "playtester2@example.com", password: "correct horse" };
      const refused = await ann.submit("/play/sign-in", "/play/sign-in/password", fields);
      expect(refused.status).toBe(403);
      expect(refused.html).toContain("This account is suspended");
    });

    it("stores only hashes of the cookie and of mailed links", async () => {
      const { server, playtester } = await market();
      const ann = visitor(server);
      const path = await linkFor(server, ann, await emailOf(playtester));
      await ann.submit(path, "/play/sign-in/confirm");
      const rows = await server.deps.store.read(async (q) => [
        ...(await q.all("SELECT * FROM sessions")),
        ...(await q.all("SELECT * FROM one_time_tokens")),
      ]);
      const stored = JSON.stringify(rows);
      expect(rows).toHaveLength(2);
      expect(stored).not.toContain(ann.cookies.get("playtest_session"));
      expect(stored).not.toContain(new URL(`http://x${path}`).searchParams.get("token"));
    });
  });

  describe("registration", () => {
    const fields = { name: "Ida", email: "ida@example.com", password: "long enough" };

    it("sends a link that verifies the address; after that, the password signs in", async () => {
      const server = await serve({ config: (config) => (config.autoVerify = false) });
      const ida = visitor(server);
      const asked = await ida.submit("/play/register", "/play/register", fields);
      expect(asked).toMatchObject({ status: 303, location: "/play/register/sent" });
      await server.advance(0);
      const path = mailedPath(server, "verify");
      const signIn = () => ida.submit("/play/sign-in", "/play/sign-in/password", fields);
      expect((await signIn()).status).toBe(403);
      expect((await ida.submit(path, "/verify-email")).html).toContain('href="/play/sign-in?email=');
      expect((await signIn()).location).toBe("/play");
      expect((await ida.get("/play")).html).toContain("Ida</a>");
    });

    it("signs in at once where addresses need no verification", async () => {
      const { server } = await market({ config: (config) => (config.autoVerify = true) });
      const ida = visitor(server);
      expect((await ida.submit("/play/register", "/play/register", fields)).location).toBe("/play");
      expect((await ida.get("/play/account")).html).toContain("ida@example.com");
    });

    it.each<{ name: string; given: Record<string, string>; status: number; says: string }>([
      { name: "a short password", given: { password: "short" }, status: 422, says: "The password must " },
      { name: "no address", given: { email: "ida" }, status: 422, says: "The email must " },
      { name: "an address that is taken", given: { email: "playtester2@example.com" }, status: 409, says: "exists" },
      { name: "a form of another site", given: { csrf: "forged" }, status: 403, says: "out of date" },
    ])("refuses $name, and shows the input again", async ({ given, status, says }) => {
      const { server } = await market();
      const reply = await visitor(server).submit("/play/register", "/play/register", { ...fields, ...given });
      expect(reply.status).toBe(status);
      expect(reply.html).toContain(says);
      if (status !== 403) expect(reply.html).toContain('value="Ida"');
      expect(reply.html).not.toContain(fields.password);
    });

    it("is limited per address, together with the API", async () => {
      const { server } = await market({
        config: (config) => Object.assign(config.limits, { enabled: true, registerPerMinute: 3 }),
      });
      const statuses = [];
      for (const email of ["a@example.com", "b@example.com"])
        statuses.push((await visitor(server).submit("/play/register", "/play/register", { ...fields, email })).status);
      expect(statuses).toEqual([303, 429]);
    });
  });

  describe("an account", () => {
    it("saves the display name and gaming experience", async () => {
      const { server, playtester } = await market();
      const ann = await signedIn(server, playtester);
      const saved = await ann.submit("/play/account", "/play/account", { name: "Ann <c>", experience: "All of them.\nTwice." });
      expect(saved.location).toBe("/play/account?done=saved");
      const { profile } = (await playtester.get("/auth/me")).body.data;
      expect(profile).toMatchObject({ displayName: "Ann <c>", gamingExperience: "All of them.\nTwice." });
      expect((await ann.get("/play/account")).html).toContain("Ann &lt;c&gt;</a>");
      const refused = await ann.submit("/play/account", "/play/account", { name: " ", experience: "None" });
      expect(refused.status).toBe(422);
      expect(refused.html).toContain("None</textarea>");
    });

    it("changes its password, which signs out every browser", async () => {
      const { server, playtester } = await market();
      const [here, there] = [await signedIn(server, playtester), await signedIn(server, playtester)];
      const change = (current: string, password: string) =>
        here.submit("/play/account", "/play/account/password", { current, password });
      expect((await change("wrong", "a new password")).status).toBe(422);
      expect((await change("correct horse", "short")).status).toBe(422);
      expect((await change("correct horse", "a new password")).location).toBe("/play/sign-in?done=password");
      for (const browser of [here, there]) expect((await browser.get("/play")).status).toBe(303);
      const signIn = async (password: string) => {
        const fields = { email: await emailOf(playtester), password };
        return (await here.submit("/play/sign-in?done=password", "/play/sign-in/password", fields)).status;
      };
      expect([await signIn("correct horse"), await signIn("a new password")]).toEqual([401, 303]);
    });

    it("downloads what is kept about it, as a file that no cache stores", async () => {
      const { server, playtester } = await market();
      const ann = await signedIn(server, playtester);
      const file = await ann.get("/play/account/export");
      expect([file.status, file.headers.get("content-type"), file.headers.get("content-disposition")]).toEqual([
        200,
        "application/json",
        expect.stringMatching(/^attachment; filename="account\.json"/),
      ]);
      expect(file.headers.get("cache-control")).toContain("no-store");
      expect(JSON.parse(file.html).account).toMatchObject({ id: playtester.id, email: await emailOf(playtester) });
      expect((await visitor(server).get("/play/account/export")).status).toBe(303);
    });

    it("is deleted after its address was typed, with a password unless the sign-in is 15 minutes old at most", async () => {
      const { server, playtester } = await market();
      const ann = await signedIn(server, playtester);
      const email = await emailOf(playtester);
      const remove = (deleteEmail: string, deletePassword = "") =>
        ann.submit("/play/account", "/play/account/delete", { deleteEmail, deletePassword });
      const other = await remove("other@example.com");
      expect([other.status, other.html.includes("is not the email address of this account")]).toEqual([422, true]);
      expect((await remove(email, "wrong horse")).status).toBe(422);
      await server.advance(16 * minute);
      expect((await remove(email)).html).toContain("is required");
      const again = await signedIn(server, playtester);
      const done = await again.submit("/play/account", "/play/account/delete", { deleteEmail: email.toUpperCase() });
      expect(done.location).toBe("/play/sign-in?done=deleted");
      expect((await again.get("/play/account")).status).toBe(303);
      expect((await again.get(done.location!)).html).toContain("Your account was deleted.");
    });

    it("with a second factor is deleted with a code only, however fresh the sign-in is", async () => {
      const { server, playtester } = await market();
      const ann = await signedIn(server, playtester);
      const app = await setUpFactor(server, playtester, "correct horse");
      const deleteEmail = await emailOf(playtester);
      const remove = (code: string) => ann.submit("/play/account", "/play/account/delete", { deleteEmail, code });
      expect((await remove("000000")).html).toContain("The code is not correct");
      expect((await remove(await app.nextCode())).location).toBe("/play/sign-in?done=deleted");
    });

    it("limits guesses of the current password like sign-in attempts", async () => {
      const { server, playtester } = await market({
        config: (config) => Object.assign(config.limits, { enabled: true, passwordPerMinute: 3 }),
      });
      const ann = await signedIn(server, playtester);
      const guess = async () =>
        (await ann.submit("/play/account", "/play/account/password", { current: "guess", password: "a new password" })).status;
      expect([await guess(), await guess(), await guess()]).toEqual([422, 422, 429]);
    });

    it("gets an email to reset the password; an unknown address gets the same reply and no email", async () => {
      const { server, playtester } = await market();
      const ann = visitor(server);
      const ask = async (email: string) => (await ann.submit("/play/forgot", "/play/forgot", { email })).location;
      const before = server.mails.length;
      expect(await ask("nobody@example.com")).toBe("/play/forgot/sent");
      await server.advance(0);
      expect(server.mails).toHaveLength(before);
      expect(await ask(await emailOf(playtester))).toBe("/play/forgot/sent");
      await server.advance(0);
      const done = await ann.submit(mailedPath(server, "reset"), "/reset-password", { password: "a new password" });
      expect(done.html).toContain('<a href="/play/sign-in">');
      const fields = { email: await emailOf(playtester), password: "a new password" };
      expect((await ann.submit("/play/sign-in", "/play/sign-in/password", fields)).location).toBe("/play");
    });

    it("sets another password on the way to a page, which stays the one asked for", async () => {
      const { server, playtester } = await market();
      const ann = visitor(server);
      const next = "next=%2Fplay%2Ffriends%3Fadd%3Dbo";
      const asked = await ann.submit(`/play/forgot?${next}`, "/play/forgot", { email: await emailOf(playtester) });
      expect(asked.location).toBe(`/play/forgot/sent?${next}`);
      expect((await ann.get(asked.location!)).html).toContain(`href="/play/forgot?${next}"`);
      await server.advance(0);
      const link = mailedPath(server, "reset");
      expect((await ann.submit(link, "/reset-password", { password: "short" })).html).toContain("8 to 256");
      const done = await ann.submit(link, "/reset-password", { password: "a new password" });
      expect(done.html).toContain(`<a href="/play/sign-in?${next}">`);
      expect(done.html).toContain('<a href="/studio/sign-in">');
      expect((await ann.get(link)).html).toContain(`href="/play/forgot?${next}"`);
    });
  });

  it("shows errors inside the layout of the portal", async () => {
    const { server, playtester } = await market();
    const ann = await signedIn(server, playtester);
    for (const path of ["/play/nowhere", "/play/slots/01900000-0000-7000-8000-000000000000"]) {
      const reply = await ann.get(path);
      expect(reply.status).toBe(404);
      expect(reply.html).toContain('<nav aria-label="Main">');
    }
    const wrong = await ann.get("/play/slots/01900000-0000-7000-8000-000000000000/submit");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect(wrong.html).toContain('<nav aria-label="Main">');
  });

  describe("another person's resources", () => {
    it("a slot, a conversation or an application of someone else is 404, to view and to act on", async () => {
      const { server, owner, gameId, playtester } = await market();
      const other = await factories.registerPlaytester(server);
      const slotId = await factories.claim(other, await factories.order(owner, gameId));
      const manual = await factories.order(owner, gameId, { selectionMode: "manual", qualifications: "Patience" });
      const application = (await other.post(`/playtester/playtests/${manual}/applications`)).body.data.application.id;
      const accepted = await factories.play(server, other, await factories.order(owner, gameId));
      await owner.post(`/slots/${accepted}/accept`);
      const contact = { contactId: owner.id };
      const conversation = (await other.post("/chat/conversations", contact)).body.data.conversation.id;
      const ann = await signedIn(server, playtester);
      const { csrf } = hiddenFields((await ann.get("/play")).html, "/play/sign-out");
      const unknown = server.deps.newId();
      const looks = [`slots/${slotId}`, `slots/${slotId}/build`, `slots/${unknown}`, `messages/${conversation}`, "slots/1", "x"];
      const acts = [
        ...["submit", "release", "report"].map((act) => `slots/${slotId}/${act}`),
        `applications/${application}/withdraw`,
        `messages/${conversation}`,
        `messages/${conversation}/block`,
        `messages/with/${owner.id}`,
        `offers/${unknown}/claim`,
      ];
      const fields = { csrf: csrf!, reason: "crash", content: "Hello", sure: "yes" };
      for (const path of looks) expect([path, (await ann.get(`/play/${path}`)).status]).toEqual([path, 404]);
      for (const path of acts) expect([path, (await ann.send(`/play/${path}`, fields)).status]).toEqual([path, 404]);
      expect((await slotsOf(other)).map((slot: { status: string }) => slot.status)).toEqual(["accepted", "reserved"]);
    });
  });

  describe("without scripts", () => {
    it("slot: claimed once however often the form is sent, shows how to play, and can be released", async () => {
      const { server, owner, gameId, playtester } = await market();
      const id = await factories.order(owner, gameId, {
        quantity: 2,
        notesForTesters: "Try <the> cave.",
        keysForTesters: ["K-1", "K-2"],
      });
      const ann = await signedIn(server, playtester);
      const offers = (await ann.get(`/play/offers/${id}`)).html;
      for (const secret of ["K-1", "Press start", "cave", "build.zip"]) expect(offers).not.toContain(secret);
      const fields = { ...hiddenFields(offers, `/play/offers/${id}/claim`), sure: "yes" };
      const first = await ann.send(`/play/offers/${id}/claim`, fields);
      const [slot] = await slotsOf(playtester);
      expect(first).toMatchObject({ status: 303, location: `/play/slots/${slot.id}?done=claimed` });
      expect((await ann.send(`/play/offers/${id}/claim`, fields)).location).toBe(first.location);
      expect(await slotsOf(playtester)).toHaveLength(1);

      const page = (await ann.get(first.location!)).html;
      for (const help of ["You claimed this slot", "K-1", "Press start.", "Try &lt;the&gt; cave.", "(in 24 hours)"])
        expect(page).toContain(help);
      expect((await ann.get(`/play/slots/${slot.id}/build`)).location).toBe(`${server.baseUrl}/build.zip`);

      const refused = await ann.submit(`/play/slots/${slot.id}`, `/play/slots/${slot.id}/submit`, { notes: "Fun & <games>" });
      expect(refused.status).toBe(409);
      expect(refused.html).toContain("has no completely uploaded video");
      expect(refused.html).toContain("Fun &amp; &lt;games&gt;</textarea>");

      const released = await ann.submit(`/play/slots/${slot.id}`, `/play/slots/${slot.id}/release`);
      expect(released.location).toBe("/play/slots?done=released");
      expect((await ann.get(`/play/slots/${slot.id}`)).html).not.toContain("K-1");
      const again = await ann.send(`/play/offers/${id}/claim`, { ...fields, formKey: "another" });
      expect(again.status).toBe(409);
      expect(again.html).toContain("You already had a slot of this playtest");
    });

    it("slot: a problem can be reported, refused input is shown again, and a video submitted", async () => {
      const { server, owner, gameId, playtester } = await market();
      const ann = await signedIn(server, playtester);
      const broken = await factories.claim(playtester, await factories.order(owner, gameId));
      const report = `/play/slots/${broken}/report`;
      const refused = await ann.submit(`/play/slots/${broken}`, report, { reason: "boredom", problem: "It <stops>." });
      expect(refused.status).toBe(422);
      expect(refused.html).toContain("It &lt;stops&gt;.</textarea>");
      expect((await ann.submit(`/play/slots/${broken}`, report, { reason: "crash", problem: "It <stops>." })).status).toBe(303);
      expect((await ann.get(`/play/slots/${broken}`)).html).toContain("It &lt;stops&gt;.");
      expect((await owner.get(`/slots/${broken}`)).body.data).toMatchObject({ slot: { status: "blocked" } });

      const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
      await factories.giveVideo(server, slotId, playtester);
      expect((await ann.get(`/play/slots/${slotId}`)).html).toContain(
        "<strong>play.mp4</strong> (4 KiB, length: unknown) is uploaded.",
      );
      const fields = hiddenFields((await ann.get(`/play/slots/${slotId}`)).html, `/play/slots/${slotId}/submit`);
      for (const _ of [1, 2]) {
        const sent = await ann.send(`/play/slots/${slotId}/submit`, { ...fields, notes: "Went well." });
        expect(sent).toMatchObject({ status: 303, location: `/play/slots/${slotId}?done=submitted` });
      }
      expect((await owner.get(`/slots/${slotId}`)).body.data.slot.submission.notes).toBe("Went well.");
      await owner.post(`/slots/${slotId}/accept`, { rating: 5, comment: "Sharp <eyes>" });
      const accepted = (await ann.get(`/play/slots/${slotId}`)).html;
      expect(accepted).toContain("earned you <strong>$10.00</strong>");
      expect(accepted).toContain("Sharp &lt;eyes&gt;");
      const earnings = (await ann.get("/play/earnings")).html;
      expect(earnings).toContain('<p class="amount">$10.00</p>');
      expect(earnings).toContain(`href="/play/slots/${slotId}"`);
      expect(earnings).toContain("</a>, 60 minutes");
      expect(earnings).toContain("The operator's payout batches skip you: there are no payout details.");
      expect(earnings).not.toContain("held until");
      server.deps.config.payouts.holdDays = 7;
      const held = (await ann.get("/play/earnings")).html;
      expect(held).toContain(
        "<p>$10.00 of your balance may come from card payments, which can still be disputed, and is held for now.",
      );
      expect(held).toContain('<span class="soft">held until <time datetime=');
    });

    describe("a video", () => {
      async function held(change: Parameters<typeof serve>[0] = {}) {
        const { server, owner, gameId, playtester } = await market(change);
        const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
        const ann = await signedIn(server, playtester);
        const path = `/play/slots/${slotId}/video`;
        const fields = hiddenFields((await ann.get(`/play/slots/${slotId}`)).html, path);
        return { server, owner, playtester, slotId, ann, path, fields };
      }
      const leftOf = (server: TestServer) => readdirSync(join(server.deps.dataDir, "uploads"));

      it("is uploaded by a plain form, byte for byte, and replaced by another", async () => {
        const { server, owner, slotId, ann, path, fields } = await held();
        for (const [name, size] of [
          ["first.mp4", 2000],
          ["Höhle & Co.mp4", 3_000_000],
        ] as const) {
          const sent = await ann.sendFile(path, fields, { name, bytes: factories.videoBytes(size) });
          expect(sent).toMatchObject({ status: 303, location: `/play/slots/${slotId}?done=uploaded` });
        }
        const page = (await ann.get(`/play/slots/${slotId}?done=uploaded`)).html;
        expect(page).toContain("<strong>Höhle &amp; Co.mp4</strong> (2.9 MiB, length: unknown) is uploaded.");
        await ann.submit(`/play/slots/${slotId}`, `/play/slots/${slotId}/submit`);
        const { slot } = (await owner.get(`/slots/${slotId}`)).body.data;
        expect(slot.submission.videoFileSize).toBe(3_000_000);
        const { downloadUrl } = (await owner.get(`/slots/${slotId}/download-url`)).body.data;
        const bytes = Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
        expect(sha256(bytes)).toBe(sha256(factories.videoBytes(3_000_000)));
        await server.advance(day);
        expect(leftOf(server)).toEqual([]);
      });

      const wrong: { name: string; file?: PlainFile; fields?: Record<string, string>; status: number; says: string }[] = [
        {
          name: "a file that is not a video",
          file: { name: "a.mp4", bytes: Buffer.alloc(90_000, "no") },
          status: 415,
          says: "not an MP4",
        },
        {
          name: "less than a video's first bytes",
          file: { name: "a.mp4", bytes: Buffer.from("abc") },
          status: 415,
          says: "not an MP4",
        },
        { name: "no file", file: { name: "", bytes: Buffer.alloc(0) }, status: 400, says: "Choose a video first" },
        {
          name: "too much",
          file: { name: "a.mp4", bytes: factories.videoBytes(150_000) },
          status: 413,
          says: "at most 100000 bytes",
        },
        {
          name: "a little too much",
          file: { name: "a.mp4", bytes: factories.videoBytes(100_001) },
          status: 413,
          says: "at most 100000 bytes",
        },
        { name: "a long name", file: { name: "a".repeat(300), bytes: factories.videoBytes() }, status: 422, says: "255" },
        { name: "a forged form", fields: { csrf: "forged" }, status: 403, says: "out of date" },
        { name: "a form without its token", fields: { csrf: "" }, status: 403, says: "out of date" },
      ];
      it.each(wrong)("is refused: $name", async ({ file, fields: other, status, says }) => {
        const { server, playtester, slotId, ann, path, fields } = await held({
          config: (config) => (config.uploads.videoMaxBytes = 100_000),
        });
        const reply = await ann.sendFile(path, { ...fields, ...other }, file ?? { name: "a.mp4", bytes: factories.videoBytes() });
        expect([reply.status, reply.html]).toEqual([status, expect.stringContaining(says)]);
        expect((await playtester.post(`/playtester/slots/${slotId}/submit`)).status).toBe(409);
        expect(leftOf(server)).toEqual([]);
      });

      it("leaves nothing behind when the connection is lost", async () => {
        const { server, playtester, slotId, ann, path, fields } = await held();
        const { head, body } = plainForm(fields, { name: "a.mp4", bytes: factories.videoBytes(50_000) });
        const { port } = new URL(server.baseUrl);
        const socket = connect(Number(port), "127.0.0.1");
        const lines = [`POST ${path} HTTP/1.1`, "Host: localhost", `Cookie: ${ann.cookie()}`, `Content-Type: ${head}`];
        socket.write(`${[...lines, `Content-Length: ${body.length}`].join("\r\n")}\r\n\r\n`);
        socket.write(body.subarray(0, 30_000));
        await vi.waitUntil(() => leftOf(server).length > 0, { timeout: 60_000 });
        socket.destroy();
        await vi.waitUntil(() => leftOf(server).length === 0, { timeout: 60_000 });
        expect((await playtester.post(`/playtester/slots/${slotId}/submit`)).status).toBe(409);
      });

      it("is refused for someone else's slot and after the deadline", async () => {
        const { server, ann, path, fields } = await held();
        const stranger = await signedIn(server, await factories.registerPlaytester(server));
        const own = hiddenFields((await stranger.get("/play")).html, "/play/sign-out");
        const file = { name: "a.mp4", bytes: factories.videoBytes() };
        expect((await stranger.sendFile(path, own, file)).status).toBe(404);
        expect((await visitor(server).sendFile(path, fields, file)).location).toContain("/play/sign-in?next=%2Fplay%2Fslots%2F");
        await server.advance(day);
        expect((await ann.sendFile(path, fields, file)).status).toBe(409);
        expect(leftOf(server)).toEqual([]);
      });
    });

    it("application: can be sent and withdrawn", async () => {
      const { server, owner, gameId, playtester } = await market();
      const id = await factories.order(owner, gameId, { selectionMode: "manual", qualifications: "Owns a <gamepad>" });
      const ann = await signedIn(server, playtester);
      expect((await ann.get(`/play/offers/${id}`)).html).toContain("Owns a &lt;gamepad&gt;");
      const answer = "x".repeat(5001);
      const refused = await ann.submit(`/play/offers/${id}`, `/play/offers/${id}/apply`, { answer });
      expect(refused.status).toBe(422);
      expect(refused.html).toContain(answer);
      expect((await ann.submit(`/play/offers/${id}`, `/play/offers/${id}/apply`, { answer: "I do <own> one" })).status).toBe(303);
      const [application] = (await owner.get(`/playtests/${id}/applications`)).body.data.applications;
      expect(application).toMatchObject({ status: "pending", qualificationsResponse: "I do <own> one" });
      expect((await ann.get("/play/applications")).html).toContain("I do &lt;own&gt; one");
      const withdraw = `/play/applications/${application.id}/withdraw`;
      const fields = hiddenFields((await ann.get("/play/applications")).html, withdraw);
      for (const _ of [1, 2]) expect((await ann.send(withdraw, fields)).location).toBe("/play/applications?done=withdrawn");
      expect((await ann.send(withdraw, { ...fields, formKey: "another" })).status).toBe(409);
    });

    it("chat: each message is sent once; blocking stops messages", async () => {
      const { server, owner, gameId, playtester } = await market();
      const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
      const ann = await signedIn(server, playtester);
      expect((await ann.get("/play/messages")).html).toContain("after they accept one of your playtests");
      await owner.post(`/slots/${slotId}/accept`);
      const opened = await ann.submit("/play/messages", `/play/messages/with/${owner.id}`);
      const path = opened.location!;
      const fields = hiddenFields((await ann.get(path)).html, path);
      for (const content of ["Hello <there>", "Hello <there>", "And more"]) await ann.send(path, { ...fields, content });
      const id = path.split("/").at(-1);
      const { messages } = (await owner.get(`/chat/conversations/${id}`)).body.data;
      expect(messages.map((message: { content: string }) => message.content)).toEqual(["Hello <there>", "And more"]);
      await owner.post(`/chat/conversations/${id}/messages`, { content: "<script>alert(1)</script>" });
      expect((await ann.get("/play")).html).toContain('Messages <span class="count">1<');
      const shown = (await ann.get(path)).html;
      expect(shown).toContain("Hello &lt;there&gt;");
      expect(shown).toContain("&lt;script&gt;alert(1)");
      expect(shown).toContain("Hearth &amp; Co");
      expect((await ann.get("/play")).html).not.toContain('Messages <span class="count">');
      expect((await ann.send(path, { ...fields, content: " " })).status).toBe(422);
      await ann.submit(path, `${path}/block`);
      expect((await owner.post(`/chat/conversations/${id}/messages`, { content: "?" })).status).toBe(403);
      await ann.submit(path, `${path}/unblock`);
      expect((await owner.post(`/chat/conversations/${id}/messages`, { content: "?" })).status).toBe(201);
    });

    it("notifications: shown in pages, and marked as read", async () => {
      const { server, owner, gameId, playtester } = await market();
      for (let round = 0; round < 8; round++)
        await owner.post(`/slots/${await factories.play(server, playtester, await factories.order(owner, gameId))}/accept`);
      const ann = await signedIn(server, playtester);
      const first = (await ann.get("/play/notifications")).html;
      expect(first).toContain("24 unread");
      const cards = (html: string) => html.split('<li class="card').length - 1;
      const older = /href="(\/play\/notifications\?cursor=[^"]+)"/.exec(first)![1]!;
      expect([cards(first), cards((await ann.get(older)).html)]).toEqual([20, 4]);
      expect((await ann.get("/play/notifications?cursor=x")).status).toBe(422);
      await ann.submit("/play/notifications", "/play/notifications/read");
      expect((await ann.get("/play/notifications")).html).not.toContain("unread");
    });
  });

  describe("policies", () => {
    it("allow no inline script or style, and no script at all before signing in", async () => {
      const { server, owner, gameId, playtester } = await market();
      const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
      const ann = await signedIn(server, playtester);
      const nothing =
        "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
      const pages = ["/play", "/play/slots", "/play/applications", "/play/messages", "/play/earnings", "/play/notifications"];
      const inside = [...pages, "/play/account", "/play/nowhere", `/play/slots/${slotId}`];
      for (const path of [...inside, "/play/sign-in/sent", "/play/register", "/play/forgot"]) {
        const { headers, html } = await ann.get(path);
        const policy = inside.includes(path) ? nothing.replace("style", "script-src 'self'; connect-src 'self'; style") : nothing;
        expect([path, headers.get("content-security-policy")]).toEqual([path, policy]);
        expect(headers.get("cache-control")).toBe("no-store");
        expect(html).not.toMatch(/<style|style="|<script>|\son\w+=/);
        const scripts = [...html.matchAll(/<script src="([^"]*)"/g)].map(([, src]) => src);
        expect(scripts.filter((src) => !/^\/assets\/(times|upload)\.js\?v=/.test(src!))).toEqual([]);
      }
      for (const [path, type] of [
        ["times.js", "text/javascript"],
        ["passkey.js", "text/javascript"],
        ["upload.js", "text/javascript"],
        ["portal.css", "text/css"],
        ["style.css", "text/css"],
      ])
        expect((await ann.get(`/assets/${path}`)).headers.get("content-type")).toBe(`${type}; charset=utf-8`);
      expect((await ann.get("/assets/toString")).status).toBe(404);
      const sent = async (encoding: string) => {
        const { headers } = await fetch(`${server.baseUrl}/assets/style.css`, { headers: { "accept-encoding": encoding } });
        return [headers.get("content-encoding"), headers.get("vary")];
      };
      expect(await sent("br, gzip")).toEqual(["gzip", "Accept-Encoding"]);
      for (const encoding of ["identity", "br, gzip;q=0"]) expect(await sent(encoding)).toEqual([null, "Accept-Encoding"]);
    });

    it("session: with its form token authorizes uploads, and nothing else of the API", async () => {
      const { server, owner, gameId, playtester } = await market();
      const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
      const ann = await signedIn(server, playtester);
      const stranger = await signedIn(server, await factories.registerPlaytester(server));
      const authOf = async (browser: Visitor, csrf = "") => ({
        cookie: `playtest_session=${browser.cookies.get("playtest_session")}`,
        "x-csrf-token": csrf || hiddenFields((await browser.get("/play")).html, "/play/sign-out").csrf!,
      });
      const [mine, foreign] = [await authOf(ann), await authOf(stranger)];
      const bytes = factories.videoBytes();
      const creation = { ...tus, "upload-length": String(bytes.length), "upload-metadata": "filename cGxheS5tcDQ=" };
      const create = (headers: Record<string, string>) =>
        raw(server, undefined, "POST", `/playtester/slots/${slotId}/video`, { ...creation, ...headers });
      expect((await create({})).status).toBe(401);
      expect((await create(await authOf(ann, "wrong"))).status).toBe(403);
      expect((await create({ ...mine, "x-csrf-token": foreign["x-csrf-token"] })).status).toBe(403);
      expect((await create(foreign)).status).toBe(404);
      const url = (await create(mine)).headers.get("location")!;
      const patch = (headers: Record<string, string>) =>
        raw(server, undefined, "PATCH", url, { ...octets, "upload-offset": "0", ...headers }, bytes);
      expect((await patch(foreign)).status).toBe(404);
      expect((await patch(mine)).status).toBe(204);
      for (const path of ["/playtester/slots", "/auth/me", "/events"])
        expect((await server.request("GET", path, { headers: mine })).status).toBe(401);
      await ann.submit("/play", "/play/sign-out");
      expect((await raw(server, undefined, "HEAD", url, { ...tus, ...mine })).status).toBe(401);
    });
  });
});
