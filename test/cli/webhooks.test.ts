import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunOptions, testFolder } from "../helpers/cli.ts";
import { eachDesk, named } from "../helpers/owner.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";

const desk = eachDesk();
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const emit = async (event: string, data?: Record<string, unknown>): Promise<string> =>
  (await desk.owner.post("/sandbox/events", { event, data })).body.data.event.id;

describe("webhooks", () => {
  it("makes one, tests it, follows its deliveries, and deletes it after asking", async () => {
    const made = await desk.run(["webhooks", "create", receiver.url, "--events", "slot.submitted,test.ping"]);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^whsec_\S+\n$/);
    const id = /webhook (\S+)\./.exec(made.stderr)?.[1] ?? "";
    expect(await desk.run(`webhooks test ${id}`)).toMatchObject({ code: 0, stdout: "It answered 200.\n" });
    expect(named((await desk.run("webhooks list", { tty: true, columns: 120 })).stdout, { id })).toContain(
      "slot.submitted, test.ping  true",
    );
    receiver.answer(status(500));
    expect(await desk.run(`webhooks test ${id}`)).toMatchObject({ code: 1, stdout: "It answered 500.\n" });
    const listed = await desk.run(`webhooks deliveries ${id} --json`);
    const { deliveries } = JSON.parse(listed.stdout);
    expect(deliveries.map(({ statusCode }: { statusCode: number }) => statusCode)).toEqual([500, 200]);
    receiver.answer(status(200));
    expect((await desk.run(`webhooks redeliver ${id} ${deliveries[0].id}`)).code).toBe(0);
    expect(await desk.run(`webhooks delete ${id}`)).toMatchObject({ code: 2, stdout: "" });
    expect((await desk.run(`webhooks delete ${id} --yes`)).code).toBe(0);
    expect((await desk.run(`webhooks get ${id}`)).code).toBe(3);
  });

  it("redelivers what happened since a time", async () => {
    const id = JSON.parse((await desk.run(["webhooks", "create", receiver.url, "--events", "*", "--json"])).stdout).webhook.id;
    await emit("slot.submitted");
    await receiver.until(1);
    await desk.server.advance(0);
    const again = await desk.run(`webhooks redeliver ${id} --since 2026-03-01T12:00:00Z`);
    expect([again.code, again.stdout]).toEqual([0, "1 delivery queued.\n"]);
    await receiver.until(2);
    await desk.server.advance(0);
    const none = await desk.run(`webhooks redeliver ${id} --since 2026-03-01T12:00:00Z --undelivered --json`);
    expect(JSON.parse(none.stdout)).toEqual({ count: 0 });
    expect((await desk.run(`webhooks redeliver ${id} --since 2099-01-01T00:00:00Z`)).stdout).toBe("0 deliveries queued.\n");
    expect((await desk.run(`webhooks redeliver ${id} --since 2h`)).stdout).toBe("1 delivery queued.\n");
  });

  it("keeps a rotated secret out of sight in a file", async () => {
    const id = JSON.parse((await desk.run(["webhooks", "create", receiver.url, "--events", "*", "--json"])).stdout).webhook.id;
    const file = join(testFolder(), "secret");
    const rotated = await desk.run(["webhooks", "rotate-secret", id, "--yes", "--secret-file", file]);
    expect(rotated).toMatchObject({ code: 0, stdout: `Written to ${file}.\n` });
    expect((await desk.run(["webhooks", "rotate-secret", id, "--yes", "--secret-file", file])).code).toBe(1);
  });

  it("says what is wrong with a webhook", async () => {
    const id = JSON.parse((await desk.run(["webhooks", "create", receiver.url, "--events", "*", "--json"])).stdout).webhook.id;
    receiver.answer(status(404));
    const { code, stdout } = await desk.run(`webhooks doctor ${id} --send`);
    expect(code).toBe(1);
    expect(named(stdout, { id }).replaceAll(receiver.url, "RECEIVER")).toMatchInlineSnapshot(`
      "id       active	ok	yes
      id       https	failed	http://SERVER/hook
      id       name	ok	127.0.0.1 is 127.0.0.1
      id       deliveries	ok	none yet
      id       test.ping	failed	answered 404
      "
    `);
  });

  it.each([
    ["webhooks create http://10.0.0.1/x --events *", 2, "url"],
    ["webhooks create https://example.com --events slot.sumbitted", 2, "must be one of"],
    ["webhooks update 00000000-0000-7000-8000-000000000000", 2, "Nothing to change"],
    ["webhooks redeliver 00000000-0000-7000-8000-000000000000", 2, "Name a delivery, or choose them with --since."],
    ["webhooks redeliver 00000000-0000-7000-8000-000000000000 --since noon", 2, "neither a duration"],
    ["webhooks trigger slot.nothing", 2, "event"],
    ["webhooks trigger slot.submitted --data [1]", 2, "--data: must be a JSON object."],
    ["webhooks sign body.json", 2, "The signing secret is needed."],
    ["webhooks listen --forward-to ftp://x", 2, "--forward-to"],
  ])("refuses `%s`", async (line, code, message) => {
    const ended = await desk.run(line);
    expect(ended.stderr).toContain(message);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
  });
});

