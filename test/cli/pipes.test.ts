import { spawn } from "node:child_process";
import { createServer as createProxy, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { type Stub, stubServer } from "../helpers/stub-server.ts";

/** The program as a real process: what only real streams and sockets can show. */
const root = join(import.meta.dirname, "../..");
const start = [`--import=tsx`, "--input-type=module", "-e"];
const script = `import { main } from ${JSON.stringify(join(root, "src/main.ts"))};
process.exitCode = await main(process.argv.slice(1), process);`;

function environment(baseUrl: string, more: Record<string, string> = {}) {
  const folder = testFolder();
  return { PATH: process.env.PATH, HOME: folder, PLAYTEST_BASE_URL: baseUrl, PLAYTEST_API_KEY: "pt_sk_test", ...more };
}

interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

function spawned(argv: string[], env: Record<string, string | undefined>, after?: (child: ReturnType<typeof spawn>) => void) {
  const child = spawn(process.execPath, [...start, script, "--", ...argv], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  return new Promise<Ended>((resolve) => {
    const texts = ["", ""];
    child.stdout!.on("data", (chunk) => {
      texts[0] += chunk;
    });
    child.stderr!.on("data", (chunk) => {
      texts[1] += chunk;
    });
    child.once("close", (code, signal) => resolve({ code, signal, stdout: texts[0]!, stderr: texts[1]! }));
    after?.(child);
  });
}

const big = "x".repeat(3 * 2 ** 20);
const listed = (name: string): Stub => ({
  on: "GET /games",
  data: { games: [{ id: "1", name }] },
  meta: { cursor: null, hasMore: false },
});

describe("a pipe of any size drains", () => {
  it("3 MiB of success", async () => {
    const { baseUrl } = await stubServer([listed(big)]);
    const { code, stdout } = await spawned(["games", "list", "--json"], environment(baseUrl));
    expect([code, JSON.parse(stdout).games[0].name.length]).toEqual([0, big.length]);
  });

  it("3 MiB of failure", async () => {
    const { baseUrl } = await stubServer([{ on: "GET /games", status: 404, error: { code: "NOT_FOUND", message: big } }]);
    const { code, stdout, stderr } = await spawned(["games", "list", "--json"], environment(baseUrl));
    expect([code, stdout, JSON.parse(stderr).message.length]).toEqual([3, "", big.length]);
  });
});

it("a reader that goes away is a quiet 0", async () => {
  const { baseUrl } = await stubServer([listed(big)]);
  const ended = await spawned(["games", "list", "--ndjson"], environment(baseUrl), (child) => {
    child.stdout!.once("data", () => child.stdout!.destroy());
  });
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
});

it("a signal ends it with its code", async () => {
  const stub = await stubServer([{ on: "GET /games", instead: "hang" }]);
  const ended = await spawned(["games", "list"], environment(stub.baseUrl), (child) => {
    void stub.arrived(1).then(() => child.kill("SIGTERM"));
  });
  expect([ended.code, ended.stdout]).toEqual([143, ""]);
});

describe("through a proxy", () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  /** Passes plain requests and CONNECT tunnels on to one address, whatever they ask for. */
  async function proxyTo(port: number) {
    const seen: string[] = [];
    const server = createProxy((incoming, outgoing) => {
      seen.push(`${incoming.method} ${incoming.url} ${incoming.headers["proxy-authorization"] ?? "-"}`);
      const { pathname, search } = new URL(incoming.url!);
      const onward = request({ port, host: "127.0.0.1", path: pathname + search, headers: incoming.headers }, (reply) => {
        outgoing.writeHead(reply.statusCode!, reply.headers);
        reply.pipe(outgoing);
      });
      incoming.pipe(onward);
    });
    server.on("connect", (incoming, socket) => {
      seen.push(`CONNECT ${incoming.url} ${incoming.headers["proxy-authorization"] ?? "-"}`);
      const onward = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      onward.on("error", () => socket.destroy());
      socket.on("error", () => onward.destroy());
      onward.pipe(socket).pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return { port: (server.address() as AddressInfo).port, seen };
  }

  const basic = `Basic ${Buffer.from("me:secret").toString("base64")}`;

  it("the proxy's password stays with the proxy", async () => {
    const { baseUrl, seen } = await stubServer([{ on: "GET /info/server", data: {} }]);
    const proxy = await proxyTo(Number(new URL(baseUrl).port));
    const env = environment("http://far.example", {
      HTTP_PROXY: `http://me:secret@127.0.0.1:${proxy.port}`,
      PLAYTEST_API_KEY: "",
    });
    expect((await spawned(["api", "info/server"], env)).code).toBe(0);
    expect(seen[0]!.headers.authorization).toBeUndefined();
  });

  it("plain requests name the whole address and say who asks", async () => {
    const { baseUrl } = await stubServer([listed("through")]);
    const proxy = await proxyTo(Number(new URL(baseUrl).port));
    const env = environment("http://far.example", {
      HTTP_PROXY: `http://me:secret@127.0.0.1:${proxy.port}`,
      PLAYTEST_INSECURE: "1",
    });
    const { code, stdout } = await spawned(["games", "list", "--jq", ".games[].name"], env);
    expect([code, stdout]).toEqual([0, "through\n"]);
    expect(proxy.seen).toEqual([`GET http://far.example/api/v1/games ${basic}`]);
  });

  it("TLS goes through a tunnel; a failed handshake is 10 and nothing was sent", async () => {
    const { baseUrl } = await stubServer([]);
    const proxy = await proxyTo(Number(new URL(baseUrl).port));
    const env = environment("https://far.example", { https_proxy: `http://me:secret@127.0.0.1:${proxy.port}` });
    const { code, stderr } = await spawned(
      ["games", "create", "--name", "A", "--build-url", "https://a.example/a", "--retries", "0"],
      env,
    );
    expect([code, proxy.seen]).toEqual([10, [`CONNECT far.example:443 ${basic}`]]);
    expect(stderr).toContain("https://far.example");
  });
});
