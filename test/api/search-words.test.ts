import { expect } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import * as search from "../../server/search/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

/** An owner with a video whose playtester wrote these notes. */
async function written(server: TestServer, notes: string) {
  const owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 100_000);
  const playtestId = await factories.order(owner, await factories.createGame(owner, { name: "Moth" }));
  const tester = await factories.registerPlaytester(server, "Ann");
  const slotId = await factories.claim(tester, playtestId);
  await factories.giveVideo(server, slotId, tester);
  await tester.post(`/playtester/slots/${slotId}/submit`, { notes });
  await server.advance(0);
  return { owner, slotId };
}

interface Line {
  text: string;
  matches: { start: number; end: number }[];
}

/** The words that a search marks in what it finds. */
async function found(owner: factories.Person, q: string): Promise<string[]> {
  const { results } = (await owner.get(`/search?${new URLSearchParams({ q })}`)).body.data;
  return results.flatMap(({ lines }: { lines: Line[] }) =>
    lines.flatMap(({ text, matches }) => matches.map(({ start, end }) => text.slice(start, end))),
  );
}

/** The words that the index has of an owner, in their order. */
const wordsOf = (server: TestServer, ownerId: string) =>
  server.deps.store.read(async (q) => {
    type Row = { spelling: string; uses: number };
    const rows = await q.all<Row>("SELECT spelling, uses FROM search_vocabulary WHERE owner_id = ?", ownerId);
    return rows.map(({ spelling, uses }) => `${spelling} ${uses}`).sort();
  });

const isWhole = async (server: TestServer) =>
  (await server.deps.store.read(search.countBroken)) + (await server.deps.store.read(search.countMiscounted)) === 0;

onBothDatabases("the words of a search", (_serve, it) => {
  it("find their other forms in twelve languages, what begins with them, and what differs by one letter", async ({ server }) => {
    const texts = [
      "The game crashes near the lantern, and no hero or somebody is here to turn 1024 keys.",
      "En fjende. Das Haus. Una puerta. Yksi pelaaja. La clé trouvée. Il nemico.",
      "Een sleutel. Min nøkkel. O inimigo. Новая дверь. Alla fiender.",
    ];
    const { owner } = await written(server, texts.join("\n"));
    const rows: [q: string, ...found: string[]][] = [
      ["fjender", "fjende"],
      ["Häuser", "Haus"],
      ["crash", "crashes"],
      ["CRASHING", "crashes"],
      ["puertas", "puerta"],
      ["pelaajat", "pelaaja"],
      ["trouver", "trouvée"],
      ["nemici", "nemico"],
      ["sleutels", "sleutel"],
      ["nøkkelen", "nøkkel"],
      ["inimigos", "inimigo"],
      ["новый", "Новая"],
      ["fiende", "fiender"],
      // Beginnings.
      ["lant", "lantern"],
      ["lan", "lantern"],
      ["la", "La"],
      ["две", "дверь"],
      ["someb is", "somebody", "is"],
      // One letter exchanged, missing, too much, another; at the beginning, in the middle and at the end.
      ["lantren", "lantern"],
      ["alntern", "lantern"],
      ["lanern", "lantern"],
      ["lanternt", "lantern"],
      ["mantern", "lantern"],
      ["lantarn", "lantern"],
      ["lanterm", "lantern"],
      ["trun", "turn"],
      ["tun"],
      ["двирь", "дверь"],
      ["lnatren"],
      // Other numbers and other words with a short stem are no forms.
      ["1025"],
      ["hero", "hero"],
      // As they are.
      ['"crash"'],
      ['"crashes"', "crashes"],
      ['"lantren"'],
      ['"game crash"'],
      ['"game crashes" lant', "game crashes", "lantern"],
    ];
    const answers: typeof rows = [];
    for (const [q] of rows) answers.push([q, ...(await found(owner, q))]);
    expect(answers).toEqual(rows);
  });

  it("are the most frequent ones where there are very many, fewer of each the more words are searched", async ({ server }) => {
    // "zzqb" stands there once, "zzqc" twice, and so on. No stem ends with these letters.
    const words = [..."bcdfghjklmpqrtvwxz"].map((letter) => `zzq${letter}`);
    const said = words.flatMap((word, index) => Array<string>(index + 1).fill(`well ${word}`));
    const { owner } = await written(server, said.join(" "));
    const of = async (q: string) => [...new Set(await found(owner, q))];
    expect([await of("zzq"), await of("zzq well")]).toEqual([words.slice(-15), ["well", ...words.slice(-7)]]);
  });

  it("are those of the asking owner's texts alone", async ({ server }) => {
    const [mine, other] = [await written(server, "a lamp"), await written(server, "a lantern")];
    expect([await found(mine.owner, "lantren"), await found(mine.owner, "lant")]).toEqual([[], []]);
    expect([await found(other.owner, "lantren"), await found(other.owner, "lamp")]).toEqual([["lantern"], []]);
  });

  it("go with the last text that has them, and with the account of their owner", async ({ server }) => {
    const { owner, slotId } = await written(server, "Été, été");
    const other = await written(server, "Her name is Zoe.");
    const { id } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 1, text: "a lantern, été" })).body.data.moment;
    await server.advance(0);
    expect(await wordsOf(server, owner.id)).toEqual(expect.arrayContaining(["lantern 1", "été 3"]));
    await owner.patch(`/moments/${id}`, { text: "a lamp" });
    await server.advance(0);
    expect((await wordsOf(server, owner.id)).filter((row) => /^(l|é)/.test(row))).toEqual(["lamp 1", "été 2"]);
    await owner.delete(`/moments/${id}`);
    await server.advance(0);
    expect((await wordsOf(server, owner.id)).filter((row) => /^(l|é)/.test(row))).toEqual(["été 2"]);
    expect(await isWhole(server)).toBe(true);

    await owner.post(`/slots/${slotId}/accept`, { rating: 5 });
    const key = (await ensureAdmin(server.deps))!;
    expect((await server.request("DELETE", `/admin/users/${owner.id}`, { key })).status).toBe(200);
    await server.advance(0);
    expect([await wordsOf(server, owner.id), (await wordsOf(server, other.owner.id)).length > 0]).toEqual([[], true]);
    expect(await isWhole(server)).toBe(true);
    await server.deps.store.write((tx) => tx.run("UPDATE search_vocabulary SET uses = uses + 1 WHERE spelling = 'zoe'"));
    expect(await isWhole(server)).toBe(false);
  });
});
