import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { playtestWith, type Ran, type RunOptions, testFolder } from "../helpers/cli.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { type Account, register } from "../helpers/slot-factories.ts";
import { drivers } from "../helpers/store.ts";
import { stubServer } from "../helpers/stub-server.ts";

let server: TestServer;
let remove: () => Promise<unknown>;
let ada: Account;
let config: string;
let run: (argv: readonly string[], options?: RunOptions) => Promise<Ran>;
const password = "correct horse battery";

beforeEach(async () => {
  const store = await drivers[0]!.open();
  remove = () => store.remove();
  server = await startTestServer({ store });
  ada = await register(server, "game_owner", "Ada");
  config = join(testFolder(), "config");
  run = playtestWith({ env: { PLAYTEST_CONFIG_DIR: config } });
});

afterEach(async () => {
  await server.close();
  await remove();
});

const at = () => ["--base-url", server.baseUrl];

describe("login", () => {
  it.each([
    ["a key from standard input", (): [string[], RunOptions] => [["--with-key"], { stdin: `${ada.key}\n` }]],
    [
      "e-mail and a password from standard input",
      (): [string[], RunOptions] => [["--email", ada.email, "--password-file", "-"], { stdin: password }],
    ],
    [
      "a key from a file",
      (): [string[], RunOptions] => {
        const file = join(testFolder(), "key");
        writeFileSync(file, ada.key);
        return [["--api-key-file", file], {}];
      },
    ],
  ])("login: saves the key obtained with %s", async (_, given) => {
    const [flags, options] = given();
    const login = await run(["login", ...at(), ...flags], options);
    expect([login.code, login.stderr]).toEqual([0, `Signed in to ${server.baseUrl}. Profile: default.\n`]);
    expect(login.stdout).not.toContain("pt_sk_");
    expect(statSync(join(config, "keys.json")).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await run(["whoami", "--json"])).stdout).result).toMatchObject({
      baseUrl: server.baseUrl,
      user: { email: ada.email },
    });
  });

  it.each([
    ["a wrong key", ["--with-key"], "pt_sk_00000000000000000000000000000000", 4],
    ["a wrong password", ["--email", "ada@example.com", "--password-file", "-"], "not it, surely", 4],
    ["an empty key", ["--with-key"], "", 2],
  ])("login: %s is refused and nothing is saved", async (_, flags, stdin, exitCode) => {
    expect((await run(["login", ...at(), ...flags], { stdin })).code).toBe(exitCode);
    expect((await run(["auth", "list", "--json"])).stdout).toBe('{"result":[]}\n');
  });

  it("login: without a terminal it does not prompt but ends with 2 and names the flag", async () => {
    const { code, stderr } = await run(["login", ...at()]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Pass --email, or pass an API key with --with-key.")]);
  });

  it("login: works with an instance that has no /auth/me", async () => {
    const missing = { status: 404, error: { code: "NOT_FOUND", message: "Not found" } };
    const stub = await stubServer([
      { on: "GET /auth/me", ...missing },
      { on: "GET /info/server", ...missing },
      { on: "GET /info/devices", data: { devices: [] }, meta: { cursor: null, hasMore: false } },
    ]);
    expect((await run(["login", "--with-key", "--base-url", stub.baseUrl], { stdin: "hosted_key_1" })).code).toBe(0);
  });
});

it("auth register: creates an account and saves its key for the next command", async () => {
  const flags = ["--email", "bea@example.com", "--role", "game_owner", "--password-file", "-"];
  const made = await run(["auth", "register", ...at(), ...flags, "--json"], { stdin: password });
  expect([made.code, JSON.parse(made.stdout).result.user.email]).toEqual([0, "bea@example.com"]);
  expect((await run(["auth", "wait-verified"])).stdout).toBe("bea@example.com is verified.\n");
  const again = await run(["auth", "register", ...at(), ...flags], { stdin: password });
  expect(again.code).toBe(6);
});

it("auth switch, list, token, logout: manage profiles", async () => {
  await run(["login", ...at(), "--with-key"], { stdin: ada.key });
  const bea = await register(server, "playtester", "Bea");
  await run(["login", ...at(), "--with-key", "--profile", "tester"], { stdin: bea.key });
  const email = async () => JSON.parse((await run(["whoami", "--json"])).stdout).result.user.email;
  expect(await email()).toBe(bea.email);
  expect((await run(["auth", "switch", "default"])).stdout).toBe("Switched to profile default.\n");
  expect(await email()).toBe(ada.email);
  expect((await run(["auth", "list", "--jq", ".result[] | [.profile, .inUse]"])).stdout).toBe(
    '["default",true]\n["tester",false]\n',
  );
  expect((await run(["auth", "token", "--profile", "tester"])).stdout).toBe(`${bea.key}\n`);
  const file = join(testFolder(), "key");
  expect((await run(["auth", "token", "--secret-file", file])).stdout).toBe(`Wrote the secret to ${file}.\n`);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([`${ada.key}\n`, 0o600]);
  expect((await run(["auth", "token", "--secret-file", file])).code).toBe(1);
  expect((await run(["auth", "status", "--all", "--jq", ".result[].user.email"])).stdout).toBe(`${ada.email}\n${bea.email}\n`);
  expect((await run(["logout"])).stdout).toContain("Removed the stored key of default.");
  expect((await run(["whoami"])).code).toBe(4);
  expect((await run(["auth", "switch", "nope"])).code).toBe(2);
});

