import { expect } from "vitest";
import { MailRefused } from "../../server/mail/mailer.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin, personWith, registerPlaytester } from "../helpers/factories.ts";
import { mailedToken } from "../helpers/mails.ts";
import type { TestServer } from "../helpers/server.ts";

const tess = "playtester1@example.com";
const day = 86_400_000;

/** A server whose first playtester has just asked for a link that resets the password, and whose email is refused. */
async function refused(server: TestServer, error: Error) {
  const admin = await firstAdmin(server);
  await registerPlaytester(server);
  await server.advance(0);
  server.refusals.set(tess, error);
  await server.request("POST", "/auth/password-reset", { body: { email: tess } });
  await server.advance(0);
  const list = async (state: string) => (await admin.get(`/admin/mails?state=${state}`)).body.data.mails;
  return { admin, list };
}

onBothDatabases("emails that were not delivered", (serve, it) => {
  it("one that was refused: is listed with the reason and without its text, and in the inbox, and is sent again", async () => {
    const server = await serve({ config: (config) => (config.sandbox = false) });
    const { admin, list } = await refused(server, new MailRefused("550 5.1.1 no such mailbox"));
    const [mail, ...others] = await list("failed");
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ to: tess, state: "failed", tries: 1, error: "550 5.1.1 no such mailbox", sentAt: null });
    expect(Object.keys(mail)).not.toContain("text");
    const inbox = async () => (await admin.get("/inbox")).text;
    expect(await inbox()).toContain("refusedMails");
    server.refusals.clear();
    const retried = await admin.post(`/admin/mails/${mail.id}/retry`);
    expect(retried.body.data.mail).toMatchObject({ state: "waiting", tries: 0, failedAt: null });
    await server.advance(0);
    expect([await list("failed"), await list("waiting")]).toEqual([[], []]);
    expect((await list("sent"))[0]).toMatchObject({ id: mail.id, error: null });
    const body = { token: mailedToken(server, "reset"), newPassword: "a new fine password" };
    expect((await server.request("POST", "/auth/password-reset/confirm", { body })).status).toBe(200);
    expect((await admin.post(`/admin/mails/${mail.id}/retry`)).status).toBe(409);
    const [entry] = (await admin.get("/admin/audit?action=mail.retry")).body.data.entries;
    expect(entry).toMatchObject({ targetId: mail.id });
  });

  it("one whose link has ended is not sent again, and a narrow key neither lists nor retries", async ({ server }) => {
    const { admin, list } = await refused(server, new Error("451 try later"));
    expect((await list("waiting"))[0]).toMatchObject({ to: tess, tries: 1, error: "451 try later" });
    await server.advance(day);
    const [mail] = await list("failed");
    server.refusals.clear();
    expect((await admin.post(`/admin/mails/${mail.id}/retry`)).body.error.message).toMatch(
      /^The link in this email has expired\./,
    );
    await server.advance(0);
    expect(server.mails.filter(({ to, subject }) => to === tess && /password/i.test(subject))).toEqual([]);
    const other = (await admin.post("/admin/admins", { name: "Ada", scopes: ["money"] })).body.data;
    const money = personWith(server, other.apiKey, other.admin.id);
    expect((await money.get("/admin/mails")).status).toBe(403);
    expect((await money.post(`/admin/mails/${mail.id}/retry`)).status).toBe(403);
  });
});
