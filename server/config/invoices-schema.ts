import * as z from "zod";
import { countryOf } from "../../src/contract/text/country.ts";
import { described, list, matching, orNull, plainText } from "./fields.ts";

const text = (max: number) => ({ expected: `a string of 1 to ${max} characters, or null` });

const country = matching((code) => countryOf(code) === code);
const countries = (description: string) => list(country, description, { expected: "a list of country codes, such as DE" });

const hasTwoDecimals = (percent: number) => /^\d+(\.\d{1,2})?$/.test(String(percent));

const seller = z.strictObject({
  name: orNull(plainText(200), "Name of the seller on invoices. Null: brand.name, or Playtest.", text(200)),
  lines: list(plainText(200, 0), "Lines below the seller's name on invoices: the address.", {
    expected: "a list of strings of at most 200 characters",
  }),
  country: orNull(country, "Country of the seller.", { expected: "a country code of two capital letters, such as DE, or null" }),
  taxNumber: orNull(plainText(100), "Tax number of the seller, such as the VAT identification number.", text(100)),
  email: orNull(plainText(254), "Email address of the seller on invoices.", text(254)),
});

const tax = z.strictObject({
  treatment: described(
    z.enum(["none", "standard", "exempt"]).default("none"),
    "How sales are taxed, unless the lists of countries below say otherwise. `standard`: the amounts that are charged include tax at the rate. `exempt`: they include none, and the invoice says why. `none`: invoices say nothing about tax.",
  ),
  name: described(plainText(32).default("VAT"), "Name of the tax on invoices.", { expected: "a string of 1 to 32 characters" }),
  ratePercent: described(
    z.number().check(z.gte(0), z.lte(100)).refine(hasTwoDecimals).default(0),
    "Rate of the tax. It is included in the amounts that are charged.",
    { unit: "percent", expected: "a number from 0 to 100 with at most two decimals" },
  ),
  exemptNote: described(
    plainText(300).default("Exempt from tax."),
    "Sentence on invoices with the treatment `exempt`: name the law that exempts the seller.",
    { expected: "a string of 1 to 300 characters" },
  ),
  reverseChargeCountries: countries(
    "Countries where a buyer who gave a tax number owes the tax instead of the seller (reverse charge). Such buyers pay the same amount, and their invoices have no tax. Never the seller's own country.",
  ),
  reverseChargeNote: described(
    plainText(300).default("Reverse charge: the buyer owes the tax."),
    "Sentence on invoices with reverse charge.",
    { expected: "a string of 1 to 300 characters" },
  ),
  untaxedCountries: countries(
    "Countries whose buyers are charged no tax, because the seller's tax does not apply there. Never the seller's own country.",
  ),
  untaxedNote: described(
    plainText(300).default("Outside the scope of the seller's tax."),
    "Sentence on invoices to buyers in those countries.",
    { expected: "a string of 1 to 300 characters" },
  ),
});

export const invoices = z.strictObject({
  series: described(
    plainText(32).default("PT"),
    "First part of invoice numbers. The numbers of each series start at 1 every year.",
    { expected: "a string of 1 to 32 characters" },
  ),
  creditNoteSeries: orNull(
    plainText(32),
    "First part of the numbers of credit notes. Null: the series of invoices with -CN, such as PT-CN. If it is the same as the series of invoices, both are numbered together.",
    text(32),
  ),
  seller: seller.prefault({}),
  tax: tax.prefault({}),
  fonts: list(z.string().min(1), "Font files (TrueType, OpenType or WOFF) to prefer over the built-in ones on invoices.", {
    expected: "a list of paths",
  }),
});
