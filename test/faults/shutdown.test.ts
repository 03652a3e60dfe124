import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { killLeftovers, readyFile, spawnPlaytest } from "../helpers/process.ts";
import { freshFolder } from "../helpers/store.ts";

let folder: string;

beforeEach(() => {
  folder = freshFolder();
});
afterEach(killLeftovers);

/** A live server, because a sandbox has no grace period. */
async function startLive(flags: readonly string[] = [], env: Record<string, string> = {}) {
  const file = join(folder, "ready.json");
  const spawned = spawnPlaytest(folder, ["serve", "run", "--port", "0", "--data", folder, "--ready-file", file, ...flags], env);
  const { baseUrl, adminKey } = await readyFile(file);
  return { ...spawned, baseUrl, adminKey: adminKey!, port: Number(new URL(baseUrl).port) };
}

interface Answer {
  status: number;
  text: string;
  last: boolean;
}

/** One request over a connection that is kept. Rejects when the connection is reset. */
const ask = (url: string, agent?: Agent) =>
  new Promise<Answer>((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode!, text, last: response.headers.connection === "close" }));
      response.on("error", reject);
    }).on("error", reject);
  });

/** Asks again and again over one connection until the server says that it ends it. Returns how many replies came. */
async function askUntilTold(baseUrl: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let replies = 1; ; replies++) {
    const { last } = await ask(`${baseUrl}/api/v1/info/categories`, agent);
    if (last) return replies;
  }
}

describe("SIGTERM to a live server", () => {
  it("resets no request of 32 busy connections: each is told to go elsewhere, and /readyz fails meanwhile", async () => {
    const server = await startLive(["--drain", "3s", "--rate-limit", "off"]);
    expect(await ask(`${server.baseUrl}/readyz`)).toMatchObject({ status: 200 });
    const clients = Array.from({ length: 32 }, () => askUntilTold(server.baseUrl));
    await ask(`${server.baseUrl}/livez`);
    server.child.kill("SIGTERM");
    expect((await Promise.all(clients)).every((replies) => replies > 0)).toBe(true);
    expect(await ask(`${server.baseUrl}/readyz`)).toEqual({ status: 503, text: "stopping\n", last: true });
    expect(await ask(`${server.baseUrl}/livez`)).toMatchObject({ status: 200, last: true });
    expect((await server.ended).code).toBe(0);
  });

  it("ends although clients are silent and a mail server never answers", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const silentPort = (silent.address() as { port: number }).port;
    const server = await startLive(["--drain", "0s"], { PLAYTEST_SMTP_URL: `smtp://127.0.0.1:${silentPort}` });
    const sockets = [
      "",
      "GET /livez HTT",
      "POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    ].map((text) => {
      const socket = connect(server.port, "127.0.0.1").on("error", () => {});
      socket.write(text);
      return socket;
    });
    const connected = once(silent, "connection");
    const email = "owner@example.com";
    await fetch(`${server.baseUrl}/api/v1/auth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password: "correct horse battery", role: "game_owner" }),
    });
    await connected;
    server.child.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});
