import { accounts } from "../../server/ledger/rules.ts";
import { type Person, registerOwner } from "./factories.ts";
import type { Reply, TestServer } from "./server.ts";

export interface Asked {
  id: string;
  chain: string;
  currency: string;
  cryptoAmount: string;
  receiver: string;
  network: string;
  expiresAt: string;
}

/** What the `X-Payment` header of a 402 says. */
export const instructionsOf = (reply: Reply) =>
  JSON.parse(reply.headers.get("x-payment")!) as {
    scheme: string;
    network: string;
    maxAmountRequired: string;
    asset: string;
    receiver: string;
    description: string;
    extra: Record<string, string>;
  };

export const proof = (txHash: string, chain = "base", currency = "USDC") => ({
  "x-payment": JSON.stringify({ txHash, chain, currency }),
});

export const asking = (chain?: string, currency?: string): Record<string, string> => ({
  "x-payment-method": "x402",
  ...(chain && { "x-payment-chain": chain }),
  ...(currency && { "x-payment-currency": currency }),
});

export const balanceOf = async (owner: Person): Promise<number> => (await owner.get("/billing/balance")).body.data.balanceCents;

/** An owner who pays with crypto on the sandbox chain. */
export async function openWallet(server: TestServer, owner?: Person) {
  const person = owner ?? (await registerOwner(server));
  return {
    server,
    owner: person,
    credit: () => balanceOf(person),
    /** Step 1 of a top-up: the 402. */
    ask: (amountCents = 2000, chain?: string, currency?: string) =>
      person.post("/billing/credit/x402", { amountCents }, asking(chain, currency)),
    /** Step 2 of a top-up. */
    prove: (txHash: string, chain?: string, currency?: string) =>
      person.post("/billing/credit/x402", undefined, proof(txHash, chain, currency)),
    payment: async (id: string) => (await person.get(`/billing/payments/${id}`)).body.data.payment,
    /** Sends what a 402 asks for, with changes; the hash. */
    send: (asked: Reply, changes: Record<string, unknown> = {}) => send(server, asked, changes),
    /** What is in suspense for a payment, in cents. */
    suspense: (paymentId: string) => sumOf(server, accounts.suspense(paymentId)),
    /** What came in by a chain, in cents. */
    received: (chain = "base", currency = "USDC") => sumOf(server, accounts.crypto(chain, currency)),
  };
}

async function sumOf(server: TestServer, account: string): Promise<number> {
  const sql = "SELECT SUM(amount) AS total FROM ledger_postings WHERE account_id = ?";
  const row = await server.deps.store.read((q) => q.one<{ total: number | string | null }>(sql, account));
  return Math.abs(Number(row?.total ?? 0));
}

/** A transaction on the sandbox chain that pays a 402; `by` is added to its amount. */
export async function send(
  server: TestServer,
  asked: Reply,
  { by = 0, ...changes }: Record<string, unknown> = {},
): Promise<string> {
  const { chain, currency } = asked.body.error.payment;
  const { receiver: to, maxAmountRequired } = instructionsOf(asked);
  const amount = String(BigInt(maxAmountRequired) + BigInt(by as number));
  const reply = await server.request("POST", "/sandbox/chain/transactions", {
    body: { chain, currency, to, amount, ...changes },
  });
  if (reply.status !== 200) throw new Error(`could not send: ${reply.text}`);
  return reply.body.data.txHash;
}
