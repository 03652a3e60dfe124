import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createSolanaChain } from "../../server/billing/crypto/chains/solana.ts";
import { openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { type RpcAnswer, startRpc } from "../helpers/rpc-proxy.ts";
import { createTestClock } from "../helpers/server.ts";

interface Recorded {
  blockTime: number;
  meta: { err: unknown };
  transaction: { signatures: [string] };
}

/** What mainnet's nodes answered; the file says where anybody can check it. */
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "..", "recorded", "solana.json"), "utf8")) as {
  transactions: Record<"usdcToNewAccount" | "sol" | "solThroughLookupTable", Recorded>;
  signatures: { address: string; reply: unknown };
  tokenAccounts: { owner: string; reply: unknown };
};
type Name = keyof typeof recorded.transactions;

const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const usdt = "Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB";
const mainnet = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
const owner = recorded.tokenAccounts.owner;
const tokenAccount = recorded.signatures.address;
const signatureOf = (name: Name) => recorded.transactions[name].transaction.signatures[0];

const nodes: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close();
});

/** A node that answers what was recorded, but for `change`; it knows of nothing until it is `out`. */
async function replay(change: (reply: Recorded) => unknown = (reply) => reply, isOut = () => true) {
  const answer = (method: string, [first]: unknown[]): RpcAnswer => {
    const transaction = Object.values(recorded.transactions).find((one) => one.transaction.signatures[0] === first);
    const results: Record<string, unknown> = {
      getGenesisHash: mainnet,
      getSlot: isOut() ? 185_442_861 : 184_930_600,
      getTransaction: transaction ? change(structuredClone(transaction)) : null,
      getTokenAccountsByOwner: first === owner ? recorded.tokenAccounts.reply : { value: [] },
      getSignaturesForAddress: isOut() && first === tokenAccount ? recorded.signatures.reply : [],
    };
    return { result: results[method] };
  };
  const node = await startRpc(answer);
  nodes.push(node);
  return node.url;
}

const watch = async (receiver: string, { mint = usdc, change = undefined as ((reply: Recorded) => unknown) | undefined } = {}) =>
  createSolanaChain({ rpcUrl: await replay(change), receiver, usdc: mint, timeoutMs: 2_000 });

/** Whose money it was; another paid the fee of the first two. */
const senders = {
  usdc: "8fusVwhgo4oS1fGpZKeRaXrJXQk9auKnAgcj9A97wR3t",
  sol: "DT1mBDFsNBc1UXa25RdxNvnjL5Lro7su7gX1zpLyCmWe",
  table: "web3xFMwEPrc92NeeXdAigni95NDnnd2NPuajTirao2",
};

it.each([
  [
    "USDC to an account it opens",
    "usdcToNewAccount",
    owner,
    [{ index: 0, currency: "USDC", to: owner, amount: 1000n, from: senders.usdc }],
  ],
  [
    "SOL",
    "sol",
    "2b7iQq3PbWwWTotRSDFNXT9DauU418aCHK4jcAzETUem",
    [{ index: 1, currency: "SOL", to: "2b7iQq3PbWwWTotRSDFNXT9DauU418aCHK4jcAzETUem", amount: 1_000_000n, from: senders.sol }],
  ],
  [
    "SOL to an address of a lookup table, in a versioned transaction",
    "solThroughLookupTable",
    "buffaAJKmNLao65TDTUGq8oB9HgxkfPLGqPMFQapotJ",
    [{ index: 1, currency: "SOL", to: "buffaAJKmNLao65TDTUGq8oB9HgxkfPLGqPMFQapotJ", amount: 1000n, from: senders.table }],
  ],
  ["what its sender has less of", "sol", "DT1mBDFsNBc1UXa25RdxNvnjL5Lro7su7gX1zpLyCmWe", []],
  ["what the sender of tokens has less of", "usdcToNewAccount", "8fusVwhgo4oS1fGpZKeRaXrJXQk9auKnAgcj9A97wR3t", []],
  ["somebody else's", "usdcToNewAccount", "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", []],
] as const)("reads of a recorded transaction: %s", async (_, name, receiver, transfers) => {
  const seen = await (await watch(receiver)).find(signatureOf(name));
  expect(seen).toMatchObject({ status: "success", final: true, at: recorded.transactions[name].blockTime * 1000, transfers });
});

