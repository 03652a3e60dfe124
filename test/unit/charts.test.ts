import { describe, expect, it } from "vitest";
import { span, statisticsText } from "../../src/commands/root/stats-text.ts";
import { bar, barChart, sparkline } from "../../src/io/charts/text-charts.ts";

const none = { count: 0, medianMinutes: null, p90Minutes: null };
const slots = {
  total: 12,
  open: 2,
  reserved: 0,
  blocked: 0,
  submitted: 1,
  publishing: 0,
  accepted: 8,
  rejected: 1,
  expired: 0,
  cancelled: 0,
};
const from = (day: string) => `2026-${day}T00:00:00.000Z`;
const build = (version: string | null, count: number, average: number) => ({
  ...{ buildId: "b", gameId: "g", gameName: "Moon Miner", version, uploadedAt: from("02-20"), count, average },
});
const stats = {
  gameId: null,
  since: from("02-01"),
  slots,
  isPartial: false,
  devices: [
    { device: "PC" as const, count: 7 },
    { device: null, count: 2 },
    { device: "Android" as const, count: 1 },
  ],
  acceptanceRate: 0.889,
  retryRate: 0.111,
  ratings: {
    count: 8,
    average: 3.75,
    scores: [1, 0, 1, 4, 2],
    builds: [build("0.9.1 with a name that is much too long for it", 5, 4.4), build(null, 3, 2.67)],
    periods: [
      { from: from("02-02"), count: 1, average: 1 },
      { from: from("02-09"), count: 0, average: null },
      { from: from("02-16"), count: 7, average: 4.14 },
    ],
  },
  times: {
    claim: { count: 9, medianMinutes: 25.4, p90Minutes: 600 },
    submit: { count: 9, medianMinutes: 180, p90Minutes: 1_400 },
    review: { count: 9, medianMinutes: 2_900, p90Minutes: 5_000 },
  },
};

