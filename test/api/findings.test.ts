import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

interface Market {
  server: TestServer;
  owner: factories.Person;
  gameId: string;
}

async function market(server: TestServer): Promise<Market> {
  const owner = await factories.registerOwner(server, "Ada");
  await factories.giveCredit(server, owner, 100_000);
  return { server, owner, gameId: await factories.createGame(owner) };
}

const submitted = async ({ server, owner, gameId }: Market, playtester?: factories.Person) =>
  factories.play(server, playtester ?? (await factories.registerPlaytester(server)), await factories.order(owner, gameId));

const noted = async ({ owner }: Market, slotId: string, atMs: number, text = "Where is the lantern?") =>
  (await owner.post(`/slots/${slotId}/moments`, { atMs, text })).body.data.moment.id as string;

const created = async ({ owner, gameId }: Market, title: string, more: object = {}) =>
  (await owner.post(`/games/${gameId}/findings`, { title, ...more })).body.data.finding as { id: string; number: number };

const add = async ({ owner }: Market, id: string, body: object) =>
  (await owner.post(`/findings/${id}/evidence`, body)).body.data.finding;

const get = async ({ owner }: Market, id: string) => (await owner.get(`/findings/${id}`)).body.data.finding;

interface Listed {
  number: number;
  title: string;
  testers: { seen: number; of: number };
  rank: number;
  evidence: { text: string | null; quote: string | null }[];
}

/** Findings as `#1 title seen/of rank`, with the notes of their evidence. */
const listed = async ({ owner, gameId }: Market, query = ""): Promise<string[]> =>
  ((await owner.get(`/games/${gameId}/findings${query}`)).body.data.findings as Listed[]).map(
    ({ number, title, testers, rank, evidence }) =>
      `#${number} ${title} ${testers.seen}/${testers.of} ${rank}: ${evidence.map(({ text, quote }) => text ?? quote ?? "-").join(", ")}`,
  );

interface Result {
  source: string;
  findingId: string;
  slotId: string | null;
  lines: { text: string }[];
}

const found = ({ body }: { body: { data: { results: Result[] } } }) =>
  body.data.results.map(({ source, findingId, slotId, lines }) => [source, findingId, slotId, lines[0]!.text]);

const refusal = ({ status, body }: { status: number; body: { error?: { message: string } } }) =>
  `${status} ${body.error?.message}`;

const transcript =
  "WEBVTT\n\n00:01.000 --> 00:03.000\nWhere is the lantern?\n\n00:05.000 --> 00:07.000\nI’m lost\nagain.\n\n00:20.000 --> 00:22.000\nIt crashes.\n";

