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

/** The probability that at most `k` of `n` see it, if each does with the probability `p`. */
function atMost(k: number, n: number, p: number): number {
  if (p <= 0 || k >= n) return 1;
  if (p >= 1) return 0;
  const log = logFactorials(n);
  let sum = 0;
  for (let i = 0; i <= k; i++) sum += Math.exp(log[n]! - log[i]! - log[n - i]! + i * Math.log(p) + (n - i) * Math.log1p(-p));
  return Math.min(1, sum);
}

/** The share at which a probability that falls with it reaches this value. */
function shareWhere(probability: (share: number) => number, value: number): number {
  let [low, high] = [0, 1];
  // Halved so often, the interval is narrower than a number can say.
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (probability(middle) > value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The interval that holds the true share in at least 95 of 100 cases, whatever it is (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934). From 0
 * to 1 where nobody was asked.
 */
export function intervalOf({ seen, of }: Share): { low: number; high: number } {
  const each = significance / 2;
  return {
    low: seen === 0 ? 0 : shareWhere((p) => atMost(seen - 1, of, p), 1 - each),
    high: seen === of ? 1 : shareWhere((p) => atMost(seen, of, p), each),
  };
}
