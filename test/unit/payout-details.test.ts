import { describe, expect, it } from "vitest";
import { isFault, maskOf, parseDetails } from "../../server/accounts/payout-details/rules.ts";

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
});
