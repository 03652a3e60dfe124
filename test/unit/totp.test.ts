import { describe, expect, it } from "vitest";
import { blockedUntil, isAlarming, parseCode, recoveryCodeFrom, setUpMs } from "../../server/accounts/factors/rules.ts";
import { secretFrom, stepOf, uriOf } from "../../server/accounts/factors/totp.ts";

// The secret and times of RFC 6238, appendix B, with the last six of the eight digits given there.
const secret = secretFrom(Buffer.from("12345678901234567890"));
const vectors: [seconds: number, code: string][] = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
];

describe("codes of an authenticator app", () => {
  it.each(vectors)("at %i s: %s, as in RFC 6238", (seconds, code) => {
    expect(stepOf(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it.each([
    ["two steps before", 59 - 60, undefined],
    ["a step before", 59 - 30, 1],
    ["at the time", 59, 1],
    ["a step after", 59 + 30, 1],
    ["two steps after", 59 + 60, undefined],
  ])("%s", (_, seconds, step) => {
    expect(stepOf(secret, "287082", seconds * 1000)).toBe(step);
  });

  it("come from a URI that apps read", () => {
    expect(uriOf(secret, { issuer: "playtest play.example", label: "ann@example.com" })).toBe(
      "otpauth://totp/playtest%20play.example:ann%40example.com?issuer=playtest%20play.example&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30",
    );
  });
});

describe("wrong codes", () => {
  const minute = 60_000;
  it.each([
    [0, 0],
    [4, 0],
    [5, minute / 2],
    [6, minute],
    [8, 4 * minute],
    [12, 60 * minute],
    [1000, 60 * minute],
  ])("%i of them make the next one wait %i ms", (wrong_codes, wait) => {
    expect(blockedUntil({ wrong_codes, wrong_at: 1_000_000 })).toBe(wait === 0 ? 0 : 1_000_000 + wait);
  });

  it("a set-up ends after 15 minutes", () => expect(setUpMs).toBe(15 * minute));

  it("the owner is told after each five", () => {
    expect(Array.from({ length: 12 }, (_, wrong) => wrong).filter(isAlarming)).toEqual([5, 10]);
  });
});

describe("recovery codes", () => {
  const code = recoveryCodeFrom(Uint8Array.from({ length: 20 }, (_, at) => at));

  it("are four groups of five", () => {
    expect(code).toBe("ABCDE-FGHJK-LMNPQ-RSTUV");
  });

  it.each([
    ["123456", { kind: "app", code: "123456" }],
    [" 123 456 ", { kind: "app", code: "123456" }],
    [code, { kind: "recovery", code: code.replaceAll("-", "") }],
    [code.toLowerCase().replaceAll("-", " "), { kind: "recovery", code: code.replaceAll("-", "") }],
    ["12345", undefined],
    ["1234567", undefined],
    ["", undefined],
    ["ABCDE-FGHJK-LMNPQ-RSTU0", undefined],
    ["１２３４５６", undefined],
  ])("%j is understood as %j", (typed, understood) => {
    expect(parseCode(typed)).toEqual(understood);
  });
});
