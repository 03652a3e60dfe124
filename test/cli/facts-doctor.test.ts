import { execSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { firstAdmin, type Person, personWith, registerOwner } from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { startProxy } from "../helpers/proxy.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";
import { stubServer } from "../helpers/stub-server.ts";
import { certificatesFor, startTlsFront } from "../helpers/tls.ts";

/** The advice of `playtest doctor`: who follows it has what the check complained about no more. */
interface Advice {
  check: string;
  detail: string | RegExp;
  fix: string | RegExp;
  /** How doctor is run, so that the check complains. */
  broken(): Promise<Setup> | Setup;
  /** How it is run after the advice was followed. */
  follow(fix: string, broken: Setup): Promise<Setup> | Setup;
}

interface Setup extends RunOptions {
  flags?: readonly string[];
  /** Runs as a process of its own: Node.js reads NODE_EXTRA_CA_CERTS at the start. */
  spawned?: true;
}

interface Check {
  name: string;
  state: string;
  detail: string;
  fix: string | null;
}

const password = "correct horse";
const day = 86_400_000;
const name = "playtest.office.example";
let server: TestServer;
let live: TestServer;
let owner: Person;
let config: string;
let stop: () => Promise<void>;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const stores = [await drivers[0]!.open(), await drivers[0]!.open()] as const;
  server = await startTestServer({ store: stores[0] });
  // A sandbox answers only requests for this machine.
  live = await startTestServer({
    store: stores[1],
    config: (settings) => Object.assign(settings, { sandbox: false, autoVerify: true }),
  });
  stop = async () => {
    for (const one of [server, live]) await one.close();
    for (const store of stores) await store.remove();
  };
});
afterAll(() => stop());
beforeEach(async () => {
  owner = await registerOwner(server);
  config = join(testFolder(), "config");
  mkdirSync(config);
});
afterEach(async () => {
  Object.assign(server.deps.config, { autoVerify: true });
  await killLeftovers();
  for (const close of closing.splice(0)) await close();
});

const settings = () => ({ now: Date.now(), env: { PLAYTEST_CONFIG_DIR: config }, baseUrl: server.baseUrl });
const withEnv = (setup: Setup, env: Record<string, string>): Setup => ({ ...setup, env: { ...setup.env, ...env } });
const without = (setup: Setup, variable: string): Setup => {
  const { [variable]: _, ...env } = setup.env ?? {};
  return { ...setup, env };
};

async function checksOf({ flags = [], spawned, ...options }: Setup): Promise<Check[]> {
  const words = ["doctor", "--json", "--retries", "0", ...flags];
  const { stdout } = spawned ? await spawnPlaytest(config, words, options.env).ended : await playtest(words, options);
  return JSON.parse(stdout).result;
}

const keySaved = async (key: string) => void (await playtest(["login", "--with-key"], { ...settings(), stdin: key }));
/** `playtest login` as the advice says it, by the owner. */
async function login(setup: Setup = settings()): Promise<void> {
  const { email } = (await owner.get("/auth/me")).body.data;
  const { code } = await playtest(["login", "--email", email, "--password-file", "-"], { ...setup, stdin: password });
  expect(code).toBe(0);
}
const keyWith = async (scopes: readonly string[]): Promise<string> =>
  (await owner.post("/auth/api-keys", { name: "few", scopes })).body.data.apiKey;
let endKey: () => Promise<unknown>;
async function endingKey(): Promise<string> {
  const { key, apiKey } = (await owner.post("/auth/api-keys", { name: "old" })).body.data;
  endKey = () => owner.delete(`/auth/api-keys/${key.id}`);
  return apiKey;
}
async function revokedKey(): Promise<string> {
  const key = await endingKey();
  await endKey();
  return key;
}
async function unverified(): Promise<string> {
  Object.assign(server.deps.config, { autoVerify: false });
  const body = { email: `ida${Math.random()}@example.com`, password, role: "game_owner", name: "Ida" };
  const { apiKey } = (await server.request("POST", "/auth/register/api-key", { body })).body.data;
  await server.advance(0);
  return apiKey;
}
const waitVerified = async (setup: Setup) => expect((await playtest(["auth", "wait-verified"], setup)).code).toBe(0);

