import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import * as users from "../../server/accounts/users-store.ts";
import { emit } from "../../server/events/emit.ts";
import * as eventStore from "../../server/events/store.ts";
import { streamTo } from "../../server/events/stream.ts";
import type { EventKind } from "../../src/contract/events/kinds.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { eventData } from "../helpers/event-data.ts";
import { type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startTestServer, startTime, type TestServer } from "../helpers/server.ts";
import { type Listening, listenTo } from "../helpers/sse.ts";
import { drivers } from "../helpers/store.ts";

onBothDatabases("events", (serve) => {
  let server: TestServer;
  let owner: Person;
  const open: Listening[] = [];

  beforeEach(async () => {
    server = await serve();
    owner = await registerOwner(server);
  });
  afterEach(() => {
    for (const listening of open.splice(0)) listening.close();
  });

  const happen = (kind: EventKind, person = owner) =>
    server.deps.store.write((tx) =>
      emit(tx, [{ id: person.id, role: "game_owner" }], { kind, data: eventData(kind), notice: {} }),
    );
  /** As another process does it: this one is not told. */
  const happenElsewhere = async (kind: EventKind, created_at: number) => {
    const id = server.deps.newId();
    await server.deps.store.write(async (tx) =>
      eventStore.insert(tx, [{ id, account_id: owner.id, kind, data: "{}", created_at }]),
    );
    return id;
  };
  const listen = async (lastId?: string, person = owner) => {
    const headers = { authorization: `Bearer ${person.key}`, ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
    const listening = await listenTo(`${server.baseUrl}/api/v1/events`, headers);
    open.push(listening);
    return listening;
  };
  const kinds = async (listening: Listening, count: number) => {
    const heard: (string | undefined)[] = [];
    while (heard.length < count) heard.push((await listening.next())?.data?.event);
    return heard;
  };

  it("list: an account's own events, newest first, by cursor", async () => {
    await happen("slot.submitted");
    await happen("slot.accepted");
    await happen("slot.rejected", await registerOwner(server));
    const first = await owner.get("/events?limit=1");
    expect(first.body.data.events).toEqual([
      { id: expect.any(String), event: "slot.accepted", timestamp: "2026-03-01T12:00:00.000Z", data: eventData("slot.accepted") },
    ]);
    const second = await owner.get(`/events?limit=1&cursor=${first.body.meta.cursor}`);
    expect(second.body.data.events.map((event: { event: string }) => event.event)).toEqual(["slot.submitted"]);
    expect(second.body.meta).toMatchObject({ hasMore: false, cursor: null });
  });

  it("stream: new events with their ids", async () => {
    await happen("slot.submitted");
    const [latest] = (await owner.get("/events")).body.data.events;
    const listening = await listen();
    expect(listening.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await listening.next()).toEqual({ id: latest.id, data: undefined });
    await happen("slot.accepted");
    const heard = await listening.next();
    const [event] = (await owner.get("/events")).body.data.events;
    expect(heard).toEqual({ id: event.id, data: event });
  });

  it("stream: limited in number per account, and another when one of them ends", async () => {
    server.deps.config.http.maxStreams = 2;
    const [first] = [await listen(), await listen(), await listen(undefined, await registerOwner(server))];
    const refused = await owner.get("/events", { accept: "text/event-stream" });
    expect([refused.status, refused.body.error.code, refused.headers.get("retry-after")]).toEqual([429, "RATE_LIMITED", "60"]);
    first.close();
    await vi.waitUntil(async () => {
      const again = await listen();
      return again.response.status === 200;
    });
  });

  it("stream: ends for a revoked key and a suspended account, however much happens", async () => {
    const [listening, suspended] = [await listen(), await registerOwner(server)];
    const other = await listen(undefined, suspended);
    for (const stream of [listening, other]) await stream.next();
    for (const person of [owner, suspended]) await happen("slot.submitted", person);
    expect([(await kinds(listening, 1))[0], (await kinds(other, 1))[0]]).toEqual(["slot.submitted", "slot.submitted"]);
    const [made] = (await owner.listApiKeys()).keys;
    await owner.revokeApiKey({ params: { id: made!.id } });
    await server.deps.store.write((tx) => users.update(tx, suspended.id, { suspended_at: server.clock.now() }));
    for (const person of [owner, suspended]) await happen("slot.accepted", person);
    expect([await listening.next(), await other.next()]).toEqual([undefined, undefined]);
  });

  it("stream: resumes after Last-Event-ID and misses nothing, from the very first event on", async () => {
    const before = await listen();
    const start = await before.next();
    before.close();
    for (const kind of ["slot.submitted", "slot.accepted", "slot.rejected"] as const) await happen(kind);
    const all = await listen(start!.id);
    await all.next();
    expect(await kinds(all, 3)).toEqual(["slot.submitted", "slot.accepted", "slot.rejected"]);
    const { events } = (await owner.get("/events")).body.data;
    const rest = await listen(events[2].id);
    await rest.next();
    expect(await kinds(rest, 2)).toEqual(["slot.accepted", "slot.rejected"]);
  });

  it("stream: has events of another process, and those committed late with an earlier time", async () => {
    const listening = await listen();
    await listening.next();
    await happenElsewhere("slot.accepted", startTime + 5000);
    expect((await listening.next())?.data?.event).toBe("slot.accepted");
    const late = await happenElsewhere("slot.submitted", startTime);
    expect(await listening.next()).toMatchObject({ id: late, data: { event: "slot.submitted" } });
  });

  it("ids: many events of one instant are in the order they were made", async () => {
    const expected: string[] = [];
    for (let count = 0; count < 250; count++) expected.push(await happenElsewhere("slot.submitted", startTime));
    const listening = await listen("0");
    await listening.next();
    const heard: (string | undefined)[] = [];
    while (heard.length < 250) heard.push((await listening.next())?.id);
    expect(heard).toEqual(expected);
  });

  it("stream: has no events of another account", async () => {
    const other = await registerOwner(server);
    for (const kind of ["slot.submitted", "slot.accepted"] as const) await happen(kind, other);
    expect(await kinds(await listen("0", other), 3)).toEqual([undefined, "slot.submitted", "slot.accepted"]);
    const listening = await listen("0");
    await happen("payment.completed");
    expect(await kinds(listening, 2)).toEqual([undefined, "payment.completed"]);
  });

  it("stream: two clients of one account get the same events", async () => {
    const both = [await listen(), await listen()];
    for (const listening of both) await listening.next();
    await Promise.all([happen("slot.submitted"), happen("slot.accepted")]);
    const [one, other] = await Promise.all(both.map((listening) => kinds(listening, 2)));
    expect(one).toEqual(other);
    expect([...one!].sort()).toEqual(["slot.accepted", "slot.submitted"]);
  });

  it("stream: resuming after an unknown event, or one of another account, is refused", async () => {
    const other = await registerOwner(server);
    await happen("slot.submitted", other);
    const [theirs] = (await other.get("/events")).body.data.events;
    // Only what somebody has streamed has a place to resume from.
    expect(await kinds(await listen("0", other), 2)).toEqual([undefined, "slot.submitted"]);
    for (const id of ["nonsense", theirs.id]) {
      const { response } = await listen(id);
      expect(response.status).toBe(422);
    }
  });

  it("access: for playtesters too, and for no key without the main scope", async () => {
    expect((await (await registerPlaytester(server)).get("/events")).body.data.events).toEqual([]);
    const limited = await owner.createApiKey({ body: { name: "billing", scopes: ["billing"] } });
    expect((await server.request("GET", "/events", { key: limited.apiKey })).status).toBe(403);
  });
});

it("stream: a silent one gets keep-alive comments, and ends when its key is revoked", async () => {
  const store = await drivers[0]!.open();
  const server = await startTestServer({ store, config: (config) => void Object.assign(config.http, { heartbeatMs: 10 }) });
  const owner = await registerOwner(server);
  const made = await owner.createApiKey({ body: { name: "listener" } });
  const headers = { authorization: `Bearer ${made.apiKey}`, accept: "text/event-stream" };
  const response = await fetch(`${server.baseUrl}/api/v1/events`, { headers });
  let text = "";
  let revoked = false;
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (revoked || !text.endsWith("\n\n:\n\n:\n\n")) continue;
    revoked = true;
    await owner.revokeApiKey({ params: { id: made.key.id } });
  }
  expect(text).toMatch(/^retry: 1000\nid: 0\n\n(:\n\n){2,}$/);
  await server.close();
  await store.remove();
});

