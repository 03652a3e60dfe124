import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { signedIn, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const account = { email: "ada@example.com", password: "correct horse", role: "game_owner" };

/** What the server says after each request that causes an email, and no address of its own machine. */
async function notes(server: TestServer) {
  const post = async (path: string, body: unknown) => (await server.request("POST", path, { body })).body.data.message;
  return [
    await post("/auth/register", account),
    await post("/auth/resend-verification", { email: account.email }),
    await post("/auth/password-reset", { email: "nobody@example.com" }),
  ];
}

const unverified = (sandbox: boolean) => ({
  delivers: false,
  config: (config: { sandbox: boolean; autoVerify: boolean }) => {
    config.sandbox = sandbox;
    config.autoVerify = false;
  },
});

onBothDatabases("mail that is not sent", (serve) => {
  it("a live server: says that the operator reads it, and what they run", async () => {
    const server = await serve(unverified(false));
    const [registered, resent, reset] = await notes(server);
    expect(registered).toMatchInlineSnapshot(
      `"The account was created. This server sends no email: it writes it to its outbox folder, which only its operator can read. Ask the operator to run \`playtest admin users verify ada@example.com\`, or for the link in the email. To have the email written again, run \`playtest auth resend-verification\`."`,
    );
    expect(resent).toMatchInlineSnapshot(
      `"If an account with this address needs it, an email was written. This server sends no email: it writes it to its outbox folder, which only its operator can read. Ask the operator to run \`playtest admin users verify ada@example.com\`, or for the link in the email."`,
    );
    expect(reset).toMatchInlineSnapshot(
      `"If an account with this address needs it, an email was written. This server sends no email: it writes it to its outbox folder, which only its operator can read. Ask the operator for the link in the email."`,
    );
  });

  it("a sandbox: says how to read it", async () => {
    const [registered, resent] = await notes(await serve(unverified(true)));
    expect(registered).toMatchInlineSnapshot(
      `"The account was created. A sandbox sends no email. To verify the address, run \`playtest sandbox verify ada@example.com\`."`,
    );
    expect(resent).toMatchInlineSnapshot(
      `"If an account with this address needs it, an email was written. A sandbox sends none. Run \`playtest sandbox verify ada@example.com\`."`,
    );
  });

  it("a server with a mail server: says that it was sent", async () => {
    const server = await serve({ ...unverified(false), delivers: true });
    expect(await notes(server)).toEqual([
      "The account was created. Open the link in the email we sent to verify the address.",
      "If an account with this address needs it, an email is on its way.",
      "If an account with this address needs it, an email is on its way.",
    ]);
  });

  it("the portal: no page says that an email was sent, and none names a folder of the machine", async () => {
    const server = await serve(unverified(false));
    const person = visitor(server);
    const fields = { email: "tess@example.com", password: "correct horse" };
    const registered = await person.submit("/play/register", "/play/register", fields);
    const linked = await person.submit("/play/sign-in", "/play/sign-in/link", { email: fields.email });
    const reset = await person.submit("/play/forgot", "/play/forgot", { email: fields.email });
    const refused = await person.submit("/play/sign-in", "/play/sign-in/password", fields);
    const pages = [refused];
    for (const { location } of [registered, linked, reset]) pages.push(await person.get(location!));
    for (const { html } of pages) {
      expect(html).not.toMatch(/we sent|Check your email|spam/i);
      expect(html).toContain("its outbox folder, which only its operator can read");
      expect(html).not.toContain(server.deps.dataDir);
    }
    expect(pages.map(({ status }) => status)).toEqual([403, 200, 200, 200]);
    expect(pages[1]!.html).toContain("playtest admin users verify EMAIL");
  });

  it.each([
    [false, "Your payout details were saved.<"],
    [true, "Your payout details were saved. We sent you an email about it.<"],
  ])("payout details: the page speaks of an email only where one is sent (%s)", async (delivers, said) => {
    const server = await serve({ delivers, config: (config) => (config.payouts.detailsHoldHours = 1) });
    const ann = await signedIn(server, await registerPlaytester(server));
    const { html } = await ann.get("/play/earnings/details?done=saved");
    expect(html).toContain(said);
    expect(html.includes("You get an email about every change.")).toBe(delivers);
    expect(html).toContain("New payout details wait 1 hour before you are paid to them");
  });

  it.each([
    ["live", false, "but not sent: ask the operator for both links."],
    ["sandbox", true, 'but not sent: read both <a href="/sandbox/mails">here</a>.'],
  ])("the page to change the address says where the links are: %s", async (_, sandbox, said) => {
    const server = await serve({ delivers: false, config: (config) => (config.sandbox = sandbox) });
    const ann = await registerPlaytester(server);
    const { html } = await (await signedIn(server, ann)).get("/play/account");
    expect(html).toContain(
      `An email with a link is written for each of the two addresses, ${said} The address changes when both links were opened.`,
    );
    await ann.changeEmail({ body: { newEmail: "ann@example.org", password: "correct horse" } });
    await server.advance(0);
    const subject = /^Confirm the change/;
    const written = server.mails.filter((mail) => subject.test(mail.subject)).map(({ to }) => to);
    expect(written.sort()).toEqual(["ann@example.org", "playtester1@example.com"]);
  });

  it("a change of the address: names both addresses and the operator", async () => {
    const server = await serve({ delivers: false, config: (config) => (config.sandbox = false) });
    const owner = await registerOwner(server, "Ada");
    const reply = await owner.post("/auth/change-email", { newEmail: "ada@example.org", password: "correct horse" });
    expect([reply.status, reply.body.data?.message ?? reply.text]).toMatchInlineSnapshot(`
      [
        200,
        "An email to game_owner1@example.com and one to ada@example.org were written. This server sends no email: it writes it to its outbox folder, which only its operator can read. Ask the operator for both links. The address changes after both were opened.",
      ]
    `);
  });
});

onBothDatabases("without a card processor", (serve) => {
  it.each([
    ["credit", "/billing/credit", { amountCents: 5000 }, {}, "--credit 50"],
    ["a plan", "/billing/subscription/checkout", { planKey: "indie_monthly" }, {}, "--minutes 600"],
    ["an order", "/games/GAME/playtests", { quantity: 1 }, { "x-payment-method": "card" }, "--credit 50"],
    [
      "an order by crypto",
      "/games/GAME/playtests",
      { quantity: 1 },
      { "x-payment-method": "x402" },
      "does not accept USDC on base",
    ],
  ])("%s: is refused for good, with what to ask the operator for", async (_, path, body, headers, said) => {
    const server = await serve({ config: (config) => (config.sandbox = false) });
    const owner = await registerOwner(server, "Ada");
    const game = await owner.createGame({ body: { name: "Lantern Deep", buildUrl: "https://example.com/build.zip" } });
    const url = path.replace("GAME", game.game.id);
    const reply = await server.request("POST", url, { key: owner.key, body, headers });
    expect([reply.status, reply.body.error.code, reply.headers.get("retry-after")]).toEqual([503, "NOT_CONFIGURED", null]);
    expect(reply.body.error.message).toContain(said);
  });
});