it("auth keys: creates, lists and revokes an API key", async () => {
  await run(["login", ...at(), "--with-key"], { stdin: ada.key });
  const made = await run(["auth", "keys", "create", "--name", "ci", "--scopes", "game_owner,billing"]);
  expect(made.stdout).toMatch(/^pt_sk_[0-9a-f]{32}\n$/);
  const ids = await run(["auth", "keys", "list", "--jq", '.keys[] | select(.name == "ci") | .id']);
  const id = ids.stdout.trim();
  expect(await run(["auth", "keys", "revoke", id])).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
  expect((await run(["auth", "keys", "revoke", id, "--yes"])).code).toBe(0);
  const revoked = {
    env: { PLAYTEST_CONFIG_DIR: config, PLAYTEST_API_KEY: made.stdout.trim(), PLAYTEST_BASE_URL: server.baseUrl },
  };
  expect((await run(["games", "list"], revoked)).code).toBe(4);
});

describe("api", () => {
  it.each([["games"], ["/games"], ["/api/v1/games"], ["GET", "games"]])(
    "api: %s prints the response body unchanged",
    async (...words) => {
      const direct = await server.request("GET", "/games", { key: ada.key });
      const { code, stdout } = await run(["api", ...words], { key: ada.key, baseUrl: server.baseUrl });
      expect([code, JSON.parse(stdout).data]).toEqual([0, direct.body.data]);
    },
  );

  it("api: sends text fields, typed fields and files, and joins pages", async () => {
    const options = { key: ada.key, baseUrl: server.baseUrl };
    const fields = ["-f", "name=A", "-f", "buildUrl=https://example.com/a.zip", "-f", "devices[]=PC", "-f", "devices[]=Mac"];
    expect((await run(["api", "POST", "games", ...fields, "-i"], options)).stdout).toMatch(/^HTTP 201\n(.+: .+\n)+\n\{"data"/);
    const stdin = '{"name":"B","buildUrl":"https://example.com/b.zip"}';
    expect((await run(["api", "POST", "games", "--input", "-"], { ...options, stdin })).code).toBe(0);
    const { stdout } = await run(["api", "games", "-F", "limit=1", "--paginate", "--jq", ".data.games[].name"], options);
    expect(stdout).toBe("B\nA\n");
  });

  it.each([
    ["a field without a value", ["api", "POST", "games", "-f", "name"], "must have the form name=value"],
    ["a word too many", ["api", "GET", "games", "x"], 'Unexpected argument "x"'],
  ])("api: refuses %s", async (_, argv, message) => {
    const { code, stderr } = await run(argv, { key: ada.key, baseUrl: server.baseUrl });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

it("playtest without arguments: shows the status to someone signed in, and help to anyone else", async () => {
  const options = { key: ada.key, baseUrl: server.baseUrl };
  expect((await run([], { ...options, tty: true })).stdout).toContain("reviews waiting");
  expect((await run([], options)).stdout).toContain("Usage: playtest <command> <subcommand>");
  expect((await run([], { tty: true })).stdout).toContain("Usage: playtest <command> <subcommand>");
});

it("status: shows what needs attention; fields that the key has no scope for are empty", async () => {
  const options = { key: ada.key, baseUrl: server.baseUrl };
  expect(JSON.parse((await run(["status", "--json"], options)).stdout).result).toEqual({
    totalGames: 0,
    activePlaytests: 0,
    pendingReviews: 0,
    nextDeadlineAt: null,
    dueWithinDay: 0,
    balanceCents: 0,
    playtestMinutes: 0,
    unreadCount: 0,
  });
  const narrow = await server.request("POST", "/auth/api-keys", {
    key: ada.key,
    body: { name: "narrow", scopes: ["game_owner"] },
  });
  const { stdout } = await run(["status", "--json"], { ...options, key: narrow.body.data.apiKey });
  expect(JSON.parse(stdout).result).toMatchObject({ totalGames: 0, balanceCents: null, unreadCount: null });
  const gate = await run(["status", "--fail-if", "balanceCents<1"], { ...options, key: narrow.body.data.apiKey });
  expect([gate.code, gate.stderr]).toEqual([5, expect.stringContaining("the API key has no permission to read balanceCents")]);
});
