import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { contract } from "../../src/contract/index.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { startTime, type TestServer } from "../helpers/server.ts";

const hour = 3_600_000;
const day = 24 * hour;
const at = (ms: number) => new Date(startTime + ms).toISOString();

onBothDatabases("sandbox", (serve, it) => {
  describe("without --sandbox", () => {
    const routes = Object.values(contract).filter((endpoint) => endpoint.only === "sandbox");
    it.each(routes)("$method $path does not exist", async ({ method, path }) => {
      const server = await serve({
        config(config) {
          config.sandbox = false;
        },
      });
      const owner = await factories.registerOwner(server);
      const body = method === "POST" ? {} : undefined;
      const reply = await server.request(method, path.replace(":id", owner.id), { key: owner.key, body });
      expect(reply).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    });
  });

  describe("clock", () => {
    it("shows the server's time and moves it forward", async ({ server }) => {
      // What a server does at its start is not counted.
      await server.advance(0);
      expect((await server.request("GET", "/sandbox/clock")).body.data).toEqual({ now: at(0) });
      const moved = await server.request("POST", "/sandbox/clock/advance", { body: { seconds: 90 } });
      expect(moved.body).toMatchObject({ data: { now: at(90_000), ran: 0 }, meta: { timestamp: at(90_000) } });
      expect((await server.request("GET", "/sandbox/clock")).body.data).toEqual({ now: at(90_000) });
    });

    const rows = [
      { seconds: 0, status: 200 },
      { seconds: 400 * 86_400, status: 200 },
      { seconds: 400 * 86_400 + 1, status: 422 },
      { seconds: -1, status: 422 },
      { seconds: 1.5, status: 422 },
      { seconds: "60", status: 422 },
      { seconds: undefined, status: 422 },
    ];
    it.for(rows)("advancing by $seconds seconds is $status", async ({ seconds, status }, { server }) => {
      const reply = await server.request("POST", "/sandbox/clock/advance", { body: { seconds } });
      expect(reply.status).toBe(status);
      const expected = status === 200 ? at(Number(seconds) * 1000) : at(0);
      expect((await server.request("GET", "/sandbox/clock")).body.data.now).toBe(expected);
    });

    it("runs due jobs at their own times, in order, before it replies", async ({ server, owner, gameId }) => {
      const unpaid = await factories.order(owner, gameId);
      await factories.giveMinutes(server, owner, 120);
      const claimed = await factories.order(owner, gameId);
      const manual = await factories.order(owner, gameId, { selectionMode: "manual" });
      const [tester] = (await server.request("POST", "/sandbox/testers")).body.data.testers;
      await factories.claim(factories.personWith(server, tester.apiKey, tester.id), claimed);

      const moved = await server.request("POST", "/sandbox/clock/advance", { body: { seconds: 8 * 86_400 } });
      // Two of them write the tester's emails about the deadline.
      expect(moved.body.data).toEqual({ now: at(8 * day), ran: 6 });

      const statusOf = async (id: string) => (await owner.get(`/playtests/${id}`)).body.data.playtest.status;
      expect(await Promise.all([unpaid, claimed, manual].map(statusOf))).toEqual(["cancelled", "active", "expired"]);
      const notices = (await owner.get("/notifications")).body.data.notifications as { type: string; createdAt: string }[];
      const expired = notices.filter((notice) => notice.type === "slot.expired");
      expect(expired.map((notice) => notice.createdAt)).toEqual([at(7 * day), at(day)]);
      const [refund] = (await owner.get("/billing/playtest-hours/history")).body.data.entries;
      expect(refund).toMatchObject({ amountMinutes: 60, createdAt: at(7 * day) });
    });
  });

  describe("outbox", () => {
    it("lists the emails, newest first, in pages", async () => {
      const server = await serve({
        config(config) {
          config.autoVerify = false;
        },
      });
      for (const name of ["first", "second", "third"]) {
        const body = { email: `${name}@example.com`, password: "correct horse", role: "game_owner" };
        await server.request("POST", "/auth/register", { body });
        await server.advance(1000);
      }
      const page = await server.request("GET", "/sandbox/outbox?limit=2");
      expect(page.body.data.messages.map((mail: { to: string }) => mail.to)).toEqual(["third@example.com", "second@example.com"]);
      expect(page.body.data.messages[1]).toMatchObject({
        subject: "Verify your email address",
        text: expect.stringMatching(/\/verify-email\?token=\S+/),
        html: expect.stringContaining("<a href="),
        createdAt: at(1000),
      });
      const rest = await server.request("GET", `/sandbox/outbox?limit=2&cursor=${page.body.meta.cursor}`);
      expect(rest.body).toMatchObject({ data: { messages: [{ to: "first@example.com" }] }, meta: { hasMore: false } });
    });
  });

  describe("testers", () => {
    it("creates playtesters who can claim at once, also where accounts need verification", async () => {
      const server = await serve({
        config(config) {
          config.autoVerify = false;
        },
      });
      const reply = await server.request("POST", "/sandbox/testers", { body: { count: 3 } });
      expect(reply.status).toBe(201);
      const testers = reply.body.data.testers as { id: string; displayName: string; apiKey: string }[];
      expect(new Set(testers.map((tester) => tester.id)).size).toBe(3);
      for (const { apiKey } of testers)
        expect((await server.request("GET", "/playtester/playtests", { key: apiKey })).status).toBe(200);
      expect(server.mails).toEqual([]);
    });

    it.each([0, 101, 1.5, "2"])("creating %s of them is refused", async (count) => {
      const server = await serve();
      expect((await server.request("POST", "/sandbox/testers", { body: { count } })).status).toBe(422);
    });
  });

  describe("events", () => {
    it("sends an example that arrives as a notification", async ({ owner }) => {
      const reply = await owner.post("/sandbox/events", { event: "slot.submitted" });
      expect(reply.body.data.event).toMatchObject({ event: "slot.submitted", timestamp: at(0), data: { submittedAt: at(0) } });
      expect(Object.keys(reply.body.data.event.data)).toEqual(["slotId", "playtestId", "gameId", "playerId", "submittedAt"]);
      expect((await owner.get("/notifications")).body.data.notifications).toMatchObject([{ type: "slot.submitted" }]);
    });

    it("sends the given data", async ({ owner }) => {
      const reply = await owner.post("/sandbox/events", { event: "payment.failed", data: { amountCents: 1 } });
      expect(reply.body.data.event).toMatchObject({ event: "payment.failed", data: { amountCents: 1 } });
    });

    const refusals = [
      { who: "nobody", status: 401, event: "test.ping" },
      { who: "a playtester", status: 403, event: "test.ping" },
      { who: "an owner with an unknown kind", status: 422, event: "slot.vanished" },
    ];
    it.for(refusals)("refuses $who with $status", async ({ who, status, event }, { server, owner }) => {
      const [tester] = (await server.request("POST", "/sandbox/testers")).body.data.testers;
      const key = { nobody: undefined, "a playtester": tester.apiKey }[who] ?? (who === "nobody" ? undefined : owner.key);
      expect((await server.request("POST", "/sandbox/events", { key, body: { event } })).status).toBe(status);
    });
  });

  describe("play", () => {
    const playing = async (body: Record<string, unknown> = {}) => {
      const server = await serve();
      const owner = await factories.registerOwner(server);
      await factories.giveCredit(server, owner, 100_000);
      const gameId = await factories.createGame(owner);
      const playtestId = await factories.order(owner, gameId, body);
      const slotIds = async (id = playtestId) =>
        (await owner.get(`/playtests/${id}/slots`)).body.data.slots.map((slot: { id: string }) => slot.id) as string[];
      const play = (slotId: string, testerId?: string) =>
        server.request("POST", `/sandbox/slots/${slotId}/play`, { body: testerId === undefined ? {} : { testerId } });
      const tester = async () => (await server.request("POST", "/sandbox/testers")).body.data.testers[0];
      return { server, owner, gameId, playtestId, slotIds, play, tester };
    };

    it("claims the given slot, uploads a real video and submits it", async () => {
      const { owner, slotIds, play } = await playing({ quantity: 3 });
      const [newest] = await slotIds();
      const reply = await play(newest!);
      expect(reply.status).toBe(200);
      expect(reply.body.data.slot).toMatchObject({ id: newest, status: "submitted", playtester: { id: expect.any(String) } });
      const { downloadUrl } = (await owner.get(`/playtests/slots/${newest}/download-url`)).body.data;
      const video = Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
      expect(video.length).toBe(reply.body.data.slot.submission.videoFileSize);
      expect(video.toString("latin1", 4, 8)).toBe("ftyp");
      expect((await owner.post(`/playtests/slots/${newest}/accept`)).body.data.message).toContain("$10.00");
      const kinds = (await owner.get("/notifications")).body.data.notifications.map((notice: { type: string }) => notice.type);
      expect(kinds).toEqual(["slot.accepted", "slot.submitted", "slot.reserved"]);
    });

    it("submits different videos in turn", async () => {
      const { slotIds, play } = await playing({ quantity: 2 });
      const sizes = [];
      for (const id of await slotIds()) sizes.push((await play(id)).body.data.slot.submission.videoFileSize);
      expect(new Set(sizes).size).toBe(2);
    });

    it("plays every slot with another playtester, those that exist first", async () => {
      const { slotIds, play, tester } = await playing({ quantity: 3 });
      const existing = await tester();
      const players = [];
      for (const slotId of await slotIds()) players.push((await play(slotId)).body.data.slot.playtester.id);
      expect(players[0]).toBe(existing.id);
      expect(new Set(players).size).toBe(3);
    });

    it("uses the named playtester, or the one who holds the slot", async () => {
      const { server, playtestId, slotIds, play, tester } = await playing({ quantity: 2 });
      const [ann, bob] = [await tester(), await tester()];
      const held = await factories.claim(factories.personWith(server, ann.apiKey, ann.id), playtestId);
      const other = (await slotIds()).find((id) => id !== held)!;
      expect((await play(other, bob.id)).body.data.slot).toMatchObject({ status: "submitted", playtester: { id: bob.id } });
      expect((await play(held, bob.id)).status).toBe(409);
      expect((await play(held)).body.data.slot).toMatchObject({ status: "submitted", playtester: { id: ann.id } });
    });

    it("submits the retry after a rejection", async () => {
      const { owner, slotIds, play } = await playing();
      const [first] = await slotIds();
      await play(first!);
      await owner.post(`/playtests/slots/${first}/reject`, { allowRetry: true });
      const retry = (await slotIds()).find((id) => id !== first)!;
      expect((await play(retry)).body.data.slot).toMatchObject({ status: "submitted" });
    });

    it("of five concurrent requests for a slot one succeeds, and no video of the others is kept", async () => {
      const { server, slotIds, play } = await playing();
      const [slotId] = await slotIds();
      const replies = await Promise.all([1, 2, 3, 4, 5].map(() => play(slotId!)));
      expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409, 409, 409]);
      expect(readdirSync(join(server.deps.dataDir, "blobs", "videos"))).toHaveLength(1);
    });

    it.each([
      ["the disk is full", "ENOSPC"],
      ["the file system is read-only", "EROFS"],
      ["this process has as many open files and connections as it may have", "EMFILE"],
    ])("gets 503 when %s, leaves no file behind, and works again later", async (what, code) => {
      const { server, slotIds, play } = await playing();
      const [slotId] = await slotIds();
      const { blobs, dataDir } = server.deps;
      const { put } = blobs;
      blobs.put = () => Promise.reject(Object.assign(new Error(`${code}: write`), { code, path: join(dataDir, "blobs/x") }));
      const refused = await play(slotId!);
      expect([refused.status, refused.headers.get("retry-after"), refused.body.error.code]).toEqual([
        503,
        "5",
        "SERVICE_UNAVAILABLE",
      ]);
      expect(refused.body.error.message).toContain(what);
      expect(readdirSync(join(dataDir, "uploads"))).toEqual([]);
      expect(server.lines.filter((line) => line.includes(`request failed: ${what}. `))).toHaveLength(1);
      expect(server.errors.splice(0)).toHaveLength(1);
      blobs.put = put;
      expect((await play(slotId!)).status).toBe(200);
    });

    it("applies and is approved in manual mode, and closes the other applications with the last slot", async () => {
      const { owner, playtestId, slotIds, play, tester, server } = await playing({ selectionMode: "manual", quantity: 2 });
      const [ann, bob] = [await tester(), await tester()];
      for (const { id, apiKey } of [ann, bob])
        await factories.personWith(server, apiKey, id).post(`/playtester/playtests/${playtestId}/applications`);
      const [newest, oldest] = await slotIds();
      const first = await play(newest!);
      expect(first.body.data.slot).toMatchObject({ id: newest, status: "submitted" });
      expect([ann.id, bob.id]).not.toContain(first.body.data.slot.playtester.id);
      expect((await play(oldest!, ann.id)).body.data.slot).toMatchObject({ status: "submitted", playtester: { id: ann.id } });
      const { applications } = (await owner.get(`/playtests/${playtestId}/applications`)).body.data;
      const statuses = applications.map((application: { playtesterId: string; status: string; assignedSlotId: string }) => [
        application.playtesterId,
        application.status,
        application.assignedSlotId,
      ]);
      expect(statuses).toEqual([
        [first.body.data.slot.playtester.id, "approved", newest],
        [bob.id, "auto_rejected", null],
        [ann.id, "approved", oldest],
      ]);
    });

    it("refuses a slot with manual selection after the window", async () => {
      const { server, slotIds, play } = await playing({ selectionMode: "manual" });
      const [slotId] = await slotIds();
      await server.advance(7 * day);
      expect((await play(slotId!)).body.error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("expired") });
    });

    describe("targeting", () => {
      const rows = [
        { targetingType: "new", targetingScope: "game", again: false },
        { targetingType: "new", targetingScope: "owner", again: false },
        { targetingType: "past", targetingScope: "game", pastPlaytesterScope: "any", again: true },
        { targetingType: "past", targetingScope: "owner", pastPlaytesterScope: "any", again: true },
      ];
      it.each(rows)("$targetingType $targetingScope takes the same playtester again: $again", async ({ again, ...targeting }) => {
        const { owner, gameId, slotIds, play, tester } = await playing();
        await tester();
        const [first] = await slotIds();
        const veteran = (await play(first!)).body.data.slot.playtester.id;
        await owner.post(`/playtests/slots/${first}/accept`);
        const [next] = await slotIds(await factories.order(owner, gameId, targeting));
        const reply = await play(next!);
        expect(reply.status).toBe(200);
        expect(reply.body.data.slot.playtester.id === veteran).toBe(again);
      });

      it("refuses where no simulated playtester is eligible, and uses one who is", async () => {
        const { server, owner, gameId, slotIds, play } = await playing();
        const person = await factories.registerPlaytester(server);
        const specific = { targetingType: "past", pastPlaytesterScope: "specific", targetedPlaytesterId: person.id };
        const [slotId] = await slotIds(await factories.order(owner, gameId, { ...specific, targetingScope: "game" }));
        expect((await play(slotId!)).body.error.message).toContain("`testerId`");
        expect((await play(slotId!, person.id)).status).toBe(200);
      });
    });

    it("refuses what no playtester could do", async () => {
      const { server, owner, slotIds, play, gameId, tester } = await playing({ quantity: 2 });
      const [first, second] = await slotIds();
      const ann = await tester();
      await play(first!, ann.id);
      const trial = await factories.order(owner, gameId, { isFreePublicTrial: true });
      const [trialSlot] = await slotIds(trial);
      expect([
        (await play(first!)).status,
        (await play(second!, ann.id)).status,
        (await play(second!, owner.id)).status,
        (await play(trialSlot!)).status,
        (await play(owner.id)).status,
      ]).toEqual([409, 409, 422, 409, 404]);
      const admin = factories.personWith(server, (await ensureAdmin(server.deps))!, "admin");
      const bob = await tester();
      await admin.post(`/admin/users/${bob.id}/suspend`);
      expect((await play(second!, bob.id)).body.error.message).toContain("suspended");
      await admin.post(`/admin/games/${gameId}/suspend`);
      expect((await play(second!)).body.error.message).toContain("suspended");
    });
  });

  it("OpenAPI document: plain JSON, with the sandbox routes only on a sandbox", async () => {
    for (const sandbox of [true, false]) {
      const server = await serve({
        config(config) {
          config.sandbox = sandbox;
        },
      });
      const reply = await server.request("GET", "/openapi.json");
      expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(reply.body).toMatchObject({ openapi: "3.1.1", servers: [{ url: server.baseUrl }] });
      expect("/api/v1/sandbox/clock" in reply.body.paths).toBe(sandbox);
    }
  });
});

