import { describe, expect, it } from "vitest";
import { afterStep, pauseAfter, removalPauseAfter } from "../../server/playtests/publications/rules.ts";
import { wordsFor } from "../../server/playtests/publications/words.ts";
import { nextPacificMidnight, outcomeOf, YoutubeRefusal } from "../../server/playtests/publications/youtube/refusals.ts";
import { consentText, consentVersion } from "../../src/contract/publications/consent.ts";

const iso = (ms: number) => new Date(ms).toISOString();

describe("pauses between tries", () => {
  it("grow to an hour, and to a day for a deletion", () => {
    expect([1, 2, 3, 9, 10, 100].map(pauseAfter)).toEqual([10_000, 20_000, 40_000, 2_560_000, 3_600_000, 3_600_000]);
    expect([1, 2, 11, 12, 100].map(removalPauseAfter)).toEqual([60_000, 120_000, 61_440_000, 86_400_000, 86_400_000]);
  });
});

describe("afterStep", () => {
  const row = { state: "uploading", attempts: 2, bytes_total: 100 } as const;
  it.each([
    [{ is: "progress", bytesSent: 10 }, "upload", { bytes_sent: 10, attempts: 0, error: null, next_attempt_at: 1000 }],
    [{ is: "processing", retryAt: 0 }, "process", { bytes_sent: 100, attempts: 0, next_attempt_at: 1000 }],
    [{ is: "published", url: "u", remoteId: "v" }, "publish", { remote_id: "v", session: null, next_attempt_at: null }],
    [{ is: "blocked", reason: "B.", remoteId: "v" }, "block", { remote_id: "v", reason: "B.", next_attempt_at: null }],
    [{ is: "failed", reason: "F." }, "upload", { attempts: 3, error: "F.", next_attempt_at: 41_000 }],
    [{ is: "failed", reason: "F.", retryAt: 5 }, "upload", { next_attempt_at: 1000 }],
    [{ is: "failed", reason: "F.", session: null }, "wait", { session: null, bytes_sent: 0 }],
    [{ is: "failed", reason: "F.", permanent: true }, "fail", { reason: "F.", error: null, next_attempt_at: null }],
  ] as const)("%j: %s", (outcome, move, changes) => {
    const after = afterStep(row, outcome, 1000);
    expect(after.move).toBe(move);
    expect(after.changes).toMatchObject(changes);
  });
});

describe("the midnight at which YouTube fills quotas", () => {
  it.each([
    ["2026-03-01T12:00:00.000Z", "2026-03-02T08:00:00.000Z"],
    ["2026-03-02T07:59:59.999Z", "2026-03-02T08:00:00.000Z"],
    ["2026-03-02T08:00:00.000Z", "2026-03-03T08:00:00.000Z"],
    // Summer time begins on 8 March and ends on 1 November 2026.
    ["2026-03-08T12:00:00.000Z", "2026-03-09T07:00:00.000Z"],
    ["2026-11-01T12:00:00.000Z", "2026-11-02T08:00:00.000Z"],
  ])("after %s: %s", (now, midnight) => expect(iso(nextPacificMidnight(Date.parse(now)))).toBe(midnight));
});

describe("refusals of YouTube", () => {
  it.each([
    [403, "quotaExceeded", "later"],
    [400, "uploadLimitExceeded", "later"],
    [400, "invalid_grant", "later"],
    [401, "youtubeSignupRequired", "never"],
    [400, "invalidTitle", "never"],
    [403, "forbidden", "never"],
    [403, "userRateLimitExceeded", "soon"],
    [401, "authError", "soon"],
    [429, "", "soon"],
    [503, "backendError", "soon"],
  ])("%i %s: tried again %s", (status, reason, when) => {
    const outcome = outcomeOf(new YoutubeRefusal(status, reason, "why"), 0);
    const found = "permanent" in outcome ? "never" : outcome.retryAt === undefined ? "soon" : "later";
    expect(found).toBe(when);
    expect(outcome.reason).toMatch(/^[^`]+\.$/);
    expect(outcome.reason).not.toContain("why");
  });
});

describe("words", () => {
  const templates = { title: "{game}: a playtest by {player}", description: "{player} plays {game}. {link}" };
  const limits = { title: 100, descriptionBytes: 5000 };
  const video = { publicationId: "p1", gameName: "Deep <3", gameUrl: null, playtesterName: "Ann" };
  it("have no angle brackets, and the marker at the end", () => {
    const words = wordsFor(templates, video, limits);
    expect(words).toEqual({ title: "Deep 3: a playtest by Ann", description: "Ann plays Deep 3.\n\nplaytest:p1" });
  });

  it("name what has no name without angle brackets", () => {
    const words = wordsFor({ ...templates, title: "{game}" }, { ...video, gameName: " <><> ", playtesterName: "<>" }, limits);
    expect(words.title).toBe("Playtest");
    expect(words.description).toContain("a playtester plays Playtest.");
  });

  it("fit into a title, and name nobody who does not want it", () => {
    const { title, description } = wordsFor(templates, { ...video, gameName: "G".repeat(200), playtesterName: null }, limits);
    expect([...title]).toHaveLength(100);
    expect(description).toContain("a playtester plays");
  });

  it.each(["e", "é", "€", "😀"])("fit into the bytes of a description, whole, in %s", (letter) => {
    const { description } = wordsFor({ ...templates, description: letter.repeat(2000) }, video, {
      ...limits,
      descriptionBytes: 1000,
    });
    expect(Buffer.byteLength(description)).toBeLessThanOrEqual(1000);
    expect(Buffer.byteLength(description)).toBeGreaterThan(1000 - Buffer.byteLength(letter));
    expect(description).toMatch(new RegExp(`^${letter}+…\\n\\nplaytest:p1$`, "u"));
  });
});

describe("consent", () => {
  it.each([
    ["own", "Ann", "If your video is accepted, it is published on this website for everybody, with your name, Ann."],
    [
      "youtube",
      null,
      "If your video is accepted, it is published on YouTube for everybody, without your name. If YouTube does not show it, it is published on this website instead.",
    ],
  ] as const)("version 1, %s, %s", (adapter, name, text) => expect(consentText(1, { adapter, name })).toBe(text));

  it("the version in force is the last one", () => expect(consentVersion).toBe(1));
});
