import { expect, it } from "vitest";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract, type Operation } from "../../src/contract/index.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin, type Person, personWith, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { codeAt, setUpFactor } from "../helpers/factors.ts";
import { mailedPath, mailedToken } from "../helpers/mails.ts";
import { type Visitor, visitor } from "../helpers/portal.ts";
import type { Reply, TestServer } from "../helpers/server.ts";

const password = "correct horse";
const minute = 60_000;

const said = (reply: Reply) => [reply.status, reply.body?.error?.code ?? null];
const needsCode = [401, "CODE_REQUIRED"];
const wrongCode = [422, "VALIDATION_ERROR"];

const emailOf = async (person: Person) => (await person.getMe()).email as string;
const subjects = async (server: TestServer) => {
  await server.advance(0);
  return server.mails.map(({ subject }) => subject);
};

async function newAdmin(admin: Person, server: TestServer, scopes: string[]): Promise<Person> {
  const { data } = (await admin.post("/admin/admins", { name: scopes.join(" "), scopes })).body;
  return personWith(server, data.apiKey, data.admin.id);
}

/** The actions about one account in the audit log, oldest first. */
async function actionsOn(admin: Person, id: string): Promise<string[]> {
  const { entries } = await admin.listAudit({ query: { target: id, limit: 100 } });
  return entries.map(({ action }: { action: string }) => action).reverse();
}

