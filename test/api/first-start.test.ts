import { type AddressInfo, createServer } from "node:net";
import { expect } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { seedDemo } from "../../server/sandbox/demo.ts";
import { sampleTranscriber } from "../../server/sandbox/sample-transcriber.ts";
import { seedMinimal } from "../../server/sandbox/seed-minimal.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { visitor } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";
import { withoutDatabaseTime } from "../helpers/store.ts";

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

const seedingOf = async (server: TestServer) => ({
  deps: server.deps,
  callAs: server.app.callAs,
  adminKey: (await ensureAdmin(server.deps))!,
});

onBothDatabases("first start", (serve, it) => {
  it("first admin: created once per database, also without verification", async () => {
    const server = await serve({
      config(config) {
        config.autoVerify = false;
      },
    });
    const key = await ensureAdmin(server.deps);
    const me = await server.request("GET", "/auth/me", { key: key! });
    expect(me.body.data).toMatchObject({ role: "admin", emailVerified: true, scopes: ["admin", "approve", "money", "accounts"] });
    expect(await ensureAdmin(server.deps)).toBeNull();
    expect(server.mails).toEqual([]);
  });

  it("failed start: leaves no port open, or the process could not end", async () => {
    const port = await freePort();
    // Fails after the port was opened: the first thing that is written then is the list of categories.
    const failing = serve({
      port,
      through: (store) => ({ ...withoutDatabaseTime(store), write: () => Promise.reject(new Error("disk full")) }),
    });
    await expect(failing).rejects.toThrow("disk full");
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow();
  });

  it("two starts at once: create one admin", async ({ server }) => {
    const keys = await Promise.all([ensureAdmin(server.deps), ensureAdmin(server.deps)]);
    expect(keys.filter((key) => key !== null)).toHaveLength(1);
  });

  it("seed: an owner with credit, a game and three playtesters who can start at once", async ({ server }) => {
    const { ownerKey, testerKeys, gameId } = await seedMinimal(await seedingOf(server));
    const me = await server.request("GET", "/auth/me", { key: ownerKey });
    expect(me.body.data.scopes).toEqual(["game_owner", "billing", "chat", "webhooks", "notifications"]);
    const ordered = await server.request("POST", `/games/${gameId}/playtests`, { key: ownerKey, body: { quantity: 3 } });
    expect(ordered.body.data).toMatchObject({ paidWithCredit: true, balanceCents: 44_000 });
    const claims = testerKeys.map((key) =>
      server.request("POST", `/playtester/playtests/${ordered.body.data.playtest.id}/claim`, { key }),
    );
    expect((await Promise.all(claims)).map((reply) => reply.status)).toEqual([201, 201, 201]);
    const game = await server.request("GET", `/games/${gameId}`, { key: ownerKey });
    expect(game.body.data.game.categories.map((category: { slug: string }) => category.slug)).toEqual(["pixel-art", "roguelike"]);
  });

  it("seed: nobody can sign in to its accounts", async ({ server }) => {
    await seedMinimal(await seedingOf(server));
    for (const password of ["!", "", "password"]) {
      const body = { name: "mine", email: "owner@playtest.invalid", password };
      expect((await server.request("POST", "/auth/api-keys", { body })).status).toBeGreaterThanOrEqual(401);
    }
  });

  it("demo: each role has something to do, and a sign-in", async () => {
    const server = await serve({ transcriber: sampleTranscriber });
    const seeding = await seedingOf(server);
    const { ownerKey, testerKeys, gameId, password, ownerEmail, testerEmail } = await seedDemo(seeding);
    await server.advance(0);
    const outbox = await server.request("GET", "/sandbox/outbox?limit=100");
    const mails = outbox.body.data.messages.map(({ to, subject }: { to: string; subject: string }) => `${to}: ${subject}`);
    expect(mails.sort()).toEqual([
      "admin@playtest.invalid: Tess reported a problem with Lantern Deep",
      "admin@playtest.invalid: The free trial of Lantern Deep waits for your approval",
      "owner@playtest.invalid: All videos of Lantern Deep are in",
      "owner@playtest.invalid: Ben b08 submitted a video of Lantern Deep",
      "owner@playtest.invalid: Emil f9e submitted a video of Lantern Deep",
      "owner@playtest.invalid: Tess applied to playtest Lantern Deep",
      "owner@playtest.invalid: Tess reported a problem with Lantern Deep",
      "owner@playtest.invalid: Tess submitted a video of Lantern Deep",
      "tester@playtest.invalid: Your playtest of Lantern Deep was accepted",
    ]);
    const waits = async (key: string) => {
      const { items } = (await server.request("GET", "/inbox", { key })).body.data;
      return Object.fromEntries(
        items
          .filter(({ count }: { count: number }) => count > 0)
          .map(({ kind, count }: { kind: string; count: number }) => [kind, count]),
      );
    };
    expect(await waits(ownerKey)).toMatchInlineSnapshot(`
      {
        "applications": 1,
        "problems": 1,
        "reviews": 2,
        "unreadMessages": 1,
      }
    `);
    expect(await waits(testerKeys[0]!)).toMatchInlineSnapshot(`
      {
        "reservedSlots": 1,
        "unreadMessages": 1,
      }
    `);
    expect(await waits(seeding.adminKey)).toMatchInlineSnapshot(`
      {
        "approvals": 1,
        "payoutsOwed": 1,
        "problems": 1,
      }
    `);
    const balance = await server.request("GET", "/billing/balance", { key: ownerKey });
    expect(balance.body.data.balanceCents).toBe(50_000);
    const { submissions } = (await server.request("GET", "/playtests/submissions?status=submitted", { key: ownerKey })).body.data;
    expect(submissions).toHaveLength(2);
    for (const { slot } of submissions) {
      const transcript = await server.request("GET", `/playtests/slots/${slot.id}/transcript`, { key: ownerKey });
      expect([transcript.status, transcript.text]).toEqual([200, expect.stringContaining("The lantern goes out")]);
    }
    expect((await server.request("GET", `/games/${gameId}`, { key: ownerKey })).status).toBe(200);
    const body = { name: "mine", email: ownerEmail, password };
    expect((await server.request("POST", "/auth/api-keys", { body })).status).toBe(201);
    const person = visitor(server);
    const signedIn = await person.submit("/play/sign-in", "/play/sign-in/password", { email: testerEmail, password });
    expect([signedIn.status, signedIn.location]).toEqual([303, "/play"]);
  });
});
