/** `20`, `20.00`, `$1,500.00` or `2000c`. Commas require the dollar sign, because `1,500` could be a decimal fraction. */
const amount = /^(?:(\d{1,12})c|(\$\d{1,3}(?:,\d{3}){1,3}|\$?\d{1,10})(?:\.(\d{1,2}))?)$/;

/** The cents of an amount as people write it; undefined for what is none. */
export function centsOf(text: string): number | undefined {
  const [, cents, dollars, fraction = ""] = amount.exec(text.trim()) ?? [];
  if (cents !== undefined) return Number(cents);
  return dollars === undefined ? undefined : Number(dollars.replace(/[$,]/g, "")) * 100 + Number(fraction.padEnd(2, "0"));
}
