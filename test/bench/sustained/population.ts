import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../../server/database/open.ts";
import type { Query, Store } from "../../../server/database/port.ts";
import { goodwillTransfer, orderTransfer } from "../../../server/ledger/rules.ts";
import * as ledger from "../../../server/ledger/store.ts";
import { createIds } from "../../../server/lib/ids.ts";
import { insertRows } from "../../helpers/raw-rows.ts";
import { stamped } from "../../helpers/stamped.ts";
import { serveIn } from "../serve.ts";

const gamesEach = 10;
/** As many race for the slots of one playtest. */
export const racers = 64;

export interface Population {
  /** Each with the key of its owner. */
  games: { id: string; key: string }[];
  testers: { key: string }[];
  /** Each has a slot for `racers` playtesters. */
  playtests: string[];
}

export interface Size {
  /** 1,000 unless given, with ten games each. */
  owners?: number;
  testers: number;
  playtests: number;
}

const newId = createIds(Date.now, (count) => randomBytes(count));
const now = Date.now();

/** Rows are inserted in portions, because a statement takes a limited number of values. */
async function insertAll(tx: Query, table: string, rows: readonly object[]): Promise<void> {
  for (let first = 0; first < rows.length; first += 200) await insertRows(tx, table, rows.slice(first, first + 200));
}

/**
 * A data folder, and the database of the URL if given, of a live server: processes of a sandbox ask the database for its clock before each
 * query. With the flag `--sandbox` it is one all the same. It has owners with credit, their games, playtesters, and playtests with open
 * slots. No server runs on it.
 */
export async function populate(
  dataDir: string,
  size: Size,
  databaseUrl?: string,
  flags: readonly string[] = [],
): Promise<Population> {
  const settings = { games: { maxPerAccount: 100 }, playtesters: { maxReserved: 1_000 } };
  writeFileSync(join(dataDir, "config.json"), JSON.stringify(settings), { mode: 0o600 });
  await (await serveIn(dataDir, ["--database-url", databaseUrl ?? "", ...flags])).stop();
  const store = await openStore({ dataDir, databaseUrl });
  try {
    return await store.write((tx) => fill(tx, size));
  } finally {
    await store.close();
  }
}

async function fill(tx: Query, { owners = 1_000, ...size }: Size): Promise<Population> {
  const ownerRows = Array.from({ length: owners }, (_, index) => userRow("game_owner", index));
  const testerRows = Array.from({ length: size.testers }, (_, index) => userRow("playtester", index));
  const keys = [...ownerRows, ...testerRows].map(({ id, role }) => keyRow(id, role));
  const gameRows = ownerRows.flatMap(({ id }) => Array.from({ length: gamesEach }, (_, index) => gameRow(id, index)));
  const playtestRows = Array.from({ length: size.playtests }, (_, index) =>
    playtestRow(gameRows[(index * 7919) % gameRows.length]!),
  );
  await insertAll(tx, "users", [...ownerRows, ...testerRows]);
  await insertAll(
    tx,
    "api_keys",
    keys.map(({ row }) => row),
  );
  await insertAll(tx, "games", gameRows);
  await insertAll(tx, "playtests", playtestRows);
  // The search of a live server has them; indexing 10,000 games after the start would compete with what is measured.
  await insertAll(
    tx,
    "search_slots",
    [...gameRows, ...playtestRows].map(({ id }) => ({ slot_id: id })),
  );
  await insertAll(
    tx,
    "slots",
    playtestRows.flatMap((playtest) => Array.from({ length: racers }, () => slotRow(playtest))),
  );
  for (const { id } of ownerRows) {
    const grant = { grantId: newId(), ownerId: id, cents: 1_000_000_000, note: "benchmark" };
    await ledger.post(stamped(tx, { now, newId }), goodwillTransfer(grant));
  }
  return {
    games: gameRows.map(({ id }, index) => ({ id, key: keys[Math.floor(index / gamesEach)]!.key })),
    testers: keys.slice(owners).map(({ key }) => ({ key })),
    playtests: playtestRows.map(({ id }) => id),
  };
}

export interface Listed {
  ownerId: string;
  gameId: string;
  key: string;
}

const slotsEach = 10;

/** A data folder with three owners of one game each: with this many slots in playtests of ten, and another with credit for orders. */
export async function populateLists(
  dataDir: string,
  slots: Record<"small" | "large", number>,
): Promise<Record<"small" | "large" | "other", Listed>> {
  await (await serveIn(dataDir, [])).stop();
  const store = await openStore({ dataDir });
  try {
    const [small, large, other] = [await list(store, 1, slots.small), await list(store, 2, slots.large), await list(store, 3, 0)];
    return { small, large, other };
  } finally {
    await store.close();
  }
}

