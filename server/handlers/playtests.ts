import type { Deps } from "../deps.ts";
import { methodOf, settle } from "../domain/orders.ts";
import { closeWhenFull } from "../playtests/applications.ts";
import { type Placed, placeOrder, priceOrder } from "../playtests/orders.ts";
import { cancelOpen, finishPlaytest } from "../playtests/slots.ts";
import { conflict, invalid, notFound } from "../problem.ts";
import type { Query } from "../store/db.ts";
import * as games from "../store/games.ts";
import * as playtestStore from "../store/playtests.ts";
import * as slots from "../store/slots.ts";
import type { Some } from "./index.ts";
import { countedPlaytestView, playtestView, slotView } from "./views.ts";

type Ops =
  | "listPlaytests"
  | "createPlaytest"
  | "getPlaytest"
  | "updatePlaytest"
  | "quotePlaytest"
  | "cancelPlaytest"
  | "getDashboardStats";

export function playtests(deps: Deps): Some<Ops> {
  const { clock } = deps;

  async function ownGame(q: Query, gameId: string, ownerId: string) {
    const game = await games.findForOwner(q, gameId, ownerId);
    if (!game) throw notFound();
    return game;
  }

  async function ownPlaytest(q: Query, id: string, ownerId: string) {
    const playtest = await playtestStore.findForOwner(q, id, ownerId);
    if (!playtest) throw notFound();
    return playtest;
  }

  /** The playtest as it is now, with its slots counted. */
  async function counted(q: Query, row: playtestStore.PlaytestRow) {
    const counts = await playtestStore.slotCounts(q, [row.id], clock.now());
    return countedPlaytestView(row, counts.get(row.id)!, clock.now());
  }

  /** The reply to an order: which of the specification's five it is follows from how it was paid. */
  async function replyTo(tx: Query, { playtest: row, settlement, priced, paymentId = "" }: Placed) {
    const playtest = playtestView(row);
    const { need, funds, price } = priced;
    if (settlement.by === "hours") {
      const used = {
        playtestMinutesUsed: need.minutesNeeded,
        playtestMinutesRemaining: funds.minutesAvailable - need.minutesNeeded,
      };
      return {
        playtest: { ...playtest, playtestMinutesPerSlot: price.minutes },
        paid: true as const,
        paidWithPlaytestHours: true as const,
        ...used,
        paymentId,
      };
    }
    if (settlement.by === "credit") {
      const balanceCents = funds.balanceCents - need.totalCents;
      return {
        playtest,
        paid: true as const,
        paidWithCredit: true as const,
        totalCents: need.totalCents,
        balanceCents,
        paymentId,
      };
    }
    if (row.is_free_public_trial === 1) {
      const rows = await slots.listForPlaytest(tx, row.id, { limit: row.quantity, after: undefined });
      return { playtest, slots: rows.map((slot) => slotView(slot, clock.now())), needsAdminApproval: true as const };
    }
    if (settlement.by === "free") return { playtest };
    return {
      playtest,
      requiresPayment: true as const,
      costPerSlotCents: price.costCents,
      totalCents: need.totalCents,
      playtestMinutesNeeded: need.minutesNeeded,
      playtestMinutesAvailable: funds.minutesAvailable,
    };
  }

  return {
    async listPlaytests(call) {
      const page = call.page();
      const { rows, counts, trial } = await call.read(async (q) => {
        const game = await ownGame(q, call.params.gameId, call.principal.userId);
        const found = await playtestStore.listForGame(q, game.id, page);
        const ids = found.map((row) => row.id);
        return {
          rows: found,
          counts: await playtestStore.slotCounts(q, ids, clock.now()),
          trial: await playtestStore.hasTrial(q, game.id),
        };
      });
      return call.listed(page, rows, (items) => ({
        playtests: items.map((row) => countedPlaytestView(row, counts.get(row.id)!, clock.now())),
        eligibleForFreeTrial: !trial,
      }));
    },

    async createPlaytest(call) {
      const method = methodOf(call.headers["x-payment-method"]);
      if (!method) throw invalid("X-Payment-Method", "must be x402, hours, credit or card");
      return call.commit(async (tx) => {
        const game = await ownGame(tx, call.params.gameId, call.principal.userId);
        return replyTo(tx, await placeOrder(deps, tx, game, call.body, method));
      });
    },

    getPlaytest: (call) =>
      call.read(async (q) => {
        const row = await ownPlaytest(q, call.params.id, call.principal.userId);
        const game = await games.find(q, row.game_id);
        return { playtest: { ...(await counted(q, row)), gameName: game?.name ?? "" } };
      }),

    updatePlaytest: (call) =>
      call.commit(async (tx) => {
        const row = await ownPlaytest(tx, call.params.id, call.principal.userId);
        const { status } = await counted(tx, row);
        if (status !== "active")
          throw conflict(`Only an active playtest can be changed, and this one is ${status}. Nothing was changed.`);
        const changes = { notes_for_testers: call.body.notesForTesters ?? row.notes_for_testers, updated_at: clock.now() };
        await playtestStore.update(tx, row.id, changes);
        return { playtest: playtestView({ ...row, ...changes }) };
      }),

    quotePlaytest: (call) =>
      call.read(async (q) => {
        const { gameId, ...order } = call.body;
        if (gameId !== undefined) {
          const game = await ownGame(q, gameId, call.principal.userId);
          if (order.isFreePublicTrial && (await playtestStore.hasTrial(q, game.id)))
            throw conflict("This game's free trial is used.");
        }
        const { price, need, funds } = await priceOrder(deps, q, call.principal.userId, order);
        const settlement = settle(need, funds, "any");
        const wouldPayWith =
          settlement.by === "later" || settlement.by === "crypto" || settlement.by === "refused" ? "none" : settlement.by;
        return {
          costPerSlotCents: price.costCents,
          payoutCents: price.payoutCents,
          totalCents: need.totalCents,
          playtestMinutesNeeded: need.minutesNeeded,
          playtestMinutesAvailable: funds.minutesAvailable,
          balanceCents: funds.balanceCents,
          wouldPayWith,
          missingCents: wouldPayWith === "none" ? need.totalCents - funds.balanceCents : 0,
        };
      }),

    cancelPlaytest: (call) =>
      call.commit(async (tx) => {
        const row = await ownPlaytest(tx, call.params.id, call.principal.userId);
        const { status } = await counted(tx, row);
        const total = { cents: 0, minutes: 0 };
        if (status === "pending_payment")
          await playtestStore.transition(tx, row.id, "pending_payment", { status: "cancelled", updated_at: clock.now() });
        else {
          const open = status === "active" ? await slots.openOf(tx, row.id) : [];
          if (open.length === 0) throw conflict("No slot of this playtest is open or unpaid, so there is nothing to cancel.");
          for (const slot of open) {
            const back = await cancelOpen(deps, tx, row, slot);
            total.cents += back.cents;
            total.minutes += back.minutes;
          }
          await closeWhenFull(deps, tx, row);
          await finishPlaytest(deps, tx, row);
        }
        const playtest = (await playtestStore.find(tx, row.id))!;
        return { playtest: playtestView(playtest), refundedCents: total.cents, refundedMinutes: total.minutes };
      }),

    getDashboardStats: (call) => call.read((q) => playtestStore.dashboard(q, call.principal.userId, clock.now())),
  };
}
