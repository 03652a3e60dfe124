import { describe, expect, it } from "vitest";
import { bytesOf, evmAddress, solanaAddress } from "../../server/billing/crypto/chains/addresses.ts";
import { findSigner, hasValidChecksum } from "../../server/billing/crypto/signatures/index.ts";
import { base58, evmWallet, solanaWallet } from "../helpers/wallets.ts";

const message = "Löwe 🦁\nPayment: 1";

describe("signatures of Ethereum's kind", () => {
  const [mine, other] = [evmWallet(1), evmWallet(2)];
  const addresses = [other.address, mine.address];
  const find = (signature: string, text = message) => findSigner("base", { message: text, signature, addresses });

  // Published by others: the example of eth_account's documentation for `recover_message`.
  it("are read as other software writes them", () => {
    const known = {
      message: "I♥SF",
      signature:
        "0xe6ca9bba58c88611fad66a6ce8f996908195593807c4b38bd528d2cff09d4eb33e5bfbbf4d3e39b1a2fd816a7680c19ebebaf3a141b239934ad43cb33fcec8ce1c",
      addresses: ["0x5ce9454909639d2d17a3f753ce7d93fa0b9ab12e"],
    };
    expect(findSigner("ethereum", known)).toBe(known.addresses[0]);
  });

  it.each([27, 0])("are found with a recovery id from %i", (v) => {
    expect(find(mine.sign(message, { v }))).toBe(mine.address);
  });

  it("may lack 0x and be in upper case", () => {
    expect(find(mine.sign(message).slice(2).toUpperCase())).toBe(mine.address);
  });

  it.each([
    ["of another message", find(mine.sign(`${message}1`))],
    ["of another address", find(evmWallet(3).sign(message))],
    ["with a high s, which anybody can make of a valid one", find(mine.sign(message, { highS: true }))],
    ["with another recovery id", find(mine.sign(message).replace(/..$/, "1d"))],
    ["cut short", find(mine.sign(message).slice(0, -2))],
    ["of zeros", find(`0x${"0".repeat(130)}`)],
    ["that is no hex", find("nonsense")],
  ])("are none: %s", (_, found) => {
    expect(found).toBeUndefined();
  });
});

describe("signatures of Solana", () => {
  const [mine, other] = [solanaWallet(), solanaWallet()];
  const signed = mine.signBytes(Buffer.from(message));
  const find = (signature: string, text = message) =>
    findSigner("solana", { message: text, signature, addresses: [other.address, mine.address] });

  it.each([
    ["base58", base58(signed)],
    ["hex", signed.toString("hex")],
    ["base64", signed.toString("base64")],
  ])("are found in %s", (_, signature) => {
    expect(find(signature)).toBe(mine.address);
  });

  it("are found in the envelope of `solana sign-offchain-message`", () => {
    const text = Buffer.from(message);
    const envelope = Buffer.concat([
      Buffer.from("\xffsolana offchain", "latin1"),
      Buffer.from([0, 1, text.length % 256, Math.floor(text.length / 256)]),
      text,
    ]);
    expect(find(base58(mine.signBytes(envelope)))).toBe(mine.address);
  });

  it.each([
    ["of another message", find(base58(signed), `${message}1`)],
    ["of another address", find(base58(solanaWallet().signBytes(Buffer.from(message))))],
    ["with a larger s, which anybody can make of a valid one", find(enlarged(signed).toString("hex"))],
    ["cut short", find(signed.subarray(1).toString("hex"))],
    ["that is no signature", find("nonsense")],
  ])("are none: %s", (_, found) => {
    expect(found).toBeUndefined();
  });
});

/** The same point with `s` plus the order of the group. */
function enlarged(signed: Buffer): Buffer {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${Buffer.from(signed.subarray(32)).reverse().toString("hex")}`) + order;
  return Buffer.concat([signed.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse()]);
}

describe("addresses", () => {
  it.each([
    ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", true],
    ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", true],
    ["0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", true],
    ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", false],
    ["0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", false],
    ["9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", true],
  ])("the checksum of %s is right: %s", (address, right) => {
    expect(hasValidChecksum(address)).toBe(right);
  });

  it("of Ethereum's kind are compared in lower case, those of Solana as they are", () => {
    expect(evmAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")).toBe("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed");
    const { address } = solanaWallet();
    expect([solanaAddress(address), bytesOf(address)?.length]).toEqual([address, 32]);
  });

  it.each(["", "0x", `0x${"0".repeat(40)}`, `0x${"g".repeat(40)}`, "1", "0OIl", "1".repeat(33), "z".repeat(44)])(
    "%j is none",
    (text) => {
      expect([evmAddress(text), solanaAddress(text)]).toEqual([undefined, undefined]);
    },
  );
});
