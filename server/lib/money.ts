/** Integer cents as `$1,520.00`. */
export function usd(cents: number): string {
  const amount = Math.abs(cents);
  const dollars = Math.trunc(amount / 100).toLocaleString("en-US");
  return `${cents < 0 ? "-" : ""}$${dollars}.${String(amount % 100).padStart(2, "0")}`;
}
