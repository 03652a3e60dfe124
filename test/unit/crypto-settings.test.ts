import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig } from "../../server/config/read.ts";
import { freshFolder } from "../helpers/store.ts";

const read = (crypto: object) => {
  const folder = freshFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify({ crypto }));
  return readConfig({}, folder, undefined).crypto;
};

it("crypto settings: accept a node and a receiving address", () => {
  const receiver = "0x00000000000000000000000000000000CaFeBabe";
  const { base } = read({ base: { rpcUrl: "https://node.example", receiver, confirmations: 20 } });
  expect(base).toMatchObject({ receiver, chainId: 8453, confirmations: 20 });
});

it.each([
  ["an address that is one digit short", "base", "0x00000000000000000000000000000000CaFeBab"],
  ["an address of another chain", "ethereum", "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
  ["an address of another chain", "solana", "0x00000000000000000000000000000000CaFeBabe"],
])("crypto settings: refuse %s as the receiver on %s", (_, chain, receiver) => {
  expect(() => read({ [chain]: { receiver } })).toThrow(`crypto.${chain}.receiver is not an address of that chain`);
});
