import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { playtest, testFolder } from "../helpers/cli.ts";
import * as factories from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { startProxy, type TestProxy } from "../helpers/proxy.ts";
import type { TestServer } from "../helpers/server.ts";
import { certificatesFor, type Front, startTlsFront } from "../helpers/tls.ts";

/** A name that only the proxy knows, so that nothing can reach it in another way. */
const name = "playtest.office.example";
const base = `https://${name}`;
let server: TestServer;
let owner: factories.Person;
let proxy: TestProxy;
let front: Front;
let ca: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  // A sandbox answers only requests for this machine.
  server = await ownServer({ config: (config) => Object.assign(config, { sandbox: false, autoVerify: true }) });
  // Its links lead where the proxy leads.
  Object.assign(server.deps.config, { baseUrl: base });
  owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 10_000);
  const certificates = certificatesFor([name]);
  ca = certificates.ca;
  const { port } = new URL(server.baseUrl);
  front = await startTlsFront(certificates, Number(port));
  proxy = await startProxy({ [name]: front.port, "plain.example": Number(port) });
  stop = async () => {
    await proxy.close();
    await front.close();
    await server.close();
  };
});
afterAll(() => stop());
beforeEach(() => {
  Object.assign(proxy, { asked: [], bytes: 0, credentials: undefined, refuse: undefined });
});
afterEach(killLeftovers);

/** Runs the program as a process: which authorities it trusts is settled when it starts. */
function run(argv: readonly string[], env: Record<string, string>, folder = testFolder()) {
  writeFileSync(join(folder, "ca.pem"), ca);
  const about = {
    PLAYTEST_BASE_URL: base,
    PLAYTEST_API_KEY: owner.key,
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    NO_COLOR: "1",
  };
  return spawnPlaytest(folder, argv, { ...about, ...env }).ended;
}
const at = (credentials = "") => `http://${credentials}127.0.0.1:${proxy.port}`;

