import type { Config } from "../../config/schema.ts";

/** How an amount that was charged is taxed, as its invoice says it. */
export interface TaxRule {
  name: string;
  /** In hundredths of a percent, so that no amount is computed with fractions: 1900 is 19 %. */
  rate: number;
  /** A sentence that explains the treatment. Null: the rate says everything. */
  note: string | null;
}

export interface Buyer {
  country: string | null;
  taxNumber: string | null;
}

/**
 * The tax on what a buyer pays, by the settings. Null: invoices say nothing about tax. The countries come first: where the seller's tax does
 * not apply, neither its rate nor an exemption from it does.
 */
export function taxRuleFor({ tax, seller }: Config["invoices"], { country, taxNumber }: Buyer): TaxRule | null {
  if (tax.treatment === "none") return null;
  const { name } = tax;
  // Stryker disable next-line ConditionalExpression: no list has a country that is null.
  const isAbroad = country !== null && country !== seller.country;
  if (isAbroad && taxNumber !== null && tax.reverseChargeCountries.includes(country))
    return { name, rate: 0, note: tax.reverseChargeNote };
  if (isAbroad && tax.untaxedCountries.includes(country)) return { name, rate: 0, note: tax.untaxedNote };
  if (tax.treatment === "exempt") return { name, rate: 0, note: tax.exemptNote };
  return { name, rate: Math.round(tax.ratePercent * 100), note: null };
}

/** The part of an amount with tax that is without it, rounded to the cent. The tax is the rest, so both always add up. */
export const netOf = (cents: number, rate: number): number =>
  Math.floor((2 * cents * 10_000 + 10_000 + rate) / (2 * (10_000 + rate)));

/** The rate as text: `19 %`, `8.1 %`. */
export const percent = (rate: number): string => `${String(rate / 100)} %`;
