import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { pdfText } from "../helpers/pdf.ts";
import { signedIn } from "../helpers/portal.ts";

const day = 24 * 3_600_000;

onBothDatabases("statements", (serve) => {
  /** Pim earns $10.00 with Rift in March, $20.00 in April, is paid $15.00 in April, of which $5.00 fails in May. */
  async function open() {
    const server = await serve();
    const admin = await factories.firstAdmin(server);
    const [owner, pim] = [await factories.registerOwner(server), await factories.registerPlaytester(server, "Pim")];
    await factories.giveCredit(server, owner, 100_000);
    const games = [
      await factories.createGame(owner, { name: "=Rift" }),
      await factories.createGame(owner, { name: "Lantern Deep" }),
    ] as const;
    const earn = async (gameId: string) => {
      const reply = await owner.post(`/slots/${await factories.play(server, pim, await factories.order(owner, gameId))}/accept`);
      expect(reply.status).toBe(200);
    };
    const pay = async (amountCents: number) =>
      (await admin.post("/admin/payouts", { userId: pim.id, amountCents })).body.data.payout.id as string;
    expect(new Date(server.deps.clock.now()).toISOString()).toBe("2026-03-01T12:00:00.000Z");
    await earn(games[0]);
    await server.advance(40 * day);
    await earn(games[0]);
    await earn(games[1]);
    await pay(1000);
    const failed = await pay(500);
    await server.advance(30 * day);
    await admin.post(`/admin/payouts/${failed}/fail`);
    const statement = async (query: string, who: factories.Person = pim) =>
      (await who.get(`/playtester/statement?${query}`)).body.data.statement;
    return { server, admin, owner, pim, games, statement };
  }

  it("have the balance before and after, what was earned by game, paid and returned", async () => {
    const { server, pim, games, statement } = await open();
    const [rift, deep] = games;
    expect(await statement("month=2026-04")).toEqual({
      period: "2026-04",
      from: "2026-04-01T00:00:00.000Z",
      to: "2026-05-01T00:00:00.000Z",
      beginCents: 1000,
      earnedCents: 2000,
      paidCents: 1500,
      returnedCents: 0,
      endCents: 1500,
      heldCents: 0,
      payouts: [1000, 500].map((amountCents) => ({
        ...{ payoutId: expect.any(String), kind: "made", reference: null, paidTo: null, amountCents },
        at: "2026-04-10T12:00:00.000Z",
      })),
      games: expect.arrayContaining([
        { id: rift, name: "=Rift", slots: 1, amountCents: 1000 },
        { id: deep, name: "Lantern Deep", slots: 1, amountCents: 1000 },
      ]),
    });
    const returned = [{ kind: "returned", at: "2026-05-10T12:00:00.000Z", amountCents: 500 }];
    expect((await statement("month=2026-05")).payouts).toMatchObject(returned);
    expect((await statement("year=2026")).payouts.map(({ kind }: { kind: string }) => kind)).toEqual([
      "made",
      "made",
      "returned",
    ]);
    expect(await statement("month=2026-05")).toMatchObject({
      beginCents: 1500,
      earnedCents: 0,
      paidCents: 0,
      returnedCents: 500,
      endCents: 2000,
    });
    expect(await statement("year=2026")).toMatchObject({
      beginCents: 0,
      earnedCents: 3000,
      paidCents: 1500,
      returnedCents: 500,
      endCents: 2000,
    });
    expect(await statement("year=2025")).toMatchObject({ beginCents: 0, endCents: 0, games: [], payouts: [] });
    server.deps.config.payouts.holdDays = 25;
    expect((await statement("month=2026-04")).heldCents).toBe(1500);
    expect((await statement("month=2026-05")).heldCents).toBe(0);
    for (const query of ["", "month=2026-13", "year=26", "month=2026-04&year=2026"])
      expect([query, (await pim.get(`/playtester/statement?${query}`)).status]).toEqual([query, 422]);
  });

  it("lead back to the month and the year in which the account was created", async () => {
    const { server, pim } = await open();
    const ann = await signedIn(server, pim);
    const besides = async (query: string) => {
      const { html } = await ann.get(`/play/earnings/statement?${query}`);
      return [.../<ul class="choice">.*?<\/ul>/s.exec(html)![0].matchAll(/>([^<]+)<\/a>/g)].map(([, name]) => name);
    };
    expect(await besides("month=2026-04")).toEqual(["March 2026", "May 2026", "2026"]);
    expect(await besides("month=2026-03")).toEqual(["April 2026", "2026"]);
    expect(await besides("year=2026")).toEqual([]);
  });

  it("are a page and a CSV file in the portal", async () => {
    const { server, pim, statement } = await open();
    const ann = await signedIn(server, pim);
    const page = (await ann.get("/play/earnings/statement?month=2026-04")).html;
    expect(page).toContain("Statement of April 2026");
    expect(page).toContain(">May 2026</a>");
    expect(page).toContain("<td>Lantern Deep</td><td>1</td>");
    for (const { month, nothing } of [
      { month: "2026-04", nothing: false },
      { month: "2026-05", nothing: true },
    ]) {
      const { html } = await ann.get(`/play/earnings/statement?month=${month}`);
      expect([html.includes("Nothing was earned in this time."), (await statement(`month=${month}`)).earnedCents === 0]).toEqual([
        nothing,
        nothing,
      ]);
    }
    expect((await ann.get("/play/earnings")).html).toContain("/play/earnings/statement");
    const [paid, failed] = (await statement("year=2026")).payouts;
    const csv = (await ann.get("/play/earnings/statement.csv?year=2026")).html;
    expect(csv.split("\r\n")).toEqual([
      "kind,game,playtests,date,reference,amount",
      "balance at the beginning,,,,,0.00",
      "earned,'=Rift,2,,,20.00",
      "earned,Lantern Deep,1,,,10.00",
      `payout,,,2026-04-10,${paid.payoutId},-10.00`,
      `payout,,,2026-04-10,${failed.payoutId},-5.00`,
      `"failed payout, returned",,,2026-05-10,${failed.payoutId},5.00`,
      "balance at the end,,,,,20.00",
      "held at the end,,,,,0.00",
      "",
    ]);
  });

  it("a reference in the CSV file is never a formula", async () => {
    const { server, pim } = await open();
    await server.deps.store.write((tx) => tx.run("UPDATE payouts SET reference = '=1+1' WHERE amount_cents = 1000"));
    const csv = (await (await signedIn(server, pim)).get("/play/earnings/statement.csv?year=2026")).html;
    expect(csv).toContain("payout,,,2026-04-10,'=1+1,-10.00");
  });

  it("are PDF files by the API and in the portal", async () => {
    const { server, pim, statement } = await open();
    const file = async (query: string) =>
      fetch(`${server.baseUrl}/api/v1/playtester/statement/file?${query}`, { headers: { authorization: `Bearer ${pim.key}` } });
    const reply = await file("month=2026-04");
    expect(reply.headers.get("content-disposition")).toBe('attachment; filename="statement-2026-04.pdf"');
    const text = pdfText(Buffer.from(await reply.arrayBuffer()));
    const [paid, failed] = (await statement("month=2026-04")).payouts;
    expect(text.split("\n")).toEqual([
      ...["Statement of earnings", "Period", "April 2026: 2026-04-01 to 2026-04-30 (UTC)", "Issued", "2026-05-10"],
      ...["From", "Playtest", "Playtester", "Pim", (await pim.get("/auth/me")).body.data.email],
      ...["Balance", "Amount (USD)", "$10.00", "At the beginning", "$20.00", "Earned", "$15.00", "Less payouts"],
      ...["$15.00", "At the end", "Payouts", "Amount (USD)"],
      ...["$10.00", `2026-04-10 ${paid.payoutId}`, "$5.00", `2026-04-10 ${failed.payoutId}`],
      ...["Earned by game", "Amount (USD)"],
      ...["$10.00", expect.stringMatching(/: 1 playtest$/), "$10.00", expect.stringMatching(/: 1 playtest$/)],
      ...["Statement of April 2026", "Page 1 of 1", ""],
    ]);
    const ann = await signedIn(server, pim);
    expect((await ann.get("/play/earnings/statement?year=2026")).html).toContain("/play/earnings/statement.pdf?year=2026");
    expect((await ann.get("/play/earnings/statement.pdf?year=2026")).html).toMatch(/^%PDF-/);
    expect([(await file("")).status, (await file("year=26")).status]).toEqual([422, 422]);
  });

  it("name the payee and the transfers as the bank statement does, by the API and in the portal", async () => {
    const { server, admin, pim } = await open();
    const details = { method: "bank", holder: "Pim Vos", iban: "NL91ABNA0417164300" };
    const payee = { address: "Kade 1\n1011 Amsterdam", country: "nl", taxNumber: "NL123456782" };
    const set = await pim.post("/playtester/payout-details", { ...details, ...payee, password: "correct horse" });
    expect(set.body.data.details).toMatchObject({ ...payee, holder: "Pim Vos", country: "NL", taxNumber: "••••6782" });
    const made = (await admin.post("/admin/payout-batches", { minCents: 1 })).body.data.batch;
    const paths = [`/api/v1/playtester/statement/file?month=2026-05`, "/play/earnings/statement.pdf?month=2026-05"] as const;
    const ann = await signedIn(server, pim);
    const asKey = await fetch(server.baseUrl + paths[0], { headers: { authorization: `Bearer ${pim.key}` } });
    const asPage = await fetch(server.baseUrl + paths[1], { headers: { cookie: ann.cookie() } });
    for (const reply of [asKey, asPage]) {
      const text = pdfText(Buffer.from(await reply.arrayBuffer()));
      expect(text).toContain("Playtester\nPim Vos\nKade 1\n1011 Amsterdam\nNetherlands\nTax number: ••••6782\n");
      expect(text).toMatch(/\$20\.00\n2026-05-10 PO-[0-9A-F]{12}\nTo IBAN NL ••••4300\n/);
      expect(text).toMatch(/-?\$5\.00\n2026-05-10 [-0-9a-f]+\nFailed and returned to the balance\n/);
    }
    expect(made.pending).toEqual({ payouts: 1, amountCents: 2000 });
  });

  it("of all playtesters give the operator the totals of a year", async () => {
    const { admin, pim } = await open();
    const totals = async (year: number) => (await admin.get(`/admin/payout-totals?year=${year}`)).body.data.totals;
    const email = (await pim.get("/auth/me")).body.data.email;
    expect(await totals(2026)).toEqual([
      { userId: pim.id, displayName: "Pim", email, earnedCents: 3000, paidCents: 1000, balanceCents: 2000 },
    ]);
    expect([await totals(2025), await totals(2027)]).toEqual([[], []]);
    expect((await admin.get("/admin/payout-totals")).status).toBe(422);
    expect((await pim.get("/admin/payout-totals?year=2026")).status).toBe(403);
  });
});
