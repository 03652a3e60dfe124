import * as z from "zod";
import { solanaAddress } from "./addresses.ts";
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
      fee: z.number().optional(),
      preBalances: z.array(z.number()),
      postBalances: z.array(z.number()),
      preTokenBalances: z.array(tokenBalance).nullish(),
      postTokenBalances: z.array(tokenBalance).nullish(),
    }),
    transaction: z.object({
      message: z.object({ accountKeys: z.array(z.object({ pubkey: z.string(), signer: z.boolean().optional() })) }),
    }),
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

/** Solana by JSON-RPC. The amount of a transfer is the increase of the receiver's balance in the transaction. */
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
    addressOf: solanaAddress,
    async find(txHash) {
      await ready();
      const finalized = await ask(txHash, "finalized");
      const found = finalized ?? (await ask(txHash, "confirmed"));
      if (!found) return undefined;
      return {
        status: found.meta.err === null ? "success" : "reverted",
        final: finalized !== null && found.blockTime !== null,
        at: (found.blockTime ?? 0) * 1000,
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
  const gained = new Map<string, bigint>();
  const count = (balances: Reply["meta"]["preTokenBalances"], sign: bigint) => {
    for (const { mint, owner, uiTokenAmount } of balances ?? [])
      if (mint === usdc && owner !== undefined)
        gained.set(owner, (gained.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
  };
  count(meta.preTokenBalances, -1n);
  count(meta.postTokenBalances, 1n);
  const amount = gained.get(receiver) ?? 0n;
  return amount > 0n ? [{ index: 0, currency: "USDC", to: receiver, amount, from: soleSender([...gained]), nonce: null }] : [];
}

/** The account whose balance decreased. Null if there is none or there are several, because the sender is not clear then. */
function soleSender(gained: readonly (readonly [account: string, amount: bigint])[]): string | null {
  const losers = gained.filter(([, amount]) => amount < 0n);
  return losers.length === 1 ? losers[0]![0] : null;
}

/** The account that paid lamports in addition to the fee. It must have signed the transaction. */
function payerOf({ meta, transaction }: Reply): string | null {
  const gained = transaction.message.accountKeys.map(({ pubkey }, index) => {
    const fee = index === 0 ? (meta.fee ?? 0) : 0;
    return [pubkey, BigInt(meta.postBalances[index] ?? 0) - BigInt(meta.preBalances[index] ?? 0) + BigInt(fee)] as const;
  });
  const payer = soleSender(gained);
  return transaction.message.accountKeys.some(({ pubkey, signer }) => pubkey === payer && signer === true) ? payer : null;
}

function lamports(reply: Reply, { receiver }: SolanaOptions): SeenTransfer[] {
  const { meta, transaction } = reply;
  const position = transaction.message.accountKeys.findIndex(({ pubkey }) => pubkey === receiver);
  const [before, after] = [meta.preBalances[position], meta.postBalances[position]];
  if (before === undefined || after === undefined) return [];
  // Numbers above 2^53 were rounded by the JSON parser already. That is nine million SOL, which no receiver is expected to hold.
  if (!Number.isSafeInteger(before) || !Number.isSafeInteger(after))
    throw new ChainDown("The receiver's balance is too large to read exactly.");
  const amount = BigInt(after) - BigInt(before);
  return amount > 0n ? [{ index: 1, currency: "SOL", to: receiver, amount, from: payerOf(reply), nonce: null }] : [];
}
