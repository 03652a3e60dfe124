/** Whether two shares differ, by Fisher's exact test: for the few playtesters of a build, every approximation is wrong. */

/** How many of how many. */
export interface Share {
  seen: number;
  of: number;
}

/** What is said to be a difference: one that chance alone makes in at most 5 of 100 comparisons. */
export const significance = 0.05;

/** The logarithms of the factorials of 0 to `n`. */
function logFactorials(n: number): number[] {
  const logs = [0];
  for (let i = 1; i <= n; i++) logs.push(logs[i - 1]! + Math.log(i));
  return logs;
}

/** The probability of each table with the same sums, by how many of `a` are among those who saw it: hypergeometric. */
function tables(a: Share, b: Share): { least: number; probabilities: number[] } {
  const [seen, all] = [a.seen + b.seen, a.of + b.of];
  const log = logFactorials(all);
  const choose = (n: number, k: number) => log[n]! - log[k]! - log[n - k]!;
  const [least, most] = [Math.max(0, seen - b.of), Math.min(seen, a.of)];
  const total = choose(all, seen);
  const probabilities: number[] = [];
  for (let k = least; k <= most; k++) probabilities.push(Math.exp(choose(a.of, k) + choose(b.of, seen - k) - total));
  return { least, probabilities };
}

/** What rounding may add to a probability: tables as likely as the one that was found count, too. */
const tolerance = 1 + 1e-7;

/** The two-sided probability of a difference like this one or a greater one, if there is none. */
export function exactP(a: Share, b: Share): number {
  const { least, probabilities } = tables(a, b);
  const found = probabilities[a.seen - least]!;
  return Math.min(
    1,
    probabilities.filter((p) => p <= found * tolerance).reduce((sum, p) => sum + p, 0),
  );
}

/** Whether so many playtesters could show any difference at all: 3 against 3 never can. */
export const canDiffer = (a: number, b: number): boolean => exactP({ seen: 0, of: a }, { seen: b, of: b }) <= significance;

/** The probabilities of several comparisons, each raised by Holm's method, so that all of them together raise few false alarms. In their order. */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities.map((_, index) => index).sort((a, b) => probabilities[a]! - probabilities[b]!);
  const adjusted = new Array<number>(probabilities.length);
  let highest = 0;
  for (const [rank, index] of order.entries()) {
    highest = Math.max(highest, Math.min(1, probabilities[index]! * (probabilities.length - rank)));
    adjusted[index] = highest;
  }
  return adjusted;
}
