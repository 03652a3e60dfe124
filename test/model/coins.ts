import type { Deps } from "../../server/app/deps.ts";
import { finalConfirmations } from "../../server/billing/crypto/chains/sandbox.ts";
import { receive } from "../../server/billing/crypto/deposits.ts";
import { lookUp } from "../../server/billing/crypto/proofs.ts";
import { offerOf, openQuote } from "../../server/billing/crypto/quotes.ts";
import { centsOf } from "../../server/billing/crypto/rules.ts";
import { insertTransaction, type SandboxTransactionRow } from "../../server/billing/crypto/sandbox-chain-store.ts";
import type { QuoteRow } from "../../server/billing/crypto/store.ts";
import { refundSuspense, resolveSuspense } from "../../server/billing/suspense.ts";
import type { GameRow } from "../../server/games/store.ts";
import { billOrder } from "../../server/playtests/crypto-orders.ts";
import { placeOrder } from "../../server/playtests/orders.ts";
import { orderBody } from "../../src/contract/order-body.ts";

interface World {
  deps: Deps;
  ownerId: string;
  game: GameRow;
}

const pairs = [
  { chain: "base", currency: "USDC" },
  { chain: "ethereum", currency: "ETH" },
  { chain: "solana", currency: "SOL" },
] as const;
const at = <T>(list: readonly T[], index: number): T | undefined => (list.length === 0 ? undefined : list[index % list.length]);

async function ask({ deps, ownerId }: World, a: number): Promise<void> {
  const offer = await offerOf(deps, at(pairs, a)!);
  const bill = { ownerId, cents: 500 + a * 3, description: "Playtest credit" };
  await deps.store.write((tx) => openQuote(tx, offer, bill));
}

async function order({ deps, game }: World, a: number): Promise<void> {
  const offer = await offerOf(deps, at(pairs, a)!);
  const body = orderBody.parse({ quantity: 1 + (a % 3), durationMinutes: 30 });
  await deps.store.write(async (tx) => {
    const { playtest, settlement, priced } = await placeOrder(
      deps,
      tx,
      { gameId: game.id, caller: { userId: game.owner_id, keyId: "none", sessionId: null } },
      body,
      "x402",
    );
    if (settlement.by !== "crypto") return;
    await billOrder(tx, playtest, { offer, cents: priced.need.totalCents, requestKey: undefined });
  });
}

/** Just what was asked for, mostly; too little, too much, or late as time goes by. */
async function send({ deps }: World, a: number, b: number): Promise<void> {
  const quotes = await deps.store.read((q) => q.all<QuoteRow>("SELECT * FROM crypto_quotes ORDER BY created_at, id"));
  const quote = at(quotes.slice(-6), a);
  if (!quote) return;
  const asked = BigInt(quote.amount_atomic);
  const amount = [asked, asked, asked, asked / 2n, asked + asked / 3n][b % 5]!;
  const { chain, currency, receiver } = quote;
  await deps.store.write(async (tx) => {
    const txHash = `0x${deps.randomBytes(32).toString("hex")}`;
    const confirmations = b % 3 === 0 ? 0 : finalConfirmations;
    const row = {
      chain,
      currency,
      receiver,
      tx_hash: txHash,
      amount_atomic: String(amount),
      status: "success" as const,
      sender: null,
    };
    await insertTransaction(tx, { ...row, confirmations, created_at: deps.clock.now() });
  });
}

/** What is on the chains, oldest first: each of these arrives, whatever becomes of it. */
const sent = ({ deps }: World) =>
  deps.store.read((q) => q.all<SandboxTransactionRow>("SELECT * FROM sandbox_chain ORDER BY created_at, tx_hash"));

async function name(world: World, index: number): Promise<void> {
  const { deps, ownerId } = world;
  const one = at((await sent(world)).slice(-4), index);
  if (!one) return;
  const { chain, currency, tx_hash: txHash } = one;
  const scope = () => true;
  const { proof, ...found } = await lookUp(deps, { ownerId, chain, currency, txHash }, scope);
  await deps.store.write((tx) => receive(tx, proof, found, scope));
}

async function unmatchedDeposit({ deps }: World, index: number): Promise<string | undefined> {
  const sql =
    "SELECT t.id FROM ledger_transfers t JOIN ledger_postings p ON p.transfer_id = t.id WHERE t.source = 'crypto:' AND p.account_id LIKE 'liab:suspense:%' ORDER BY t.id";
  return at(await deps.store.read((q) => q.all<{ id: string }>(sql)), index)?.id;
}

/** What people and operators do about crypto; each may be refused. */
export const coins = {
  askForCoins: ask,
  orderForCoins: order,
  sendCoins: send,
  async payWithCoins(world: World, a: number): Promise<void> {
    await ask(world, a);
    await send(world, 5, 1);
    await name(world, a);
  },
  async sendTooFew(world: World, a: number): Promise<void> {
    await ask(world, a);
    await send(world, 5, 13);
    await name(world, 3);
  },
  nameCoins: name,
  /** The same transaction named twice at once. */
  nameCoinsTwice: (world: World, a: number) =>
    Promise.allSettled([name(world, a), name(world, a)]).then((results) => {
      for (const result of results) if (result.status === "rejected") throw result.reason;
    }),
  async resolveCoins(world: World, a: number, b: number): Promise<void> {
    const id = await unmatchedDeposit(world, a);
    const decision = { adminId: "an admin", note: "Fine.", ownerId: world.ownerId, ...(b % 2 === 0 && { rate: 90 + b }) };
    if (id) await world.deps.store.write((tx) => resolveSuspense(tx, id, decision));
  },
  async sendCoinsBack(world: World, a: number): Promise<void> {
    const id = await unmatchedDeposit(world, a);
    if (id) await world.deps.store.write((tx) => refundSuspense(tx, id, { adminId: "an admin", note: "Back." }));
  },
};

/** What all that arrived was worth when it was booked: each once. */
export async function worthOfAll(world: World): Promise<number> {
  let cents = 0;
  for (const { amount_atomic, currency } of await sent(world))
    cents += centsOf(BigInt(amount_atomic), await world.deps.chains.rate(currency), currency);
  return cents;
}
