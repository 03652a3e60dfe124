import { describe, expect, it } from "vitest";
import { calendarFile } from "../../server/playtests/schedule/calendar.ts";
import * as rules from "../../server/playtests/schedule/rules.ts";
import { localTime } from "../../src/contract/time/local.ts";
import { isTimeZone, zonedText, zoneName } from "../../src/contract/time/zones.ts";

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.parse("2026-03-01T12:00:00Z");

describe("a fixed time", () => {
  it.each([
    [12 * hour - 1, false],
    [12 * hour, true],
    [90 * day, true],
    [90 * day + 1, false],
    [-hour, false],
  ])("%s ms ahead can be ordered: %s", (ms, is) => expect(rules.isBookable(now + ms, now)).toBe(is));

  it.each([
    ["automatic", null, null],
    ["automatic", 3 * day, 3 * day],
    ["manual", null, 7 * day],
    ["manual", 3 * day, 3 * day],
    ["manual", 8 * day, 7 * day],
  ] as const)("%s selection at %s: unclaimed slots close at %s", (selectionMode, at, closes) => {
    const scheduledAt = at === null ? null : now + at;
    expect(rules.closesAt({ selectionMode, scheduledAt }, now)).toBe(closes === null ? null : now + closes);
  });

  it.each([
    ["automatic", 5 * day, 3 * day, 5 * day],
    ["automatic", 2 * day, 3 * day, 2 * day],
    ["manual", 9 * day, 7 * day, 7 * day],
    ["manual", 2 * day, 7 * day, 2 * day],
  ] as const)("%s selection moved to %s, which closed at %s: closes at %s", (selectionMode, at, closes, after) => {
    expect(rules.closesAfterMove({ selectionMode, scheduledAt: at }, closes)).toBe(after);
  });

  it("of an order that is not active yet is when it closes after a move", () => {
    expect(rules.closesAfterMove({ selectionMode: "manual", scheduledAt: 5 }, null)).toBe(5);
  });

  it.each([
    [1, day, 2 * day],
    [2, day, 4 * day],
    [1, -hour, day],
    [8, -hour, 3 * day],
  ])("%s players, %s ms ahead: the deadline is %s ms from now", (players, at, deadline) => {
    const playtest = { selection_mode: "automatic", player_count: players } as const;
    expect(rules.slotDeadline(playtest, now + at, now)).toBe(now + deadline);
  });

  it("decides the deadline also of a chosen playtester; without one they have 72 hours", () => {
    const playtest = { selection_mode: "manual", player_count: 1 } as const;
    expect(rules.slotDeadline(playtest, now + day, now)).toBe(now + 2 * day);
    expect(rules.slotDeadline(playtest, null, now)).toBe(now + 3 * day);
  });

  it.each([
    [null, day, day],
    [3 * day, day, day],
    [12 * hour, day, 12 * hour],
  ])("at %s lets an order be paid within %s until %s", (at, within, until) => {
    expect(rules.payBy(at === null ? null : now + at, within, now)).toBe(now + until);
  });

  it.each([
    [10 * day, 20 * day, 3 * day],
    [20 * day, 10 * day, 3 * day],
    [2 * day, 20 * day, 2 * day - 6 * hour],
    [20 * day, 2 * day, 2 * day - 6 * hour],
  ])("of %s that is moved to %s is answered until %s", (agreed, proposed, until) => {
    expect(rules.answerBy(now + agreed, now + proposed, now)).toBe(now + until);
  });

  it.each([
    [3 * day, 2 * day],
    [day, 23 * hour],
    [2 * hour, hour],
    [hour, undefined],
    [-hour, undefined],
  ])("%s ms ahead is reminded of in %s ms", (at, next) => {
    expect(rules.nextReminder(now + at, now)).toBe(next === undefined ? undefined : now + next);
  });

  it.each([
    [null, "nothing"],
    [-1, "nothing"],
    [0, "nothing"],
    [1, "pay"],
    [12 * hour - 1, "pay"],
    [12 * hour, "refund"],
  ] as const)("%s ms ahead is cancelled with: %s", (at, terms) => {
    expect(rules.cancelsWith(at === null ? null : now + at, now)).toBe(terms);
  });
});