describe("webhooks sign and verify", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const env = { PLAYTEST_WEBHOOK_SECRET: secret };
  const body = '{"test": 2432232314}';

  it("signs as Standard Webhooks' own vector says", async () => {
    const { stdout } = await desk.run("webhooks sign - --id msg_p5jXN8AQM9LWM0D4loKWxJek --timestamp 1614265330", {
      env,
      stdin: body,
    });
    expect(stdout).toContain("webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\n");
  });

  it.each<[string, Partial<Record<"body" | "secret" | "signature" | "id", string>>, string[]]>([
    ["what is genuine", {}, []],
    [
      "another body",
      { body: '{"test":2432232314}' },
      ["x-wpg-signature\tfailed\tdoes not fit", "webhook-signature\tfailed\tdoes not fit"],
    ],
    ["a body with a line break more", { body: `${body}\n` }, ["fits the body without the line break at its end"]],
    [
      "another secret",
      { secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      ["x-wpg-signature\tfailed", "webhook-signature\tfailed"],
    ],
    ["another id", { id: "msg_other" }, ["x-wpg-signature\tok\tfits", "webhook-signature\tfailed"]],
  ])("tells %s", async (_, changed, expected) => {
    const headers = (await desk.run("webhooks sign - --id msg_1", { env, stdin: body })).stdout;
    const folder = testFolder();
    writeFileSync(join(folder, "headers"), `POST / HTTP/1.1\n${headers.replace("msg_1", changed.id ?? "msg_1")}\n`);
    writeFileSync(join(folder, "body"), changed.body ?? body);
    const options = { cwd: folder, env: { PLAYTEST_WEBHOOK_SECRET: changed.secret ?? secret } };
    const { code, stdout } = await desk.run("webhooks verify body --headers-file headers", options);
    expect(code).toBe(expected.length === 0 ? 0 : 1);
    for (const part of expected) expect(stdout).toContain(part);
  });

  it("tells a request that is too old, or not signed at all", async () => {
    const headers = (await desk.run("webhooks sign - --timestamp 1614265330", { env, stdin: body })).stdout;
    const given = headers
      .trimEnd()
      .split("\n")
      .flatMap((line) => ["-H", line]);
    const late = await desk.run(["webhooks", "verify", "-", ...given], { env, stdin: body });
    expect(late.code).toBe(1);
    expect(late.stderr).toBe("error: The request is not genuine: x-wpg-timestamp, webhook-timestamp.\n");
    expect((await desk.run(["webhooks", "verify", "-", "--tolerance", "9999d", ...given], { env, stdin: body })).code).toBe(0);
    expect((await desk.run("webhooks verify -", { env, stdin: body })).stderr).toContain("x-wpg-signature, webhook-signature");
  });
});

