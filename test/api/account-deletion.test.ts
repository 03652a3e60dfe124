import { expect, test, vi } from "vitest";
import { checkAudit } from "../../server/audit/checks.ts";
import { tablesOf } from "../../server/database/tables.ts";
import { recordAttempts } from "../../server/events/webhooks/deliveries.ts";
import type { OutgoingRow } from "../../server/events/webhooks/store.ts";
import { openTill } from "../helpers/billing.ts";
import { openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { visitor } from "../helpers/portal.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import type { TestServer } from "../helpers/server.ts";

const password = "correct horse";
const day = 24 * 60 * 60_000;

/** The columns of the whole database in which one of these texts stands, as `table.column`. */
async function columnsWith(server: TestServer, texts: readonly string[]): Promise<string[]> {
  const { store } = server.deps;
  return store.read(async (q) => {
    const found = new Set<string>();
    for (const { name, columns } of await tablesOf(q, store.dialect))
      for (const row of await q.all<Record<string, unknown>>(`SELECT * FROM ${name}`))
        for (const column of columns) {
          const value = row[column] instanceof Uint8Array ? Buffer.from(row[column]).toString() : String(row[column]);
          if (texts.some((text) => value.toLowerCase().includes(text.toLowerCase()))) found.add(`${name}.${column}`);
        }
    return [...found].sort();
  });
}

/** What may still name a deleted account, and why. */
const stays = [
  // Tax law demands that invoices are kept as they were issued.
  "billing_documents.document",
  // What was said to somebody stays with them.
  "messages.content",
  "conversations.last_message_preview",
  // Emails to others that named the account: removed when retention removes old mails.
  "mails.html_body",
  "mails.subject",
  "mails.text_body",
];

onBothDatabases("account deletion", (serve) => {
  /** An owner and a playtester with names that stand nowhere else, after a playtest, a chat and a payout. */
  async function open() {
    const server = await serve({ config: (config) => (config.payouts.holdDays = 0) });
    const admin = await factories.firstAdmin(server);
    const till = await openTill(server, "Zyxwolga");
    const owner = till.owner;
    const tester = await factories.registerPlaytester(server, "Qvopia");
    await owner.updateProfile({ body: { companyName: "Zyxwolga Games Ltd", websiteUrl: "https://zyxwolga.example" } });
    await tester.updateProfile({ body: { gamingExperience: "Qvopia plays everything." } });
    const { paymentId } = await till.buy(2000);
    await till.complete(paymentId, "paid");
    await owner.get(`/billing/payments/${paymentId}/invoice`);
    await owner.createWebhook({ body: { url: "https://zyxwolga.example/hook", events: ["*"] } });
    const gameId = await factories.createGame(owner, { description: "By Zyxwolga.", buildUrl: "https://zyxwolga.example/build" });
    const slotId = await factories.play(
      server,
      tester,
      await factories.order(owner, gameId, { notesForTesters: "Zyxwolga thanks you." }),
    );
    const emailOf = async (person: factories.Person): Promise<string> => (await person.getMe()).email;
    const emails = { owner: await emailOf(owner), tester: await emailOf(tester) };
    const accept = () => owner.post(`/playtests/slots/${slotId}/accept`);
    const pay = (amountCents: number) => admin.post("/admin/payouts", { userId: tester.id, amountCents });
    const chat = async () => {
      const { conversation } = await owner.openConversation({ body: { contactId: tester.id } });
      const messages = `/chat/conversations/${conversation.id}/messages`;
      expect((await owner.post(messages, { content: "Thanks, Qvopia!" })).status).toBe(201);
      expect((await tester.post(messages, { content: "Welcome, Zyxwolga!" })).status).toBe(201);
      return conversation.id as string;
    };
    /** A change of the email address that waits for its links, settings of emails, and a second factor. */
    const personalize = async (person: factories.Person, newEmail: string) => {
      expect((await person.post("/auth/change-email", { newEmail, password })).status).toBe(200);
      expect((await person.patch("/notifications/settings", { mail: "digest" })).status).toBe(200);
      const app = await setUpFactor(server, person, password);
      expect((await person.post("/auth/confirm", { code: await app.nextCode() })).status).toBe(200);
      return app;
    };
    const remove = (person: factories.Person, given: string | undefined = password, code?: string) =>
      person.post("/auth/delete-account", { password: given, code });
    return { server, admin, till, owner, tester, slotId, emails, accept, pay, chat, personalize, remove };
  }

  test("export: has every kind of record of the account, and no secret", async () => {
    const { server, owner, tester, accept, chat, personalize, till } = await open();
    await accept();
    await chat();
    const app = await personalize(owner, "zyxwolga2@example.com");
    const details = { method: "bank", holder: "Qvopia Vos", iban: "NL91ABNA0417164300" };
    expect((await tester.post("/playtester/payout-details", { ...details, password })).status).toBe(200);
    const shown = { method: "bank", masked: "IBAN NL ••••4300", changedAt: expect.any(String) };
    const ofTester = await tester.get("/auth/export");
    expect(ofTester.body.data.records.payoutDetails).toEqual([shown]);
    expect(ofTester.text).not.toContain(details.iban);
    expect((await tester.post("/auth/export", { password: "wrong horse" })).status).toBe(422);
    const whole = (await tester.exportAccountInFull({ body: { password } })).records;
    expect(whole.payoutDetails).toEqual([{ ...details, ...shown }]);
    const { data } = (await owner.get("/auth/export")).body;
    const { records } = data;
    expect(data.account).toMatchObject({ id: owner.id, displayName: "Zyxwolga", websiteUrl: "https://zyxwolga.example" });
    const filled = Object.keys(records).filter((kind) => records[kind].length > 0);
    expect(filled.sort()).toMatchInlineSnapshot(`
      [
        "apiKeys",
        "auditEntries",
        "builds",
        "chatMessages",
        "confirmations",
        "conversations",
        "emailChanges",
        "emails",
        "games",
        "invoices",
        "ledger",
        "notificationSettings",
        "notifications",
        "payments",
        "playtests",
        "recoveryCodes",
        "secondFactor",
        "slots",
        "webhookDeliveries",
        "webhooks",
      ]
    `);
    expect(Object.keys((await tester.exportAccount()).records)).toEqual(Object.keys(records));
    const text = JSON.stringify(data);
    expect(text).not.toContain(owner.key);
    expect(text).not.toContain(till.owner.key.slice(12));
    const secrets = await server.deps.store.read((q) =>
      q.all<{ value: string }>(
        `SELECT secret AS value FROM webhooks UNION SELECT hash FROM api_keys UNION SELECT password_hash FROM users WHERE password_hash <> '!'
          UNION SELECT secret FROM second_factors UNION SELECT hash FROM recovery_codes UNION SELECT hash FROM one_time_tokens
          UNION SELECT unsubscribe_url FROM mails WHERE unsubscribe_url IS NOT NULL`,
      ),
    );
    expect(secrets.length).toBeGreaterThan(15);
    for (const value of [app.secret, ...app.recoveryCodes]) expect(text).not.toContain(value);
    for (const { value } of secrets) expect(text).not.toContain(value);
  });

  test("export: lists and objects are no texts of JSON, whatever column they are kept in", async () => {
    const { server, owner, admin, slotId, accept } = await open();
    await accept();
    const gameId = (await owner.listGames()).games[0]!.id;
    const { categories } = await owner.listCategories();
    const [tag] = categories;
    await owner.updateGame({ params: { id: gameId }, body: { tags: [tag!.id], languages: ["de"], devices: ["PC"] } });
    await owner.createMoment({ params: { id: slotId }, body: { atMs: 0, text: "Lost here", tags: ["onboarding"] } });
    const { finding } = await owner.createFinding({ params: { id: gameId }, body: { title: "The door", tags: ["door"] } });
    await server.deps.store.write(async (tx) => {
      const times = { created_at: 1, updated_at: 1 };
      const issue = { finding_id: finding.id, game_id: gameId, owner_id: owner.id, tracker: "github", target: "acme/lantern" };
      const state = { state: "waiting", marker: "m", attempts: 0, labels: '["playtest"]' };
      await insertRow(tx, "finding_issues", { ...issue, ...state, ...times });
      const ofClient = { user_id: owner.id, client_id: "client", toolsets: '["notes"]', created_at: 1 };
      const key = { id: tx.newId(), name: "Client", prefix: "pt_x", hash: "x", scopes: '["read"]', read_only: 0 };
      await insertRow(tx, "api_keys", { ...ofClient, ...key });
      const asked = { id: tx.newId(), client_name: "Client", redirect_uri: "http://127.0.0.1", challenge: "x", expires_at: 1 };
      await insertRow(tx, "connection_requests", { ...ofClient, ...asked });
      const { playtest_id } = (await tx.one<{ playtest_id: string }>("SELECT playtest_id FROM slots WHERE id = ?", slotId))!;
      const merge = { kind: "merge", from_id: finding.id, to_id: finding.id, evidence_ids: '["sighting"]', created_at: 1 };
      await insertRow(tx, "finding_changes", { id: tx.newId(), owner_id: owner.id, ...merge });
      const reel = { id: "reel", owner_id: owner.id, slot_id: slotId, playtest_id, game_id: gameId, name: "Doors" };
      await insertRow(tx, "clips", { ...reel, at_ms: 0, end_ms: 0, status: "ready", size: 1, ...times });
      for (const position of [1, 0]) {
        const part = { clip_id: "reel", position, slot_id: slotId, at_ms: position, end_ms: 9, title: "[Door]", facts: "[Tess]" };
        await insertRow(tx, "clip_parts", part);
      }
      const upload = { id: tx.newId(), kind: "video", user_id: owner.id, size: 1, filename: "play.mp4", status: "completed" };
      await insertRow(tx, "uploads", {
        ...upload,
        metadata: '{"a":"b"}',
        facts: '{"durationMs":1}',
        expires_at: 1,
        created_at: 1,
      });
      const transcript = { id: tx.newId(), slot_id: slotId, status: "approved", key_takeaways: '["Doors"]' };
      await insertRow(tx, "transcriptions", { ...transcript, ...times });
      const talk = { id: tx.newId(), owner_id: owner.id, playtester_id: admin.id, blocked_by_owner: 1, created_at: 1 };
      await insertRow(tx, "conversations", talk);
    });
    const exports = await Promise.all([owner, admin].map(async (person) => (await person.get("/auth/export")).body.data));
    const encoded: string[] = [];
    const look = (at: string, value: unknown): void => {
      if (typeof value === "string" && /^[[{]/.test(value) && !at.startsWith(".records.clipParts")) encoded.push(at);
      if (typeof value === "object" && value !== null) for (const [key, one] of Object.entries(value)) look(`${at}.${key}`, one);
    };
    for (const data of exports) look("", data);
    expect(encoded).toEqual([]);
    const { records } = exports[0];
    expect(records).toMatchObject({
      games: [{ languages: ["de"], devices: ["PC"] }],
      gameCategories: [{ gameId, name: tag!.name }],
      moments: [{ tags: ["onboarding"] }],
      findings: [{ tags: ["door"] }],
      findingIssues: [{ labels: ["playtest"] }],
      findingChanges: [{ kind: "merge", evidenceIds: ["sighting"], undoneAt: null }],
      clipParts: [{ clipId: "reel", position: 0, title: "[Door]" }, { position: 1 }],
      uploads: [{ metadata: { a: "b" }, videoFacts: { durationMs: 1 } }],
      transcripts: [{ keyTakeaways: ["Doors"] }],
      conversations: [{ playtesterId: admin.id, isBlocked: true }],
      playtests: [{ selectionMode: "automatic", scheduledAt: null, isFreePublicTrial: false }],
      connectionRequests: [{ toolsets: ["notes"] }],
      webhooks: [{ events: ["*"] }],
    });
    expect(records.apiKeys).toContainEqual(expect.objectContaining({ toolsets: ["notes"] }));
  });

  test("is refused while money or work is pending, and the error says what", async () => {
    const { owner, tester, accept, pay, remove, till, server } = await open();
    const said = async (person: factories.Person) => (await remove(person)).body.error?.message;
    expect(await said(owner)).toBe(
      "The account cannot be deleted yet. Nothing was deleted. 1 order not finished: cancel open slots, and review or wait for the others.",
    );
    expect(await said(tester)).toMatch(/1 slot not finished: release them, or wait until they are reviewed\.$/);
    await accept();
    expect(await said(tester)).toMatch(/\$10\.00 of earnings is not paid out: ask the operator to pay it\.$/);
    await pay(1000);
    await factories.giveMinutes(server, owner, 60);
    const { paymentId } = await till.buy(3000);
    expect(await said(owner)).toMatch(/1 payment pending: .* 60 playtest minutes left: use them, or ask the operator\.$/);
    await till.complete(paymentId, "paid");
    expect(await said(owner)).toMatch(/\$30\.00 of credit is left: spend it, or ask the operator\./);
    await till.complete(paymentId, "disputed");
    expect(await said(owner)).toMatch(/1 dispute open: wait until it has ended, or ask the operator\.$/);
    expect((await remove(tester, "wrong horse")).status).toBe(422);
    expect((await tester.post("/auth/delete-account", {})).body.error.message).toMatch(/^password: is required/);
    expect((await remove(tester)).status).toBe(200);
  });

  test("is refused while a crypto transaction that the owner named is not final", async () => {
    const wallet = await openWallet(await serve());
    const txHash = await wallet.send(await wallet.ask(), { confirmations: 0 });
    expect((await wallet.prove(txHash)).status).toBe(402);
    const reply = await wallet.owner.post("/auth/delete-account", { password });
    expect([reply.status, reply.body.error.message]).toEqual([
      409,
      expect.stringContaining("1 crypto transaction not final: wait until it is, or up to a day."),
    ]);
  });

  test("leaves no name or address in the database but what is listed here; keys end, and the address is free again", async () => {
    const { server, admin, owner, tester, emails, accept, pay, chat, personalize, remove } = await open();
    await accept();
    await pay(1000);
    await chat();
    const apps = [await personalize(tester, "qvopia2@example.com"), await personalize(owner, "zyxwolga2@example.com")];
    await server.advance(0);
    expect((await remove(tester, password, await apps[0]!.nextCode())).status).toBe(200);
    expect((await remove(owner, password, await apps[1]!.nextCode())).status).toBe(200);
    // Until their next time, jobs name the host of a webhook.
    await server.advance(2 * day);
    const found = await columnsWith(server, ["zyxwolga", "qvopia", ...Object.values(emails)]);
    expect(found.filter((column) => !stays.includes(column))).toEqual([]);
    expect(await columnsWith(server, [tester.id, owner.id])).toMatchInlineSnapshot(`
      [
        "audit_entries.actor_id",
        "audit_entries.state_after",
        "audit_entries.target_id",
        "billing_documents.owner_id",
        "games.owner_id",
        "ledger_accounts.id",
        "ledger_postings.account_id",
        "ledger_transfers.owner_id",
        "payments.owner_id",
        "payouts.user_id",
        "playtests.owner_id",
        "slots.owner_id",
        "slots.playtester_id",
        "users.email",
        "users.email_key",
        "users.id",
      ]
    `);
    expect([(await owner.get("/auth/me")).status, (await tester.get("/auth/me")).status]).toEqual([401, 401]);
    const shown = (await admin.listUsers({ query: { limit: 100 } })).users.filter(({ id }: { id: string }) => id !== admin.id);
    expect(shown.map((user: Record<string, unknown>) => [user.displayName, user.companyName, user.email])).toEqual(
      [tester, owner].map(({ id }) => ["Deleted account", "Deleted account", `deleted-${id}@playtest.invalid`]),
    );
    expect((await admin.post(`/admin/users/${owner.id}/unsuspend`)).status).toBe(409);
    expect(await server.deps.store.read(checkAudit)).toMatchObject({ ok: true });
    const [entry] = (await admin.listAudit({ query: { action: "user.delete", target: tester.id } })).entries;
    expect(entry).toMatchObject({ actorId: tester.id, targetId: tester.id });
    const again = { email: emails.tester, password: "another fine horse", role: "playtester", name: "New" };
    expect((await server.request("POST", "/auth/register", { body: again })).status).toBe(201);
  });

  test("takes a code where the account has a second factor; one is not used up while something is pending", async () => {
    const { server, tester, accept, pay, remove } = await open();
    const app = await setUpFactor(server, tester, password);
    const [recovery] = app.recoveryCodes as [string];
    expect((await remove(tester, password, recovery)).status).toBe(409);
    await accept();
    await pay(1000);
    expect((await remove(tester)).body.error).toMatchObject({ code: "CODE_REQUIRED" });
    expect((await remove(tester, password, "000000")).status).toBe(422);
    expect((await tester.get("/auth/me")).status).toBe(200);
    expect((await remove(tester, password, recovery)).status).toBe(200);
    expect((await tester.get("/auth/me")).status).toBe(401);
  });

  test("a request that was authenticated before it changes nothing after it", async () => {
    const { server, owner, admin, accept, chat } = await open();
    await accept();
    const conversation = await chat();
    const { store } = server.deps;
    const write = store.write.bind(store);
    const late: (() => Promise<{ status: number }>)[] = [
      () => owner.patch("/auth/profile", { displayName: "Zyxwolga" }),
      () => owner.post("/billing/credit", { amountCents: 2000 }),
      () => owner.post("/games", { name: "Late", buildUrl: "https://zyxwolga.example/late" }),
      () => owner.post(`/chat/conversations/${conversation}/messages`, { content: "Late" }),
    ];
    const waiting: (() => void)[] = [];
    store.write = async (fn, options) => {
      await new Promise<void>((pass) => waiting.push(pass));
      return write(fn, options);
    };
    const replies = late.map((send) => send());
    await vi.waitUntil(() => waiting.length >= late.length, { timeout: 60_000 });
    store.write = write;
    expect((await admin.delete(`/admin/users/${owner.id}`)).status).toBe(200);
    for (const pass of waiting) pass();
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(late.map(() => 401));
    await server.advance(2 * day);
    const found = await columnsWith(server, ["zyxwolga"]);
    expect(found.filter((column) => !stays.includes(column))).toEqual([]);
  });

  test("while an email is being sent: the sending ends by itself, and leaves nothing", async () => {
    const { server, admin, owner, accept } = await open();
    await accept();
    await server.advance(0);
    let refuse = (_: Error) => {};
    const sending = new Promise<void>((_, reject) => (refuse = reject));
    const started = vi.spyOn(server.deps.mailer, "send").mockReturnValue(sending);
    expect((await server.request("POST", "/auth/password-reset", { body: { email: "game_owner1@example.com" } })).status).toBe(
      200,
    );
    await vi.waitUntil(() => started.mock.calls.length > 0);
    expect((await admin.delete(`/admin/users/${owner.id}`)).status).toBe(200);
    refuse(new Error("451 zyxwolga: try later"));
    await server.advance(day);
    expect(await columnsWith(server, ["451 zyxwolga"])).toEqual([]);
    const jobs = "SELECT * FROM jobs WHERE kind = 'send-mail'";
    expect(await server.deps.store.read((q) => q.all(jobs))).toEqual([]);
  });

  test("while a webhook is being called records nothing of the call", async () => {
    const { server, admin, owner, accept } = await open();
    await accept();
    const deliveries = await server.deps.store.read((q) => q.all<OutgoingRow>("SELECT * FROM webhook_deliveries"));
    expect(deliveries.length).toBeGreaterThan(0);
    expect((await admin.delete(`/admin/users/${owner.id}`)).status).toBe(200);
    const outcome = {
      succeeded: false,
      gone: false,
      status: 500,
      error: "failed",
      response: null,
      retryAfterMs: 0,
      durationMs: 1,
    };
    const attempts = deliveries.map((delivery) => ({ delivery, outcome, random: 0 }));
    await server.deps.store.write((tx) => recordAttempts(tx, attempts));
    expect(await server.deps.store.read((q) => q.all("SELECT id FROM webhook_attempts"))).toEqual([]);
  });

  test("of one side leaves the other side its video and messages, from “Deleted account”", async () => {
    const { owner, tester, slotId, accept, pay, chat, remove } = await open();
    await accept();
    await pay(1000);
    const conversation = await chat();
    await remove(tester);
    const { slot } = await owner.getSlot({ params: { id: slotId } });
    expect(slot).toMatchObject({ status: "accepted", playtester: { displayName: "Deleted account" } });
    expect((await owner.get(`/playtests/slots/${slotId}/download-url`)).status).toBe(200);
    const { messages } = await owner.listMessages({ params: { id: conversation } });
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(["Thanks, Qvopia!", "Welcome, Zyxwolga!"]);
    const notices = (await owner.listNotifications({ query: { limit: 100 } })).notifications;
    expect(notices.map(({ body }: { body: string }) => body).join(" ")).not.toContain("Qvopia");
  });

  test("takes only the name out of notifications of others, also a former one, wherever else its letters stand", async () => {
    const { server, admin, owner } = await open();
    const tester = await factories.registerPlaytester(server, "a");
    await factories.giveCredit(server, owner, 2000);
    const gameId = await factories.createGame(owner, { name: "a Lantern" });
    const slotId = await factories.play(server, tester, await factories.order(owner, gameId));
    await tester.updateProfile({ body: { displayName: "slot" } });
    await owner.acceptSlot({ params: { id: slotId } });
    const { conversation } = await owner.openConversation({ body: { contactId: tester.id } });
    await tester.post(`/chat/conversations/${conversation.id}/messages`, { content: "Hi" });
    expect((await admin.delete(`/admin/users/${tester.id}`)).status).toBe(200);
    const { notifications } = await owner.listNotifications({ query: { limit: 5 } });
    expect(notifications.map(({ title, body }) => `${title}: ${body}`)).toEqual([
      "New message: Deleted account sent you a message.",
      "Playtest completed: Every slot of a playtest of a Lantern has ended.",
      "Submission accepted: You accepted Deleted account's playtest of a Lantern.",
      "Video submitted: Deleted account submitted a playtest video of a Lantern. It is ready for your review.",
      "Slot reserved: Deleted account reserved a playtest slot of a Lantern.",
    ]);
  });

  test("takes the name out of notifications of earlier versions where it is a word of its own", async () => {
    const { server, admin, owner } = await open();
    const tester = await factories.registerPlaytester(server, "Sam");
    await factories.giveCredit(server, owner, 2000);
    const gameId = await factories.createGame(owner, { name: "Samurai (Sam+)" });
    const slotId = await factories.claim(tester, await factories.order(owner, gameId));
    await server.deps.store.write((tx) => tx.run("UPDATE notifications SET unnamed_body = ''"));
    await tester.post(`/playtester/slots/${slotId}/release`);
    expect((await admin.delete(`/admin/users/${tester.id}`)).status).toBe(200);
    const { notifications } = await owner.listNotifications({ query: { limit: 10 } });
    expect(notifications.find(({ title }) => title === "Slot reserved")!.body).toBe(
      "Deleted account reserved a playtest slot of Samurai (Deleted account+).",
    );
  });

  test("takes what is kept under a former address, too", async () => {
    const { server, admin } = await open();
    const [email, newEmail] = ["bea.old@example.com", "bea.new@example.com"];
    await admin.post("/admin/invitations", { invitations: [{ email, role: "playtester", name: "Bea" }] });
    const body = { email, password, role: "playtester" };
    const { apiKey, user } = (await server.request("POST", "/auth/register/api-key", { body })).body.data;
    const bea = factories.personWith(server, apiKey, user.id);
    expect((await bea.post("/auth/change-email", { newEmail, password })).status).toBe(200);
    await server.advance(0);
    for (const address of [email, newEmail]) {
      const { text } = server.mails.findLast(({ to }) => to === address)!;
      const url = new URL(/https?:\/\/\S+\/change-email\S+/.exec(text)![0]);
      await visitor(server).submit(url.pathname + url.search, "/change-email");
    }
    expect((await bea.getMe()).email).toBe(newEmail);
    const { invitations } = await admin.listInvitations({});
    expect(invitations.map((invitation) => invitation.email)).toEqual([newEmail]);
    expect((await admin.delete(`/admin/users/${bea.id}`)).status).toBe(200);
    expect(await columnsWith(server, ["bea.old", "bea.new"])).toEqual([]);
  });

  test("by the operator leaves money in the ledger; the last administrator with every scope stays", async () => {
    const { server, admin, owner, tester, accept, till } = await open();
    expect((await admin.delete(`/admin/users/${owner.id}`)).body.error.message).toMatch(/1 order not finished/);
    await accept();
    expect((await admin.delete(`/admin/users/${tester.id}`)).status).toBe(200);
    expect((await admin.delete(`/admin/users/${tester.id}`)).body.error.message).toBe(
      "This account is deleted already. Nothing was changed.",
    );
    await factories.giveMinutes(server, owner, 60);
    expect((await admin.delete(`/admin/users/${owner.id}`)).status).toBe(200);
    const kept = "SELECT balance FROM ledger_accounts WHERE id = ? OR id = ? ORDER BY id";
    const rows = await server.deps.store.read((q) => q.all(kept, `liab:payable:${tester.id}`, `min:balance:${owner.id}`));
    expect(rows).toEqual([{ balance: -1000 }, { balance: -60 }]);
    expect(till.owner.id).toBe(owner.id);
    const other = await admin.createAdmin({ body: { name: "Ada", scopes: ["accounts"] } });
    const limited = factories.personWith(server, other.apiKey, other.admin.id);
    expect((await limited.delete(`/admin/users/${admin.id}`)).status).toBe(403);
    expect((await admin.delete(`/admin/users/${admin.id}`)).status).toBe(409);
    const app = await setUpFactor(server, admin);
    expect((await admin.delete(`/admin/users/${other.admin.id}`)).body.error.code).toBe("CONFIRMATION_REQUIRED");
    await admin.confirmKey({ body: { code: await app.nextCode() } });
    expect((await admin.delete(`/admin/users/${other.admin.id}`)).status).toBe(200);
  });
});
