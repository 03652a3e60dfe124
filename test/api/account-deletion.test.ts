import { expect, test } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { checkAudit } from "../../server/audit/checks.ts";
import { tablesOf } from "../../server/database/tables.ts";
import { openTill } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveMinutes, order, type Person, personWith, play, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

const password = "correct horse";

async function adminOf(server: TestServer): Promise<Person> {
  const key = (await ensureAdmin(server.deps))!;
  return personWith(server, key, (await server.request("GET", "/auth/me", { key })).body.data.id);
}

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
  "invoices.document",
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
    const admin = await adminOf(server);
    const till = await openTill(server, "Zyxwolga");
    const owner = till.owner;
    const tester = await registerPlaytester(server, "Qvopia");
    await owner.patch("/auth/profile", { companyName: "Zyxwolga Games Ltd", websiteUrl: "https://zyxwolga.example" });
    await tester.patch("/auth/profile", { gamingExperience: "Qvopia plays everything." });
    const { paymentId } = await till.buy(2000);
    await till.complete(paymentId, "paid");
    await owner.get(`/billing/payments/${paymentId}/invoice`);
    await owner.post("/webhooks", { url: "https://zyxwolga.example/hook", events: ["*"] });
    const slotId = await play(server, tester, await order(owner, await createGame(owner, { description: "By Zyxwolga." })));
    const emailOf = async (person: Person): Promise<string> => (await person.get("/auth/me")).body.data.email;
    const emails = { owner: await emailOf(owner), tester: await emailOf(tester) };
    const accept = () => owner.post(`/playtests/slots/${slotId}/accept`);
    const pay = (amountCents: number) => admin.post("/admin/payouts", { userId: tester.id, amountCents });
    const chat = async () => {
      const { conversation } = (await owner.post("/chat/conversations", { contactId: tester.id })).body.data;
      await owner.post(`/chat/conversations/${conversation.id}`, { content: "Thanks, Qvopia!" });
      await tester.post(`/chat/conversations/${conversation.id}`, { content: "Welcome, Zyxwolga!" });
      return conversation.id as string;
    };
    const remove = (person: Person, given: string | undefined = password) =>
      person.post("/auth/delete-account", { password: given });
    return { server, admin, till, owner, tester, slotId, emails, accept, pay, chat, remove };
  }

  test("export: has every kind of record of the account, and no secret", async () => {
    const { server, owner, tester, accept, chat, till } = await open();
    await accept();
    await chat();
    const { data } = (await owner.get("/auth/export")).body;
    const { records } = data;
    expect(data.account).toMatchObject({ id: owner.id, displayName: "Zyxwolga", websiteUrl: "https://zyxwolga.example" });
    const filled = Object.keys(records).filter((kind) => records[kind].length > 0);
    expect(filled.sort()).toMatchInlineSnapshot();
    expect(Object.keys((await tester.get("/auth/export")).body.data.records)).toEqual(Object.keys(records));
    const text = JSON.stringify(data);
    expect(text).not.toContain(owner.key);
    expect(text).not.toContain(till.owner.key.slice(12));
    const secrets = await server.deps.store.read((q) =>
      q.all<{ value: string }>(
        "SELECT secret AS value FROM webhooks UNION SELECT hash FROM api_keys UNION SELECT password_hash FROM users",
      ),
    );
    for (const { value } of secrets) expect(text).not.toContain(value);
  });

  test("is refused while money or work is pending, and the error says what", async () => {
    const { owner, tester, accept, pay, remove, till, server } = await open();
    const said = async (person: Person) => (await remove(person)).body.error?.message;
    expect(await said(owner)).toBe(
      "The account cannot be deleted yet. Nothing was deleted. 1 order not finished: cancel open slots, and review or wait for the others.",
    );
    expect(await said(tester)).toMatch(/1 slot not finished: release them, or wait until they are reviewed\.$/);
    await accept();
    expect(await said(tester)).toMatch(/\$10\.00 of earnings is not paid out: ask the operator to pay it\.$/);
    await giveMinutes(server, owner, 60);
    const { paymentId } = await till.buy(3000);
    expect(await said(owner)).toMatch(/1 payment pending: .* 60 playtest minutes left: use them, or ask the operator\.$/);
    await till.complete(paymentId, "paid");
    expect(await said(owner)).toMatch(/\$30\.00 of credit is left: spend it, or ask the operator\./);
    await till.complete(paymentId, "disputed");
    expect(await said(owner)).toMatch(/1 dispute open: wait until it has ended, or ask the operator\.$/);
    await pay(1000);
    expect((await remove(tester, "wrong horse")).status).toBe(422);
    expect((await tester.post("/auth/delete-account", {})).body.error.message).toMatch(/^password: is required/);
    expect((await remove(tester)).status).toBe(200);
  });

  test("leaves no name or address in the database but what is listed here; keys end, and the address is free again", async () => {
    const { server, admin, owner, tester, slotId, emails, accept, pay, chat, remove } = await open();
    await accept();
    await pay(1000);
    const conversation = await chat();
    await server.advance(0);
    expect((await remove(tester)).status).toBe(200);
    expect((await remove(owner)).status).toBe(200);
    const found = await columnsWith(server, ["zyxwolga", "qvopia", ...Object.values(emails)]);
    expect(found.filter((column) => !stays.includes(column))).toEqual([]);
    expect([(await owner.get("/auth/me")).status, (await tester.get("/auth/me")).status]).toEqual([401, 401]);
    const shown = (await admin.get("/admin/users?limit=100")).body.data.users.filter(({ id }: { id: string }) => id !== admin.id);
    expect(shown.map((user: Record<string, unknown>) => [user.displayName, user.companyName, user.email])).toEqual(
      [tester, owner].map(({ id }) => ["Deleted account", "Deleted account", `deleted-${id}@playtest.invalid`]),
    );
    expect((await admin.post(`/admin/users/${owner.id}/unsuspend`)).status).toBe(409);
    expect(await server.deps.store.read(checkAudit)).toMatchObject({ ok: true });
    const [entry] = (await admin.get(`/admin/audit?action=user.delete&target=${tester.id}`)).body.data.entries;
    expect(entry).toMatchObject({ actorId: tester.id, targetId: tester.id });
    const again = { email: emails.tester, password: "another fine horse", role: "playtester", name: "New" };
    expect((await server.request("POST", "/auth/register", { body: again })).status).toBe(201);
    expect([conversation, slotId]).not.toContain(undefined);
  });

  test("of one side leaves the other side its video and messages, from “Deleted account”", async () => {
    const { owner, tester, slotId, accept, pay, chat, remove } = await open();
    await accept();
    await pay(1000);
    const conversation = await chat();
    await remove(tester);
    const { slot } = (await owner.get(`/playtests/slots/${slotId}`)).body.data;
    expect(slot).toMatchObject({ status: "accepted", playtester: { displayName: "Deleted account" } });
    expect((await owner.get(`/playtests/slots/${slotId}/download-url`)).status).toBe(200);
    const { messages } = (await owner.get(`/chat/conversations/${conversation}`)).body.data;
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(["Thanks, Qvopia!", "Welcome, Zyxwolga!"]);
    const notices = (await owner.get("/notifications?limit=100")).body.data.notifications;
    expect(notices.map(({ body }: { body: string }) => body).join(" ")).not.toContain("Qvopia");
  });

  test("by the operator leaves money in the ledger; the last administrator with every scope stays", async () => {
    const { server, admin, owner, tester, accept, till } = await open();
    expect((await admin.delete(`/admin/users/${owner.id}`)).body.error.message).toMatch(/1 order not finished/);
    await accept();
    expect((await admin.delete(`/admin/users/${tester.id}`)).status).toBe(200);
    expect((await admin.delete(`/admin/users/${tester.id}`)).body.error.message).toBe(
      "This account is deleted already. Nothing was changed.",
    );
    await giveMinutes(server, owner, 60);
    expect((await admin.delete(`/admin/users/${owner.id}`)).status).toBe(200);
    const kept = "SELECT balance FROM ledger_accounts WHERE id = ? OR id = ? ORDER BY id";
    const rows = await server.deps.store.read((q) => q.all(kept, `liab:payable:${tester.id}`, `min:balance:${owner.id}`));
    expect(rows).toEqual([{ balance: -1000 }, { balance: -60 }]);
    expect(till.owner.id).toBe(owner.id);
    const other = (await admin.post("/admin/admins", { name: "Ada", scopes: ["accounts"] })).body.data;
    const limited = personWith(server, other.apiKey, other.admin.id);
    expect((await limited.delete(`/admin/users/${admin.id}`)).status).toBe(403);
    expect((await admin.delete(`/admin/users/${admin.id}`)).status).toBe(409);
    expect((await admin.delete(`/admin/users/${other.admin.id}`)).status).toBe(200);
  });
});