/** The live server behind TLS, by its name through a proxy. */
async function behindTls(until: number, names = [name]): Promise<{ setup: Setup; ca: string }> {
  const certificates = certificatesFor(names, until);
  const front = await startTlsFront(certificates, Number(new URL(live.baseUrl).port));
  const proxy = await startProxy({ [name]: front.port, "other.example": front.port });
  closing.push(proxy.close, front.close);
  const ca = join(testFolder(), "ca.pem");
  writeFileSync(ca, certificates.ca);
  const env = {
    PLAYTEST_CONFIG_DIR: config,
    PLAYTEST_BASE_URL: `https://${name}`,
    PLAYTEST_API_KEY: (await registerOwner(live)).key,
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
  };
  return { setup: { spawned: true, env }, ca };
}
async function trusted(until: number, names = [name]): Promise<Setup> {
  const { setup, ca } = await behindTls(until, names);
  return withEnv(setup, { NODE_EXTRA_CA_CERTS: ca });
}
/** By the live server's address on this machine that is not taken for this machine's. */
const byAddress = (): Setup => {
  const { port } = new URL(live.baseUrl);
  return { now: Date.now(), baseUrl: `http://0.0.0.0:${port}`, env: { PLAYTEST_CONFIG_DIR: config } };
};

const advice: Advice[] = [
  {
    check: "key",
    detail: "none for this instance",
    fix: "Run `playtest login`, or set PLAYTEST_API_KEY.",
    broken: settings,
    async follow(_, broken) {
      const set = { ...broken, key: owner.key };
      expect((await checksOf(set)).find((check) => check.name === "key")!.state).toBe("ok");
      await login();
      return broken;
    },
  },
  {
    check: "key",
    detail: /./,
    fix: "Run `playtest login`, or set PLAYTEST_API_KEY.",
    async broken() {
      await keySaved(await endingKey());
      await endKey();
      return settings();
    },
    async follow(_, broken) {
      await login();
      return broken;
    },
  },
  {
    check: "key",
    detail: /./,
    fix: "Set PLAYTEST_API_KEY to a valid key, or unset it and run `playtest login`.",
    broken: async () => ({ ...settings(), key: await revokedKey() }),
    async follow(_, broken) {
      expect((await checksOf({ ...broken, key: owner.key })).at(-1)!.state).toBe("ok");
      await login();
      return { ...broken, key: undefined };
    },
  },
  {
    check: "key",
    detail: /./,
    fix: "Pass a file with a valid key, or leave out --api-key-file and run `playtest login`.",
    async broken() {
      writeFileSync(join(config, "old.key"), await revokedKey(), { mode: 0o600 });
      return { ...settings(), flags: ["--api-key-file", join(config, "old.key")] };
    },
    async follow(_, broken) {
      await login();
      return { ...broken, flags: [] };
    },
  },
  {
    check: "key",
    detail: /was not sent to \S+: only \S+ sets this address/,
    fix: /^If you trust this address, pass `--base-url http:\S+`, or set PLAYTEST_BASE_URL\.$/,
    broken() {
      const cwd = testFolder();
      writeFileSync(join(cwd, ".playtest.json"), JSON.stringify({ baseUrl: server.baseUrl }));
      return { ...settings(), baseUrl: undefined, key: owner.key, cwd };
    },
    async follow(fix, broken) {
      expect((await checksOf({ ...broken, baseUrl: server.baseUrl })).at(-1)!.state).toBe("ok");
      return { ...broken, flags: /`(.+)`/.exec(fix)![1]!.split(" ") };
    },
  },
  {
    check: "email",
    detail: "not verified",
    fix: "Open the link in the verification email, or ask the server's operator to verify your address. Then run `playtest auth wait-verified`.",
    broken: async () => ({ ...settings(), key: await unverified() }),
    async follow(_, broken) {
      const { pathname, search } = new URL(/https?:\/\/\S+/.exec(server.mails.at(-1)!.text)![0]);
      const token = new URLSearchParams(search).get("token")!;
      const action = new URLSearchParams({ token, action: "verify" });
      expect((await fetch(server.baseUrl + pathname, { method: "POST", body: action })).status).toBe(200);
      await waitVerified(broken);
      return broken;
    },
  },
  {
    check: "email",
    detail: "not verified",
    fix: /ask the server's operator to verify your address/,
    broken: async () => ({ ...settings(), key: await unverified() }),
    async follow(_, broken) {
      const { id } = (await personWith(server, broken.key!, "").get("/auth/me")).body.data;
      admin ??= await firstAdmin(server);
      const words = ["admin", "users", "verify", id, "--yes"];
      expect((await playtest(words, { ...broken, key: admin.key })).code).toBe(0);
      await waitVerified(broken);
      return broken;
    },
  },
  {
    check: "scopes",
    detail: "chat; missing: game_owner, billing, notifications, webhooks",
    fix: "To get a key with every scope of the account, run `playtest login`.",
    async broken() {
      await keySaved(await keyWith(["chat"]));
      return settings();
    },
    async follow(_, broken) {
      await login();
      return broken;
    },
  },
  {
    check: "scopes",
    detail: "chat; missing: game_owner, billing, notifications, webhooks",
    fix: "To get a key with every scope of the account, unset PLAYTEST_API_KEY and run `playtest login`.",
    broken: async () => ({ ...settings(), key: await keyWith(["chat"]) }),
    async follow(_, broken) {
      await login(broken);
      return { ...broken, key: undefined };
    },
  },
  {
    check: "scopes",
    detail: "chat; missing: game_owner, billing, notifications, webhooks",
    fix: "Create a key with more scopes on the server's website. To save it, run `playtest login --with-key`.",
    async broken() {
      const hosted = await startHosted(server.baseUrl, "json");
      closing.push(hosted.close);
      const setup = { ...settings(), baseUrl: hosted.baseUrl };
      await playtest(["login", "--with-key"], { ...setup, stdin: await keyWith(["chat"]) });
      return setup;
    },
    async follow(_, broken) {
      await playtest(["login", "--with-key"], { ...broken, stdin: owner.key });
      return broken;
    },
  },
  {
    check: "rate limit",
    detail: "5 of 600 requests remaining",
    fix: "Wait, or run fewer commands in parallel. Commands wait up to --max-wait automatically.",
    broken: async () => ({ ...settings(), baseUrl: await withRequestsLeft(5), key: owner.key }),
    async follow(_, broken) {
      return { ...broken, baseUrl: await withRequestsLeft(600) };
    },
  },
  {
    check: "proxy",
    detail: "HTTPS_PROXY is not a valid http or https proxy address.",
    fix: "Set it to http://host:port, or unset it.",
    async broken() {
      const setup = await trusted(Date.now() + 90 * day);
      return withEnv(setup, { proxy: setup.env!.HTTPS_PROXY!, HTTPS_PROXY: "socks5://proxy" });
    },
    follow: (_, broken) => withEnv(broken, { HTTPS_PROXY: broken.env!.proxy! }),
  },
  {
    check: "dns",
    detail: /^nowhere\.invalid cannot be resolved: /,
    fix: "Check the base URL, the DNS server or the VPN.",
    broken: () => ({ ...settings(), key: owner.key, baseUrl: "http://nowhere.invalid" }),
    follow: () => ({ ...settings(), key: owner.key }),
  },
  {
    check: "connection",
    detail: /connection refused/,
    fix: "Start a server with `playtest serve`, or choose another with --base-url.",
    broken: () => ({ ...settings(), baseUrl: "http://127.0.0.1:9" }),
    async follow(_, broken) {
      await keySaved(owner.key);
      return { ...broken, flags: ["--base-url", server.baseUrl] };
    },
  },
  {
    check: "connection",
    detail: /connection refused/,
    fix: "To see where this address is set: `playtest config explain`. To use another: --base-url URL.",
    broken: () => ({ ...settings(), baseUrl: "http://0.0.0.0:9" }),
    async follow(_, broken) {
      expect((await playtest(["config", "explain"], broken)).stdout).toMatch(
        /baseUrl\thttp:\/\/0\.0\.0\.0:9\t.*PLAYTEST_BASE_URL/,
      );
      await keySaved(owner.key);
      return { ...broken, flags: ["--base-url", server.baseUrl] };
    },
  },
  {
    check: "connection",
    detail: /^Cannot reach the proxy 127\.0\.0\.1:9 \(HTTP_PROXY\): connection refused\.$/,
    fix: "Check HTTP_PROXY, or bypass the proxy with NO_PROXY=0.0.0.0.",
    broken: () => withEnv(byAddress(), { HTTP_PROXY: "http://127.0.0.1:9" }),
    follow: (fix, broken) => withEnv(broken, { NO_PROXY: /NO_PROXY=(.+)\.$/.exec(fix)![1]! }),
  },
  {
    check: "certificate",
    detail: "none: what is sent there is not encrypted",
    fix: "Use an https address.",
    async broken() {
      const { setup, ca } = await behindTls(Date.now() + 90 * day);
      return withEnv(setup, { ...byAddressEnv(), NODE_EXTRA_CA_CERTS: ca });
    },
    follow: (_, broken) => withEnv(broken, { PLAYTEST_BASE_URL: `https://${name}` }),
  },
  {
    check: "key",
    detail: /^The API key was not sent to http:\S+: the connection is not encrypted\.$/,
    fix: "Use an https address. To send it unencrypted nevertheless, pass --insecure or set PLAYTEST_INSECURE.",
    async broken() {
      return { ...byAddress(), key: (await registerOwner(live)).key };
    },
    follow: (_, broken) => ({ ...broken, flags: ["--insecure"] }),
  },
  {
    check: "certificate",
    detail: /not trusted \(/,
    fix: "For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file. Otherwise do not send a key there.",
    async broken() {
      const { setup, ca } = await behindTls(Date.now() + 90 * day);
      return withEnv(setup, { ca });
    },
    follow: (_, broken) => withEnv(broken, { NODE_EXTRA_CA_CERTS: broken.env!.ca! }),
  },
  {
    check: "certificate",
    detail: /not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
    fix: "Use the name that the certificate is for. To see where this address is set: `playtest config explain`. Otherwise do not send a key there.",
    broken: async () => withEnv(await trusted(Date.now() + 90 * day), { PLAYTEST_BASE_URL: "https://other.example" }),
    follow: (_, broken) => withEnv(broken, { PLAYTEST_BASE_URL: `https://${name}` }),
  },
  {
    check: "connection",
    detail: /^Cannot connect securely to https:\/\/127\.0\.0\.1:\d+: /,
    fix: "Check that a server with TLS listens at this address. To see where it is set: `playtest config explain`.",
    broken: () => ({ ...settings(), key: owner.key, baseUrl: server.baseUrl.replace("http:", "https:") }),
    follow: () => ({ ...settings(), key: owner.key }),
  },
  {
    check: "certificate",
    detail: /, expired /,
    fix: "The operator of the server must renew it.",
    broken: () => trusted(Date.now() - day),
    follow: () => trusted(Date.now() + 90 * day),
  },
  {
    check: "certificate",
    detail: /, expires in /,
    fix: "The operator of the server must renew it.",
    broken: () => trusted(Date.now() + 5 * day),
    follow: () => trusted(Date.now() + 90 * day),
  },
  {
    check: "authority",
    detail: /^NODE_EXTRA_CA_CERTS \(.+\) contains no certificate$/,
    fix: "Set it to a file of PEM certificates.",
    async broken() {
      const setup = await trusted(Date.now() + 90 * day);
      return withEnv(setup, { ca: setup.env!.NODE_EXTRA_CA_CERTS!, NODE_EXTRA_CA_CERTS: import.meta.filename });
    },
    follow: (_, broken) => withEnv(broken, { NODE_EXTRA_CA_CERTS: broken.env!.ca! }),
  },
  {
    check: "authority",
    detail: /^NODE_EXTRA_CA_CERTS cannot be read: /,
    fix: "Correct the path, or unset it.",
    broken: () => withEnv({ ...settings(), key: owner.key }, { NODE_EXTRA_CA_CERTS: "/nonexistent.pem" }),
    follow: (_, broken) => without(broken, "NODE_EXTRA_CA_CERTS"),
  },
  {
    check: "server",
    detail: /^http:\S+ does not implement the API \(status 404\)$/,
    fix: "Check the base URL: `playtest config explain`.",
    async broken() {
      const page = { status: 404, body: "<h1>Not found</h1>", headers: { "content-type": "text/html" } };
      const { baseUrl } = await stubServer(["GET /info/server", "GET /games"].map((on) => ({ on, ...page })));
      return { ...settings(), key: owner.key, baseUrl };
    },
    async follow(_, broken) {
      const { stdout } = await playtest(["config", "explain"], broken);
      expect(stdout).toMatch(new RegExp(`baseUrl\\t${broken.baseUrl}\\t.*PLAYTEST_BASE_URL`));
      return { ...broken, baseUrl: server.baseUrl };
    },
  },
  {
    check: "clock",
    detail: /^1(19|2\d) s behind the server$/,
    fix: "Correct this machine's clock; signatures and deadlines depend on it.",
    broken: () => ({ ...settings(), key: owner.key, now: Date.now() - 120_000 }),
    follow: () => ({ ...settings(), key: owner.key }),
  },
  {
    check: "file",
    detail: /config\.json \(0644\) is accessible to other users$/,
    fix: /^Run `chmod 600 \S+config\.json`\.$/,
    async broken() {
      await keySaved(owner.key);
      chmodSync(join(config, "config.json"), 0o644);
      return settings();
    },
    follow(fix, broken) {
      execSync(/`(.+)`/.exec(fix)![1]!);
      return broken;
    },
  },
];
let admin: Person | undefined;
const byAddressEnv = () => ({ PLAYTEST_BASE_URL: byAddress().baseUrl! });

/** A server whose key may send so many of 600 requests more. */
async function withRequestsLeft(left: number): Promise<string> {
  const headers = { "x-ratelimit-limit": "600", "x-ratelimit-remaining": String(left) };
  const { baseUrl } = await stubServer([
    { on: "GET /info/server", data: (await server.request("GET", "/info/server")).body.data },
    { on: "GET /auth/me", data: (await owner.get("/auth/me")).body.data, headers },
  ]);
  return baseUrl;
}

const matching = (text: string | RegExp) => (typeof text === "string" ? text : expect.stringMatching(text));
const named = (checks: readonly Check[], check: string, state: (one: string) => boolean) =>
  checks.find((one) => one.name === check && state(one.state));

it.each(advice)("$check: $fix", async ({ check, detail, fix, broken, follow }) => {
  const setup = await broken();
  const found = named(await checksOf(setup), check, (state) => state !== "ok");
  expect(found).toMatchObject({ detail: matching(detail), fix: matching(fix) });
  const after = await checksOf(await follow(found!.fix!, setup));
  expect(named(after, check, (state) => state !== "ok")).toBeUndefined();
  // Without NODE_EXTRA_CA_CERTS there is nothing to check.
  if (check !== "authority") expect(named(after, check, (state) => state === "ok")).toBeDefined();
});

it("To get a key with every scope of your account: `playtest login`.", async () => {
  await keySaved(await keyWith(["chat"]));
  const { code, stderr } = await playtest(["games", "list"], settings());
  expect([code, stderr.replace(/\s+/g, " ")]).toEqual([
    5,
    expect.stringContaining("To get a key with every scope of your account: `playtest login`."),
  ]);
  expect((await playtest(["auth", "keys", "create", "--scopes", "game_owner"], settings())).code).toBe(2);
  await login();
  expect((await playtest(["games", "list"], settings())).code).toBe(0);
});

it("PLAYTEST_API_KEY is set, and commands use it instead of the saved key. Unset it.", async () => {
  const other = await registerOwner(server);
  const setup = { ...settings(), key: other.key };
  const { stderr } = await playtest(["login", "--with-key"], { ...setup, stdin: owner.key });
  expect(stderr.replace(/\s+/g, " ")).toContain(
    "PLAYTEST_API_KEY is set, and commands use it instead of the saved key. Unset it.",
  );
  const usedBy = async (options: Setup) =>
    JSON.parse((await playtest(["auth", "status", "--json"], options)).stdout).result.user.id;
  expect([await usedBy(setup), await usedBy(settings())]).toEqual([other.id, owner.id]);
});

it("doctor does not say that the key of an administrator lacks scopes of game owners", async () => {
  admin ??= await firstAdmin(server);
  const { apiKey } = (await admin.post("/admin/admins", { name: "Ada", scopes: ["approve"] })).body.data;
  expect(named(await checksOf({ ...settings(), key: apiKey }), "scopes", () => true)).toMatchObject({ state: "ok" });
});
