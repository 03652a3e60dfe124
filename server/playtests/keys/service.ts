import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Context, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { emit } from "../../events/emit.ts";
import { mailAbout } from "../../events/event-mails.ts";
import * as games from "../../games/store.ts";
import type { Job } from "../../jobs/job.ts";
import { conflict, invalid } from "../../lib/api-error.ts";
import { keysLowLetter } from "../slots/mails.ts";
import * as slots from "../slots/store.ts";
import * as playtests from "../store.ts";
import { becameLow, isLow, type KeySupply, maxKeysOf } from "./rules.ts";
import * as store from "./store.ts";

/** The game keys of a playtest. Each function but the job runs inside the caller's transaction. */
type Playtest = playtests.PlaytestRow;

/** The most keys that one playtest may have. All of them are read to refuse a key that is there already. */
const maxKeys = 4000;

const contextOf = (playtestId: string, position: number) => `key ${playtestId} ${position}`;

const seal = (context: Context, playtestId: string, position: number, key: string, slotId: string | null): store.KeyRow => ({
  playtest_id: playtestId,
  position,
  ciphertext: context.secrets.seal(key, contextOf(playtestId, position)),
  slot_id: slotId,
  retired_at: null,
  user_id: null,
});

export const open = (
  context: Context,
  playtestId: string,
  { position, ciphertext }: Pick<store.KeyRow, "position" | "ciphertext">,
) => context.secrets.open(ciphertext, contextOf(playtestId, position));

/** All keys that the playtest ever had, in their order. */
export const keysOf = async (context: Context, q: Query, playtestId: string): Promise<string[]> =>
  (await store.ofPlaytest(q, playtestId)).map((row) => open(context, playtestId, row));

/** Stores the keys of a new order. */
export function storeKeys(tx: Tx, playtestId: string, keys: readonly string[]): void {
  store.insert(
    tx,
    keys.map((key, position) => seal(tx, playtestId, position, key, null)),
  );
}

export async function supplyOf(q: Query, playtest: Playtest): Promise<KeySupply> {
  const open = await slots.openOf(q, playtest.id);
  const unused = await store.unusedCounts(q, [playtest.id]);
  return { unused: unused.get(playtest.id) ?? 0, needed: open.length * playtest.player_count };
}

/** Gives a slot the keys that its playtester will see. False when the playtest hands out keys and has too few left. */
export const handOut = async (tx: Query, playtest: Playtest, slotId: string): Promise<boolean> =>
  playtest.uses_keys === 0 || store.assign(tx, playtest.id, slotId, playtest.player_count);

/** Adds keys to a running playtest. Returns the supply with them. */
export async function addKeys(tx: Tx, playtest: Playtest, keys: readonly string[]): Promise<KeySupply> {
  await append(tx, playtest, keys, null);
  await playtests.update(tx, playtest.id, { uses_keys: 1, updated_at: tx.now });
  const supply = await supplyOf(tx, playtest);
  if (playtest.uses_keys === 0 && isLow(supply))
    throw invalid(
      "keys",
      `must hold at least ${supply.needed} keys, one for each player of each open slot: from then on a slot is claimed only with its keys`,
    );
  return supply;
}

/** Takes the keys of a slot from its playtester and gives them new ones. */
export async function replaceKeys(tx: Tx, playtest: Playtest, slotId: string, keys: readonly string[]): Promise<void> {
  if (keys.length !== playtest.player_count)
    throw invalid("keys", `must hold exactly ${playtest.player_count}, one for each player, not ${keys.length}`);
  await store.retire(tx, slotId, tx.now);
  await append(tx, playtest, keys, slotId);
}

async function append(tx: Tx, playtest: Playtest, keys: readonly string[], slotId: string | null): Promise<void> {
  const present = await store.ofPlaytest(tx, playtest.id);
  if (present.length + keys.length > maxKeys) throw conflict(`A playtest can have at most ${maxKeys} keys. Nothing was added.`);
  const known = new Set(present.map((row) => open(tx, playtest.id, row)));
  for (const [index, key] of keys.entries()) {
    if (known.has(key)) throw invalid(`keys.${index}`, "is a key that this playtest already has or had");
    known.add(key);
  }
  const next = (present.at(-1)?.position ?? -1) + 1;
  store.insert(
    tx,
    keys.map((key, index) => seal(tx, playtest.id, next + index, key, slotId)),
  );
}

/** Tells the owner, once, when a slot that just opened, or `lost` keys that were handed out for none, made the keys too few. */
export async function warnWhenLow(tx: Tx, playtest: Playtest, lost = playtest.player_count): Promise<void> {
  if (playtest.uses_keys === 0) return;
  const supply = await supplyOf(tx, playtest);
  if (becameLow(supply, lost)) await warn(tx, playtest, supply);
}

/** 409 when nobody else can join the team of a slot, because there is no key that nobody has seen and it has had its most. */
export async function requireKeyLeft(tx: Query, playtest: Playtest, slotId: string): Promise<void> {
  const most = maxKeysOf(playtest.player_count);
  if (playtest.uses_keys === 0 || (await store.hasUndealt(tx, slotId)) || (await store.countEver(tx, slotId)) < most) return;
  throw conflict(
    `This slot has had ${most} game keys, the most for ${playtest.player_count} players. Nothing was changed. Whoever claimed it can report a problem, so that its owner gives it new keys, or release it.`,
  );
}

/** Makes sure that a slot has a key for somebody who joins its team: one that nobody has seen yet, or one more. */
export async function handOutOneMore(tx: Tx, playtest: Playtest, slotId: string): Promise<void> {
  await requireKeyLeft(tx, playtest, slotId);
  if (playtest.uses_keys === 0 || (await store.hasUndealt(tx, slotId))) return;
  if (!(await store.assign(tx, playtest.id, slotId, 1)))
    throw conflict("No game keys are left for this playtest. Nothing was changed. Ask its owner to add one.");
  await warnWhenLow(tx, playtest, 1);
}

async function warn(tx: Tx, playtest: Playtest, supply: KeySupply): Promise<void> {
  const owner = (await users.find(tx, playtest.owner_id))!;
  const gameName = (await games.find(tx, playtest.game_id))?.name ?? "";
  await emit(tx, [{ id: owner.id, role: "game_owner" }], {
    kind: "playtest.keys_low",
    data: { playtestId: playtest.id, gameId: playtest.game_id, ...supply },
    notice: { gameName, keys: supply },
  });
  const letter = keysLowLetter({ config: tx.config, gameName, playtestId: playtest.id, ...supply });
  await mailAbout(tx, owner, "playtest.keys_low", letter);
}

/** Warns about keys that an earlier version would have given to a second playtester. */
export const warnAboutKeys = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    await job.done(tx);
    const playtest = await playtests.find(tx, String(job.payload.playtestId));
    if (playtest?.status !== "active") return;
    const supply = await supplyOf(tx, playtest);
    if (isLow(supply)) await warn(tx, playtest, supply);
  });
