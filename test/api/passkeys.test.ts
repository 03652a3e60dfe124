import { expect } from "vitest";
import * as store from "../../server/accounts/passkeys/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin, type Person, personWith, registerPlaytester } from "../helpers/factories.ts";
import { type AuthenticatorApp, setUpFactor } from "../helpers/factors.ts";
import {
  Authenticator,
  answerSignIn as answer,
  beginSignIn as begin,
  nameServer,
  optionsIn,
  signInWithPasskey as signIn,
  type Twist,
} from "../helpers/passkeys.ts";
import { hiddenFields, type Shown, signedIn, type Visitor, visitor } from "../helpers/portal.ts";
import type { Reply, TestServer, TestServerOptions } from "../helpers/server.ts";

const password = "correct horse";
const minute = 60_000;
const account = "/play/account/passkeys";
const notAccepted = "This passkey was not accepted.";

type Serve = (options?: Partial<TestServerOptions>) => Promise<TestServer>;

/** A server at a name for which browsers have passkeys. */
async function named(serve: Serve): Promise<TestServer> {
  const server = await serve();
  nameServer(server);
  return server;
}

const originOf = (server: TestServer) => server.deps.config.baseUrl;
const said = (reply: Reply) => [reply.status, reply.body?.error?.code ?? null];
const emailOf = async (person: Person) => (await person.get("/auth/me")).body.data.email as string;
const inside = async (person: Visitor) => (await person.get("/play/account")).status === 200;

async function subjects(server: TestServer) {
  await server.advance(0);
  return server.mails.map(({ subject }) => subject);
}

const actions = async (admin: Person, about: string): Promise<string[]> =>
  (await admin.get(`/admin/audit?target=${about}&limit=100`)).body.data.entries
    .map(({ action }: { action: string }) => action)
    .reverse();

/** Adds a passkey in a browser that is signed in. */
async function add(server: TestServer, person: Visitor, fields: Record<string, string> = {}, twist: Twist = {}) {
  const key = new Authenticator(originOf(server));
  const page = await person.submit(account, `${account}/start`, { name: "Phone", password, ...fields });
  if (page.status !== 200) return { key, page, reply: page };
  const answer = JSON.stringify(key.create(optionsIn(page), twist));
  const reply = await person.send(`${account}/add`, { ...hiddenFields(page.html, `${account}/add`), response: answer });
  return { key, page, reply };
}

/** A playtester with a passkey, added in a browser that is signed in. */
async function holder(server: TestServer) {
  const pim = await registerPlaytester(server);
  const browser = await signedIn(server, pim);
  const { key, reply } = await add(server, browser);
  if (reply.status !== 303) throw new Error(`no passkey was added: ${reply.status} ${reply.html}`);
  return { pim, browser, key, email: await emailOf(pim), id: (await listed(pim))[0].id };
}

const listed = async (person: Person) => (await person.get("/auth/passkeys")).body.data.passkeys;

