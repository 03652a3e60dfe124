import { expect, it } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import type { Config } from "../../server/config/schema.ts";
import { MailRefused } from "../../server/mail/mailer.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { hiddenFields, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const day = 24 * 3_600_000;
const subject = "You are invited to playtest";

const linkTo = ({ mails }: TestServer, address: string) => {
  const mail = mails.findLast((one) => one.to === address && one.subject === subject);
  return new URL(/http\S+\/invite\?token=\S+/.exec(mail?.text ?? "")![0]);
};
const pathOf = (url: URL) => url.pathname + url.search;
const invitedMails = ({ mails }: TestServer) => mails.filter((mail) => mail.subject === subject).length;

async function operated(server: TestServer) {
  const key = (await ensureAdmin(server.deps))!;
  const invite = async (invitations: object[], again = false) => {
    const reply = await server.request("POST", "/admin/invitations", { key, body: { invitations, again } });
    await server.advance(0);
    return reply;
  };
  const outcomes = async (invitations: object[], again = false) =>
    (await invite(invitations, again)).body.data.results.map(({ outcome }: { outcome: string }) => outcome);
  const states = async () =>
    (await server.request("GET", "/admin/invitations", { key })).body.data.invitations.map(
      ({ email, state }: { email: string; state: string }) => `${email} ${state}`,
    );
  const actions = async () =>
    (await server.request("GET", "/admin/audit", { key })).body.data.entries.map(({ action }: { action: string }) => action);
  return { key, invite, outcomes, states, actions };
}

const tess = { email: "tess@example.com" };