describe("statistics as text", () => {
  it("at 80 columns", () =>
    expect(`\n${statisticsText(stats, { width: 80, plain: false })}\n`).toMatchInlineSnapshot(`
      "
      12 slots ordered since 2026-02-01

      Slots by status
        open       2  ██████████
        submitted  1  █████
        accepted   8  ████████████████████████████████████████
        rejected   1  █████
      Of the reviewed submissions, 89% were accepted and 11% got a retry.

      Ratings: 3.75 on average of 8
        5  2  ████████████████████
        4  4  ████████████████████████████████████████
        3  1  ██████████
        2  0
        1  1  ██████████

      Average rating by build
        0.9.1 with a name that is~  4.40 of 5  ███████████████████████████████████████
        2026-02-20                  2.67 of 3  ███████████████████████▋

      Average rating over time, 2026-02-02 to 2026-02-16
        ▂ ▇

      Times: median, and 9 of 10 slots took no longer than
        until claimed    25 min, 10.0 h  ▍
        until submitted   3.0 h, 23.3 h  ██▌
        until reviewed     2.0 d, 3.5 d  ████████████████████████████████████████

      Submissions by device
        PC        7  ████████████████████████████████████████
        not said  2  ███████████▍
        Android   1  █████▊
      "
    `));
  it("at 40 columns", () =>
    expect(`\n${statisticsText(stats, { width: 40, plain: false })}\n`).toMatchInlineSnapshot(`
      "
      12 slots ordered since 2026-02-01

      Slots by status
        open       2  ██████
        submitted  1  ███
        accepted   8  ████████████████████████
        rejected   1  ███
      Of the reviewed submissions, 89% were
      accepted and 11% got a retry.

      Ratings: 3.75 on average of 8
        5  2  ████████████████
        4  4  ████████████████████████████████
        3  1  ████████
        2  0
        1  1  ████████

      Average rating by build
        0.9.1 with a~  4.40 of 5  ████████████
        2026-02-20     2.67 of 3  ███████▎

      Average rating over time, 2026-02-02 to
      2026-02-16
        ▂ ▇

      Times: median, and 9 of 10 slots took no
      longer than
        until claimed  25 min, 10.0 h  ▏
        until submit~   3.0 h, 23.3 h  ▍
        until review~    2.0 d, 3.5 d  ███████

      Submissions by device
        PC        7  █████████████████████████
        not said  2  ███████▏
        Android   1  ███▋
      "
    `));
  it("in ASCII", () => {
    const text = statisticsText(stats, { width: 60, plain: true });
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    expect(`\n${text}\n`).toMatchInlineSnapshot(`
      "
      12 slots ordered since 2026-02-01

      Slots by status
        open       2  ##########
        submitted  1  #####
        accepted   8  ########################################
        rejected   1  #####
      Of the reviewed submissions, 89% were accepted and 11% got a
      retry.

      Ratings: 3.75 on average of 8
        5  2  ####################
        4  4  ########################################
        3  1  ##########
        2  0
        1  1  ##########

      Average rating by build
        0.9.1 with a name t~  4.40 of 5  #########################
        2026-02-20            2.67 of 3  ###############

      Average rating over time, 2026-02-02 to 2026-02-16
        : #

      Times: median, and 9 of 10 slots took no longer than
        until claimed    25 min, 10.0 h  #
        until submitted   3.0 h, 23.3 h  ##
        until reviewed     2.0 d, 3.5 d  #########################

      Submissions by device
        PC        7  ########################################
        not said  2  ###########
        Android   1  ######
      "
    `);
  });
  it.each([20, 40, 60, 80, 200])("fits %i columns", (width) => {
    for (const plain of [true, false])
      for (const line of statisticsText(stats, { width, plain }).split("\n")) expect([...line].length).toBeLessThanOrEqual(width);
  });
  it("says in sentences what there is none of", () => {
    const ratings = { count: 0, average: null, scores: [0, 0, 0, 0, 0], builds: [], periods: [] };
    const times = { claim: none, submit: none, review: none };
    const fresh = { ...stats, devices: [], acceptanceRate: null, retryRate: null, ratings, times };
    const text = statisticsText(
      { ...fresh, slots: { ...slots, total: 2, submitted: 0, accepted: 0, rejected: 0 } },
      { width: 80, plain: false },
    );
    expect(text).toContain("No submission has been reviewed yet.\n\nNo ratings yet.\n\nNo slot has been claimed yet.");
    expect(statisticsText({ ...fresh, slots: { ...slots, total: 0 } }, { width: 80, plain: false })).toBe(
      "No slots were ordered since 2026-02-01.",
    );
  });
});

describe("parts of charts", () => {
  it.each([
    [0, ""],
    [0.001, "▏"],
    [50, "█████"],
    [55, "█████▌"],
    [100, "██████████"],
    [200, "██████████"],
  ])("a bar of %d in 100 is %j", (value, drawn) => expect(bar(value, 100, 10, false)).toBe(drawn));
  it("a bar in ASCII is never empty for something", () =>
    expect([bar(1, 1000, 10, true), bar(0, 10, 10, true)]).toEqual(["#", ""]));
  it("a line shows the last values that fit, and gaps", () => {
    expect(sparkline([1, null, 3, 5], 5, { width: 10, plain: false })).toBe("▂ ▅█");
    expect(sparkline([1, null, 3, 5], 5, { width: 2, plain: true })).toBe("+@");
    expect(sparkline([0, 0], 0, { width: 2, plain: false })).toBe("▁▁");
  });
  it("control characters of names do not reach the terminal", () =>
    expect(barChart([{ label: "a\u001b[2J", value: 1, text: "1" }], { width: 80, plain: true })[0]).not.toContain("\u001b"));
  it.each([
    [null, "-"],
    [0.4, "0 min"],
    [89, "89 min"],
    [90, "1.5 h"],
    [2_880, "2.0 d"],
  ])("%d minutes are %s", (minutes, text) => expect(span(minutes)).toBe(text));
});
