import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

async function market(server: TestServer) {
  const owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 100_000);
  return { owner, gameId: await factories.createGame(owner) };
}

const submitted = async (server: TestServer, owner: factories.Person, gameId: string) => {
  const playtestId = await factories.order(owner, gameId);
  return { playtestId, slotId: await factories.play(server, await factories.registerPlaytester(server), playtestId) };
};
const textsAt = async (owner: factories.Person, path: string) =>
  ((await owner.get(path)).body.data.moments as { text: string }[]).map(({ text }) => text);

onBothDatabases("moments", (serve, it) => {
  it("are noted with what is known of their video, and changed and deleted by their owner", async ({ server }) => {
    const { owner, gameId } = await market(server);
    const { playtestId, slotId } = await submitted(server, owner, gameId);
    const body = {
      atMs: 761_000,
      endMs: 775_500,
      kind: "confusion",
      severity: 2,
      text: "Lost in the tutorial",
      tags: ["onboarding"],
    };
    const noted = await owner.post(`/slots/${slotId}/moments`, body);
    expect(noted.status).toBe(201);
    const { id, author, createdAt, updatedAt, ...rest } = noted.body.data.moment;
    expect(rest).toEqual({ slotId, playtestId, gameId, still: null, buildId: expect.any(String), ...body });
    expect(author.id).toBe(owner.id);
    await server.advance(60_000);
    const changed = await owner.updateMoment({ params: { id }, body: { endMs: null, severity: 4, tags: [] } });
    expect(changed.moment).toMatchObject({ ...body, endMs: null, severity: 4, tags: [], createdAt });
    expect(Date.parse(changed.moment.updatedAt) - Date.parse(updatedAt)).toBe(60_000);
    expect((await owner.delete(`/moments/${id}`)).status).toBe(200);
    expect((await owner.delete(`/moments/${id}`)).status).toBe(404);
    expect(await textsAt(owner, `/slots/${slotId}/moments`)).toEqual([]);
  });

  it("are listed in the order of the video for a slot, the newest first for a playtest and a game, page by page", async ({
    server,
  }) => {
    const { owner, gameId } = await market(server);
    const [first, second] = [await submitted(server, owner, gameId), await submitted(server, owner, gameId)];
    const notes = [
      [first, "c", 3000],
      [first, "a", 1000],
      [second, "d", 2000],
      [first, "b", 1000],
    ] as const;
    for (const [{ slotId }, text, atMs] of notes) {
      await owner.createMoment({ params: { id: slotId }, body: { atMs, text } });
      await server.advance(1000);
    }
    const all = async (path: string) => {
      const texts: string[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await owner.get(`${path}?limit=1${cursor && `&cursor=${cursor}`}`);
        texts.push(...body.data.moments.map((moment: { text: string }) => moment.text));
        if (!body.meta.hasMore) return texts;
        cursor = body.meta.cursor;
      }
    };
    expect(await all(`/slots/${first.slotId}/moments`)).toEqual(["a", "b", "c"]);
    expect(await all(`/playtests/${first.playtestId}/moments`)).toEqual(["b", "a", "c"]);
    expect(await all(`/games/${gameId}/moments`)).toEqual(["b", "d", "a", "c"]);
  });

  it("are found by kind, severity, tag, build and text", async ({ server }) => {
    const { owner, gameId } = await market(server);
    await owner.post(`/games/${gameId}/builds`, { buildUrl: "https://example.com/2.zip", version: "2" });
    const build = (await owner.listBuilds({ params: { id: gameId } })).builds[0]!.id;
    await server.advance(1000);
    const { slotId } = await submitted(server, owner, gameId);
    const notes = [
      { text: "100% stuck", kind: "bug", severity: 4, tags: ["menu"] },
      { text: "LOVES it", kind: "delight", tags: ["menu-music"] },
      { text: "1000 coins", tags: [] },
      { text: "Überall Ärger", tags: [] },
    ];
    for (const [at, note] of notes.entries()) await owner.post(`/slots/${slotId}/moments`, { atMs: at, ...note });
    const rows = [
      ["kind=bug", ["100% stuck"]],
      ["severity=4", ["100% stuck"]],
      ["tag=menu", ["100% stuck"]],
      ["tag=men", []],
      ["text=loves", ["LOVES it"]],
      ["text=100%25", ["100% stuck"]],
      ["text=%C3%9Cberall", ["Überall Ärger"]],
      ["text=%C3%84rger", ["Überall Ärger"]],
      [`build=${build}`, ["100% stuck", "LOVES it", "1000 coins", "Überall Ärger"]],
      [`build=${slotId}`, []],
      ["kind=note&text=coins", ["1000 coins"]],
    ] as const;
    for (const [query, expected] of rows)
      expect([query, await textsAt(owner, `/slots/${slotId}/moments?${query}`)]).toEqual([query, expected]);
  });

  it.each([
    [{ atMs: -1, text: "x" }, "atMs"],
    [{ atMs: 1.5, text: "x" }, "atMs"],
    [{ atMs: 5, endMs: 5, text: "x" }, "endMs"],
    [{ atMs: 5, text: "" }, "text"],
    [{ atMs: 5, text: "x", severity: 5 }, "severity"],
    [{ atMs: 5, text: "x", kind: "praise" }, "kind"],
    [{ atMs: 5, text: "x", tags: ["Two Words"] }, "tags.0"],
    [{ atMs: 5, text: "x", tags: ["a", "a"] }, "tags"],
  ])("refuse %j", async (body, field) => {
    const server = await serve();
    const { owner, gameId } = await market(server);
    const { slotId } = await submitted(server, owner, gameId);
    const reply = await owner.post(`/slots/${slotId}/moments`, body);
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
  });

  it("need a video, and lie within it", async ({ server }) => {
    const { owner, gameId } = await market(server);
    const claimed = await factories.claim(await factories.registerPlaytester(server), await factories.order(owner, gameId));
    const early = await owner.post(`/slots/${claimed}/moments`, { atMs: 0, text: "x" });
    expect([early.status, early.body.error.message]).toEqual([
      409,
      "This slot has no video yet. Nothing was noted. Wait until its playtester has submitted one.",
    ]);
    const { slotId } = await submitted(server, owner, gameId);
    await server.deps.store.write((tx) => tx.run("UPDATE submissions SET video_duration_ms = 5000 WHERE slot_id = ?", slotId));
    const at = async (body: object) => (await owner.post(`/slots/${slotId}/moments`, { text: "x", ...body })).status;
    expect([await at({ atMs: 5000 }), await at({ atMs: 5001 }), await at({ atMs: 0, endMs: 5001 })]).toEqual([201, 422, 422]);
  });

  it("are noted once for one idempotency key", async ({ server }) => {
    const { owner, gameId } = await market(server);
    const { slotId } = await submitted(server, owner, gameId);
    const note = () => owner.post(`/slots/${slotId}/moments`, { atMs: 1, text: "x" }, { "idempotency-key": "one" });
    const ids = [(await note()).body.data.moment.id, (await note()).body.data.moment.id];
    expect(ids[0]).toBe(ids[1]);
    expect(await textsAt(owner, `/slots/${slotId}/moments`)).toEqual(["x"]);
  });

  it("go with the account of their owner, who can export them", async ({ server }) => {
    const { owner, gameId } = await market(server);
    const { slotId } = await submitted(server, owner, gameId);
    await owner.createMoment({ params: { id: slotId }, body: { atMs: 1, text: "Lost in the tutorial" } });
    const exported = await owner.get("/auth/export");
    expect(exported.text).toContain("Lost in the tutorial");
  });
});
