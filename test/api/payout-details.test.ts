import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { lastMail } from "../helpers/mails.ts";
import { hiddenFields, signedIn } from "../helpers/portal.ts";

const password = "correct horse";
const hour = 3_600_000;
const day = 24 * hour;
const at = "/playtester/payout-details";
const bank = { method: "bank", holder: "Pim Vos", iban: "NL91ABNA0417164300" };

const payee = { holder: "Pim Vos", address: null, country: null, taxNumber: null };

onBothDatabases("payout details", (serve, it) => {
  it("are set with the password, sealed at rest, shown masked, mailed and removed", async ({ server }) => {
    const pim = await factories.registerPlaytester(server);
    expect((await pim.get(at)).body.data).toEqual({ details: null, holdHours: 0 });
    expect((await pim.post(at, { ...bank, password: "wrong" })).body.error.details).toMatchObject([{ field: "password" }]);
    const refused = (await pim.post(at, { ...bank, iban: "NL91ABNA0417164301", password })).body.error;
    expect(refused).toMatchObject({ code: "VALIDATION_ERROR", details: [{ field: "iban" }] });
    const reply = await pim.post(at, { ...bank, password }, { "idempotency-key": "set-1" });
    const details = { method: "bank", ...payee, masked: "IBAN NL ••••4300", changedAt: expect.any(String), usableFrom: null };
    expect([reply.status, reply.body.data]).toEqual([200, { details, holdHours: 0 }]);
    expect((await pim.get(at)).body.data).toEqual({ details, holdHours: 0 });
    const rows = await server.deps.store.read((q) => q.all("SELECT * FROM payout_details"));
    const replies = await server.deps.store.read((q) => q.all<{ body: Uint8Array }>("SELECT body FROM idempotency"));
    const kept = [JSON.stringify(rows), ...replies.map(({ body }) => Buffer.from(body).toString())];
    expect(kept).toHaveLength(2);
    for (const text of kept) expect(text).not.toMatch(/ABNA|Pim|0417/);
    await server.advance(0);
    const { text } = lastMail(server, "Your payout details were changed");
    expect(text).toContain("IBAN NL ••••4300. Your next payout goes there.");
    expect(text).not.toContain("ABNA");
    expect((await pim.post(`${at}/remove`, { password: "wrong" })).status).toBe(422);
    expect((await pim.post(`${at}/remove`, { password })).body.data).toEqual({ details: null, holdHours: 0 });
    expect((await pim.post(`${at}/remove`, { password })).status).toBe(409);
    await server.advance(0);
    expect(lastMail(server, "Your payout details were removed").text).toContain("payout batches skip you until");
  });

  it("take a code where the account has a second factor", async ({ server }) => {
    const pim = await factories.registerPlaytester(server);
    const app = await setUpFactor(server, pim, password);
    expect((await pim.post(at, { ...bank, password })).body.error.code).toBe("CODE_REQUIRED");
    expect((await pim.post(at, { ...bank, password, code: await app.nextCode() })).status).toBe(200);
  });

  it("wait payouts.detailsHoldHours after each change, and go with the account", async () => {
    const server = await serve({ config: (config) => (config.payouts.detailsHoldHours = 48) });
    const pim = await factories.registerPlaytester(server);
    const from = () => new Date(server.deps.clock.now() + 48 * hour).toISOString();
    const first = from();
    expect((await pim.post(at, { ...bank, password })).body.data.details.usableFrom).toBe(first);
    await server.advance(0);
    expect(lastMail(server, "Your payout details were changed").text).toContain("No payout goes there before");
    await server.advance(48 * hour);
    expect((await pim.get(at)).body.data.details.usableFrom).toBe(null);
    // The money goes where it went before.
    const addressed = (await pim.post(at, { ...bank, address: "Kade 1", password })).body.data.details;
    expect(addressed).toMatchObject({ address: "Kade 1", usableFrom: null });
    const paypal = { method: "paypal", email: "pim@example.com" };
    expect((await pim.post(at, { ...paypal, password })).body.data.details.usableFrom).toBe(from());
    expect((await pim.post("/auth/delete-account", { password })).status).toBe(200);
    expect(await server.deps.store.read((q) => q.all("SELECT * FROM payout_details"))).toEqual([]);
  });

  it("are entered and removed in the portal", async ({ server }) => {
    const pim = await factories.registerPlaytester(server);
    const ann = await signedIn(server, pim);
    const path = "/play/earnings/details";
    const page = (await ann.get(path)).html;
    expect(page).toContain("You have no payout details yet.");
    const { method: _, iban: __, ...rest } = bank;
    const fields = hiddenFields(page, path);
    const wrong = await ann.send(path, { ...fields, ...rest, iban: "NL00", password });
    expect(wrong.html).toContain(">The IBAN is not a valid IBAN: look for a mistyped or missing character.<");
    const lacking = await ann.send(path, { ...fields, ...rest, iban: "", accountNumber: "123", routingNumber: "", password });
    expect(lacking.html).toContain("The routing number is required");
    expect(wrong.html).toContain('value="NL00"');
    const said = { address: "Kade 1\r\n1011 Amsterdam", country: "NL", taxNumber: "123456782" };
    const account = { iban: bank.iban, accountNumber: "", routingNumber: "" };
    const sent = await ann.send(path, { ...fields, ...rest, ...account, ...said, password });
    expect(sent).toMatchObject({ status: 303, location: `${path}?done=saved` });
    const saved = (await ann.get(path)).html;
    expect(saved).toContain("IBAN NL ••••4300");
    expect(saved).toMatch(/On your statements: Pim Vos, Kade 1, 1011 Amsterdam, Netherlands.*••••6782/);
    expect(saved).toContain('rows="3">Kade 1\n1011 Amsterdam</textarea>');
    expect(saved).toContain('<option value="NL" selected>');
    expect(saved).toContain("The tax number ••••6782 is stored. Enter it again: saving without it removes it.");
    expect((await ann.get("/play/earnings")).html).toContain("Paid to your bank account IBAN NL ••••4300");
    expect((await ann.get(`${path}?method=paypal`)).html).toContain("Email address of your PayPal account");
    const removed = await ann.send(`${path}/remove`, { ...hiddenFields(saved, `${path}/remove`), password });
    expect(removed).toMatchObject({ status: 303, location: `${path}?done=removed` });
    expect((await pim.get(at)).body.data.details).toBe(null);
  });
});

