import { expect } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { startFilling } from "../../server/search/queue.ts";
import { isIndexed } from "../../server/search/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

interface Result {
  source: string;
  slotId: string;
  momentId: string | null;
  atMs: number | null;
  lines: { atMs: number | null; text: string; matches: { start: number; end: number }[] }[];
}

async function studio(server: TestServer) {
  const owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 100_000);
  return { owner, gameId: await factories.createGame(owner) };
}

async function submit(server: TestServer, playtestId: string, notes = "It was fun.", name?: string) {
  const tester = await factories.registerPlaytester(server, name);
  const slotId = await factories.claim(tester, playtestId);
  await factories.giveVideo(server, slotId, tester);
  await tester.post(`/playtester/slots/${slotId}/submit`, { notes });
  return slotId;
}

/** An owner with a submission that has these notes. */
async function submitted(server: TestServer, notes?: string) {
  const { owner, gameId } = await studio(server);
  const playtestId = await factories.order(owner, gameId);
  const slotId = await submit(server, playtestId, notes);
  return { owner, gameId, playtestId, slotId };
}

const time = (seconds: number) =>
  `00:${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}.000`;
/** A transcript with a line every five seconds. */
const vttOf = (...lines: string[]) =>
  `WEBVTT\n\n${lines.map((line, i) => `${time(i * 5)} --> ${time(i * 5 + 5)}\n${line}\n`).join("\n")}`;

/** Replaces the transcript of a slot, and lets the server index it. */
async function speak(server: TestServer, { key }: factories.Person, slotId: string, ...lines: string[]) {
  const reply = await server.request("PUT", `/slots/${slotId}/transcript`, { key, body: { vtt: vttOf(...lines) } });
  expect(reply.status).toBe(200);
  await server.advance(0);
}

const path = (q: string, more: Record<string, string> = {}) => `/search?${new URLSearchParams({ q, ...more })}`;
const find = async (owner: factories.Person, q: string, more?: Record<string, string>): Promise<Result[]> =>
  (await owner.get(path(q, more))).body.data.results;
/** The matching parts of the results, in brackets. */
const marked = (results: Result[]) =>
  results.map(({ lines }) =>
    lines
      .map(({ text, matches }) =>
        [...matches].reverse().reduce((t, { start, end }) => `${t.slice(0, start)}[${t.slice(start, end)}]${t.slice(end)}`, text),
      )
      .join(" / "),
  );

