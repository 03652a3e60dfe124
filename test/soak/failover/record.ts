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
}

/** A process was told to end, and until it had ended. */
export interface End {
  /** Whether it could finish what it had in hand. */
  gently: boolean;
  from: number;
  until: number;
}

export type Outcome = "answered" | "told to wait" | "cut" | "failed";

const ofProxy = new Set([502, 504]);

/**
 * What became of a request. One that a killed process had in hand may be cut: nobody can know how far it was. So may a piece of an upload
 * that a stopped process was still receiving after some seconds. All others must be answered, or be told when to come again.
 */
export function outcomeOf({ what, status, asksToWait, began, ended }: Attempt, ends: readonly End[]): Outcome {
  if (status !== undefined && status < 400) return "answered";
  if (asksToWait) return "told to wait";
  const isCut = status === undefined || ofProxy.has(status);
  const mayCut = ({ gently, from, until }: End) => (!gently || what === "piece") && began <= until && ended >= from;
  if (isCut && ends.some(mayCut)) return "cut";
  return "failed";
}

export interface Summary {
  fault: string;
  requests: number;
  outcomes: Record<Outcome, number>;
  /** The longest time (ms) in which no request was answered. */
  gap: number;
  /** The slowest request that was answered, and how long (ms) it took. */
  slowest: { what: string; ms: number };
  failures: string[];
}

/** What happened between two moments. */
export function summarize(fault: string, attempts: readonly Attempt[], ends: readonly End[], from: number, to: number): Summary {
  const outcomes: Summary["outcomes"] = { answered: 0, "told to wait": 0, cut: 0, failed: 0 };
  const failures: string[] = [];
  let [gap, last] = [0, from];
  let slowest = { what: "", ms: 0 };
  const during = attempts.filter(({ ended }) => ended >= from && ended < to).sort((one, other) => one.ended - other.ended);
  for (const attempt of during) {
    const outcome = outcomeOf(attempt, ends);
    outcomes[outcome]++;
    if (outcome === "failed") failures.push(described(attempt, from));
    if (outcome !== "answered") continue;
    gap = Math.max(gap, attempt.ended - last);
    const ms = attempt.ended - attempt.began;
    if (ms > slowest.ms) slowest = { what: attempt.what, ms };
    last = attempt.ended;
  }
  return { fault, requests: during.length, outcomes, gap: Math.max(gap, to - last), slowest, failures };
}

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
    `${(gap / 1000).toFixed(1)} s`.padStart(9),
    `${(slowest.ms / 1000).toFixed(1)} s`.padStart(9),
    slowest.what,
  ].join(" ");

export const heading = `${"fault".padEnd(44)} requests waited   cut  failed   without   slowest`;
