import { describe, expect, it } from "vitest";
import { average, months, periods, rates, share } from "../../server/playtests/statistics/rules.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";
import { multiplySlots } from "../helpers/slot-factories.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const at = (text: string) => Date.parse(text);
const days = (starts: readonly number[]) => starts.map((start) => new Date(start).toISOString().slice(0, 10));

describe("the rules of statistics", () => {
  it.each([
    ["2026-02-18T10:00:00Z", "2026-03-03T10:00:00Z", ["2026-02-16", "2026-02-23", "2026-03-02"]],
    ["2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z", ["2026-03-02"]],
    ["2026-05-01T00:00:00Z", "2026-03-03T10:00:00Z", ["2026-03-02"]],
  ])("weeks from %s to %s begin on Mondays", (since, now, expected) =>
    expect(days(periods(at(since), at(now)))).toEqual(expected),
  );

  it("are months when the time is longer than half a year, five years at most", () => {
    expect(days(periods(at("2025-11-20T00:00:00Z"), at("2026-07-01T00:00:00Z"))).slice(0, 3)).toEqual([
      "2025-11-01",
      "2025-12-01",
      "2026-01-01",
    ]);
    expect(months(0, at("2026-03-31T10:00:00Z"))).toHaveLength(60);
    expect(days(months(0, at("2026-03-31T10:00:00Z"))).at(-1)).toBe("2026-03-01");
  });

  it.each([
    [0, 0, null],
    [1, 3, 0.333],
    [3, 3, 1],
  ])("the share of %i in %i is %s", (part, whole, expected) => expect(share(part, whole)).toBe(expected));
  it("an average has two digits", () => expect([average(7, 3), average(0, 0)]).toEqual([2.33, null]));
  it("rates are of what was reviewed", () => {
    const none = { open: 9, reserved: 0, blocked: 0, submitted: 4, publishing: 0, expired: 3, cancelled: 0 };
    expect(rates({ ...none, accepted: 3, rejected: 1 }, 1)).toEqual({ acceptanceRate: 0.75, retryRate: 0.25 });
    expect(rates({ ...none, accepted: 0, rejected: 0 }, 0)).toEqual({ acceptanceRate: null, retryRate: null });
  });
});

