import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { type Person, registerOwner } from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { startProxy } from "../helpers/proxy.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";
import { stubServer } from "../helpers/stub-server.ts";
import { certificatesFor, startTlsFront } from "../helpers/tls.ts";

interface Check {
  name: string;
  state: string;
  detail: string;
  fix: string | null;
}

let server: TestServer;
let owner: Person;
let stop: () => Promise<void>;
beforeAll(async () => {
  const store = await drivers[0]!.open();
  server = await startTestServer({ store });
  owner = await registerOwner(server, "Ada");
  stop = async () => {
    await server.close();
    await store.remove();
  };
});
afterAll(() => stop());
afterEach(killLeftovers);

const doctor = async (options: RunOptions = {}) => {
  const given = { baseUrl: server.baseUrl, key: owner.key, now: Date.now(), ...options };
  const { code, stdout, stderr } = await playtest(["doctor", "--json", "--retries", "0"], given);
  expect(stdout + stderr).not.toMatch(/pt_sk_|s3cret/);
  const checks: Check[] = stdout === "" ? [] : JSON.parse(stdout).result;
  return { code, stderr, checks, of: (name: string) => checks.find((check) => check.name === name) };
};

describe("doctor", () => {
  it("finds all well", async () => {
    const { code, checks, of } = await doctor();
    expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "instance ok",
      "profile ok",
      "directory file ok",
      "proxy ok",
      "dns ok",
      "connection ok",
      "certificate ok",
      "server ok",
      "clock ok",
      "key ok",
      "email ok",
      "scopes ok",
      "rate limit ok",
    ]);
    expect(code).toBe(0);
    expect(of("server")?.detail).toMatch(/^playtest \d.* sandbox mode, \d+ extensions$/);
    expect(of("key")?.detail).toMatch(/@.*, game_owner \(from PLAYTEST_API_KEY\)$/);
    expect(of("scopes")?.detail).toBe("game_owner, billing, chat, webhooks, notifications");
  });

  it("says what to do on a terminal", async () => {
    const { stdout } = await playtest(["doctor"], {
      baseUrl: server.baseUrl,
      key: owner.key,
      now: Date.now() + 600_000,
      tty: true,
      columns: 200,
    });
    expect(stdout).toMatch(/clock +.*warn.* 60[01] s ahead of the server +Correct this machine's clock/);
  });

  it.each<[string, RunOptions, number, string, RegExp]>([
    ["no key", { key: undefined }, 4, "key", /none for this instance/],
    ["a wrong key", { key: `pt_sk_${"a".repeat(40)}` }, 4, "key", /./],
    ["nobody there", { baseUrl: "http://127.0.0.1:9" }, 10, "connection", /connection refused/],
    ["an unknown name", { baseUrl: "http://nowhere.invalid" }, 10, "dns", /nowhere.invalid cannot be resolved/],
    [
      "a proxy that is none",
      { baseUrl: "https://x.example", env: { HTTPS_PROXY: "socks5://a:s3cret@b" } },
      2,
      "proxy",
      /HTTPS_PROXY/,
    ],
    [
      "a proxy that is not there",
      { baseUrl: "https://x.example", env: { HTTPS_PROXY: "http://a:s3cret@127.0.0.1:9" } },
      10,
      "connection",
      /the proxy 127.0.0.1:9 \(HTTPS_PROXY\)/,
    ],
  ])("ends by the worst: %s", async (_, options, code, name, message) => {
    const found = await doctor(options);
    expect(found.code).toBe(code);
    expect(found.of(name)).toMatchObject({ state: "fail", detail: expect.stringMatching(message) });
    expect(found.of(name)?.fix).toMatch(/\w/);
  });

  it.each<[string, RunOptions, string, RegExp]>([
    ["NO_PROXY", { env: { HTTP_PROXY: "http://a:s3cret@p:1" } }, "proxy", /not used for this machine/],
    ["an authority that cannot be read", { env: { NODE_EXTRA_CA_CERTS: "/nonexistent.pem" } }, "authority", /cannot be read/],
    [
      "an authority without a certificate",
      { env: { NODE_EXTRA_CA_CERTS: import.meta.filename } },
      "authority",
      /contains no certificate/,
    ],
    ["a clock behind", { now: Date.now() - 120_000 }, "clock", /1(19|2\d) s behind/],
  ])("tells of %s", async (_, options, name, message) => {
    const { code, of } = await doctor(options);
    expect(code).toBe(0);
    expect(of(name)?.detail).toMatch(message);
  });

  it("warns of files that others can read, and names the directory file", async () => {
    const cwd = testFolder();
    const config = join(cwd, "config");
    mkdirSync(config);
    writeFileSync(join(config, "keys.json"), "{}", { mode: 0o600 });
    writeFileSync(join(config, "config.json"), "{}");
    chmodSync(join(config, "config.json"), 0o644);
    writeFileSync(join(cwd, ".playtest.json"), '{"gameId":"abc"}');
    const { code, checks, of } = await doctor({ cwd, env: { PLAYTEST_CONFIG_DIR: config } });
    expect(code).toBe(0);
    expect(checks.filter(({ name }) => name === "file")).toMatchObject([
      {
        state: "warn",
        detail: `${config}/config.json (0644) is accessible to other users`,
        fix: `Run \`chmod 600 ${config}/config.json\`.`,
      },
      { state: "ok", detail: `${config}/keys.json (0600)` },
    ]);
    expect(of("directory file")?.detail).toBe(`${cwd}/.playtest.json sets gameId`);
  });

  it("refuses to send the key where only the directory file leads", async () => {
    const cwd = testFolder();
    writeFileSync(join(cwd, ".playtest.json"), JSON.stringify({ baseUrl: server.baseUrl }));
    const { code, of } = await doctor({ cwd, baseUrl: undefined });
    expect([code, of("key")?.state]).toEqual([2, "fail"]);
    expect(of("key")?.detail).toContain("was not sent");
  });

  it("names the scopes a key lacks, and an address not verified", async () => {
    const { apiKey } = (await owner.post("/auth/api-keys", { name: "few", scopes: ["game_owner", "chat"] })).body.data;
    const few = await doctor({ key: apiKey });
    expect(few.of("scopes")).toMatchObject({
      state: "warn",
      detail: "game_owner, chat; missing: billing, notifications, webhooks",
    });
    await server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = NULL WHERE id = ?", owner.id));
    const unverified = await doctor();
    await server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", owner.id));
    expect([unverified.code, unverified.of("email")?.state]).toEqual([4, "fail"]);
  });

  it.each(["json", "html"] as const)("works with a server without extensions, whose misses are %s", async (miss) => {
    const hosted = await startHosted(server.baseUrl, miss);
    try {
      const { code, of } = await doctor({ baseUrl: hosted.baseUrl });
      expect(code).toBe(0);
      expect(of("server")?.detail).toBe("implements the API, without extensions");
      expect(of("scopes")?.detail).toBe("game_owner, billing, chat, notifications, webhooks");
    } finally {
      await hosted.close();
    }
  });

  it("knows that something else answers", async () => {
    const html = { status: 404, body: "<h1>Not found</h1>", headers: { "content-type": "text/html" } };
    const { baseUrl } = await stubServer([
      { on: "GET /info/server", ...html },
      { on: "GET /games", ...html },
    ]);
    const { code, of } = await doctor({ baseUrl });
    expect([code, of("server")?.detail]).toEqual([10, `${baseUrl} does not implement the API (status 404)`]);
  });

  it("warns of a limit nearly reached", async () => {
    const user = (await owner.get("/auth/me")).body.data;
    const { baseUrl } = await stubServer([
      { on: "GET /info/server", data: (await server.request("GET", "/info/server")).body.data },
      { on: "GET /auth/me", data: user, headers: { "x-ratelimit-limit": "600", "x-ratelimit-remaining": "59" } },
    ]);
    const { of } = await doctor({ baseUrl });
    expect(of("rate limit")).toMatchObject({ state: "warn", detail: "59 of 600 requests remaining" });
  });
});

