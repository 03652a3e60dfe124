import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaults } from "../../server/config/defaults.ts";
import { readConfig, readSettings } from "../../server/config/read.ts";
import { configurationReference, exampleConfig, jsonSchema, settingRows } from "../../server/config/reference.ts";
import { rules } from "../../server/config/rules.ts";
import { allSettings } from "../../server/config/schema.ts";
import { freshFolder } from "../helpers/store.ts";

type Env = Record<string, string>;

function folderWith(settings: unknown): string {
  const folder = freshFolder();
  writeFileSync(join(folder, "config.json"), typeof settings === "string" ? settings : JSON.stringify(settings));
  return folder;
}

const read = (settings: unknown, env: Env = {}) => readConfig(env, folderWith(settings), undefined);

/** The lines of the error, without the first and the last; the file is named FILE. */
async function faults(settings: unknown, env: Env = {}): Promise<string[]> {
  const folder = folderWith(settings);
  try {
    await readConfig(env, folder, undefined);
  } catch (error) {
    expect(error).toMatchObject({ name: "ConfigError", exitCode: 2 });
    return (error as Error).message.replaceAll(join(folder, "config.json"), "FILE").split("\n").slice(1, -1);
  }
  return [];
}

const url = (text: string) => ({ base: { rpcUrl: text } });
const receiver = "0x00000000000000000000000000000000CaFeBabe";

