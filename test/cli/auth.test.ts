import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Keyring, systemKeyring } from "../../src/config/keyring.ts";
import { playtestWith, type Ran, type RunOptions, testFolder } from "../helpers/cli.ts";
import { mailedToken } from "../helpers/mails.ts";
import { visitor } from "../helpers/portal.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { type Account, register } from "../helpers/slot-factories.ts";
import { stubServer } from "../helpers/stub-server.ts";

let server: TestServer;
let remove: () => Promise<unknown>;
let ada: Account;
let config: string;
let run: (argv: readonly string[], options?: RunOptions) => Promise<Ran>;
const password = "correct horse battery";

beforeEach(async () => {
  const store = await reusedStore();
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

it("email: asks nobody for a password that their account does not have", async () => {
  await server.deps.store.write((tx) => tx.run("UPDATE users SET password_hash = '!' WHERE email = ?", ada.email));
  const { code, stderr } = await run(["auth", "email", ...at(), "--new-email", "ada@example.org"], {
    env: { PLAYTEST_API_KEY: ada.key },
  });
  expect(code).toBe(2);
  expect(stderr).toContain(
    "cannot be checked, because the account has no password. Nothing was changed. Set one by a reset first\n",
  );
});

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

it("auth register: says which terms the account accepts, before it asks for anything", async () => {
  const links = { termsUrl: "https://lantern.example/terms", privacyUrl: "https://lantern.example/privacy" };
  Object.assign(server.deps.brand, links);
  const { stderr } = await run(["auth", "register", ...at(), "--email", "eve@example.com", "--password-file", "-"], {
    stdin: password,
  });
  Object.assign(server.deps.brand, { termsUrl: null, privacyUrl: null });
  expect(stderr).toMatch(
    /^By creating an account you accept the terms: https:\/\/lantern\.example\/terms\nHow your data is used: https:\/\/lantern\.example\/privacy\n/,
  );
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

it.each([
  ["its profile has another address since", ["logout"], (file: string) => file.replace(/"http[^"]*"/, '"https://new.example"')],
  ["the settings file was deleted", ["logout", "--all"], () => undefined],
])("logout: removes the key although %s", async (_, argv, changed) => {
  await run(["login", ...at(), "--with-key"], { stdin: ada.key });
  const path = join(config, "config.json");
  const text = changed(readFileSync(path, "utf8"));
  if (text === undefined) rmSync(path);
  else writeFileSync(path, text);
  expect((await run(argv)).stdout).toContain("Removed the stored key of default.");
  expect(readFileSync(join(config, "keys.json"), "utf8")).not.toContain(ada.key);
});

it("logout: a profile may be named as what every object has", async () => {
  const named = ["--profile", "toString"];
  expect((await run(["logout", ...named])).stderr).toContain("No key is stored for profile toString.");
  await run(["login", ...at(), "--with-key", ...named], { stdin: ada.key });
  expect((await run(["logout"])).stdout).toContain("Removed the stored key of toString.");
  expect(JSON.parse(readFileSync(join(config, "config.json"), "utf8"))).toEqual({ profiles: {} });
});

it("auth switch and login: warn of what commands use instead", async () => {
  for (const profile of ["a", "b"]) await run(["login", ...at(), "--with-key", "--profile", profile], { stdin: ada.key });
  const text = (from: string, remedy: string) =>
    `warning: ${from} names the profile a, and commands use it instead of b. ${remedy}\n`;
  const env = { PLAYTEST_PROFILE: "a" };
  expect(await run(["auth", "switch", "b"], { env })).toMatchObject({
    stdout: "Switched to profile b.\n",
    stderr: text("PLAYTEST_PROFILE", "Unset it."),
  });
  expect((await run(["auth", "switch", "a"], { env })).stderr).toBe("");
  const login = ["login", ...at(), "--with-key", "--profile", "b"];
  expect((await run(login, { env, stdin: ada.key })).stderr).toContain(text("PLAYTEST_PROFILE", "Unset it."));
  const cwd = testFolder();
  const file = join(cwd, ".playtest.json");
  writeFileSync(file, JSON.stringify({ profile: "a" }));
  expect((await run(["auth", "switch", "b"], { cwd })).stderr).toBe(text(file, "Remove `profile` from that file."));
  const withKey = await run(["auth", "switch", "b"], { env: { PLAYTEST_API_KEY: ada.key } });
  expect(withKey.stderr).toBe("warning: PLAYTEST_API_KEY is set, and commands use it instead of the saved key. Unset it.\n");
  expect(await run(["auth", "switch", "b", "--profile", "a"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--profile names a, but the profile to switch to is b. Nothing was changed."),
  });
});

describe("keyring", () => {
  const entries = new Map<string, string>();
  const working = {
    get: (account: string) => entries.get(account) ?? null,
    set: (account: string, secret: string) => void entries.set(account, secret),
    remove: (account: string) => void entries.delete(account),
  };
  const locked = () => {
    throw new Error("the collection is locked");
  };
  const withKeyring = (keyring: Keyring, stdin?: string) => ({ outside: { keyring: () => keyring }, ...(stdin && { stdin }) });
  const storedIn = async (options: RunOptions) =>
    JSON.parse((await run(["auth", "status", "--json"], options)).stdout).result.keyStoredIn;
  beforeEach(() => entries.clear());

  it("auth login, status, token, logout: a key is kept in the system's keyring and in no file", async () => {
    const options = withKeyring(working);
    expect((await run(["login", ...at(), "--with-key"], withKeyring(working, ada.key))).code).toBe(0);
    expect([...entries]).toEqual([[`default @ ${server.baseUrl}`, ada.key]]);
    expect(readFileSync(join(config, "keys.json"), "utf8")).not.toContain("pt_sk_");
    expect(await storedIn(options)).toBe("system keyring");
    expect((await run(["auth", "status", "--all", "--jq", ".result[].keyStoredIn"], options)).stdout).toBe("system keyring\n");
    expect((await run(["auth", "token"], options)).stdout).toBe(`${ada.key}\n`);
    expect((await run(["logout"], options)).code).toBe(0);
    expect(entries.size).toBe(0);
    expect((await run(["auth", "token"], options)).code).toBe(4);
  });

  it.each<[string, Keyring]>([
    ["is locked", { get: locked, set: locked, remove: locked }],
    ["forgets", { ...working, get: () => null }],
  ])("auth login: uses the file without a word where the keyring %s", async (_, keyring) => {
    const login = await run(["login", ...at(), "--with-key"], withKeyring(keyring, ada.key));
    expect([login.code, login.stderr]).toEqual([0, `Signed in to ${server.baseUrl}. Profile: default.\n`]);
    expect(await storedIn(withKeyring(keyring))).toBe(join(config, "keys.json"));
    expect((await run(["auth", "token"])).stdout).toBe(`${ada.key}\n`);
  });

  it.each<[string, Keyring | undefined]>([
    ["is locked", { get: locked, set: locked, remove: locked }],
    ["is missing", undefined],
  ])("a key in a keyring that %s: exit 4, and what to do", async (_, keyring) => {
    await run(["login", ...at(), "--with-key"], withKeyring(working, ada.key));
    const { code, stderr } = await run(["games", "list"], { outside: { keyring: () => keyring } });
    expect([code, stderr]).toEqual([4, expect.stringContaining("is in the system keyring and could not be read")]);
    const all = await run(["auth", "status", "--all", "--jq", ".result[].problem"], { outside: { keyring: () => keyring } });
    expect(all.stdout).toContain("could not be read");
    if (keyring)
      expect(await run(["logout"], withKeyring(keyring))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("could not be removed"),
      });
  });
});

describe("system keyring", () => {
  it("is not used for a configuration folder of its own, which holds everything", () => {
    expect(systemKeyring({ PLAYTEST_CONFIG_DIR: "/tmp/x" }, "linux")).toBeUndefined();
  });
  it.each([
    ["in CI", { CI: "1", DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/bus" }, "darwin"],
    ["without a desktop session", {}, "linux"],
  ])("is given nothing to keep %s", (_, env, platform) => {
    expect(() => systemKeyring(env, platform)!.set("a", "b")).toThrow("there is no desktop session");
  });
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

it("auth keys revoke: lists the keys created with it before it asks, and revokes them too", async () => {
  const options = { key: ada.key, baseUrl: server.baseUrl };
  const make = async (key: string, name: string) =>
    (await server.request("POST", "/auth/api-keys", { key, body: { name } })).body.data;
  const parent = await make(ada.key, "parent");
  const child = await make(parent.apiKey, "child");
  await make(child.apiKey, "grandchild");
  const asked = await run(["auth", "keys", "revoke", parent.key.id], options);
  expect([asked.code, asked.stderr.replace(/\s+/g, " ")]).toEqual([
    2,
    expect.stringContaining("So do these 2 keys, created with it: grandchild ("),
  ]);
  const done = await run(["auth", "keys", "revoke", parent.key.id, "--yes"], options);
  expect(done.stdout).toBe("The API key and the 2 API keys created with it or in its place were revoked.\n");
  const names = await run(["auth", "keys", "list", "--jq", ".keys[].name"], options);
  expect(names.stdout).not.toMatch(/parent|child/);
});

it("auth sessions and sign-out-everywhere: list the browsers, end one, then all; a question comes first", async () => {
  const options = { key: ada.key, baseUrl: server.baseUrl };
  const browsers = [visitor(server), visitor(server)];
  for (const browser of browsers)
    await browser.submit("/studio/sign-in", "/studio/sign-in/password", { email: ada.email, password });
  const inside = () => Promise.all(browsers.map(async (browser) => (await browser.get("/studio")).status === 200));
  const listed = await run(["auth", "sessions", "list", "--jq", ".result[].id"], options);
  const [newest, ...older] = listed.stdout.trim().split("\n");
  expect(older).toHaveLength(1);
  expect((await run(["auth", "sessions", "end", newest!], options)).code).toBe(2);
  expect(await inside()).toEqual([true, true]);
  expect((await run(["auth", "sessions", "end", newest!, "--yes"], options)).code).toBe(0);
  expect((await inside()).filter(Boolean)).toHaveLength(1);
  expect((await run(["auth", "sign-out-everywhere", "--yes"], options)).code).toBe(0);
  expect(await inside()).toEqual([false, false]);
});

it("auth keys rotate: replaces the key in use and saves the new one in its profile", async () => {
  await run(["login", ...at(), "--with-key"], { stdin: ada.key });
  const done = await run(["auth", "keys", "rotate", "--grace", "0s", "--yes"]);
  expect([done.code, done.stdout.trim().replace(/\s+/g, " ")]).toEqual([
    0,
    "Replaced the API key Default and saved the new one in profile default. The old key stops working immediately.",
  ]);
  expect((await server.request("GET", "/auth/me", { key: ada.key })).status).toBe(401);
  expect((await run(["whoami"])).code).toBe(0);
});

it("auth keys rotate: prints the successor of another key once, and leaves the profile alone", async () => {
  await run(["login", ...at(), "--with-key"], { stdin: ada.key });
  const body = { name: "ci" };
  const { key, apiKey } = (await server.request("POST", "/auth/api-keys", { key: ada.key, body })).body.data;
  expect(await run(["auth", "keys", "rotate", key.id])).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
  const done = await run(["auth", "keys", "rotate", key.id, "--yes"]);
  expect([done.stdout, done.stderr]).toEqual([
    expect.stringMatching(/^pt_sk_[0-9a-f]{32}\n$/),
    "Replaced the API key ci. The new one will not be shown again. The old key stops working in 1d.\n",
  ]);
  for (const one of [apiKey, done.stdout.trim(), ada.key])
    expect((await server.request("GET", "/auth/me", { key: one })).status).toBe(200);
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
    const head = await run(["api", "HEAD", "games", "-i"], options);
    expect([head.code, head.stdout]).toEqual([0, expect.stringMatching(/^HTTP 200\n(.+: .+\n)+\n$/)]);
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
  expect((await run([], options)).stdout).toContain("Usage: playtest <command> [subcommand]");
  expect((await run([], { tty: true })).stdout).toContain("Usage: playtest <command> [subcommand]");
});

it("status: shows what needs attention; fields that the key has no scope for are empty", async () => {
  const options = { key: ada.key, baseUrl: server.baseUrl };
  expect(JSON.parse((await run(["status", "--json"], options)).stdout).result).toEqual({
    role: "game_owner",
    todo: [],
    totalGames: 0,
    activePlaytests: 0,
    pendingReviews: 0,
    reportedProblems: 0,
    playtestsLackingKeys: 0,
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

describe("account", () => {
  const options = () => ({ key: ada.key, baseUrl: server.baseUrl });
  const file = (text: string) => {
    const path = join(testFolder(), "secret");
    writeFileSync(path, text);
    return path;
  };
  const signIn = (secret: string) =>
    run(["login", ...at(), "--email", ada.email, "--password-file", "-"], { stdin: secret }).then(({ code }) => code);

  it("auth profile: shows and changes the profile", async () => {
    const changes = ["--display-name", "Ada L.", "--company-name", "Moon Games", "--website-url", "https://example.com"];
    expect(await run(["auth", "profile", "update", ...changes], options())).toMatchObject({
      code: 0,
      stdout: "The profile was updated.\n",
    });
    const shown = await run(["auth", "profile"], { ...options(), tty: true, env: { NO_COLOR: "1" } });
    expect(shown.stdout).toMatch(/name +Ada L\.\ncompany +Moon Games\nwebsite +https:\/\/example\.com\n/);
    expect((await run(["auth", "profile", "update", "--clear", "website-url"], options())).code).toBe(0);
    const { profile } = JSON.parse((await run(["auth", "profile", "show", "--json"], options())).stdout);
    expect(profile).toMatchObject({ displayName: "Ada L.", companyName: "Moon Games", websiteUrl: null });
    const nothing = await run(["auth", "profile", "update"], options());
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining("No changes given.")]);
  });

  it("auth password: changes it, with secrets from files and standard input only", async () => {
    const words = ["auth", "password", "--current-password-file", file(password), "--new-password-file", "-"];
    const { code, stdout, stderr } = await run([...words, "--debug"], { ...options(), stdin: "a new password" });
    expect([code, stdout]).toEqual([0, expect.stringContaining("The password was changed.")]);
    expect(stderr).not.toMatch(/correct horse|a new password/);
    expect([await signIn(password), await signIn("a new password")]).toEqual([4, 0]);
  });

  it.each([
    [
      "a wrong password",
      () => file("not it, surely"),
      "a new password",
      2,
      "--current-password-file: is not the current password",
    ],
    ["a short one", () => file(password), "short", 2, "--new-password-file: "],
    ["two secrets on standard input", () => "-", "x", 2, "cannot both read standard input"],
  ])("auth password: %s is refused", async (_, current, stdin, exitCode, message) => {
    const words = ["auth", "password", "--current-password-file", current(), "--new-password-file", "-"];
    const { code, stdout, stderr } = await run(words, { ...options(), stdin });
    expect([code, stdout, stderr]).toEqual([exitCode, "", expect.stringContaining(message)]);
    expect(await signIn(password)).toBe(0);
  });

  it("auth password: without a terminal it names the flag", async () => {
    const { code, stderr } = await run(["auth", "password"], options());
    expect([code, stderr]).toEqual([2, expect.stringContaining("Pass --current-password-file FILE")]);
    expect((await run(["auth", "password", "--new-password", "x"], options())).stderr).toContain("Unknown flag --new-password.");
  });

  it("auth password reset, auth password confirm: set a new password with the token of a mail", async () => {
    expect(await run(["auth", "password", "reset"], options())).toMatchObject({ code: 0, stderr: "" });
    const mail = (await run(["sandbox", "mail", "--json"], options())).stdout;
    const token = /token=([\w-]+)/.exec(mail)![1]!;
    const words = ["auth", "password", "confirm", ...at(), "--token-file", file(token), "--new-password-file", "-"];
    expect(await run(words, { stdin: "a new password" })).toMatchObject({
      code: 0,
      stdout: "The password was changed. API keys remain valid. Revoke those you no longer trust.\n",
    });
    expect(await signIn("a new password")).toBe(0);
    const again = await run(words, { stdin: "another password" });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("--token-file: is invalid, used or expired")]);
    const nobody = await run(["auth", "password", "reset", ...at()], { env: { PLAYTEST_CONFIG_DIR: testFolder() } });
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining("Pass --email.")]);
  });
});

describe("files and stored keys", () => {
  const entries = new Map<string, string>();
  const keyring: Keyring = {
    get: (account) => entries.get(account) ?? null,
    set: (account, secret) => void entries.set(account, secret),
    remove: (account) => void entries.delete(account),
  };
  const places: [place: string, said: () => string, outside: RunOptions][] = [
    ["file", () => join(config, "keys.json"), {}],
    ["keyring", () => "the system keyring", { outside: { keyring: () => keyring } }],
  ];
  const signIn = (options: RunOptions = {}) => run(["login", ...at(), "--with-key"], { ...options, stdin: ada.key });
  const deadKey = (place: string) => `The API key of profile default no longer works and was removed from ${place}.\n`;
  const storedKeys = () => JSON.parse(readFileSync(join(config, "keys.json"), "utf8"));
  beforeEach(() => entries.clear());

  it.each([
    ["auth export", ["auth", "export"]],
    ["auth token", ["auth", "token"]],
    ["auth keys create", ["auth", "keys", "create", "--name", "ci"]],
    ["whoami", ["whoami", "--json"]],
    ["api", ["api", "auth/me"]],
  ])("%s --output: writes a file that only its user can read, also over one that others can", async (_, argv) => {
    await signIn();
    const file = join(testFolder(), "out");
    for (const before of ["none", "open"]) {
      if (before === "open") for (const name of [file, `${file}.part`]) writeFileSync(name, "old", { mode: 0o644 });
      const { code } = await run([...argv, "--output", file]);
      expect([code, statSync(file).mode & 0o777, readFileSync(file, "utf8").length > 20]).toEqual([0, 0o600, true]);
      rmSync(file);
    }
  });

  it("completion --output: writes a file that others can read", async () => {
    const file = join(testFolder(), "completion");
    expect((await run(["completion", "bash", "--output", file])).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it.each(places)("auth delete: removes the dead key from the %s, and says so", async (_, place, outside) => {
    await signIn(outside);
    const done = await run(["auth", "delete", "--yes", "--password-file", "-"], { ...outside, stdin: password });
    expect([done.code, done.stdout]).toEqual([0, `The account was deleted. ${deadKey(place())}`]);
    expect([storedKeys(), entries.size]).toEqual([{}, 0]);
    const again = await run(["auth", "delete", "--yes", "--password-file", "-"], { ...outside, stdin: password });
    expect([again.code, again.stderr.includes("playtest login")]).toEqual([4, true]);
  });

  it("auth delete: keeps the files as they are when the key was not stored", async () => {
    await signIn();
    const before = storedKeys();
    const bea = await register(server, "playtester", "Bea");
    const done = await run(["auth", "delete", ...at(), "--yes", "--password-file", "-"], {
      env: { PLAYTEST_CONFIG_DIR: config, PLAYTEST_API_KEY: bea.key },
      stdin: password,
    });
    expect([done.code, done.stdout, storedKeys()]).toEqual([0, "The account was deleted.\n", before]);
  });

  it("auth keys revoke: removes the stored key if it is the one that was revoked", async () => {
    await signIn();
    const { stdout } = await run(["auth", "keys", "create", "--name", "other", "--json"]);
    const other = JSON.parse(stdout).key.id;
    expect((await run(["auth", "keys", "revoke", other, "--yes"])).stdout).toBe("The API key was revoked.\n");
    const keys = JSON.parse((await run(["auth", "keys", "list", "--json"])).stdout);
    const own = keys.keys.find((key: { current: boolean }) => key.current).id;
    const revoked = await run(["auth", "keys", "revoke", own, "--yes"]);
    expect(revoked.stdout).toContain(` ${deadKey(join(config, "keys.json"))}`);
    expect(storedKeys()).toEqual({});
  });

  it("auth password confirm --revoke-api-keys: removes the stored key, which is one of them", async () => {
    await signIn();
    await run(["auth", "password", "reset"]);
    await server.advance(0);
    const file = join(testFolder(), "token");
    writeFileSync(file, mailedToken(server, "reset"));
    const words = ["auth", "password", "confirm", "--token-file", file, "--new-password-file", "-", "--revoke-api-keys"];
    const done = await run(words, { stdin: "a new battery staple" });
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(deadKey(join(config, "keys.json")))]);
    expect(storedKeys()).toEqual({});
  });
});
