import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";

type Row = Record<string, string | number | null>;

/** A write: who does it, and what makes its rows and its reply inside of a transaction. */
export interface Work {
  userId: string;
  fingerprint: string;
  make(now: number): object;
}

/** Why a request is not done. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

const hour = 3_600_000;
const price = 2000;
const payout = 1000;
const iso = (ms: unknown) => (typeof ms === "number" ? new Date(ms).toISOString() : null);

/** The statements and rules of an order paid by credit, of a claim and of reading a game, each in the fewest statements. */
export function createByHandWork(db: Database, newId: () => string) {
  const one = (sql: string) => {
    const statement = db.prepare<(string | number | null)[], Row>(sql);
    return (...values: (string | number | null)[]) => statement.get(...values);
  };
  const all = (sql: string) => {
    const statement = db.prepare<(string | number | null)[], Row>(sql);
    return (...values: (string | number | null)[]) => statement.all(...values);
  };
  const into = (table: string, columns: string) => {
    const names = columns.split(" ");
    const statement = db.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`);
    return (...values: (string | number | null | Uint8Array)[]) => void statement.run(...values);
  };
  const findKey = one(
    `SELECT k.user_id, k.scopes, k.expires_at, k.revoked_at, u.role, u.email_verified_at, u.suspended_at, u.display_name
      FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.hash = ?`,
  );
  const findReply = one("SELECT fingerprint, body, expires_at FROM idempotency WHERE account_id = ? AND idempotency_key = ?");
  const findGame = one("SELECT * FROM games WHERE id = ? AND owner_id = ?");
  const findOffered = one(
    `SELECT g.* FROM games g JOIN users u ON u.id = g.owner_id WHERE g.id = ? AND g.status = 'active' AND u.suspended_at IS NULL`,
  );
  const findPlaytest = one("SELECT * FROM playtests WHERE id = ?");
  const findActive = one("SELECT suspended_at, deleted_at FROM users WHERE id = ?");
  const findOwn = all("SELECT status FROM slots WHERE playtest_id = ? AND playtester_id = ?");
  const findHeld = one(
    "SELECT COUNT(*) AS n FROM slots WHERE playtester_id = ? AND (status = 'blocked' OR (status = 'reserved' AND deadline_at > ?))",
  );
  const findOpen = one("SELECT * FROM slots WHERE playtest_id = ? AND status = 'open' ORDER BY created_at, id LIMIT 1");
  const findCategories = all(
    "SELECT c.id, c.name, c.slug FROM game_categories gc JOIN categories c ON c.id = gc.category_id WHERE gc.game_id = ? ORDER BY c.name",
  );
  const findAgreement = one("SELECT text FROM agreements WHERE COALESCE(game_id, '') = ? ORDER BY number DESC LIMIT 1");
  const findWebhooks = all("SELECT events FROM webhooks WHERE owner_id = ? AND deleted_at IS NULL");
  const takeCredit = one("UPDATE ledger_accounts SET balance = balance + ? WHERE id = ? AND balance + ? <= 0 RETURNING balance");
  const takeSlot = db.prepare(
    "UPDATE slots SET playtester_id = ?, reserved_at = ?, deadline_at = ?, status = 'reserved' WHERE status = 'open' AND id = ?",
  );
  const addPlaytest = into(
    "playtests",
    "id game_id owner_id visibility quantity duration_minutes player_count cost_per_slot_cents payout_cents status is_free_public_trial selection_mode paid_with payment_id uses_keys created_at updated_at",
  );
  const addSlot = into("slots", "id playtest_id game_id owner_id status created_at");
  const addPayment = into(
    "payments",
    "id owner_id amount_cents status provider external_id purpose playtest_id description completed_at created_at updated_at",
  );
  const addTransfer = into("ledger_transfers", "id event_key asset source owner_id payment_id playtest_id created_at");
  const addAccount = into("ledger_accounts", "id asset balance");
  const addPosting = into("ledger_postings", "id transfer_id account_id amount balance_after created_at");
  const addEvent = into("events", "id account_id kind data created_at");
  const addNotification = into("notifications", "id user_id event_id type title body created_at");
  const addJob = into("jobs", "id kind unique_key payload run_at attempts state lease_until created_at");
  const addReply = into("idempotency", "account_id idempotency_key fingerprint status headers body created_at expires_at");

  function caller(hash: string, role: string): Row {
    const key = findKey(hash);
    if (!key || key.revoked_at !== null || (key.expires_at !== null && Number(key.expires_at) <= Date.now()))
      throw new Refused(401);
    if (key.suspended_at !== null || key.email_verified_at === null) throw new Refused(403);
    if (!(JSON.parse(String(key.scopes)) as string[]).includes(role)) throw new Refused(403);
    return key;
  }

  const gameView = (game: Row) => ({
    id: game.id,
    name: game.name,
    description: game.description,
    coverImageUrl: game.cover_image_url,
    externalUrl: game.external_url,
    categories: findCategories(String(game.id)),
    devices: JSON.parse(String(game.devices)) as string[],
    platforms: JSON.parse(String(game.platforms)) as string[],
    languages: JSON.parse(String(game.languages)) as string[],
  });

  const enveloped = (data: object) =>
    JSON.stringify({ data, meta: { requestId: "req_00000000000000000000", timestamp: new Date().toISOString() } });

  function requireActive(userId: string): void {
    const user = findActive(userId);
    if (!user || user.deleted_at !== null || user.suspended_at !== null) throw new Refused(403);
  }

  const fingerprintOf = (path: string, body: object) =>
    createHash("sha256")
      .update(`${path}\n${JSON.stringify(body)}`)
      .digest("hex");

  return {
    stored(userId: string, key: string): string | undefined {
      const reply = findReply(userId, key);
      return reply && String(reply.body);
    },

    keep({ userId, fingerprint, make }: Work, key: string | undefined): string {
      const now = Date.now();
      requireActive(userId);
      const body = enveloped(make(now));
      if (key !== undefined) addReply(userId, key, fingerprint, 201, "{}", Buffer.from(body), now, now + 24 * hour);
      return body;
    },

    game(hash: string, gameId: string): string {
      const { user_id } = caller(hash, "game_owner");
      const game = findGame(gameId, user_id!);
      if (!game) throw new Refused(404);
      const { build_url, instructions, status, created_at, updated_at } = game;
      const own = { buildUrl: build_url, instructions, status, createdAt: iso(created_at), updatedAt: iso(updated_at) };
      return enveloped({ game: { ...gameView(game), ownerId: user_id, ...own } });
    },

    order(hash: string, gameId: string, body: Record<string, unknown>): Work {
      const { user_id } = caller(hash, "game_owner");
      const { quantity = 1, durationMinutes = 60, ...others } = body;
      const valid = Number.isInteger(quantity) && Number(quantity) >= 1 && Number(quantity) <= 100 && durationMinutes === 60;
      if (!valid || Object.keys(others).length > 0) throw new Refused(400);
      const make = (now: number) => placeOrder(String(user_id), gameId, Number(quantity), now);
      return { userId: String(user_id), fingerprint: fingerprintOf(`POST ${gameId}`, body), make };
    },

    claim(hash: string, playtestId: string, body: Record<string, unknown>): Work {
      const { user_id, display_name } = caller(hash, "playtester");
      if (Object.keys(body).length > 0) throw new Refused(400);
      const make = (now: number) => claimSlot(playtestId, { id: String(user_id), name: String(display_name) }, now);
      return { userId: String(user_id), fingerprint: fingerprintOf(`POST ${playtestId}`, body), make };
    },
  };

  function placeOrder(ownerId: string, gameId: string, quantity: number, now: number): object {
    const game = findGame(gameId, ownerId);
    if (!game) throw new Refused(404);
    if (game.status !== "active") throw new Refused(409);
    const [id, paymentId, transferId, cents] = [newId(), newId(), newId(), price * quantity];
    const account = `liab:credit:${ownerId}`;
    const left = takeCredit(cents, account, cents);
    if (!left) throw new Refused(402);
    addPayment(
      paymentId,
      ownerId,
      cents,
      "completed",
      "credit",
      id,
      "order",
      id,
      "Playtest of 60 minutes, 1 player",
      now,
      now,
      now,
    );
    addTransfer(transferId, `order:${id}`, "USD", "order:", ownerId, paymentId, id, now);
    addAccount(`liab:held:${id}`, "USD", -cents);
    addPosting(newId(), transferId, account, cents, left.balance!, now);
    addPosting(newId(), transferId, `liab:held:${id}`, -cents, -cents, now);
    addPlaytest(
      id,
      gameId,
      ownerId,
      "private",
      quantity,
      60,
      1,
      price,
      payout,
      "active",
      0,
      "automatic",
      "credit",
      paymentId,
      0,
      now,
      now,
    );
    for (let slot = 0; slot < quantity; slot++) addSlot(newId(), id, gameId, ownerId, "open", now);
    const shown = {
      id,
      gameId,
      ownerId,
      visibility: "private",
      quantity,
      durationMinutes: 60,
      playerCount: 1,
      costPerSlotCents: price,
    };
    const more = {
      payoutCents: payout,
      status: "active",
      selectionMode: "automatic",
      notesForTesters: null,
      qualifications: null,
    };
    const playtest = { ...shown, ...more, paidWith: "credit", paymentId, createdAt: iso(now), updatedAt: iso(now) };
    return { playtest, paid: true, paidWithCredit: true, totalCents: cents, balanceCents: -Number(left.balance), paymentId };
  }

  function claimSlot(playtestId: string, playtester: { id: string; name: string }, now: number): object {
    const playtest = findPlaytest(playtestId);
    const game = playtest && findOffered(playtest.game_id!);
    if (!playtest || !game || playtest.status === "pending_payment") throw new Refused(404);
    if (playtest.selection_mode === "manual" || findOwn(playtestId, playtester.id).length > 0) throw new Refused(409);
    if (Number(findHeld(playtester.id, now)!.n) >= 1_000) throw new Refused(409);
    if (findAgreement(String(game.id))?.text || findAgreement("")?.text) throw new Refused(409);
    const slot = findOpen(playtestId);
    const deadline = now + 24 * hour;
    if (!slot || takeSlot.run(playtester.id, now, deadline, slot.id).changes !== 1) throw new Refused(409);
    const payload = JSON.stringify({ slotId: slot.id, deadlineAt: deadline });
    addJob(newId(), "watch-slot", `watch-slot:${slot.id}:${deadline}`, payload, deadline - 4 * hour, 0, "queued", 0, now);
    const about = { slotId: slot.id, playtestId, gameId: game.id, playerId: playtester.id, reservedAt: iso(now) };
    const told = [
      [String(game.owner_id), `${playtester.name} reserved a playtest slot of ${game.name}.`],
      [playtester.id, `You reserved a playtest slot of ${game.name}. Submit your video before the deadline.`],
    ] as const;
    for (const [userId, text] of told) {
      const eventId = newId();
      addEvent(eventId, userId, "slot.reserved", JSON.stringify(about), now);
      addNotification(newId(), userId, eventId, "slot.reserved", "Slot reserved", text, now);
    }
    if (findWebhooks(game.owner_id!).length > 0) throw new Refused(409);
    const shown = {
      visibility: playtest.visibility,
      durationMinutes: playtest.duration_minutes,
      playerCount: playtest.player_count,
    };
    const terms = { payoutCents: playtest.payout_cents, selectionMode: playtest.selection_mode, minVideoSeconds: 1800 };
    const nothing = {
      submission: null,
      hasCaptions: false,
      rating: null,
      rejection: null,
      blockedReport: null,
      publishedUrl: null,
    };
    const secrets = {
      instructions: game.instructions,
      notesForTesters: playtest.notes_for_testers,
      keys: [],
      buildUrl: game.build_url,
    };
    const times = { deadlineAt: iso(deadline), createdAt: iso(slot.created_at) };
    const known = { id: slot.id, requestId: playtestId, status: "reserved", ...times, game: gameView(game) };
    return { slot: { ...known, playtest: { ...shown, ...terms }, ...nothing, ...secrets, uploadedVideo: null } };
  }
}