describe("time zones", () => {
  it.each([
    ["Europe/Berlin", "Europe/Berlin"],
    ["europe/berlin", "Europe/Berlin"],
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["utc", "UTC"],
  ])("%s is one, written %s", (name, written) => expect([isTimeZone(name), zoneName(name)]).toEqual([true, written]));

  it.each(["+01:00", "Mars/Olympus", "", "Berlin", "-05"])("%s is none", (name) => expect(isTimeZone(name)).toBe(false));

  it.each([
    ["2026-12-05T17:00:00Z", "Europe/Berlin", "Sat 2026-12-05 18:00, Europe/Berlin (UTC+01:00)"],
    ["2026-07-05T16:00:00Z", "Europe/Berlin", "Sun 2026-07-05 18:00, Europe/Berlin (UTC+02:00)"],
    ["2026-12-05T17:00:00Z", "Europe/London", "Sat 2026-12-05 17:00, Europe/London (UTC+00:00)"],
    ["2026-12-05T00:00:00Z", "America/St_Johns", "Fri 2026-12-04 20:30, America/St_Johns (UTC-03:30)"],
    ["2026-12-05T17:00:00Z", null, "Sat 2026-12-05 17:00, UTC"],
    ["2026-12-05T17:00:00Z", "Mars/Olympus", "Sat 2026-12-05 17:00, UTC"],
  ])("%s in %s is told as %s", (iso, zone, text) => expect(zonedText(Date.parse(iso), zone)).toBe(text));

  it.each([
    ["2026-12-05 18:00", "Europe/Berlin", "2026-12-05T17:00:00.000Z"],
    ["2026-12-05T18:00", "Asia/Kolkata", "2026-12-05T12:30:00.000Z"],
    ["2026-12-05 18:00:30", "UTC", "2026-12-05T18:00:30.000Z"],
    ["2026-12-05T18:00+05:45", "Europe/Berlin", "2026-12-05T12:15:00.000Z"],
    ["2026-12-05T18:00:00.000Z", "Europe/Berlin", "2026-12-05T18:00:00.000Z"],
    ["2026-03-29 01:59", "Europe/Berlin", "2026-03-29T00:59:00.000Z"],
    ["2026-03-29 03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
  ])("%s in %s is %s", (text, zone, instant) => expect(localTime(text, zone)).toEqual({ instant }));

  it.each([
    [
      "2026-03-29 02:30",
      "Europe/Berlin",
      "does not exist in Europe/Berlin, where clocks go forward then: the next is 2026-03-29T03:30+02:00",
    ],
    [
      "2026-10-25 02:30",
      "Europe/Berlin",
      "occurs twice in Europe/Berlin, where clocks go back then: add the offset, 2026-10-25T02:30+02:00 or 2026-10-25T02:30+01:00",
    ],
    [
      "2027-04-04 01:45",
      "Australia/Lord_Howe",
      "occurs twice in Australia/Lord_Howe, where clocks go back then: add the offset, 2027-04-04T01:45+11:00 or 2027-04-04T01:45+10:30",
    ],
    ["2026-02-30 10:00", "UTC", "is no date and time that exists"],
    ["2026-02-30T10:00Z", "UTC", "is no date and time that exists"],
    ["2026-12-05 25:00", "UTC", "is no date and time that exists"],
    ["2026-12-05 18:00", "Berlin", 'cannot be read: "Berlin" is not a time zone such as Europe/Berlin'],
  ])("%s in %s: %s", (text, zone, fault) => expect(localTime(text, zone)).toEqual({ fault }));
});

describe("a calendar file", () => {
  const event = {
    uid: "slot-1@play.example",
    madeAt: now,
    startsAt: now + day,
    endsAt: now + day + hour,
    summary: "Playtest of Fire; Ice, and \\ more",
    description: "Line one\r\nline two",
    url: "https://play.example/play/slots/1",
  };

  it("has its event in UTC", () => {
    expect(calendarFile(event).replaceAll("\r\n", "\n")).toMatchInlineSnapshot(`
      "BEGIN:VCALENDAR
      VERSION:2.0
      PRODID:-//playtest//playtest serve//EN
      METHOD:PUBLISH
      BEGIN:VEVENT
      UID:slot-1@play.example
      DTSTAMP:20260301T120000Z
      SEQUENCE:29539440
      DTSTART:20260302T120000Z
      DTEND:20260302T130000Z
      SUMMARY:Playtest of Fire\\; Ice\\, and \\\\ more
      DESCRIPTION:Line one\\nline two
      URL:https://play.example/play/slots/1
      END:VEVENT
      END:VCALENDAR
      "
    `);
  });

  it("has lines of at most 75 octets, whose characters are whole", () => {
    const text = calendarFile({ ...event, summary: "Grüße aus der Höhle ☃ ".repeat(12), description: "x".repeat(75) });
    const lines = text.split("\r\n");
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBe(75);
    expect(text.replaceAll("\r\n ", "")).toContain(`SUMMARY:${"Grüße aus der Höhle ☃ ".repeat(12)}\r\n`);
    expect(text).not.toContain("\uFFFD");
  });

  it("has no line of its own from what people wrote", () => {
    const text = calendarFile({ ...event, summary: "A\nBEGIN:VALARM\u2028B\u0007C" });
    expect(text).toContain("SUMMARY:A\\nBEGIN:VALARM\\nBC\r\n");
  });
});
