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

/** A process was killed, and until it had ended. */
export interface Kill {
  from: number;
  until: number;
}

export type Outcome = "answered" | "told to wait" | "cut with a killed process" | "failed";

const ofProxy = new Set([502, 504]);

/**
 * What became of a request. One that a killed process had in hand may be cut: nobody can know how far it was. All others must be
 * answered, or be told when to come again.
 */
export function outcomeOf({ status, asksToWait, began, ended }: Attempt, kills: readonly Kill[]): Outcome {
  if (status !== undefined && status < 400) return "answered";
  if (asksToWait) return "told to wait";
  const isCut = status === undefined || ofProxy.has(status);
  if (isCut && kills.some((kill) => began <= kill.until && ended >= kill.from)) return "cut with a killed process";
  return "failed";
}

export interface Summary {
  fault: string;
  requests: number;
  outcomes: Record<Outcome, number>;
  /** The longest time (ms) in which no request was answered. */
  gap: number;
  /** How long (ms) the slowest request took that was answered. */
  slowest: number;
  failures: string[];
}

/** What happened between two moments. */
export function summarize(
  fault: string,
  attempts: readonly Attempt[],
  kills: readonly Kill[],
  from: number,
  to: number,
): Summary {
  const outcomes: Summary["outcomes"] = { answered: 0, "told to wait": 0, "cut with a killed process": 0, failed: 0 };
  const failures: string[] = [];
  let [gap, slowest, last] = [0, 0, from];
  const during = attempts.filter(({ ended }) => ended >= from && ended < to).sort((one, other) => one.ended - other.ended);
  for (const attempt of during) {
    const outcome = outcomeOf(attempt, kills);
    outcomes[outcome]++;
    if (outcome === "failed") failures.push(described(attempt, from));
    if (outcome !== "answered") continue;
    gap = Math.max(gap, attempt.ended - last);
    slowest = Math.max(slowest, attempt.ended - attempt.began);
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
    `${outcomes["cut with a killed process"]}`.padStart(5),
    `${outcomes.failed}`.padStart(7),
    `${(gap / 1000).toFixed(1)} s`.padStart(9),
    `${(slowest / 1000).toFixed(1)} s`.padStart(9),
  ].join(" ");

export const heading = `${"fault".padEnd(44)} requests waited   cut  failed   without   slowest`;
