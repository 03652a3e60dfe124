import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { routeTo } from "../../src/api/proxy.ts";
import { instanceUrl } from "../../src/api/url.ts";
import { parseMoney } from "../../src/cli/flags.ts";
import { resolveId } from "../../src/config/ids.ts";
import { parseDuration, readSettings } from "../../src/config/settings.ts";
import { openStore } from "../../src/config/store.ts";
import { CliError } from "../../src/errors.ts";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";

interface Given {
  env?: Record<string, string>;
  directory?: Record<string, unknown>;
  profile?: Record<string, unknown>;
  flags?: string[];
}

/** Runs `argv` with the given profile `work` and directory file, if any. */
function at({ env = {}, directory, profile, flags = [] }: Given, argv: string[], options: RunOptions = {}) {
  const folder = testFolder();
  const config = join(folder, "config");
  mkdirSync(config);
  if (profile) writeFileSync(join(config, "config.json"), JSON.stringify({ profile: "work", profiles: { work: profile } }));
  const project = join(folder, "project", "below");
  mkdirSync(project, { recursive: true });
  if (directory) writeFileSync(join(folder, "project", ".playtest.json"), JSON.stringify(directory));
  return playtest([...argv, ...flags], { env: { PLAYTEST_CONFIG_DIR: config, ...env }, cwd: project, ...options });
}

describe("setting", () => {
  const env = { PLAYTEST_TIMEOUT: "2" };
  const directory = { timeout: "3s" };
  const profile = { timeout: 4 };
  const flags = ["--timeout", "1s"];
  it.each([
    ["flag", { flags, env, directory, profile }, 1],
    ["environment", { env, directory, profile }, 2],
    ["directory file", { directory, profile }, 3],
    ["profile", { profile }, 4],
    ["default", {}, 30],
  ] as const)("is taken from the %s", async (source, given, value) => {
    const { stdout } = await at(given as Given, [
      "config",
      "explain",
      "--jq",
      '.result[] | select(.name == "timeout") | [.value, .source]',
    ]);
    expect(JSON.parse(stdout)).toEqual([value, source]);
  });
});

