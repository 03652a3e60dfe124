import { describe, expect, it } from "vitest";
import { requireReceivers } from "../../server/billing/crypto/receivers.ts";
import { defaults } from "../../server/config/defaults.ts";

const right = "0x52908400098527886E0F7030069857D2E4169EE7";
const mixed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const check = (chain: "base" | "ethereum" | "solana", addresses: object) => {
  const { crypto } = structuredClone(defaults);
  Object.assign(crypto[chain], addresses);
  return requireReceivers({ crypto });
};

describe("addresses that receive payments", () => {
  it.each([
    ["base", null],
    ["base", right],
    ["ethereum", mixed],
    ["ethereum", mixed.toLowerCase()],
    ["solana", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"],
  ] as const)("%s: %s is taken", async (chain, receiver) => {
    await expect(check(chain, { receiver })).resolves.toBeUndefined();
  });

  it.each([
    ["base", { receiver: mixed.replace("3F3E", "3E3F") }, "receiver"],
    ["ethereum", { receiver: right, usdc: mixed.replace("aAeb", "aaeb") }, "usdc"],
    ["solana", { receiver: "z".repeat(44) }, "receiver"],
  ] as const)("%s: %j is refused", async (chain, addresses, name) => {
    await expect(check(chain, addresses)).rejects.toThrow(`crypto.${chain}.${name} has a typing mistake`);
  });
});
