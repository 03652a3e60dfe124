import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { Config } from "../../server/config/schema.ts";
import { type Store, StoreUnavailable } from "../../server/database/port.ts";
import type { Gauge } from "../../server/metrics/metrics.ts";
import { createPrometheus } from "../../server/metrics/prometheus.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, createGame, giveCredit, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { freePort } from "../helpers/free-port.ts";
import { insertRow } from "../helpers/raw-rows.ts";

const token = "a-token-for-the-metrics";

/** The values of a metric in the text format, by their labels. */
const valuesOf = (text: string, name: string) =>
  Object.fromEntries(
    text
      .split("\n")
      .map((line) => /^(\w+)(\{.*\})? (\S+)$/.exec(line))
      .filter((match) => match?.[1] === name)
      .map((match) => [match![2] ?? "", Number(match![3])]),
  );

const ask = async (url: string, authorization?: string) => {
  const reply = await fetch(url, { headers: authorization === undefined ? {} : { authorization } });
  return { status: reply.status, type: reply.headers.get("content-type"), text: await reply.text() };
};

it("metrics that are not given any more are not in the text any more", async () => {
  const metrics = createPrometheus("1");
  const failing = { name: "playtest_backup_failing", help: "Whether the last backup failed", values: [{ value: 1 }] };
  const rendered = async (...gauges: Gauge[]) => valuesOf((await metrics.render(gauges)).text, failing.name);
  expect([await rendered(failing), await rendered(failing), await rendered(), await rendered(failing)]).toEqual([
    { "": 1 },
    { "": 1 },
    {},
    { "": 1 },
  ]);
});

