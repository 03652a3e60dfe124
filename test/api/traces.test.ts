import { expect, it as plainIt, vi } from "vitest";
import type { Log } from "../../server/lib/log.ts";
import { traceOf, wantsTraces, withTrace } from "../../server/lib/trace.ts";
import { createTracer } from "../../server/metrics/opentelemetry.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { createTestLog, type TestServer } from "../helpers/server.ts";

const id = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${id}-00f067aa0ba902b7-01`;
const now = Date.now;

interface Scene {
  ann: Person;
  playtest: string;
  receiver: Receiver;
}

/** A playtest whose owner has a webhook, and who may claim a slot of it. */
async function sceneOf(server: TestServer): Promise<Scene> {
  const [owner, ann] = [await registerOwner(server), await registerPlaytester(server)];
  await giveCredit(server, owner, 50_000);
  const receiver = await startReceiver();
  await owner.post("/webhooks", { url: receiver.url, events: ["slot.reserved"] });
  const playtest = await order(owner, await createGame(owner, { buildUrl: `${server.baseUrl}/build.zip` }));
  return { ann, playtest, receiver };
}

const claimIn = (server: TestServer, { ann, playtest }: Scene, headers: Record<string, string>) =>
  server.request("POST", `/playtester/playtests/${playtest}/claim`, { key: ann.key, body: {}, headers });

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  traceState?: string;
}

/** What a collector was sent, by OTLP over HTTP with JSON. */
const spansIn = (collector: Receiver): OtlpSpan[] =>
  collector.received.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap((of: { scopeSpans: { spans: OtlpSpan[] }[] }) =>
      of.scopeSpans.flatMap(({ spans }) => spans),
    ),
  );

/** The packages of the tests, as an operator installs them. They read the variables of the process. */
async function tracerTo(collector: Receiver, log: Log = createTestLog(), env: Record<string, string> = {}) {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${collector.port}`);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return await createTracer({ version: "1.2.3", log, now, load: (name) => import(name) });
  } finally {
    vi.unstubAllEnvs();
  }
}

onBothDatabases("traces", (serve, it) => {
  it("the trace of a request is its id, and goes on to the webhook that it causes", async ({ server }) => {
    const scene = await sceneOf(server);
    const reply = await claimIn(server, scene, { traceparent });
    expect([reply.status, reply.headers.get("x-request-id"), reply.body.meta.requestId]).toEqual([201, id, id]);
    await server.advance(0);
    await scene.receiver.until(1);
    expect(scene.receiver.received.map(({ headers }) => headers.traceparent)).toEqual([traceparent]);
    expect(scene.receiver.received[0]!.headers).not.toHaveProperty("tracestate");
    await scene.receiver.close();
  });

  it("what others noted in the trace goes on with it to the job and the webhook", async ({ server }) => {
    const scene = await sceneOf(server);
    await claimIn(server, scene, { traceparent, tracestate: "congo=t61, rojo=00f067" });
    await server.advance(0);
    await scene.receiver.until(1);
    expect(scene.receiver.received[0]!.headers).toMatchObject({ traceparent, tracestate: "congo=t61,rojo=00f067" });
    await scene.receiver.close();
  });

  it("jobs have the trace of the request that queued them", async ({ server }) => {
    const scene = await sceneOf(server);
    await claimIn(server, scene, { traceparent });
    const traces = () =>
      server.deps.store.read((q) =>
        q.all<{ kind: string; trace: string | null }>("SELECT kind, trace FROM jobs WHERE trace IS NOT NULL"),
      );
    expect((await traces()).map(({ trace }) => trace)).toContain(traceparent);
    await scene.receiver.close();
  });

  it("a request without a valid trace has an id of its own, and its webhook no trace", async ({ server }) => {
    const scene = await sceneOf(server);
    const reply = await claimIn(server, scene, { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` });
    expect(reply.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{20}$/);
    await server.advance(0);
    await scene.receiver.until(1);
    expect(scene.receiver.received[0]!.headers).not.toHaveProperty("traceparent");
    await scene.receiver.close();
  });

  it("the spans of a request, the job and the webhook that it causes share one trace at the collector", async () => {
    const collector = await startReceiver(status(200, { "content-type": "application/json" }, "{}"));
    const tracer = await tracerTo(collector, createTestLog(), {
      OTEL_SERVICE_NAME: "lantern",
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=k1",
    });
    const server = await serve({ tracer });
    const scene = await sceneOf(server);
    const reply = await claimIn(server, scene, { traceparent, tracestate: "congo=t61" });
    await server.advance(0);
    await scene.receiver.until(1);
    await server.deps.tracer!.close();
    const spans = spansIn(collector).filter(({ traceId }) => traceId === id);
    const [served] = spans.filter(({ kind }) => kind === 2);
    expect([reply.headers.get("x-request-id"), served]).toMatchObject([
      id,
      { name: "POST claimPlaytest", parentSpanId: "00f067aa0ba902b7" },
    ]);
    const sent = spans.find(({ kind, name }) => kind === 3 && name === "POST");
    expect(sent).toMatchObject({ parentSpanId: served!.spanId });
    const carried = { traceparent: `00-${id}-${sent!.spanId}-01`, tracestate: "congo=t61" };
    expect(scene.receiver.received[0]!.headers).toMatchObject(carried);
    expect(served).toMatchObject({ traceState: "congo=t61" });
    const [job] = spans.filter(({ name }) => name === "job deliver-webhook");
    expect(job).toMatchObject({ kind: 5, parentSpanId: served!.spanId });
    expect(collector.received[0]).toMatchObject({ path: "/v1/traces", headers: { "x-key": "k1" } });
    expect(collector.received[0]!.body).toContain('{"key":"service.name","value":{"stringValue":"lantern"}}');
    // No path or id of a request is sent.
    expect(JSON.stringify(spansIn(collector))).not.toContain(scene.playtest);
    await Promise.all([collector.close(), scene.receiver.close()]);
  });
});

plainIt("the sampler of the standard variables decides which traces are sent", async () => {
  const collector = await startReceiver(status(200, { "content-type": "application/json" }, "{}"));
  const tracer = await tracerTo(collector, createTestLog(), { OTEL_TRACES_SAMPLER: "parentbased_always_off" });
  tracer.start("server", "of nobody").end({ failed: false });
  withTrace(traceOf(traceparent), () => tracer.start("server", "of a sampled trace")).end({ failed: true });
  await tracer.close();
  expect(spansIn(collector).map(({ name }) => name)).toEqual(["of a sampled trace"]);
  await collector.close();
});

plainIt("a collector that refuses is one line in the log", async () => {
  const collector = await startReceiver(status(400));
  const log = createTestLog();
  const tracer = await tracerTo(collector, log);
  tracer.start("server", "lost").end({ failed: false });
  await tracer.close();
  expect(log.lines).toEqual([expect.stringMatching(/sending traces fails, and is tried again. The newest reason: /)]);
  await collector.close();
});

plainIt("packages that are not installed are one sentence with the command", async () => {
  const load = () => Promise.reject(new Error("Cannot find package"));
  await expect(createTracer({ version: "1.2.3", log: createTestLog(), now, load })).rejects.toThrow(
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages that send traces are not installed. The server was not started. Install them beside playtest with `npm install @opentelemetry/api @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace-base` (with --global if playtest is), or unset the variable.",
  );
});

plainIt.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a" }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a" }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_SDK_DISABLED: "true" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_TRACES_EXPORTER: "none" }, false],
])("the variables %j ask for traces: %s", (env, wanted) => {
  expect(wantsTraces(env)).toBe(wanted);
});