describe("doctor, of a certificate", () => {
  const name = "playtest.office.example";
  const day = 86_400_000;
  let live: TestServer;
  let user: Person;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const store = await drivers[0]!.open();
    // A sandbox answers only requests for this machine.
    live = await startTestServer({ store, config: (config) => Object.assign(config, { sandbox: false, autoVerify: true }) });
    user = await registerOwner(live, "Ada");
    close = async () => {
      await live.close();
      await store.remove();
    };
  });
  afterAll(() => close());

  /** Through a proxy, so that the name leads here; the doctor's clock may stand elsewhere. */
  async function examine(until: number, trusted: boolean) {
    const certificates = certificatesFor([name], until);
    const front = await startTlsFront(certificates, Number(new URL(live.baseUrl).port));
    const proxy = await startProxy({ [name]: front.port });
    const folder = testFolder();
    writeFileSync(join(folder, "ca.pem"), certificates.ca);
    const env = {
      PLAYTEST_BASE_URL: `https://${name}`,
      PLAYTEST_API_KEY: user.key,
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      ...(trusted && { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") }),
    };
    const { code, stdout } = await spawnPlaytest(folder, ["doctor", "--json", "--retries", "0"], env).ended;
    await proxy.close();
    await front.close();
    const checks: Check[] = JSON.parse(stdout).result;
    return { code, of: (wanted: string) => checks.find((check) => check.name === wanted) };
  }

  it("by a private authority", async () => {
    const { code, of } = await examine(Date.now() + 75 * day, true);
    expect(code).toBe(0);
    expect(of("authority")?.detail).toMatch(/^1 certificate in NODE_EXTRA_CA_CERTS/);
    expect(of("certificate")).toMatchObject({
      state: "ok",
      detail: `TLSv1.3, ${name}, issued by Playtest test authority, expires in 2mo`,
    });
    expect(of("dns")?.detail).toBe(`${name} is resolved by the proxy`);
  });

  it.each([
    ["by an unknown authority", 90, false, 10, "fail", /not trusted \(.*\)$/],
    ["that has ended", -1, true, 10, "fail", /, expired /],
    ["that ends soon", 5, true, 0, "warn", /expires in [45]d$/],
  ])("%s", async (_, days, trusted, code, state, detail) => {
    const found = await examine(Date.now() + days * day, trusted);
    expect([found.code, found.of("certificate")?.state]).toEqual([code, state]);
    expect(found.of("certificate")?.detail).toMatch(detail);
  });
});
