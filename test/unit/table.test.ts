import { expect, it } from "vitest";
import { detailText } from "../../src/io/layouts.ts";
import { table } from "../../src/io/table.ts";

const columns = [
  { head: "ID", overflow: undefined, cells: ["3f2a91bc", "8221c391"] },
  { head: "NAME", overflow: undefined, cells: ["Lantern Deep: the long way down", "漢字かな交じり文の長い名前"] },
  { head: "PLAYERS", overflow: "drop", cells: ["1", "2"] },
  { head: "SELECTION", overflow: "drop", cells: ["automatic", "manual"] },
  { head: "PRICE A SLOT", overflow: undefined, cells: ["$20.00", "$35.00"] },
] as const;

it.each([
  [90, "ID|NAME|PLAYERS|SELECTION|PRICE A SLOT", "Lantern Deep: the long way down|漢字かな交じり文の長い名前"],
  [66, "ID|NAME|PLAYERS|SELECTION|PRICE A SLOT", "Lantern Deep: the lon…|漢字かな交じり文の長…"],
  [56, "ID|NAME|PLAYERS|PRICE A SLOT", "Lantern Deep: the long…|漢字かな交じり文の長い…"],
  [42, "ID|NAME|PRICE A SLOT", "Lantern Deep: the…|漢字かな交じり文…"],
  [30, "ID|NAME|PRICE A S…", "Lantern…|漢字か…"],
])("table: in %i columns text is cut and less important columns are dropped", async (width, heads, names) => {
  const [head = "", ...rows] = (await table(columns, width)).trimEnd().split("\n");
  expect(head.split(/ {2,}/).join("|")).toBe(heads);
  expect(rows.map((row) => row.split(/ {2,}/)[1]).join("|")).toBe(names);
});

const slots = [
  { head: "ID", overflow: undefined, cut: "never", cells: ["1b6aa5e3", "d4e5b023"] },
  { head: "STATUS", overflow: undefined, cut: "last", cells: ["submitted", "open"] },
  { head: "PLAYTESTER", overflow: undefined, cells: ["Hugo the Diver of Lisbon", ""] },
  { head: "RATING", overflow: undefined, cells: ["", ""] },
  { head: "SUBMITTED", overflow: undefined, cut: "last", cells: ["5m ago", ""] },
  { head: "EVENT", overflow: undefined, cut: "never", cells: ["evt_0123456789abcdef0123456789", ""] },
] as const;

it.each([
  [
    105,
    "ID|STATUS|PLAYTESTER|RATING|SUBMITTED|EVENT",
    "1b6aa5e3|submitted|Hugo the Diver of Lisbon|5m ago|evt_0123456789abcdef0123456789",
  ],
  [86, "ID|STATUS|PLAYTESTER|SUBMITTED|EVENT", "1b6aa5e3|submitted|Hugo the Diver of Lis…|5m ago|evt_0123456789abcdef0123456789"],
  [71, "ID|STATUS|PLAYTES…|SUBMITT…|EVENT", "1b6aa5e3|submitted|Hugo th…|5m ago|evt_0123456789abcdef0123456789"],
  [45, "ID|EVENT", "1b6aa5e3|evt_0123456789abcdef0123456789"],
])(
  "table: in %i columns an empty column goes first, then text is cut, then headers, and an id never",
  async (width, heads, cells) => {
    const [head = "", row = ""] = (await table(slots, width)).trimEnd().split("\n");
    expect(head.split(/ {2,}/).join("|")).toBe(heads);
    expect(row.split(/ {2,}/).join("|")).toBe(cells);
  },
);

it.each([
  [52, "ID|STATUS|PLAYTESTER|VIDEO|DEADLINE", "1b6aa5e3|submitted|Hugo the D…|22.6 KiB|in 23h"],
  [44, "ID|STATUS|PLAY…|VIDEO|DEADL…", "1b6aa5e3|submitted|Hugo…|22.6 KiB|in 23h"],
  [41, "ID|STATUS|PLAYTESTER|VIDEO", "1b6aa5e3|submitted|Hugo the …|22.6 KiB"],
  [28, "ID|STATUS|PLAYTE…", "1b6aa5e3|submitted|Hugo t…"],
])(
  "table: in %i columns a size or a time is there as a whole or not at all, because a part of it is another value",
  async (width, heads, cells) => {
    const [id, status, playtester] = slots;
    const video = { head: "VIDEO", overflow: undefined, cut: "last", cells: ["22.6 KiB", ""] } as const;
    const deadline = { head: "DEADLINE", overflow: undefined, cut: "last", cells: ["in 23h", ""] } as const;
    const [head = "", row = ""] = (await table([id, status, playtester, video, deadline], width)).trimEnd().split("\n");
    expect(head.split(/ {2,}/).join("|")).toBe(heads);
    expect(row.split(/ {2,}/).join("|")).toBe(cells);
  },
);

it("table: a message wraps between words where possible", async () => {
  const message =
    "Thanks for the build.\nhttps://example.com/a/very/long/address/without/a/break 漢字かな交じり文の長い文章です。";
  const drawn = await table(
    [
      { head: "FROM", overflow: undefined, cells: ["owner"] },
      { head: "MESSAGE", overflow: "wrap", cells: [message] },
    ],
    32,
  );
  expect(`\n${drawn}`).toMatchInlineSnapshot(`
    "
    FROM   MESSAGE
    owner  Thanks for the build.
           https://example.com/a/
           very/long/address/
           without/a/break 漢字かな
           交じり文の長い文章です。
    "
  `);
});

it.each<[name: string, value: unknown, rows: string[]]>([
  [
    "a long address",
    "https://builds.example.com/lantern-deep/0.4.1/windows.zip",
    ["https://builds.example.com/lantern-deep/0.4.1/windows.zip"],
  ],
  [
    "words that take two columns each",
    "漢字かな交じり文の長い名前漢字かな交じり文",
    ["漢字かな交じり文の長い名前漢字", "かな交じり文"],
  ],
  ["a list", ["Lantern Deep", "Star Miner", "Rift"], ["Lantern Deep, Star Miner, Rift"]],
  ["a long list", ["Lantern Deep", "Star Miner", "Rift of Ages"], ["Lantern Deep, Star Miner, Rift", "of Ages"]],
])("detail of an item: %s is broken between words or not at all", async (_, value, rows) => {
  const cells = { now: () => 0, time: "iso", paint: (_color: string, text: string) => text, shortIds: false } as const;
  const columns = [{ header: "name", value: "name", as: "text" } as const];
  const text = await detailText({ columns }, { name: value }, cells, 36);
  expect(text).toBe(`name  ${rows.join("\n      ")}\n`);
});
