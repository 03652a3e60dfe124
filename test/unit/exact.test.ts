import { describe, expect, it } from "vitest";
import { canDiffer, exactP, holm, significance } from "../../src/contract/findings/exact.ts";

const share = (seen: number, of: number) => ({ seen, of });
/** Binomial coefficients by Pascal's triangle: an independent way to the same numbers. */
function choose(n: number, k: number): bigint {
  let row = [1n];
  for (let i = 0; i < n; i++) row = [1n, ...row.slice(1).map((value, at) => value + row[at]!), 1n];
  return row[k] ?? 0n;
}

describe("the exact test", () => {
  it.each([
    // Fisher's tea, and the same with one cup mistaken.
    [share(4, 4), share(0, 4), 2 / 70],
    [share(3, 4), share(1, 4), 34 / 70],
    [share(3, 3), share(0, 3), 0.1],
    [share(0, 5), share(0, 9), 1],
    [share(0, 0), share(3, 9), 1],
    [share(9, 10), share(2, 10), 0.005477],
  ])("%o against %o: %d", (a, b, p) => expect(exactP(a, b)).toBeCloseTo(p, 5));

  it("agrees with the sum over all tables in whole numbers, for all of up to 12 playtesters each", () => {
    for (let m = 1; m <= 12; m += 1)
      for (let n = 1; n <= 12; n += 3)
        for (let i = 0; i <= m; i++)
          for (let j = 0; j <= n; j++) {
            const ways = (k: number) => (i + j - k < 0 ? 0n : choose(m, k) * choose(n, i + j - k));
            const counts = Array.from({ length: m + 1 }, (_, k) => ways(k));
            const rare = counts.filter((count) => count > 0n && count <= counts[i]!).reduce((sum, count) => sum + count, 0n);
            expect(exactP(share(i, m), share(j, n))).toBeCloseTo(Number(rare) / Number(choose(m + n, i + j)), 8);
          }
  });

  it("finds nothing between 3 and 3, and can between 4 and 4", () => {
    expect([canDiffer(3, 3), canDiffer(4, 4), canDiffer(2, 5), canDiffer(1, 20), canDiffer(0, 20)]).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});

it.each([
  [[], []],
  [[0.04], [0.04]],
  [
    [0.01, 0.04, 0.03],
    [0.03, 0.06, 0.06],
  ],
  [
    [0.5, 0.9],
    [1, 1],
  ],
])("Holm's method: %j becomes %j", (given, adjusted) => {
  for (const [index, p] of holm(given).entries()) expect(p).toBeCloseTo(adjusted[index]!, 10);
});

/** A generator with a fixed seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

describe("1,000 pairs of builds", () => {
  const random = chance(20260301);
  const met = (of: number, rate: number) => share(Array.from({ length: of }, random).filter((one) => one < rate).length, of);

  it("without a difference raise at most 5 % alarms over all lines shown", () => {
    let alarms = 0;
    for (let pair = 0; pair < 1000; pair++) {
      const [m, n] = [4 + Math.floor(random() * 20), 4 + Math.floor(random() * 20)];
      const rates = Array.from({ length: 12 }, random);
      const ps = holm(rates.map((rate) => exactP(met(m, rate), met(n, rate))));
      if (ps.some((p) => p <= significance)) alarms++;
    }
    expect(alarms / 1000).toBeLessThanOrEqual(0.05);
  });

  it("of 20 playtesters each, with 70 % before and 10 % now, show the difference in at least 9 of 10", () => {
    let found = 0;
    for (let pair = 0; pair < 1000; pair++) if (exactP(met(20, 0.1), met(20, 0.7)) <= significance) found++;
    expect(found / 1000).toBeGreaterThanOrEqual(0.9);
  });
});
