import { expect } from "vitest";
import { copySlots } from "../helpers/copied-slots.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, createGame, giveCredit, giveVideo, order, type Person, play, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";
import { sha256, upload } from "../helpers/tus.ts";

const hour = 3_600_000;
const problem = { reasonCode: "crash", notes: "Black screen after the menu." } as const;

/** Uploads version `0.N`, some time after what happened before and before what happens next. */
async function push(server: TestServer, owner: Person, gameId: string, n: number): Promise<void> {
  await server.advance(1000);
  const bytes = Buffer.alloc(100, n);
  const metadata = { filename: `${n}.zip`, sha256: sha256(bytes), version: `0.${n}` };
  await upload(server, owner, `/games/${gameId}/builds`, bytes, { metadata });
  await server.advance(1000);
}

/** The version that the playtester downloads, or the address where they get the game. */
async function downloaded(player: Person, id: string): Promise<string> {
  const { slot } = await player.getHeldSlot({ params: { id } });
  if (!slot.buildUrl!.includes("/downloads?")) return slot.buildUrl!;
  const reply = await fetch(slot.buildUrl!, { redirect: "manual" });
  return reply.headers.get("location") ?? `0.${Buffer.from(await reply.arrayBuffer())[0]}`;
}

/** The version that was played, as the slot, a note, a finding, the highlights and the ratings say. */
async function counted(owner: Person, gameId: string, slotId: string): Promise<(string | null)[]> {
  const { builds } = await owner.listBuilds({ params: { id: gameId } });
  const version = (id: string | null) => builds.find((build) => build.id === id)?.version ?? null;
  const { slot } = await owner.getSlot({ params: { id: slotId } });
  const { moment } = await owner.createMoment({ params: { id: slotId }, body: { atMs: 1000, kind: "bug", text: "Stuck." } });
  const { finding } = await owner.createFinding({ params: { id: gameId }, body: { title: "Stuck" } });
  await owner.addEvidence({ params: { id: finding.id }, body: { slotId, fromMs: 1000 } });
  const { finding: met } = await owner.getFinding({ params: { id: finding.id } });
  await owner.acceptSlot({ params: { id: slotId }, body: { rating: 4 } });
  const { ratings } = await owner.getStatistics({ query: { game: gameId } });
  const shown: string[] = [];
  for (const { id } of builds) {
    const { highlights } = await owner.listGameHighlights({ params: { id: gameId }, query: { build: id } });
    if (highlights.some((one) => one.slotId === slotId)) shown.push(version(id)!);
  }
  return [
    slot.build?.version ?? null,
    version(moment.buildId),
    ...met.builds.map((one) => one.version),
    ...ratings.builds.map((one) => one.version),
    ...shown,
  ];
}

