import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as users from "../../server/accounts/users-store.ts";
import { failPayout, recordPayout, requirePayout } from "../../server/admin/payouts/payout.ts";
import { createDeps } from "../../server/app/compose.ts";
import type { Tx } from "../../server/app/tx.ts";
import { cancelAtPeriodEnd, resume } from "../../server/billing/cancellations.ts";
import { disputePayment } from "../../server/billing/cards/disputes.ts";
import { liftDisputes } from "../../server/billing/cards/freezes.ts";
import { HostedPayments } from "../../server/billing/cards/hosted.ts";
import { settleOwedCredit, settleOwedMinutes } from "../../server/billing/debts.ts";
import { openCheckout } from "../../server/billing/payments.ts";
import * as payments from "../../server/billing/store.ts";
import { startCheckout } from "../../server/billing/subscriptions/service.ts";
import { defaults } from "../../server/config/defaults.ts";
import type { Query, Store } from "../../server/database/port.ts";
import { StoreUnavailable } from "../../server/database/port.ts";
import * as games from "../../server/games/store.ts";
import { releaseAll } from "../../server/jobs/store.ts";
import { checkLedger } from "../../server/ledger/checks.ts";
import { accounts, goodwillTransfer, minutesGrantTransfer } from "../../server/ledger/rules.ts";
import { balance, post } from "../../server/ledger/store.ts";
import { ApiError } from "../../server/lib/api-error.ts";
import { placeOrder } from "../../server/playtests/orders.ts";
import { claim } from "../../server/playtests/slots/claims.ts";
import { accept, reject } from "../../server/playtests/slots/review.ts";
import type * as slots from "../../server/playtests/slots/store.ts";
import { cancelOpen, release, submit } from "../../server/playtests/slots/transitions.ts";
import * as playtests from "../../server/playtests/store.ts";
import { orderBody } from "../../src/contract/order-body.ts";
import type { SlotStatus } from "../../src/contract/states/index.ts";
import { createTestClock, createTestRandom } from "../helpers/server.ts";
import { type Driver, drivers, freshFolder } from "../helpers/store.ts";
import { coins, worthOfAll } from "./coins.ts";
import { checkOracles } from "./oracles.ts";
import { createProcessor } from "./processor.ts";

/** To run more: `PLAYTEST_MODEL_RUNS=500 PLAYTEST_SEED=7 npm test -- test/model/ledger.test.ts`. */
const runs = { sqlite: Number(process.env.PLAYTEST_MODEL_RUNS ?? 60), postgres: Number(process.env.PLAYTEST_MODEL_RUNS ?? 8) };
const steps = Number(process.env.PLAYTEST_LEDGER_STEPS ?? 100);
const seed = Number(process.env.PLAYTEST_SEED ?? 20260301);

const day = 86_400_000;

interface Crash {
  /** Which of the step's commits fails, from 0. */
  commit: number;
  /** The change is there all the same: the connection broke after the database had it. */
  durable: boolean;
}

/** A store whose chosen commit fails. */
function breakable(store: Store) {
  let next: (Crash & { seen: number }) | undefined;
  const undo = new Error("undone");
  const wrapped: Store = {
    dialect: store.dialect,
    shared: store.shared,
    read: (fn) => store.read(fn),
    check: (options) => store.check(options),
    close: () => store.close(),
    async write(fn) {
      const crash = next && next.seen++ === next.commit ? next : undefined;
      if (!crash) return store.write(fn);
      next = undefined;
      const failure = new StoreUnavailable("the database went away", { outcomeUnknown: crash.durable });
      const doomed = async (tx: Query) => {
        const value = await fn(tx);
        if (!crash.durable) throw undo;
        return value;
      };
      await store.write(doomed).catch((error: unknown) => {
        if (error !== undo) throw error;
      });
      throw failure;
    },
  };
  return {
    store: wrapped,
    arm: (crash: Crash | undefined) => {
      next = crash && { ...crash, seen: 0 };
    },
  };
}