onBothDatabases("invitations", (serve, it) => {
  it("a playtester: opens the link, clicks, is verified and signed in, and the link works once", async () => {
    const server = await serve({ config: (config) => (config.autoVerify = false) });
    const { outcomes, states, actions } = await operated(server);
    expect(await outcomes([tess])).toEqual(["invited"]);
    const path = pathOf(linkTo(server, tess.email));
    const person = visitor(server);
    const first = await person.get(path);
    expect(first.html).toContain("tess@example.com");
    expect(first.html).toContain("If you do not want to join, close this page: then no account is created.");
    // A mail scanner opens the link, more than once.
    for (let times = 0; times < 3; times++) expect((await visitor(server).get(path)).status).toBe(200);
    expect(await states()).toEqual(["tess@example.com invited"]);
    // A page of another site, which has no cookie of this browser, cannot sign it in to an account of its own.
    const foreign = await visitor(server).send("/invite", hiddenFields(first.html, "/invite"));
    expect([foreign.status, await states()]).toEqual([403, ["tess@example.com invited"]]);
    const joined = await person.send("/invite", { ...hiddenFields(first.html, "/invite"), name: "Tess" });
    expect([joined.status, joined.location]).toEqual([303, "/play"]);
    expect((await person.get("/play/account")).html).toContain("tess@example.com");
    expect(await states()).toEqual(["tess@example.com joined"]);
    expect((await visitor(server).get(path)).status).toBe(410);
    // A double click in the browser that joined.
    expect((await person.send("/invite", hiddenFields(first.html, "/invite"))).location).toBe("/play");
    expect(await actions()).toEqual(expect.arrayContaining(["invitation.create", "user.accept_invitation"]));
    expect(server.mails.map((mail) => mail.subject)).toEqual([subject]);
  });

  it("a game owner: joins, sets a password and gets an API key with it", async () => {
    const server = await serve({ config: (config) => (config.autoVerify = false) });
    const { outcomes } = await operated(server);
    await outcomes([{ email: "olga@example.com", role: "game_owner", name: "Olga" }]);
    const person = visitor(server);
    const first = await person.get(pathOf(linkTo(server, "olga@example.com")));
    expect(first.html).toContain("If you do not want to join, close this page: then no account is created.");
    const accounts = () => server.deps.store.read((q) => q.all("SELECT id FROM users WHERE email = 'olga@example.com'"));
    expect(await accounts()).toEqual([]);
    const joined = await person.send("/invite", { ...hiddenFields(first.html, "/invite"), name: "Olga" });
    expect(joined.html).toContain("Your account was created. Set a password within one hour");
    expect(await accounts()).toHaveLength(1);
    expect(joined.html).toContain("playtest login --base-url");
    expect((await visitor(server).get(pathOf(linkTo(server, "olga@example.com")))).html).toContain(
      "It is invalid, used, revoked or expired. Nothing was changed.",
    );
    server.clock.set(server.clock.now() + 3_599_999);
    const password = "correct horse";
    expect((await person.send("/reset-password", { ...hiddenFields(joined.html, "/reset-password"), password })).status).toBe(
      200,
    );
    const body = { name: "mine", email: "olga@example.com", password };
    const key = (await server.request("POST", "/auth/api-keys", { body })).body.data.apiKey;
    const me = (await server.request("GET", "/auth/me", { key })).body.data;
    expect(me).toMatchObject({ role: "game_owner", emailVerified: true, profile: { displayName: "Olga" } });
  });

  it("somebody who got an account meanwhile: is led to where it signs in", async () => {
    const server = await serve({ config: (config) => (config.autoVerify = true) });
    const { outcomes } = await operated(server);
    for (const [role, base] of [
      ["game_owner", "/studio"],
      ["playtester", "/play"],
    ] as const) {
      const email = `${role}@example.org`;
      await outcomes([{ email }]);
      const person = visitor(server);
      const fields = hiddenFields((await person.get(pathOf(linkTo(server, email)))).html, "/invite");
      const body = { email, password: "correct horse", role };
      expect((await server.request("POST", "/auth/register", { body })).status).toBe(201);
      const reply = await person.send("/invite", fields);
      expect(reply.location).toBe(`${base}/sign-in?done=account`);
      expect((await person.get(reply.location!)).html).toContain("You have an account already. Sign in.");
      expect((await person.submit(`${base}/sign-in`, `${base}/sign-in/password`, body)).location).toBe(base);
    }
  });

  it("a repetition: mails nobody twice, except those who expired, were revoked or are asked for again", async ({ server }) => {
    const { key, invite, outcomes, states, actions } = await operated(server);
    await server.request("POST", "/auth/register", {
      body: { email: "Known@example.com", password: "correct horse", role: "playtester" },
    });
    const people = [tess, { email: "pim@example.com" }, { email: "known@EXAMPLE.com" }];
    expect(await outcomes(people)).toEqual(["invited", "invited", "has_account"]);
    expect(await outcomes(people)).toEqual(["already_invited", "already_invited", "has_account"]);
    expect([invitedMails(server), (await actions()).filter((action: string) => action === "invitation.create")]).toEqual([
      2,
      ["invitation.create", "invitation.create"],
    ]);
    const before = pathOf(linkTo(server, tess.email));
    expect(await outcomes([tess], true)).toEqual(["invited"]);
    expect([(await visitor(server).get(before)).status, invitedMails(server)]).toEqual([410, 3]);

    const { id } = (await invite([tess])).body.data.results[0].invitation;
    const revoked = await server.request("DELETE", `/admin/invitations/${id}`, { key });
    expect(revoked.body.data.invitation.state).toBe("revoked");
    expect((await visitor(server).get(pathOf(linkTo(server, tess.email)))).status).toBe(410);
    server.clock.set(server.clock.now() + 15 * day);
    expect((await states()).sort()).toEqual(["pim@example.com expired", "tess@example.com revoked"]);
    expect((await visitor(server).get(pathOf(linkTo(server, "pim@example.com")))).status).toBe(410);
    expect(await outcomes(people)).toEqual(["invited", "invited", "has_account"]);
  });

  it("one whose email was refused: says so and why, and is mailed again by the next request", async ({ server }) => {
    const { key, invite, outcomes } = await operated(server);
    const pim = { email: "pim@example.com" };
    const deliveries = async () =>
      (await server.request("GET", "/admin/invitations", { key })).body.data.invitations.map((one: Record<string, unknown>) => [
        one.email,
        one.delivery,
        one.deliveryError,
      ]);
    server.refusals.set(tess.email, new MailRefused("550 5.1.1 no such mailbox"));
    server.refusals.set(pim.email, new Error("451 4.3.0 try later"));
    expect(await outcomes([tess, pim])).toEqual(["invited", "invited"]);
    const failed = [
      [pim.email, "waiting", "451 4.3.0 try later"],
      [tess.email, "failed", "550 5.1.1 no such mailbox"],
    ];
    expect((await deliveries()).sort()).toEqual(failed);
    server.refusals.clear();
    const { results } = (await invite([tess, pim])).body.data;
    expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["invited", "already_invited"]);
    await server.advance(60_000);
    expect((await deliveries()).sort()).toEqual([
      [pim.email, "sent", null],
      [tess.email, "sent", null],
    ]);
    const outage = server.lines.filter((line) => line.includes("sending emails")).map((line) => JSON.parse(line));
    expect(outage.map(({ message, failures }) => [message, failures])).toEqual([
      ["sending emails fails, and is tried again. The newest reason: 451 4.3.0 try later", 1],
      ["sending emails works again", 1],
    ]);
    expect(server.mails.map(({ to }) => to).sort()).toEqual([pim.email, tess.email]);
    expect((await visitor(server).get(pathOf(linkTo(server, tess.email)))).status).toBe(200);
    expect(await outcomes([tess, pim])).toEqual(["already_invited", "already_invited"]);
  });

  it.each(["another invitation", "a revocation"])("an email whose link ends by %s is never sent", async (how) => {
    const server = await serve();
    const { key, invite, outcomes } = await operated(server);
    const admin = (method: string, path: string) => server.request(method, `/admin/${path}`, { key });
    const pim = { email: "pim@example.com" };
    server.refusals.set(tess.email, new MailRefused("550 5.1.1 no such mailbox"));
    server.refusals.set(pim.email, new Error("451 4.3.0 try later"));
    await outcomes([tess, pim]);
    await server.advance(0);
    const { mails } = (await admin("GET", "mails")).body.data;
    server.refusals.clear();
    if (how === "another invitation") await invite([tess, pim], true);
    else
      for (const { id } of (await admin("GET", "invitations")).body.data.invitations)
        expect((await admin("DELETE", `invitations/${id}`)).status).toBe(200);
    await server.advance(3_600_000);
    expect((await admin("GET", "mails?state=failed")).body.data.mails).toEqual([]);
    for (const { id } of mails) expect((await admin("POST", `mails/${id}/retry`)).status).toBe(409);
    await server.advance(3_600_000);
    const expected = how === "another invitation" ? [pim.email, tess.email] : [];
    expect(server.mails.map(({ to }) => to).sort()).toEqual(expected);
    for (const to of expected) expect((await visitor(server).get(pathOf(linkTo(server, to)))).status).toBe(200);
  });

  it("somebody registered the address first: their unverified account is replaced", async () => {
    const server = await serve({ config: (config) => (config.autoVerify = false) });
    const { outcomes } = await operated(server);
    const body = { ...tess, password: "correct horse", role: "game_owner" };
    const { apiKey } = (await server.request("POST", "/auth/register/api-key", { body })).body.data;
    // What belongs to the account goes with it, the budgets of its keys too.
    const limited = { name: "ci", email: tess.email, password: "correct horse", budgets: [{ period: "day", limitCents: 1 }] };
    expect((await server.request("POST", "/auth/api-keys", { body: limited })).status).toBe(201);
    expect(await outcomes([tess])).toEqual(["invited"]);
    const path = pathOf(linkTo(server, tess.email));
    const person = visitor(server);
    await person.send("/invite", hiddenFields((await person.get(path)).html, "/invite"));
    expect((await server.request("GET", "/auth/me", { key: apiKey })).status).toBe(401);
    expect((await person.get("/play/account")).status).toBe(200);
  });

  it("an address that a request names twice gets one email, and an address cannot name a second recipient or a header", async ({
    server,
  }) => {
    const { outcomes, invite } = await operated(server);
    const twice = [tess, { email: "TESS@example.com" }, tess];
    expect(await outcomes(twice, true)).toEqual(["invited", "already_invited", "already_invited"]);
    expect(await outcomes(twice, true)).toEqual(["invited", "already_invited", "already_invited"]);
    expect(invitedMails(server)).toBe(2);
    for (const email of [
      "a@example.com,b@example.com",
      "a@example.com\r\nBcc: b@example.com",
      "a@example.com\n",
      "<a@example.com> b@example.com",
      '"a b"@example.com',
      "a@example.com;b@example.com",
      "a@[127.0.0.1]",
      "a\u0000@example.com",
      "a@example.com\u2028b@example.com",
    ])
      expect([email, (await invite([tess, { email }], true)).status]).toEqual([email, 422]);
    expect(invitedMails(server)).toBe(2);
    // What an operator calls somebody is in no email: it could say anything in the name of this server.
    await invite([{ email: "pim@example.com", name: "Win at evil.example" }]);
    const mail = server.mails.at(-1)!;
    expect(mail.to).toBe("pim@example.com");
    expect(`${mail.subject} ${mail.text} ${mail.html}`).not.toMatch(/win at|evil/i);
  });

  it("200 people: one request, one email each", async ({ server }) => {
    const { outcomes } = await operated(server);
    const people = Array.from({ length: 200 }, (_, index) => ({ email: `tester${index}@example.com` }));
    expect(new Set(await outcomes(people))).toEqual(new Set(["invited"]));
    expect(new Set(server.mails.map((mail) => mail.to)).size).toBe(200);
    expect(new Set(await outcomes(people))).toEqual(new Set(["already_invited"]));
    expect(server.mails).toHaveLength(200);
  });
});

