import { expect, it } from "vitest";
import { isEmailAddress, withAsciiDomain } from "../../src/contract/text/email-address.ts";

it.each([
  ["ada@example.com", true],
  ["ada@müller.de", true],
  ["ada@пример.рф", true],
  ["ada@例子.中国", true],
  ["ADA@EXAMPLE.XN--P1AI", true],
  ["ada@example.xn--fiqs8s", true],
  ["ada@example.xn--", false],
  ["ada@example.xn--p1ai-", false],
  ["ada@example.c0m", false],
  ["ada@рф", false],
  ["ada@example.com\n", false],
])("%j is an email address: %s", (given, expected) => {
  expect(isEmailAddress(withAsciiDomain(given))).toBe(expected);
});