async function open(driver: Driver) {
  const real = await driver.open();
  const { store, arm } = breakable(real);
  // The chains of the sandbox, and a card processor with a page of its own.
  const config = { ...structuredClone(defaults), sandbox: true };
  const processor = createProcessor();
  const clock = createTestClock();
  const wrong: unknown[] = [];
  const quiet = () => {};
  const error = ({ err }: Record<string, unknown>, message?: string) => {
    if (!(err instanceof StoreUnavailable || err instanceof ApiError)) wrong.push(err ?? message);
  };
  const deps = createDeps({
    ...{ config, store, clock, dataDir: freshFolder(), cards: processor.cards },
    randomBytes: createTestRandom(),
    instanceKey: createTestRandom("instance key")(32),
    mailer: { name: "none", delivers: true, send: async () => {}, close: async () => {} },
    log: { access: quiet, debug: quiet, info: quiet, warn: quiet, error },
    retiring: new AbortController().signal,
    draining: new AbortController().signal,
  });
  // Started and stopped, it works only when the clock is moved: the same history every time.
  deps.jobs.start(deps);
  await deps.jobs.stop();
  const people = await deps.store.write((tx) => createPeople(tx));
  return { ...people, deps, processor, clock, arm, wrong, remove: () => real.remove() };
}

type World = Awaited<ReturnType<typeof open>>;

async function createPeople(tx: Tx) {
  const now = tx.now;
  const person = async (role: "game_owner" | "playtester", name: string) => {
    const id = tx.newId();
    const texts = { display_name: name, company_name: name, email: `${name}@example.com`, email_key: `${name}@example.com` };
    const nothing = {
      website_url: null,
      gaming_experience: null,
      published_name: "shown" as const,
      validated_at: null,
      suspended_at: null,
      simulated: 0,
    };
    const absent = { created_from: null, created_with: null, deleted_at: null, admin_scopes: null };
    await users.insert(tx, {
      ...absent,
      ...{ id, role, ...texts, ...nothing, password_hash: "none", email_verified_at: now, created_at: now, updated_at: now },
    });
    return id;
  };
  const ownerId = await person("game_owner", "olga");
  const testers = [await person("playtester", "anna"), await person("playtester", "ben"), await person("playtester", "cem")];
  const nothing = { description: null, instructions: null, build_id: null, cover_image_url: null, external_url: null };
  const game: games.GameRow = {
    ...{ id: tx.newId(), owner_id: ownerId, name: "Lantern Deep", build_url: "https://example.com/b.zip", ...nothing },
    ...{ status: "active", devices: "[]", languages: "[]", last_finding: 0, platforms: "[]", created_at: now, updated_at: now },
  };
  await games.insert(tx, game);
  return { ownerId, testers, game };
}

const plans = ["indie_monthly", "studio_monthly", "indie_yearly"] as const;
const pick = <T>(list: readonly T[], index: number): T | undefined => (list.length === 0 ? undefined : list[index % list.length]);

interface Choice {
  what: keyof typeof actions;
  a: number;
  b: number;
  crash: Crash | undefined;
}

type Act = (world: World, a: number, b: number) => Promise<unknown>;

const withSlot =
  <Status extends SlotStatus>(
    statuses: readonly Status[],
    act: (world: World, tx: Tx, playtest: playtests.PlaytestRow, slot: slots.SlotIn<Status>) => Promise<unknown>,
  ): Act =>
  async (world, a) => {
    const marks = statuses.map(() => "?").join(", ");
    const sql = `SELECT * FROM slots WHERE status IN (${marks}) ORDER BY created_at, id`;
    const slot = pick(await world.deps.store.read((q) => q.all<slots.SlotIn<Status>>(sql, ...statuses)), a);
    if (slot) await world.deps.store.write(async (tx) => act(world, tx, (await playtests.find(tx, slot.playtest_id))!, slot));
  };

async function visit({ deps, processor }: World, paymentId: string): Promise<void> {
  const payment = (await deps.store.read((q) => payments.find(q, paymentId)))!;
  await new HostedPayments(deps, processor.cards).open(payment, "token");
}

