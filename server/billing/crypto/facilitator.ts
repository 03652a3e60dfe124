import * as z from "zod";
import type { Config } from "../../config/schema.ts";
import type { Store } from "../../database/port.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Outbound } from "../../outbound/index.ts";
import { finalConfirmations, sandboxHash } from "./chains/sandbox.ts";
import type { ChainName } from "./rules.ts";
import { insertTransaction, findByNonce as sandboxTransactionOf } from "./sandbox-chain-store.ts";
import type { QuoteRow } from "./store.ts";

/** A signed payment (x402 version 2) and what it has to meet, as facilitators read them. */
export interface SignedTransfer {
  quote: Pick<QuoteRow, "chain" | "receiver">;
  payer: string;
  nonce: string;
  amount: string;
  payload: Record<string, unknown>;
  requirements: Record<string, unknown>;
}

/** What became of a signed payment that was sent to its chain. `unknown`: it may have been sent. */
export type Settlement =
  | { is: "settled"; transaction: string }
  | { is: "refused"; reason: string }
  | { is: "unknown"; cause: unknown };

/** Who checks signed payments against the chain and sends them there. */
export interface Facilitator {
  readonly chains: readonly ChainName[];
  /** Why the chain would refuse it, or undefined. Sends nothing. Throws if there is no answer. */
  verify(transfer: SignedTransfer): Promise<string | undefined>;
  settle(transfer: SignedTransfer): Promise<Settlement>;
}

interface Parts {
  config: Config;
  outbound: Outbound;
  store: Store;
  clock: Clock;
  randomBytes(count: number): Buffer;
}

/** The configured facilitator, or in a sandbox one that sends to its own chain. Null without one. */
export function createFacilitator(parts: Parts): Facilitator | null {
  const { url, chains } = parts.config.crypto.facilitator;
  if (url !== null) return { chains, ...overHttp(parts, url) };
  return parts.config.sandbox ? { chains: ["base", "ethereum"], ...onSandboxChain(parts) } : null;
}

const maxReplyBytes = 64 * 1024;
const verified = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() });
const settled = z.object({ success: z.boolean(), transaction: z.string(), errorReason: z.string().nullish() });

/** A reason of a facilitator, which people read: one line. */
const reasonOf = (reason: string | null | undefined) => (reason ?? "no reason").replace(/[^\x20-\x7e]+/g, " ").slice(0, 200);

function overHttp({ config, outbound }: Parts, url: string): Omit<Facilitator, "chains"> {
  const { token, timeoutMs: deadlineMs } = config.crypto.facilitator;
  const headers = { "content-type": "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) };

  async function post<T>(path: "verify" | "settle", { payload, requirements }: SignedTransfer, schema: z.ZodType<T>): Promise<T> {
    const body = JSON.stringify({ x402Version: 2, paymentPayload: payload, paymentRequirements: requirements });
    const address = `${url.replace(/\/+$/, "")}/${path}`;
    // A second one would be refused, as if the first had not been sent.
    const once = path === "settle";
    const reply = await outbound.request({
      url: address,
      method: "POST",
      headers,
      body,
      deadlineMs,
      maxBytes: maxReplyBytes,
      once,
    });
    // Facilitators answer refusals with the same body and statuses of their choice.
    const read = schema.safeParse(reply.complete ? parsed(reply.body) : undefined);
    if (read.success) return read.data;
    throw new Error(`the facilitator answered ${path} with status ${reply.status} and no result`);
  }

  return {
    async verify(transfer) {
      const { isValid, invalidReason } = await post("verify", transfer, verified);
      return isValid ? undefined : reasonOf(invalidReason);
    },
    async settle(transfer) {
      try {
        const { success, transaction, errorReason } = await post("settle", transfer, settled);
        if (success) return { is: "settled", transaction };
        // One that was sent to the chain may be in a block yet, whatever went wrong afterwards.
        if (transaction)
          return { is: "unknown", cause: new Error(`the facilitator sent ${transaction}, and says: ${reasonOf(errorReason)}`) };
        return { is: "refused", reason: reasonOf(errorReason) };
      } catch (cause) {
        return { is: "unknown", cause };
      }
    },
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Every account of the sandbox chain has enough of everything. */
function onSandboxChain({ store, clock, randomBytes }: Parts): Omit<Facilitator, "chains"> {
  return {
    verify: async () => undefined,
    async settle({ quote: { chain, receiver }, payer, nonce, amount }) {
      const txHash = sandboxHash(chain, randomBytes);
      const transaction = await store.write(async (tx) => {
        const before = await sandboxTransactionOf(tx, chain, payer, nonce);
        if (before) return before.tx_hash;
        const moved = {
          chain,
          currency: "USDC",
          receiver,
          amount_atomic: amount,
          status: "success",
          sender: payer,
          nonce,
        } as const;
        await insertTransaction(tx, { ...moved, tx_hash: txHash, confirmations: finalConfirmations, created_at: clock.now() });
        return txHash;
      });
      return { is: "settled", transaction };
    },
  };
}
