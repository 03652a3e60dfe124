import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:http2";
import { join } from "node:path";
import { Agent, fetch } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../helpers/free-port.ts";
import { killLeftovers, readyFile, spawnPlaytest } from "../helpers/process.ts";
import { installedProxies, startProxy, stopProxies } from "../helpers/proxies.ts";
import { freshFolder } from "../helpers/store.ts";
import { certificatesFor } from "../helpers/tls.ts";

afterEach(async () => {
  await killLeftovers();
  await stopProxies();
});

const mib = 2 ** 20;

/** A server behind a proxy that runs the configuration of `serve proxy`. */
async function behind(kind: string) {
  const folder = freshFolder();
  const { ca, cert, key } = certificatesFor(["localhost"]);
  const files = { ca: join(folder, "ca.pem"), cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  writeFileSync(files.ca, ca);
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  const [outer, inner] = [await freePort(), await freePort()];
  const publicUrl = `https://localhost:${outer}`;
  const where = ["--public-url", publicUrl, "--port", `${inner}`];

  const printed = spawnPlaytest(folder, [
    "serve",
    "proxy",
    kind,
    ...where,
    "--certificate",
    files.cert,
    "--certificate-key",
    files.key,
  ]);
  const { code, stdout, stderr } = await printed.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  await startProxy(kind, stdout, outer, join(folder, kind));

  async function serve(name: string, ...flags: string[]) {
    const file = join(folder, name);
    const argv = [
      "serve",
      "run",
      "--sandbox",
      "--behind-proxy",
      "--data",
      folder,
      "--ready-file",
      file,
      "--log",
      "json",
      "--drain",
      "0",
    ];
    const server = spawnPlaytest(folder, [...argv, ...where, ...flags]);
    return { ...server, ready: await readyFile(file) };
  }
  const server = await serve("first.json", "--seed", "minimal");
  const dispatcher = new Agent({ connect: { ca } });
  const ownerKey = server.ready.ownerKey!;
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${publicUrl}/api/v1${path}`, { dispatcher, headers: { authorization: `Bearer ${ownerKey}`, ...headers } });
  return { folder, files, ca, publicUrl, outer, server, serve, ask, ownerKey, gameId: server.ready.gameId! };
}

describe.each(installedProxies())("%s with the configuration of `serve proxy`", (kind) => {
  it("passes an upload through a restart of the server, and leaves one build beside the seeded one", {
    timeout: 600_000,
  }, async () => {
    const { folder, files, publicUrl, server, serve, ask, ownerKey, gameId } = await behind(kind);
    const build = join(folder, "build.bin");
    const block = randomFillSync(Buffer.alloc(mib));
    writeFileSync(build, Buffer.concat(Array.from({ length: 150 }, () => block)));
    const env = { PLAYTEST_BASE_URL: publicUrl, PLAYTEST_API_KEY: ownerKey, NODE_EXTRA_CA_CERTS: files.ca };
    const push = spawnPlaytest(folder, ["games", "push", build, gameId, "--json"], env);
    const uploads = join(folder, "uploads");
    const size = () => Math.max(0, ...readdirSync(uploads).map((name) => statSync(join(uploads, name)).size));
    await expect.poll(size, { interval: 2 }).toBeGreaterThan(20 * mib);
    server.child.kill("SIGTERM");
    await server.ended;
    expect(size()).toBeLessThan(150 * mib);
    await serve("second.json");
    expect(await push.ended).toMatchObject({ code: 0 });
    const { builds } = ((await (await ask(`/games/${gameId}/builds`)).json()) as { data: { builds: { size: number | null }[] } })
      .data;
    expect(builds.map(({ size }) => size)).toEqual([150 * mib, null]);
  });

  it("sends requests to the process that is there, also to one that was away just before", async () => {
    const folder = freshFolder();
    const [outer, ...ports] = [await freePort(), await freePort(), await freePort()];
    const publicUrl = `http://localhost:${outer}`;
    const upstreams = ports.flatMap((port) => ["--upstream", `127.0.0.1:${port}`]);
    const { stdout } = await spawnPlaytest(folder, ["serve", "proxy", kind, "--public-url", publicUrl, ...upstreams]).ended;
    // As a server that is being stopped, it lets no connection become idle.
    const serve = async (port: number) => {
      const server = createServer((request, response) => {
        response.setHeader("Connection", "close");
        request.resume().on("end", () => response.end(`${port}`));
      });
      await once(server.listen(port, "127.0.0.1"), "listening");
      return async () => {
        const closed = once(server, "close");
        server.close().closeAllConnections();
        await closed;
      };
    };
    const [one, two] = ports as [number, number];
    const end = { one: await serve(one), two: await serve(two) };
    await startProxy(kind, stdout, outer, join(folder, kind));
    const answers = async () => {
      const found = new Set<string>();
      for (let count = 0; count < 20; count++) {
        // Caddy 2.6 cannot send a body again.
        const reply = await fetch(publicUrl, { method: "POST", ...(kind !== "caddy" && { body: "{}" }) });
        const text = await reply.text();
        found.add(reply.status === 200 ? text : `${reply.status}`);
      }
      return [...found];
    };
    await end.two();
    expect(await answers()).toEqual([`${one}`]);
    end.two = await serve(two);
    await end.one();
    expect(await answers()).toEqual([`${two}`]);
    await end.two();
  });

  it("says when to try again while no process answers, and while none is ready", async () => {
    const folder = freshFolder();
    const [outer, inner] = [await freePort(), await freePort()];
    const publicUrl = `http://localhost:${outer}`;
    const upstreams = [inner, await freePort()].flatMap((port) => ["--upstream", `127.0.0.1:${port}`]);
    const { stdout } = await spawnPlaytest(folder, ["serve", "proxy", kind, "--public-url", publicUrl, ...upstreams]).ended;
    await startProxy(kind, stdout, outer, join(folder, kind));
    const answer = async () => {
      const { status, headers } = await fetch(publicUrl);
      return { status, retryAfter: headers.get("retry-after") };
    };
    // With a status of 502 or 503.
    expect(await answer()).toMatchObject({ status: expect.toBeOneOf([502, 503]), retryAfter: "2" });
    const server = createServer((_request, response) => response.writeHead(503, { "Retry-After": "7" }).end());
    await once(server.listen(inner, "127.0.0.1"), "listening");
    // A proxy that asks whether the process is ready answers itself.
    expect(await answer()).toMatchObject({ status: 503, retryAfter: kind === "caddy" ? "2" : "7" });
    server.close().closeAllConnections();
  });

  it("passes events on at once, by HTTP/2 and with the client's address and one request id", { timeout: 300_000 }, async () => {
    const { ca, publicUrl, server, ask, ownerKey } = await behind(kind);
    const session = connect(publicUrl, { ca });
    const stream = session.request({ ":path": "/api/v1/events", authorization: `Bearer ${ownerKey}` });
    const [headers] = await once(stream, "response");
    expect([session.alpnProtocol, headers[":status"]]).toEqual(["h2", 200]);
    // The first bytes, which a proxy that buffers would hold back.
    const [chunk] = await once(stream, "data");
    expect(chunk.length).toBeGreaterThan(0);
    stream.close();
    session.close();

    const reply = await ask("/games", { "x-forwarded-for": "203.0.113.9", "x-request-id": "made-up-by-the-client" });
    const id = reply.headers.get("x-request-id");
    expect(reply.status).toBe(200);
    expect(id).toMatch(/^[\w-]{16,}$/);
    expect(id).not.toBe("made-up-by-the-client");
    server.child.kill("SIGTERM");
    const { stdout, stderr } = await server.ended;
    const line = `${stdout}${stderr}`.split("\n").find((text) => text.includes(id!))!;
    expect(JSON.parse(line)).toMatchObject({ requestId: id, client: "127.0.0.1", path: "/api/v1/games" });
  });
});