onBothDatabases("search", (serve, it) => {
  it("finds what is said, with its position, the lines around it and whose video it is", async ({ server }) => {
    const { owner, gameId } = await studio(server);
    const playtestId = await factories.order(owner, gameId);
    const slotId = await submit(server, playtestId, "Nothing to add.", "Ann");
    await speak(server, owner, slotId, "Hello.", "This is dark.", "I can’t find", "the DOOR here.", "Whatever.", "Bye.");
    const [result, ...more] = (await owner.get(path("can't find the door"))).body.data.results;
    expect(more).toEqual([]);
    expect(result).toEqual({
      source: "transcript",
      slotId,
      playtestId,
      momentId: null,
      findingId: null,
      game: { id: gameId, name: "Lantern Deep" },
      playtester: { id: expect.any(String), displayName: "Ann" },
      atMs: 10_000,
      lines: [
        { atMs: 5000, text: "This is dark.", matches: [] },
        {
          atMs: 10_000,
          text: "I can’t find",
          matches: [
            { start: 2, end: 7 },
            { start: 8, end: 12 },
          ],
        },
        {
          atMs: 15_000,
          text: "the DOOR here.",
          matches: [
            { start: 0, end: 3 },
            { start: 4, end: 8 },
          ],
        },
        { atMs: 20_000, text: "Whatever.", matches: [] },
      ],
    });
  });

  it("finds notes, key takeaways and moments, and each source alone", async () => {
    const server = await serve({
      transcriber: {
        transcribe: async () => JSON.stringify({ vtt: vttOf("a lantern"), keyTakeaways: ["The lantern is too weak."] }),
      },
    });
    const { owner, slotId } = await submitted(server, "First line\nI liked the lantern.");
    await owner.post(`/slots/${slotId}/moments`, { atMs: 61_000, text: "drops the lantern" });
    await server.advance(0);
    const results = await find(owner, "lantern");
    expect(results.map(({ source, atMs }) => [source, atMs]).sort()).toEqual([
      ["game", null],
      ["moment", 61_000],
      ["notes", null],
      ["takeaway", null],
      ["transcript", 0],
    ]);
    for (const kind of ["moment", "notes", "takeaway", "transcript"])
      expect((await find(owner, "lantern", { kind })).map(({ source }) => source)).toEqual([kind]);
    expect(marked(await find(owner, "lantern", { kind: "notes" }))).toEqual(["First line / I liked the [lantern]."]);
  });

  it("finds words without regard to case, accents and apostrophes, and characters of scripts without spaces", async ({
    server,
  }) => {
    const { owner } = await submitted(server, "Der Türöffner fehlt. 鍵が見つからない。 Don't low-poly this; version 1.2");
    await server.advance(0);
    const rows: [q: string, found: string | undefined][] = [
      ["TÜRÖFFNER", "[Türöffner]"],
      ["turoffner", "[Türöffner]"],
      ["見つから", "[見つから]"],
      ["鍵 ない", "[鍵]が見つから[ない]"],
      ["dont", "[Don't]"],
      ["low-poly", "[low-poly]"],
      ["poly low", "[low]-[poly]"],
      ["poly-low", undefined],
      ["1.2", "[1.2]"],
      ['"fehlt der"', undefined],
      ['"Der Türöffner fehlt"', "[Der Türöffner fehlt]"],
      ["door", undefined],
    ];
    for (const [q, found] of rows) {
      const texts = marked(await find(owner, q));
      expect([q, texts.length]).toEqual([q, found === undefined ? 0 : 1]);
      if (found !== undefined) expect(texts[0]).toContain(found);
    }
  });

  it("takes no text for an operator, and refuses a text without words or with too many", async ({ server }) => {
    const { owner } = await submitted(server, "the door and the key or not near NULL 100% C:\\temp it's owner=x");
    await server.advance(0);
    const rows: [q: string, status: number, results?: number][] = [
      ["door AND key", 200, 1],
      ["door OR zebra", 200, 0],
      ["NOT door", 200, 1],
      ["door NEAR key", 200, 1],
      ["NEAR(door key)", 200, 0],
      ["words:door", 200, 0],
      ["door*", 200, 1],
      ["doo*", 200, 1],
      ["^door", 200, 1],
      ["+door -key", 200, 1],
      ["{door} : (key)", 200, 1],
      ['"door', 200, 1],
      ['do"or', 200, 0],
      ['"door "" key"', 200, 1],
      ["door & !key | <-> zebra", 200, 0],
      ["door:*", 200, 1],
      ["'door' \\ key", 200, 1],
      ["'; DROP TABLE search_passages; --", 200, 0],
      ["100%", 200, 1],
      ["_oor", 200, 0],
      ["C:\\temp", 200, 1],
      ["owner=x", 200, 1],
      [`owner=${owner.id}`, 200, 0],
      ["door \u{1f600}", 200, 1],
      ["null", 200, 1],
      [Array(20).fill("door").join(" "), 200, 1],
      [Array.from({ length: 21 }, (_, i) => `w${i}`).join(" "), 422],
      ["door ".repeat(41), 422],
      ["*", 422],
      ['"', 422],
      ["  ", 422],
      [":-)", 422],
      ["\u0301", 422],
      ["a\0b", 422],
      ["", 422],
    ];
    for (const [q, status, results] of rows) {
      const reply = await owner.get(path(q));
      expect([q, reply.status, reply.body.data?.results.length]).toEqual([q, status, results]);
    }
    expect((await owner.get("/search")).status).toBe(422);
    expect((await owner.get("/search?q=door&kind=chat")).status).toBe(422);
  });

  it("shows an owner only what belongs to their own slots", async ({ server }) => {
    const [mine, other] = [await submitted(server, "the door of Ann"), await submitted(server, "the door of Bob")];
    await other.owner.post(`/slots/${other.slotId}/moments`, {
      atMs: 1,
      text: `door owner=${mine.owner.id} owner ${mine.owner.id}`,
    });
    await speak(server, other.owner, other.slotId, "the door");
    expect(marked(await find(mine.owner, "door"))).toEqual(["the [door] of Ann"]);
    expect(await find(mine.owner, "door", { game: other.gameId })).toEqual([]);
    expect(await find(mine.owner, "door", { playtest: other.playtestId })).toEqual([]);
    expect(await find(other.owner, "door")).toHaveLength(3);
    const tester = await factories.registerPlaytester(server);
    expect((await tester.get(path("door"))).status).toBe(403);
  });

  it("searches one game or playtest", async ({ server }) => {
    const { owner, gameId } = await studio(server);
    const second = await factories.createGame(owner, { name: "Second" });
    const [a, b, c] = [
      await factories.order(owner, gameId),
      await factories.order(owner, gameId),
      await factories.order(owner, second),
    ];
    for (const id of [a, b, c]) await submit(server, id, "a door");
    await server.advance(0);
    expect(await find(owner, "door")).toHaveLength(3);
    expect(await find(owner, "door", { game: gameId })).toHaveLength(2);
    expect(await find(owner, "door", { game: second.toUpperCase() })).toHaveLength(1);
    expect(await find(owner, "door", { playtest: b })).toHaveLength(1);
    expect(await find(owner, "door", { playtest: b, game: second })).toEqual([]);
  });

  it("lists the newest text first and a video in its order, page by page", async ({ server }) => {
    const { owner, gameId } = await studio(server);
    const playtestId = await factories.order(owner, gameId);
    const [first, second] = [
      await submit(server, playtestId, "one"),
      await submit(server, await factories.order(owner, gameId), "two"),
    ];
    const filler = "w ".repeat(59);
    await speak(server, owner, second, "door A", filler, "door B", filler, "door C");
    await speak(server, owner, first, "door D", filler, "door E");
    await owner.post(`/slots/${second}/moments`, { atMs: 9000, text: "door F" });
    await server.advance(0);
    const texts: string[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(4);
      const reply = await owner.get(path("door", { limit: "2", ...(cursor !== "" && { cursor }) }));
      texts.push(...marked(reply.body.data.results).map((text) => /\[door\] (\w)/.exec(text)![1]!));
      cursor = reply.body.meta.cursor;
    }
    expect(texts).toEqual(["F", "D", "E", "A", "B", "C"]);
    const elsewhere = await owner.get(path("door", { limit: "2" }));
    expect((await owner.get(path("doors", { cursor: elsewhere.body.meta.cursor }))).status).toBe(422);
  });

  it("finds a phrase of twenty words wherever it begins, once", async ({ server }) => {
    const { owner, slotId } = await submitted(server);
    const said = Array.from({ length: 300 }, (_, i) => `w${i}`);
    await speak(server, owner, slotId, ...Array.from({ length: 60 }, (_, i) => said.slice(i * 5, i * 5 + 5).join(" ")));
    for (let from = 0; from <= 280; from += 7) {
      const results = await find(owner, `"${said.slice(from, from + 20).join(" ")}"`);
      expect([from, results.map(({ atMs }) => atMs)]).toEqual([from, [Math.floor(from / 5) * 5000]]);
    }
  });

  it("follows the version of a transcript, and changes and deletions of moments", async () => {
    const server = await serve({ transcriber: { transcribe: async () => vttOf("the original door") } });
    const { owner, slotId } = await submitted(server);
    await server.advance(0);
    expect(await find(owner, "original")).toHaveLength(1);
    await speak(server, owner, slotId, "the edited door");
    expect([await find(owner, "original"), (await find(owner, "edited")).length]).toEqual([[], 1]);
    await owner.delete(`/slots/${slotId}/transcript`);
    await server.advance(0);
    expect([(await find(owner, "original")).length, await find(owner, "edited")]).toEqual([1, []]);

    const { id } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 1000, text: "first wording" })).body.data.moment;
    await server.advance(0);
    expect(await find(owner, "wording")).toMatchObject([{ momentId: id, atMs: 1000 }]);
    await owner.patch(`/moments/${id}`, { text: "second phrasing", atMs: 2000 });
    await server.advance(0);
    expect([await find(owner, "wording"), (await find(owner, "phrasing"))[0]?.atMs]).toEqual([[], 2000]);
    await owner.delete(`/moments/${id}`);
    expect(await find(owner, "phrasing")).toEqual([]);
    await server.advance(0);
    expect(await find(owner, "phrasing")).toEqual([]);
  });

  it("deletes what it indexed with the account of the owner, and does not index it again", async ({ server }) => {
    const { owner, slotId } = await submitted(server, "a door of Ann");
    const other = await submitted(server, "another door");
    await owner.post(`/slots/${slotId}/accept`, { rating: 5 });
    await server.advance(0);
    const indexed = (ownerId: string) =>
      server.deps.store.read((q) =>
        q.all("SELECT w.rowid FROM search_words w JOIN search_passages p ON p.seq = w.rowid WHERE p.owner_id = ?", ownerId),
      );
    // The notes, the game's name and that of the playtester.
    expect(await indexed(owner.id)).toHaveLength(3);
    const key = (await ensureAdmin(server.deps))!;
    expect((await server.request("DELETE", `/admin/users/${owner.id}`, { key })).status).toBe(200);
    await startFilling(server.deps);
    await server.advance(0);
    expect([await indexed(owner.id), (await indexed(other.owner.id)).length]).toEqual([[], 3]);
  });

  it("is filled with what older slots have while the transcript of a newer one cannot be read, and with that an hour later", async ({
    server,
  }) => {
    const { owner, gameId, slotId: older } = await submitted(server);
    await server.advance(1);
    const newer = await submit(server, await factories.order(owner, gameId));
    await speak(server, owner, newer, "the door");
    const { store, blobs } = server.deps;
    await store.write((tx) => tx.run("DELETE FROM search_slots"));
    const read = blobs.text;
    blobs.text = async () => {
      throw new Error("It waits on another disk.");
    };
    const indexed = () => Promise.all([older, newer].map((slotId) => store.read((q) => isIndexed(q, slotId))));
    await startFilling(server.deps);
    await server.advance(0);
    expect(await indexed()).toEqual([true, false]);
    expect(server.lines.filter((line) => line.includes("the texts of a slot could not be indexed"))).toHaveLength(1);
    blobs.text = read;
    await server.advance(3_600_000);
    expect(await indexed()).toEqual([true, true]);
    expect(await find(owner, "door")).toHaveLength(1);
  });

  it("page: shows results with a link to their position, marks what matches, and goes on with more", async ({ server }) => {
    const { owner, slotId } = await submitted(server);
    const browser = await signedIn(server, owner, "/studio");
    expect((await browser.get("/studio")).html).toContain('action="/studio/search"');
    await speak(server, owner, slotId, "Hello", "a <b>door</b> & more");
    const { html, status } = await browser.get("/studio/search?q=door");
    expect(status).toBe(200);
    expect(html).toContain(`<a href="/studio/slots/${slotId}#t=5s">0:05 Lantern Deep, playtester`);
    expect(html).toContain("<mark>door</mark> &amp; more");
    expect(html).not.toContain("Show more");
    await speak(server, owner, slotId, ...Array.from({ length: 25 }, (_, i) => `door ${i} ${"w ".repeat(58)}`));
    const first = (await browser.get("/studio/search?q=door")).html;
    const next = /<a href="([^"]+)">Show more/.exec(first)![1]!.replaceAll("&amp;", "&");
    const second = (await browser.get(next)).html;
    expect([first, second].map((page) => page.split('<li class="card">').length - 1)).toEqual([20, 5]);
  });

  it.each([
    ["", "Searches the transcripts"],
    ["zebra", "Nothing was found for “zebra”."],
    ["***", "The text must contain a word."],
    ['"><script>', "&quot;&gt;&lt;script&gt;"],
  ])("page: answers %j", async (q, text) => {
    const server = await serve();
    const { owner } = await submitted(server);
    const browser = await signedIn(server, owner, "/studio");
    expect(await browser.get(`/studio/search?${new URLSearchParams({ q })}`)).toMatchObject({
      status: 200,
      html: expect.stringContaining(text),
    });
  });
});