describe("directory file", () => {
  it.each([
    ["an API key by the field's name", { apiKey: "abc" }, "contains a secret (apiKey)"],
    ["an API key by its format", { note: "pt_sk_0123456789abcdef" }, "contains a secret (note)"],
    ["an API key of the hosted service", { note: "wpg_sk_0123456789abcdef" }, "contains a secret (note)"],
    ["a nested token", { ci: [{ token: "x" }] }, "contains a secret (ci.0.token)"],
    ["a nested value that is a secret", { list: ["a", "Bearer x"] }, "contains a secret (list.1)"],
    ["a webhook secret", { hook: "whsec_abc" }, "contains a secret (hook)"],
    ["a password", { adminPassword: "x" }, "contains a secret (adminPassword)"],
  ])("with %s is refused", async (_, directory, message) => {
    const { code, stdout, stderr } = await at({ directory }, ["config", "list"]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/abc|0123456789/);
  });

  it.each([
    ["not JSON", "{", "is not valid JSON"],
    ["not an object", "[]", "does not contain a JSON object"],
  ])("that is %s is refused", async (_, text, message) => {
    const cwd = testFolder();
    writeFileSync(join(cwd, ".playtest.json"), text);
    expect(await playtest(["config", "list"], { cwd })).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it("may begin with a byte order mark, as editors on Windows write it", async () => {
    const cwd = testFolder();
    writeFileSync(join(cwd, ".playtest.json"), '\ufeff{"timeout":"3s"}\r\n');
    const { stdout } = await playtest(["config", "explain", "--jq", '.result[] | select(.name == "timeout") | .value'], { cwd });
    expect(stdout).toBe("3\n");
  });

  describe("cannot choose the address that an API key is sent to", () => {
    const directory = { baseUrl: "http://127.0.0.1:9" };
    const env = { PLAYTEST_API_KEY: "pt_sk_secretsecret" };
    const argv = ["games", "list", "--retries", "0"];
    it("key from the environment: exit 2, and how to allow it", async () => {
      const { code, stderr } = await at({ directory, env }, argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining("--base-url http://127.0.0.1:9")]);
    });
    it("key from a file: exit 2", async () => {
      const file = join(testFolder(), "key");
      writeFileSync(file, "pt_sk_secretsecret\n");
      const { code, stderr } = await at({ directory, flags: ["--api-key-file", file] }, argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining("The API key from --api-key-file was not sent")]);
    });
    it("`config explain` lists the settings before the error", async () => {
      const { code, stdout, stderr } = await at({ directory: { ...directory, colour: "red" }, env }, ["config", "explain"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("was not sent")]);
      expect(stdout).toMatch(/^baseUrl\thttp:\/\/127\.0\.0\.1:9\tdirectory file\t.*\.playtest\.json$/m);
      expect(stdout).toContain("apiKey\tnot used\trefused\t");
      expect(stdout).toMatch(/^colour\t\tnot a setting\t.*\.playtest\.json$/m);
      expect(stdout + stderr).not.toContain("secretsecret");
    });
    it("a key that the user has, sent to another instance of the user: exit 2", async () => {
      const config = { profile: "work", profiles: { work: { baseUrl: "http://127.0.0.1:8" }, other: directory } };
      const folder = testFolder();
      mkdirSync(join(folder, "config"));
      writeFileSync(join(folder, "config", "config.json"), JSON.stringify(config));
      writeFileSync(join(folder, ".playtest.json"), JSON.stringify({ profile: "other" }));
      const given = { cwd: folder, env: { ...env, PLAYTEST_CONFIG_DIR: join(folder, "config") } };
      expect(await playtest(argv, given)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("was not sent to http://127.0.0.1:9"),
      });
    });
    it("nor a change without a key, such as an order with game keys", async () => {
      const create = ["games", "create", "--name", "X", "--build-url", "https://example.com/a.zip"];
      const { code, stderr } = await at({ directory }, create);
      expect([code, stderr]).toEqual([2, expect.stringContaining("The request was not sent to http://127.0.0.1:9")]);
    });
    it.each(["login", "auth register"])("%s sends no password there without a flag or a confirmation", async (command) => {
      const file = join(testFolder(), "password");
      writeFileSync(file, "correct horse battery");
      const flags = ["--email", "ada@example.com", "--password-file", file, "--yes", "--retries", "0"];
      const { code, stderr } = await at({ directory, flags }, command.split(" "));
      expect([code, stderr]).toEqual([2, expect.stringContaining("where you never signed in. Sign in there?")]);
      expect(stderr).toContain("pass `--base-url http://127.0.0.1:9`");
      const named = { directory, flags: [...flags, "--base-url", "http://127.0.0.1:9"] };
      expect((await at(named, command.split(" "))).code).toBe(10);
    });
    it.each([
      ["given by a flag", { directory, env, flags: ["--base-url", "http://127.0.0.1:9"] }],
      ["given by the environment", { directory, env: { ...env, PLAYTEST_BASE_URL: "http://127.0.0.1:9/api/v1" } }],
      ["that of the profile", { directory, env, profile: { baseUrl: "http://127.0.0.1:9" } }],
    ])("unless the address is also %s", async (_, given) => {
      expect((await at(given, argv)).code).toBe(10);
    });
  });
});

