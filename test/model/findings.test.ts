import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../server/lib/api-error.ts";
import * as service from "../../server/playtests/findings/service.ts";
import * as store from "../../server/playtests/findings/store.ts";
import { createGame, giveCredit, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { reusedStore } from "../helpers/reused-store.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";

/** To run more: `PLAYTEST_MODEL_RUNS=10000 PLAYTEST_SEED=7 npm test -- test/model/findings.test.ts`. */
const runs = { sqlite: Number(process.env.PLAYTEST_MODEL_RUNS ?? 300), postgres: Number(process.env.PLAYTEST_MODEL_RUNS ?? 30) };
const seed = Number(process.env.PLAYTEST_SEED ?? 20260301);

/** What happened to findings, by their numbers, and to evidence, by its position in the video. */
type Happened =
  | { did: "create"; finding: number }
  | { did: "add"; to: number; evidence: number }
  | { did: "remove"; evidence: number }
  | { did: "merge"; from: number; to: number; undone: boolean }
  | { did: "split"; from: number; to: number; evidence: readonly number[]; undone: boolean }
  | { did: "delete"; finding: number };

/**
 * Where the evidence is after a history: played from its beginning each time, without the merges that were undone, and as if what an
 * undone split made had always been another name of where it came from.
 */
function replay(history: readonly Happened[]) {
  const holder = new Map<number, number>();
  const findings = new Set<number>();
  const into = new Map<number, number>();
  const end = (finding: number): number => (into.has(finding) ? end(into.get(finding)!) : finding);
  const drop = (finding: number) => {
    for (const [inner, outer] of [...into]) if (outer === finding) drop(inner);
    into.delete(finding);
    findings.delete(finding);
    for (const [evidence, at] of [...holder]) if (at === finding) holder.delete(evidence);
  };
  for (const one of history) {
    if (one.did === "create") findings.add(one.finding);
    if (one.did === "add") holder.set(one.evidence, end(one.to));
    if (one.did === "remove") holder.delete(one.evidence);
    if (one.did === "delete") drop(one.finding);
    if (one.did === "merge" && !one.undone) {
      into.set(one.from, one.to);
      for (const [evidence, at] of holder) if (at === one.from) holder.set(evidence, one.to);
    }
    if (one.did === "split") {
      findings.add(one.to);
      if (one.undone) into.set(one.to, one.from);
      else for (const evidence of one.evidence) if (holder.has(evidence)) holder.set(evidence, one.to);
    }
  }
  const open = [...findings].filter((finding) => !into.has(finding)).sort((a, b) => a - b);
  const heldBy = (finding: number) => [...holder].filter(([, at]) => at === finding).map(([evidence]) => evidence);
  return { findings, into, held: open.map((finding) => ({ finding, evidence: heldBy(finding).sort((a, b) => a - b) })) };
}

type Change = Extract<Happened, { undone: boolean }>;
const isChange = (one: Happened): one is Change => one.did === "merge" || one.did === "split";

interface Story {
  server: TestServer;
  ownerId: string;
  gameId: string;
  slotId: string;
  history: Happened[];
  ids: Map<number, string>;
  evidence: number;
}

/** The last merge or split of a finding that can still be undone, and whether it can: it is the last of both. */
function undoable({ history }: Story, finding: number): { change: Change | undefined; possible: boolean } {
  const { findings } = replay(history);
  const last = (one: number) =>
    history.findLast(
      (entry): entry is Change =>
        isChange(entry) &&
        !entry.undone &&
        [entry.from, entry.to].includes(one) &&
        findings.has(entry.from) &&
        findings.has(entry.to),
    );
  const change = last(finding);
  return { change, possible: change !== undefined && last(change.from) === change && last(change.to) === change };
}

const write = <T>({ server, ownerId, ids }: Story, finding: number, act: (tx: never, row: store.FindingRow) => Promise<T>) =>
  server.deps.store.write(async (tx) => act(tx as never, (await store.findForOwner(tx, ids.get(finding)!, ownerId))!));

const sizes = fc.record({ what: fc.nat(99), a: fc.nat(1000), b: fc.nat(1000), some: fc.array(fc.boolean(), { maxLength: 6 }) });
type Chosen = typeof sizes extends fc.Arbitrary<infer T> ? T : never;

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length]!;

async function create(story: Story): Promise<void> {
  const { server, ownerId, gameId } = story;
  const body = { title: "Lost", text: "", kind: "note", tags: [], status: "open" } as const;
  const row = await server.deps.store.write((tx) => service.create(tx, ownerId, gameId, { ...body, tags: [] }));
  story.ids.set(row.number, row.id);
  story.history.push({ did: "create", finding: row.number });
}