onBothDatabases("findings", (serve) => {
  it("are created, changed and deleted by their owner, and their numbers count up in each game", async () => {
    const world = await market(await serve());
    const body = {
      title: "Nobody finds the lantern",
      text: "Too dark.",
      kind: "confusion",
      severity: 3,
      tags: ["menu"],
      status: "open",
    };
    const { owner, gameId } = world;
    const first = await owner.post(`/games/${gameId}/findings`, body);
    expect(first.status).toBe(201);
    const { id, createdAt, updatedAt, ...rest } = first.body.data.finding;
    expect(rest).toEqual({
      ...body,
      number: 1,
      gameId,
      evidence: [],
      testers: { seen: 0, of: 0, reached: 0 },
      builds: [],
      firstSeenMs: null,
      rank: 0,
      absence: null,
      against: null,
      issue: null,
      mergedInto: null,
      canUndo: false,
    });
    expect((await created(world, "Second")).number).toBe(2);
    const other = await factories.createGame(owner, { name: "Other" });
    expect((await owner.post(`/games/${other}/findings`, { title: "x" })).body.data.finding.number).toBe(1);
    await world.server.advance(60_000);
    const changed = (await owner.patch(`/findings/${id}`, { severity: null, status: "wontfix", text: "" })).body.data.finding;
    expect(changed).toMatchObject({ title: body.title, text: "", severity: null, status: "wontfix", createdAt });
    expect(Date.parse(changed.updatedAt) - Date.parse(updatedAt)).toBe(60_000);
    const last = await created(world, "Third");
    expect((await owner.delete(`/findings/${last.id}`)).body.data).toEqual({ message: "The finding is deleted." });
    expect((await owner.delete(`/findings/${last.id}`)).status).toBe(404);
    expect((await created(world, "Fourth")).number).toBe(4);
  });

  it("say who met them, when and in which builds, and the highest rank comes first", async () => {
    const world = await market(await serve());
    const { owner, gameId, server } = world;
    const twice = await factories.registerPlaytester(server);
    const [a, b] = [await submitted(world, twice), await submitted(world)];
    await server.advance(1000);
    await owner.patch(`/games/${gameId}`, { buildUrl: "https://example.com/2.zip" });
    const [newer, older] = (await owner.get(`/games/${gameId}/builds`)).body.data.builds;
    await server.advance(1000);
    const [c, d] = [await submitted(world, twice), await submitted(world)];
    const [lost, loved] = [await created(world, "Lost", { severity: 4 }), await created(world, "Loved")];
    for (const [slotId, atMs] of [
      [c, 9000],
      [a, 4000],
      [b, 6000],
    ] as const)
      await add(world, lost.id, { momentId: await noted(world, slotId, atMs) });
    await add(world, loved.id, { slotId: d, fromMs: 1000, toMs: 3000 });
    expect(await get(world, lost.id)).toMatchObject({
      testers: { seen: 2, of: 3, reached: 3 },
      firstSeenMs: 4000,
      rank: 2.667,
      builds: [
        { id: newer.id, version: null, seen: 1, of: 2 },
        { id: older.id, version: null, seen: 2, of: 2 },
      ],
    });
    const where = "Where is the lantern?";
    expect(await listed(world)).toEqual([`#1 Lost 2/3 2.667: ${where}, ${where}, ${where}`, "#2 Loved 1/3 0.333: -"]);
    expect(await listed(world, `?build=${newer.id}`)).toEqual([
      `#1 Lost 1/2 2: ${where}, ${where}, ${where}`,
      "#2 Loved 1/2 0.5: -",
    ]);
    expect(await listed(world, `?build=${older.id}`)).toEqual([`#1 Lost 2/2 4: ${where}, ${where}, ${where}`]);
    await owner.post(`/slots/${b}/reject`, { allowRetry: false });
    expect((await get(world, lost.id)).testers).toEqual({ seen: 1, of: 2, reached: 2 });
  });

  it("are found by number, kind, severity, status, tag and text, page by page", async () => {
    const world = await market(await serve());
    await created(world, "Door", { kind: "bug", severity: 4, tags: ["menu"], status: "filed" });
    await created(world, "Lamp", { text: "100% dark", tags: ["menu-music"] });
    const rows = [
      ["number=2", ["Lamp"]],
      ["kind=bug", ["Door"]],
      ["severity=4", ["Door"]],
      ["status=filed", ["Door"]],
      ["tag=menu", ["Door"]],
      ["text=100%25%20DARK", ["Lamp"]],
      ["limit=1", ["Door"]],
      [`playtest=${world.gameId}`, []],
    ] as const;
    for (const [query, titles] of rows) {
      const { findings } = (await world.owner.get(`/games/${world.gameId}/findings?${query}`)).body.data;
      expect([query, findings.map(({ title }: { title: string }) => title)]).toEqual([query, titles]);
    }
    const { meta } = (await world.owner.get(`/games/${world.gameId}/findings?limit=1`)).body;
    expect((await listed(world, `?limit=1&cursor=${meta.cursor}`))[0]).toContain("Lamp");
  });

  it("take a moment once in a game, follow it when it moves, and lose it when it is deleted", async () => {
    const world = await market(await serve());
    const slotId = await submitted(world);
    const momentId = await noted(world, slotId, 5000);
    const [first, second] = [await created(world, "One"), await created(world, "Two")];
    const { evidence } = await add(world, first.id, { momentId });
    expect(evidence).toMatchObject([{ slotId, momentId, fromMs: 5000, toMs: null, quote: null, text: "Where is the lantern?" }]);
    for (const { id } of [first, second])
      expect(refusal(await world.owner.post(`/findings/${id}/evidence`, { momentId }))).toBe(
        "409 This moment is evidence of #1 already. Nothing was added.",
      );
    await world.owner.patch(`/moments/${momentId}`, { atMs: 7000, endMs: 8000 });
    expect((await get(world, first.id)).evidence).toMatchObject([{ fromMs: 7000, toMs: 8000 }]);
    await world.owner.delete(`/moments/${momentId}`);
    expect((await get(world, first.id)).evidence).toEqual([]);
  });

  it("quote only what the transcript says at that time", async () => {
    const world = await market(await serve());
    const slotId = await submitted(world);
    const { id } = await created(world, "Lost");
    const quoted = (fromMs: number, quote: string) => world.owner.post(`/findings/${id}/evidence`, { slotId, fromMs, quote });
    expect(refusal(await quoted(1000, "lantern"))).toBe(
      "422 quote: must be left out: this video has no transcript to find it in",
    );
    await world.server.request("PUT", `/slots/${slotId}/transcript`, { key: world.owner.key, body: { vtt: transcript } });
    const rows = [
      [2000, "where is the LANTERN?", 201],
      [6000, "I'm lost again.", 201],
      // One cue away.
      [6000, "the lantern? I’m lost", 201],
      [6000, "It crashes", 201],
      [10_000, "I’m lost", 201],
      // Two cues away, not said, and said in another order.
      [2000, "It crashes", 422],
      [2000, "Where is my lantern?", 422],
      [6000, "lost I’m again", 422],
    ] as const;
    for (const [at, quote, status] of rows) expect([quote, (await quoted(at, quote)).status]).toEqual([quote, status]);
  });

  it("refuse evidence that is no place of the game's videos", async () => {
    const world = await market(await serve());
    const { owner, server } = world;
    const slotId = await submitted(world);
    await server.deps.store.write((tx) => tx.run("UPDATE submissions SET video_duration_ms = 5000 WHERE slot_id = ?", slotId));
    const claimed = await factories.claim(await factories.registerPlaytester(server), await factories.order(owner, world.gameId));
    const elsewhere = { ...world, gameId: await factories.createGame(owner, { name: "Other" }) };
    const other = await submitted(elsewhere);
    const momentId = await noted(world, slotId, 1);
    const { id } = await created(world, "Lost");
    const rows = [
      [{}, "422 slotId: must be given, or momentId"],
      [{ slotId }, "422 fromMs: must be given with slotId"],
      [{ momentId, fromMs: 1 }, "422 fromMs: must be left out with momentId, which says where it is"],
      [{ slotId, fromMs: 3, toMs: 3 }, "422 toMs: must be after fromMs"],
      [{ slotId, fromMs: 5001 }, "422 fromMs: must be within the video, which ends at 0:05"],
      [{ slotId: claimed, fromMs: 0 }, "409 This slot has no video yet. Nothing was added."],
      [{ slotId: other, fromMs: 0 }, "404 Not found, or you do not have access to it."],
      [{ momentId: await noted(elsewhere, other, 1) }, "404 Not found, or you do not have access to it."],
      [{ momentId: slotId }, "404 Not found, or you do not have access to it."],
    ] as const;
    for (const [body, expected] of rows) expect(refusal(await owner.post(`/findings/${id}/evidence`, body))).toBe(expected);
    const { evidence } = await add(world, id, { momentId });
    expect((await owner.delete(`/findings/${id}/evidence/${evidence[0].id}`)).body.data.finding.evidence).toEqual([]);
    expect((await owner.delete(`/findings/${id}/evidence/${evidence[0].id}`)).status).toBe(404);
    // The moment is free again.
    expect((await add(world, id, { momentId })).evidence).toHaveLength(1);
  });

  it("are created with their evidence or, where a piece is refused, not at all", async () => {
    const world = await market(await serve());
    const { owner, server, gameId } = world;
    const slotId = await submitted(world);
    await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt: transcript } });
    const claimed = await factories.claim(await factories.registerPlaytester(server), await factories.order(owner, gameId));
    const momentId = await noted(world, slotId, 1);
    const stranger = await market(server);
    const theirs = await submitted(stranger);
    const create = (...evidence: object[]) => owner.post(`/games/${gameId}/findings`, { title: "Lost", evidence });
    const rows = [
      [{}, "422 evidence.1.slotId: must be given, or momentId"],
      [{ slotId, fromMs: 3, toMs: 3 }, "422 evidence.1.toMs: must be after fromMs"],
      [
        { slotId, fromMs: 2000, quote: "It crashes" },
        "422 evidence.1.quote: must stand in the transcript, word for word, within one cue of that time",
      ],
      [{ slotId: claimed, fromMs: 0 }, "409 This slot has no video yet. Nothing was added."],
      [{ momentId: slotId }, "404 Not found, or you do not have access to it."],
      [{ momentId: await noted(stranger, theirs, 1) }, "404 Not found, or you do not have access to it."],
      [{ slotId: theirs, fromMs: 0 }, "404 Not found, or you do not have access to it."],
      [{ momentId }, "409 This moment is evidence of #1 already. Nothing was added."],
    ] as const;
    for (const [body, expected] of rows) expect(refusal(await create({ momentId }, body))).toBe(expected);
    expect(await listed(world)).toEqual([]);
    const said = { slotId, fromMs: 2000, quote: "Where is the lantern?" };
    const { finding } = (await create({ momentId }, said)).body.data;
    expect(finding).toMatchObject({ number: 1, evidence: [{ momentId }, said], testers: { seen: 1, of: 1 } });
    expect((await create(...Array(51).fill({ slotId, fromMs: 0 }))).status).toBe(422);
  });

  it("are merged, split and put back, and evidence is moved each time", async () => {
    const world = await market(await serve());
    const { owner } = world;
    const slotId = await submitted(world);
    const [one, two] = [await created(world, "One", { severity: 2 }), await created(world, "Two")];
    const on = async (id: string, text: string) => add(world, id, { momentId: await noted(world, slotId, 1000, text) });
    const { evidence } = await on(one.id, "a");
    await on(two.id, "b");
    const merged = await owner.post(`/findings/${one.id}/merge`, { findingId: two.id });
    expect([merged.status, await listed(world)]).toEqual([200, ["#1 One 1/1 2: a, b"]]);
    expect(await get(world, two.id)).toMatchObject({ mergedInto: one.id, evidence: [] });
    // Its number still leads to it.
    expect(await listed(world, "?number=2")).toEqual(["#2 Two 0/1 0: "]);
    const intoOne = "409 #2 was merged into #1. Nothing was changed. Change that one, or undo the merge.";
    expect(refusal(await owner.patch(`/findings/${two.id}`, { title: "x" }))).toBe(intoOne);
    expect(refusal(await owner.post(`/findings/${one.id}/merge`, { findingId: two.id }))).toBe(intoOne);
    const split = await owner.post(`/findings/${one.id}/split`, { evidenceIds: [evidence[0].id], title: "Three" });
    expect([split.status, split.body.data.finding.severity]).toEqual([201, 2]);
    expect(await listed(world)).toEqual(["#1 One 1/1 2: b", "#3 Three 1/1 2: a"]);
    // The last change first: the split, then the merge.
    const three = split.body.data.finding.id;
    const four = await created(world, "Four");
    await owner.post(`/findings/${four.id}/merge`, { findingId: three });
    expect(refusal(await owner.post(`/findings/${one.id}/undo`))).toBe(
      "409 #3 was merged or split since. Nothing was changed. Undo that first.",
    );
    await owner.post(`/findings/${four.id}/undo`);
    await on(three, "c");
    expect((await owner.post(`/findings/${one.id}/undo`)).status).toBe(200);
    expect(await listed(world)).toEqual(["#1 One 1/1 2: a, b, c", "#4 Four 0/1 0: "]);
    await owner.post(`/findings/${two.id}/undo`);
    expect(await listed(world)).toEqual(["#1 One 1/1 2: a, c", "#2 Two 1/1 1: b", "#4 Four 0/1 0: "]);
    expect(refusal(await owner.post(`/findings/${one.id}/undo`))).toBe(
      "409 #1 has no merge or split to undo. Nothing was changed.",
    );
  });

  it("refuse a merge with themselves, with another game, and a split of what they do not have", async () => {
    const world = await market(await serve());
    const { owner } = world;
    const { id } = await created(world, "One");
    const other = await created({ ...world, gameId: await factories.createGame(owner, { name: "Other" }) }, "Other");
    const rows = [
      [`/findings/${id}/merge`, { findingId: id }, 422],
      [`/findings/${id}/merge`, { findingId: other.id }, 404],
      [`/findings/${id}/split`, { evidenceIds: [id], title: "x" }, 404],
      [`/findings/${id}/split`, { evidenceIds: [], title: "x" }, 422],
      [`/findings/${id}/split`, { evidenceIds: [id, id], title: "x" }, 422],
    ] as const;
    for (const [path, body, status] of rows) expect([path, (await owner.post(path, body)).status]).toEqual([path, status]);
    expect(await listed(world)).toEqual(["#1 One 0/0 0: "]);
  });

  it("go with those that were merged into them, and with their account; what is said stays in the export", async () => {
    const world = await market(await serve());
    const { owner } = world;
    const [one, two, three] = [await created(world, "One"), await created(world, "Two"), await created(world, "Three")];
    await owner.post(`/findings/${two.id}/merge`, { findingId: three.id });
    await owner.post(`/findings/${one.id}/merge`, { findingId: two.id });
    await add(world, one.id, { slotId: await submitted(world), fromMs: 0 });
    const { records } = (await owner.get("/auth/export")).body.data;
    expect(records.findings.map(({ title }: { title: string }) => title)).toEqual(["One", "Two", "Three"]);
    expect(records.findingEvidence).toHaveLength(1);
    await owner.delete(`/findings/${one.id}`);
    const left = await Promise.all([one, two, three].map(async ({ id }) => (await owner.get(`/findings/${id}`)).status));
    expect(left).toEqual([404, 404, 404]);
  });

  it("are found by the search until they are merged or deleted", async () => {
    const world = await market(await serve());
    const { owner, server } = world;
    const one = await created(world, "Nobody finds the lantern", { text: "Too dark in the cellar." });
    const two = await created(world, "Cellar is dark");
    const results = async (query: string) => {
      await server.advance(0);
      return found(await owner.get(`/search?q=${query}`));
    };
    expect(await results("lantern+cellar&kind=finding")).toEqual([["finding", one.id, null, "Nobody finds the lantern"]]);
    expect(await results("dark")).toHaveLength(2);
    await owner.post(`/findings/${one.id}/merge`, { findingId: two.id });
    expect(await results("dark")).toHaveLength(1);
    await owner.post(`/findings/${one.id}/undo`);
    expect(await results("dark")).toHaveLength(2);
    await owner.patch(`/findings/${two.id}`, { title: "Cellar is bright" });
    await owner.delete(`/findings/${one.id}`);
    expect([await results("dark"), await results("bright")]).toEqual([[], [expect.anything()]]);
  });

  it("tell the owner's scripts what became of them", async () => {
    const world = await market(await serve());
    const { owner } = world;
    const [one, two] = [await created(world, "One"), await created(world, "Two")];
    await owner.patch(`/findings/${one.id}`, { title: "First" });
    await owner.patch(`/findings/${one.id}`, { status: "fixed" });
    await owner.patch(`/findings/${one.id}`, { status: "verified" });
    await owner.patch(`/findings/${one.id}`, { status: "open" });
    await owner.post(`/findings/${one.id}/merge`, { findingId: two.id });
    const { notifications } = (await owner.get("/notifications")).body.data;
    const bodies = notifications.map(({ type, body }: { type: string; body: string }) => `${type}: ${body}`);
    expect(bodies.filter((text: string) => text.startsWith("finding.")).reverse()).toEqual([
      "finding.created: You created #1 “One”.",
      "finding.created: You created #2 “Two”.",
      "finding.closed: #1 “First” was closed.",
      "finding.reopened: #1 “First” is open again.",
      "finding.merged: You merged #2 “Two” into #1.",
    ]);
  });
});
