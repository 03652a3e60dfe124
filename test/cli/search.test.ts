import { beforeAll, expect, it } from "vitest";
import { playtest, type RunOptions } from "../helpers/cli.ts";
import * as factories from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";

let server: TestServer;
let owner: factories.Person;
let gameId: string;
let playtestId: string;
let slotId: string;
beforeAll(async () => {
  server = await ownServer();
  owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 20_000);
  gameId = await factories.createGame(owner);
  playtestId = await factories.order(owner, gameId);
  const tester = await factories.registerPlaytester(server, "Ann");
  slotId = await factories.claim(tester, playtestId);
  await factories.giveVideo(server, slotId, tester);
  await tester.post(`/playtester/slots/${slotId}/submit`, { notes: "The end is great.\nThe door was hard to find." });
  const vtt = "WEBVTT\n\n1:02:36.000 --> 1:02:40.000\nSo dark.\n\n1:02:41.000 --> 1:02:43.000\nI can't find the door.\n";
  await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt: vtt.replaceAll("1:02", "01:02") } });
  await server.advance(0);
  return server.close;
});
const run = (words: string[], tty?: RunOptions["tty"]) =>
  playtest(["review", "search", ...words], { baseUrl: server.baseUrl, key: owner.key, ...(tty && { tty }) });

it("shows a person where each match is, the lines around it and how to watch it", async () => {
  const { code, stdout } = await run(["find the door", "--kind", "transcript"], { stdout: true });
  expect([code, stdout.replaceAll(slotId, "SLOT")]).toMatchInlineSnapshot(`
    [
      0,
      "1:02:41, Lantern Deep, Ann, transcript
        So dark.
      > I can't find the door.
        mpv --start=1:02:41 "$(playtest review url SLOT)"
    ",
    ]
  `);
  expect((await run(["door", "--kind", "notes"], { stdout: true })).stdout.replaceAll(slotId, "SLOT")).toMatchInlineSnapshot(`
    "Lantern Deep, Ann, notes of the playtester
        The end is great.
      > The door was hard to find.
        playtest review show SLOT
    "
  `);
});

it("prints rows for a pipe, and everything as JSON", async () => {
  const { stdout } = await run(["door"]);
  expect(
    stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split("\t").slice(1)),
  ).toMatchInlineSnapshot(`
    [
      [
        "1:02:41",
        "transcript",
        "Lantern Deep",
        "Ann",
        "I can't find the door.",
      ],
      [
        "",
        "notes",
        "Lantern Deep",
        "Ann",
        "The door was hard to find.",
      ],
    ]
  `);
  const { results } = JSON.parse((await run(["can't find", "--game", gameId, "--playtest", playtestId, "--json"])).stdout);
  expect(results).toMatchObject([{ source: "transcript", slotId, atMs: 3_761_000 }]);
  expect(JSON.parse((await run(["door", "--all", "--json"])).stdout).results).toHaveLength(2);
});

it("says when nothing was found, and what is wrong with a search", async () => {
  const { code, stdout, stderr } = await run(["zebra"], { stdout: true });
  expect([code, stdout, stderr]).toEqual([0, "", expect.stringContaining("Nothing was found.")]);
  expect(await run(["***"])).toMatchObject({ code: 2, stderr: expect.stringContaining("<words>: must contain a word") });
  const named = await run(["door", "--game", "lantern-deep", "--all", "--json"]);
  expect(JSON.parse(named.stdout).results).toHaveLength(2);
  expect(await run(["door", "--game", "Lantern Deeep"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Did you mean "Lantern Deep"?'),
  });
});