it("stream: little is buffered for a client that does not read", async () => {
  let asked = 0;
  let written: ServerResponse | undefined;
  const leave = new AbortController();
  const server = createServer((_, response) => {
    written = response;
    const source = { start: "0", heartbeatMs: 1000, draining: leave.signal, follow: () => () => {}, allowed: async () => true };
    const events = Array.from({ length: 100 }, (__, id) => ({ id: `${id}`, data: "x".repeat(10_000) }));
    void streamTo(response, {
      ...source,
      async next() {
        asked++;
        return events;
      },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1", () =>
    client.pause().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
  );
  // Full are the buffers of both sockets by then.
  await vi.waitUntil(async () => {
    const before = asked;
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    return written?.writableNeedDrain && asked === before;
  });
  expect(written!.writableLength).toBeLessThan(1_000_000);
  const stalled = asked;
  client.resume();
  await vi.waitUntil(() => asked > stalled, { timeout: 60_000 });
  leave.abort();
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
});

it("stream: ends when the server drains", async () => {
  const store = await drivers[0]!.open();
  const server = await startTestServer({ store });
  const owner = await registerOwner(server);
  const listening = await listenTo(`${server.baseUrl}/api/v1/events`, { authorization: `Bearer ${owner.key}` });
  await listening.next();
  const [end] = await Promise.all([listening.next(), server.close()]);
  expect(end).toBeUndefined();
  await store.remove();
});
