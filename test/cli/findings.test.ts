import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { createGame, giveCredit, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startHostedWorld } from "../helpers/hosted-world.ts";
import { pdfText } from "../helpers/pdf.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";
import { newId } from "../helpers/walk.ts";

/** The same words on a server that stores findings and on one that does not, where they are kept on this computer. */
interface Place {
  baseUrl: string;
  key: string;
  gameId: string;
  /** Videos of three playtesters. */
  slots: string[];
  stop(): Promise<void>;
}

async function onOurServer(): Promise<Place> {
  const store = await drivers[0]!.open();
  const server: TestServer = await startTestServer({ store });
  const owner = await registerOwner(server);
  await giveCredit(server, owner, 100_000);
  const gameId = await createGame(owner);
  const slots: string[] = [];
  for (let n = 0; n < 3; n++) slots.push(await play(server, await registerPlaytester(server), await order(owner, gameId)));
  const stop = async () => {
    await server.close();
    await store.remove();
  };
  return { baseUrl: server.baseUrl, key: owner.key, gameId, slots, stop };
}

async function onBareServer(): Promise<Place> {
  const { hosted, owner, gameId, submitted } = await startHostedWorld();
  const slots = [await submitted(), await submitted(), await submitted()];
  return { baseUrl: hosted.baseUrl, key: owner.key, gameId, slots, stop: async () => {} };
}

let place: Place;
let folder: string;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => place.stop());

const run = (...words: string[]) => runOn({}, ...words);
const runOn = (terminal: Pick<RunOptions, "tty" | "columns">, ...words: string[]) =>
  playtest(words, {
    ...terminal,
    baseUrl: place.baseUrl,
    key: place.key,
    outside: { newId },
    env: { PLAYTEST_CONFIG_DIR: folder, NO_COLOR: "1" },
  });
const json = async (...words: string[]) => JSON.parse((await run(...words, "--json")).stdout);

/** Each finding as a row: number, testers, severity, status, title, first seen. */
const rows = async (...flags: string[]) => {
  const { stdout } = await run("findings", "list", ...flags, "--csv");
  const [head, ...lines] = stdout.trim().split("\r\n").join("\n").split("\n");
  const at = (name: string) => head!.split(",").indexOf(name);
  return lines.map((line) =>
    ["number", "testers", "severity", "status", "title", "first seen"].map((name) => line.split(",")[at(name)]).join(" "),
  );
};

describe.each([
  ["a server that stores them", onOurServer],
  ["a server that does not", onBareServer],
])("findings on %s", (_, start) => {
  beforeEach(async () => {
    place = await start();
  });

  it("go from notes to a ranked list, by number", async () => {
    const [a, b] = place.slots as [string, string, string];
    const note = (await json("review", "note", a, "12:41", "Lost in the cellar")).moment.id as string;
    const made = await json("findings", "create", "Nobody finds the lantern", "--severity", "2", "--tag", "cellar");
    expect(made.finding).toMatchObject({ number: 1, severity: 2, tags: ["cellar"], kind: "note", status: "open" });
    await run("findings", "create", "It crashes", "--kind", "bug", "--severity", "4");
    await run("findings", "add", "1", note);
    await run("findings", "add", "#1", b, "0:30-0:40");
    await run("findings", "add", "2", b, "1:00");
    const all = place.slots.length;
    const shown = (await json("findings", "list")).findings as { number: number; testers: { of: number } }[];
    const of = shown[0]!.testers.of;
    expect([shown.map(({ number }) => number), of >= all]).toEqual([[1, 2], true]);
    expect(await rows()).toEqual([`1 2 of ${of} 2 open Nobody finds the lantern 0:30`, `2 1 of ${of} 4 open It crashes 1:00`]);
    expect((await run("findings", "close", "2", "--as", "wontfix")).code).toBe(0);
    expect(await rows("--status", "wontfix")).toEqual([`2 1 of ${of} 4 wontfix It crashes 1:00`]);
    expect((await run("findings", "show", "1")).stdout).toContain("Lost in the cellar");
  });

  it.each([
    [40, ["TITLE"], ["RANK", "SEVERITY", "KIND", "TAGS", "FIRST SEEN"]],
    [300, ["TITLE", "RANK", "SEVERITY", "TAGS", "FIRST SEEN"], []],
  ])("are listed in %i columns with their title, whatever else has no room", async (columns, kept, dropped) => {
    await run("findings", "create", "Nobody finds the lantern", "--kind", "confusion", "--severity", "2", "--tag", "cellar");
    await run("findings", "add", "1", place.slots[0]!, "0:30");
    const { stdout } = await runOn({ tty: true, columns }, "findings", "list");
    for (const head of kept) expect(stdout).toContain(head);
    for (const head of dropped) expect(stdout).not.toContain(head);
  });

  it("are merged, split, put back and deleted", async () => {
    const [a, b, c] = place.slots as [string, string, string];
    for (const title of ["One", "Two"]) await run("findings", "create", title);
    await run("findings", "add", "1", a, "0:01");
    await run("findings", "add", "2", b, "0:02");
    expect(
      (await json("findings", "merge", "1", "2")).finding.evidence.map(({ slotId }: { slotId: string }) => slotId).sort(),
    ).toEqual([a, b].sort());
    expect((await run("findings", "add", "2", c, "0:03")).code).toBe(6);
    const { evidence } = (await json("findings", "show", "1")).finding;
    const first = evidence.find(({ slotId }: { slotId: string }) => slotId === a).id;
    expect((await json("findings", "split", "1", first, "--title", "Three")).finding).toMatchObject({
      number: 3,
      title: "Three",
    });
    const held = async () =>
      ((await json("findings", "list")).findings as { number: number; evidence: unknown[] }[])
        .map(({ number, evidence: { length } }) => `${number}: ${length}`)
        .sort();
    expect(await held()).toEqual(["1: 1", "3: 1"]);
    await run("findings", "undo", "3");
    expect(await held()).toEqual(["1: 2"]);
    await run("findings", "undo", "1");
    expect(await held()).toEqual(["1: 1", "2: 1"]);
    expect((await run("findings", "undo", "1")).code).toBe(6);
    expect((await run("findings", "delete", "2", "--yes")).code).toBe(0);
    expect([await held(), (await run("findings", "show", "2")).code]).toEqual([["1: 1"], 3]);
  });

  it("are taken from suggestions, with what they suggest as evidence", async () => {
    const [a] = place.slots as [string, string, string];
    for (const time of ["0:10", "0:40"]) await run("review", "note", a, time, "Lost in the cellar");
    const { slot } = await json("review", "show", a);
    const [taken] = (await json("findings", "suggest", slot.playtest.id, "--take", "1")).result;
    expect(taken).toMatchObject({ number: 1, title: "Lost in the cellar", evidence: [{ fromMs: 10_000 }, { fromMs: 40_000 }] });
    expect((await json("findings", "show", "1")).finding.evidence).toEqual(taken.evidence);
  });

  it("refuse what is no place, and the same note twice", async () => {
    const [a] = place.slots as [string, string, string];
    const note = (await json("review", "note", a, "0:10", "Dark")).moment.id as string;
    await run("findings", "create", "One");
    expect((await run("findings", "add", "1", note)).code).toBe(0);
    expect((await run("findings", "add", "1", note)).stderr).toContain(
      "This moment is evidence of #1 already. Nothing was added.",
    );
    expect((await run("findings", "add", "1", a, "noon")).code).toBe(2);
    expect((await run("findings", "add", "1", note, "--quote", "x")).stderr).toContain("--quote needs a slot and a time.");
    expect((await run("findings", "show", "9")).stderr).toContain("The game has no finding #9.");
  });
});