onBothDatabases("passkeys", (serve, it) => {
  it("are added with the password, listed with their last use, and removed with the password; each with mail and audit entry", async () => {
    const server = await named(serve);
    const [pim, admin] = [await registerPlaytester(server), await firstAdmin(server)];
    const browser = await signedIn(server, pim);
    expect((await add(server, browser, { password: "wrong" })).reply.html).toContain("is not the current password");
    const { key, page, reply } = await add(server, browser);
    expect(reply.location).toBe(`${account}?done=added`);
    expect(optionsIn(page)).toMatchObject({
      rp: { id: "localhost" },
      attestation: "none",
      authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    });
    const [before] = await listed(pim);
    expect(before).toEqual({ id: before.id, name: "Phone", createdAt: before.createdAt, lastUsedAt: null, blockedAt: null });
    await server.advance(minute);
    await signIn(server, key);
    expect((await listed(pim))[0].lastUsedAt).toBe(new Date(server.clock.now()).toISOString());
    expect((await browser.get(account)).html).toContain("last used");
    expect((await pim.get("/auth/factor")).body.data).toMatchObject({ enabled: false, passkeys: 1 });
    const remove = `${account}/${before.id}`;
    expect((await browser.submit(remove, `${remove}/remove`, { password: "wrong" })).status).toBe(422);
    expect((await browser.submit(remove, `${remove}/remove`, { password })).location).toBe(`${account}?done=removed`);
    expect(await listed(pim)).toEqual([]);
    expect(await actions(admin, before.id)).toEqual(["passkey.add", "passkey.remove"]);
    expect(await subjects(server)).toEqual(
      expect.arrayContaining(["A passkey was added to your account", "A passkey was removed from your account"]),
    );
  });

  it("tell an authenticator nothing about the account but the same random handle each time", async () => {
    const server = await named(serve);
    const { pim, browser, email } = await holder(server);
    const options = optionsIn((await add(server, browser, { name: "Laptop" })).page);
    const handles = await server.deps.store.read((q) => q.all<{ user_handle: string }>("SELECT user_handle FROM passkeys"));
    expect(new Set(handles.map(({ user_handle }) => user_handle))).toEqual(new Set([options.user.id]));
    expect(Buffer.from(options.user.id, "base64url")).toHaveLength(32);
    expect([options.user.id.includes(pim.id), options.user.name]).toEqual([false, email]);
    expect(options.excludeCredentials).toHaveLength(1);
  });

  it("take a code of the authenticator app to be added or removed, and replace it when signing in", async () => {
    const server = await named(serve);
    const pim = await registerPlaytester(server);
    const browser = await signedIn(server, pim);
    const app: AuthenticatorApp = await setUpFactor(server, pim, password);
    expect((await add(server, browser)).reply.status).toBe(401);
    const { key, reply } = await add(server, browser, { code: await app.nextCode() });
    expect(reply.status).toBe(303);
    const { person, reply: done } = await signIn(server, key);
    expect([done.location, await inside(person)]).toEqual(["/play/slots", true]);
    const [{ id }] = await listed(pim);
    expect(said(await pim.post(`/auth/passkeys/${id}/remove`, { password }))).toEqual([401, "CODE_REQUIRED"]);
    expect((await pim.post(`/auth/passkeys/${id}/remove`, { password, code: await app.nextCode() })).status).toBe(200);
  });

  it("are the second step after the password, where the account has an authenticator app", async () => {
    const server = await named(serve);
    const { pim, key, email } = await holder(server);
    const other = await holder(server);
    await setUpFactor(server, pim, password);
    const step = async () => {
      const person = visitor(server);
      await person.submit("/play/sign-in?next=/play/slots", "/play/sign-in/password", { email, password });
      const page = await person.submit("/play/sign-in/code?next=/play/slots", "/play/sign-in/code/passkey/start");
      return { person, page };
    };
    const finish = (person: Visitor, page: Shown, response: object) =>
      answer(person, page, response, "/play/sign-in/code/passkey");
    const first = await step();
    expect(await inside(first.person)).toBe(false);
    expect(optionsIn(first.page).allowCredentials).toEqual([{ id: key.id, transports: ["internal"], type: "public-key" }]);
    // The password was one factor, so the authenticator need not check who uses it.
    const done = await finish(
      first.person,
      first.page,
      key.use(optionsIn(first.page), { verified: false, userHandle: undefined }),
    );
    expect([done.location, await inside(first.person)]).toEqual(["/play/slots", true]);
    const second = await step();
    const wrong = await finish(second.person, second.page, other.key.use(optionsIn(second.page)));
    expect([wrong.status, wrong.html.includes(notAccepted), await inside(second.person)]).toEqual([401, true, false]);
    const third = await step();
    await server.advance(6 * minute);
    expect((await finish(third.person, third.page, key.use(optionsIn(third.page)))).status).toBe(422);
    await server.advance(5 * minute);
    expect((await third.person.get("/play/sign-in/code")).location).toBe("/play/sign-in");
  });

  it("are not asked for an account: the page is the same for everybody", async () => {
    const server = await named(serve);
    const options = optionsIn(await begin(visitor(server)));
    expect(options).toMatchObject({ rpId: "localhost", allowCredentials: [], userVerification: "required" });
    await holder(server);
    expect(Object.keys(optionsIn(await begin(visitor(server))))).toEqual(Object.keys(options));
  });

  const twists: [name: string, twist: Twist][] = [
    ["another origin", { origin: "https://localhost.example.com" }],
    ["the same host at another port", { origin: "http://localhost:1" }],
    ["another relying party", { rpId: "example.com" }],
    ["another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["no check of who uses it", { verified: false }],
    ["the handle of nobody", { userHandle: Buffer.alloc(32).toString("base64url") }],
    ["no handle", { userHandle: undefined }],
    ["an answer to something else", { type: "webauthn.create" }],
  ];
  it("are refused, with one text, for everything that is wrong with an answer", async () => {
    const server = await named(serve);
    const { key } = await holder(server);
    for (const [name, twist] of twists) {
      const { person, reply } = await signIn(server, key, twist);
      expect([name, reply.status, reply.html.includes(notAccepted), await inside(person)]).toEqual([name, 401, true, false]);
    }
    const stranger = new Authenticator(originOf(server));
    stranger.create({ challenge: "", rp: { id: "localhost" }, user: { id: "AAAA" } });
    expect((await signIn(server, stranger)).reply.html).toContain(notAccepted);
    const person = visitor(server);
    const page = await begin(person);
    const forged = { ...key.use(optionsIn(page)), id: stranger.id, rawId: stranger.id };
    expect((await answer(person, page, forged)).html).toContain(notAccepted);
    for (const response of ["", "{}", "null", "x"]) {
      const fields = hiddenFields((await begin(person)).html, "/play/sign-in/passkey");
      expect((await person.send("/play/sign-in/passkey", { ...fields, response })).status).toBe(401);
    }
    expect((await signIn(server, key)).reply.status).toBe(303);
  });

  it("answer a challenge once, within five minutes, in the browser that got it", async () => {
    const server = await named(serve);
    const { key } = await holder(server);
    const { person, page, reply } = await signIn(server, key);
    expect(reply.status).toBe(303);
    const used = key.use(optionsIn(page));
    expect((await answer(person, page, used)).status).toBe(422);
    const thief = visitor(server);
    const own = await begin(thief);
    expect((await answer(thief, own, used)).html).toContain(notAccepted);
    const late = visitor(server);
    const page2 = await begin(late);
    await server.advance(5 * minute);
    const expired = await answer(late, page2, key.use(optionsIn(page2)));
    expect([expired.status, expired.html.includes("This took more than 5 minutes")]).toEqual([422, true]);
    // All at once: one of them.
    const many = visitor(server);
    const page3 = await begin(many);
    const response = key.use(optionsIn(page3));
    const replies = await Promise.all(Array.from({ length: 5 }, () => answer(many, page3, response)));
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 422, 422, 422, 422]);
  });

  it("do not sign in after they were removed, or to an account that is suspended", async () => {
    const server = await named(serve);
    const [admin, { pim, key, id }] = [await firstAdmin(server), await holder(server)];
    await admin.post(`/admin/users/${pim.id}/suspend`);
    expect((await signIn(server, key)).reply.status).toBe(403);
    await admin.post(`/admin/users/${pim.id}/unsuspend`);
    const waiting = visitor(server);
    const page = await begin(waiting);
    await pim.post(`/auth/passkeys/${id}/remove`, { password });
    expect((await answer(waiting, page, key.use(optionsIn(page)))).html).toContain(notAccepted);
  });

  it("are blocked when the counter does not rise: somebody may have copied them", async () => {
    const server = await named(serve);
    const [admin, { pim, browser, key, id }] = [await firstAdmin(server), await holder(server)];
    expect((await signIn(server, key, { counter: 7 })).reply.status).toBe(303);
    const copy = await signIn(server, key, { counter: 7 });
    expect([copy.reply.status, copy.reply.html.includes("may have been copied")]).toEqual([401, true]);
    expect((await signIn(server, key, { counter: 100 })).reply.status).toBe(401);
    expect((await listed(pim))[0].blockedAt).not.toBeNull();
    expect((await browser.get(account)).html).toContain("because it may have been copied");
    expect(await actions(admin, id)).toEqual(["passkey.add", "passkey.block"]);
    expect((await subjects(server)).filter((subject) => subject === "A passkey of your account was blocked")).toHaveLength(1);
  });

  it("need no counter: those that are synchronized between devices send 0", async () => {
    const server = await named(serve);
    const { key } = await holder(server);
    for (let use = 0; use < 2; use++) expect((await signIn(server, key, { counter: 0 })).reply.status).toBe(303);
  });

  it("are added only by the session that began, once, with an answer for this server", async () => {
    const server = await named(serve);
    const [pim, bob] = [await registerPlaytester(server), await registerPlaytester(server)];
    const start = async (person: Person) => (await person.post("/auth/passkeys/start", { password })).body.data.options;
    const send = (person: Person, response: object) => person.post("/auth/passkeys", { name: "Key", response });
    const key = new Authenticator(originOf(server));
    const refused = [422, "VALIDATION_ERROR"];
    expect(said(await send(bob, key.create(await start(pim))))).toEqual(refused);
    for (const twist of [
      { origin: "https://example.com" },
      { rpId: "example.com" },
      { challenge: "AAAA" },
      { type: "webauthn.get" },
    ])
      expect([twist, ...said(await send(pim, key.create(await start(pim), twist)))]).toEqual([twist, ...refused]);
    const late = await start(pim);
    await server.advance(5 * minute);
    expect(said(await send(pim, key.create(late)))).toEqual(refused);
    const options = await start(pim);
    expect((await send(pim, key.create(options))).status).toBe(201);
    expect(said(await send(pim, key.create(options)))).toEqual(refused);
    // The same authenticator for another account.
    expect(said(await send(bob, key.create(await start(bob))))).toEqual([409, "CONFLICT"]);
    expect((await listed(bob)).length).toBe(0);
    const [{ id }] = await listed(pim);
    expect(said(await bob.post(`/auth/passkeys/${id}/remove`, { password }))).toEqual([404, "NOT_FOUND"]);
    // Operators have no pages to sign in on.
    expect(said(await (await firstAdmin(server)).post("/auth/passkeys/start", { password }))).toEqual([403, "FORBIDDEN"]);
  });

  it("are not added with what was begun before the password changed, or before the account had an authenticator app", async () => {
    const server = await named(serve);
    const changes: [string, (pim: Person) => Promise<unknown>][] = [
      ["password", (pim) => pim.post("/auth/change-password", { currentPassword: password, newPassword: "battery staple" })],
      ["app", (pim) => setUpFactor(server, pim, password)],
    ];
    for (const [change, apply] of changes) {
      const pim = await registerPlaytester(server);
      const { options } = (await pim.post("/auth/passkeys/start", { password })).body.data;
      await apply(pim);
      const response = new Authenticator(originOf(server)).create(options);
      const late = await pim.post("/auth/passkeys", { name: "Stranger's", response });
      expect([change, ...said(late), await listed(pim)]).toEqual([change, 422, "VALIDATION_ERROR", []]);
    }
  });

  it("are at most 20 for an account", async () => {
    const server = await named(serve);
    const { pim } = await holder(server);
    await server.deps.store.write(async (tx) => {
      const [row] = await store.listForUser(tx, pim.id);
      for (let n = 1; n < 20; n++) await store.insert(tx, { ...row!, id: server.deps.newId(), credential_id: `another ${n}` });
    });
    const count = (await listed(pim)).length;
    expect([count, said(await pim.post("/auth/passkeys/start", { password }))]).toEqual([20, [409, "CONFLICT"]]);
  });

  it("are at most 20 for an account, also when several API keys add one at once", async () => {
    const server = await named(serve);
    const { pim } = await holder(server);
    await server.deps.store.write(async (tx) => {
      const [row] = await store.listForUser(tx, pim.id);
      for (let n = 1; n < 15; n++) await store.insert(tx, { ...row!, id: server.deps.newId(), credential_id: `another${n}` });
    });
    const people = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const made = await pim.post("/auth/api-keys", { name: `Key ${n}` });
        return personWith(server, made.body.data.apiKey, pim.id);
      }),
    );
    const started = await Promise.all(people.map((person) => person.post("/auth/passkeys/start", { password })));
    const added = await Promise.all(
      people.map((person, n) => {
        const response = new Authenticator(originOf(server)).create(started[n]!.body.data.options);
        return person.post("/auth/passkeys", { name: `Key ${n}`, response });
      }),
    );
    expect(added.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(5).fill(409)]);
    expect((await listed(pim)).length).toBe(20);
  });

  it("one answer of a new passkey sent three times at once adds one passkey", async () => {
    const server = await named(serve);
    const pim = await registerPlaytester(server);
    const { options } = (await pim.post("/auth/passkeys/start", { password })).body.data;
    const response = new Authenticator(originOf(server)).create(options);
    const send = () => pim.post("/auth/passkeys", { name: "Key", response });
    const replies = await Promise.all([send(), send(), send()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
    expect((await listed(pim)).length).toBe(1);
  });

  it("of a playtester do not open Studio", async () => {
    const server = await named(serve);
    const { key } = await holder(server);
    const person = visitor(server);
    const { html } = await person.get("/studio/sign-in");
    const { csrf } = hiddenFields(html, "/studio/sign-in/password");
    const page = await person.send("/studio/sign-in/passkey/start", { csrf: csrf! });
    const reply = await answer(person, page, key.use(optionsIn(page)), "/studio/sign-in/passkey");
    expect([reply.status, (await person.get("/studio")).status, await inside(person)]).toEqual([403, 303, false]);
  });

  it("take a recent sign-in where the account has no password", async () => {
    const server = await named(serve);
    const { pim, browser } = await holder(server);
    await server.deps.store.write((tx) => tx.run("UPDATE users SET password_hash = '!' WHERE id = ?", pim.id));
    expect((await browser.get(account)).html).not.toContain("Current password");
    const send = () => browser.submit(account, `${account}/start`, { name: "Second" });
    expect((await send()).status).toBe(200);
    await server.advance(15 * minute);
    const late = await send();
    expect([late.status, late.html.includes("Sign out and sign in again first")]).toEqual([403, true]);
    expect((await browser.submit("/play/account/factor", "/play/account/factor/start")).status).toBe(403);
  });

  it("go with a reset by an operator, and with the account; its export lists them without their keys", async () => {
    const server = await named(serve);
    const [admin, { pim, key }, other] = [await firstAdmin(server), await holder(server), await holder(server)];
    const { records } = (await pim.get("/auth/export")).body.data;
    expect(records.passkeys).toEqual([expect.objectContaining({ name: "Phone", lastUsedAt: null })]);
    expect(JSON.stringify(records.passkeys)).not.toContain(key.id);
    expect((await admin.post(`/admin/users/${pim.id}/reset-factor`)).status).toBe(200);
    expect(await listed(pim)).toEqual([]);
    expect((await signIn(server, key)).reply.status).toBe(401);
    expect((await other.pim.post("/auth/delete-account", { password })).status).toBe(200);
    const left = await server.deps.store.read((q) => q.all("SELECT * FROM passkeys"));
    expect(left).toEqual([]);
  });

  it("are not offered at an IP address, where browsers have none", async ({ server }) => {
    const pim = await registerPlaytester(server);
    expect((await visitor(server).get("/play/sign-in")).html).not.toContain("passkey");
    expect(said(await pim.post("/auth/passkeys/start", { password }))).toEqual([409, "CONFLICT"]);
    const browser = await signedIn(server, pim);
    expect((await browser.get(account)).html).not.toContain("Add a passkey</button>");
  });

  it("are limited per address like passwords", async () => {
    const server = await serve({
      config: ({ limits }) => void Object.assign(limits, { enabled: true, passwordPerMinute: 3, keylessPerMinute: 1000 }),
    });
    nameServer(server);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await begin(visitor(server))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});
