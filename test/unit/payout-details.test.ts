import { describe, expect, it } from "vitest";
import { isFault, isIban, maskOf, parseDetails, payeeShown } from "../../server/accounts/payout-details/rules.ts";

const holder = "Pim Vos";
const bank = { method: "bank", holder } as const;

describe("payout details", () => {
  it.each([
    [{ ...bank, iban: "nl91 abna 0417 1643 00" }, "IBAN NL ••••4300"],
    [{ ...bank, iban: "GB82WEST12345698765432" }, "IBAN GB ••••5432"],
    [{ ...bank, iban: "MT84MALT011000012345MTLCAST001S" }, "IBAN MT ••••001S"],
    [{ ...bank, accountNumber: "000-123456789", routingNumber: "021000021" }, "account ••••6789"],
    [{ method: "paypal", email: "pim@example.com" } as const, "p••••@example.com"],
    [{ method: "other", instructions: "Wise, tag @pimvos" } as const, "••••"],
  ])("%j is shown as %s", (entered, masked) => {
    const parsed = parseDetails(entered);
    expect(isFault(parsed)).toBe(false);
    expect(isFault(parsed) || maskOf(parsed)).toBe(masked);
  });

  it.each([
    ["a mistyped IBAN", { ...bank, iban: "NL91ABNA0417164301" }, "iban"],
    ["two swapped characters", { ...bank, iban: "NL91ABNA0471164300" }, "iban"],
    ["an IBAN that is too short", { ...bank, iban: "NL91" }, "iban"],
    ["neither IBAN nor account number", bank, "iban"],
    ["no holder", { method: "bank", iban: "NL91ABNA0417164300" } as const, "holder"],
    ["a blank holder", { ...bank, holder: "  ", iban: "NL91ABNA0417164300" }, "holder"],
    ["both kinds of account", { ...bank, iban: "NL91ABNA0417164300", accountNumber: "1" }, "accountNumber"],
    ["no routing number", { ...bank, accountNumber: "12345678" }, "routingNumber"],
    ["a formula for an account number", { ...bank, accountNumber: "=1+1", routingNumber: "021000021" }, "accountNumber"],
    ["no email", { method: "paypal" } as const, "email"],
    ["an IBAN for PayPal", { method: "paypal", email: "a@example.com", iban: "NL91ABNA0417164300" } as const, "iban"],
    ["blank instructions", { method: "other", instructions: " " } as const, "instructions"],
  ])("refuses %s", (_, entered, field) => {
    expect(parseDetails(entered)).toMatchObject({ field, message: expect.any(String) });
  });

  it.each([
    [
      { ...bank, holder: " Pim Vos ", iban: "nl91-abna 0417 1643 00" },
      { ...bank, iban: "NL91ABNA0417164300" },
    ],
    [
      { ...bank, accountNumber: "ab-12", routingNumber: "021 000-021" },
      { ...bank, accountNumber: "AB12", routingNumber: "021000021" },
    ],
    [{ method: "paypal", email: " pim@example.com " } as const, { method: "paypal", email: "pim@example.com" }],
    [{ method: "other", instructions: " Wise " } as const, { method: "other", instructions: "Wise" }],
  ])("%j are kept as %j", (entered, kept) => {
    expect(parseDetails(entered)).toEqual(kept);
  });

  it("name the payee, whose tax number is masked", () => {
    const payee = { address: " Kade 1 ", country: "NL", taxNumber: " NL123456782 " };
    const parsed = parseDetails({ method: "paypal", email: "pim@example.com", ...payee });
    const kept = { address: "Kade 1", country: "NL", taxNumber: "NL123456782" };
    expect(parsed).toEqual({ method: "paypal", email: "pim@example.com", ...kept });
    expect(isFault(parsed) || payeeShown(parsed)).toEqual({ ...kept, holder: null, taxNumber: "••••6782" });
    const blank = parseDetails({ ...bank, iban: "NL91ABNA0417164300", address: " ", taxNumber: " 1234567 " });
    expect(blank).not.toHaveProperty("address");
    const shown = { holder, address: null, country: null, taxNumber: "••••" };
    expect(isFault(blank) || payeeShown(blank)).toEqual(shown);
  });

  it.each([
    [{ method: "paypal" } as const, "email", "is required for PayPal"],
    [{ method: "other" } as const, "instructions", "is required for another way"],
    [{ method: "other", email: "a@example.com" } as const, "email", "does not belong to another way"],
    [{ ...bank, instructions: "Wise" }, "instructions", "does not belong to a bank transfer"],
    [{ method: "paypal", holder } as const, "holder", "does not belong to PayPal"],
    [{ method: "paypal", routingNumber: "1" } as const, "routingNumber", "does not belong to PayPal"],
    [{ method: "other", accountNumber: "1" } as const, "accountNumber", "does not belong to another way"],
    [{ ...bank, accountNumber: "12345678" }, "routingNumber", "is required for a bank transfer"],
    [{ ...bank, iban: "NL91ABNA0417164300", routingNumber: "1" }, "routingNumber", "cannot be used together with an IBAN"],
  ])("%j: %s %s", (entered, field, message) => {
    expect(parseDetails(entered)).toEqual({ field, message });
  });

  it.each([
    ["1", false],
    ["12", true],
    ["1".repeat(34), true],
    ["1".repeat(35), false],
    ["12+", false],
    ["+12", false],
  ])("a number of a bank may be %s: %s", (number, fits) => {
    const account = parseDetails({ ...bank, accountNumber: number, routingNumber: "12" });
    const routing = parseDetails({ ...bank, accountNumber: "12", routingNumber: number });
    expect([account, routing].map((parsed) => (isFault(parsed) ? parsed.field : "fits"))).toEqual(
      fits ? ["fits", "fits"] : ["accountNumber", "routingNumber"],
    );
  });

  it.each([
    ["NO698601111794", false],
    ["NO9386011117947", true],
    ["XX32111111111111111111111111111111", true],
    ["XX651111111111111111111111111111111", false],
    ["no9386011117947", false],
    ["NO9386011117947.", false],
    [".NO9386011117947", false],
    ["TYNO9386011117947", false],
  ])("%s is an IBAN: %s", (iban, is) => {
    expect(isIban(iban)).toBe(is);
  });
});