it.each([
  ["an unknown profile", { flags: ["--profile", "nope"] }, "Profile nope not found (set by --profile)."],
  ["an unknown profile in the environment", { env: { PLAYTEST_PROFILE: "nope" } }, "Profile nope not found"],
  ["an invalid timeout", { flags: ["--timeout", "soon"] }, '--timeout: "soon" is not a'],
  ["a timeout of no time", { flags: ["--timeout", "0"] }, "--timeout: must be from 0.01s to 24d, not 0."],
  ["a timeout beyond what a timer can wait", { flags: ["--timeout", "25d"] }, "--timeout: must be from 0.01s to 24d, not 25d."],
  ["a wait beyond what a timer can wait", { flags: ["--max-wait", "25d"] }, "--max-wait: must be from 0s to 24d, not 25d."],
  [
    "a stored wait that was allowed once",
    { profile: { maxWait: "30d" } },
    "profile work: maxWait: must be from 0s to 24d, not 30d.",
  ],
  ["a wait of the directory", { directory: { maxWait: "30d" } }, ".playtest.json: maxWait: must be from 0s to 24d, not 30d."],
  [
    "a profile named as what every object has",
    { flags: ["--profile", "toString"] },
    "Profile toString not found (set by --profile).",
  ],
  ["an invalid timeout in the environment", { env: { PLAYTEST_TIMEOUT: "x" } }, "PLAYTEST_TIMEOUT"],
  ["an invalid base URL", { flags: ["--base-url", "ftp://x"] }, `"ftp://x" is not a valid http or https address`],
  [
    "an API key that is not valid in a header",
    { env: { PLAYTEST_API_KEY: "a b\nc" } },
    "PLAYTEST_API_KEY does not contain a valid API key",
  ],
  ["an API key file that does not exist", { flags: ["--api-key-file", "/no/such"] }, "--api-key-file: cannot read /no/such"],
])("settings: %s: exit 2", async (_, given, message) => {
  expect(await at(given, ["games", "list"])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
});

it("config set, get: settings are set, read and removed, in files that only their owner can read", async () => {
  const env = { PLAYTEST_CONFIG_DIR: join(testFolder(), "config") };
  const run = (...argv: string[]) => playtest(argv, { env });
  expect((await run("config", "set", "timeout", "2m")).stdout).toBe("Set timeout to 120 in profile default.\n");
  expect((await run("config", "get", "timeout")).stdout).toBe("120\n");
  expect(statSync(join(env.PLAYTEST_CONFIG_DIR, "config.json")).mode & 0o777).toBe(0o600);
  expect((await run("config", "set", "timeout")).code).toBe(0);
  expect((await run("config", "get", "timeout")).stdout).toBe("30\n");
  expect((await run("config", "set", "colour", "x")).code).toBe(2);
});

it("a key from the environment is not sent to another instance than the one in PLAYTEST_BASE_URL", async () => {
  const env = { PLAYTEST_API_KEY: "pt_sk_secretsecret", PLAYTEST_BASE_URL: "http://127.0.0.1:8" };
  const { code, stderr } = await at({ env, flags: ["--base-url", "http://127.0.0.1:9"] }, ["games", "list"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("it was given with PLAYTEST_BASE_URL, which is http://127.0.0.1:8"),
  ]);
});

it.each([
  ["mcp", "the Model Context Protocol"],
  ["serve backup verify -", "the archive"],
  ["chat send bea -", "message"],
])("--api-key-file - : nothing else is read from standard input by %s", async (line, other) => {
  const argv = [...line.split(" "), "--api-key-file", "-"];
  const { code, stdout, stderr } = await playtest(argv, { stdin: "pt_sk_0123456789\n" });
  const said = `--api-key-file and ${other} cannot both read standard input.`;
  expect([code, stdout, stderr]).toEqual([2, "", `error: ${said}\n`]);
});

it("--api-key-file - reads the key from standard input", async () => {
  const flags = ["--api-key-file", "-"];
  expect((await at({ flags }, ["auth", "token"], { stdin: "pt_sk_fromstdin\n" })).stdout).toBe("pt_sk_fromstdin\n");
  expect(await at({ flags }, ["auth", "token"], { stdin: "a b" })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Standard input does not contain a valid API key"),
  });
});