describe("server settings: one that is not valid", () => {
  it.each([
    ["http.trustedProxies", { http: { trustedProxies: ["10.0.0.0/33"] } }],
    ["http.trustedProxies", { http: { trustedProxies: ["proxy.internal"] } }],
    ["mail.smtpUrl", { mail: { smtpUrl: "mail.example.com:587" } }],
    ["mail.smtpUrl", { mail: { smtpUrl: "https://user:secret@mail.example.com" } }],
    ["crypto.base.rpcUrl", { crypto: url("node.example/secret") }],
    ["crypto.ethereum.rpcUrl", { crypto: { ethereum: { rpcUrl: "wss://node.example/secret" } } }],
    ["crypto.solana.rpcUrl", { crypto: { solana: { rpcUrl: "secret" } } }],
    ["crypto.rates.feedUrl", { crypto: { rates: { feedUrl: "ftp://secret.example/{coin}" } } }],
    ["crypto.rates.feedUrl", { crypto: { rates: { feedUrl: "https://secret.example/ETH" } } }],
    ["stripe.apiUrl", { stripe: { apiUrl: "secret" } }],
    ["metrics.token", { metrics: { token: "hidden-in-a-wörd" } }],
    ["metrics.token", { metrics: { token: "hidden in plain sight" } }],
    ["stripe.webhookSecret", { stripe: { secretKey: "sk_hidden", webhookSecret: ["sk_hidden"] } }],
  ])("is named, and no secret is shown: %s of %j", async (name, settings) => {
    const lines = await faults(settings);
    expect(lines).toEqual([expect.stringContaining(name)]);
    expect(lines.join()).not.toMatch(/secret\b|hidden/);
  });

  it.each<[string, object, string]>([
    [
      "below its range",
      { jobs: { leaseMs: -5 } },
      "jobs.leaseMs is -5. It must be a whole number from 2000 to 3600000 (milliseconds).",
    ],
    [
      "a negative price",
      { pricing: { baseCents: { 60: -100 } } },
      "pricing.baseCents.60 is -100. It must be a whole number from 0 to 1000000 (US cents).",
    ],
    [
      "a fraction",
      { http: { drainMs: 0.5 } },
      "http.drainMs is 0.5. It must be a whole number from 0 to 3600000 (milliseconds).",
    ],
    ["of another type", { limits: { enabled: "no" } }, 'limits.enabled is "no". It must be true or false.'],
    ["null", { limits: { keyBurst: null } }, "limits.keyBurst is null. It must be a whole number from 1 to 1000000 (requests)."],
    [
      "no choice",
      { crypto: { base: { finality: "latest" } } },
      'crypto.base.finality is "latest". It must be finalized or safe.',
    ],
    [
      "neither a number nor null",
      { crypto: { base: { confirmations: 0 } } },
      "crypto.base.confirmations is 0. It must be a whole number from 1 to 10000 (blocks), or null.",
    ],
    ["no object", { limits: 5 }, "limits is 5. It must be an object with settings."],
    [
      "an entry of a list",
      { transcriber: { command: ["whisper", 3] } },
      "Entry 2 of transcriber.command is 3. The setting must be a list of strings: the program, then its arguments.",
    ],
    [
      "an address of another chain",
      { crypto: { solana: { receiver } } },
      `crypto.solana.receiver is "${receiver}". It must be an address of that chain: 32 to 44 base58 characters, or null.`,
    ],
  ])("is shown with what it must be: %s", async (_, settings, message) => {
    expect(await faults(settings)).toEqual([`  ${message}`]);
  });

  it.each([
    ["a digit too few", "base", "0x00000000000000000000000000000000CaFeBab"],
    ["the zero address", "base", `0x${"0".repeat(40)}`],
    ["an address of another chain", "ethereum", "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
  ])("is refused as an address that receives money: %s on %s", async (_, chain, address) => {
    expect(await faults({ crypto: { [chain]: { receiver: address } } })).toEqual([
      expect.stringContaining(`crypto.${chain}.receiver`),
    ]);
  });

  it("is listed together with all the others, and with where to correct them", async () => {
    const folder = folderWith({ jobs: { leasMs: 5 }, uploads: { idleMs: 0 }, webhooks: { inFlight: 1 } });
    await expect(readConfig({ PLAYTEST_SMTP_URL: "x" }, folder, undefined)).rejects.toThrow(`\
The server cannot start: its configuration has 4 errors.
  uploads.idleMs is 0. It must be a whole number from 1000 to 3600000 (milliseconds).
  mail.smtpUrl (PLAYTEST_SMTP_URL) is not valid (its value is not shown). It must be an smtp:// or smtps:// URL, or null.
  Unknown setting jobs.leasMs. Did you mean jobs.leaseMs?
  webhooks.inFlightPerHost must be at most webhooks.inFlight.
Correct ${join(folder, "config.json")}, PLAYTEST_SMTP_URL. \`playtest serve config\` describes every setting.`);
  });

  it("is refused in the environment as well", async () => {
    expect(await faults({}, { PLAYTEST_TRUSTED_PROXIES: "10.0.0.1, nonsense" })).toEqual([
      '  Entry 2 of http.trustedProxies (PLAYTEST_TRUSTED_PROXIES) is "nonsense". The setting must be a list of IP addresses or CIDR blocks, such as 10.0.0.0/8.',
    ]);
    expect(await faults({ mail: 5 }, { PLAYTEST_SMTP_URL: "smtp://localhost" })).toEqual([
      "  mail is 5. It must be an object with settings.",
    ]);
  });
});

describe("server settings: an unknown one", () => {
  it.each([
    ["jobs.leasMs", "jobs.leaseMs", { jobs: { leasMs: 5 } }],
    ["leaseMs", "jobs.leaseMs", { leaseMs: 5_000 }],
    ["job", "jobs", { job: {} }],
    ["pricing.baseCents.61", "pricing.baseCents.60", { pricing: { baseCents: { 61: 1 } } }],
  ])("is answered with the nearest: %s, %s", async (name, near, settings) => {
    expect(await faults(settings)).toEqual([`  Unknown setting ${name}. Did you mean ${near}?`]);
  });

  it("is answered alone when none is near", async () => {
    expect(await faults('{"nothing": 1, "jobs": {"__proto__": 1}}')).toEqual([
      "  Unknown setting jobs.__proto__.",
      "  Unknown setting nothing.",
    ]);
  });

  it("is answered with the flag that sets it", async () => {
    expect(await faults({ baseUrl: "https://play.example.com" })).toEqual([
      "  baseUrl cannot be set in the configuration. Use --public-url.",
    ]);
  });
});

describe("server settings: what they must be to each other", () => {
  it.each<[string, object]>([
    ["http.idleTimeoutMs must be more than http.heartbeatMs", { http: { idleTimeoutMs: 15_000 } }],
    ["webhooks.inFlightPerHost must be at most webhooks.inFlight", { webhooks: { inFlightPerHost: 65 } }],
    ["crypto.scanMs must be at most crypto.idleScanMs", { crypto: { idleScanMs: 1_000 } }],
    ["must be set together", { stripe: { secretKey: "sk_test" } }],
    ["checkout.expireMs must be", { checkout: { expireMs: 60_000 }, stripe: { secretKey: "sk", webhookSecret: "whsec" } }],
    [
      "crypto.base.receiver must be your own address",
      { crypto: { base: { receiver: defaults.crypto.base.usdc.toLowerCase() } } },
    ],
  ])("%s", async (message, settings) => {
    expect(await faults(settings)).toEqual([expect.stringContaining(message)]);
  });

  it.each<[string, object]>([
    ["http.heartbeatMs is 0", { http: { idleTimeoutMs: 15_000, heartbeatMs: 0 } }],
    ["webhooks.inFlight is 0", { webhooks: { inFlightPerHost: 65, inFlight: 0 } }],
    ["crypto.scanMs is 0", { crypto: { scanMs: 0, idleScanMs: 1_000 } }],
    ['crypto.base.usdc is "0x"', { crypto: { base: { receiver: defaults.crypto.base.usdc, usdc: "0x" } } }],
  ])("is not checked where one of them is wrong by itself: %s", async (message, settings) => {
    expect(await faults(settings)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    { http: { idleTimeoutMs: 15_001, heartbeatMs: 15_000 } },
    { webhooks: { inFlightPerHost: 64, inFlight: 64 } },
    { crypto: { scanMs: 20_000, idleScanMs: 20_000 } },
  ])("may be just so: %j", async (settings) => {
    expect(await faults(settings)).toEqual([]);
  });

  it("is said of settings that exist", () => {
    const names = allSettings().map(({ name }) => name);
    for (const { settings, requirement } of rules) {
      expect(settings.filter((name) => !names.includes(name))).toEqual([]);
      expect(settings.filter((name) => requirement.includes(name))).not.toEqual([]);
    }
  });
});

describe("server settings: the file", () => {
  it.each([
    ["[]", "is not a JSON object"],
    ["null", "is not a JSON object"],
    ["{", "is not valid JSON"],
  ])("%s %s", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it("may be absent, but not when a flag names it", async () => {
    const folder = freshFolder();
    expect(await readConfig({}, folder, undefined)).toEqual(defaults);
    await expect(readConfig({}, folder, join(folder, "other.json"))).rejects.toThrow("cannot be read");
  });

  it("may begin with a byte order mark, as editors on Windows write it", async () => {
    expect(await read("\ufeff{}\r\n")).toEqual(defaults);
  });

  it("may name its JSON Schema", async () => {
    expect(await read({ $schema: "./schema.json" })).toEqual(defaults);
  });

  it("sets some settings and leaves the others at their defaults", async () => {
    const { pricing, crypto } = await read({
      pricing: { baseCents: { 60: 2500 } },
      crypto: { base: { receiver, confirmations: 20 } },
    });
    expect(pricing).toEqual({ ...defaults.pricing, baseCents: { ...defaults.pricing.baseCents, 60: 2500 } });
    expect(crypto.base).toEqual({ ...defaults.crypto.base, receiver, confirmations: 20 });
  });
});

describe("server settings: the environment", () => {
  it("comes before the file, and an empty variable sets nothing", async () => {
    const folder = folderWith({ mail: { smtpUrl: "smtps://user:pass@mail.example.com", from: "a@example.com" } });
    const env = {
      PLAYTEST_TRUSTED_PROXIES: "10.0.0.0/8, ::1, 192.0.2.7",
      PLAYTEST_MAIL_FROM: "b@example.com",
      PLAYTEST_SMTP_URL: "",
    };
    const { settings, sourceOf } = await readSettings(env, folder, undefined);
    expect(settings.http.trustedProxies).toEqual(["10.0.0.0/8", "::1", "192.0.2.7"]);
    expect(settings.mail).toMatchObject({ from: "b@example.com", smtpUrl: "smtps://user:pass@mail.example.com" });
    const sources = ["http.trustedProxies", "mail.from", "mail.smtpUrl", "jobs.leaseMs"].map(sourceOf);
    expect(sources).toEqual(["PLAYTEST_TRUSTED_PROXIES", "PLAYTEST_MAIL_FROM", join(folder, "config.json"), "default"]);
  });
});

describe("server settings: the reference", () => {
  it("describes every setting by a sentence, and every number by its range", () => {
    const rows = settingRows();
    const outside = ["--data", "--database-url", "PLAYTEST_SECRET_KEY"];
    expect(rows.map(({ setting }) => setting)).toEqual([...outside, ...allSettings().map(({ name }) => name)]);
    expect(rows.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
    expect(rows.filter(({ type, range }) => /integer|number/.test(type) && !/\d/.test(range))).toEqual([]);
  });

  it("gives the unit that a name ends with", () => {
    const units: [RegExp, string][] = [
      [/Ms$/, "milliseconds"],
      [/Bytes$/, "bytes"],
      [/Cents(\.\d+)?$/, "US cents"],
    ];
    for (const [name, unit] of units)
      expect(
        settingRows().filter((row) => name.test(row.setting) !== (row.unit === unit) && !row.setting.startsWith("crypto.rates")),
      ).toEqual([]);
  });

  it("has an example that is a valid file with every default", async () => {
    expect(await read(exampleConfig())).toEqual(defaults);
  });

  it("has a JSON Schema that knows every setting and no others", () => {
    const schema = jsonSchema() as { properties: Record<string, { properties: object }>; additionalProperties: boolean };
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties.jobs!.properties).toEqual({
      leaseMs: expect.objectContaining({ type: "integer", minimum: 2000, maximum: 3_600_000, default: 45_000 }),
    });
  });

  it("is written as Markdown", () => {
    const text = configurationReference();
    expect(text).toMatch(/^## Data and key\n\n\| Setting \| Default \| Range \| Variable \| Meaning \|\n/);
    expect(text).toContain(`
## Background jobs

| Setting | Default | Range | Unit | Meaning |
| --- | --- | --- | --- | --- |
| \`jobs.leaseMs\` | \`45000\` (45 s) | 2000 (2 s) to 3600000 (1 h) | milliseconds | How long`);
    expect(text.split("\n").filter((line) => line.startsWith("| `"))).toHaveLength(3 + allSettings().length);
  });
});
