import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseSlotGate, parseUntil } from "../../src/commands/playtests/progress.ts";
import { parseShareGate, shareOfSlots } from "../../src/commands/playtests/share-gate.ts";
import { intervalOf } from "../../src/contract/findings/exact.ts";
import type { PlaytestStatus, SlotStatus } from "../../src/contract/states/index.ts";
import { playtest, testFolder } from "../helpers/cli.ts";
import { play, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { startTime } from "../helpers/server.ts";
import { stubServer } from "../helpers/stub-server.ts";

describe("--until", () => {
  const rows: [until: string, status: PlaytestStatus, slots: Record<string, number>, reached: boolean][] = [
    ["any-submitted", "active", { open: 2 }, false],
    ["any-submitted", "active", { open: 1, submitted: 1 }, true],
    ["any-submitted", "active", { open: 1, expired: 1 }, false],
    ["all-submitted", "active", { reserved: 1, submitted: 1 }, false],
    ["all-submitted", "active", { submitted: 1, accepted: 1 }, true],
    ["all-submitted", "active", { submitted: 1, cancelled: 1, expired: 1 }, true],
    ["all-submitted", "active", { blocked: 1, submitted: 1 }, false],
    ["all-submitted", "pending_payment", {}, false],
    ["all-submitted", "cancelled", {}, true],
    ["2-submitted", "active", { open: 3, submitted: 1 }, false],
    ["2-submitted", "active", { open: 3, submitted: 1, rejected: 1 }, true],
    ["3-submitted", "active", { accepted: 2, cancelled: 1 }, true],
    ["2-submitted", "active", { rejected: 1, submitted: 1 }, true],
    ["all-reviewed", "active", { submitted: 1, accepted: 1 }, false],
    ["all-reviewed", "active", { accepted: 1, publishing: 1 }, true],
    ["ended", "active", { accepted: 1, submitted: 1 }, false],
    // Another server may have no status for it.
    ["ended", "active", { accepted: 2 }, true],
    ["ended", "completed", { accepted: 2 }, true],
  ];
  it.each(rows)("%s of %s %o: %s", (until, status, slots, reached) => {
    expect(parseUntil(until)({ status, quantity: 1, slots })).toBe(reached);
  });

  it.each([
    [4, { submitted: 1, open: 2, cancelled: 1 }, "the playtest has 4 slots"],
    [1, { rejected: 1, reserved: 1 }, "the playtest has 2 slots"],
    [1, {}, "the playtest has 1 slot"],
  ])("5-submitted of %i is refused with its size", (quantity, slots: Record<string, number>, message) => {
    for (const status of ["active", "completed", "pending_payment"] as const)
      expect(() => parseUntil("5-submitted")({ status, quantity, slots })).toThrow(message);
  });

  it.each(["", "0-submitted", "submitted", "all"])("%j is refused", (text) => {
    expect(() => parseUntil(text)).toThrow("is not one of");
  });
});

describe("--fail-if", () => {
  it.each([
    ["rejected>1", { rejected: 1 }, false],
    ["rejected>1", { rejected: 2 }, true],
    ["open >= 3", { open: 3 }, true],
    ["accepted<1", {}, true],
    ["expired=0", { expired: 1 }, false],
    ["expired != 0", { expired: 1 }, true],
  ])("%s of %o: %s", (gate, slots: Record<string, number>, fails) => {
    expect(parseSlotGate(gate).fails(slots)).toBe(fails);
  });

  it.each(["rejected", "rejected>x", "lost>1", "rejected>1;rm"])("%j is refused", (text) => {
    expect(() => parseSlotGate(text)).toThrow("--fail-if");
  });
});

describe("--fail-if with a share", () => {
  it.each([
    // 3 of 4 may be luck; 15 of 20 is not.
    ["rejected>40%", { rejected: 3, accepted: 1 }, false],
    ["rejected>40%", { rejected: 15, accepted: 5 }, true],
    // Slots that wait for review say nothing of reviews.
    ["rejected>40%", { rejected: 15, accepted: 5, submitted: 100 }, true],
    ["accepted<60%", { accepted: 1, rejected: 3 }, false],
    ["accepted < 60.5 %", { accepted: 5, rejected: 15 }, true],
    ["expired>=10%", { expired: 10, accepted: 10 }, true],
    ["expired>=10%", { expired: 1, accepted: 1 }, false],
    ["rejected>=0%", {}, true],
    ["rejected>0%", {}, false],
    ["rejected<=100%", {}, true],
  ])("%s of %o: %s", (text, slots: Record<string, number>, fails) => {
    const { of, fails: decide } = parseShareGate(text)!;
    expect(decide(shareOfSlots((of as { status: SlotStatus }).status, slots))).toBe(fails);
  });

  it("is exact: of the bounds of Clopper and Pearson in tables", () => {
    const rows = [
      [0, 10, 0, 0.3085],
      [1, 10, 0.0025, 0.445],
      [5, 10, 0.1871, 0.8129],
      [6, 20, 0.1189, 0.5428],
      [20, 20, 0.8316, 1],
      [0, 0, 0, 1],
    ] as const;
    for (const [seen, of, low, high] of rows) {
      const found = intervalOf({ seen, of });
      expect([seen, of, Math.round(found.low * 1e4) / 1e4, Math.round(found.high * 1e4) / 1e4]).toEqual([seen, of, low, high]);
    }
  });

  it.each(["rejected=20%", "#7", "#7>3", "rejected>101%", "lost>1%", "%"])("%j is refused", (text) => {
    expect(() => parseShareGate(text)).toThrow("--fail-if");
  });
});

describe("wait", () => {
  const fixture = eachOwnerFixture();

  it("ends with 0 when it is reached", async () => {
    const id = await fixture.order();
    const sleep = async () => void (await play(fixture.server, await registerPlaytester(fixture.server), id));
    const { code, stdout } = await fixture.run(`wait ${id} --json`, { outside: { sleep } });
    expect([code, JSON.parse(stdout).playtest.slots.submitted]).toEqual([0, 1]);
  });

  it("ends with 8 when the time is over, having looked once more at its end", async () => {
    const id = await fixture.order();
    const { code, stderr, waited } = await fixture.run(`playtests wait ${id} --for 40s`);
    expect([code, waited]).toEqual([8, 40_000]);
    expect(stderr).toContain("The playtest did not reach all-submitted within 40s. Current state: 1 open.");
  });

  it("ends with 13 when a gate fails", async () => {
    const id = await fixture.order({ quantity: 2 });
    const slot = await play(fixture.server, await registerPlaytester(fixture.server), id);
    await fixture.owner.post(`/slots/${slot}/reject`);
    const { code, stderr } = await fixture.run(["wait", id, "--fail-if", "accepted>5", "--fail-if", "rejected>0"]);
    expect([code, stderr]).toEqual([13, expect.stringContaining("rejected>0 is met. Current state: 1 open, 1 rejected.")]);
  });

  it("fails for the share of the playtesters who met a finding, if chance does not explain it", async () => {
    const { owner, server } = fixture;
    const id = await fixture.order({ quantity: 8 });
    const { finding } = (await owner.post(`/games/${fixture.gameId}/findings`, { title: "Lost" })).body.data;
    const gate = ["wait", id, "--for", "0", "--fail-if", "#1>30%"];
    const play1 = async () => play(server, await registerPlaytester(server), id);
    const slots = [await play1()];
    expect((await fixture.run(gate)).code).toBe(8);
    for (let n = 0; n < 5; n++) slots.push(await play1());
    await owner.post(`/findings/${finding.id}/evidence`, { slotId: slots[0], fromMs: 0 });
    expect((await fixture.run(gate)).code).toBe(8);
    for (const slotId of slots.slice(1, 5)) await owner.post(`/findings/${finding.id}/evidence`, { slotId, fromMs: 0 });
    const { code, stderr } = await fixture.run(gate);
    expect([code, stderr]).toEqual([
      13,
      expect.stringContaining(
        "#1>30% is met: 5 of 6, which is 35% to 100% with a confidence of 95%. Current state: 6 submitted, 2 open.",
      ),
    ]);
    expect((await fixture.run(["wait", id, "--for", "0", "--fail-if", "#9>30%"])).stderr).toContain("the game has no finding #9");
  });

  it("goes on when the server is away for a while", async () => {
    const id = "019ca945-0a00-739a-9c06-a54b4512df84";
    const on = `GET /playtests/${id}`;
    const playtest = { id, status: "active", slots: { open: 1 } };
    const busy = { on, status: 503, error: { code: "SERVICE_UNAVAILABLE", message: "Back soon." } };
    const stub = await stubServer([
      { on, data: { playtest } },
      busy,
      busy,
      { on, data: { playtest: { ...playtest, slots: { submitted: 1 } } } },
    ]);
    const { code, stderr } = await fixture.run(`wait ${id} --retries 0`, { baseUrl: stub.baseUrl });
    expect(code).toBe(0);
    expect(stderr).toBe("warning: Back soon. Retrying.\nReconnected.\n");
  });

  it.each([
    ["an unknown goal", "--until done", "any-submitted|all-submitted"],
    ["more than was ordered", "--until 2-submitted", "the playtest has 1 slot."],
    ["an unknown condition", "--fail-if maybe", "is not a valid condition"],
  ])("refuses %s", async (_, flags, message) => {
    const { code, stderr } = await fixture.run(`wait ${await fixture.order()} ${flags}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("status", () => {
  const fixture = eachOwnerFixture();

  it.each([
    ["pendingReviews>0", 13, "pendingReviews>0 is met: pendingReviews is 1."],
    ["pendingReviews>1", 0, ""],
    ["balanceCents < 50000", 13, "balanceCents is 46000."],
    ["dueWithinDay=1", 13, "dueWithinDay is 1."],
    ["playtestsLackingKeys>0", 0, ""],
    ["reviews>1", 2, 'unknown value "reviews"'],
    ["many", 2, "is not a valid condition. Example: pendingReviews>0"],
  ])("--fail-if %j ends with %i", async (condition, code, message) => {
    await play(fixture.server, await registerPlaytester(fixture.server), await fixture.order());
    const held = await fixture.order();
    await (await registerPlaytester(fixture.server)).post(`/playtester/playtests/${held}/claim`);
    const ran = await fixture.run(["status", "--fail-if", condition], { outside: { now: () => startTime } });
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it("counts deadlines within a day, of all that is held", async () => {
    const id = await fixture.order({ quantity: 2 });
    for (const hours of [0, 2]) {
      fixture.server.clock.set(startTime + hours * 3_600_000);
      await (await registerPlaytester(fixture.server)).post(`/playtester/playtests/${id}/claim`);
    }
    // By the clock of the server, not by this one.
    const seen = await fixture.run("status --json", { outside: { now: () => startTime } });
    expect(JSON.parse(seen.stdout).result).toMatchObject({
      dueWithinDay: 2,
      nextDeadlineAt: new Date(startTime + 24 * 3_600_000).toISOString(),
    });
  });
});

describe("watch", () => {
  const fixture = eachOwnerFixture();

  it("prints each change, until the playtest ends", async () => {
    const id = await fixture.order();
    const steps = [
      async () => {},
      async () => void (await play(fixture.server, await registerPlaytester(fixture.server), id)),
      async () => {
        const { slots } = (await fixture.owner.get(`/playtests/${id}/slots`)).body.data;
        await fixture.owner.post(`/slots/${slots[0].id}/accept`);
      },
    ];
    const { code, stdout } = await fixture.run(`playtests watch ${id}`, {
      outside: { sleep: async () => steps.shift()?.(), now: () => startTime },
    });
    expect([code, stdout]).toMatchInlineSnapshot(`
      [
        0,
        "2026-03-01T12:00:00.000Z  active  1 open
      2026-03-01T12:00:00.000Z  active  1 submitted
      2026-03-01T12:00:00.000Z  completed  1 accepted
      ",
      ]
    `);
  });
});

describe("template", () => {
  const fixture = eachOwnerFixture();

  it("explains every field", async () => {
    expect((await fixture.run("playtests template")).stdout).toMatchInlineSnapshot(`
      "# A public playtest is free, and its videos are published; default private. One of public, private.
      visibility: "private"
      # Slots to create (1 to 100).
      quantity: 1
      # Minutes per slot; default 60, or 30 for a public playtest. One of 30, 60, 120, 180.
      durationMinutes: 60
      # Players per slot (1 to 8).
      playerCount: 1
      # Notes, shown to playtesters only after claiming.
      # notesForTesters:
      # Game keys, one for each player of each slot, assigned in order.
      # keysForTesters: []
      # Use the game's one free public trial: 1 player, 30 minutes.
      # isFreePublicTrial:
      # Offer it only to new playtesters, or only to past ones. One of new, past.
      # targetingType:
      # Whether new and past refer to this game or to all your games; default owner. One of game, owner.
      # targetingScope:
      # Any past playtester, or one specific playtester. One of any, specific.
      # pastPlaytesterScope:
      # Playtester to invite.
      # targetedPlaytesterId:
      # Offer it only to the members of this tester group of the server.
      # panel:
      # Only for playtesters in these countries, such as DE; default everyone.
      # targetCountries: []
      # Only for playtesters who speak one of these languages, such as de.
      # targetLanguages: []
      # Only for playtesters who have one of these devices. One of PC, Mac, Linux, iOS, Android.
      # targetDevices: []
      # Only for playtesters in these age bands. One of under-18, 18-24, 25-34, 35-44, 45-54, 55+.
      # targetAges: []
      # First come, first served (automatic), or you approve applications (manual). One of automatic, manual.
      selectionMode: "automatic"
      # Requirements for playtesters, shown with the offer.
      # qualifications:
      # Fixed time at which it is played, 12 hours to 90 days ahead; without it, playtesters choose: a time, such as 2026-01-31 or 2026-01-31T08:00:00+01:00 (ISO 8601; UTC if no zone is given).
      # scheduledAt:
      # Your own name for the order. Another order with it is refused unless this one was cancelled.
      # ref:
      "
    `);
  });

  it.each(["yaml", "json"])("as %s is an order as it stands", async (as) => {
    const like = await fixture.order({ durationMinutes: 120, quantity: 2 });
    const file = join(testFolder(), `order.${as}`);
    writeFileSync(file, (await fixture.run(`playtests template --like ${like} --as ${as}`)).stdout);
    const { stdout } = await fixture.run(`order ${fixture.gameId} -f ${file} --yes --json`);
    expect(JSON.parse(stdout).playtest).toMatchObject({ durationMinutes: 120, quantity: 2 });
  });

  it("as csv is a bulk order as it stands", async () => {
    const file = join(testFolder(), "orders.csv");
    writeFileSync(file, (await fixture.run(`playtests template ${fixture.gameId} --as csv`)).stdout);
    expect((await fixture.run(`bulk ${file} --yes`)).code).toBe(0);
  });
});

it.each(
  [
    "review watch",
    "notifications watch",
    "chat read 1 --follow",
    "webhooks listen --poll",
    "playtests wait 1",
    "playtests watch 1",
  ].flatMap((line) => ["0", "0.5s", "25d"].map((interval) => [line, interval] as const)),
)("%s --interval %s is refused: a timer cannot wait so", async (line, interval) => {
  const { code, stderr } = await playtest([...line.split(" "), "--interval", interval]);
  expect([code, stderr]).toEqual([2, `error: --interval: must be from 1s to 24d, not ${interval}.\n`]);
});
