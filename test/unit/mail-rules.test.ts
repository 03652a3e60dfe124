import { describe, expect, it } from "vitest";
import { isFinal, nextTry } from "../../server/mail/rules.ts";
import { compose } from "../../server/mail/texts.ts";

const minute = 60_000;
const time = (text: string) => Date.parse(`${text}Z`);
const now = time("2026-03-04T12:34:56");

describe("an email that failed", () => {
  it.each([
    [1, 1],
    [2, 5],
    [3, 30],
    [4, 120],
    [5, 360],
    [6, 720],
    [7, 1440],
    [8, 1440],
    [9, 1440],
    [10, undefined],
  ])("after %i tries is tried again in minutes: %s", (tries, minutes) => {
    expect(nextTry({ tries, now, expiresAt: null })).toBe(minutes === undefined ? undefined : now + minutes * minute);
  });

  it.each([
    [now + minute + 1, now + minute],
    [now + minute, undefined],
  ])("is not tried again once its link has ended: %#", (expiresAt, at) => {
    expect(nextTry({ tries: 1, now, expiresAt })).toBe(at);
  });

  it.each([
    [550, "550 5.1.1 No such user", "RCPT TO", true],
    [500, "500 5.1.1 No such user", "RCPT TO", true],
    [599, "599 5.1.1 No such user", "RCPT TO", true],
    [0, "", "RCPT TO", false],
    [499, "499 5.1.1 No such user", "RCPT TO", false],
    [600, "600 5.1.1 No such user", "RCPT TO", false],
    [450, "450 4.2.1 Busy", "RCPT TO", false],
    [550, "550 5.1.7 Bad sender", "MAIL FROM", false],
    [550, "550 5.1.8 Bad sender system", "MAIL FROM", false],
    [550, "550 5.2.1 Mailbox disabled", "DATA", true],
    [552, "552 5.2.2 Mailbox full", "DATA", false],
    [552, "552 Mailbox full", "RCPT TO", false],
    [554, "554 5.6.0 Bad contents", "DATA", true],
    [550, "550 5.7.1 Policy", "RCPT TO", false],
    [550, "550 5.7.1 No such user", "RCPT TO", false],
    [550, "550 5.10.1 No such user", "RCPT TO", false],
    [550, "550 5.1.10 No such user", "DATA", true],
    [550, "550 No such user", "RCPT TO", true],
    [550, "550 No such user here, 15.1.1", "DATA", false],
    [550, "550 No such user", "DATA", false],
    [550, "550 Relay denied", "RCPT TO", false],
    [550, "550 Quota exceeded", "RCPT TO", false],
    [550, "550 Too many recipients", "RCPT TO", false],
  ])("is refused for good by %i %j to %s: %s", (status, text, command, final) => {
    expect(isFinal({ status, text, command })).toBe(final);
  });
});

describe("the preview of an email", () => {
  it.each([
    ["🎮".repeat(140), "🎮".repeat(140)],
    ["🎮".repeat(141), `${"🎮".repeat(139)}…`],
  ])("has at most 140 characters: %#", (preview, shown) => {
    expect(compose({ subject: "Hello", to: "Tess", preview, paragraphs: [] }).html).toContain(`>${shown}&#847;`);
  });
});
