import { beforeAll, describe, expect, it } from "vitest";
import { exactPosition, parsePosition, positionInLink, positionText } from "../../src/contract/text/position.ts";
import { playtest } from "../helpers/cli.ts";
import { order, ownerWithGame, type Person, play, registerPlaytester } from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";

describe("positions in a video", () => {
  it.each([
    ["0:00", 0],
    ["12:41", 761_000],
    ["75:00", 4_500_000],
    ["1:02:41.5", 3_761_500],
    ["90", 90_000],
    ["90.25s", 90_250],
    ["12m41s", 761_000],
    ["75m", 4_500_000],
    ["1h2m41.5s", 3_761_500],
    ["2h", 7_200_000],
  ])("%s is %i ms", (text, ms) => expect(parsePosition(text)).toBe(ms));

  it.each(["", "12:61", "1:75:00", "-5", "12:4", "12m75s", "1h75m", "h", "a"])("%j is not a position", (text) =>
    expect(parsePosition(text)).toBeUndefined(),
  );

  it.each([
    [0, "0:00"],
    [761_999, "12:41"],
    [3_761_500, "1:02:41"],
  ])("%i ms is shown as %s", (ms, text) => expect(positionText(ms)).toBe(text));

  it.each([
    [0, "0s", "0:00"],
    [59_999, "59s", "0:59.999"],
    [761_250, "12m41s", "12:41.25"],
    [3_600_000, "1h0m0s", "1:00:00"],
  ])("%i ms is %s in a link, and %s in a field", (ms, link, exact) => {
    expect([positionInLink(ms), exactPosition(ms)]).toEqual([link, exact]);
    expect(parsePosition(exact)).toBe(ms);
    expect(parsePosition(link)).toBe(Math.floor(ms / 1000) * 1000);
  });
});

describe("notes on a video", () => {
  let server: TestServer;
  let owner: Person;
  let gameId: string;
  let playtestId: string;
  let slotId: string;
  beforeAll(async () => {
    server = await ownServer();
    ({ owner, gameId } = await ownerWithGame(server, 20_000));
    playtestId = await order(owner, gameId);
    slotId = await play(server, await registerPlaytester(server), playtestId);
    return server.close;
  });
  const run = (...words: string[]) => playtest(words, { baseUrl: server.baseUrl, key: owner.key });

  it("are added, listed by slot, playtest and game, changed and deleted", async () => {
    const flags = ["--kind", "confusion", "--severity", "2", "--tag", "onboarding", "--tag", "menu"];
    const added = await run("review", "note", slotId, "12:41-12:55", "Lost in the tutorial", ...flags, "--json");
    const { moment } = JSON.parse(added.stdout);
    expect(moment).toMatchObject({ atMs: 761_000, endMs: 775_000, kind: "confusion", severity: 2, tags: ["onboarding", "menu"] });
    for (const id of [slotId, playtestId, gameId]) {
      const { stdout } = await run("review", "notes", id, "--tsv");
      expect(stdout.split("\n")[1]?.split("\t").slice(2, 7)).toEqual([
        ...["12:41-12:55", "confusion", "2", "Lost in the tutorial", "onboarding, menu"],
      ]);
    }
    await run("review", "notes", "edit", moment.id, "--at", "13:00", "--text", "Found the door");
    const { stdout } = await run("review", "notes", slotId, "--kind", "confusion", "--json");
    expect(JSON.parse(stdout).moments[0]).toMatchObject({ atMs: 780_000, endMs: null, text: "Found the door", severity: 2 });
    expect((await run("review", "notes", "delete", moment.id, "--yes")).code).toBe(0);
    expect(JSON.parse((await run("review", "notes", slotId, "--json")).stdout).moments).toEqual([]);
  });

  it.each([
    [["note", "SLOT", "12:41-12:30", "x"], "The end must be after the start. Nothing was noted."],
    [["note", "SLOT", "noon", "x"], '"noon" is not a position in a video.'],
    [["notes", "edit", "01900000-0000-7000-8000-000000000000"], "Nothing to change was given. Nothing was changed."],
  ])("refuse %j before anything is sent", async (words, message) => {
    const { code, stderr } = await run("review", ...words.map((word) => (word === "SLOT" ? slotId : word)));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
