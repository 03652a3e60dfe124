import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig } from "../../server/config/read.ts";
import { freshFolder } from "../helpers/store.ts";

const read = (settings: object, env: Record<string, string> = {}) => {
  const folder = freshFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify(settings));
  return readConfig(env, folder, undefined);
};

const url = (text: string) => ({ base: { rpcUrl: text } });

it.each([
  ["http.trustedProxies", { http: { trustedProxies: ["10.0.0.0/33"] } }],
  ["http.trustedProxies", { http: { trustedProxies: ["proxy.internal"] } }],
  ["mail.smtpUrl", { mail: { smtpUrl: "mail.example.com:587" } }],
  ["mail.smtpUrl", { mail: { smtpUrl: "https://user:secret@mail.example.com" } }],
  ["crypto.base.rpcUrl", { crypto: url("node.example/secret") }],
  ["crypto.ethereum.rpcUrl", { crypto: { ethereum: { rpcUrl: "wss://node.example/secret" } } }],
  ["crypto.solana.rpcUrl", { crypto: { solana: { rpcUrl: "secret" } } }],
  ["crypto.rates.feedUrl", { crypto: { rates: { feedUrl: "ftp://rates.example/{coin}" } } }],
  ["stripe.apiUrl", { stripe: { apiUrl: "secret" } }],
])("server settings: an invalid %s is refused by its name, without its value: %j", (name, settings) => {
  const refused = expect(() => read(settings));
  refused.toThrow(expect.objectContaining({ name: "ConfigError", message: expect.stringContaining(name) }));
  refused.not.toThrow(/secret/);
});

it("server settings: invalid environment variables are refused", () => {
  const refuse = (env: Record<string, string>) => expect(() => read({}, env));
  refuse({ PLAYTEST_TRUSTED_PROXIES: "10.0.0.1, nonsense" }).toThrow("http.trustedProxies");
  refuse({ PLAYTEST_SMTP_URL: "nonsense" }).toThrow("mail.smtpUrl");
});

it("server settings: trusted proxies are networks or addresses; services are URLs", () => {
  const services = { mail: { smtpUrl: "smtps://user:pass@mail.example.com" }, crypto: url("https://node.example/key") };
  const { http, mail, crypto } = read(services, { PLAYTEST_TRUSTED_PROXIES: "10.0.0.0/8, ::1, 192.0.2.7" });
  expect(http.trustedProxies).toEqual(["10.0.0.0/8", "::1", "192.0.2.7"]);
  expect([mail.smtpUrl, crypto.base.rpcUrl]).toEqual([services.mail.smtpUrl, services.crypto.base.rpcUrl]);
});
