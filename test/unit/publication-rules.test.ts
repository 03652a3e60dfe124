import { describe, expect, it } from "vitest";
import type { Outcome } from "../../server/playtests/publications/publisher.ts";
import * as rules from "../../server/playtests/publications/rules.ts";

const second = 1_000;
const hour = 3_600 * second;
const now = 1_000 * hour;

describe("a step of a publication", () => {
  const row = (state: "waiting" | "uploading" | "processing") => ({ state, attempts: 2, bytes_total: 500 });
  const done = { error: null, detail: null, attempts: 0 };
  const failed = (more: object) => ({ is: "failed", reason: "busy", ...more }) as Outcome;

  it.each<[what: string, outcome: Outcome, move: string, changes: object]>([
    [
      "is an upload, which goes on at once",
      { is: "progress", bytesSent: 7 },
      "upload",
      { ...done, bytes_sent: 7, next_attempt_at: now },
    ],
    [
      "is an upload that a platform knows by a session",
      { is: "progress", bytesSent: 7, session: "S" },
      "upload",
      { ...done, session: "S", bytes_sent: 7, next_attempt_at: now },
    ],
    [
      "leaves a platform that processes in peace",
      { is: "processing", session: "S" },
      "process",
      { ...done, session: "S", bytes_sent: 500, next_attempt_at: now + 30 * second },
    ],
    [
      "asks a platform that processes when it says",
      { is: "processing", retryAt: now + 1 },
      "process",
      { ...done, bytes_sent: 500, next_attempt_at: now + 1 },
    ],
    [
      "publishes, and needs no session any more",
      { is: "published", remoteId: "R", url: "https://video.example/R" },
      "publish",
      {
        error: null,
        detail: null,
        attempts: 0,
        next_attempt_at: null,
        remote_id: "R",
        session: null,
        bytes_sent: 500,
        reason: null,
      },
    ],
    [
      "is blocked by the platform",
      { is: "blocked", remoteId: "R", reason: "private" },
      "block",
      { error: null, detail: null, next_attempt_at: null, remote_id: "R", reason: "private" },
    ],
    [
      "fails for good",
      failed({ permanent: true }),
      "fail",
      { attempts: 3, error: null, detail: null, reason: "busy", next_attempt_at: null },
    ],
    ["fails for now", failed({}), "process", { attempts: 3, error: "busy", detail: null, next_attempt_at: now + 40 * second }],
    [
      "is tried again when a platform says",
      failed({ retryAt: now + 5 }),
      "process",
      { attempts: 3, error: "busy", detail: null, next_attempt_at: now + 5 },
    ],
    [
      "is tried again at once, never in the past",
      failed({ retryAt: now - 5 }),
      "process",
      { attempts: 3, error: "busy", detail: null, next_attempt_at: now },
    ],
    [
      "begins again where the session is gone",
      failed({ session: null }),
      "wait",
      { attempts: 3, error: "busy", detail: null, next_attempt_at: now + 40 * second, session: null, bytes_sent: 0 },
    ],
  ])("%s", (_, outcome, move, changes) => {
    expect(rules.afterStep(row("processing"), outcome, now)).toStrictEqual({ move, changes });
  });

  it.each([
    ["waiting", "wait"],
    ["uploading", "upload"],
    ["processing", "process"],
  ] as const)("that fails for now leaves it %s", (state, move) => {
    expect(rules.afterStep(row(state), failed({}), now).move).toBe(move);
    expect(rules.inProgress).toContain(state);
  });
});

it("the pauses after failed tries double, up to an hour, and a day for a deletion", () => {
  const failures = [1, 2, 3, 9, 10, 50];
  expect(failures.map((count) => rules.pauseAfter(count) / second)).toEqual([10, 20, 40, 2560, 3600, 3600]);
  expect(failures.map((count) => rules.removalPauseAfter(count) / second)).toEqual([60, 120, 240, 15_360, 30_720, 86_400]);
  expect(rules.stepBytes).toBe(16_777_216);
});

it("a publication goes on when it says, and never where nothing is left to do", () => {
  expect([rules.nextRun({ next_attempt_at: 0 }), rules.nextRun({ next_attempt_at: null })]).toEqual([0, undefined]);
});

it.each([
  ["own", "R", null, null],
  ["youtube", "R", null, 1000],
  ["youtube", null, "S", 1000],
  ["youtube", null, null, 601_000],
] as const)(
  "what a publication on %s with the id %s and the session %s left is deleted at %s, when that is listed",
  (adapter, remote_id, session, at) => expect(rules.removalAt({ adapter, remote_id, session }, 1000)).toBe(at),
);

it.each([
  ["R", 0, 1500, 1000],
  [null, 0, 1500, 1500],
  [null, 0, 500, 1000],
  [null, 0, null, 1000],
  [null, 1, 1500, 1000],
])(
  "a removed video with the id %s, after %s tries and before that at %s, is tried again at %s",
  (remote_id, attempts, next_attempt_at, at) => {
    const row = { adapter: "youtube" as const, remote_id, session: null, attempts, next_attempt_at };
    expect(rules.removalAgainAt(row, 1000)).toBe(at);
  },
);

it.each([
  ["own", "R", null, false],
  ["youtube", "R", null, true],
  ["youtube", null, "S", true],
  ["youtube", null, null, false],
] as const)(
  "a removed publication on %s with the id %s and the session %s may have left something there: %s",
  (adapter, remote_id, session, has) => expect(rules.hasRemnants({ adapter, remote_id, session })).toBe(has),
);