/** One step, on the server and in the history. */
async function act(story: Story, { what, a, b, some }: Chosen): Promise<void> {
  const { held } = replay(story.history);
  if (held.length === 0 || what < 12) return create(story);
  const { finding, evidence } = pick(held, a);
  const other = pick(held, b).finding;
  if (what < 45) {
    const at = ++story.evidence;
    const span = { slotId: story.slotId, fromMs: at, toMs: null, quote: null };
    await write(story, finding, (tx, row) => service.addEvidence(tx, row, span));
    story.history.push({ did: "add", to: finding, evidence: at });
  } else if (what < 60) {
    if (finding === other) return;
    const otherId = story.ids.get(other)!;
    await write(story, finding, async (tx, row) =>
      service.merge(tx, row, (await store.findForOwner(tx, otherId, story.ownerId))!),
    );
    story.history.push({ did: "merge", from: other, to: finding, undone: false });
  } else if (what < 75) {
    const chosen = evidence.filter((_, index) => some[index] ?? false);
    if (chosen.length > 0) await splitOff(story, finding, chosen);
  } else if (what < 92) {
    await undo(story, pick([...story.ids.keys()], a));
  } else if (what < 96 && evidence.length > 0) {
    const at = pick(evidence, b);
    await write(story, finding, async (tx, row) => service.removeEvidence(tx, row, await idAt(tx, story, at)));
    story.history.push({ did: "remove", evidence: at });
  } else if (what >= 98) {
    await write(story, finding, (tx, row) => service.remove(tx, row));
    story.history.push({ did: "delete", finding });
  }
}

const idAt = async (q: Parameters<typeof store.evidenceOf>[0], { gameId }: Story, at: number) =>
  (await store.evidenceOf(q, "game", gameId)).find(({ at_ms }) => at_ms === at)!.id;

async function splitOff(story: Story, from: number, evidence: readonly number[]): Promise<void> {
  const made = await write(story, from, async (tx, row) => {
    const evidenceIds: string[] = [];
    for (const at of evidence) evidenceIds.push(await idAt(tx, story, at));
    return service.split(tx, row, { evidenceIds, title: "Part" });
  });
  story.ids.set(made.number, made.id);
  story.history.push({ did: "split", from, to: made.number, evidence, undone: false });
}

async function undo(story: Story, finding: number): Promise<void> {
  if (!replay(story.history).findings.has(finding)) return;
  const { change, possible } = undoable(story, finding);
  try {
    await write(story, finding, (tx, row) => service.undo(tx, row));
    expect(possible).toBe(true);
    change!.undone = true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.status, possible]).toEqual([409, false]);
  }
}

/** The server has each piece of evidence where the history says, and none twice. */
async function check({ server, gameId, history }: Story): Promise<void> {
  const [rows, evidence] = await server.deps.store.read((q) =>
    Promise.all([store.listOfGame(q, gameId), store.evidenceOf(q, "game", gameId)]),
  );
  const held = rows
    .map(({ id, number }) => {
      const own = evidence.filter(({ finding_id }) => finding_id === id).map(({ at_ms }) => at_ms);
      return { finding: number, evidence: own.sort((a, b) => a - b) };
    })
    .sort((a, b) => a.finding - b.finding);
  expect(held).toEqual(replay(history).held);
  expect(evidence).toHaveLength(held.flatMap((one) => one.evidence).length);
}

async function forget({ server, gameId }: Story): Promise<void> {
  const filled = ["finding_changes", "finding_evidence", "findings", "notifications", "events"];
  await server.deps.store.write(async (tx) => {
    for (const table of filled) await tx.run(`DELETE FROM ${table}`);
    await tx.run("DELETE FROM jobs WHERE kind = 'index-text'");
    await tx.run("UPDATE games SET last_finding = 0 WHERE id = ?", gameId);
  });
}

describe.each(drivers)("findings under random merges and splits ($name)", (driver) => {
  it("every piece of evidence is where a replay of the history has it, after each step", { timeout: 3_600_000 }, async () => {
    const database = await reusedStore(driver);
    const server = await startTestServer({ store: database });
    const owner = await registerOwner(server);
    await giveCredit(server, owner, 100_000);
    const gameId = await createGame(owner);
    const slotId = await play(server, await registerPlaytester(server), await order(owner, gameId));
    const property = fc.asyncProperty(fc.array(sizes, { maxLength: 25, size: "max" }), async (choices) => {
      const story: Story = { server, ownerId: owner.id, gameId, slotId, history: [], ids: new Map(), evidence: 0 };
      try {
        for (const chosen of choices) {
          await act(story, chosen);
          await check(story);
        }
      } catch (error) {
        throw new Error(`after\n${story.history.map((one) => JSON.stringify(one)).join("\n")}\n${(error as Error).message}`, {
          cause: error,
        });
      } finally {
        await forget(story);
      }
    });
    await fc.assert(property, { numRuns: runs[driver.name], seed, endOnFailure: true });
    await server.close();
    await database.remove();
  });
});
