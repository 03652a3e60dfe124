import { z } from "zod";
import { type Chain, ChainDown, type SeenTransfer } from "./chain.ts";
import { createRpc, type Rpc } from "./rpc.ts";
import { scanSolana } from "./solana-scan.ts";

const tokenBalance = z.object({
  mint: z.string(),
  owner: z.string().optional(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d+$/) }),
});

const reply = z
  .object({
    blockTime: z.number().int().nullable(),
    meta: z.object({
      err: z.unknown(),
      preBalances: z.array(z.number()),
      postBalances: z.array(z.number()),
      preTokenBalances: z.array(tokenBalance).nullish(),
      postTokenBalances: z.array(tokenBalance).nullish(),
    }),
    transaction: z.object({ message: z.object({ accountKeys: z.array(z.object({ pubkey: z.string() })) }) }),
  })
  .nullable();

type Reply = NonNullable<z.infer<typeof reply>>;

export interface SolanaOptions {
  rpcUrl: string;
  receiver: string;
  usdc: string;
  timeoutMs: number;
}

const genesis = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

/** Solana by JSON-RPC: what the receiver has more of after a transaction than before. */
export function createSolanaChain(options: SolanaOptions): Chain {
  const rpc = createRpc(options.rpcUrl, options.timeoutMs);
  let checked: Promise<void> | undefined;

  function ready(): Promise<void> {
    checked ??= checkGenesis(rpc).catch((error) => {
      checked = undefined;
      throw error;
    });
    return checked;
  }

  const ask = (txHash: string, commitment: "finalized" | "confirmed") =>
    rpc("getTransaction", [txHash, { commitment, encoding: "jsonParsed", maxSupportedTransactionVersion: 0 }], reply);

  return {
    name: "solana",
    receiver: options.receiver,
    usdc: options.usdc,
    ready,
    normalize: (txHash) => (/^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(txHash) ? txHash : undefined),
    async find(txHash) {
      await ready();
      const finalized = await ask(txHash, "finalized");
      const found = finalized ?? (await ask(txHash, "confirmed"));
      if (!found) return undefined;
      return {
        status: found.meta.err === null ? "success" : "reverted",
        final: finalized !== null && found.blockTime !== null,
        at: (found.blockTime ?? 0) * 1000,
        from: found.transaction.message.accountKeys[0]?.pubkey ?? null,
        transfers: [...tokens(found, options), ...lamports(found, options)],
      };
    },
    async scan(task) {
      await ready();
      return scanSolana(rpc, options, task);
    },
  };
}

async function checkGenesis(rpc: Rpc): Promise<void> {
  const actual = await rpc("getGenesisHash", [], z.string());
  if (actual !== genesis) throw new ChainDown("The node for solana serves another network.");
}

function tokens({ meta }: Reply, { usdc, receiver }: SolanaOptions): SeenTransfer[] {
  const held = (balances: Reply["meta"]["preTokenBalances"]) =>
    (balances ?? [])
      .filter(({ mint, owner }) => mint === usdc && owner === receiver)
      .reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
  const amount = held(meta.postTokenBalances) - held(meta.preTokenBalances);
  return amount > 0n ? [{ index: 0, currency: "USDC", to: receiver, amount }] : [];
}

function lamports({ meta, transaction }: Reply, { receiver }: SolanaOptions): SeenTransfer[] {
  const position = transaction.message.accountKeys.findIndex(({ pubkey }) => pubkey === receiver);
  const [before, after] = [meta.preBalances[position], meta.postBalances[position]];
  if (before === undefined || after === undefined) return [];
  // Beyond 2^53 JSON has rounded them already; no receiver of this kind holds nine million SOL.
  if (!Number.isSafeInteger(before) || !Number.isSafeInteger(after))
    throw new ChainDown("The receiver's balance is too large to read exactly.");
  return after > before ? [{ index: 1, currency: "SOL", to: receiver, amount: BigInt(after) - BigInt(before) }] : [];
}
