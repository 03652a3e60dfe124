import { afterEach, describe, expect, it } from "vitest";
import { instructionsOf, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { patience, type RpcAnswer, startRpc, type Trouble } from "../helpers/rpc-proxy.ts";
import { startTime } from "../helpers/server.ts";

const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const receiver = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";
const sender = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T";
const bystander = "GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ";
const txHash = "5".repeat(88);
const mainnet = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

interface Moved {
  token?: bigint;
  lamports?: bigint;
  owner?: string;
  mint?: string;
  err?: unknown;
  blockTime?: number | null;
  /** What the receiver held before. */
  before?: bigint;
}

const tokenBalance = (accountIndex: number, owner: string, of: string, amount: bigint) => ({
  accountIndex,
  mint: of,
  owner,
  programId: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  uiTokenAmount: {
    amount: String(amount),
    decimals: 6,
    uiAmount: Number(amount) / 1e6,
    uiAmountString: String(Number(amount) / 1e6),
  },
});

/** What a node answers `getTransaction` with (`jsonParsed`), as the Solana documentation describes it. */
function transaction({ token, lamports = 0n, owner = receiver, mint: of = mint, err = null, blockTime, before = 0n }: Moved) {
  const keys = [sender, receiver, "11111111111111111111111111111111"];
  const start = 5_000_000_000;
  const balances = (amount: bigint) =>
    token === undefined
      ? []
      : [
          ...(amount === 0n && before === 0n ? [] : [tokenBalance(3, owner, of, before + amount)]),
          tokenBalance(2, sender, of, 900_000_000_000n - amount),
        ];
  return {
    blockTime: blockTime === undefined ? Math.floor(startTime / 1000) + 30 : blockTime,
    slot: 401_648_978,
    version: 0,
    meta: {
      err,
      fee: 5000,
      status: err === null ? { Ok: null } : { Err: err },
      computeUnitsConsumed: 6200,
      innerInstructions: [],
      logMessages: [],
      rewards: [],
      preBalances: [start, 1_000_000, 1],
      postBalances: [start - Number(lamports) - 5000, 1_000_000 + Number(lamports), 1],
      preTokenBalances: balances(0n),
      postTokenBalances: balances(token ?? 0n),
    },
    transaction: {
      signatures: [txHash],
      message: {
        accountKeys: keys.map((pubkey, index) => ({ pubkey, signer: index === 0, source: "transaction", writable: index < 2 })),
        instructions: [],
        recentBlockhash: "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N",
      },
    },
  };
}

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of running.splice(0)) await node.close();
});

onBothDatabases("deposits on Solana", (serve) => {
  async function open({ genesis = mainnet, timeoutMs = patience() } = {}) {
    const known: Record<"finalized" | "confirmed", unknown> = { finalized: null, confirmed: null };
    const answer = (method: string, params: unknown[]): RpcAnswer => {
      if (method === "getGenesisHash") return { result: genesis };
      if (method !== "getTransaction" || params[0] !== txHash) return { error: { code: -32601, message: "not scripted" } };
      const { commitment, encoding } = params[1] as { commitment: "finalized" | "confirmed"; encoding: string };
      return encoding === "jsonParsed" ? { result: known[commitment] } : { error: { code: -32602, message: "wrong encoding" } };
    };
    const node = await startRpc(answer);
    running.push(node);
    const server = await serve({
      config: (config) => {
        config.sandbox = false;
        config.crypto.timeoutMs = timeoutMs;
        config.crypto.rates.SOL = 15_000;
        Object.assign(config.crypto.solana, { rpcUrl: node.url, receiver });
      },
    });
    const wallet = await openWallet(server);
    return {
      ...wallet,
      node,
      ask: async (currency = "USDC") => BigInt(instructionsOf(await wallet.ask(2000, "solana", currency)).maxAmountRequired),
      prove: (currency = "USDC", hash = txHash) => wallet.prove(hash, "solana", currency),
      final: (moved: Moved) => {
        const seen = transaction(moved);
        Object.assign(known, { finalized: seen, confirmed: seen });
      },
      confirmed: (moved: Moved | null) => Object.assign(known, { finalized: null, confirmed: moved && transaction(moved) }),
    };
  }

  it.each([
    ["an account the transfer opens", 0n],
    ["an account with money in it", 123_456_789_012n],
  ])("USDC: a transfer to %s is credited once", async (_, before) => {
    const wallet = await open();
    wallet.final({ token: await wallet.ask(), before });
    expect([(await wallet.prove()).body.data?.creditedCents, (await wallet.prove()).status]).toEqual([2000, 200]);
    expect([await wallet.credit(), await wallet.received("solana", "USDC")]).toEqual([2000, 2000]);
  });

  it("SOL: a transfer is credited", async () => {
    const wallet = await open();
    wallet.final({ lamports: await wallet.ask("SOL") });
    expect((await wallet.prove("SOL")).body.data.creditedCents).toBe(2000);
  });

  describe("does not credit", () => {
    const rows: [string, Moved][] = [
      ["another mint", { mint: "Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB" }],
      ["another owner's account", { owner: bystander }],
      ["a failed transaction", { err: { InstructionError: [0, { Custom: 1 }] } }],
    ];
    it.each(rows)("%s", async (_, moved) => {
      const wallet = await open();
      wallet.final({ token: await wallet.ask(), ...moved });
      const reply = await wallet.prove();
      expect([reply.status, reply.body.error.details[0].field, await wallet.credit()]).toEqual([422, "txHash", 0]);
    });

    it("a transaction that is older than the quote", async () => {
      const wallet = await open();
      wallet.final({ token: (await wallet.ask()) + 1n, blockTime: startTime / 1000 - 3600 });
      expect([(await wallet.prove()).status, await wallet.received("solana", "USDC")]).toEqual([422, 0]);
    });

    it("an invalid signature", async () => {
      const wallet = await open();
      await wallet.ask();
      expect((await wallet.prove("USDC", "0OIl")).body.error.details[0].field).toBe("txHash");
    });
  });

  it("finality: awaited, then credited in the background", async () => {
    const wallet = await open();
    const token = await wallet.ask();
    expect((await wallet.prove()).status).toBe(402);
    wallet.confirmed({ token });
    expect((await wallet.prove()).body.error.message).toContain("is not final yet");
    wallet.final({ token });
    await wallet.server.advance(60_000);
    expect(await wallet.credit()).toBe(2000);
  });

  it("dropped transaction: one that is gone before it is final is not credited", async () => {
    const wallet = await open();
    wallet.confirmed({ token: await wallet.ask() });
    expect((await wallet.prove()).status).toBe(402);
    wallet.confirmed(null);
    await wallet.server.advance(3 * 3_600_000);
    expect(await wallet.credit()).toBe(0);
  });

  it.each<Trouble>(["refuses", "fails", "babbles", "hangs", "errs", "confuses"])(
    "outage: 503 while the node %s",
    async (trouble) => {
      const wallet = await open({ timeoutMs: patience(trouble) });
      wallet.final({ token: await wallet.ask() });
      wallet.node.fail(trouble);
      expect((await wallet.prove()).status).toBe(503);
      wallet.node.fail(undefined);
      expect((await wallet.prove()).status).toBe(200);
    },
  );

  it("node of another network: nothing is credited through it", async () => {
    const wallet = await open({ genesis: "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG" });
    const reply = await wallet.owner.post("/billing/credit/x402", { amountCents: 2000 }, { "x-payment-chain": "solana" });
    expect(reply.status).toBe(503);
  });
});
