import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { locked } from "../../src/io/files/lock.ts";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { startTestServer, startTime } from "../helpers/server.ts";
import { drivers, freshFolder } from "../helpers/store.ts";
import { startProxyWithoutStream, startTcpProxy } from "../helpers/tcp-proxy.ts";

const fixture = eachOwnerFixture();
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

describe("webhooks listen", () => {
  let folder: string;
  beforeEach(() => {
    folder = testFolder();
  });
  const listen = (line: string, options: RunOptions = {}) =>
    fixture.run(`webhooks listen ${line}`, { ...options, env: { PLAYTEST_CONFIG_DIR: join(folder, "config") } });
  const kinds = () => receiver.received.map(({ body }) => JSON.parse(body).event);

  /** Runs the listener until it says that it listens, then goes on beside the test. */
  async function listening(line: string, options: RunOptions = {}) {
    const sign = new Promise<void>((resolve) => {
      const waiter = setInterval(async () => {
        if ((await checkpointSaved()) > 0) {
          clearInterval(waiter);
          resolve();
        }
      }, 10);
    });
    const ended = listen(line, options);
    await sign;
    return { ended };
  }
  const checkpointSaved = async () => {
    try {
      return Object.keys(JSON.parse(readFileSync(join(folder, "config", "listen.json"), "utf8")).checkpoints).length;
    } catch {
      return 0;
    }
  };

  it("says which kinds of events it does not know", async () => {
    await fixture.emit("slot.accepted");
    const { code, stderr } = await listen("--events slot.submited,slot.accepted --from-start --count 1");
    expect(code).toBe(0);
    expect(stderr).toContain('warning: --events: this version knows no event "slot.submited". Known: ');
  });

  it("says what to remove when its file is damaged, and has a new secret then", async () => {
    const file = join(folder, "config", "listen.json");
    const before = (await listen("--print-secret")).stdout;
    writeFileSync(file, "{");
    const { code, stderr } = await listen("--print-secret");
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Cannot read ${file}: `)]);
    expect(stderr).toContain("Remove it to start over with a new secret.");
    rmSync(file);
    const after = await listen("--print-secret");
    expect([after.code, after.stdout === before]).toEqual([0, false]);
  });

  it("passes events on, signed so that a receiver's own library verifies them, with a secret that stays", async () => {
    const { ended } = await listening(`--forward-to ${receiver.url} --count 2 --events slot.submitted,payment.completed`);
    await fixture.emit("chat.message");
    const id = await fixture.emit("slot.submitted", { slotId: "s1" });
    await fixture.emit("payment.completed");
    const { code, stdout, stderr } = await ended;
    expect([code, kinds()]).toEqual([0, ["slot.submitted", "payment.completed"]]);
    expect(stdout).toMatch(/^2026-03-01T12:00:00.000Z {2}slot.submitted {2}s1 {2}→ 200 in \d+ ms\n/);
    expect(stderr).toContain("(event stream).");
    const secret = (await listen("--print-secret")).stdout.trim();
    const { headers, body } = receiver.received[0]!;
    expect(headers["webhook-id"]).toBe(id);
    expect(() => verifyThen(secret, body, headers as unknown as Record<string, string>)).not.toThrow();
  });

  it("resumes after the last event when restarted", async () => {
    const first = await listening(`--forward-to ${receiver.url} --count 1`);
    await fixture.emit("slot.submitted");
    expect((await first.ended).code).toBe(0);
    await fixture.emit("slot.accepted");
    await fixture.emit("slot.rejected");
    expect((await listen(`--forward-to ${receiver.url} --count 2`)).code).toBe(0);
    expect(kinds()).toEqual(["slot.submitted", "slot.accepted", "slot.rejected"]);
    expect((await listen(`--forward-to ${receiver.url} --count 3 --from-start`)).code).toBe(0);
    expect(kinds()).toHaveLength(6);
  });

  it("keeps the position that another listener saves at the same time", async () => {
    const file = join(folder, "config", "listen.json");
    await listen("--print-secret");
    receiver.answer(
      (response) =>
        void locked(file, Date.now, async () => {
          const content = JSON.parse(readFileSync(file, "utf8"));
          response.end();
          for (let turn = 0; turn < 10; turn++) await fixture.owner.get("/events");
          writeFileSync(file, JSON.stringify({ ...content, checkpoints: { ...content.checkpoints, other: { eventId: "7" } } }));
        }),
    );
    await fixture.emit("slot.submitted");
    expect((await listen(`--forward-to ${receiver.url} --from-start --count 1`)).code).toBe(0);
    const { checkpoints } = JSON.parse(readFileSync(file, "utf8"));
    expect(Object.keys(checkpoints).sort()).toEqual([expect.stringContaining(receiver.url), "other"]);
  });

  it("goes on where its file cannot be written, and saves the next position where it can be written again", async () => {
    const config = join(folder, "config");
    writeFileSync(config, "");
    receiver.answer((response) => {
      rmSync(config, { force: true });
      response.end();
    });
    const id = await fixture.emit("slot.submitted");
    const { code, stderr } = await listen(`--forward-to ${receiver.url} --from-start --count 1`);
    expect([code, stderr.match(/warning: The position and secret of this run cannot be saved: Cannot write /g)?.length]).toEqual([
      0, 1,
    ]);
    const { secret, checkpoints } = JSON.parse(readFileSync(join(config, "listen.json"), "utf8"));
    expect(Object.values(checkpoints)).toEqual([{ eventId: id }]);
    const { headers, body } = receiver.received[0]!;
    verifyThen(secret, body, headers as unknown as Record<string, string>);
  });

  it("says that the positions of other keys do not apply to this one", async () => {
    await fixture.emit("slot.submitted");
    await listen(`--forward-to ${receiver.url} --from-start --count 1`);
    const { apiKey } = await fixture.owner.createApiKey({
      body: { name: "next", scopes: ["game_owner", "webhooks", "notifications"] },
    });
    const first = await listen(`--poll --forward-to ${receiver.url}`, { key: apiKey, outside: { sleep: ends } });
    expect(first.stderr).toContain("No position is saved for this API key, only for other keys with this server and receiver.");
    const second = await listen(`--poll --forward-to ${receiver.url}`, { key: apiKey, outside: { sleep: ends } });
    expect(second.stderr).not.toContain("No position is saved");
  });

  it("waits for a receiver that is not there, and tells one that refuses a few times", async () => {
    let refusals = 0;
    receiver.answer((response) => void response.writeHead(++refusals < 3 ? 503 : 200).end());
    const { ended } = await listening(`--forward-to ${receiver.url} --count 1`);
    await fixture.emit("slot.submitted");
    expect([(await ended).code, kinds()]).toEqual([0, ["slot.submitted", "slot.submitted", "slot.submitted"]]);
    await receiver.close();
    const port = receiver.port;
    await fixture.emit("slot.accepted");
    let later: Receiver | undefined;
    const waited = await listen(`--forward-to ${receiver.url} --count 1`, {
      outside: {
        sleep: async () => {
          later ??= await startReceiverOn(port);
        },
      },
    });
    expect(waited.stderr).toContain("connection refused. Waiting for the receiver. No events are lost.");
    expect(waited.stderr).toContain("is reachable again.");
    expect(later?.received.map(({ body }) => JSON.parse(body).event)).toEqual(["slot.accepted"]);
    await later?.close();
    // Attempts that reached nobody do not count.
    await fixture.emit("slot.rejected");
    let third: Receiver | undefined;
    const skipped = await listen(`--forward-to ${receiver.url} --count 1`, {
      outside: {
        sleep: async () => {
          third ??= await startReceiverOn(port);
          third.answer(status(500));
        },
      },
    });
    expect(skipped.stderr).toContain("after 3 attempts. Skipping it.");
    expect(third?.received).toHaveLength(3);
    await third?.close();
  });

  it("passes on after a crash what its receiver had not got", async () => {
    const { ended } = await listening(`--forward-to ${receiver.url} --count 1`);
    await fixture.emit("slot.submitted");
    await ended;
    await receiver.close();
    await fixture.emit("slot.accepted");
    const crash = async () => {
      throw new Error("no more power");
    };
    expect((await listen(`--forward-to ${receiver.url}`, { outside: { sleep: crash } })).code).not.toBe(0);
    await fixture.emit("slot.rejected");
    const later = await startReceiverOn(receiver.port);
    expect((await listen(`--forward-to ${receiver.url} --count 1`)).code).toBe(0);
    expect(later.received.map(({ body }) => JSON.parse(body).event)).toEqual(["slot.accepted"]);
    await later.close();
  });

  it("misses nothing behind a proxy that drops the connection after every event", async () => {
    const proxy = await startTcpProxy(fixture.server.baseUrl);
    const { ended } = await listening(`--forward-to ${receiver.url} --count 12`, { baseUrl: proxy.url });
    for (let number = 0; number < 12; number++) {
      await fixture.emit("slot.submitted", { number });
      await receiver.until(number + 1);
      proxy.drop();
    }
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.number)).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect(stderr).toContain("warning: Disconnected from ");
    expect(stderr).toContain("Reconnected to");
    await proxy.close();
  });

  it("ends with 10 at a lost connection where asked to", async () => {
    const proxy = await startTcpProxy(fixture.server.baseUrl);
    const { ended } = await listening("--exit-on-disconnect", { baseUrl: proxy.url });
    proxy.drop();
    expect(await ended).toMatchObject({ code: 10 });
    await proxy.close();
  });

  it("polls where there is no stream: slots with their data, all else from the notifications", async () => {
    let looks = 0;
    const ended = await listen(`--poll --forward-to ${receiver.url} --count 2`, {
      outside: {
        sleep: async () => {
          if (++looks === 1) await play(fixture.server, await registerPlaytester(fixture.server, "Pim"), await fixture.order());
        },
      },
    });
    expect(ended.code).toBe(0);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ event }) => event)).toEqual(["slot.submitted", "slot.reserved"]);
    expect(bodies[0].data).toMatchObject({ gameId: fixture.gameId, submittedAt: "2026-03-01T12:00:00.000Z" });
  });

  it("polling dates what was decided by the server's clock, not by that of this computer", async () => {
    const slotId = await play(fixture.server, await registerPlaytester(fixture.server, "Pim"), await fixture.order());
    await fixture.server.advance(3_600_000);
    const happen = async () => void (await fixture.owner.post(`/slots/${slotId}/accept`));
    const { stdout } = await listen("--poll --count 1 --events slot.accepted", {
      now: startTime + 100 * 24 * 3_600_000,
      outside: { sleep: atMost(20, happen) },
    });
    expect(stdout).toMatch(/^2026-03-01T13:00:00\.000Z {2}slot\.accepted/);
  });

  it("polling is connected again once a look at the server succeeded, not before", async () => {
    let [looks, refuses] = [0, false];
    const way = await startFlakyNetwork(
      fixture.server.baseUrl,
      () => false,
      () => refuses,
    );
    const sleep = async () => {
      refuses = ++looks < 3;
      if (looks === 3) await fixture.emit("payment.completed");
    };
    const { code, stderr } = await listen("--poll --count 1 --retries 0", {
      baseUrl: way.baseUrl,
      outside: { sleep: atMost(20, sleep) },
    });
    await way.close();
    expect([code, looks]).toEqual([0, 3]);
    expect(stderr.match(/Listening|Disconnected|Reconnected/g)).toEqual(["Listening", "Disconnected", "Reconnected"]);
  });

  it("polling misses nothing after a first run that saw no event", async () => {
    await listen(`--poll --forward-to ${receiver.url}`, { outside: { sleep: ends } });
    await fixture.emit("payment.completed");
    const { code } = await listen(`--poll --forward-to ${receiver.url} --count 1`, {
      outside: { sleep: atMost(20, async () => {}) },
    });
    expect([code, kinds()]).toEqual([0, ["payment.completed"]]);
  });

  it("polls the oldest first", async () => {
    let looks = 0;
    const happen = async () => {
      if (++looks === 1) for (const kind of ["payment.completed", "subscription.renewed"]) await fixture.emit(kind);
    };
    const { code } = await listen(`--poll --forward-to ${receiver.url} --count 2`, { outside: { sleep: atMost(20, happen) } });
    expect([code, kinds()]).toEqual([0, ["payment.completed", "subscription.renewed"]]);
  });

  it("misses nothing where there is no stream either, across its restarts, behind a page of older slots", async () => {
    const proxy = await startProxyWithoutStream(fixture.server.baseUrl, 1);
    const pim = await registerPlaytester(fixture.server, "Pim");
    const decide = (slotId: string, how: "accept" | "reject") => fixture.owner.post(`/slots/${slotId}/${how}`);
    const first = await play(fixture.server, pim, await fixture.order());
    const poll = (count: number, sleep: () => Promise<void>) =>
      listen(`--forward-to ${receiver.url} --count ${count} --events slot.submitted,slot.accepted,slot.rejected`, {
        baseUrl: proxy.url,
        outside: { sleep: atMost(20, sleep) },
      });
    let slotId = "";
    const started = await poll(1, async () => {
      if (slotId === "") slotId = await play(fixture.server, await registerPlaytester(fixture.server), await fixture.order());
    });
    expect(started.stderr).toContain("(polling).");
    // While nobody listens: one decided that was seen before, one that came and was decided meanwhile.
    await decide(slotId, "accept");
    const both = await play(fixture.server, await registerPlaytester(fixture.server), await fixture.order());
    await decide(both, "reject");
    expect((await poll(3, async () => {})).code).toBe(0);
    await decide(first, "accept");
    expect((await poll(1, async () => {})).code).toBe(0);
    const got = receiver.received.map(({ body }) => JSON.parse(body)).map(({ event, data }) => `${event} ${data.slotId}`);
    expect([got[0], ...got.slice(1, 4).sort(), got[4]]).toEqual([
      `slot.submitted ${slotId}`,
      ...[`slot.accepted ${slotId}`, `slot.submitted ${both}`, `slot.rejected ${both}`].sort(),
      `slot.accepted ${first}`,
    ]);
    await proxy.close();
  });
});

describe("files that several commands write", () => {
  it("are replaced by each of two that write at the same time", async () => {
    const folder = testFolder();
    const root = join(import.meta.dirname, "../..");
    const script = `import { cacheFile } from ${JSON.stringify(join(root, "src/io/files/cache-file.ts"))};
      const file = cacheFile(process.argv[1], "some.json");
      let failures = 0;
      for (let count = 0; count < 2_000; count++) if (!file.write({ count })) failures++;
      process.exit(failures > 0 ? 1 : 0);`;
    const writers = Array.from({ length: 2 }, () =>
      spawn(process.execPath, ["--import=tsx", "--input-type=module", "-e", script, "--", folder], { cwd: root }),
    );
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, "exit"))[0]));
    expect([codes, readdirSync(folder)]).toEqual([[0, 0], ["some.json"]]);
  });
});

describe("webhooks listen, through a bad network", () => {
  it("passes on each of 200 events once and in order, over cut connections, a new server and its own restarts", async () => {
    const database = await drivers[0]!.location();
    const dataDir = freshFolder();
    const serve = async (instance: string) => startTestServer({ store: await openStore(database.options), dataDir, instance });
    let server = await serve("a");
    const { key } = await registerOwner(server);
    const proxy = await startTcpProxy(server.baseUrl);
    const config = join(testFolder(), "config");
    const listen = (line: string) =>
      playtest(`webhooks listen ${line}`.split(" "), { baseUrl: proxy.url, key, env: { PLAYTEST_CONFIG_DIR: config } });
    const happen = async (from: number, to: number) => {
      for (let number = from; number < to; number++) {
        const reply = await server.request("POST", "/sandbox/events", {
          key,
          body: { event: "slot.submitted", data: { number } },
        });
        expect(reply.status).toBe(200);
      }
    };

    await happen(0, 60);
    proxy.cutAfter(4_000);
    const first = listen(`--forward-to ${receiver.url} --from-start --count 120`);
    await receiver.until(40);
    await server.close();
    server = await serve("b");
    proxy.leadTo(server.baseUrl);
    await happen(60, 150);
    const { code, stderr } = await first;
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: Disconnected from http\S+: .+ Reconnecting in .+\. No events are lost\./);
    expect(stderr).toContain("Reconnected to");
    await happen(150, 200);
    expect((await listen(`--forward-to ${receiver.url} --count 80`)).code).toBe(0);

    expect(proxy.cuts).toBeGreaterThan(5);
    const secret = (await listen("--print-secret")).stdout.trim();
    const numbers = receiver.received.map(({ headers, body }) => {
      verifyThen(secret, body, headers as unknown as Record<string, string>);
      return JSON.parse(body).data.number;
    });
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, number) => number));
    await proxy.close();
    await server.close();
    await database.remove();
  });
});

/** A pause that ends the program, as Ctrl-C does. */
async function ends(): Promise<void> {
  throw new Error("stopped");
}

/** A pause that ends the program when it looks too often for what should be there. */
function atMost(times: number, sleep: () => Promise<void>) {
  let left = times;
  return async () => {
    if (--left < 0) throw new Error(`looked ${times} times in vain`);
    await sleep();
  };
}

/** Verifies as of the time in the headers: the test's clock does not move. */
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