onBothDatabases("owed", (serve) => {
  it("lists what is available, held and missing for each playtester, with totals and pages", async () => {
    const server = await serve({ config: (config) => (config.payouts.detailsHoldHours = 48) });
    const admin = await factories.firstAdmin(server);
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const gameId = await factories.createGame(owner);
    const names = ["Ann", "Bob", "Cyd", "Dan"];
    const people: factories.Person[] = [];
    for (const name of names) people.push(await factories.registerPlaytester(server, name));
    const earn = async (person: factories.Person) =>
      owner.post(`/slots/${await factories.play(server, person, await factories.order(owner, gameId))}/accept`);
    const [ann, bob, cyd, dan] = people as [factories.Person, factories.Person, factories.Person, factories.Person];
    expect(await admin.listOwed()).toMatchObject({ owed: [], totals: { playtesters: 0, balanceCents: 0 } });
    for (const person of [ann, bob, cyd]) await earn(person);
    await ann.post(at, { ...bank, password });
    await server.advance(3 * day);
    await bob.post(at, { method: "paypal", email: "bob@example.com", password });
    server.deps.config.payouts.holdDays = 7;
    await server.advance(4 * day - 1);
    await earn(ann);
    await admin.suspendUser({ params: { id: cyd.id } });
    await dan.post(at, { ...bank, password });
    await bob.post(at, { method: "paypal", email: "bob2@example.com", password });
    await server.advance(1);
    const now = server.deps.clock.now();
    const { data, meta } = (await admin.get("/admin/owed")).body;
    const rows = data.owed.map((row: Record<string, unknown>) => [
      ...[row.displayName, row.balanceCents, row.availableCents, row.heldCents, row.method, row.obstacle],
      row.nextReleaseAt === null ? null : Date.parse(String(row.nextReleaseAt)) - now,
      row.detailsUsableFrom === null ? null : Date.parse(String(row.detailsUsableFrom)) - now,
    ]);
    expect(rows).toEqual([
      ["Cyd", 1000, 1000, 0, null, "suspended", null, null],
      ["Bob", 1000, 1000, 0, "paypal", "new_details", null, 2 * day - 1],
      ["Ann", 2000, 1000, 1000, "bank", null, 7 * day - 1, null],
    ]);
    expect(data.owed[2]).toMatchObject({ userId: ann.id, email: (await ann.getMe()).email });
    const totals = { playtesters: 3, balanceCents: 4000, availableCents: 3000, heldCents: 1000, disputedCents: 0 };
    Object.assign(totals, { payablePlaytesters: 1, payableCents: 1000 });
    expect([data.totals, meta.hasMore]).toEqual([totals, false]);
    const first = (await admin.get("/admin/owed?limit=2")).body;
    expect([first.data.owed.length, first.data.totals]).toEqual([2, totals]);
    const second = (await admin.get(`/admin/owed?limit=2&cursor=${first.meta.cursor}`)).body;
    expect([second.data.owed, second.data.totals]).toEqual([[data.owed[2]], null]);
    expect((await owner.get("/admin/owed")).status).toBe(403);
  });
});
