import * as games from "../../server/games/store.ts";
import * as slots from "../../server/playtests/slots/store.ts";
import * as playtests from "../../server/playtests/store.ts";
import type { SlotStatus } from "../../src/contract/states/index.ts";
import type { TestServer } from "./server.ts";

export interface Account {
  id: string;
  key: string;
  email: string;
}

/** Registers an account through the API. */
export async function register(server: TestServer, role: "game_owner" | "playtester", name: string): Promise<Account> {
  const email = `${name.toLowerCase()}@example.com`;
  const body = { email, password: "correct horse battery", role, name };
  const reply = await server.request("POST", "/auth/register/api-key", { body });
  if (reply.status !== 201) throw new Error(`${name} could not register: ${reply.text}`);
  return { id: reply.body.data.user.id, key: reply.body.data.apiKey, email };
}

/** Puts a slot that the playtester holds or held into the database, with its game and playtest; its id. */
export async function giveSlot(server: TestServer, ownerId: string, playtesterId: string, status: SlotStatus): Promise<string> {
  const { newId, clock, store } = server.deps;
  const now = clock.now();
  const game: games.GameRow = {
    id: newId(),
    owner_id: ownerId,
    name: "Star Lanes",
    description: null,
    instructions: null,
    build_url: "https://example.com/build.zip",
    build_id: null,
    cover_image_url: null,
    external_url: null,
    status: "active",
    devices: "[]",
    platforms: "[]",
    languages: "[]",
    last_finding: 0,
    created_at: now,
    updated_at: now,
  };
  const playtest: playtests.PlaytestRow = {
    id: newId(),
    game_id: game.id,
    owner_id: ownerId,
    visibility: "private",
    quantity: 1,
    duration_minutes: 60,
    player_count: 1,
    cost_per_slot_cents: 2000,
    payout_cents: 1000,
    notes_for_testers: null,
    status: "active",
    is_free_public_trial: 0,
    targeting_type: null,
    targeting_scope: null,
    past_playtester_scope: null,
    targeted_playtester_id: null,
    panel: null,
    target_countries: "[]",
    target_languages: "[]",
    target_devices: "[]",
    target_ages: "[]",
    ref: null,
    selection_mode: "automatic",
    qualifications: null,
    closes_at: null,
    scheduled_at: null,
    approved_at: null,
    paid_with: "credit",
    payment_id: null,
    pay_by: null,
    all_in_at: null,
    uses_keys: 0,
    created_at: now,
    updated_at: now,
  };
  const slot: slots.SlotRow = {
    id: newId(),
    playtest_id: playtest.id,
    game_id: game.id,
    owner_id: ownerId,
    status,
    playtester_id: playtesterId,
    retry_of: null,
    replaces: null,
    reserved_at: now,
    deadline_at: now + 86_400_000,
    submitted_at: null,
    ended_at: null,
    created_at: now,
    scheduled_at: null,
    proposed_at: null,
    accept_by: null,
    excused: 0,
    build_at: null,
  };
  await store.write(async (tx) => {
    await games.insert(tx, game);
    await playtests.insert(tx, playtest);
    await slots.insert(tx, [slot]);
  });
  return slot.id;
}

/** For writes of many rows: serializable, PostgreSQL would remember each of them, for all databases of the server. */
export const manyRows = { isolation: "rows" } as const;

/**
 * Makes the slots of an owner, who has at least one, into so many, each newer than the one before. They belong to a free playtest: slots
 * that nobody paid for would be faults of the ledger.
 */
export async function multiplySlots({ deps }: TestServer, ownerId: string, to: number): Promise<void> {
  await deps.store.write(async (tx) => {
    const ordered = await tx.one<playtests.PlaytestRow>("SELECT * FROM playtests WHERE owner_id = ? LIMIT 1", ownerId);
    const free = { ...ordered!, id: deps.newId(), cost_per_slot_cents: 0, payout_cents: 0, paid_with: "free" as const };
    await playtests.insert(tx, free);
    const sql = "SELECT COUNT(*) AS n FROM slots WHERE owner_id = ?";
    const count = async () => Number((await tx.one<{ n: number }>(sql, ownerId))!.n);
    for (let have = await count(); have < to; have = await count())
      await tx.run(
        `INSERT INTO slots (id, playtest_id, game_id, owner_id, status, created_at)
           SELECT id || '+' || CAST(? AS TEXT), CAST(? AS TEXT), game_id, owner_id, status, created_at + ? FROM slots
           WHERE owner_id = ? ORDER BY created_at LIMIT CAST(? AS INTEGER)`,
        ...[String(have), free.id, have, ownerId, Math.min(have, to - have)],
      );
  }, manyRows);
}