it("findings on this computer are in a file that only the user can read, and say so", async () => {
  place = await onBareServer();
  const made = await run("findings", "create", "One");
  expect(made.stderr).toContain("This server does not store findings. The finding is saved on this computer.");
  const [file] = readdirSync(join(folder, "findings"));
  expect((statSync(join(folder, "findings", file!)).mode & 0o777).toString(8)).toBe("600");
  expect((await run("findings", "list", "--tsv")).stdout).toContain("on this computer");
});

describe("review report", () => {
  beforeEach(async () => {
    place = await onOurServer();
  });

  it("has the facts, the findings with their seconds and what was not covered, and names nobody", async () => {
    const [slot] = place.slots;
    await run("findings", "create", "Nobody finds <b>the lantern</b>", "--severity", "3", "--game", place.gameId);
    await run("findings", "add", "1", slot!, "0:01", "--game", place.gameId);
    const { playtests } = await json("playtests", "list", place.gameId);
    const playtestId = playtests.at(-1).id;
    const { report } = await json("review", "report", playtestId);
    expect(report).toMatchObject({
      facts: { slots: { submitted: 1 }, videos: 1, testers: 1 },
      findings: [
        { number: 1, severity: 3, testers: { seen: 1, of: 1 }, seen: [{ slotId: slot, tester: "tester 1", fromMs: 1000 }] },
      ],
    });
    const markdown = (await run("review", "report", playtestId)).stdout;
    expect(markdown).toContain("### 1. `Nobody finds <b>the lantern</b>`");
    expect(markdown).toContain(`- [0:01](${place.baseUrl}/studio/slots/${slot}#t=1s), \`tester 1\``);
    expect(markdown).toContain("- 1 slot with a video that waits for review.");
    const html = (await run("review", "report", playtestId, "--as", "html")).stdout;
    expect(html).toContain("<h3>1. Nobody finds &lt;b&gt;the lantern&lt;/b&gt;</h3>");
    const file = join(testFolder(), "report.pdf");
    expect((await run("review", "report", playtestId, "--as", "pdf", "-o", file)).code).toBe(0);
    const pages = readFileSync(file);
    const pdf = pdfText(pages).replaceAll("\n", " ");
    expect(pdf).toMatch(
      /1\. Nobody finds <b>the lantern<\/b>.*1 of 1.*0:01, tester 1.*1 slot with a video that waits for review\./,
    );
    expect(pages.toString("latin1")).toContain(`${place.baseUrl}/studio/slots/${slot}#t=1s`);
    for (const text of [JSON.stringify(report), markdown, html, pdf]) expect(text).not.toContain("playtester-2");
    expect((await run("review", "report", playtestId, "--with-name")).stdout).toContain("`playtester-2`");
  });
});