async function list(store: Store, index: number, slots: number): Promise<Listed> {
  const owner = userRow("game_owner", index);
  const { key, row } = keyRow(owner.id, "game_owner");
  const game = gameRow(owner.id, index);
  await store.write(async (tx) => {
    await insertRows(tx, "users", [owner]);
    await insertRows(tx, "api_keys", [row]);
    await insertRows(tx, "games", [game]);
    const grant = { grantId: newId(), ownerId: owner.id, cents: 1_000_000_000, note: "benchmark" };
    await ledger.post(stamped(tx, { now, newId }), goodwillTransfer(grant));
  });
  // In portions: one transaction of a million rows would fill the memory.
  for (let left = slots; left > 0; left -= 10_000)
    await store.write(async (tx) => {
      const playtests = Array.from({ length: Math.min(left, 10_000) / slotsEach }, () => playtestRow(game));
      await insertAll(tx, "playtests", playtests);
      await insertAll(
        tx,
        "slots",
        playtests.flatMap((playtest) => Array.from({ length: slotsEach }, () => slotRow(playtest))),
      );
    });
  return { ownerId: owner.id, gameId: game.id, key };
}

/** A data folder with an owner of one game, who has this many open slots and others with a video to review; the ids of the latter. */
export async function populateReviews(dataDir: string, open: number, submitted: number): Promise<Listed & { slotIds: string[] }> {
  await (await serveIn(dataDir, [])).stop();
  const store = await openStore({ dataDir });
  try {
    const owner = await list(store, 1, open);
    const testers = Array.from({ length: slotsEach }, (_, index) => userRow("playtester", index));
    await store.write((tx) => insertRows(tx, "users", testers));
    const slotIds: string[] = [];
    while (slotIds.length < submitted)
      slotIds.push(...(await store.write((tx) => submittedPlaytests(tx, owner, { testers, count: 100 }))));
    return { ...owner, slotIds };
  } finally {
    await store.close();
  }
}

/** Playtests that were paid by credit, each with one submitted slot of every playtester. */
async function submittedPlaytests(
  tx: Query,
  { gameId, ownerId }: Listed,
  { testers, count }: { testers: readonly { id: string }[]; count: number },
): Promise<string[]> {
  const playtests = Array.from({ length: count }, () => playtestRow({ id: gameId, owner_id: ownerId }));
  await insertAll(tx, "playtests", playtests);
  for (const { id } of playtests) {
    const order = { playtestId: id, ownerId, paymentId: newId(), paidWith: "credit", amount: 2000 * testers.length } as const;
    await ledger.post(stamped(tx, { now, newId }), orderTransfer(order));
  }
  const slots = playtests.flatMap((playtest) =>
    testers.map(({ id }) => ({ ...slotRow(playtest), status: "submitted", playtester_id: id, submitted_at: now })),
  );
  await insertAll(tx, "slots", slots);
  await insertAll(tx, "submissions", slots.map(submissionRow));
  return slots.map(({ id }) => id);
}

const submissionRow = ({ id }: { id: string }) => ({
  id: newId(),
  slot_id: id,
  blob_key: `videos/${id}`,
  filename: "playtest.mp4",
  content_type: "video/mp4",
  video_file_size: 1_000,
  notes: "",
  created_at: now,
});

const userRow = (role: "game_owner" | "playtester", index: number) => {
  const [id, email] = [newId(), `${role}-${index}@example.com`];
  const name = { display_name: `${role} ${index}`, company_name: `Company ${index}` };
  const times = { email_verified_at: now, validated_at: now, created_at: now, updated_at: now };
  return { id, email, email_key: email, password_hash: "!", role, ...name, simulated: 0, ...times };
};

const scopes = {
  game_owner: '["game_owner","billing","chat","notifications"]',
  playtester: '["playtester","chat","notifications"]',
};

function keyRow(userId: string, role: keyof typeof scopes) {
  const key = `pt_sk_${randomBytes(24).toString("hex")}`;
  const hash = createHash("sha256").update(key).digest("hex");
  const row = { id: newId(), user_id: userId, name: "Benchmark", prefix: key.slice(0, 10), hash, scopes: scopes[role] };
  // A key that was just used is not written at its next use.
  return { key, row: { ...row, created_at: now, last_used_at: now } };
}

const gameRow = (ownerId: string, index: number) => ({
  id: newId(),
  owner_id: ownerId,
  name: `Game ${index}`,
  description: "A roguelike about a diver, a lantern and what lives below.",
  instructions: "Play the first three depths and say what you think, out loud, as you go.",
  build_url: "https://example.com/build",
  status: "active",
  devices: '["PC"]',
  platforms: '["Web"]',
  languages: "[]",
  created_at: created++,
  updated_at: now,
});

/** A time (ms) of its own for each playtest: lists are in the order of time. */
let created = now - 10_000_000;

const playtestRow = ({ id, owner_id }: { id: string; owner_id: string }) => ({
  id: newId(),
  game_id: id,
  owner_id,
  visibility: "private",
  quantity: racers,
  duration_minutes: 60,
  player_count: 1,
  cost_per_slot_cents: 2000,
  payout_cents: 1000,
  status: "active",
  is_free_public_trial: 0,
  selection_mode: "automatic",
  paid_with: "credit",
  uses_keys: 0,
  created_at: created++,
  updated_at: now,
});

const slotRow = ({ id, game_id, owner_id }: { id: string; game_id: string; owner_id: string }) => ({
  id: newId(),
  playtest_id: id,
  game_id,
  owner_id,
  status: "open",
  created_at: now,
});
