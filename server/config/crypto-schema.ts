import * as z from "zod";
import { day, described, hour, integer, isWebUrl, matching, minute, ms, orNull, plainText, second, webUrl } from "./fields.ts";

const isEvmAddress = (text: string) => /^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text);
const isSolanaAddress = (text: string) => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);
const evmExpected = "an address of that chain: 0x and 40 hexadecimal digits";
const solanaExpected = "an address of that chain: 32 to 44 base58 characters";
const chainAddress = (isValid: (text: string) => boolean, description: string, initial: string, expected: string) =>
  described(matching(isValid).default(initial), description, { expected });

const rpcUrl = (chain: string) =>
  webUrl(
    `JSON-RPC URL of your ${chain} node or provider. Payments on ${chain} are accepted when both rpcUrl and receiver are set.`,
  );
const receiverText = (chain: string) =>
  `Address that receives payments on ${chain}. Check it: money sent to a wrong address is lost.`;

const evm = (chain: string, usdc: string, chainId: number, finality: "safe" | "finalized") =>
  z
    .strictObject({
      rpcUrl: rpcUrl(chain),
      receiver: orNull(matching(isEvmAddress), receiverText(chain), { expected: `${evmExpected}, or null` }),
      usdc: chainAddress(isEvmAddress, `Contract of the USDC token on ${chain}.`, usdc, evmExpected),
      usdcName: described(plainText(100).default("USD Coin"), "Name of that contract, which signed payments repeat.", {
        expected: "a text of at most 100 characters",
      }),
      usdcVersion: described(plainText(20).default("2"), "Version of that contract, which signed payments repeat.", {
        expected: "a text of at most 20 characters",
      }),
      chainId: integer("Chain ID the node must report.", chainId, 1, Number.MAX_SAFE_INTEGER),
      finality: described(
        z.enum(["finalized", "safe"]).default(finality),
        "Block of the node from which a payment counts as confirmed.",
      ),
      confirmations: described(
        z.nullable(z.int().check(z.gte(1), z.lte(10_000))).default(null),
        "Blocks after which a payment counts as confirmed. Null: finality decides.",
        { unit: "blocks" },
      ),
      scanBlocks: integer(
        "Blocks per request when looking for deposits, as many as the provider of the node allows.",
        500,
        1,
        100_000,
        "blocks",
      ),
    })
    .prefault({});

const solana = z
  .strictObject({
    rpcUrl: rpcUrl("Solana"),
    receiver: orNull(matching(isSolanaAddress), receiverText("Solana"), { expected: `${solanaExpected}, or null` }),
    usdc: chainAddress(
      isSolanaAddress,
      "Mint of the USDC token on Solana.",
      "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      solanaExpected,
    ),
  })
  .prefault({});

const rate = (coin: string) =>
  described(
    z.nullable(z.number().check(z.gt(0), z.lte(1_000_000_000))).default(null),
    `Fixed price of one ${coin}. Null: the price comes from feedUrl.`,
    { unit: "US cents" },
  );

const rates = z
  .strictObject({
    ETH: rate("ETH"),
    SOL: rate("SOL"),
    feedUrl: orNull(
      matching((text) => isWebUrl(text) && text.includes("{coin}")),
      'Address of a price feed, with {coin} where the name of the coin goes. It answers like Coinbase: {"data":{"amount":"3012.45"}}.',
      { expected: "an http:// or https:// URL with {coin} in it, or null", secret: true },
    ),
    timeoutMs: ms("How long the price feed may take to answer.", 5 * second, 100, 10 * minute),
  })
  .prefault({});

const facilitator = z
  .strictObject({
    url: webUrl(
      "Address of an x402 facilitator, to which /verify and /settle are appended. With one, standard x402 clients pay with a signature.",
    ),
    token: orNull(plainText(4096), "Sent to the facilitator as `Authorization: Bearer`.", {
      expected: "a text of at most 4,096 characters, or null",
      secret: true,
    }),
    chains: described(
      z.array(z.enum(["base", "ethereum"])).default(["base"]),
      "Chains that the facilitator settles payments on.",
      { expected: "a list of base and ethereum" },
    ),
    timeoutMs: ms("How long the facilitator may take to answer.", 30 * second, 100, 10 * minute),
  })
  .prefault({});

/** The settings of crypto payments. */
export const crypto = z.strictObject({
  quoteMs: ms("How long a crypto quote can be paid.", 15 * minute, minute, day),
  reserveMs: ms("How long after its end a quote's amount is not given to another quote.", hour, 0, 7 * day),
  maxOpenQuotes: integer("Unpaid quotes an owner may have at once.", 50, 1, 10_000, "quotes"),
  timeoutMs: ms("How long a node may take to answer.", 10 * second, 100, 10 * minute),
  scanMs: ms("How often a chain is searched for deposits while quotes are open.", 5 * minute, second, day),
  idleScanMs: ms("How often a chain is searched for deposits while no quote is open.", day, second, 30 * day),
  base: evm("Base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 8453, "safe"),
  ethereum: evm("Ethereum", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", 1, "finalized"),
  solana,
  facilitator,
  rates,
});
