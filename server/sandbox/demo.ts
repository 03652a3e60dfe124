import { roleScopes } from "../../src/contract/endpoint.ts";
import type { CallOperation } from "../../src/contract/index.ts";
import { createKey, createUser } from "../accounts/service.ts";
import { createGame, createOwner, grant, type Seeded } from "./seed-minimal.ts";
import { callWith, callWithoutKey, type Seeding } from "./seeding.ts";

/** What is left of the owner's credit after the orders. */
const creditCents = 50_000;

export interface Demo extends Seeded {
  /** The password of the demo's owner and playtester, chosen at random. */
  password: string;
  ownerEmail: string;
  testerEmail: string;
}

const testerEmail = "tester@playtest.invalid";

/**
 * The data of `--seed demo`: two videos to review, an application, a reported problem, a claimed slot, a payout owed, a conversation and a free trial to
 * approve. Everything happens by the operations that people use.
 */
export async function seedDemo(seeding: Seeding): Promise<Demo> {
  const { deps } = seeding;
  const password = deps.randomBytes(9).toString("base64url");
  const hash = await deps.passwords.hash(password, new AbortController().signal);
  const { ownerKey, ownerId } = await createOwner(seeding, hash);
  const tess = await createTess(seeding, hash);
  const sandbox = callWithoutKey(seeding);
  const others = (await sandbox("createTesters", { body: { count: 2 } })).data.testers;
  const gameId = await createGame(seeding, ownerKey);
  const owner = await callWith(seeding, ownerKey);
  const tester = await callWith(seeding, tess.key);
  const market = { sandbox, owner, tester, gameId, tessId: tess.id, ownerId };
  const spent = await costOf(owner, gameId, [{ quantity: 3 }, { quantity: 2 }, { quantity: 1 }, { quantity: 1 }]);
  await grant(seeding, ownerId, creditCents + spent);
  await playAndReview(market, others);
  await reportProblem(market);
  await applyToOne(market);
  await claimOne(market);
  await talk(market);
  await owner("createPlaytest", { params: { gameId }, body: { isFreePublicTrial: true, quantity: 1 } });
  const testerKeys = [tess.key, ...others.map(({ apiKey }) => apiKey)];
  return { ownerKey, testerKeys, gameId, password, ownerEmail: "owner@playtest.invalid", testerEmail };
}

interface Market {
  sandbox: CallOperation;
  owner: CallOperation;
  tester: CallOperation;
  gameId: string;
  tessId: string;
  ownerId: string;
}

const createTess = ({ deps }: Seeding, passwordHash: string) =>
  deps.store.write(async (tx) => {
    const account = { email: testerEmail, role: "playtester", name: "Tess" } as const;
    const user = await createUser(tx, { ...account, passwordHash, verified: true });
    const { secret } = await createKey(tx, { userId: user.id, name: "Demo", scopes: roleScopes.playtester });
    return { id: user.id, key: secret };
  });

async function costOf(owner: CallOperation, gameId: string, orders: readonly { quantity: number }[]): Promise<number> {
  let cents = 0;
  for (const order of orders) cents += (await owner("quotePlaytest", { body: { gameId, ...order } })).data.totalCents;
  return cents;
}

async function order({ owner, gameId }: Market, body: Record<string, unknown>): Promise<string> {
  return (await owner("createPlaytest", { params: { gameId }, body: body as { quantity: number } })).data.playtest.id;
}

/** Two videos that wait for a review, and one that was accepted, whose payout is owed. */
async function playAndReview(market: Market, others: readonly { id: string }[]): Promise<void> {
  const { sandbox, owner, tessId } = market;
  const id = await order(market, { quantity: 3 });
  const { slots } = (await owner("listSlots", { params: { id } })).data;
  const testers = [tessId, ...others.map((other) => other.id)];
  for (const [index, slot] of slots.entries())
    await sandbox("playSlot", { params: { id: slot.id }, body: { testerId: testers[index]! } });
  await owner("acceptSlot", {
    params: { id: slots[0]!.id },
    body: { rating: 5, comment: "Clear and thorough, thank you." },
  });
}

/** A problem that waits for the owner's answer, and a slot that is still open. */
async function reportProblem(market: Market): Promise<void> {
  const { tester } = market;
  const id = await order(market, { quantity: 2 });
  const { slot } = (await tester("claimPlaytest", { params: { id } })).data;
  const body = { reasonCode: "crash", notes: "Black screen after the menu, every time." } as const;
  await tester("reportSlot", { params: { id: slot.id }, body });
}

async function applyToOne(market: Market): Promise<void> {
  const id = await order(market, {
    quantity: 1,
    selectionMode: "manual",
    qualifications: "You have finished a roguelike.",
  });
  const body = { qualificationsResponse: "Three of them, and I record with a good microphone." };
  await market.tester("applyToPlaytest", { params: { id }, body });
}

/** A slot that the playtester plays at the moment. */
async function claimOne(market: Market): Promise<void> {
  const id = await order(market, { quantity: 1 });
  await market.tester("claimPlaytest", { params: { id } });
}

async function talk({ owner, tester, ownerId, tessId }: Market): Promise<void> {
  const asked = (await tester("openConversation", { body: { contactId: ownerId } })).data.conversation.id;
  await tester("sendMessage", { params: { id: asked }, body: { content: "Which graphics settings should I use?" } });
  const answered = (await owner("openConversation", { body: { contactId: tessId } })).data.conversation.id;
  const content = "The defaults, please. Tell us where they look wrong.";
  await owner("sendMessage", { params: { id: answered }, body: { content } });
}
