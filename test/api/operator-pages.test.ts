import { expect, it } from "vitest";
import { flagPayment } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { signedIn, type Visitor, visitor } from "../helpers/portal.ts";
import { insertRows } from "../helpers/raw-rows.ts";
import type { TestServer } from "../helpers/server.ts";

/** The pages for operators at `/admin`. */
onBothDatabases("operators' pages", (serve) => {
  const signIn = (browser: Visitor, key: string) => browser.submit("/admin/sign-in", "/admin/sign-in", { key });

  async function operated() {
    const server = await serve();
    const operator = await factories.firstAdmin(server);
    const browser = visitor(server);
    expect(await signIn(browser, operator.key)).toMatchObject({ status: 303, location: "/admin" });
    return { server, operator, browser };
  }

  /** The key of another operator, who may do only this. */
  async function another(operator: factories.Person, scope: string) {
    const { admin, apiKey } = (await operator.post("/admin/admins", { name: "Second", scopes: [scope] })).body.data;
    return { id: admin.id as string, key: apiKey as string };
  }

  async function reportedSlot(server: TestServer) {
    const owner = await factories.registerOwner(server, "Hearth & Co");
    await factories.giveCredit(server, owner, 100_000);
    const gameId = await factories.createGame(owner);
    const playtester = await factories.registerPlaytester(server, "Ann <b>");
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
    const report = { reasonCode: "crash", notes: "<i>Black</i> screen" };
    expect((await playtester.post(`/playtester/slots/${slotId}/report`, report)).status).toBe(200);
    return { slotId, playtester };
  }

  it.each(["/admin", "/admin/people", "/admin/playtests", "/admin/none"])(
    "%s: whoever is not signed in as an operator is led to sign in",
    async (path) => {
      const server = await serve();
      const owner = await factories.registerOwner(server);
      const playtester = await factories.registerPlaytester(server);
      const visitors = [visitor(server), await signedIn(server, owner, "/studio"), await signedIn(server, playtester)];
      const location = path === "/admin" ? "/admin/sign-in" : `/admin/sign-in?next=${encodeURIComponent(path)}`;
      for (const browser of visitors) expect(await browser.get(path)).toMatchObject({ status: 303, location });
    },
  );

  it("signing in leads to the page that was asked for, and nowhere else", async () => {
    const server = await serve();
    const { key } = await factories.firstAdmin(server);
    for (const [asked, location] of [
      ["/admin/people?q=ann", "/admin/people?q=ann"],
      ["https://evil.example/admin", "/admin"],
      ["/adminevil", "/admin"],
      ["/studio", "/admin"],
    ]) {
      const page = `/admin/sign-in?next=${encodeURIComponent(asked!)}`;
      const browser = visitor(server);
      expect(await browser.submit(page, "/admin/sign-in", { key: "pt_nobody" })).toMatchObject({ status: 401 });
      expect(await browser.submit(page, "/admin/sign-in", { key })).toMatchObject({ status: 303, location });
      expect(await browser.get(page)).toMatchObject({ status: 303, location });
    }
  });

  it("signing in: only the key of an operator does it, and the cookie does not hold it", async () => {
    const { server, operator, browser } = await operated();
    expect([...browser.cookies.values()].join()).not.toContain(operator.key);
    const owner = await factories.registerOwner(server);
    const playtester = await factories.registerPlaytester(server);
    for (const key of [owner.key, playtester.key, "pt_nobody"]) {
      const other = visitor(server);
      const reply = await signIn(other, key);
      expect(reply.status).toBe(401);
      expect(reply.html).toContain("no API key of an operator");
      expect((await other.get("/admin")).status).toBe(303);
    }
  });

  it("signed out: by the button, after twelve hours, and with a cookie that nobody sealed", async () => {
    const { server, operator, browser } = await operated();
    expect((await browser.submit("/admin", "/admin/sign-out")).location).toBe("/admin/sign-in?done=signed-out");
    expect((await browser.get("/admin")).status).toBe(303);
    await signIn(browser, operator.key);
    const name = [...browser.cookies.keys()].find((one) => one.includes("operator"))!;
    expect((await browser.get("/admin")).status).toBe(200);
    await server.advance(12 * 3_600_000);
    expect((await browser.get("/admin")).status).toBe(303);
    expect((await browser.send("/admin/sign-out", {})).location).toBe("/admin/sign-in");
    browser.cookies.set(name, "x".repeat(80));
    expect((await browser.get("/admin")).status).toBe(303);
  });

  it("flagged payment: says what happened, and a note takes it off the list", async () => {
    const { server, operator, browser } = await operated();
    const owner = await factories.registerOwner(server, "Hearth & Co");
    const { paymentId } = (await owner.post("/billing/credit", { amountCents: 2000 })).body.data;
    await flagPayment(server, paymentId);
    const second = await another(operator, "approve");
    const other = visitor(server);
    await signIn(other, second.key);
    expect((await other.get("/admin")).html).not.toContain("Flagged payments");
    const { html } = await browser.get("/admin");
    expect(html).toContain("Flagged payments");
    expect(html).toContain("Refund re_1 failed: the amount is back at the processor.");
    const clear = (note: string) => browser.submit("/admin", `/admin/payments/${paymentId}/clear-flag`, { note });
    expect(await clear(" ")).toMatchObject({ status: 422, html: expect.stringContaining("<details open>") });
    const long = "n".repeat(501);
    expect(await clear(long)).toMatchObject({ status: 422, html: expect.stringContaining(`>${long}</textarea>`) });
    expect(await clear("refunded by hand")).toMatchObject({ status: 303, location: "/admin?done=flag" });
    expect((await browser.get("/admin?done=flag")).html).not.toContain("Flagged payments");
  });

  it("revoked operator: is signed out at once, and a form that was open changes nothing", async () => {
    const { server, operator } = await operated();
    const second = await another(operator, "accounts");
    const person = await factories.registerPlaytester(server);
    const browser = visitor(server);
    await signIn(browser, second.key);
    expect((await browser.get(`/admin/people/${person.id}`)).html).toContain("Suspend the account");
    expect((await operator.delete(`/admin/admins/${second.id}`)).status).toBe(200);
    const sent = await browser.send(`/admin/people/${person.id}/suspend`, {});
    const next = encodeURIComponent(`/admin/people/${person.id}`);
    expect(sent).toMatchObject({ status: 303, location: `/admin/sign-in?next=${next}` });
    expect((await person.get("/auth/me")).status).toBe(200);
  });

  it("scopes: a key sees and does what it may do with the API", async () => {
    const { server, operator } = await operated();
    await reportedSlot(server);
    const person = await factories.registerPlaytester(server);
    const [approving, paying] = [visitor(server), visitor(server)];
    await signIn(approving, (await another(operator, "approve")).key);
    await signIn(paying, (await another(operator, "money")).key);
    expect((await approving.get("/admin")).html).toContain("Reported problems");
    expect((await paying.get("/admin")).html).not.toContain("Reported problems");
    expect((await approving.get("/admin/people")).status).toBe(403);
    expect((await paying.submit(`/admin/people/${person.id}`, `/admin/people/${person.id}/suspend`)).status).toBe(403);
    expect((await person.get("/auth/me")).status).toBe(200);
  });

  it("forms of other sites: change nothing", async () => {
    const { server, browser } = await operated();
    const person = await factories.registerPlaytester(server);
    expect((await browser.send(`/admin/people/${person.id}/suspend`, { csrf: "guessed" })).status).toBe(403);
    expect((await person.get("/auth/me")).status).toBe(200);
  });

  it("what waits: a reported problem is answered in place, and the audit log names the key", async () => {
    const { server, operator, browser } = await operated();
    expect((await browser.get("/admin")).html).toContain("Nothing waits for you.");
    const { slotId, playtester } = await reportedSlot(server);
    const { html } = await browser.get("/admin");
    expect(html).toContain("&lt;i&gt;Black&lt;/i&gt; screen");
    expect(html).toContain("free on the disk");
    const action = `/admin/slots/${slotId}/answer`;
    expect((await browser.submit("/admin", action, { message: "A new build is there." })).location).toBe("/admin?done=answered");
    expect((await playtester.get(`/playtester/slots/${slotId}`)).body.data.slot.status).toBe("reserved");
    const [entry] = (await operator.get("/admin/audit?action=slot.unblock")).body.data.entries;
    expect(entry).toMatchObject({ actorId: operator.id });
    expect((await browser.get("/admin")).html).toContain("Nothing waits for you.");
  });

  it("what waits: a text is counted as the browser counts it, and one that is too long is shown again", async () => {
    const { server, browser } = await operated();
    const { slotId, playtester } = await reportedSlot(server);
    const lines = `${"x\r\n".repeat(999)}xx`;
    const answer = (message: string) => browser.submit("/admin", `/admin/slots/${slotId}/answer`, { message });
    const long = await answer(`${lines}y`);
    expect([long.status, long.html]).toEqual([422, expect.stringMatching(/aria-invalid[^>]*>(x\n){999}xxy</)]);
    expect((await answer(lines)).location).toBe("/admin?done=answered");
    const { slot } = (await playtester.get(`/playtester/slots/${slotId}`)).body.data;
    expect(JSON.stringify(slot)).toContain("x\\nxx");
  });

  it("earnings owed: says what can be paid now and to how many, and why others cannot be paid", async () => {
    const { server, operator, browser } = await operated();
    server.deps.config.payouts.detailsHoldHours = 48;
    const { owner, gameId } = await factories.ownerWithGame(server, 100_000);
    const earning = async (name: string) => {
      const person = await factories.registerPlaytester(server, name);
      const slotId = await factories.play(server, person, await factories.order(owner, gameId));
      expect((await owner.post(`/slots/${slotId}/accept`)).status).toBe(200);
      return person;
    };
    const [ann, bob, cyd] = [await earning("Ann"), await earning("Bob"), await earning("Cyd")];
    await earning("Dan");
    const give = async (person: factories.Person) => {
      const details = { method: "paypal", email: "payee@example.com", password: "correct horse" };
      expect((await person.post("/playtester/payout-details", details)).status).toBe(200);
    };
    const section = async () => /Earnings owed.*?<\/table>/s.exec((await browser.get("/admin")).html)![0];
    expect(await section()).toContain("$40.00 to 4 playtesters. Nothing of it can be paid now.");
    await give(ann);
    await server.advance(49 * 3_600_000);
    await signIn(browser, operator.key);
    await give(bob);
    await operator.suspendUser({ params: { id: cyd.id } });
    const usableFrom = (await operator.listOwed()).owed.find(({ userId }) => userId === bob.id)!.detailsUsableFrom;
    const html = await section();
    expect(html).toContain("$40.00 to 4 playtesters. $10.00 of it can be paid now, to 1 playtester.");
    const rowOf = (name: string) => new RegExp(`>${name}</a>.*?</tr>`, "s").exec(html)![0];
    const owedOnly = "</span></td><td>$0.00</td><td>$10.00</td></tr>";
    expect(rowOf("Ann")).toBe(">Ann</a></td><td>$10.00</td><td>$10.00</td></tr>");
    expect(rowOf("Bob")).toContain(`details usable from <time datetime="${usableFrom}">`);
    expect(rowOf("Bob")).toContain(owedOnly);
    expect(rowOf("Cyd")).toContain(`account suspended${owedOnly}`);
    expect(rowOf("Dan")).toContain(`no payout details${owedOnly}`);
  });

  it("videos that were not published: lists what its heading counts, the newest first, and says when there are more", async () => {
    const { server, browser } = await operated();
    const { owner, gameId } = await factories.ownerWithGame(server, 100_000, "Olive");
    const playtester = await factories.registerPlaytester(server);
    const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
    const video = { slot_id: slotId, adapter: "youtube", bytes_sent: 0, bytes_total: 1, give_up_at: 1, error: null };
    const publish = (detail: string | null, state: string, attempts: number, ...ages: number[]) =>
      server.deps.store.write((tx) =>
        insertRows(
          tx,
          "publications",
          ages.map((at) => ({
            ...{ ...video, id: tx.newId(), state, attempts, created_at: at, updated_at: at },
            detail: detail && `${detail} ${at}`,
          })),
        ),
      );
    const section = async () => /Videos that were not published.*?<\/section>/s.exec((await browser.get("/admin")).html)![0];
    const listed = async () => [...(await section()).matchAll(/Not (?:deleted|shown) \d+/g)].map(String);
    await publish("Not deleted", "removed", 3, 1);
    await publish("Not shown", "blocked", 0, 2);
    await publish(null, "removed", 0, ...Array.from({ length: 20 }, (_, at) => 10 + at));
    expect(await listed()).toEqual(["Not shown 2", "Not deleted 1"]);
    expect(await section()).not.toContain("The first 20.");
    const later = Array.from({ length: 19 }, (_, at) => 100 + at);
    await publish("Not deleted", "removed", 1, ...later);
    expect(await listed()).toEqual([...later.reverse().map((at) => `Not deleted ${at}`), "Not shown 2"]);
    expect(await section()).toContain('<span class="count">21</span>');
    expect(await section()).toContain("The first 20. The command lists all of them.");
    expect(await section()).toContain("playtest admin publishing list --state troubled");
  });

  it("playtests: are found by id, game and owner, with what is held and a link to what else there is", async () => {
    const { server, browser } = await operated();
    const owner = await factories.registerOwner(server, "Hearth <& Co>");
    await factories.giveCredit(server, owner, 100_000);
    const gameId = await factories.createGame(owner, { name: "Lantern Deep" });
    const other = await factories.createGame(owner, { name: "Star Miner" });
    const ann = await factories.registerPlaytester(server, "Ann");
    const id = await factories.order(owner, gameId, { quantity: 3 });
    await factories.order(owner, other);
    await owner.post(`/slots/${await factories.play(server, ann, id)}/accept`);
    const found = async (wanted: string) => {
      const { html } = await browser.get(`/admin/playtests?q=${encodeURIComponent(wanted)}`);
      return ["Lantern Deep", "Star Miner"].filter((name) => html.includes(`>${name}</a>`));
    };
    const { email } = (await owner.get("/auth/me")).body.data;
    for (const wanted of [id, gameId, "lantern"]) expect([wanted, await found(wanted)]).toEqual([wanted, ["Lantern Deep"]]);
    for (const wanted of [owner.id, "hearth <", ""])
      expect([wanted, await found(wanted)]).toEqual([wanted, ["Lantern Deep", "Star Miner"]]);
    for (const wanted of ["nothing", email]) expect([wanted, await found(wanted)]).toEqual([wanted, []]);
    const { html } = await browser.get(`/admin/playtests/${id}`);
    expect(html).toContain("2 open, 1 accepted · $40.00 held");
    expect(html).toContain(`<a href="/admin/people/${owner.id}">Hearth &lt;&amp; Co&gt;</a>`);
    expect(html).toContain(`<td>accepted</td><td><a href="/admin/people/${ann.id}">Ann</a></td>`);
    expect(html).toContain(`playtest admin games suspend ${gameId}`);
    expect((await browser.get(`/admin/people/${owner.id}`)).html).toContain(`/admin/playtests?q=${owner.id}`);
    expect((await browser.get("/admin/playtests/00000000-0000-7000-8000-000000000000")).status).toBe(404);
  });

  it("playtests: one whose slot is blocked and whose game is suspended has the commands for that", async () => {
    const { server, operator, browser } = await operated();
    const { slotId } = await reportedSlot(server);
    const [problem] = (await operator.listProblems()).problems;
    await operator.suspendGame({ params: { id: problem!.gameId } });
    const { html } = await browser.get(`/admin/playtests/${problem!.playtestId}`);
    expect(html).toContain(`playtest review unblock ${slotId}`);
    expect(html).toContain("Game suspended");
    expect(html).toContain(`playtest admin games unsuspend ${problem!.gameId}`);
    expect((await browser.get("/admin")).html).toContain(`<a href="/admin/playtests/${problem!.playtestId}">`);
  });

  it("people: a command to copy has their address in quotes where a shell needs them", async () => {
    const { server, browser } = await operated();
    const body = { email: "o'brien@example.com", password: "correct horse", role: "playtester", name: "Pat" };
    const { user, ...more } = (await server.request("POST", "/auth/register/api-key", { body })).body.data;
    const { html } = await browser.get(`/admin/people/${user.id}`);
    expect(html).toContain("reset-factor &#39;o&#39;\\&#39;&#39;brien@example.com&#39;");
    expect(JSON.stringify(more)).not.toContain("verify o'brien");
  });

  it("people: are found by name, address and id, and suspended in place", async () => {
    const { server, browser } = await operated();
    const ann = await factories.registerPlaytester(server, "Ann <b>");
    await factories.registerPlaytester(server, "Pim");
    const { email } = (await ann.get("/auth/me")).body.data;
    for (const wanted of ["ann", email, ann.id]) {
      const { html } = await browser.get(`/admin/people?q=${encodeURIComponent(wanted)}`);
      expect(html).toContain("Ann &lt;b&gt;");
      expect(html).not.toContain("Pim");
    }
    const page = `/admin/people/${ann.id}`;
    expect((await browser.get(page)).html).toMatch(
      /<details><summary>Suspend the account<.*?<button class="danger">Suspend it</s,
    );
    expect((await browser.submit(page, `${page}/suspend`)).location).toBe(`${page}?done=suspended`);
    expect((await ann.get("/auth/me")).status).toBe(403);
    expect((await browser.submit(page, `${page}/unsuspend`)).location).toBe(`${page}?done=unsuspended`);
    expect((await ann.get("/auth/me")).status).toBe(200);
    expect((await browser.get("/admin/people/00000000-0000-7000-8000-000000000000")).status).toBe(404);
  });
});
