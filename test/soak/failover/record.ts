/** A request as its client saw it. Times in milliseconds. */
export interface Attempt {
  what: string;
  began: number;
  ended: number;
  /** Undefined where there was no reply. */
  status?: number;
  /** What it was told, or why there was no reply. */
  said?: string;
  /** Whether the reply says when to try again. */
  asksToWait: boolean;
  /** Whether the client itself gave up. */
  gaveUp?: boolean;
}

/** A process was told to end, and until it had ended. */
export interface Stop {
  /** Whether it could finish what it had in hand. */
  gently: boolean;
  from: number;
  until: number;
}

export type Outcome = "answered" | "told to wait" | "cut" | "failed";

const ofProxy = new Set([502, 504]);

/**
 * What became of a request. One that a killed process had in hand may be cut: nobody can know how far it was. So may a piece of an upload
 * that a stopped process was already receiving and still is after some seconds. All others must be answered, or be told when to come again.
 */
export function outcomeOf({ what, status, asksToWait, gaveUp, began, ended }: Attempt, stops: readonly Stop[]): Outcome {
  if (status !== undefined && status < 400) return "answered";
  if (asksToWait) return "told to wait";
  const isCut = !gaveUp && (status === undefined || ofProxy.has(status));
  const mayCut = ({ gently, from, until }: Stop) =>
    ended >= from && (gently ? what === "piece" && began <= from : began <= until);
  if (isCut && stops.some(mayCut)) return "cut";
  return "failed";
}

/** Requests that come all the time, by what they are. Pieces of uploads and what belongs to them do not count. */
const steady: Readonly<Record<string, readonly string[]>> = {
  "order or claim": ["order", "claim"],
  read: ["read", "list", "read slot"],
};

export interface Summary {
  fault: string;
  requests: number;
  outcomes: Record<Outcome, number>;
  /** The longest time (ms) in which none of a kind was answered. */
  gap: number;
  /** The slowest request that was answered, and how long (ms) it took. */
  slowest: { what: string; ms: number };
  failures: string[];
}

/** What happened between two moments. A gap of more than `most` (ms) is a failure. */
export function summarize(
  { fault, most, from, to }: { fault: string; most: number; from: number; to: number },
  attempts: readonly Attempt[],
  stops: readonly Stop[],
): Summary {
  const outcomes: Summary["outcomes"] = { answered: 0, "told to wait": 0, cut: 0, failed: 0 };
  const failures: string[] = [];
  let slowest = { what: "", ms: 0 };
  const during = attempts.filter(({ ended }) => ended >= from && ended < to).sort((one, other) => one.ended - other.ended);
  const answered: Attempt[] = [];
  for (const attempt of during) {
    const outcome = outcomeOf(attempt, stops);
    outcomes[outcome]++;
    if (outcome === "failed") failures.push(described(attempt, from));
    if (outcome !== "answered") continue;
    answered.push(attempt);
    const ms = attempt.ended - attempt.began;
    if (ms > slowest.ms) slowest = { what: attempt.what, ms };
  }
  const gaps = Object.entries(steady).map(([kind, whats]) => {
    const times = answered.filter(({ what }) => whats.includes(what)).map(({ ended }) => ended);
    return { kind, gap: longestGap([from, ...times, to]) };
  });
  for (const { kind, gap } of gaps)
    if (gap > most) failures.push(`no ${kind} was answered for ${inSeconds(gap)}, which is more than ${inSeconds(most)}`);
  return { fault, requests: during.length, outcomes, gap: Math.max(...gaps.map(({ gap }) => gap)), slowest, failures };
}

const longestGap = (times: readonly number[]) => Math.max(...times.slice(1).map((time, index) => time - times[index]!));
const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

const described = ({ what, status, said = "", began, ended }: Attempt, from: number) =>
  `${what}: ${status ?? "no reply"} ${said.slice(0, 200)} (sent ${((began - from) / 1000).toFixed(2)} s after the beginning, took ${Math.round(ended - began)} ms)`;

/** A line of the table. */
export const row = ({ fault, requests, outcomes, gap, slowest }: Summary) =>
  [
    fault.padEnd(44),
    `${requests}`.padStart(8),
    `${outcomes["told to wait"]}`.padStart(6),
    `${outcomes.cut}`.padStart(5),
    `${outcomes.failed}`.padStart(7),
    inSeconds(gap).padStart(9),
    inSeconds(slowest.ms).padStart(9),
    slowest.what,
  ].join(" ");

export const heading = `${"fault".padEnd(44)} requests waited   cut  failed no answer   slowest`;
