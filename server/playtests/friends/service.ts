import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import { isUniqueViolation, type Query } from "../../database/port.ts";
import { emit } from "../../events/emit.ts";
import { mailAbout } from "../../events/event-mails.ts";
import { conflict, invalid, notFound } from "../../lib/api-error.ts";
import { acceptedFriendLetter, friendLetter } from "../teams/letters.ts";
import * as store from "./store.ts";

/** How long (ms) a request that was declined does not arrive again, and nobody is told of the same one twice. */
const quietMs = 7 * 86_400_000;

const isQuiet = (tx: Tx, since: number | null | undefined) => typeof since === "number" && since + quietMs > tx.now;

/**
 * How playtesters become friends: one asks by handle, the other accepts, and either ends it. Each function runs inside the caller's
 * transaction, which is serializable: it decides by rows of two accounts.
 */
export async function setProfile(
  tx: Tx,
  userId: string,
  changes: { handle?: string | undefined; available?: boolean | undefined },
): Promise<void> {
  const before = await store.profile(tx, userId);
  const available = changes.available ?? (before?.available ?? 1) === 1;
  const row = { user_id: userId, handle: changes.handle ?? before?.handle ?? null, available: available ? 1 : 0 };
  const { handle } = changes;
  if (handle !== undefined && (await store.isTaken(tx, handle, userId))) throw taken();
  try {
    await store.putProfile(tx, { ...row, created_at: before?.created_at ?? tx.now, updated_at: tx.now });
  } catch (error) {
    if (isUniqueViolation(error)) throw taken();
    throw error;
  }
}

const taken = () => conflict("Another playtester has this handle. Nothing was changed. Choose another one.");

async function otherBy(q: Query, userId: string, handle: string) {
  const other = await store.byHandle(q, handle);
  if (!other) throw invalid("handle", "is not the handle of a playtester");
  if (other.id === userId) throw invalid("handle", "is your own");
  return other;
}

async function requireRoom(tx: Tx, userId: string): Promise<void> {
  const { maxFriends } = tx.config.multiplayer;
  if ((await store.count(tx, userId)) >= maxFriends)
    throw conflict(
      `You have ${maxFriends} friends, requests and blocked playtesters, the maximum. Nothing was changed. Remove one first.`,
    );
}

const add = (tx: Tx, userId: string, otherId: string, status: store.FriendRow["status"]) =>
  store.insert(tx, {
    id: tx.newId(),
    user_id: userId,
    other_id: otherId,
    status,
    created_at: tx.now,
    updated_at: tx.now,
  });

/**
 * Asks the playtester with this handle. If they asked before, both are friends now. One who blocked the caller, or declined a few days ago, is
 * not told, and the caller does not learn of it. Returns the id of the caller's row. 409 for somebody whom the caller blocked, and without a handle.
 */
export async function request(tx: Tx, userId: string, handle: string): Promise<string> {
  const other = await otherBy(tx, userId, handle);
  if (((await store.profile(tx, userId))?.handle ?? null) === null)
    throw conflict("You have no handle, so they could not see who asks. Nothing was sent. Choose a handle first.");
  const [mine, theirs] = [await store.between(tx, userId, other.id), await store.between(tx, other.id, userId)];
  if (mine?.status === "connected") throw conflict("You are friends already. Nothing was sent.");
  if (mine?.status === "blocked") throw conflict("You blocked this playtester. Nothing was sent. Unblock them first.");
  if (mine?.status === "received") return connect(tx, mine);
  if (!mine) await requireRoom(tx, userId);
  const sent = mine ?? (await add(tx, userId, other.id, "sent"));
  // They asked when their request could not be delivered.
  if (theirs?.status === "sent") return join(tx, sent, theirs);
  // Somebody who has no room for the request does not get it.
  if (theirs || (await store.count(tx, other.id)) >= tx.config.multiplayer.maxFriends) return sent.id;
  await deliver(tx, other.id, userId);
  return sent.id;
}