it("USDC: a transfer of another mint does not count", async () => {
  expect((await (await watch(owner, { mint: usdt })).find(signatureOf("usdcToNewAccount")))?.transfers).toEqual([]);
});

it("SOL: lamports that open a token account do not count", async () => {
  // They go to the account of the tokens, which is not the receiver's own.
  const seen = await (await watch(owner)).find(signatureOf("usdcToNewAccount"));
  expect(seen?.transfers.map(({ currency }) => currency)).toEqual(["USDC"]);
});

it("failed transfer: does not count", async () => {
  const change = (reply: Recorded) => ({ ...reply, meta: { ...reply.meta, err: { InstructionError: [1, { Custom: 1 }] } } });
  expect((await (await watch(owner, { change })).find(signatureOf("usdcToNewAccount")))?.status).toBe("reverted");
});

it("scan: finds token transfers by the token account, and none from before the quote", async () => {
  const chain = await watch(owner);
  const scan = (after: string | null, since = 0) => chain.scan({ after, since, nativeSince: null });
  const all = await scan(null);
  expect(all).toEqual({ hashes: [signatureOf("usdcToNewAccount")], position: "185442861", behind: false });
  expect((await scan("184930610")).hashes).toHaveLength(1);
  expect((await scan(all.position)).hashes).toEqual([]);
  expect((await scan(null, recorded.transactions.usdcToNewAccount.blockTime * 1000 + 1)).hashes).toEqual([]);
});

onBothDatabases("a recorded deposit on Solana", (serve) => {
  async function open(mint = usdc) {
    const clock = createTestClock(recorded.transactions.usdcToNewAccount.blockTime * 1000 - 60_000);
    let out = false;
    const rpcUrl = await replay(undefined, () => out);
    const server = await serve({
      clock,
      config: (config) => {
        config.sandbox = false;
        config.crypto.rates.SOL = 15_000;
        Object.assign(config.crypto.solana, { rpcUrl, receiver: owner, usdc: mint });
      },
    });
    const wallet = await openWallet(server);
    await wallet.ask(2000, "solana");
    // What was recorded is a tenth of a cent, which no top-up may be: the quote is made to ask for just that.
    const askForIt = async () => {
      await server.deps.store.write((tx) => tx.run("UPDATE crypto_quotes SET amount_atomic = '1000'"));
      out = true;
    };
    return { ...wallet, askForIt, prove: () => wallet.prove(signatureOf("usdcToNewAccount"), "solana") };
  }

  it("pays its quote, once", async () => {
    const wallet = await open();
    await wallet.askForIt();
    const replies = [await wallet.prove(), await wallet.prove()];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await wallet.credit()).toBe(2000);
  });

  it("pays its quote without being submitted", async () => {
    const wallet = await open();
    await wallet.askForIt();
    await wallet.server.advance(5 * 60_000);
    expect([await wallet.credit(), (await wallet.prove()).status]).toEqual([2000, 200]);
  });

  it("is too little for any other quote", async () => {
    const wallet = await open();
    const reply = await wallet.prove();
    expect([reply.status, reply.body.error.message]).toEqual([402, expect.stringContaining("0.001 USDC arrived of 20.0")]);
    expect(await wallet.credit()).toBe(0);
  });

  it("does not count where another mint is configured", async () => {
    const wallet = await open(usdt);
    await wallet.askForIt();
    expect([(await wallet.prove()).status, await wallet.credit()]).toEqual([422, 0]);
  });
});
