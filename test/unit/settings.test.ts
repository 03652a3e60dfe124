import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { routeTo } from "../../src/api/proxy.ts";
import { instanceUrl } from "../../src/api/url.ts";
import { parseMoney } from "../../src/cli/flags.ts";
import { resolveId } from "../../src/config/ids.ts";
import { parseDuration } from "../../src/config/settings.ts";
import { CliError } from "../../src/errors.ts";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";

interface Given {
  env?: Record<string, string>;
  directory?: Record<string, unknown>;
  profile?: Record<string, unknown>;
  flags?: string[];
}

/** Runs `argv` where a profile `work` and a directory file may say things. */
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

describe("a setting", () => {
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
  ] as const)("comes from the %s first", async (source, given, value) => {
    const { stdout } = await at(given as Given, [
      "config",
      "explain",
      "--jq",
      '.result[] | select(.name == "timeout") | [.value, .source]',
    ]);
    expect(JSON.parse(stdout)).toEqual([value, source]);
  });
});

describe("a directory file", () => {
  it.each([
    ["a key by name", { apiKey: "abc" }, "contains a secret (apiKey)"],
    ["a key by form", { note: "pt_sk_0123456789abcdef" }, "contains a secret (note)"],
    ["a hosted service's key", { note: "wpg_sk_0123456789abcdef" }, "contains a secret (note)"],
    ["a key deep inside", { ci: [{ token: "x" }] }, "contains a secret (ci.0.token)"],
    ["a value deep inside", { list: ["a", "Bearer x"] }, "contains a secret (list.1)"],
    ["a webhook secret", { hook: "whsec_abc" }, "contains a secret (hook)"],
    ["a password", { adminPassword: "x" }, "contains a secret (adminPassword)"],
  ])("that contains %s is refused", async (_, directory, message) => {
    const { code, stdout, stderr } = await at({ directory }, ["config", "list"]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/abc|0123456789/);
  });

  it.each([
    ["not JSON", "{", "is not valid JSON"],
    ["no object", "[]", "does not contain a JSON object"],
  ])("that is %s is a configuration error", async (_, text, message) => {
    const cwd = testFolder();
    writeFileSync(join(cwd, ".playtest.json"), text);
    expect(await playtest(["config", "list"], { cwd })).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  describe("does not decide where a key is sent", () => {
    const directory = { baseUrl: "http://127.0.0.1:9" };
    const env = { PLAYTEST_API_KEY: "pt_sk_secretsecret" };
    const argv = ["games", "list", "--retries", "0"];
    it("a key from the environment: 2, with how to allow it", async () => {
      const { code, stderr } = await at({ directory, env }, argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining("--base-url http://127.0.0.1:9")]);
    });
    it("a key from a file: 2", async () => {
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
    it.each([
      ["named by a flag", { directory, env, flags: ["--base-url", "http://127.0.0.1:9"] }],
      ["named by the environment", { directory, env: { ...env, PLAYTEST_BASE_URL: "http://127.0.0.1:9/api/v1" } }],
      ["logged in to before", { directory, env, profile: { baseUrl: "http://127.0.0.1:9" } }],
    ])("except if the address is also %s", async (_, given) => {
      expect((await at(given, argv)).code).toBe(10);
    });
  });
});

it.each([
  ["an unknown profile", { flags: ["--profile", "nope"] }, "Profile nope not found (set by --profile)."],
  ["an unknown profile in the environment", { env: { PLAYTEST_PROFILE: "nope" } }, "Profile nope not found"],
  ["a bad time-out", { flags: ["--timeout", "soon"] }, '--timeout: "soon" is not a duration'],
  ["a bad time-out in the environment", { env: { PLAYTEST_TIMEOUT: "x" } }, "PLAYTEST_TIMEOUT"],
  ["a base URL that is none", { flags: ["--base-url", "ftp://x"] }, `"ftp://x" is not a valid http or https address`],
  [
    "a key that no header can carry",
    { env: { PLAYTEST_API_KEY: "a b\nc" } },
    "PLAYTEST_API_KEY does not contain a valid API key",
  ],
  ["a key file that is not there", { flags: ["--api-key-file", "/no/such"] }, "--api-key-file: cannot read /no/such"],
])("%s is exit 2", async (_, given, message) => {
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
  ])("address %s", (address, url) => {
    expect(instanceUrl(address)).toBe(url);
  });

  it.each(["ftp://x", "https://user:pw@x", "http://", ""])("invalid address: %s", (address) => {
    expect(() => instanceUrl(address)).toThrow(CliError);
  });
});

describe("a short id", () => {
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

describe("the proxy", () => {
  const both = { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "q:2" };
  it.each([
    ["https", "https://x.example", both, "http://p:1/"],
    ["http, without a scheme", "http://x.example", both, "http://q:2/"],
    ["lower case", "https://x.example", { https_proxy: "http://r:3" }, "http://r:3/"],
    ["none set", "https://x.example", {}, undefined],
    ["this machine", "http://127.0.0.1:4747", both, undefined],
    ["listed", "https://x.example", { ...both, NO_PROXY: "a.example, x.example" }, undefined],
    ["listed by domain", "https://a.x.example", { ...both, no_proxy: ".x.example" }, undefined],
    ["listed with another port", "https://x.example", { ...both, NO_PROXY: "x.example:8443" }, "http://p:1/"],
    ["everything listed", "https://x.example", { ...both, NO_PROXY: "*" }, undefined],
    ["an address in a range", "https://10.1.2.3", { ...both, NO_PROXY: "10.0.0.0/8" }, undefined],
    ["an address beside a range", "https://11.1.2.3", { ...both, NO_PROXY: "10.0.0.0/8,x/8,10.0.0.0/99" }, "http://p:1/"],
    ["a bare IPv6 address", "https://[fd00::1]", { ...both, NO_PROXY: "fd00::1" }, undefined],
    ["an IPv6 address with a port", "https://[fd00::1]:8443", { ...both, NO_PROXY: "[fd00::1]:8443" }, undefined],
    ["another IPv6 address", "https://[fd00::1]", { ...both, NO_PROXY: "fd00::2,fd01::/16" }, "http://p:1/"],
    ["a name that only ends alike", "https://notx.example", { ...both, NO_PROXY: "x.example" }, "http://p:1/"],
  ])("%s", (_, url, env, proxy) => {
    expect(routeTo(new URL(url), env).proxy?.url.href).toBe(proxy);
  });
});