/** A request arrives, unless it was declined lately. */
async function deliver(tx: Tx, userId: string, askerId: string): Promise<void> {
  const last = await store.lastRequest(tx, userId, askerId);
  if (isQuiet(tx, last?.declined_at)) return;
  const received = await add(tx, userId, askerId, "received");
  // One that was withdrawn and sent again.
  if (isQuiet(tx, last?.told_at)) return;
  await store.putRequest(tx, { user_id: userId, other_id: askerId, told_at: tx.now, declined_at: null });
  await tell(tx, received, "friend.requested", friendLetter);
}

/** Accepts a request. 404 for a row of somebody else, 409 for one that is no request. Returns the id of the row. */
export async function accept(tx: Tx, id: string, userId: string): Promise<string> {
  const row = await store.findDetail(tx, id, userId);
  if (!row) throw notFound();
  if (row.status !== "received") throw conflict("This is not a request that waits for you. Nothing was changed.");
  return connect(tx, row);
}

async function connect(tx: Tx, mine: store.FriendRow): Promise<string> {
  const theirs = await store.between(tx, mine.other_id, mine.user_id);
  if (theirs?.status !== "sent") throw conflict("The request was withdrawn. Nothing was changed.");
  return join(tx, mine, theirs);
}

async function join(tx: Tx, mine: store.FriendRow, theirs: store.FriendRow): Promise<string> {
  for (const { id } of [mine, theirs]) await store.update(tx, id, { status: "connected", updated_at: tx.now });
  await store.forgetRequests(tx, [mine.user_id, theirs.user_id]);
  await tell(tx, theirs, "friend.accepted", acceptedFriendLetter);
  return mine.id;
}

/** Tells the one who has this row about the other one. */
async function tell(
  tx: Tx,
  row: store.FriendRow,
  kind: "friend.requested" | "friend.accepted",
  letter: typeof friendLetter,
): Promise<void> {
  const [reader, other] = [await users.find(tx, row.user_id), await users.find(tx, row.other_id)];
  const name = other!.display_name;
  const data = { friendId: row.id, playerId: row.other_id };
  await emit(tx, [{ id: row.user_id, role: "playtester" }], { kind, data, notice: { playtesterName: name } });
  await mailAbout(tx, reader, kind, letter({ config: tx.config, name }));
}

/** Ends a friendship or withdraws a request on both sides, declines one, or unblocks. Returns the row that was there. */
export async function remove(tx: Tx, id: string, userId: string): Promise<store.FriendRow> {
  const mine = await store.findDetail(tx, id, userId);
  if (!mine) throw notFound();
  await store.remove(tx, mine.id);
  if (mine.status === "received") {
    await decline(tx, mine);
    return mine;
  }
  const theirs = mine.status === "blocked" ? undefined : await store.between(tx, mine.other_id, userId);
  if (theirs && theirs.status !== "blocked") await store.remove(tx, theirs.id);
  return mine;
}

/** Who asked still sees the request as sent. */
const decline = (tx: Tx, { user_id, other_id, created_at }: store.FriendRow) =>
  store.putRequest(tx, { user_id, other_id, told_at: created_at, declined_at: tx.now });

/** Blocks a playtester. A request of theirs stays as it is for them; a friendship ends. Returns the ids of the row and of that playtester. */
export async function block(tx: Tx, userId: string, handle: string): Promise<{ id: string; otherId: string }> {
  const other = await otherBy(tx, userId, handle);
  const [mine, theirs] = [await store.between(tx, userId, other.id), await store.between(tx, other.id, userId)];
  if (!mine) await requireRoom(tx, userId);
  if (theirs?.status === "connected" || theirs?.status === "received") await store.remove(tx, theirs.id);
  if (!mine) return { id: (await add(tx, userId, other.id, "blocked")).id, otherId: other.id };
  await store.update(tx, mine.id, { status: "blocked", updated_at: tx.now });
  return { id: mine.id, otherId: other.id };
}
