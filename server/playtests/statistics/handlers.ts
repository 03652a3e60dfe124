import type { Query } from "../../database/port.ts";
import * as games from "../../games/store.ts";
import type { Handlers } from "../../http/call.ts";
import { accounts } from "../../ledger/rules.ts";
import { balance } from "../../ledger/store.ts";
import { notFound } from "../../lib/api-error.ts";
import { iso } from "../../lib/time.ts";
import * as rules from "./rules.ts";
import * as store from "./store.ts";

const total = (rows: readonly store.RatingRow[]) => {
  const count = rows.reduce((sum, { n }) => sum + n, 0);
  return {
    count,
    average: rules.average(
      rows.reduce((sum, row) => sum + row.total, 0),
      count,
    ),
  };
};

/** Cents and minutes of several rows. */
const cost = (rows: readonly Pick<store.CostRow, "cents" | "minutes">[]) => ({
  cents: rows.reduce((sum, row) => sum + row.cents, 0),
  minutes: rows.reduce((sum, row) => sum + row.minutes, 0),
});
const spent = (rows: readonly store.CostRow[]) => {
  const { cents: spentCents, minutes: spentMinutes } = cost(rows);
  return { spentCents, spentMinutes };
};
const expected = (rows: readonly store.CostRow[]) => {
  const { cents: forecastCents, minutes: forecastMinutes } = cost(rows);
  return { forecastCents, forecastMinutes };
};

async function ratings(q: Query, scope: store.Scope, now: number) {
  const starts = rules.periods(scope.since, now);
  const rows = await store.ratingsByPeriod(q, scope, starts);
  const builds = await store.ratingsByBuild(q, scope);
  return {
    ...total(rows),
    scores: [1, 2, 3, 4, 5].map((score) => total(rows.filter((row) => row.score === score)).count),
    builds: builds.map(({ id: buildId, game_id: gameId, name: gameName, version, created_at, ...row }) => ({
      ...{ buildId, gameId, gameName, version, uploadedAt: iso(created_at) },
      ...total([row]),
    })),
    periods: starts.map((from, i) => ({ from: iso(from), ...total(rows.filter(({ period }) => period === i)) })),
  };
}

async function times(q: Query, scope: store.Scope) {
  const rows = await store.stepTimes(q, scope);
  const of = (step: store.TimeRow["step"]) => {
    const { n: count, median, p90 } = rows.find((row) => row.step === step) ?? { n: 0, median: null, p90: null };
    return { count, medianMinutes: rules.inMinutes(median), p90Minutes: rules.inMinutes(p90) };
  };
  return { claim: of("claim"), submit: of("submit"), review: of("review") };
}

function byGame(costs: readonly store.CostRow[], held: readonly store.CostRow[]) {
  const names = new Map([...costs, ...held].map(({ game_id, name }) => [game_id, name]));
  const all = [...names].map(([gameId, gameName]) => {
    const own = ({ game_id }: store.CostRow) => game_id === gameId;
    return { gameId, gameName, ...spent(costs.filter(own)), ...expected(held.filter(own)) };
  });
  return all.toSorted(
    (a, b) =>
      b.spentCents - a.spentCents ||
      b.spentMinutes - a.spentMinutes ||
      b.forecastCents - a.forecastCents ||
      a.gameName.localeCompare(b.gameName),
  );
}

async function scopeOf(
  q: Query,
  ownerId: string,
  { game, since }: { game?: string | undefined; since?: string | undefined },
  from: number,
) {
  if (game !== undefined && !(await games.findForOwner(q, game, ownerId))) throw notFound();
  return { ownerId, gameId: game, since: since === undefined ? from : Date.parse(since) };
}

/** The figures of an owner's playtests, computed when they are asked for. */
export const statistics = {
  getStatistics: (call) =>
    call.read(async (q) => {
      const now = q.now;
      const scope = await scopeOf(q, call.principal.userId, call.query, rules.statisticsSince(now));
      const counts = await store.countByStatus(q, scope, now);
      const sum = Object.values(counts).reduce((a, b) => a + b, 0);
      return {
        gameId: scope.gameId ?? null,
        since: iso(scope.since),
        slots: { total: sum, ...counts },
        isPartial: sum === store.mostSlots && (await store.hasUncounted(q, scope)),
        devices: await store.countByDevice(q, scope),
        ...rules.rates(counts, await store.countRetried(q, scope)),
        ratings: await ratings(q, scope, now),
        times: await times(q, scope),
      };
    }),

  getSpending: (call) =>
    call.read(async (q) => {
      const now = q.now;
      const { userId } = call.principal;
      const scope = await scopeOf(q, userId, call.query, rules.spendingSince(now));
      const starts = rules.months(scope.since, now);
      const costs = await store.spentByMonth(q, scope, starts);
      const held = await store.forecastByGame(q, scope, now);
      return {
        gameId: scope.gameId ?? null,
        since: iso(scope.since),
        ...spent(costs),
        ...expected(held),
        minutesLeft: await balance(q, accounts.minutes(userId)),
        months: starts.map((start, i) => ({
          month: rules.monthName(start),
          ...spent(costs.filter(({ period }) => period === i)),
        })),
        games: byGame(costs, held),
      };
    }),
} satisfies Partial<Handlers>;