it.each(["player", "editor", "pager", "browser", "opener", "exec"])("a directory file cannot set a %s", async (name) => {
  const { code, stdout } = await at({ directory: { [name]: "evil", [`PLAYTEST_${name.toUpperCase()}`]: "evil" } }, [
    "config",
    "explain",
  ]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${name}\t\tnot a setting\t`, "m"))]);
});

describe("an unencrypted connection to another machine", () => {
  const flags = ["--base-url", "http://playtest.invalid", "--retries", "0"];
  const env = { PLAYTEST_API_KEY: "pt_sk_secretsecret" };
  it.each<[string, Given, string[]]>([
    ["a key", { env, flags }, ["games", "list"]],
    ["a password", { flags: [...flags, "--email", "a@example.com", "--password-file", "-"] }, ["login"]],
    ["a change", { flags }, ["games", "create", "--name", "X", "--build-url", "https://example.com/a.zip"]],
  ])("%s is not sent over it without --insecure", async (_, given, argv) => {
    const stdin = "correct horse battery";
    const { code, stderr } = await at(given, argv, { stdin });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("not sent to http://playtest.invalid: the connection is not encrypted"),
    ]);
    expect((await at({ ...given, flags: [...given.flags!, "--insecure"] }, argv, { stdin })).code).toBe(10);
    expect((await at({ ...given, env: { ...given.env, PLAYTEST_INSECURE: "1" } }, argv, { stdin })).code).toBe(10);
  });
});

describe("parsing of values", () => {
  it.each([
    ["30", 30],
    ["30s", 30],
    ["5m", 300],
    ["2h", 7_200],
    ["7d", 604_800],
    ["1.5m", 90],
    ["soon", undefined],
    ["-1s", undefined],
    ["", undefined],
  ])("duration %s", (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each([
    ["20", 2000],
    ["20.00", 2000],
    ["$20.5", 2050],
    ["2000c", 2000],
    ["0.07", 7],
  ])("amount %s", (text, cents) => {
    expect(parseMoney(text, "--amount")).toBe(cents);
  });

  it.each(["20.001", "-5", "1e3", "20,00", "20 USD", "", "c"])("invalid amount: %s", (text) => {
    expect(() => parseMoney(text, "--amount")).toThrow("--amount");
  });

  it.each([
    ["https://x.example/api/v1/", "https://x.example"],
    ["https://x.example/sub/api/v1", "https://x.example/sub"],
    ["http://127.0.0.1:4747/", "http://127.0.0.1:4747"],
    ["x.example", "https://x.example"],
    ["x.example:4750", "https://x.example:4750"],
    ["localhost:4750", "http://localhost:4750"],
    ["127.0.0.1:4750/api/v1", "http://127.0.0.1:4750"],
    ["[::1]:4750", "http://[::1]:4750"],
    ["localhost.example", "https://localhost.example"],
  ])("address %s", (address, url) => {
    expect(instanceUrl(address)).toBe(url);
  });

  it.each(["ftp://x", "https://user:pw@x", "http://", ""])("invalid address: %s", (address) => {
    expect(() => instanceUrl(address)).toThrow(CliError);
  });
});

describe("short id", () => {
  const entry = (id: string) => ({ id, key: "games", label: "" });
  const [a, b] = ["0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", "0195a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c"];
  it.each([
    ["2e3f4a5b", a],
    ["2E3F4A5B", a],
    [b, b],
    ["indie_monthly", "indie_monthly"],
    ["4a5b", "4a5b"],
  ])("%s", (text, id) => {
    expect(resolveId(text, [entry(a), entry(b)])).toBe(id);
  });
  it.each([
    ["unknown", [], 3],
    ["ambiguous", [entry(a), entry(a.replace("0195", "0196"))], 2],
  ])("that is %s", (_, entries, exitCode) => {
    expect(() => resolveId("2e3f4a5b", entries)).toThrow(expect.objectContaining({ exitCode }));
  });
});

describe("proxy for a URL", () => {
  const both = { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "q:2" };
  it.each([
    ["https", "https://x.example", both, "http://p:1/"],
    ["http, without a scheme", "http://x.example", both, "http://q:2/"],
    ["lower case", "https://x.example", { https_proxy: "http://r:3" }, "http://r:3/"],
    ["no proxy set", "https://x.example", {}, undefined],
    ["a loopback address", "http://127.0.0.1:4747", both, undefined],
    ["a host in NO_PROXY", "https://x.example", { ...both, NO_PROXY: "a.example, x.example" }, undefined],
    ["a domain in NO_PROXY", "https://a.x.example", { ...both, no_proxy: ".x.example" }, undefined],
    ["a host in NO_PROXY with another port", "https://x.example", { ...both, NO_PROXY: "x.example:8443" }, "http://p:1/"],
    ["NO_PROXY=*", "https://x.example", { ...both, NO_PROXY: "*" }, undefined],
    ["an address inside a network in NO_PROXY", "https://10.1.2.3", { ...both, NO_PROXY: "10.0.0.0/8" }, undefined],
    [
      "an address outside the networks in NO_PROXY",
      "https://11.1.2.3",
      { ...both, NO_PROXY: "10.0.0.0/8,x/8,10.0.0.0/99" },
      "http://p:1/",
    ],
    ["an IPv6 address in NO_PROXY", "https://[fd00::1]", { ...both, NO_PROXY: "fd00::1" }, undefined],
    ["an IPv6 address with a port in NO_PROXY", "https://[fd00::1]:8443", { ...both, NO_PROXY: "[fd00::1]:8443" }, undefined],
    ["an IPv6 address that is not in NO_PROXY", "https://[fd00::1]", { ...both, NO_PROXY: "fd00::2,fd01::/16" }, "http://p:1/"],
    [
      "a host whose name only ends like one in NO_PROXY",
      "https://notx.example",
      { ...both, NO_PROXY: "x.example" },
      "http://p:1/",
    ],
  ])("%s", (_, url, env, proxy) => {
    expect(routeTo(new URL(url), env).proxy?.url.href).toBe(proxy);
  });
});

it("the file of --api-key-file is read once, because a pipe is empty the second time", () => {
  const folder = testFolder();
  const apiKeyFile = join(folder, "key");
  writeFileSync(apiKeyFile, "pt_sk_0123456789\n");
  const settings = readSettings({ flags: { apiKeyFile }, env: {}, cwd: folder, store: openStore(folder) });
  expect(settings.apiKey()?.value).toBe("pt_sk_0123456789");
  rmSync(apiKeyFile);
  expect(settings.apiKey()?.value).toBe("pt_sk_0123456789");
});

it("a settings file that begins with a byte-order mark is read and changed", async () => {
  const folder = testFolder();
  writeFileSync(join(folder, "config.json"), '\ufeff{"profiles":{"work":{"timeout":4}}}');
  const store = openStore(folder);
  await store.saveConfig((config) => {
    config.profile = "work";
  });
  expect(store.config()).toEqual({ profile: "work", profiles: { work: { timeout: 4 } } });
});