const order =
  (method: "credit" | "hours"): Act =>
  ({ deps, game }, a, b) => {
    const manual = b % 3 === 0 ? { selectionMode: "manual" } : {};
    const body = orderBody.parse({ quantity: 1 + (a % 3), durationMinutes: [30, 60][b % 2], ...manual });
    return deps.store.write((tx) =>
      placeOrder(deps, tx, { gameId: game.id, caller: { userId: game.owner_id, keyId: "none", sessionId: null } }, body, method),
    );
  };

/** A report is taken; `stale` reads the object as it was up to so many changes ago. */
async function take({ deps, processor }: World, index: number, stale: number): Promise<void> {
  const report = pick(processor.reports, index);
  if (!report) return;
  Object.assign(processor.mood, { stale, version: report.version });
  try {
    await new HostedPayments(deps, processor.cards).take(report);
  } finally {
    Object.assign(processor.mood, { stale: 0, version: 0 });
  }
}

async function payNewest(world: World): Promise<void> {
  const session = world.processor.sessions().at(-1);
  if (session) world.processor.pay(session, "good");
  await take(world, world.processor.reports.length - 1, 0);
}

const refused = (error: unknown) => {
  if (!(error instanceof ApiError)) throw error;
};

const advance = ({ deps, clock }: World, days: number) => deps.jobs.advance(clock.now() + days * day, clock.moveTo);

