import { describe, expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { hiddenFields, signedIn, type Visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const password = "correct horse";
type Base = "/play" | "/studio";
const bases: { base: Base }[] = [{ base: "/play" }, { base: "/studio" }];

interface Scene {
  server: TestServer;
  who: Person;
  browser: Visitor;
  base: Base;
}

const keyIn = (html: string) => /<code>(pt_[^<…]+)<\/code>/.exec(html)?.[1] ?? "";
const refused = (html: string) =>
  [...html.matchAll(/role="alert"[^>]*>(.*?)<\/div>/gs)].map(([, text]) => text!.replace(/<[^>]+>/g, ""))[0];

onBothDatabases("account pages", (serve) => {
  async function scene(base: Base): Promise<Scene> {
    const server = await serve();
    const who = base === "/play" ? await registerPlaytester(server, "Ann") : await registerOwner(server, "Hearth & Co");
    return { server, who, browser: await signedIn(server, who, base), base };
  }

  describe.each(bases)("at $base", ({ base }) => {
    it("the name in the header leads to the account, which leads to its other pages", async () => {
      const { browser } = await scene(base);
      expect((await browser.get(base)).html).toContain(`<a href="${base}/account">`);
      const { html } = await browser.get(`${base}/account`);
      for (const page of ["emails", "factor", "keys"]) {
        expect(html).toContain(`href="${base}/account/${page}"`);
        expect((await browser.get(`${base}/account/${page}`)).status).toBe(200);
      }
      expect((await browser.get(`${base}/notifications`)).status).toBe(200);
    });

    it("one choice turns all emails off, and only some on again", async () => {
      const { browser, who } = await scene(base);
      const path = `${base}/account/emails`;
      const modes = async () => new Set((await who.listNotificationSettings()).settings.map(({ mail }) => mail));
      await browser.submit(path, path, { all: "off" });
      expect([...(await modes())]).toEqual(["off"]);
      await browser.submit(path, path, { "chat.message": "digest" });
      expect([...(await modes())].sort()).toEqual(["digest", "off"]);
    });

    it("an API key is made with the password, shown once, works, and is revoked", async () => {
      const { browser, server } = await scene(base);
      const path = `${base}/account/keys`;
      const fields = { name: "ci", "scope-chat": "yes", "scope-notifications": "yes", expires: "30" };
      expect(refused((await browser.submit(path, path, fields)).html)).toContain("is required");
      expect(refused((await browser.submit(path, path, { ...fields, password: "wrong" })).html)).toBeDefined();
      const made = await browser.submit(path, path, { ...fields, password });
      const key = keyIn(made.html);
      expect([made.status, made.html]).toEqual([200, expect.stringContaining("It is shown only now.")]);
      expect((await server.request("GET", "/chat/contacts", { key })).status).toBe(200);
      expect((await server.request("GET", "/auth/api-keys", { key })).status).toBe(403);
      const { html } = await browser.get(path);
      expect(html).not.toContain(key);
      const revoke = [...html.matchAll(/action="([^"]+\/revoke)"/g)].map(([, action]) => action!);
      const expiring = html.split("<li class").find((item) => item.includes("<h2>ci</h2>"))!;
      expect(expiring).toContain("expires");
      await browser.submit(path, revoke.find((action) => expiring.includes(action))!);
      expect((await server.request("GET", "/chat/contacts", { key })).status).toBe(401);
    });

    it("the form of a key that expires, sent twice, makes one key", async () => {
      const { browser, server } = await scene(base);
      const path = `${base}/account/keys`;
      const form = {
        ...hiddenFields((await browser.get(path)).html, path),
        name: "ci",
        "scope-chat": "yes",
        expires: "30",
        password,
      };
      const first = keyIn((await browser.send(path, form)).html);
      await server.advance(90_000);
      expect(first).toMatch(/^pt_sk_/);
      expect(keyIn((await browser.send(path, form)).html)).toBe(first);
    });

    it("a key takes a code where the account has a second factor", async () => {
      const { browser, server, who } = await scene(base);
      const app = await setUpFactor(server, who, password);
      const path = `${base}/account/keys`;
      const fields = { name: "ci", "scope-chat": "yes", password };
      expect(keyIn((await browser.submit(path, path, fields)).html)).toBe("");
      await server.advance(60_000);
      expect(keyIn((await browser.submit(path, path, { ...fields, code: await app.nextCode() })).html)).not.toBe("");
    });
  });

  it("an owner's name, company and website are changed, and a wrong website is marked", async () => {
    const { browser, who } = await scene("/studio");
    const path = "/studio/account";
    const wrong = await browser.submit(path, path, { name: "Lantern", company: "Lantern GmbH", website: "lantern" });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('id="website-fault"')]);
    await browser.submit(path, path, { name: "Lantern", company: "Lantern GmbH", website: "https://example.com" });
    const { profile } = await who.getMe();
    expect([profile?.displayName, profile?.companyName, profile?.websiteUrl]).toEqual([
      "Lantern",
      "Lantern GmbH",
      "https://example.com",
    ]);
  });

  it("a profile and what stands on invoices keep what was changed elsewhere after their page was opened", async () => {
    const { browser, who } = await scene("/studio");
    const path = "/studio/account";
    const { html } = await browser.get(path);
    const { profile } = await who.getMe();
    const fields = { name: profile!.displayName, company: profile!.companyName! };
    await who.updateProfile({ body: { displayName: "Lantern", timeZone: "Europe/Berlin" } });
    await who.updateBillingDetails({ body: { name: "Lantern GmbH", taxNumber: "DE1" } });
    await browser.send(path, { ...hiddenFields(html, path), ...fields, company: "Well Ltd" });
    expect((await who.getMe()).profile).toMatchObject({
      displayName: "Lantern",
      companyName: "Well Ltd",
      timeZone: "Europe/Berlin",
    });
    const invoices = hiddenFields(html, `${path}/invoices`);
    const refusal = await browser.send(`${path}/invoices`, { ...invoices, invoiceName: "Well Ltd" });
    expect(refusal.status).toBe(409);
    expect(refused(refusal.html)).toContain("Legal name: was changed to “Lantern GmbH” elsewhere");
    await browser.send(`${path}/invoices`, { ...invoices, invoiceAddress: "Weg 1" });
    expect((await who.getBillingDetails()).details).toMatchObject({ name: "Lantern GmbH", address: "Weg 1", taxNumber: "DE1" });
  });

  it("what stands on an owner's invoices is changed and removed again", async () => {
    const { browser, who } = await scene("/studio");
    const save = (fields: Record<string, string>) => browser.submit("/studio/account", "/studio/account/invoices", fields);
    const fields = {
      invoiceName: "Lantern GmbH",
      invoiceAddress: "Weg 1\r\nBonn",
      invoiceCountry: "DE",
      taxNumber: "DE123456789",
    };
    expect((await save(fields)).location).toBe("/studio/account?done=invoices#invoices");
    const saved = { name: "Lantern GmbH", address: "Weg 1\nBonn", country: "DE", taxNumber: "DE123456789" };
    expect((await who.getBillingDetails()).details).toEqual(saved);
    expect((await browser.get("/studio/account")).html).toContain('<option value="DE" selected>Germany</option>');
    await save({ ...fields, invoiceAddress: " ", taxNumber: "" });
    expect((await who.getBillingDetails()).details).toEqual({ ...saved, address: null, taxNumber: null });
  });

  it("an owner's key gets its budget: an order above it is refused, and one above the limit waits", async () => {
    const { browser, server, who } = await scene("/studio");
    await giveCredit(server, who, 20_000);
    const gameId = await createGame(who);
    const path = "/studio/account/keys";
    const fields = { name: "agent", "scope-game_owner": "yes", "scope-billing": "yes", password };
    const wrong = await browser.submit(path, path, { ...fields, perDay: "much" });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('id="per-day-fault"')]);
    const key = keyIn((await browser.submit(path, path, { ...fields, perDay: "100", approveOver: "$25.00" })).html);
    const buy = (quantity: number) =>
      server.request("POST", `/games/${gameId}/playtests`, {
        key,
        body: { quantity },
        headers: { "x-payment-method": "credit" },
      });
    expect([(await buy(1)).status, (await buy(2)).status, (await buy(9)).status]).toEqual([201, 202, 402]);
    expect((await browser.get(path)).html).toContain("Left today: $80.00 of $100.00");
  });

  it("an owner deletes the account", async () => {
    const { browser, who, server } = await scene("/studio");
    await server.advance(0);
    const { email } = await who.getMe();
    const gone = await browser.submit("/studio/account", "/studio/account/delete", {
      deleteEmail: email,
      deletePassword: password,
    });
    expect(gone.location).toBe("/studio/sign-in?done=deleted");
    expect((await who.get("/auth/me")).status).toBe(401);
  });

  it("an owner with an unpaid order is told what is left to do", async () => {
    const { browser, who, server } = await scene("/studio");
    await giveCredit(server, who, 20_000);
    await order(who, await createGame(who));
    const { email } = await who.getMe();
    const reply = await browser.submit("/studio/account", "/studio/account/delete", {
      deleteEmail: email,
      deletePassword: password,
    });
    expect([reply.status, refused(reply.html)]).toEqual([409, expect.stringContaining("1 order not finished")]);
    expect((await who.get("/auth/me")).status).toBe(200);
  });
});