onBothDatabases("metrics", (serve) => {
  it("are off unless they are configured", async () => {
    const server = await serve();
    expect((await ask(`${server.baseUrl}/metrics`)).status).toBe(404);
  });

  it("count requests by operation, jobs by kind and what waits", async () => {
    const server = await serve({
      config: (config) => {
        config.metrics.token = token;
      },
    });
    const owner = await registerOwner(server);
    const game = await createGame(owner);
    await giveCredit(server, owner, 100_00);
    const playtest = await order(owner, game);
    await claim(await registerPlaytester(server), playtest);
    await owner.get("/games/01900000-0000-7000-8000-000000000000");
    await server.request("GET", "/nothing");

    const { status, type, text } = await ask(`${server.baseUrl}/metrics`, `Bearer ${token}`);
    expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const requests = valuesOf(text, "playtest_requests_total");
    expect(requests).toMatchObject({
      '{operation="createGame",status="201"}': 1,
      '{operation="getGame",status="404"}': 1,
      '{operation="none",status="404"}': 1,
    });
    expect(valuesOf(text, "playtest_request_seconds_count")['{operation="createGame"}']).toBe(1);
    expect(valuesOf(text, "playtest_jobs_queued")).toMatchObject({ '{kind="watch-slot"}': 1 });
    expect(valuesOf(text, "playtest_jobs_due")).toMatchObject({ '{kind="watch-slot"}': 0 });
    expect(valuesOf(text, "playtest_mails_undelivered")).toEqual({ '{state="retried"}': 0, '{state="failed"}': 0 });
    expect(valuesOf(text, "playtest_uploads_open")).toEqual({ "": 0 });
    expect(valuesOf(text, "playtest_disk_free_bytes")[""]).toBeGreaterThan(0);
    expect(valuesOf(text, "playtest_info")).toEqual({ [`{version="${server.deps.config.version}"}`]: 1 });
    expect(Object.keys(valuesOf(text, "playtest_database"))).toEqual(
      server.deps.store.shared
        ? ['{what="connections"}', '{what="idle"}', '{what="waiting"}']
        : ['{what="commits"}', '{what="writes"}'],
    );
    // No label names a person, an id or an address.
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|@|127\.0\.0\.1/);
  });

  it("count what ran, and emails that were refused", async () => {
    const server = await serve({
      config: (config) => {
        config.metrics.token = token;
      },
    });
    await registerPlaytester(server);
    await server.advance(0);
    server.refusals.set("playtester1@example.com", new Error("451 try later"));
    await server.request("POST", "/auth/password-reset", { body: { email: "playtester1@example.com" } });
    await server.advance(0);
    const { text } = await ask(`${server.baseUrl}/metrics`, `Bearer ${token}`);
    expect(valuesOf(text, "playtest_job_seconds_count")).toMatchObject({ '{kind="send-mail",outcome="done"}': 1 });
    expect(valuesOf(text, "playtest_mails_undelivered")).toMatchObject({ '{state="retried"}': 1 });
    expect(valuesOf(text, "playtest_mails_retried_recipients")).toEqual({ "": 1 });
  });

  it("say how long the first due job waits, not for how long those at work run", async () => {
    const server = await serve({
      config: (config) => {
        config.metrics.token = token;
      },
    });
    const at = server.clock.now() - 1_800_000;
    const row = { payload: "{}", run_at: at, created_at: at, attempts: 1, state: "queued" } as const;
    const running = { lease_until: Date.now() + 3_600_000, lease_token: "a process" };
    // Of kinds that only a newer version runs.
    await server.deps.store.write(async (tx) => {
      await insertRow(tx, "jobs", { ...row, id: "1", unique_key: "1", kind: "render", ...running });
      await insertRow(tx, "jobs", { ...row, id: "2", unique_key: "2", kind: "weigh", lease_until: 0 });
      await insertRow(tx, "jobs", { ...row, id: "3", unique_key: "3", kind: "weigh", ...running, run_at: at - 60_000 });
    });
    const { text } = await ask(`${server.baseUrl}/metrics`, `Bearer ${token}`);
    expect(valuesOf(text, "playtest_jobs_due_seconds")).toMatchObject({ '{kind="render"}': 0, '{kind="weigh"}': 1800 });
    expect(valuesOf(text, "playtest_jobs_due")).toMatchObject({ '{kind="render"}': 1, '{kind="weigh"}': 2 });
  });

  it("answer 503 while the database is away, and again when it is back", async () => {
    let away = false;
    const unavailable = () => Promise.reject(new StoreUnavailable("the database is away"));
    const server = await serve({
      through: (store) => ({ ...store, read: (fn, options) => (away ? unavailable() : store.read(fn, options)) }),
      config: (config) => {
        config.metrics.token = token;
      },
    });
    const status = async () => (await ask(`${server.baseUrl}/metrics`, `Bearer ${token}`)).status;
    expect(await status()).toBe(200);
    away = true;
    server.clock.set(server.clock.now() + 61_000);
    expect([await status(), await status()]).toEqual([503, 503]);
    away = false;
    expect(await status()).toBe(200);
    server.errors.length = 0;
  });

  describe("on the port of the API", () => {
    it.each([undefined, "Bearer another-token-of-it", token, `Basic ${token}`])("refuse %s", async (authorization) => {
      const server = await serve({
        config: (config) => {
          config.metrics.token = token;
        },
      });
      const { status, text } = await ask(`${server.baseUrl}/metrics`, authorization);
      expect(status).toBe(401);
      expect(text).not.toContain("playtest_requests_total");
    });
  });

  it("have a port of their own, which answers nothing else", async () => {
    const port = await freePort();
    const server = await serve({
      config: (config) => {
        config.metrics.port = port;
      },
    });
    const own = `http://127.0.0.1:${port}`;
    expect((await ask(`${own}/metrics`)).text).toContain("playtest_info");
    expect((await ask(`${own}/api/v1/info/server`)).status).toBe(404);
    expect((await ask(`${server.baseUrl}/metrics`)).status).toBe(404);
  });

  it("whose port was taken meanwhile start no jobs", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const used: PropertyKey[] = [];
    const get = (store: Store, name: PropertyKey) => {
      used.push(name);
      return Reflect.get(store, name);
    };
    const through = (store: Store) => new Proxy(store, { get });
    const config = (config: Config) => {
      config.metrics.port = port;
    };
    await expect(serve({ config, through })).rejects.toThrow(
      `Port ${port} is in use: another program listens there. The server was not started. Choose another port with metrics.port.`,
    );
    other.close();
    expect(used).toEqual([]);
  });
});
