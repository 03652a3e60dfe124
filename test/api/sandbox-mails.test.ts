import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { giveCredit, order, personWith, play } from "../helpers/factories.ts";
import { visitor } from "../helpers/portal.ts";

onBothDatabases("the emails of a sandbox in the browser", (_serve, it) => {
  it("are listed, and each is shown as text with its links and as a mail program shows it", async ({ server, owner }) => {
    const browser = visitor(server);
    expect((await browser.get("/sandbox/mails")).html).toContain("No email yet.");
    const { email } = await owner.getMe();
    await server.request("POST", "/auth/password-reset", { body: { email } });
    await server.advance(0);
    const list = await browser.get("/sandbox/mails");
    const [, path] = /<a href="(\/sandbox\/mails\/[^"]+)">Reset your password</.exec(list.html)!;
    expect(list.html).toContain(`To ${email}`);
    const shown = await browser.get(path!);
    const [, reset] = /<a href="([^"]*\/reset-password\?token=[^"]+)"/.exec(shown.html)!;
    expect((await fetch(reset!.replaceAll("&amp;", "&"))).status).toBe(200);
    const rendered = await fetch(`${server.baseUrl}${path}/html`);
    expect(await rendered.text()).toBe(server.mails.at(-1)!.html);
    expect(rendered.headers.get("content-security-policy")).toContain("default-src 'none'; style-src 'unsafe-inline'");
    // The picture of the server is for its own origin, which a page without allow-same-origin is not of.
    expect(rendered.headers.get("content-security-policy")).toContain("sandbox allow-same-origin ");
    for (const wrong of [`${path}/text`, "/sandbox/mails/1", "/sandbox"]) expect((await browser.get(wrong)).status).toBe(404);
  });

  it("include those about events to accounts that the sandbox made, which no mail server gets", async ({
    server,
    owner,
    gameId,
  }) => {
    const { testers } = (await server.request("POST", "/sandbox/testers", { body: { count: 1 } })).body.data;
    const tester = personWith(server, testers[0].apiKey, "");
    await giveCredit(server, owner, 10_000);
    const slotId = await play(server, tester, await order(owner, gameId));
    await owner.post(`/slots/${slotId}/accept`, { rating: 5 });
    await server.advance(0);
    const browser = visitor(server);
    const { html } = await browser.get("/sandbox/mails");
    const subject = "Your playtest of Lantern Deep was accepted";
    const { email } = await tester.getMe();
    expect(html).toContain(`>${subject}</a><br><span class="soft">To ${email} `);
    const waits = "SELECT COUNT(*) AS count FROM mails WHERE recipient LIKE '%.invalid' AND sent_at IS NULL";
    expect(await server.deps.store.read((q) => q.one(waits))).toEqual({ count: 0 });
    expect(server.mails.filter(({ to }) => to.endsWith(".invalid"))).toEqual([]);
    const { address } = await tester.listNotificationSettings();
    // It is no address that a mail server reaches.
    expect(address).toBe(null);
  });

  it("are nowhere on a live server", async ({ server, owner }) => {
    await server.request("POST", "/auth/password-reset", { body: { email: (await owner.getMe()).email } });
    await server.advance(0);
    const browser = visitor(server);
    const [, path] = /<a href="(\/sandbox\/mails\/[^"]+)"/.exec((await browser.get("/sandbox/mails")).html)!;
    server.deps.config.sandbox = false;
    for (const page of ["/sandbox/mails", path!, `${path}/html`]) {
      const { status, html } = await browser.get(page);
      expect([status, html.includes("Reset your password")]).toEqual([404, false]);
    }
  });
});