onBothDatabases("sandbox: requests of other sites", (serve, it) => {
  /** The status of a request that needs no key, with these headers. */
  async function status(server: TestServer, headers: Record<string, string>): Promise<number> {
    const call = request(`${server.baseUrl}/api/v1/sandbox/clock/advance`, {
      method: "POST",
      headers: { "content-length": "0", ...headers },
    });
    const [reply] = (await once(call.end(), "response")) as [IncomingMessage];
    reply.resume();
    return reply.statusCode!;
  }

  it("are refused by the name they come to and by the origin they come from, pages included", async ({ server }) => {
    const { host, port } = new URL(server.baseUrl);
    const before = server.clock.now();
    const refused: Record<string, string>[] = [
      { host: `rebind.example.com:${port}` },
      { host: "localhost.example.com" },
      { host: "127.0.0.1.example.com" },
      { host: "192.168.1.5" },
      { host, origin: "https://example.com" },
      { host, origin: "http://localhost:3000" },
      { host, origin: `https://${host}` },
      { host, origin: "null" },
      { host, origin: "null", "sec-fetch-site": "cross-site" },
      { host, "sec-fetch-site": "cross-site" },
      { host: "localhost/.example.com" },
      { host: "localhost?.example.com" },
      { host: "localhost#.example.com" },
      { host: "example.com@localhost" },
    ];
    for (const headers of refused) expect([headers, await status(server, headers)]).toEqual([headers, 403]);
    expect(server.clock.now()).toBe(before);
    const page = request(`${server.baseUrl}/docs`, { headers: { host: "rebind.example.com" } });
    const [reply] = (await once(page.end(), "response")) as [IncomingMessage];
    expect(reply.resume().statusCode).toBe(403);
  });

  it("are told from its own pages and from programs", async ({ server }) => {
    const { host, port } = new URL(server.baseUrl);
    const accepted: Record<string, string>[] = [
      { host },
      { host: `localhost:${port}` },
      { host: `LOCALHOST:${port}` },
      { host: `app.localhost:${port}` },
      { host: `[::1]:${port}` },
      { host, origin: `http://${host}` },
      { host, origin: "null", "sec-fetch-site": "same-origin" },
    ];
    for (const headers of accepted) expect([headers, await status(server, headers)]).toEqual([headers, 422]);
  });

  it("concern a live server differently: proxies and clients may name it as they like", async () => {
    const server = await serve({ config: (config) => (config.sandbox = false) });
    expect(await status(server, { host: "playtest.example.com", origin: "https://example.com" })).toBe(404);
  });
});