onBothDatabases("second factor", (_serve, it) => {
  it("is enabled by a first code, with ten recovery codes, a mail and an audit entry", async ({ server }) => {
    const [ann, admin] = [await registerOwner(server), await firstAdmin(server)];
    expect(await ann.getFactor()).toEqual({
      enabled: false,
      enabledAt: null,
      recoveryCodesLeft: 0,
      passkeys: 0,
      hasPassword: true,
      confirmedUntil: null,
    });
    expect(said(await ann.post("/auth/factor", {}))).toEqual(wrongCode);
    expect(said(await ann.post("/auth/factor", { password: "wrong" }))).toEqual(wrongCode);
    const { secret, uri } = await ann.startFactor({ body: { password } });
    expect(new URL(uri).searchParams.get("secret")).toBe(secret);
    const wrong = codeAt(secret, server.clock.real() - 10 * minute);
    expect(said(await ann.post("/auth/factor/enable", { code: wrong }))).toEqual(wrongCode);
    expect((await ann.getFactor()).enabled).toBe(false);
    const { recoveryCodes } = await ann.enableFactor({ body: { code: codeAt(secret, server.clock.real()) } });
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(await ann.getFactor()).toMatchObject({ enabled: true, recoveryCodesLeft: 10 });
    expect(await subjects(server)).toEqual(["Your account has a second factor now"]);
    expect(await actionsOn(admin, ann.id)).toEqual(["user.register", "user.enable_factor"]);
    expect(said(await ann.post("/auth/factor", { password }))).toEqual([409, "CONFLICT"]);
  });

  it("is enabled within 15 minutes of its beginning, or begun again; another beginning ends it", async ({ server }) => {
    const ann = await registerOwner(server);
    const begin = async () => (await ann.startFactor({ body: { password } })).secret as string;
    const enable = (secret: string) => ann.post("/auth/factor/enable", { code: codeAt(secret, server.clock.real()) });
    const late = await begin();
    await server.advance(15 * minute);
    const refused = await enable(late);
    expect([...said(refused), refused.body.error.message]).toEqual([
      ...[409, "CONFLICT"],
      "A set-up has to be completed within 15 minutes, and ends when another one begins. Nothing was changed. Set up the second factor again.",
    ]);
    const [former, present] = [await begin(), await begin()];
    expect(said(await enable(former))).toEqual(wrongCode);
    await server.advance(15 * minute - 1);
    expect((await enable(present)).status).toBe(200);
    // An enabled factor does not expire.
    await server.advance(15 * minute);
    expect((await ann.getFactor()).enabled).toBe(true);
  });

  it("is not enabled with a set-up that was begun before the password changed", async ({ server }) => {
    const ann = await registerOwner(server);
    const { secret } = await ann.startFactor({ body: { password } });
    const changed = await ann.post("/auth/change-password", { currentPassword: password, newPassword: "battery staple" });
    expect(changed.status).toBe(200);
    const late = await ann.post("/auth/factor/enable", { code: codeAt(secret, server.clock.real()) });
    expect([...said(late), (await ann.getFactor()).enabled]).toEqual([409, "CONFLICT", false]);
  });

  it("stores neither the secret nor a recovery code in plain text", async ({ server }) => {
    const ann = await registerOwner(server);
    const app = await setUpFactor(server, ann, password);
    const tables = ["second_factors", "recovery_codes", "audit_entries", "mails", "idempotency"];
    const rows = await server.deps.store.read((q) => Promise.all(tables.map((table) => q.all(`SELECT * FROM ${table}`))));
    const stored = JSON.stringify(rows);
    for (const secret of [app.secret, ...app.recoveryCodes, ...app.recoveryCodes.map((code) => code.replaceAll("-", ""))])
      expect(stored).not.toContain(secret);
    expect(server.lines.join("\n")).not.toContain(app.secret);
  });

  it("is asked for by everything that takes the password", async ({ server }) => {
    const ann = await registerOwner(server);
    const email = await emailOf(ann);
    const app = await setUpFactor(server, ann, password);
    const rows: [path: string, body: Record<string, unknown>][] = [
      ["/auth/api-keys", { name: "another", email, password }],
      ["/auth/change-email", { newEmail: "new@example.com", password }],
      ["/auth/change-password", { currentPassword: password, newPassword: "a battery staple" }],
    ];
    for (const [path, body] of rows) {
      expect([path, ...said(await ann.post(path, body))]).toEqual([path, ...needsCode]);
      // The code it was enabled with, and one that is long gone.
      expect([path, ...said(await ann.post(path, { ...body, code: app.code() }))]).toEqual([path, ...wrongCode]);
      const old = codeAt(app.secret, server.clock.real() - 5 * minute);
      expect([path, ...said(await ann.post(path, { ...body, code: old }))]).toEqual([path, ...wrongCode]);
      expect((await ann.post(path, { ...body, code: await app.nextCode() })).status).toBeLessThan(300);
    }
  });

  it("says nothing about itself to somebody without the password", async ({ server }) => {
    const [ann, bob] = [await registerOwner(server), await registerOwner(server)];
    await setUpFactor(server, ann, password);
    const tryOn = async (person: Person) =>
      (await server.request("POST", "/auth/api-keys", { body: { name: "k", email: await emailOf(person), password: "wrong" } }))
        .body.error;
    expect(await tryOn(ann)).toEqual(await tryOn(bob));
  });

  it("accepts each code once, also when it is sent many times at once, and none of an earlier step", async ({ server }) => {
    const ann = await registerOwner(server);
    const app = await setUpFactor(server, ann, password);
    const before = await app.nextCode();
    const code = await app.nextCode();
    const body = { name: "k", email: await emailOf(ann), password };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => server.request("POST", "/auth/api-keys", { body: { ...body, code } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
    const earlier = await server.request("POST", "/auth/api-keys", { body: { ...body, code: before } });
    expect(earlier.body.error.message).toBe("The code was used already: wait for the next one. Nothing was changed.");
  });

  it("slows down guessing in all processes together, tells the owner, and still takes a recovery code", async ({ server }) => {
    const ann = await registerOwner(server);
    const app = await setUpFactor(server, ann, password);
    const body = { name: "k", email: await emailOf(ann), password };
    const guess = (code: string) => server.request("POST", "/auth/api-keys", { body: { ...body, code } });
    const wrong = codeAt(app.secret, server.clock.real() - 60 * minute);
    // All at once: none of them gets by the count of the others.
    const replies = await Promise.all(Array.from({ length: 20 }, () => guess(wrong)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(422), ...Array(15).fill(429)]);
    const blocked = replies.find(({ status }) => status === 429)!;
    expect(blocked.headers.get("retry-after")).toBe("30");
    expect(blocked.body.error.message).toContain("Wait 30 seconds, or use a recovery code.");
    // The right code has to wait too: otherwise the wait would say which one it is.
    expect((await guess(codeAt(app.secret, server.clock.real() + 30_000))).status).toBe(429);
    expect(await subjects(server)).toContain("Wrong codes were entered for your account");
    server.clock.set(server.clock.now() + 29_500);
    expect((await guess(wrong)).body.error.message).toContain("Wait 1 second, or use a recovery code.");
    expect((await guess(app.recoveryCodes[0]!)).status).toBe(201);
    expect((await guess(await app.nextCode())).status).toBe(201);
  });

  it("takes each recovery code once, mails the owner and writes an audit entry; new ones replace them", async ({ server }) => {
    const [ann, admin] = [await registerOwner(server), await firstAdmin(server)];
    const app = await setUpFactor(server, ann, password);
    const body = { name: "k", email: await emailOf(ann), password };
    const login = (code: string) => server.request("POST", "/auth/api-keys", { body: { ...body, code } });
    const [first, second] = app.recoveryCodes as [string, string];
    const replies = await Promise.all(Array.from({ length: 4 }, () => login(first.toLowerCase())));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
    expect((await ann.getFactor()).recoveryCodesLeft).toBe(9);
    await server.advance(0);
    expect(server.mails.find(({ subject }) => subject === "A recovery code was used")!.text).toContain("9 of them are left");
    const renewed = (await ann.renewRecoveryCodes({ body: { code: await app.nextCode() } })).recoveryCodes;
    expect(said(await login(second))).toEqual(wrongCode);
    expect((await login(renewed[0]!)).status).toBe(201);
    expect(await actionsOn(admin, ann.id)).toEqual([
      ...["user.register", "user.enable_factor", "user.use_recovery_code", "user.renew_recovery_codes"],
      "user.use_recovery_code",
    ]);
  });

  it("of another account is of no use", async ({ server }) => {
    const [ann, bob] = [await registerOwner(server), await registerOwner(server)];
    await setUpFactor(server, ann, password);
    const theirs = await setUpFactor(server, bob, password);
    const body = { name: "k", email: await emailOf(ann), password };
    for (const code of [theirs.recoveryCodes[0]!, await theirs.nextCode()])
      expect(said(await server.request("POST", "/auth/api-keys", { body: { ...body, code } }))).toEqual(wrongCode);
  });

  it("is removed with a code only, by its owner", async ({ server }) => {
    const ann = await registerOwner(server);
    const app = await setUpFactor(server, ann, password);
    expect((await ann.post("/auth/factor/disable", {})).status).toBe(422);
    expect(said(await ann.post("/auth/factor/disable", { code: app.code() }))).toEqual(wrongCode);
    expect((await ann.post("/auth/factor/disable", { code: app.recoveryCodes[0] })).status).toBe(200);
    expect(
      (await server.request("POST", "/auth/api-keys", { body: { name: "k", email: await emailOf(ann), password } })).status,
    ).toBe(201);
    expect(said(await ann.post("/auth/factor/disable", { code: app.recoveryCodes[1] }))).toEqual([409, "CONFLICT"]);
    expect(await subjects(server)).toContain("The second factor of your account was removed");
  });

  it("survives a password reset and signing out everywhere", async ({ server }) => {
    const ann = await registerOwner(server);
    const email = await emailOf(ann);
    const app = await setUpFactor(server, ann, password);
    await ann.signOutEverywhere({ body: { revokeApiKeys: true } });
    await server.request("POST", "/auth/password-reset", { body: { email } });
    await server.advance(0);
    const token = mailedToken(server, "reset");
    await server.request("POST", "/auth/password-reset/confirm", { body: { token, newPassword: "a new password" } });
    const body = { name: "k", email, password: "a new password" };
    expect(said(await server.request("POST", "/auth/api-keys", { body }))).toEqual(needsCode);
    const code = await app.nextCode();
    expect((await server.request("POST", "/auth/api-keys", { body: { ...body, code } })).status).toBe(201);
  });

  const manage = (Object.entries(contract) as [Operation, Endpoint][]).filter(
    ([name, { path }]) => path.startsWith("/auth/factor") && name !== "confirmKey",
  );
  it("is not managed by a key with fewer scopes than its account", async ({ server }) => {
    const [ann, admin] = [await registerOwner(server), await firstAdmin(server)];
    const narrow = async (person: Person, scopes: string[]) => {
      const { apiKey } = (await person.post("/auth/api-keys", { name: "narrow", scopes })).body.data;
      return personWith(server, apiKey, person.id);
    };
    const people = [await narrow(ann, ["notifications"]), await narrow(admin, ["money", "accounts"])];
    for (const [operation, { method, path }] of manage)
      for (const person of people) {
        const body = { code: "123456", password };
        const reply =
          method === "GET"
            ? await person.get(path)
            : await person.post(path, operation === "startFactor" ? {} : { code: body.code });
        expect([operation, ...said(reply)]).toEqual([operation, 403, "FORBIDDEN"]);
      }
    // An administrator with few scopes has no wider key.
    const payer = await newAdmin(admin, server, ["money"]);
    expect(await payer.getFactor()).toMatchObject({ enabled: false, hasPassword: false });
    await setUpFactor(server, payer);
  });

  it("is removed by an operator, who needs every scope for an administrator's and cannot remove their own", async ({
    server,
  }) => {
    const [ann, admin] = [await registerOwner(server), await firstAdmin(server)];
    await setUpFactor(server, ann, password);
    const [support, payer] = [await newAdmin(admin, server, ["accounts"]), await newAdmin(admin, server, ["money"])];
    await setUpFactor(server, payer);
    expect(said(await support.post(`/admin/users/${payer.id}/reset-factor`))).toEqual([403, "FORBIDDEN"]);
    expect(said(await support.post(`/admin/users/${support.id}/reset-factor`))).toEqual([409, "CONFLICT"]);
    expect((await support.post(`/admin/users/${ann.id}/reset-factor`)).status).toBe(200);
    expect(said(await support.post(`/admin/users/${ann.id}/reset-factor`))).toEqual([409, "CONFLICT"]);
    expect((await admin.post(`/admin/users/${payer.id}/reset-factor`)).status).toBe(200);
    expect(await ann.getFactor()).toMatchObject({ enabled: false, recoveryCodesLeft: 0 });
    await server.advance(0);
    const mail = server.mails.find(({ subject }) => subject === "The second factor of your account was removed")!;
    expect([mail.to, mail.text.includes("127.0.0.1 ")]).toEqual([await emailOf(ann), false]);
    expect((await actionsOn(admin, ann.id)).at(-1)).toBe("user.reset_factor");
  });
});

onBothDatabases("confirmation of operations on money", (serve, it) => {
  const grant = (person: Person, owner: Person, headers: Record<string, string> = {}) =>
    person.post(`/admin/users/${owner.id}/credit`, { amountCents: 100, note: "sorry" }, headers);
  const mustConfirm = [403, "CONFIRMATION_REQUIRED"];

  it("is not asked of administrators without a second factor", async ({ server }) => {
    expect((await grant(await firstAdmin(server), await registerOwner(server))).status).toBe(200);
  });

  it("holds for 15 minutes and the one API key that was confirmed", async ({ server }) => {
    const [admin, owner] = [await firstAdmin(server), await registerOwner(server)];
    const app = await setUpFactor(server, admin);
    const other = personWith(server, (await admin.createApiKey({ body: { name: "second" } })).apiKey, admin.id);
    expect(said(await grant(admin, owner))).toEqual(mustConfirm);
    expect(said(await admin.post("/auth/confirm", { code: "000000" }))).toEqual(wrongCode);
    expect(said(await grant(admin, owner))).toEqual(mustConfirm);
    const confirmed = await admin.confirmKey({ body: { code: await app.nextCode() } });
    const until = server.clock.now() + 15 * minute;
    expect(confirmed).toEqual({ confirmedUntil: new Date(until).toISOString() });
    expect((await admin.getFactor()).confirmedUntil).toBe(new Date(until).toISOString());
    expect((await grant(admin, owner)).status).toBe(200);
    expect(said(await grant(other, owner))).toEqual(mustConfirm);
    expect((await admin.get("/admin/payouts")).status).toBe(200);
    await server.advance(15 * minute - 1);
    expect((await grant(admin, owner)).status).toBe(200);
    await server.advance(1);
    expect(said(await grant(admin, owner))).toEqual(mustConfirm);
    expect((await actionsOn(admin, admin.id)).at(-1)).toBe("user.confirm");
  });

  it("does not pass to a key that replaces the confirmed one, and ends with the second factor", async ({ server }) => {
    const [admin, owner] = [await firstAdmin(server), await registerOwner(server)];
    const app = await setUpFactor(server, admin);
    await admin.confirmKey({ body: { code: await app.nextCode() } });
    const { key } = (await admin.get("/auth/api-keys")).body.data.keys.map((row: { id: string }) => ({ key: row.id }))[0];
    const { apiKey } = await admin.rotateApiKey({ params: { id: key } });
    const next = personWith(server, apiKey, admin.id);
    expect(said(await grant(next, owner))).toEqual(mustConfirm);
    await admin.disableFactor({ body: { code: await app.nextCode() } });
    const again = await setUpFactor(server, admin);
    expect(again.secret).not.toBe(app.secret);
    expect(said(await grant(admin, owner))).toEqual(mustConfirm);
  });

  it("lets a refused request through with the same idempotency key, and is needed to see its stored reply later", async ({
    server,
  }) => {
    const [admin, owner] = [await firstAdmin(server), await registerOwner(server)];
    const app = await setUpFactor(server, admin);
    const headers = { "idempotency-key": "grant-1" };
    expect(said(await grant(admin, owner, headers))).toEqual(mustConfirm);
    await admin.confirmKey({ body: { code: await app.nextCode() } });
    expect((await grant(admin, owner, headers)).body.data.balanceCents).toBe(100);
    const replayed = await grant(admin, owner, headers);
    expect([replayed.headers.get("idempotency-replayed"), replayed.body.data.balanceCents]).toEqual(["true", 100]);
    await server.advance(15 * minute);
    expect(said(await grant(admin, owner, headers))).toEqual(mustConfirm);
    expect((await owner.getBalance()).balanceCents).toBe(100);
  });

  it("cannot be avoided by a new administrator, by removing the factor of one, or by revoking those who could notice", async ({
    server,
  }) => {
    const admin = await firstAdmin(server);
    const payer = await newAdmin(admin, server, ["money"]);
    await setUpFactor(server, payer);
    await setUpFactor(server, admin);
    expect(said(await admin.post("/admin/admins", { name: "Eve", scopes: ["money"] }))).toEqual(mustConfirm);
    expect(said(await admin.post(`/admin/users/${payer.id}/reset-factor`))).toEqual(mustConfirm);
    expect(said(await admin.delete(`/admin/admins/${payer.id}`))).toEqual(mustConfirm);
    for (const change of ["suspend", "unsuspend", "verify"])
      expect(said(await admin.post(`/admin/users/${payer.id}/${change}`)), change).toEqual(mustConfirm);
    expect((await payer.get("/admin/payouts")).status).toBe(200);
    const owner = await registerOwner(server);
    expect((await admin.post(`/admin/users/${owner.id}/suspend`)).status).toBe(200);
  });

  it("is off with 0 minutes, and a second factor can be made a condition", async () => {
    const off = await serve({ config: ({ admin }) => void Object.assign(admin, { reauthenticateMinutes: 0 }) });
    const [admin, owner] = [await firstAdmin(off), await registerOwner(off)];
    await setUpFactor(off, admin);
    expect((await grant(admin, owner)).status).toBe(200);
    const strict = await serve({ config: ({ admin }) => void Object.assign(admin, { requireSecondFactor: true }) });
    const [other, someone] = [await firstAdmin(strict), await registerOwner(strict)];
    expect(said(await grant(other, someone))).toEqual([403, "SECOND_FACTOR_REQUIRED"]);
    const app = await setUpFactor(strict, other);
    await other.confirmKey({ body: { code: await app.nextCode() } });
    expect((await grant(other, someone)).status).toBe(200);
  });
});

it("confirmation: every operation that moves money by an administrator requires it", () => {
  // Clearing a flag moves none.
  const writes = (Object.entries(contract) as [string, Endpoint][]).filter(
    ([name, { access, method }]) =>
      Array.isArray(access) && access.includes("money") && method !== "GET" && name !== "clearPaymentFlag",
  );
  expect(writes.filter(([, { confirmed }]) => !confirmed).map(([name]) => name)).toEqual([]);
  expect(writes.length).toBeGreaterThan(6);
});

onBothDatabases("signing in to the portal with a second factor", (serve, it) => {
  async function tester(server: TestServer) {
    const pim = await registerPlaytester(server);
    const [email, app] = [await emailOf(pim), await setUpFactor(server, pim, password)];
    return { pim, email, app };
  }

  async function byPassword(person: Visitor, email: string, next = "/play/slots") {
    return person.submit(`/play/sign-in?next=${next}`, "/play/sign-in/password", { email, password });
  }

  async function byLink(server: TestServer, person: Visitor, email: string) {
    await person.submit("/play/sign-in?next=/play/slots", "/play/sign-in/link", { email });
    await server.advance(0);
    return person.submit(mailedPath(server, "signIn"), "/play/sign-in/confirm");
  }

  const enter = (person: Visitor, code: string) =>
    person.submit("/play/sign-in/code?next=/play/slots", "/play/sign-in/code", { code });
  const inside = async (person: Visitor) => (await person.get("/play/account")).status === 200;

  it.each(["password", "link"])("takes a code on a second page after the %s, and no session exists before", async (by) => {
    const server = await serve();
    const { pim, email, app } = await tester(server);
    const person = visitor(server);
    const first = by === "password" ? await byPassword(person, email) : await byLink(server, person, email);
    expect(first.location).toBe("/play/sign-in/code?next=%2Fplay%2Fslots");
    expect(await inside(person)).toBe(false);
    expect((await pim.listSessions()).sessions).toEqual([]);
    const wrong = await enter(person, "12345x");
    expect([wrong.status, wrong.html.includes("must have six digits")]).toEqual([422, true]);
    expect((await enter(person, app.code())).html).toContain("was used already");
    const done = await enter(person, await app.nextCode());
    expect([done.status, done.location]).toEqual([303, "/play/slots"]);
    expect(await inside(person)).toBe(true);
    expect(await subjects(server)).toContain("New sign-in to your account");
    expect([...person.cookies.keys()].sort()).toEqual(["playtest_session", "playtest_visitor"]);
  });

  it("takes a recovery code, and the first step no second time", async ({ server }) => {
    const { email, app } = await tester(server);
    const person = visitor(server);
    await byPassword(person, email);
    const step = person.cookies.get("playtest_second_step")!;
    await enter(person, app.recoveryCodes[0]!);
    expect(await inside(person)).toBe(true);
    const thief = visitor(server);
    await thief.get("/play/sign-in");
    thief.cookies.set("playtest_second_step", step);
    expect((await thief.get("/play/sign-in/code")).location).toBe("/play/sign-in");
  });

  it("takes no code without the first step, after ten minutes, or after a reset, sign-out or suspension", async ({ server }) => {
    const { pim, email, app } = await tester(server);
    const admin = await firstAdmin(server);
    const stranger = visitor(server);
    expect((await stranger.get("/play/sign-in/code")).location).toBe("/play/sign-in");
    const ends: Record<string, () => Promise<unknown>> = {
      "ten minutes": () => server.advance(10 * minute),
      "signing out everywhere": () => pim.post("/auth/sign-out-everywhere"),
      "a new password": async () => {
        const change = { currentPassword: password, newPassword: "another horse", code: app.recoveryCodes[1] };
        await pim.changePassword({ body: change });
        await pim.changePassword({
          body: {
            ...{ currentPassword: "another horse", newPassword: password, code: app.recoveryCodes[2] },
          },
        });
      },
      suspension: () => admin.post(`/admin/users/${pim.id}/suspend`),
    };
    for (const [name, end] of Object.entries(ends)) {
      const person = visitor(server);
      await byPassword(person, email);
      const page = await person.get("/play/sign-in/code");
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)![1]!;
      await end();
      const reply = await person.send("/play/sign-in/code", { csrf, code: app.recoveryCodes[0]!, next: "/play" });
      expect([name, reply.status, await inside(person)]).toEqual([name, 410, false]);
      expect(reply.html).toContain(
        "Your password or link no longer counts: too much time has passed, or something about your account changed since.",
      );
    }
    await admin.unsuspendUser({ params: { id: pim.id } });
    expect((await pim.getFactor()).recoveryCodesLeft).toBe(8);
  });

  it("is set up, renewed and removed on the account's pages", async ({ server }) => {
    const pim = await registerPlaytester(server);
    const person = visitor(server);
    await byPassword(person, await emailOf(pim));
    const path = "/play/account/factor";
    expect((await person.submit(path, `${path}/start`, { password: "wrong" })).html).toContain("is not the current password");
    const setUp = await person.submit(path, `${path}/start`, { password });
    expect([setUp.status, setUp.html.includes("<svg")]).toEqual([200, true]);
    const uri = /name="uri" value="([^"]+)"/.exec(setUp.html)![1]!.replaceAll("&amp;", "&");
    const [csrf, formKey] = ["csrf", "formKey"].map((name) => new RegExp(`name="${name}" value="([^"]+)"`).exec(setUp.html)![1]!);
    const hidden = { csrf: csrf!, formKey: formKey!, uri };
    const secret = new URL(uri).searchParams.get("secret")!;
    const wrong = await person.send(`${path}/enable`, { ...hidden, code: "000000" });
    expect([wrong.status, wrong.html.includes("<svg"), wrong.html.includes("is not correct")]).toEqual([422, true, true]);
    const code = codeAt(secret, server.clock.real());
    const done = await person.send(`${path}/enable`, { ...hidden, code });
    const codes = (html: string) => [...html.matchAll(/<li><code>([A-Z2-9-]{23})<\/code>/g)].map(([, found]) => found!);
    expect(codes(done.html)).toHaveLength(10);
    // Reloading the page shows the same codes.
    expect(codes((await person.send(`${path}/enable`, { ...hidden, code })).html)).toEqual(codes(done.html));
    const [first, second] = codes(done.html) as [string, string];
    const renewed = await person.submit(path, `${path}/recovery-codes`, { code: first });
    expect(codes(renewed.html)).toHaveLength(10);
    expect((await person.submit(path, `${path}/disable`, { code: second })).status).toBe(422);
    const removed = await person.submit(path, `${path}/disable`, { code: codes(renewed.html)[0]! });
    expect(removed.location).toBe(`${path}?done=removed`);
    expect((await person.get(removed.location!)).html).toContain("Set up a second factor");
  });

  it("tells the page of an older set-up that only the newest picture works", async ({ server }) => {
    const pim = await registerPlaytester(server);
    const person = visitor(server);
    await byPassword(person, await emailOf(pim));
    const path = "/play/account/factor";
    const begin = async () => {
      const { html } = await person.submit(path, `${path}/start`, { password });
      const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)![1]!.replaceAll("&amp;", "&");
      const uri = field("uri");
      const secret = new URL(uri).searchParams.get("secret")!;
      const code = codeAt(secret, server.clock.real());
      return { secret, fields: { csrf: field("csrf"), formKey: field("formKey"), uri, code } };
    };
    const [older, newer] = [await begin(), await begin()];
    const refused = await person.send(`${path}/enable`, older.fields);
    expect([refused.status, refused.html.includes(newer.secret)]).toEqual([422, false]);
    expect(refused.html).toContain(
      `Only the newest picture works. If you began again in another tab, use the picture there, or <a href="${path}">`,
    );
    expect((await person.send(`${path}/enable`, newer.fields)).html).toContain("The second factor is on.");
  });

  it("asks for a code to change the password or the email address on the account page", async ({ server }) => {
    const { email, app } = await tester(server);
    const person = visitor(server);
    await byPassword(person, email);
    await enter(person, app.recoveryCodes[0]!);
    const change = { current: password, password: "another horse" };
    expect((await person.submit("/play/account", "/play/account/password", change)).status).toBe(401);
    const moved = { newEmail: "moved@example.com", emailPassword: password };
    expect((await person.submit("/play/account", "/play/account/email", moved)).status).toBe(401);
    expect((await person.submit("/play/account", "/play/account/email", { ...moved, code: app.recoveryCodes[1]! })).status).toBe(
      303,
    );
    const changed = await person.submit("/play/account", "/play/account/password", { ...change, code: app.recoveryCodes[2]! });
    expect(changed.location).toBe("/play/sign-in?done=password");
  });
});
