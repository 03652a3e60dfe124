import { expect, it, vi } from "vitest";
import { browserName } from "../../server/accounts/browser/agents.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { mailedPath } from "../helpers/mails.ts";
import { signedIn, visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64";
it.each([
  [`${windows}; rv:140.0) Gecko/20100101 Firefox/140.0`, "Firefox on Windows"],
  [
    `${windows}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
    "Microsoft Edge on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    "Safari on iOS",
  ],
  ["Mozilla/5.0", "A browser"],
  ["playtest/0.1.0", "playtest/0.1.0"],
])("what a browser calls itself: %s is shown as %s", (agent, name) => {
  expect(browserName(agent)).toBe(name);
});

const email = "playtester1@example.com";
const password = "correct horse";

onBothDatabases("sessions and keys of an account", (_serve, it) => {
  it("are listed with where and when they were used, and end one by one", async ({ server }) => {
    const ann = await registerPlaytester(server);
    const [here, there] = [await signedIn(server, ann), await signedIn(server, ann)];
    server.clock.set(server.clock.now() + 3_600_000);
    await there.get("/play/account");
    const list = async () => (await ann.get("/auth/sessions")).body.data.sessions;
    // When a browser was used is noted after its request was answered.
    await vi.waitUntil(async () => (await list())[0].lastUsedAt !== (await list())[1].lastUsedAt, { timeout: 60_000 });
    const sessions = await list();
    expect(sessions).toHaveLength(2);
    const at = (ms: number) => new Date(ms).toISOString();
    expect(sessions[0]).toMatchObject({
      ...{ address: "127.0.0.1", agent: "node", current: false, createdAt: at(server.clock.now() - 3_600_000) },
      lastUsedAt: at(server.clock.now()),
    });
    expect((await ann.delete(`/auth/sessions/${sessions[0].id}`)).status).toBe(200);
    expect((await ann.delete(`/auth/sessions/${sessions[0].id}`)).status).toBe(404);
    expect([(await here.get("/play")).status, (await there.get("/play")).status]).toEqual([200, 303]);
  });

  it("of somebody else are not seen and not ended", async ({ server }) => {
    const [ann, bob] = [await registerPlaytester(server), await registerPlaytester(server)];
    const browser = await signedIn(server, ann);
    const [session] = (await ann.get("/auth/sessions")).body.data.sessions;
    expect((await bob.get("/auth/sessions")).body.data.sessions).toEqual([]);
    expect((await bob.delete(`/auth/sessions/${session.id}`)).status).toBe(404);
    expect((await bob.post("/auth/sign-out-everywhere")).status).toBe(200);
    expect((await browser.get("/play")).status).toBe(200);
  });

  it("the portal shows them, signs out another browser, and revokes a key", async ({ server }) => {
    const ann = await registerPlaytester(server);
    const [here, there] = [await signedIn(server, ann), await signedIn(server, ann)];
    const page = await here.get("/play/account");
    expect(page.html.match(/\(this browser\)/g)).toHaveLength(1);
    const end = /action="(\/play\/account\/sessions\/[^"]+\/end)"/.exec(page.html)![1]!;
    expect((await here.submit("/play/account", end)).location).toBe("/play/account?done=signed-out");
    expect((await there.get("/play")).status).toBe(303);
    const { html: keys } = await here.get("/play/account/keys");
    const revoke = /action="(\/play\/account\/keys\/[^"]+\/revoke)"/.exec(keys)![1]!;
    expect((await here.submit("/play/account/keys", revoke)).location).toBe("/play/account/keys?done=revoked");
    expect((await ann.get("/auth/me")).status).toBe(401);
    const gone = await here.submit("/play/account", "/play/account/sign-out-everywhere");
    expect(gone.location).toBe("/play/sign-in?done=everywhere");
    expect((await here.get(gone.location!)).html).toContain("You are signed out of every browser.");
  });

  it.for([
    { revokeApiKeys: false, kept: 200 },
    { revokeApiKeys: true, kept: 401 },
  ])(
    "sign out everywhere with revokeApiKeys $revokeApiKeys: mailed links end, other keys answer $kept",
    async ({ revokeApiKeys, kept }, { server }) => {
      const ann = await registerPlaytester(server);
      const other = (await ann.post("/auth/api-keys", { name: "other" })).body.data.apiKey;
      const browser = await signedIn(server, ann);
      await visitor(server).submit("/play/sign-in", "/play/sign-in/link", { email });
      await server.advance(0);
      const link = mailedPath(server, "signIn");
      expect((await ann.post("/auth/sign-out-everywhere", { revokeApiKeys })).status).toBe(200);
      expect((await browser.get("/play")).status).toBe(303);
      expect((await visitor(server).submit(link, "/play/sign-in/confirm")).status).toBe(410);
      expect((await ann.get("/auth/me")).status).toBe(200);
      expect((await server.request("GET", "/auth/me", { key: other })).status).toBe(kept);
    },
  );
});

onBothDatabases("the owner of an account gets an email", (serve, it) => {
  const subjects = async (server: TestServer) => {
    await server.advance(0);
    return server.mails.splice(0).map(({ subject }) => subject);
  };
  const agent = { "user-agent": "Stranger/1.0 https://evil.example" };

  it("leads to the page for another password that is for its kind of account", async ({ server, owner }) => {
    const change = { currentPassword: password, newPassword: "a second password" };
    for (const [who, path] of [
      [await registerPlaytester(server), "/play/forgot"],
      [owner, "/studio/forgot"],
    ] as const) {
      await who.post("/auth/change-password", change);
      await server.advance(0);
      expect(server.mails.pop()!.text).toContain(`${server.baseUrl}${path}`);
    }
  });

  it("when its password changes, by the API, the portal or a reset", async ({ server }) => {
    const ann = await registerPlaytester(server);
    const change = { currentPassword: password, newPassword: "a second password" };
    await ann.post("/auth/change-password", change, agent);
    await server.advance(0);
    expect(server.mails[0]!.text).toContain(
      "Time: Sun 2026-03-01 12:00, UTC\nAddress: 127.0.0.1\nWith: Stranger/1.0 evil example\n",
    );
    const firefox = { "user-agent": `${windows}; rv:140.0) Gecko/20100101 Firefox/140.0` };
    await ann.post("/auth/change-password", { currentPassword: change.newPassword, newPassword: password }, firefox);
    await server.advance(0);
    expect(server.mails.pop()!.text).toContain("With: Firefox on Windows\n");
    await ann.post("/auth/change-password", change);
    await server.advance(0);
    server.mails.pop();
    expect(await subjects(server)).toEqual(["Your password was changed"]);
    await server.request("POST", "/auth/password-reset", { body: { email } });
    await server.advance(0);
    await visitor(server).submit(mailedPath(server, "reset"), "/reset-password", { password });
    expect(await subjects(server)).toEqual(["Reset your password", "Your password was changed"]);
    const browser = await signedIn(server, ann);
    const fields = { current: password, password: "a third password" };
    await browser.submit("/play/account", "/play/account/password", fields);
    expect(await subjects(server)).toEqual(["New sign-in to your account", "Your password was changed"]);
    await ann.post("/auth/change-password", { ...change, currentPassword: "wrong" });
    expect(await subjects(server)).toEqual([]);
  });

  it("when it gets a key, but not for the one it registers with", async ({ server }) => {
    const ann = await registerPlaytester(server);
    expect(await subjects(server)).toEqual([]);
    const { key } = (await ann.post("/auth/api-keys", { name: "ci" })).body.data;
    await server.advance(0);
    expect(server.mails[0]!.text).toContain("/play/account/keys\n");
    await ann.post(`/auth/api-keys/${key.id}/rotate`);
    await server.request("POST", "/auth/api-keys", { body: { name: "cli", email, password } });
    expect(await subjects(server)).toEqual(Array(3).fill("A new API key was created"));
  });

  it("when a browser signs in that was not signed in before", async ({ server }) => {
    const ann = await registerPlaytester(server);
    await signedIn(server, ann);
    expect(await subjects(server)).toEqual(["New sign-in to your account"]);
    await signedIn(server, ann);
    expect(await subjects(server)).toEqual([]);
    await visitor(server).submit("/play/sign-in", "/play/sign-in/password", { email, password: "wrong" });
    expect(await subjects(server)).toEqual([]);
    await ann.post("/auth/sign-out-everywhere");
    await signedIn(server, ann);
    expect(await subjects(server)).toEqual(["New sign-in to your account"]);
  });

  it("but not before its address is verified, or at an address of the server's own", async () => {
    const server = await serve({
      config: (config) => {
        config.autoVerify = false;
      },
    });
    await registerPlaytester(server);
    const made = await server.request("POST", "/auth/api-keys", { body: { name: "cli", email, password } });
    expect([made.status, await subjects(server)]).toEqual([201, ["Verify your email address"]]);
  });
});