onBothDatabases("the build of a slot", (_serve, it) => {
  it("is the newest at the claim, and again when its owner returns it after a problem", async ({ server, owner, gameId }) => {
    await giveCredit(server, owner, 100_000);
    const playtestId = await order(owner, gameId, { quantity: 2 });
    await push(server, owner, gameId, 1);
    const [first, second] = [await registerPlaytester(server), await registerPlaytester(server)];
    const kept = await claim(first, playtestId);
    await push(server, owner, gameId, 2);
    const later = await claim(second, playtestId);
    expect([await downloaded(first, kept), await downloaded(second, later)]).toEqual(["0.1", "0.2"]);
    await giveVideo(server, kept, first);
    await first.submitSlot({ params: { id: kept }, body: {} });
    expect(await counted(owner, gameId, kept)).toEqual(["0.1", "0.1", "0.1", "0.1", "0.1"]);

    await second.reportSlot({ params: { id: later }, body: problem });
    await push(server, owner, gameId, 3);
    expect(await downloaded(second, later)).toBe("0.2");
    await owner.unblockSlot({ params: { id: later }, body: {} });
    await push(server, owner, gameId, 4);
    expect(await downloaded(second, later)).toBe("0.3");
    await giveVideo(server, later, second);
    await second.submitSlot({ params: { id: later }, body: {} });
    expect(await counted(owner, gameId, later)).toEqual(["0.3", "0.3", "0.3", "0.3", "0.1", "0.3"]);
  });

  it("is the newest when the fixed time begins, also after a problem before it and another time", async ({
    server,
    owner,
    gameId,
    playtester,
  }) => {
    await giveCredit(server, owner, 100_000);
    const at = (hours: number) => new Date(server.clock.now() + hours * hour).toISOString();
    const scheduledAt = at(48);
    const playtestId = await order(owner, gameId, { scheduledAt });
    await push(server, owner, gameId, 1);
    const { slot } = await playtester.claimPlaytest({ params: { id: playtestId }, body: { scheduledAt } });
    await push(server, owner, gameId, 2);
    expect(await downloaded(playtester, slot.id)).toBe("0.2");
    await playtester.reportSlot({ params: { id: slot.id }, body: problem });
    await owner.unblockSlot({ params: { id: slot.id }, body: {} });
    await push(server, owner, gameId, 3);
    expect(await downloaded(playtester, slot.id)).toBe("0.3");
    await owner.updatePlaytest({ params: { id: playtestId }, body: { scheduledAt: at(72) } });
    await playtester.rescheduleSlot({ params: { id: slot.id }, body: { accept: true } });
    await server.advance(49 * hour);
    await push(server, owner, gameId, 4);
    expect(await downloaded(playtester, slot.id)).toBe("0.4");
    await server.advance(24 * hour);
    await push(server, owner, gameId, 5);
    expect(await downloaded(playtester, slot.id)).toBe("0.4");
    await playtester.reportSlot({ params: { id: slot.id }, body: problem });
    await owner.unblockSlot({ params: { id: slot.id }, body: {} });
    expect(await downloaded(playtester, slot.id)).toBe("0.5");
  });

  it("chooses its highlights, however many newer videos the game has", async ({ server, owner, gameId }) => {
    await giveCredit(server, owner, 100_000);
    const played = async (n: number) => {
      await push(server, owner, gameId, n);
      return play(server, await registerPlaytester(server), await order(owner, gameId, { visibility: "public" }));
    };
    const first = await played(1);
    await copySlots(server, await played(2), 200);
    await owner.createMoment({ params: { id: first }, body: { atMs: 1000, kind: "bug", text: "Stuck." } });
    const { builds } = await owner.listBuilds({ params: { id: gameId } });
    const slotsIn = async (version: string) => {
      const build = builds.find((one) => one.version === version)!.id;
      const { highlights } = await owner.listGameHighlights({ params: { id: gameId }, query: { build } });
      return highlights.map(({ slotId }) => slotId);
    };
    expect([await slotsIn("0.1"), await slotsIn("0.2")]).toEqual([[first], []]);
  });

  it("is the newest also where the process that stored it has a clock that is ahead", async ({
    server,
    owner,
    gameId,
    playtester,
  }) => {
    await giveCredit(server, owner, 100_000);
    await push(server, owner, gameId, 1);
    const slotId = await claim(playtester, await order(owner, gameId));
    await playtester.reportSlot({ params: { id: slotId }, body: problem });
    await push(server, owner, gameId, 2);
    const ahead = server.clock.now() + 5000;
    await server.deps.store.write((tx) => tx.run("UPDATE builds SET created_at = ? WHERE version = '0.2'", ahead));
    await owner.unblockSlot({ params: { id: slotId }, body: {} });
    expect(await downloaded(playtester, slotId)).toBe("0.2");
  });

  it("is an address as well as a file, and the first one where the game had none", async ({ server, owner }) => {
    await giveCredit(server, owner, 100_000);
    const gameId = await createGame(owner, { buildUrl: `${server.baseUrl}/builds/none` });
    const playtestId = await order(owner, gameId, { quantity: 2 });
    const [first, second] = [await registerPlaytester(server), await registerPlaytester(server)];
    const early = await claim(first, playtestId);
    expect(await downloaded(first, early)).toBe(`${server.baseUrl}/builds/none`);
    await server.advance(1000);
    const [store, other] = ["https://example.com/game.zip", "https://example.com/other.zip"];
    await owner.updateGame({ params: { id: gameId }, body: { buildUrl: store } });
    await server.advance(1000);
    const late = await claim(second, playtestId);
    await push(server, owner, gameId, 1);
    await owner.updateGame({ params: { id: gameId }, body: { buildUrl: other } });
    expect([await downloaded(first, early), await downloaded(second, late)]).toEqual([other, store]);
  });
});