describe("webhooks listen", () => {
  let folder: string;
  beforeEach(() => {
    folder = testFolder();
  });
  const listen = (line: string, options: RunOptions = {}) =>
    desk.run(`webhooks listen ${line}`, { ...options, env: { PLAYTEST_CONFIG_DIR: join(folder, "config") } });
  const kinds = () => receiver.received.map(({ body }) => JSON.parse(body).event);

  /** Runs the listener until it says that it listens, then goes on beside the test. */
  async function listening(line: string, options: RunOptions = {}) {
    const sign = new Promise<void>((resolve) => {
      const waiter = setInterval(async () => {
        if ((await placeSaved()) > 0) {
          clearInterval(waiter);
          resolve();
        }
      }, 10);
    });
    const ended = listen(line, options);
    await sign;
    return { ended };
  }
  const placeSaved = async () => {
    const { readFileSync } = await import("node:fs");
    try {
      return Object.keys(JSON.parse(readFileSync(join(folder, "config", "listen.json"), "utf8")).places).length;
    } catch {
      return 0;
    }
  };

  it("passes events on, signed so that a receiver's own library verifies them, with a secret that stays", async () => {
    const { ended } = await listening(`--forward-to ${receiver.url} --count 2 --events slot.submitted,payment.completed`);
    await emit("chat.message");
    const id = await emit("slot.submitted", { slotId: "s1" });
    await emit("payment.completed");
    const { code, stdout, stderr } = await ended;
    expect([code, kinds()]).toEqual([0, ["slot.submitted", "payment.completed"]]);
    expect(stdout).toMatch(/^2026-03-01T12:00:00.000Z {2}slot.submitted {2}s1 {2}→ 200 in \d+ ms\n/);
    expect(stderr).toContain("by its event stream.");
    const secret = (await listen("--print-secret")).stdout.trim();
    const { headers, body } = receiver.received[0]!;
    expect(headers["webhook-id"]).toBe(id);
    expect(() => verifyThen(secret, body, headers as unknown as Record<string, string>)).not.toThrow();
  });

  it("goes on behind the last event after a restart: what happened meanwhile comes then", async () => {
    const first = await listening(`--forward-to ${receiver.url} --count 1`);
    await emit("slot.submitted");
    expect((await first.ended).code).toBe(0);
    await emit("slot.accepted");
    await emit("slot.rejected");
    expect((await listen(`--forward-to ${receiver.url} --count 2`)).code).toBe(0);
    expect(kinds()).toEqual(["slot.submitted", "slot.accepted", "slot.rejected"]);
    expect((await listen(`--forward-to ${receiver.url} --count 3 --from-start`)).code).toBe(0);
    expect(kinds()).toHaveLength(6);
  });

  it("waits for a receiver that is not there, and tells one that refuses a few times", async () => {
    let refusals = 0;
    receiver.answer((response) => void response.writeHead(++refusals < 3 ? 503 : 200).end());
    const { ended } = await listening(`--forward-to ${receiver.url} --count 1`);
    await emit("slot.submitted");
    expect([(await ended).code, kinds()]).toEqual([0, ["slot.submitted", "slot.submitted", "slot.submitted"]]);
    await receiver.close();
    const port = receiver.port;
    await emit("slot.accepted");
    let later: Receiver | undefined;
    const waited = await listen(`--forward-to ${receiver.url} --count 1`, {
      outside: {
        sleep: async () => {
          later ??= await startReceiverOn(port);
        },
      },
    });
    expect(waited.stderr).toContain("nothing answers there. Waiting for the receiver; nothing is lost.");
    expect(waited.stderr).toContain("answers again.");
    expect(later?.received.map(({ body }) => JSON.parse(body).event)).toEqual(["slot.accepted"]);
    await later?.close();
  });

  it("misses nothing behind a proxy that drops the connection after every event", async () => {
    const proxy = await droppingProxy(new URL(desk.server.baseUrl).port);
    const { ended } = await listening(`--forward-to ${receiver.url} --count 12`, { baseUrl: proxy.url });
    for (let number = 0; number < 12; number++) {
      await emit("slot.submitted", { number });
      await receiver.until(number + 1);
      proxy.drop();
    }
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.number)).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect(stderr).toContain("warning: Disconnected from ");
    expect(stderr).toContain(" again.");
    await proxy.close();
  });

  it("ends with 10 at a lost connection where asked to", async () => {
    const proxy = await droppingProxy(new URL(desk.server.baseUrl).port);
    const { ended } = await listening("--exit-on-disconnect", { baseUrl: proxy.url });
    proxy.drop();
    expect(await ended).toMatchObject({ code: 10 });
    await proxy.close();
  });

  it("polls where there is no stream: slots with their data, all else from the notifications", async () => {
    const { play, registerPlaytester } = await import("../helpers/story.ts");
    let looks = 0;
    const ended = await listen(`--poll --forward-to ${receiver.url} --count 2`, {
      outside: {
        sleep: async () => {
          if (++looks === 1) await play(desk.server, await registerPlaytester(desk.server, "Pim"), await desk.order());
        },
      },
    });
    expect(ended.code).toBe(0);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ event }) => event)).toEqual(["slot.submitted", "slot.reserved"]);
    expect(bodies[0].data).toMatchObject({ gameId: desk.gameId, submittedAt: "2026-03-01T12:00:00.000Z" });
  });
});

/** Verifies as of the time in the headers: the test's clock stands still. */
function verifyThen(secret: string, body: string, headers: Record<string, string>) {
  const now = Date.now;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    Date.now = now;
  }
}

async function startReceiverOn(port: number): Promise<Receiver> {
  const started = await startReceiver();
  const forward = createServer((socket) => void socket.pipe(connect(started.port, "127.0.0.1")).pipe(socket));
  await new Promise<void>((resolve) => forward.listen(port, "127.0.0.1", resolve));
  const close = started.close;
  return Object.assign(started, {
    close: async () => {
      forward.close();
      await close();
    },
  });
}

interface Proxy {
  url: string;
  /** Cuts every connection. */
  drop(): void;
  close(): Promise<void>;
}

async function droppingProxy(port: string): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const server: Server = createServer((socket) => {
    const target = connect(Number(port), "127.0.0.1");
    keep(socket);
    keep(target);
    socket.pipe(target).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    drop,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        drop();
      }),
  };
}
