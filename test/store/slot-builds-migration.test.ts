import { expect, it } from "vitest";
import { migrate } from "../../server/database/migrate.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { drivers, openBefore } from "../helpers/store.ts";

it.each(drivers)("who got a slot back goes on with the newest build of then ($name)", async (driver) => {
  const store = await openBefore(driver, "073-slot-builds");
  const report = { reason_code: "crash", notes: null, answer_by: null, message: null };
  const slots = {
    kept: null,
    returned: null,
    "returned before its time": 900,
    "returned after it": 400,
    blocked: null,
    cancelled: null,
  };
  const times = { created_at: 1, updated_at: 1 };
  await store.write(async (tx) => {
    const names = { display_name: "Ada", company_name: "Ada", email: "ada@example.com", email_key: "ada@example.com" };
    await insertRow(tx, "users", { id: "owner", role: "game_owner", password_hash: "!", ...names, ...times });
    const about = { name: "Lantern Deep", build_url: "", status: "active", devices: "[]", platforms: "[]" };
    await insertRow(tx, "games", { id: "game", owner_id: "owner", ...about, ...times });
    const terms = { quantity: 9, duration_minutes: 15, player_count: 1, cost_per_slot_cents: 0, payout_cents: 0 };
    const ordered = { is_free_public_trial: 0, visibility: "private", status: "active", selection_mode: "automatic" };
    await insertRow(tx, "playtests", { id: "playtest", game_id: "game", owner_id: "owner", ...terms, ...ordered, ...times });
    for (const [id, scheduled_at] of Object.entries(slots)) {
      const slot = {
        playtest_id: "playtest",
        game_id: "game",
        owner_id: "owner",
        status: "reserved",
        reserved_at: 100,
        created_at: 1,
      };
      await insertRow(tx, "slots", { id, scheduled_at, ...slot });
    }
    const reports = [
      ["returned", 200, "unblocked"],
      ["returned", 300, "unblocked"],
      ["returned before its time", 500, "unblocked"],
      ["returned after it", 500, "unblocked"],
      ["blocked", null, null],
      ["cancelled", 500, "cancelled"],
    ] as const;
    for (const [index, [slot_id, resolved_at, outcome]] of reports.entries())
      await insertRow(tx, "blocked_reports", {
        id: `report-${index}`,
        slot_id,
        reported_at: 150,
        resolved_at,
        outcome,
        ...report,
      });
  });
  await migrate(store);
  const rows = await store.read((q) =>
    q.all<{ id: string; build_at: number | null }>("SELECT id, build_at FROM slots WHERE build_at IS NOT NULL ORDER BY id"),
  );
  expect(rows).toEqual([
    { id: "returned", build_at: 300 },
    { id: "returned after it", build_at: 500 },
  ]);
  await store.remove();
});
