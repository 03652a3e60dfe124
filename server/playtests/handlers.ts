import type { ReadTx } from "../app/tx.ts";
import * as games from "../games/store.ts";
import type { Handlers } from "../http/call.ts";
import { conflict } from "../lib/api-error.ts";
import { ownGame, ownPlaytest } from "./find.ts";
import { propose } from "./schedule/moves.ts";
import * as playtestStore from "./store.ts";
import { countedPlaytestView, playtestView } from "./views.ts";

async function allCounted(q: ReadTx, rows: readonly playtestStore.PlaytestRow[]) {
  const ids = rows.map(({ id }) => id);
  const counts = await playtestStore.slotCounts(q, ids, q.now);
  return rows.map((row) => countedPlaytestView(row, counts.get(row.id)!, q.now));
}

/** The playtest with its current status and the number of slots per status. */
const counted = async (q: ReadTx, row: playtestStore.PlaytestRow) => (await allCounted(q, [row]))[0]!;

export const playtests = {
  async listPlaytests(call) {
    const page = call.page();
    const { rows, counts, trial } = await call.read(async (q) => {
      const game = await ownGame(q, call.params.gameId, call.principal.userId);
      const found = await playtestStore.listForGame(q, game.id, page);
      const ids = found.map((row) => row.id);
      return {
        rows: found,
        counts: await playtestStore.slotCounts(q, ids, q.now),
        trial: await playtestStore.hasTrial(q, game.id),
      };
    });
    return call.listed(page, rows, (items) => ({
      playtests: items.map((row) => countedPlaytestView(row, counts.get(row.id)!, call.deps.clock.now())),
      eligibleForFreeTrial: !trial,
    }));
  },

  findPlaytestsByRef: (call) =>
    call.read(async (q) => {
      const rows = await playtestStore.byRefs(q, call.principal.userId, call.body.refs);
      return { playtests: await allCounted(q, rows) };
    }),

  getPlaytest: (call) =>
    call.read(async (q) => {
      const row = await ownPlaytest(q, call.params.id, call.principal.userId);
      const game = await games.find(q, row.game_id);
      return { playtest: { ...(await counted(q, row)), gameName: game?.name ?? "" } };
    }),

  updatePlaytest: (call) =>
    call.commit(async (tx) => {
      playtestStore.lock(tx, call.params.id);
      const row = await ownPlaytest(tx, call.params.id, call.principal.userId);
      const { status } = await counted(tx, row);
      if (status !== "active")
        throw conflict(`Only an active playtest can be changed. This one is ${status}. Nothing was changed.`);
      const { notesForTesters: notes = row.notes_for_testers, scheduledAt } = call.body;
      const moved = scheduledAt === undefined ? row : await propose(tx, row, Date.parse(scheduledAt));
      const changes = { notes_for_testers: notes, updated_at: tx.now };
      await playtestStore.update(tx, row.id, changes);
      return { playtest: playtestView({ ...moved, ...changes }) };
    }),

  getDashboardStats: (call) => call.read((q) => playtestStore.dashboard(q, call.principal.userId, q.now)),
} satisfies Partial<Handlers>;
