import { expect } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import * as search from "../../server/search/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

async function ownerOf(server: TestServer, name: string) {
  const owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 100_000);
  return { owner, gameId: await factories.createGame(owner, { name }) };
}

async function submit(server: TestServer, tester: factories.Person, playtestId: string, notes = "Fine.") {
  const slotId = await factories.claim(tester, playtestId);
  await factories.giveVideo(server, slotId, tester);
  await tester.post(`/playtester/slots/${slotId}/submit`, { notes });
  await server.advance(0);
  return slotId;
}

interface Result {
  source: string;
  slotId: string | null;
  playtestId: string | null;
  game: { id: string };
  lines: { text: string }[];
}

const find = async (owner: factories.Person, q: string, more: Record<string, string> = {}): Promise<Result[]> =>
  (await owner.get(`/search?${new URLSearchParams({ q, ...more })}`)).body.data.results;
/** What was found, and its text. */
const told = (results: Result[]) => results.map(({ source, lines }) => `${source}: ${lines.map(({ text }) => text).join(" / ")}`);

onBothDatabases("names in the search", (_serve, it) => {
  it("are found before texts, as words are: games, playtests by their ref, and playtesters once for each game", async ({
    server,
  }) => {
    const { owner, gameId } = await ownerOf(server, "Crystal Caverns");
    const second = await factories.createGame(owner, { name: "Moth" });
    const [a, b, c] = [
      await factories.order(owner, gameId, { ref: "crystal-round-1" }),
      await factories.order(owner, gameId),
      await factories.order(owner, second),
    ];
    const tester = await factories.registerPlaytester(server, "Crystal Ann");
    await submit(server, tester, a, "I saw a crystal.");
    const newest = await submit(server, tester, b);
    const other = await submit(server, tester, c);
    const all = await find(owner, "crystals");
    expect(told(all).slice(0, 4).sort()).toEqual([
      "game: Crystal Caverns",
      "playtest: crystal-round-1",
      "playtester: Crystal Ann",
      "playtester: Crystal Ann",
    ]);
    expect(told(all).slice(4)).toEqual(["notes: I saw a crystal."]);
    expect(await find(owner, "cavernz", { kind: "game" })).toMatchObject([
      { source: "game", slotId: null, playtestId: null, findingId: null, playtester: null, game: { id: gameId } },
    ]);
    expect(await find(owner, "round", { kind: "playtest" })).toMatchObject([
      { slotId: null, playtestId: a, game: { id: gameId } },
    ]);
    const ann = { playtester: { id: tester.id, displayName: "Crystal Ann" } };
    expect(await find(owner, "ann", { kind: "playtester" })).toMatchObject([
      { ...ann, slotId: other, playtestId: c, game: { id: second } },
      { ...ann, slotId: newest, playtestId: b, game: { id: gameId } },
    ]);
    expect(told(await find(owner, "crystal", { game: second }))).toEqual(["playtester: Crystal Ann"]);
    expect(told(await find(owner, "crystal", { kind: "notes" }))).toEqual(["notes: I saw a crystal."]);

    const pages: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const more = { limit: "2", ...(cursor !== "" && { cursor }) };
      const reply = await owner.get(`/search?${new URLSearchParams({ q: "crystal", ...more })}`);
      pages.push(...told(reply.body.data.results));
      cursor = reply.body.meta.cursor;
    }
    expect(pages).toEqual(told(all));

    const { html } = await (await signedIn(server, owner, "/studio")).get("/studio/search?q=crystal");
    for (const page of [`games/${gameId}`, `playtests/${a}`, `slots/${newest}`]) expect(html).toContain(`href="/studio/${page}"`);
  });

  it("are those of the asking owner's games, orders and videos alone", async ({ server }) => {
    const [mine, theirs] = [await ownerOf(server, "Lantern"), await ownerOf(server, "Lantern")];
    const playtestId = await factories.order(theirs.owner, theirs.gameId, { ref: "lantern" });
    await submit(server, await factories.registerPlaytester(server, "Lantern Ann"), playtestId);
    expect((await find(mine.owner, "lantern")).map(({ game }) => game.id)).toEqual([mine.gameId]);
    expect(await find(theirs.owner, "lantern")).toHaveLength(3);
  });

  it("follow changes, and go with accounts", async ({ server }) => {
    const { owner, gameId } = await ownerOf(server, "Lantern");
    const tester = await factories.registerPlaytester(server, "Zoe");
    const slotId = await submit(server, tester, await factories.order(owner, gameId));
    await owner.patch(`/games/${gameId}`, { name: "Moth" });
    await tester.patch("/auth/profile", { displayName: "Xenia" });
    await server.advance(0);
    const names = async () => [await find(owner, "lantern zoe"), await find(owner, "lantern"), await find(owner, "zoe")].flat();
    expect([await names(), told(await find(owner, "moth")), told(await find(owner, "xenia"))]).toEqual([
      [],
      ["game: Moth"],
      ["playtester: Xenia"],
    ]);
    await owner.post(`/slots/${slotId}/accept`, { rating: 5 });
    const key = (await ensureAdmin(server.deps))!;
    const words = () =>
      server.deps.store.read(async (q) =>
        (await q.all<{ spelling: string }>("SELECT spelling FROM search_vocabulary")).map(({ spelling }) => spelling).sort(),
      );
    expect(await words()).toContain("xenia");
    expect((await server.request("DELETE", `/admin/users/${tester.id}`, { key })).status).toBe(200);
    await server.advance(0);
    expect([await words(), await find(owner, "xenia")]).toEqual([["fine", "moth"], []]);
    expect((await server.request("DELETE", `/admin/users/${owner.id}`, { key })).status).toBe(200);
    await server.advance(0);
    expect([await words(), await server.deps.store.read(search.countMiscounted)]).toEqual([[], 0]);
  });
});