onBothDatabases("statistics", (start) => {
  const stats = async (owner: factories.Person, query = "") => (await owner.get(`/stats${query}`)).body.data;
  const spending = async (owner: factories.Person, query = "") => (await owner.get(`/billing/spend${query}`)).body.data;

  /** One slot of a new playtest: claimed after an hour, submitted after another, reviewed after half an hour more. */
  async function reviewed(
    server: TestServer,
    owner: factories.Person,
    gameId: string,
    verdict: Record<string, unknown>,
    claimAfter = 60,
  ) {
    const playtestId = await factories.order(owner, gameId);
    const person = await factories.registerPlaytester(server);
    await server.advance(claimAfter * minute);
    const slotId = await factories.play(server, person, playtestId);
    await server.advance(30 * minute);
    const { score, ...rest } = verdict;
    const action = score === undefined ? "reject" : "accept";
    const reply = await owner.post(`/slots/${slotId}/${action}`, score === undefined ? rest : { rating: score });
    expect(reply.status).toBe(200);
    return slotId;
  }

  async function world() {
    const server = await start();
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const gameId = await factories.createGame(owner, { name: "Moon Miner" });
    return { server, owner, gameId };
  }

  it("say that slots were left out exactly where there are more than 20,000", async () => {
    const { server, owner, gameId } = await world();
    await factories.order(owner, gameId);
    await multiplySlots(server, owner.id, 20_000);
    await server.advance(minute);
    expect(await stats(owner)).toMatchObject({ slots: { total: 20_000 }, isPartial: false });
    await multiplySlots(server, owner.id, 20_001);
    for (const query of ["", `?game=${gameId}`])
      expect(await stats(owner, query)).toMatchObject({ slots: { total: 20_000 }, isPartial: true });
  });

  it("are empty without playtests", async () => {
    const { owner } = await world();
    const { slots, ratings, times, ...rest } = await stats(owner);
    expect(rest).toMatchObject({ acceptanceRate: null, retryRate: null, isPartial: false, gameId: null });
    expect(slots.total).toBe(0);
    expect(ratings).toMatchObject({ count: 0, average: null, scores: [0, 0, 0, 0, 0], builds: [] });
    expect(ratings.periods.every((one: { count: number; average: unknown }) => one.count === 0 && one.average === null)).toBe(
      true,
    );
    expect(times.claim).toEqual({ count: 0, medianMinutes: null, p90Minutes: null });
    expect(await spending(owner)).toMatchObject({ spentCents: 0, forecastCents: 0, games: [], minutesLeft: 0 });
  });

  it("count statuses, rates, ratings and times, and what was spent and is held", async () => {
    const { server, owner, gameId } = await world();
    const other = await factories.createGame(owner, { name: "Star Miner" });
    await reviewed(server, owner, gameId, { score: 5 }, 10);
    await reviewed(server, owner, gameId, { score: 4 }, 20);
    await reviewed(server, owner, gameId, { allowRetry: false }, 600);
    await reviewed(server, owner, other, { reason: "No sound.", allowRetry: true }, 30);
    await factories.order(owner, gameId, { quantity: 2 });
    const all = await stats(owner);
    expect(all.slots).toMatchObject({ total: 7, accepted: 2, rejected: 2, open: 2, reserved: 1 });
    expect(all).toMatchObject({ acceptanceRate: 0.5, retryRate: 0.25 });
    expect(all.ratings).toMatchObject({ count: 2, average: 4.5, scores: [0, 0, 0, 1, 1] });
    expect(all.ratings.builds).toMatchObject([{ gameId, count: 2, average: 4.5 }]);
    const rated = all.ratings.periods.filter(({ count }: { count: number }) => count > 0);
    expect(rated).toEqual([{ from: "2026-02-23T00:00:00.000Z", count: 2, average: 4.5 }]);
    expect(all.times.claim).toEqual({ count: 4, medianMinutes: 20, p90Minutes: 600 });
    expect(all.times.review).toEqual({ count: 4, medianMinutes: 30, p90Minutes: 30 });
    const one = await stats(owner, `?game=${other}`);
    expect(one).toMatchObject({ gameId: other, acceptanceRate: 0, retryRate: 1, slots: { total: 2 } });

    const spent = await spending(owner);
    // The retry of the rejected slot holds its price; two accepted slots and one final rejection are spent.
    expect(spent).toMatchObject({ spentCents: 6000, spentMinutes: 0, forecastCents: 6000, forecastMinutes: 0 });
    expect(spent.months.at(-1)).toMatchObject({ month: "2026-03", spentCents: 6000 });
    expect(spent.months).toHaveLength(12);
    expect(spent.games).toEqual([
      { gameId, gameName: "Moon Miner", spentCents: 6000, spentMinutes: 0, forecastCents: 4000, forecastMinutes: 0 },
      { gameId: other, gameName: "Star Miner", spentCents: 0, spentMinutes: 0, forecastCents: 2000, forecastMinutes: 0 },
    ]);
    expect(await spending(owner, `?game=${other}`)).toMatchObject({ spentCents: 0, forecastCents: 2000, gameId: other });
  });

  it.each([
    { method: "credit", each: { spentCents: 2000, spentMinutes: 0 } },
    { method: "hours", each: { spentCents: 0, spentMinutes: 60 } },
  ])("count a slot of $method that was cancelled too late for a refund, and none that was refunded", async ({ method, each }) => {
    const { server, owner, gameId } = await world();
    if (method === "hours") await factories.giveMinutes(server, owner, 120);
    const cancelled = async (before: number) => {
      const scheduledAt = new Date(server.clock.now() + 3 * day).toISOString();
      const ordered = await owner.post(`/games/${gameId}/playtests`, { scheduledAt }, { "x-payment-method": method });
      const params = { id: ordered.body.data.playtest.id };
      const { slot } = await (await factories.registerPlaytester(server)).claimPlaytest({ params, body: { scheduledAt } });
      await server.advance(3 * day - before * 60 * minute);
      expect((await owner.delete(`/playtests/slots/${slot.id}`)).status).toBe(200);
    };
    await cancelled(24);
    expect(await spending(owner)).toMatchObject({ spentCents: 0, spentMinutes: 0, games: [] });
    await cancelled(2);
    const spent = await spending(owner);
    expect(spent).toMatchObject({ ...each, forecastCents: 0, forecastMinutes: 0 });
    expect(spent.months.at(-1)).toEqual({ month: "2026-03", ...each });
    expect(spent.games).toMatchObject([{ gameId, ...each }]);
  });

  it("leave out what is older than since, and what belongs to others", async () => {
    const { server, owner, gameId } = await world();
    await reviewed(server, owner, gameId, { score: 3 });
    await server.advance(40 * day);
    await reviewed(server, owner, gameId, { score: 5 });
    const since = new Date(server.clock.now() - 30 * day).toISOString();
    expect((await stats(owner, `?since=${since}`)).ratings).toMatchObject({ count: 1, average: 5 });
    expect((await stats(owner)).ratings).toMatchObject({ count: 2, average: 4 });
    expect((await spending(owner, `?since=${since}`)).spentCents).toBe(2000);
    const months = (await spending(owner)).months.filter(({ spentCents }: { spentCents: number }) => spentCents > 0);
    expect(months).toEqual([
      { month: "2026-03", spentCents: 2000, spentMinutes: 0 },
      { month: "2026-04", spentCents: 2000, spentMinutes: 0 },
    ]);
    const stranger = await factories.registerOwner(server);
    expect((await stats(stranger)).slots.total).toBe(0);
    for (const path of ["/stats", "/billing/spend"]) expect((await stranger.get(`${path}?game=${gameId}`)).status).toBe(404);
    expect((await stranger.get("/stats?since=yesterday")).status).toBe(422);
  });

  it("tell builds apart by when slots were claimed", async () => {
    const { server, owner, gameId } = await world();
    await reviewed(server, owner, gameId, { score: 2 });
    await server.advance(minute);
    await owner.patch(`/games/${gameId}`, { buildUrl: "https://example.com/2.zip" });
    await reviewed(server, owner, gameId, { score: 5 });
    const { builds } = (await stats(owner)).ratings;
    expect(builds.map(({ count, average: mean }: { count: number; average: number }) => [count, mean])).toEqual([
      [1, 5],
      [1, 2],
    ]);
  });

  it("count submissions by what they were played on", async () => {
    const server = await start();
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 20_000);
    const playtestId = await factories.order(owner, await factories.createGame(owner), { quantity: 4 });
    for (const device of ["Mac", "PC", "Mac", undefined]) {
      const person = await factories.registerPlaytester(server);
      const slotId = await factories.claim(person, playtestId);
      await factories.giveVideo(server, slotId, person);
      const unknown = await person.post(`/playtester/slots/${slotId}/submit`, { device: "Toaster" });
      expect([unknown.status, unknown.body.error.details[0].field]).toEqual([422, "device"]);
      const reply = await person.post(`/playtester/slots/${slotId}/submit`, device ? { device } : {});
      expect(reply.body.data.slot.submission.device).toBe(device ?? null);
      expect((await owner.get(`/slots/${slotId}`)).body.data.slot.submission.device).toBe(device ?? null);
    }
    const { devices } = await stats(owner);
    const asText = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(devices[0]).toEqual({ device: "Mac", count: 2 });
    const others = [
      { device: "PC", count: 1 },
      { device: null, count: 1 },
    ];
    expect(asText(devices)).toEqual(asText([devices[0], ...others]));
  });
});
