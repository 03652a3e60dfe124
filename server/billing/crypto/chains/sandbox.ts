import type { Store } from "../../../database/port.ts";
import type { Clock } from "../../../lib/clock.ts";
import { type ChainName, sameAddress } from "../rules.ts";
import { findByNonce, findTransaction, type SandboxTransactionRow, transactionsTo } from "../sandbox-chain-store.ts";
import { evmAddress, solanaAddress } from "./addresses.ts";
import type { Chain } from "./chain.ts";

/** Receiving addresses without a known key, because money in the sandbox is not real. */
const receivers: Record<ChainName, string> = {
  base: "0x5a9db0c0000000000000000000000000000ba5e0",
  ethereum: "0x5a9db0c0000000000000000000000000000e7400",
  solana: "SandboxReceiver1111111111111111111111111111",
};

const usdc: Record<ChainName, string> = {
  base: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  ethereum: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  solana: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
};

/** The fixed rates of the sandbox, in cents per whole coin. */
export const sandboxRates = { ETH: 300_000, SOL: 15_000 } as const;

/** The number of confirmations that makes a transaction final. It gets one per `blockMs` of the server's clock. */
export const finalConfirmations = 12;
const blockMs = 12_000;

const chainIds = { base: 8453, ethereum: 1 } as const;

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** A new hash of a transaction, of the form that the chain has. */
export const sandboxHash = (chain: ChainName, randomBytes: (count: number) => Buffer): string =>
  chain === "solana"
    ? [...randomBytes(88)].map((byte) => base58[byte % base58.length]).join("")
    : `0x${randomBytes(32).toString("hex")}`;

const isFinal = (made: SandboxTransactionRow, now: number) =>
  made.confirmations + Math.floor((now - made.created_at) / blockMs) >= finalConfirmations;

/** The simulated chain, whose transactions are created through the sandbox routes. */
export function createSandboxChain(name: ChainName, store: Store, clock: Clock): Chain {
  return {
    name,
    receiver: receivers[name],
    usdc: usdc[name],
    ...(name !== "solana" && { token: { name: "USD Coin", version: "2", chainId: chainIds[name], contract: usdc[name] } }),
    ready: async () => {},
    normalize: (txHash) => (txHash.startsWith("0x") ? txHash.toLowerCase() : txHash),
    addressOf: name === "solana" ? solanaAddress : evmAddress,
    async find(txHash) {
      const made = await store.read((q) => findTransaction(q, name, txHash));
      if (!made) return undefined;
      const { currency, receiver: to, amount_atomic } = made;
      return {
        status: made.status,
        final: isFinal(made, clock.now()),
        at: made.created_at,
        transfers: sameAddress(to, receivers[name])
          ? [{ index: 0, currency, to, amount: BigInt(amount_atomic), from: made.sender, nonce: made.nonce }]
          : [],
      };
    },
    async findNonce({ payer, nonce, until }) {
      const now = clock.now();
      const made = await store.read((q) => findByNonce(q, name, payer, nonce));
      if (now - finalConfirmations * blockMs <= until || (made && !isFinal(made, now))) return { is: "open" };
      return made?.status === "success" ? { is: "used", txHash: made.tx_hash } : { is: "unused" };
    },
    async scan({ after, since }) {
      const now = clock.now();
      const made = await store.read((q) => transactionsTo(q, name, receivers[name], after === null ? since : Number(after)));
      const hashes = made.filter((row) => row.status === "success" && isFinal(row, now)).map(({ tx_hash }) => tx_hash);
      return { hashes, position: String(now - finalConfirmations * blockMs), behind: false };
    },
  };
}