const actions = {
  async buy(world, a) {
    const { deps, ownerId } = world;
    const about = { ownerId, amountCents: 2000 + a * 7, description: "Playtest credit", purpose: "credit" } as const;
    const { payment } = await deps.store.write((tx) => openCheckout(deps, tx, about));
    await visit(world, payment.id);
  },
  async subscribe(world, a) {
    const { deps, ownerId } = world;
    await deps.store.write((tx) => startCheckout(deps, tx, ownerId, plans[a % plans.length]!));
    const sql =
      "SELECT id FROM payments WHERE purpose = 'subscription' AND status = 'pending' AND expires_at IS NOT NULL ORDER BY created_at DESC";
    const newest = await deps.store.read((q) => q.one<{ id: string }>(sql));
    if (newest) await visit(world, newest.id);
  },
  async topUp(world, a) {
    await actions.buy(world, a);
    await payNewest(world);
  },
  async startPlan(world, a) {
    await actions.subscribe(world, a);
    await payNewest(world);
  },
  async pay({ processor }, a, b) {
    const session = pick(
      processor.sessions().filter(({ state }) => state === "open"),
      a,
    );
    if (session) processor.pay(session, b % 4 === 0 ? "bad" : "good");
  },
  take: (world, a, b) => take(world, a, b % 3),
  takeLatest: (world) => take(world, world.processor.reports.length - 1, 0),
  /** Two reports at once: what one reads, the other may outdate. */
  takeTwo: ({ deps, processor }, a, b) =>
    Promise.allSettled(
      [pick(processor.reports, a), pick(processor.reports, b)].map(
        (report) => report && new HostedPayments(deps, processor.cards).take(report),
      ),
    ).then((results) => {
      for (const result of results) if (result.status === "rejected") throw result.reason;
    }),
  async dispute({ processor }, a, b) {
    const paid = pick(processor.paid, a);
    if (paid) processor.dispute(paid, b % 3 === 0 ? 0.5 : 1);
  },
  async win({ processor }, a) {
    const dispute = pick(processor.disputes(), a);
    if (dispute) processor.win(dispute);
  },
  /** The operator lets an owner order again whose payments are disputed. */
  lift: ({ deps, processor }, a) =>
    deps.store.write(async (tx) => {
      const paid = pick(processor.disputes(), a);
      const payment = paid && (await payments.find(tx, paid.paid.paymentId));
      if (payment) await liftDisputes(tx, payment);
    }),
  async refund({ processor }, a, b) {
    const paid = pick(processor.paid, a);
    if (paid) processor.refund(paid, b % 2 === 0 ? 0.3 : 1);
  },
  async failRefund({ processor }, a) {
    const paid = pick(processor.paid, a);
    if (paid) processor.failRefund(paid);
  },
  /** The operator hears of a chargeback from the bank before the processor tells of it. */
  async chargebackByHand({ deps, processor }, a) {
    const whole = processor.paid.filter((paid) => processor.isWhole(paid));
    const paid = pick(whole, a);
    if (!paid) return;
    processor.dispute(paid, 1);
    await deps.store.write(async (tx) => {
      const payment = await payments.find(tx, paid.paymentId);
      if (payment?.status === "completed") await disputePayment(tx, payment);
    });
  },
  /** What was spent is charged back, so that whatever comes in next settles it. */
  async fallIntoDebt(world, a, b) {
    await actions.topUp(world, a);
    await order("credit")(world, a, b + 1).catch(refused);
    const paid = world.processor.paid.at(-1);
    if (paid) world.processor.dispute(paid, 1);
    await actions.takeLatest(world);
  },
  async mood({ processor }, a) {
    processor.mood.charge = (["pays", "fails", "pays, but the answer is lost"] as const)[a % 3]!;
  },
  orderByCredit: order("credit"),
  orderByHours: order("hours"),
  claim: async ({ deps, testers }, a, b) => {
    const sql = "SELECT id FROM playtests WHERE status = 'active' ORDER BY created_at, id";
    const playtest = pick(await deps.store.read((q) => q.all<{ id: string }>(sql)), a);
    if (playtest) await deps.store.write((tx) => claim(tx, playtest.id, pick(testers, b)!));
  },
  submit: withSlot(["reserved"], ({ deps }, tx, _playtest, slot) => {
    const video = {
      blobKey: `v/${slot.id}`,
      size: 10,
      filename: "v.mp4",
      contentType: "video/mp4",
      durationMs: null,
      facts: null,
    };
    return submit(deps, tx, slot, video, { notes: "Fun.", device: null });
  }),
  accept: withSlot(["submitted"], (_world, tx, playtest, slot) => accept(tx, playtest, slot, { score: 5, comment: null })),
  reject: withSlot(["submitted"], (_world, tx, playtest, slot) =>
    reject(tx, playtest, slot, { reason: "No.", allowRetry: false }),
  ),
  retry: withSlot(["submitted"], (_world, tx, playtest, slot) => reject(tx, playtest, slot, { reason: "No.", allowRetry: true })),
  release: withSlot(["reserved"], (_world, tx, playtest, slot) => release(tx, playtest, slot)),
  delete: withSlot(["open"], (_world, tx, playtest, slot) => cancelOpen(tx, playtest, slot)),
  goodwill: ({ deps, ownerId }, a) =>
    deps.store.write(async (tx) => {
      const [grantId, cents] = [deps.newId(), 1 + a];
      await post(tx, goodwillTransfer({ grantId, ownerId, cents, note: "Thanks" }));
      await settleOwedCredit(tx, ownerId, cents, { id: grantId });
    }),
  grantHours: ({ deps, ownerId }, a) =>
    deps.store.write(async (tx) => {
      const grantId = deps.newId();
      await post(tx, minutesGrantTransfer({ grantId, ownerId, minutes: 1 + a, note: "Thanks" }));
      await settleOwedMinutes(tx, ownerId, { id: grantId });
    }),
  payOut: ({ deps, testers }, a, b) => deps.store.write((tx) => recordPayout(tx, pick(testers, a)!, 1 + (b % 500))),
  async failPayout({ deps }, a) {
    const payout = pick(await deps.store.read((q) => q.all<{ id: string }>("SELECT id FROM payouts ORDER BY created_at, id")), a);
    if (payout) await deps.store.write(async (tx) => failPayout(tx, await requirePayout(tx, payout.id)));
  },
  cancelPlan: ({ deps, ownerId }) => deps.store.write((tx) => cancelAtPeriodEnd(tx, ownerId)),
  resumePlan: ({ deps, ownerId }) => deps.store.write((tx) => resume(tx, ownerId)),
  ...coins,
  anHour: (world) => advance(world, 1 / 24),
  aDay: (world) => advance(world, 1),
  aMonth: (world) => advance(world, 31),
} satisfies Record<string, Act>;

