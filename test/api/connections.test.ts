import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type Listening, listen } from "../../server/app/listen.ts";
import { defaults } from "../../server/config/defaults.ts";
import type { Config } from "../../server/config/schema.ts";

const running: Listening[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of running.splice(0)) await server.close();
});

async function serving(http: Partial<Config["http"]>, behindProxy = false): Promise<Listening> {
  const server = await listen({
    host: "127.0.0.1",
    port: 0,
    config: { behindProxy, http: { ...defaults.http, drainMs: 0, ...http } },
  });
  server.serve({ clientError: (_, socket) => socket.destroy(), handle: async (_, response) => void response.end("ok") });
  running.push(server);
  return server;
}

function connection({ port }: Listening, localAddress = "127.0.0.1"): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
  sockets.push(socket);
  return socket;
}

/** Whether the connection answers, or is closed without a word. */
async function ask(socket: Socket): Promise<string> {
  if (socket.closed) return "refused";
  const answered = new AbortController();
  const { signal } = answered;
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [data] = (await Promise.race([once(socket, "data", { signal }), once(socket, "close", { signal })])) as [
    Buffer | boolean,
  ];
  answered.abort();
  return typeof data === "boolean" ? "refused" : String(data).split("\r\n")[0]!;
}

describe("connections", () => {
  it("are read before they are closed: a request that nobody has read when the server stops is answered", async () => {
    const server = await serving({ drainMs: 60_000 });
    const socket = connection(server);
    await ask(socket);
    const answer = ask(socket);
    const closed = server.close();
    expect(await answer).toBe("HTTP/1.1 200 OK");
    await closed;
  });

  it("are limited per address, and one that closes makes room for another", async () => {
    const server = await serving({ maxConnectionsPerAddress: 2 });
    const mine = [connection(server), connection(server)];
    for (const socket of mine) expect(await ask(socket)).toBe("HTTP/1.1 200 OK");
    expect(await ask(connection(server))).toBe("refused");
    expect(await ask(connection(server, "127.0.0.2"))).toBe("HTTP/1.1 200 OK");
    mine[0]!.end();
    await once(mine[0]!, "close");
    expect(await ask(connection(server))).toBe("HTTP/1.1 200 OK");
  });

  it.each([
    ["named", { trustedProxies: ["127.0.0.0/8"] }, false],
    ["on this machine", {}, true],
  ])("of a proxy that is %s are not limited per address", async (_, http, behindProxy) => {
    const server = await serving({ maxConnectionsPerAddress: 2, ...http }, behindProxy);
    for (let number = 0; number < 4; number++) expect(await ask(connection(server))).toBe("HTTP/1.1 200 OK");
  });

  it.each([
    ["wait for another request", async (socket: Socket) => void (await ask(socket))],
    ["are slow to send one", async (socket: Socket) => void socket.write("GET / HTTP/1.1\r\nX-Slow: ")],
  ])(
    "that %s are closed early when few are left, so that others find one",
    async (_, hold) => {
      const server = await serving({ maxConnections: 5, keepAliveTimeoutMs: 600_000, headersTimeoutMs: 600_000 });
      const held = Array.from({ length: 5 }, () => connection(server));
      // One that came a moment later than the others may stay: when they are gone, there are enough.
      const closed = Promise.race(held.map((socket) => once(socket, "close")));
      for (const socket of held) await hold(socket);
      await closed;
      expect(await ask(connection(server))).toBe("HTTP/1.1 200 OK");
    },
    20_000,
  );

  it("that ask again within a second are not closed when few are left", async () => {
    const server = await serving({ maxConnections: 5, keepAliveTimeoutMs: 600_000, headersTimeoutMs: 600_000 });
    const busy = connection(server);
    const replies = [await ask(busy)];
    const silent = Array.from({ length: 4 }, () => connection(server));
    let crowded = true;
    void Promise.race(silent.map((socket) => once(socket, "close"))).then(() => {
      crowded = false;
    });
    while (crowded && replies.at(-1) !== "refused") {
      await setTimeout(50);
      replies.push(await ask(busy));
    }
    expect(new Set(replies)).toEqual(new Set(["HTTP/1.1 200 OK"]));
  });
});
