import { parseArgs } from "node:util";
import { cleanUp, exitOnSignals } from "../../helpers/clean-up.ts";
import { Latencies } from "./latencies.ts";
import { Market } from "./market.ts";

/**
 * `npm run bench:year [-- --slots 1000000 --database postgres]`: a year of a marketplace in some hours, on the clock of a sandbox. Prints
 * for each month how many requests were answered, and what disk and memory are used; and at the end how the times of the ten busiest
 * operations in the twelfth month compare with the first month. That one is lived again by a second marketplace, in turns with the twelfth,
 * a day each: the speed of a machine changes more within hours than the program does. Owners and playtesters are as many for each slot as
 * 2,000 and 50,000 for 1,000,000. Ends with 1 when they do not compare well, or cannot be compared. A sandbox never removes what a live
 * server no longer keeps (retention, and the sweep of files), so a live server has at most as much on its disk.
 */
const { values } = parseArgs({
  options: { slots: { type: "string", default: "1000000" }, database: { type: "string", default: "sqlite" } },
});
const slots = Number(values.slots);
if (!(Number.isInteger(slots) && slots >= 1_000))
  throw new Error(`--slots ${values.slots} is not a whole number of slots from 1,000.`);
if (values.database !== "sqlite" && values.database !== "postgres")
  throw new Error(`--database ${values.database} is neither sqlite nor postgres.`);

const [months, daysOfMonth] = [12, 30];
/** Days before the first month, so that it does not measure how the server warms up. */
const warmUpDays = 5;
/** Not whole. */
const slotsOfDay = slots / (months * daysOfMonth);
const size = { owners: Math.ceil(slots / 500), testers: Math.ceil(slots / 20), playtests: 0 };
const mostSlower = 1.3;
/** With fewer calls in a month the slowest hundredth is chance. */
const fewestCalls = 1_000;
const markets: Market[] = [];

/** Lives a month and prints what it took; `another` lives a day of its own after each, which is not counted. */
async function live(market: Market, month: number, another?: Market): Promise<void> {
  const spent = { stories: 0, moving: 0 };
  for (let day = 0; day < daysOfMonth; day++) {
    const { stories, moving } = await market.day(warmUpDays + month * daysOfMonth + day, slotsOfDay);
    spent.stories += stories;
    spent.moving += moving;
    await another?.day(warmUpDays + day, slotsOfDay);
  }
  const { count } = market.latencies;
  const facts = [
    `month ${month + 1}: ${count} requests, ${((1000 * count) / spent.stories).toFixed(0)} a second`,
    `${(spent.moving / daysOfMonth).toFixed(0)} ms to end a day`,
    ...(await market.measures()),
  ];
  process.stdout.write(`${facts.join(" · ")}\n`);
}

async function warmedUp(database: "sqlite" | "postgres"): Promise<Market> {
  const market = await Market.start(database, size);
  markets.push(market);
  for (let day = 0; day < warmUpDays; day++) await market.day(day, slotsOfDay);
  market.latencies = new Latencies();
  return market;
}

type Verdict = "met" | "MISSED" | "NOT MEASURED";

/** Prints the times of both months, and returns whether those that can be compared are within the goal. */
function compare(first: Latencies, last: Latencies): Verdict {
  const verdicts = last.busiest().flatMap((operation) => {
    const name = operation.padEnd(42);
    const calls = Math.min(first.countOf(operation), last.countOf(operation));
    if (calls < fewestCalls) {
      process.stdout.write(`${name} too few: ${calls} calls in a month\n`);
      return [];
    }
    const [p50s, p99s] = [0.5, 0.99].map((share) => [first.quantile(operation, share), last.quantile(operation, share)]) as [
      [number, number],
      [number, number],
    ];
    const ratio = p99s[1] / p99s[0];
    const figures = [p99s, p50s].map(([before, after]) => `${before.toFixed(1)} → ${after.toFixed(1)} ms`);
    process.stdout.write(`${name} p99 ${figures[0]} (${ratio.toFixed(2)}×), p50 ${figures[1]}\n`);
    return [ratio <= mostSlower];
  });
  if (verdicts.length === 0) return "NOT MEASURED";
  return verdicts.every(Boolean) ? "met" : "MISSED";
}

exitOnSignals();
try {
  const market = await warmedUp(values.database);
  for (let month = 0; month < months - 1; month++) {
    await live(market, month);
    market.latencies = new Latencies();
  }
  const young = await warmedUp(values.database);
  await live(market, months - 1, young);
  const verdict = compare(young.latencies, market.latencies);
  await cleanUp(markets.map(({ stop }) => stop));
  const clean = market.isHealthy();
  process.stdout.write(`p99 of month 12 within ${mostSlower} of month 1: ${verdict}; doctor: ${clean ? "clean" : "NOT CLEAN"}\n`);
  if (!clean || verdict !== "met") process.exitCode = 1;
} finally {
  await cleanUp(markets.map(({ remove }) => remove));
}