const account = { email: "ada@example.com", password: "correct horse", role: "game_owner" };

onBothDatabases("registration", (serve) => {
  const registered = async (change: (config: Config) => void) => {
    const server = await serve({ config: change });
    const replies = [];
    for (const path of ["/auth/register", "/auth/register/api-key"])
      replies.push(await server.request("POST", path, { body: account }));
    const page = await visitor(server).get("/play/register");
    const start = await visitor(server).get("/");
    const signIn = await visitor(server).get("/play/sign-in");
    return { server, replies, page, start, signIn };
  };

  it.each([
    ["invite", "by invitation only"],
    ["closed", "takes no new accounts"],
  ] as const)("%s: is refused by the API, and no page offers it", async (mode, said) => {
    const { server, replies, page, start, signIn } = await registered((config) => (config.registration = mode));
    expect(replies.map(({ status }) => status)).toEqual([403, 403]);
    for (const { body } of replies) expect(body.error.message).toContain(said);
    for (const { html } of [page, start, signIn]) expect(html).toContain(said);
    expect(page.html).not.toContain("<form");
    expect(start.html).not.toContain("auth register");
    const fields = { csrf: hiddenFields(signIn.html, "/play/sign-in/link").csrf!, ...account };
    const person = visitor(server);
    await person.get("/play/sign-in");
    const csrf = hiddenFields((await person.get("/play/sign-in")).html, "/play/sign-in/link").csrf!;
    expect((await person.send("/play/register", { ...fields, csrf })).status).toBe(403);
  });

  it.each([
    {
      settings: { registration: "closed" },
      start: "This server takes no new accounts.",
      signIn: "This server takes no new accounts.",
      statuses: { "ada@example.org": 403, "ada@studio.example": 403 },
      invited: undefined,
    },
    {
      settings: { registration: "invite" },
      start: "New accounts are by invitation only: open the link in your invitation, or ask the operator for one.",
      signIn: "This server takes new accounts by invitation only. If you have an invitation, open the link in its email.",
      statuses: { "ada@example.org": 403, "ada@studio.example": 403 },
      invited: "/play",
    },
    {
      settings: { allowedDomains: ["studio.example", "play.example"] },
      start: "New accounts need an email address at studio.example or play.example.",
      signIn: "New accounts need an email address at studio.example or play.example.",
      statuses: { "ada@example.org": 422, "ada@studio.example": 201, "bo@play.example": 201 },
      invited: "/play",
    },
  ])("“$start” on the start page, and it is so", async ({ settings, start, signIn, statuses, invited }) => {
    const server = await serve({ config: (config) => void Object.assign(config, settings) });
    expect((await visitor(server).get("/")).html).toContain(start);
    for (const door of ["/play/sign-in", "/studio/sign-in"]) expect((await visitor(server).get(door)).html).toContain(signIn);
    for (const [email, status] of Object.entries(statuses)) {
      const reply = await server.request("POST", "/auth/register/api-key", { body: { ...account, email } });
      expect([email, reply.status]).toEqual([email, status]);
    }
    await (await operated(server)).invite([tess]);
    const join = async () => {
      const path = pathOf(linkTo(server, tess.email));
      return (await visitor(server).submit(path, "/invite", { name: "Tess" })).location;
    };
    if (invited === undefined) expect(invitedMails(server)).toBe(0);
    else expect(await join()).toBe(invited);
  });

  it("closed: not even an invitation lets anybody in", async () => {
    const server = await serve({ config: (config) => (config.registration = "closed") });
    const { invite } = await operated(server);
    const reply = await invite([tess]);
    expect([reply.status, reply.body.error.message]).toEqual([409, expect.stringContaining("`registration`")]);
    expect(server.mails).toEqual([]);
  });

  it("allowed domains: hold for registration and changes of the address, not for invitations", async () => {
    const { server, replies, page, start } = await registered((config) => (config.allowedDomains = ["Studio.example"]));
    expect(replies.map(({ status, body }) => [status, body.error.details[0].field])).toEqual([
      [422, "email"],
      [422, "email"],
    ]);
    for (const { html } of [page, start]) expect(html).toContain("Studio.example");
    const body = { ...account, email: "ada@STUDIO.example" };
    const reply = await server.request("POST", "/auth/register/api-key", { body });
    expect(reply.status).toBe(201);
    const change = { newEmail: "ada@example.org", password: account.password };
    const changed = await server.request("POST", "/auth/change-email", { key: reply.body.data.apiKey, body: change });
    expect([changed.status, changed.body.error.details[0].field]).toEqual([422, "newEmail"]);
    expect(await (await operated(server)).outcomes([tess])).toEqual(["invited"]);
  });
});