const often: Partial<Record<keyof typeof actions, number>> = {
  ...{
    buy: 4,
    pay: 6,
    take: 6,
    takeLatest: 6,
    takeTwo: 3,
    orderByCredit: 3,
    orderByHours: 3,
    payWithCoins: 3,
    sendCoins: 4,
    nameCoins: 3,
    sendTooFew: 2,
    resolveCoins: 2,
    fallIntoDebt: 2,
    lift: 4,
    claim: 4,
    submit: 4,
    accept: 3,
    aDay: 2,
  },
};
const number = fc.nat(999);
const crash = fc.record({ commit: fc.nat(3), durable: fc.boolean() });
const choice: fc.Arbitrary<Choice> = fc.record({
  what: fc.oneof(
    ...(Object.keys(actions) as (keyof typeof actions)[]).map((what) => ({
      weight: often[what] ?? 1,
      arbitrary: fc.constant(what),
    })),
  ),
  a: number,
  b: number,
  crash: fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: crash }),
});

/** Does it; the server may refuse, and the database may go away. Then the process starts again. */
async function act(world: World, { what, a, b, crash: planned }: Choice): Promise<void> {
  world.arm(planned);
  try {
    await (actions[what] as Act)(world, a, b);
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof StoreUnavailable)) throw error;
  } finally {
    world.arm(undefined);
  }
  await world.deps.store.write(releaseAll);
}

async function check({ deps, wrong }: World): Promise<void> {
  expect((await deps.store.read(checkLedger)).filter(({ ok }) => !ok)).toEqual([]);
  expect(wrong).toEqual([]);
}

/** Every report comes in the end, for good and more than once, and what is due is done: then the processor's own figures agree. */
async function reconcile(world: World): Promise<void> {
  const { deps, processor } = world;
  processor.mood.charge = "fails";
  for (let round = 0; round < 2; round++) {
    for (let days = 0; days < 3; days++) await advance(world, 1);
    for (const report of processor.reports) await new HostedPayments(deps, processor.cards).take(report);
  }
  const sql = "SELECT COALESCE(SUM(amount), 0) AS held FROM ledger_postings WHERE account_id = ?";
  const held = await deps.store.read((q) => q.one<{ held: number }>(sql, accounts.processor("stripe")));
  expect(Number(held!.held)).toBe(processor.holds());
  await deps.store.read(checkOracles);
  const arrived =
    "SELECT COALESCE(SUM(p.amount), 0) AS cents FROM ledger_postings p JOIN ledger_transfers t ON t.id = p.transfer_id WHERE t.source = 'crypto:' AND p.amount > 0";
  const coinCents = await deps.store.read((q) => q.one<{ cents: number }>(arrived));
  expect(Number(coinCents!.cents)).toBe(await worthOfAll(world));
  const spendable = await deps.store.read((q) => balance(q, accounts.credit(world.ownerId)));
  expect(spendable).toBeGreaterThanOrEqual(0);
}

async function live(driver: Driver, choices: Choice[]): Promise<void> {
  const world = await open(driver);
  const story: string[] = [];
  try {
    for (const chosen of choices) {
      story.push(JSON.stringify(chosen));
      await act(world, chosen);
      await check(world);
    }
    story.push("reconcile");
    await reconcile(world);
    await check(world);
  } catch (error) {
    throw new Error(`after\n${story.join("\n")}\n${(error as Error).message}`, { cause: error });
  } finally {
    await world.remove();
  }
}

describe.each(drivers)("ledger under random billing histories ($name)", (driver) => {
  it("the ledger passes the ten checks after each step and agrees with the card processor at the end", {
    timeout: 3_600_000,
  }, async () => {
    const property = fc.asyncProperty(fc.array(choice, { maxLength: steps, size: "max" }), (choices) => live(driver, choices));
    await fc.assert(property, { numRuns: runs[driver.name], seed, endOnFailure: false });
  });
});