describe("through a proxy to an instance with a private certificate", () => {
  it("uploads and downloads completely, with one tunnel per connection", async () => {
    const folder = testFolder();
    const gameId = await factories.createGame(owner);
    const build = Buffer.alloc(3_000_000, "build");
    writeFileSync(join(folder, "game.bin"), build);
    const env = { HTTPS_PROXY: at() };
    const pushed = await run(["games", "push", "game.bin", gameId, "--json"], env, folder);
    expect([pushed.code, pushed.stderr]).toEqual([0, ""]);
    expect(JSON.parse(pushed.stdout).result.sha256).toBe(createHash("sha256").update(build).digest("hex"));
    expect(proxy.bytes).toBeGreaterThan(build.length);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${name}:443`]));
    expect(proxy.asked.length).toBeLessThan(5);

    const tester = await factories.registerPlaytester(server);
    const slot = await factories.play(server, tester, await factories.order(owner, gameId));
    const loaded = await run(["review", "download", slot, "--dir", "videos", "--json"], env, folder);
    expect([loaded.code, loaded.stderr]).toEqual([0, ""]);
    const [video = ""] = readdirSync(join(folder, "videos"));
    expect(readFileSync(join(folder, "videos", video)).equals(factories.videoBytes())).toBe(true);
  });

  it("refuses an untrusted certificate and names NODE_EXTRA_CA_CERTS", async () => {
    const { code, stdout, stderr } = await run(["games", "list", "--retries", "0"], {
      HTTPS_PROXY: at(),
      NODE_EXTRA_CA_CERTS: "",
    });
    expect([code, stdout]).toEqual([10, ""]);
    expect(stderr).toContain(`Cannot connect securely to ${base} through the proxy 127.0.0.1:${proxy.port}`);
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
  });
});

/** In this process: nothing gets as far as a certificate. */
const here = (env: Record<string, string>, baseUrl = base) =>
  playtest(["games", "list", "--retries", "0"], { baseUrl, key: owner.key, env });

describe("a proxy", () => {
  it("receives the user and password in its address, which no error shows", async () => {
    proxy.credentials = "ann:s3cret pass";
    const good = await run(["games", "list", "--debug"], { https_proxy: at("ann:s3cret%20pass@") });
    expect(good.code).toBe(0);
    expect(good.stderr).not.toMatch(/s3cret|YW5uOnMzY3JldCBwYXNz/);
    const bad = await here({ HTTPS_PROXY: at("ann:wrong-word@") });
    expect(bad).toMatchObject({ code: 10, stdout: "" });
    expect(bad.stderr).toBe(
      `error: The proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) returned 407 for ${name}.\n` +
        "The proxy rejected the user and password: set HTTPS_PROXY to http://user:password@host:port.\n",
    );
    expect((await here({ HTTPS_PROXY: at() })).stderr).toContain("The proxy requires a user and password");
  });

  it.each([502, 503, 403])("that returns %i is named, with how to bypass it", async (status) => {
    proxy.refuse = status;
    const { code, stdout, stderr } = await here({ HTTPS_PROXY: at() });
    expect([code, stdout]).toEqual([10, ""]);
    expect(stderr).toContain(`The proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) returned ${status} for ${name}.`);
    expect(stderr).toContain(`NO_PROXY=${name}`);
  });

  it("is retried only where that may help", async () => {
    proxy.refuse = 502;
    const again = (status: number) => {
      Object.assign(proxy, { asked: [], refuse: status });
      return playtest(["games", "list", "--retries", "2"], { baseUrl: base, key: owner.key, env: { HTTPS_PROXY: at() } });
    };
    await again(502);
    expect(proxy.asked.length).toBe(3);
    await again(407);
    expect(proxy.asked.length).toBe(1);
  });

  it("that is down is named as unreachable", async () => {
    const { code, stderr } = await here({ https_proxy: "http://ann:s3cret@127.0.0.1:9" });
    expect(code).toBe(10);
    expect(stderr).toContain("Cannot reach the proxy 127.0.0.1:9 (https_proxy): connection refused.");
    expect(stderr).not.toContain("s3cret");
  });

  it.each(["socks5://ann:s3cret@127.0.0.1:1", "http://", "http://ann:s3cret@:80", "::"])(
    "is refused as an invalid address: %s",
    async (address) => {
      const { code, stderr } = await here({ HTTPS_PROXY: address });
      expect([code, stderr]).toEqual([
        2,
        "error: HTTPS_PROXY is not a valid http or https proxy address.\nSet it to http://host:port, or unset it.\n",
      ]);
    },
  );

  it("forwards plain HTTP requests, and may refuse them", async () => {
    const plain = (env: Record<string, string>) => here({ ...env, PLAYTEST_INSECURE: "1" }, "http://plain.example");
    proxy.credentials = "ann:s3cret";
    expect((await plain({ http_proxy: at("ann:s3cret@") })).code).toBe(0);
    expect(proxy.asked).toEqual(["GET http://plain.example/api/v1/games"]);
    expect(await plain({ HTTP_PROXY: at() })).toMatchObject({
      code: 10,
      stderr: expect.stringContaining("returned 407 for plain.example"),
    });
  });

  it.each([
    ["NO_PROXY", name],
    ["no_proxy", ".office.example"],
    ["NO_PROXY", "other.example, *.office.example"],
    ["no_proxy", `${name}:443`],
    ["NO_PROXY", "*"],
  ])("is bypassed for %s=%s", async (variable, value) => {
    const { code, stderr } = await here({ HTTPS_PROXY: at(), [variable]: value });
    expect([code, proxy.asked]).toEqual([10, []]);
    expect(stderr).toContain(`Cannot reach ${base}:`);
  });

  it.each(["office.example:8443", "notoffice.example", "x.playtest.office.example", "10.0.0.0/8"])(
    "is not passed by for NO_PROXY=%s",
    async (value) => {
      proxy.refuse = 403;
      await here({ HTTPS_PROXY: at(), NO_PROXY: value });
      expect(proxy.asked).toEqual([`CONNECT ${name}:443`]);
    },
  );

  it("is never used for this machine", async () => {
    expect((await here({ HTTP_PROXY: at() }, server.baseUrl)).code).toBe(0);
    expect(proxy.asked).toEqual([]);
  });
});
