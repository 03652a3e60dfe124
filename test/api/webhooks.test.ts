import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { emit } from "../../server/events/emit.ts";
import * as webhooks from "../../server/events/webhooks/store.ts";
import { claim } from "../../server/jobs/store.ts";
import { startRetention } from "../../server/operations/retention.ts";
import type { EventKind } from "../../src/contract/events/kinds.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { eventData } from "../helpers/event-data.ts";
import { type Person, registerOwner } from "../helpers/factories.ts";
import { heldReads } from "../helpers/held-reads.ts";
import { type Answer, type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { createTestClock, startTime, type TestServer } from "../helpers/server.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const nothing: Answer = () => {};

onBothDatabases("webhooks", (serve) => {
  let server: TestServer;
  let owner: Person;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
    await open();
  });
  afterEach(() => receiver.close());

  async function open(options: Parameters<typeof serve>[0] = {}): Promise<void> {
    server = await serve(options);
    owner = await registerOwner(server);
  }

  async function register(events: string[] = ["*"], url = receiver.url): Promise<{ id: string; secret: string; path: string }> {
    const reply = await owner.post("/webhooks", { url, events });
    if (reply.status !== 201) throw new Error(reply.text);
    const { webhook, secret } = reply.body.data;
    return { id: webhook.id, secret, path: `/webhooks/${webhook.id}` };
  }

  const happen = (kind: EventKind = "slot.submitted", data: Record<string, unknown> = {}) =>
    server.deps.store.write((tx) =>
      emit(tx, [{ id: owner.id, role: "game_owner" }], { kind, data: eventData(kind, data), notice: {} }),
    );
  const webhookNow = async () => (await owner.listWebhooks()).webhooks[0];
  const deliveriesOf = async (hook: { path: string }) => (await owner.get(`${hook.path}/deliveries`)).body.data.deliveries;
  /** To the next attempt, however the schedule was jittered. */
  const tryNext = async (hook: { path: string }) => {
    const [{ nextRetryAt }] = await deliveriesOf(hook);
    await server.advance(Date.parse(nextRetryAt) - server.clock.now());
  };

  it("webhook: an account can have as many as the server allows", async () => {
    server.deps.config.webhooks.maxPerAccount = 2;
    const [{ path }] = [await register(), await register()];
    const refused = await owner.post("/webhooks", { url: receiver.url, events: ["*"] });
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "An account can have at most 2 webhooks. Nothing was created. Delete one first.",
    ]);
    await owner.delete(path);
    await register();
  });

  it("webhook: can be created, listed, changed and deleted", async () => {
    const created = await owner.post("/webhooks", { url: receiver.url, events: ["slot.submitted", "slot.submitted"] });
    expect(created.status).toBe(201);
    const { webhook, secret } = created.body.data;
    expect(webhook).toEqual({
      id: expect.any(String),
      url: receiver.url,
      events: ["slot.submitted"],
      format: "standard",
      isActive: true,
      failureCount: 0,
      lastFailureAt: null,
      createdAt: "2026-03-01T12:00:00.000Z",
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await owner.listWebhooks()).toEqual({ webhooks: [webhook] });
    const changed = await owner.updateWebhook({ params: { id: webhook.id }, body: { events: ["*"] } });
    expect(changed).toEqual({ webhook: { ...webhook, events: ["*"] } });
    expect(await owner.deleteWebhook({ params: { id: webhook.id } })).toEqual({ message: expect.any(String) });
    expect(await owner.listWebhooks()).toEqual({ webhooks: [] });
    expect((await owner.get(`/webhooks/${webhook.id}/deliveries`)).status).toBe(404);
  });

  it("secret: shown once, and stored encrypted", async () => {
    const hook = await register();
    const { secret: rotated } = (await owner.post(`${hook.path}/rotate-secret`)).body.data;
    const rows = await server.deps.store.read((q) => q.all("SELECT * FROM webhooks"));
    const everything = JSON.stringify([rows, (await owner.get("/webhooks")).body, (await owner.patch(hook.path, {})).body]);
    for (const secret of [hook.secret, rotated]) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(secret.slice("whsec_".length));
    }
  });

  it("another account's webhook: 404 for every action", async () => {
    const hook = await register();
    await happen();
    await server.advance(0);
    const [delivery] = await deliveriesOf(hook);
    const other = await registerOwner(server);
    const tries = [
      other.patch(hook.path, { events: ["*"] }),
      other.delete(hook.path),
      other.get(`${hook.path}/deliveries`),
      other.post(`${hook.path}/test`),
      other.post(`${hook.path}/enable`),
      other.post(`${hook.path}/rotate-secret`),
      other.post(`${hook.path}/deliveries/${delivery.id}/redeliver`),
    ];
    expect((await Promise.all(tries)).map((reply) => reply.status)).toEqual(tries.map(() => 404));
    const theirs = await other.createWebhook({ body: { url: receiver.url, events: ["*"] } });
    const mixed = await other.post(`/webhooks/${theirs.webhook.id}/deliveries/${delivery.id}/redeliver`);
    expect(mixed.status).toBe(404);
  });

  it.each([
    ["no events", { url: "https://hooks.example.com", events: [] }, "events"],
    ["an unknown kind", { url: "https://hooks.example.com", events: ["slot.vanished"] }, "events.0"],
    ["no url", { events: ["*"] }, "url"],
    ["another scheme", { url: "ftp://hooks.example.com", events: ["*"] }, "url"],
    ["http beyond loopback", { url: "http://93.184.216.34/", events: ["*"] }, "url"],
    ["a private address", { url: "https://10.0.0.1/", events: ["*"] }, "url"],
    ["a name for a private address", { url: "https://inside.example.com/", events: ["*"] }, "url"],
    ["a name with one private address of two", { url: "https://both.example.com/", events: ["*"] }, "url"],
    ["a fragment", { url: "https://hooks.example.com/#x", events: ["*"] }, "url"],
    ["port 22", { url: "https://hooks.example.com:22/", events: ["*"] }, "url"],
  ])("create: %s is refused, and nothing is created", async (_, body, field) => {
    const names: Record<string, string[]> = {
      "hooks.example.com": ["93.184.216.34"],
      "inside.example.com": ["192.168.1.1"],
      "both.example.com": ["93.184.216.34", "10.0.0.1"],
    };
    await open({ resolve: async (host) => names[host] ?? [] });
    const reply = await owner.post("/webhooks", body);
    expect(reply.status).toBe(422);
    expect(reply.body.error.details[0].field).toBe(field);
    // Where a name leads in the network of the server is nobody's business.
    for (const address of Object.values(names).flat())
      if (!JSON.stringify(body).includes(address)) expect(reply.text).not.toContain(address);
    expect((await owner.listWebhooks()).webhooks).toEqual([]);
  });

  it("loopback address: refused on a live server, at creation and at change", async () => {
    await open({ config: (config) => (config.sandbox = false), resolve: async () => ["93.184.216.34"] });
    expect((await owner.post("/webhooks", { url: receiver.url, events: ["*"] })).status).toBe(422);
    const created = await owner.post("/webhooks", { url: "https://hooks.example.com/", events: ["*"] });
    expect(created.status).toBe(201);
    const path = `/webhooks/${created.body.data.webhook.id}`;
    expect((await owner.patch(path, { url: "https://127.0.0.1/" })).status).toBe(422);
    expect((await webhookNow())!.url).toBe("https://hooks.example.com/");
  });

  it("signature: both kinds of receiver can verify it", async () => {
    await open({ clock: { ...createTestClock(), real: Date.now } });
    const hook = await register();
    await happen("slot.submitted");
    await server.advance(0);
    const [{ headers, body }] = receiver.received as [Receiver["received"][0]];
    expect(JSON.parse(body)).toEqual({
      event: "slot.submitted",
      timestamp: "2026-03-01T12:00:00.000Z",
      data: eventData("slot.submitted"),
    });
    new Webhook(hook.secret).verify(body, headers as Record<string, string>);
    const timestamp = headers["x-wpg-timestamp"];
    expect(headers["x-wpg-signature"]).toBe(createHmac("sha256", hook.secret).update(`${timestamp}.${body}`).digest("hex"));
    expect(headers["x-wpg-signature-version"]).toBe("v1");
    expect(timestamp).toBe(headers["webhook-timestamp"]);
    expect(headers["content-type"]).toBe("application/json");
    expect((await owner.get("/events")).body.data.events[0].id).toBe(headers["webhook-id"]);
    expect(await deliveriesOf(hook)).toEqual([
      {
        id: expect.any(String),
        event: "slot.submitted",
        statusCode: 200,
        lastError: null,
        attemptCount: 1,
        deliveredAt: "2026-03-01T12:00:00.000Z",
        nextRetryAt: null,
        createdAt: "2026-03-01T12:00:00.000Z",
      },
    ]);
  });

  it("subscription: the chosen kinds, and all for *", async () => {
    await register(["slot.accepted", "slot.rejected"], `${receiver.url}/some`);
    await register(["*"], `${receiver.url}/all`);
    for (const kind of ["slot.submitted", "slot.accepted"] as const) await happen(kind);
    await server.advance(0);
    const got = (path: string) =>
      receiver.received.filter((request) => request.path.endsWith(path)).map((request) => JSON.parse(request.body).event);
    expect(got("/some")).toEqual(["slot.accepted"]);
    expect(got("/all").sort()).toEqual(["slot.accepted", "slot.submitted"]);
  });

  it("rolled back transaction: sends nothing", async () => {
    const hook = await register();
    const fails = server.deps.store.write(async (tx) => {
      const occurrence = { kind: "slot.submitted" as EventKind, data: eventData("slot.submitted"), notice: {} };
      await emit(tx, [{ id: owner.id, role: "game_owner" }], occurrence);
      throw new Error("on second thoughts");
    });
    await expect(fails).rejects.toThrow("on second thoughts");
    await server.advance(hour);
    expect(receiver.received).toEqual([]);
    expect(await deliveriesOf(hook)).toEqual([]);
  });

  it("retries: eight attempts on the schedule with ±20 % jitter, with one id and new timestamps", async () => {
    receiver.answer(status(500));
    const hook = await register();
    await happen();
    await server.advance(0);
    const waits = [5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
    for (const [index, wait] of waits.entries()) {
      const [delivery] = await deliveriesOf(hook);
      expect(delivery).toMatchObject({ statusCode: 500, attemptCount: index + 1, deliveredAt: null });
      const after = Date.parse(delivery.nextRetryAt) - server.clock.now();
      expect(after / wait).toBeGreaterThanOrEqual(0.8);
      expect(after / wait).toBeLessThanOrEqual(1.2);
      await server.advance(after - 1);
      expect(receiver.received).toHaveLength(index + 1);
      await server.advance(1);
      expect(receiver.received).toHaveLength(index + 2);
    }
    expect((await deliveriesOf(hook))[0]).toMatchObject({ attemptCount: 8, nextRetryAt: null });
    await server.advance(48 * hour);
    expect(receiver.received).toHaveLength(8);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(8);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(await webhookNow()).toMatchObject({ isActive: true, failureCount: 8 });
  });

  it.each([
    ["seconds", "120", 120_000],
    ["a date", "Sun, 01 Mar 2026 12:10:00 GMT", 600_000],
    ["more than an hour", "86400", hour],
    ["nonsense", "soon", 5_000],
  ])("retries: Retry-After given as %s is followed", async (_, header, expected) => {
    receiver.answer(status(503, { "Retry-After": header }));
    const hook = await register();
    await happen();
    await server.advance(0);
    const after = Date.parse((await deliveriesOf(hook))[0].nextRetryAt) - server.clock.now();
    expect(after).toBeGreaterThanOrEqual(expected * 0.8);
    expect(after).toBeLessThanOrEqual(expected * 1.2);
  });

  it("ten failures in a row: disable the webhook and notify its owner; enabling it resumes deliveries", async () => {
    receiver.answer(status(500));
    const hook = await register();
    for (let event = 0; event < 12; event++) await happen();
    await server.advance(0);
    expect(await webhookNow()).toMatchObject({ isActive: false, failureCount: 10, lastFailureAt: expect.any(String) });
    const before = receiver.received.length;
    expect(before).toBeLessThanOrEqual(11);
    await server.advance(48 * hour);
    expect(receiver.received).toHaveLength(before);

    const { notifications } = await owner.listNotifications();
    // Others may be from the same millisecond.
    const disabled = notifications.find((one: { type: string }) => one.type === "webhook.disabled");
    expect(disabled).toMatchObject({ type: "webhook.disabled", body: expect.stringContaining(receiver.url) });
    expect(server.mails.map((mail) => mail.subject)).toEqual(["Your webhook was disabled"]);
    expect(server.mails[0]!.text).toContain(`/studio/webhooks/${hook.id}\n`);
    const [event] = (await owner.get("/events")).body.data.events;
    expect(event).toMatchObject({ event: "webhook.disabled", data: { webhookId: hook.id, url: receiver.url } });

    receiver.answer(status(200));
    expect((await owner.post(`${hook.path}/enable`)).body.data).toEqual({ message: expect.any(String), isActive: true });
    expect(await webhookNow()).toMatchObject({ isActive: true, failureCount: 0 });
    await server.advance(0);
    const delivered = (await deliveriesOf(hook)).filter((delivery: { deliveredAt: string | null }) => delivery.deliveredAt);
    expect(delivered).toHaveLength(12);
  });

  it("failure count: a success after nine failures resets it", async () => {
    receiver.answer(status(500));
    await register();
    for (let event = 0; event < 9; event++) await happen();
    await server.advance(0);
    expect(await webhookNow()).toMatchObject({ isActive: true, failureCount: 9 });
    receiver.answer(status(204));
    await happen();
    await server.advance(0);
    expect(await webhookNow()).toMatchObject({ isActive: true, failureCount: 0 });
  });

  it("410 Gone: disables the webhook at once", async () => {
    receiver.answer(status(410));
    await register();
    await happen();
    await server.advance(0);
    expect(await webhookNow()).toMatchObject({ isActive: false, failureCount: 1 });
  });

  /** A webhook that its first event disabled, and after which another happened. */
  async function disabled() {
    receiver.answer(status(410));
    const hook = await register();
    await happen("slot.submitted");
    await server.advance(0);
    await happen("slot.accepted");
    await server.advance(hour);
    return hook;
  }

  it("disabled webhook: events are kept to be redelivered", async () => {
    const hook = await disabled();
    const held = (await deliveriesOf(hook)).find((delivery: { event: string }) => delivery.event === "slot.accepted");
    expect(held).toMatchObject({ attemptCount: 0, nextRetryAt: null });
    const redeliver = () => owner.post(`${hook.path}/deliveries/${held.id}/redeliver`);
    expect((await redeliver()).status).toBe(409);
    receiver.answer(status(200));
    await owner.post(`${hook.path}/enable`);
    expect((await redeliver()).body.data.delivery).toMatchObject({ id: held.id, nextRetryAt: expect.any(String) });
    await server.advance(0);
    const events = receiver.received.slice(1).map(({ body }) => JSON.parse(body).event);
    expect(events.sort()).toEqual(["slot.accepted", "slot.submitted"]);
  });

  it("redeliver: a delivered event is sent again under the same id, on a new schedule", async () => {
    const hook = await register();
    await happen();
    await server.advance(0);
    receiver.answer(status(500));
    const [{ id }] = await deliveriesOf(hook);
    await owner.post(`${hook.path}/deliveries/${id}/redeliver`);
    await server.advance(0);
    const [delivery] = await deliveriesOf(hook);
    expect(delivery).toMatchObject({ attemptCount: 2, statusCode: 500 });
    expect(Date.parse(delivery.nextRetryAt) - server.clock.now()).toBeLessThanOrEqual(6_000);
    expect(receiver.received[1]!.headers["webhook-id"]).toBe(receiver.received[0]!.headers["webhook-id"]);
  });

  it("redeliver since: all events, or only those that were not delivered", async () => {
    const hook = await disabled();
    const since = new Date(server.clock.now()).toISOString();
    const redeliver = (body: unknown) => owner.post(`${hook.path}/redeliver`, body);
    expect((await redeliver({ since })).status).toBe(409);
    receiver.answer(status(200));
    await owner.post(`${hook.path}/enable`);
    await server.advance(0);
    await happen("slot.rejected");
    await owner.post(`${hook.path}/test`);
    await server.advance(0);
    const kinds = () =>
      receiver.received
        .splice(0)
        .map(({ body }) => JSON.parse(body).event)
        .sort();
    expect(kinds()).toEqual(["slot.rejected", "slot.submitted", "slot.submitted", "test.ping"]);

    expect((await redeliver({ since })).body.data).toEqual({ count: 1 });
    await server.advance(0);
    expect(kinds()).toEqual(["slot.rejected"]);
    const start = new Date(startTime).toISOString();
    expect((await redeliver({ since: start, onlyUndelivered: true })).body.data).toEqual({ count: 2 });
    await server.advance(0);
    expect(kinds()).toEqual(["slot.accepted", "webhook.disabled"]);
    expect((await redeliver({ since: start })).body.data).toEqual({ count: 4 });
    await server.advance(0);
    expect(kinds()).toEqual(["slot.accepted", "slot.rejected", "slot.submitted", "webhook.disabled"]);
    expect((await redeliver({ since: "yesterday" })).status).toBe(422);
    expect((await (await registerOwner(server)).post(`${hook.path}/redeliver`, { since })).status).toBe(404);
  });

  it("rotated secret: signs queued deliveries too, and the old one signs none", async () => {
    await open({ clock: { ...createTestClock(), real: Date.now } });
    receiver.answer(status(500));
    const hook = await register();
    await happen();
    await server.advance(0);
    const { secret } = (await owner.post(`${hook.path}/rotate-secret`)).body.data;
    await tryNext(hook);
    const { body, headers } = receiver.received[1]!;
    new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(() => new Webhook(hook.secret).verify(body, headers as Record<string, string>)).toThrow("No matching signature");
  });

  it("deleted webhook: no further attempt, and nothing of it is kept, such as an address that is a secret", async () => {
    receiver.answer(status(500));
    const hook = await register();
    await happen();
    await server.advance(0);
    await owner.delete(hook.path);
    await server.advance(48 * hour);
    expect(receiver.received).toHaveLength(1);
    expect(await server.deps.store.read((q) => q.all("SELECT url FROM webhooks"))).toEqual([{ url: "" }]);
    await startRetention(server.deps);
    await server.advance(0);
    for (const table of ["webhooks", "webhook_deliveries", "webhook_attempts"])
      expect(await server.deps.store.read((q) => q.all(`SELECT id FROM ${table}`))).toEqual([]);
  });

  it("changed address: deliveries continue there", async () => {
    receiver.answer(status(500));
    const hook = await register();
    await happen();
    await server.advance(0);
    const other = await startReceiver();
    await owner.patch(hook.path, { url: other.url });
    await tryNext(hook);
    expect([receiver.received.length, other.received.length]).toEqual([1, 1]);
    await other.close();
  });

  /** As when another process changes the webhook at the instant at which an event is queued for it. */
  async function happenBeside(id: string, changes: Partial<webhooks.WebhookRow>): Promise<void> {
    await server.deps.store.write(async (tx) => {
      const occurrence = { kind: "slot.submitted" as EventKind, data: eventData("slot.submitted"), notice: {} };
      await emit(tx, [{ id: owner.id, role: "game_owner" }], occurrence);
      await webhooks.update(tx, id, changes);
    });
    await server.advance(0);
  }
  const stateAndJobs = () =>
    server.deps.store.read(async (q) => [
      (await q.all<{ state: string }>("SELECT state FROM webhook_deliveries")).map(({ state }) => state),
      (await q.all("SELECT id FROM jobs WHERE kind = 'deliver-webhook'")).length,
    ]);

  it.each([
    { change: "disabled", changes: { is_active: 0, disabled_at: startTime }, state: "paused" },
    { change: "deleted", changes: { is_active: 0, deleted_at: startTime, url: "" }, state: "cancelled" },
  ])("webhook that is $change while an event is queued for it: nothing is sent, and the job ends", async ({ changes, state }) => {
    const hook = await register();
    await happenBeside(hook.id, changes);
    expect(await stateAndJobs()).toEqual([[state], 0]);
    expect(receiver.received).toEqual([]);
  });

  it("webhook that is moved while an event is queued for it: the event is delivered once, at the new address", async () => {
    const hook = await register();
    const other = await startReceiver();
    await happenBeside(hook.id, { url: other.url, host: new URL(other.url).host });
    expect(await stateAndJobs()).toEqual([["delivered"], 0]);
    expect([receiver.received.length, other.received.length]).toEqual([0, 1]);
    await other.close();
  });

  it.each([
    { answers: 200, success: true, deliveredAt: "2026-03-01T12:00:00.000Z" },
    { answers: 302, success: false, deliveredAt: null },
    { answers: 500, success: false, deliveredAt: null },
  ])("test: one ping, and the reply says how it went: $answers", async ({ answers, success, deliveredAt }) => {
    const hook = await register(["slot.accepted"]);
    const bystander = await register(["*"], `${receiver.url}/other`);
    receiver.answer(status(answers, { Location: `${receiver.url}/elsewhere` }));
    const reply = await owner.post(`${hook.path}/test`);
    const lastError = success ? null : `the endpoint responded with status ${answers}`;
    const delivery = { id: expect.any(String), statusCode: answers, lastError, deliveredAt };
    expect(reply.body.data).toEqual({ success, delivery });
    await server.advance(hour);
    expect(receiver.received.map(({ body, path }) => [path, JSON.parse(body)])).toEqual([
      ["/hook", { event: "test.ping", timestamp: "2026-03-01T12:00:00.000Z", data: { webhookId: hook.id } }],
    ]);
    expect(await deliveriesOf(bystander)).toEqual([]);
    for (const webhook of (await owner.listWebhooks()).webhooks)
      expect(webhook).toMatchObject({ isActive: true, failureCount: 0, lastFailureAt: null });
  });

  it("test: pings, deliveries and redeliveries share the limits of a host, and pings beyond them are refused", async () => {
    await open({ config: (config) => (config.webhooks.timeoutMs = 60_000) });
    const hook = await register();
    const answers: (() => void)[] = [];
    let most = 0;
    let inFlight = 0;
    receiver.answer((response) => {
      most = Math.max(most, ++inFlight);
      answers.push(() => {
        inFlight--;
        response.end();
      });
    });
    await happen();
    await receiver.until(1);
    let refused = 0;
    const replies = Array.from({ length: 20 }, async () => {
      const reply = await owner.post(`${hook.path}/test`);
      if (reply.status === 429) refused++;
      return reply;
    });
    await vi.waitUntil(() => refused === 12, { timeout: 60_000 });
    let ended = false;
    const all = Promise.all(replies).finally(() => (ended = true));
    await vi.waitUntil(() => {
      answers.shift()?.();
      return ended;
    });
    const codes = (await all).map(({ body }) => body.error?.message ?? body.data.success);
    const message = "This webhook's host already has 8 test events in progress. Nothing was sent. Try again later.";
    expect(codes.sort()).toEqual([...Array(12).fill(message), ...Array(8).fill(true)]);
    expect([most, receiver.received.length]).toEqual([2, 9]);
  });

  const hostile: { name: string; how: Answer; statusCode: number | null; error: RegExp | null }[] = [
    { name: "never answers", how: nothing, statusCode: null, error: /no response within 400 ms/ },
    {
      name: "drips its headers",
      how: (response) => drip(response, "HTTP/1.1 200 OK\r\n", "X-Drip: yes\r\n"),
      statusCode: null,
      error: /no response within 400 ms/,
    },
    {
      name: "sends headers without end",
      how: (response) => response.socket!.end(`HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(20_000)}`),
      statusCode: null,
      error: /headers of the response are larger than 16 KiB/,
    },
    {
      name: "resets the connection",
      how: (response) => response.socket!.resetAndDestroy(),
      statusCode: null,
      error: /ECONNRESET/,
    },
    {
      name: "speaks no HTTP",
      how: (response) => response.socket!.end("220 mail.example.com ESMTP\r\n"),
      statusCode: null,
      error: /is not valid HTTP\. Check that a web server listens/,
    },
    {
      name: "redirects",
      how: status(307, { Location: "http://127.0.0.1:9/" }),
      statusCode: 307,
      error: /responded with status 307/,
    },
    { name: "drips its body", how: (response) => drip(response, "HTTP/1.1 200 OK\r\n\r\n", "x"), statusCode: 200, error: null },
    { name: "sends a body without end", how: endless, statusCode: 200, error: null },
  ];

  it.each(hostile)("survives a receiver that $name", async ({ how, statusCode, error }) => {
    await open({ config: (config) => (config.webhooks.timeoutMs = 400) });
    receiver.answer(how);
    const hook = await register();
    await happen();
    await server.advance(0);
    const lastError = error && expect.stringMatching(error);
    expect((await deliveriesOf(hook))[0]).toMatchObject({ statusCode, lastError, attemptCount: 1 });
    const [attempt] = await server.deps.store.read((q) =>
      q.all<{ error: string | null; response: string | null }>("SELECT * FROM webhook_attempts"),
    );
    if (error) expect(attempt!.error).toMatch(error);
    else expect(attempt!.error).toBeNull();
    expect(attempt!.response?.length ?? 0).toBeLessThanOrEqual(4096);
  });

  it("refused connection: the error names no address, and is gone after a delivery", async () => {
    await open();
    const hook = await register(["*"], "http://127.0.0.1:1/");
    const lastError = "no connection to the endpoint was possible (ECONNREFUSED)";
    const { delivery } = (await owner.post(`${hook.path}/test`)).body.data;
    expect(delivery).toEqual({ id: expect.any(String), statusCode: null, lastError, deliveredAt: null });
    await owner.patch(hook.path, { url: receiver.url });
    await owner.post(`${hook.path}/deliveries/${delivery.id}/redeliver`);
    await server.advance(0);
    expect(await deliveriesOf(hook)).toMatchObject([{ id: delivery.id, statusCode: 200, lastError: null }]);
  });

  it("concurrency: a delivery that is recorded while the due ones are read is not sent again", async () => {
    const reads = heldReads();
    await open({ through: reads.through });
    const hook = await register();
    const answers: (() => void)[] = [];
    receiver.answer((response) => void answers.push(() => response.end()));
    await happen();
    await receiver.until(1);
    // The database replies to the next look for due deliveries as it saw them before the first one was recorded.
    await reads.hold("d.next_retry_at <=");
    answers[0]!();
    receiver.answer(status(200));
    await vi.waitFor(async () => expect((await deliveriesOf(hook))[0].deliveredAt).not.toBeNull(), { timeout: 60_000 });
    reads.release();
    await server.advance(0);
    expect(receiver.received).toHaveLength(1);
  });

  /** As another process takes over the deliveries, after this one was stalled for the whole lease. */
  async function loseLease(): Promise<void> {
    const real = server.clock.real() + server.deps.config.jobs.leaseMs;
    // After every lease, whether it is measured by the test's clock or by the database's.
    const now = { sql: "CAST(? AS BIGINT)", values: [Date.now() + 10_000 * day] };
    const lease = { token: "another process", due: server.clock.now(), now, leaseMs: day };
    const taken = await server.deps.store.write((tx) => claim(tx, { ...lease, count: 1, kinds: { only: ["deliver-webhook"] } }));
    expect(taken).toHaveLength(1);
    server.clock.set(real);
  }

  const lostLease = async () => {
    await vi.waitUntil(() => server.errors.length > 0, { timeout: 60_000 });
    return String(server.errors.splice(0));
  };

  it("lost lease: nothing more is sent by the process that lost it", async () => {
    await open({
      config(config) {
        config.webhooks.inFlightPerHost = 1;
        // Ends before the job's turn does.
        config.jobs.leaseMs = 2_000;
      },
    });
    await register();
    const answers: (() => void)[] = [];
    receiver.answer((response) => void answers.push(() => response.end()));
    for (let event = 0; event < 3; event++) await happen();
    await receiver.until(1);
    await loseLease();
    receiver.answer(status(200));
    answers[0]!();
    expect(await lostLease()).toMatch(/the lease was lost/);
    expect(receiver.received).toHaveLength(1);
  });

  it("lost lease: what was about to be sent is not sent", async () => {
    const reads = heldReads();
    await open({ through: reads.through });
    await register();
    const held = reads.hold("FROM webhooks WHERE id");
    await happen();
    await held;
    await loseLease();
    reads.release();
    expect(await lostLease()).toMatch(/the lease was lost/);
    expect(receiver.received).toEqual([]);
  });

  it("concurrency: two deliveries at once per host; other hosts and emails do not wait", async () => {
    receiver.answer(nothing);
    const other = await startReceiver();
    await register();
    await register(["*"], other.url);
    for (let event = 0; event < 5; event++) await happen();
    await receiver.until(2);
    await other.until(5);
    await owner.requestPasswordReset({ body: { email: "game_owner1@example.com" } });
    await server.request("POST", "/auth/password-reset", { body: { email: "game_owner2@example.com" } });
    await vi.waitFor(() => expect(server.mails.map((mail) => mail.subject)).toContain("Reset your password"), {
      timeout: 60_000,
    });
    expect(receiver.received).toHaveLength(2);
    await receiver.close();
    await other.close();
  });
});

function drip(response: Parameters<Answer>[0], head: string, piece: string): void {
  const socket = response.socket!;
  socket.write(head);
  const timer = setInterval(() => socket.write(piece), 20);
  socket.on("close", () => clearInterval(timer));
}

function endless(response: Parameters<Answer>[0]): void {
  const block = Buffer.alloc(64 * 1024, "x");
  const more = () => {
    while (response.write(block));
  };
  response.on("drain", more);
  response.on("close", () => response.off("drain", more));
  more();
}
