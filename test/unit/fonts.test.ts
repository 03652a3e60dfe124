import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFonts, requireFonts } from "../../server/billing/invoices/fonts.ts";
import {
  facts,
  heading,
  paragraph,
  parties,
  printPages,
  type Sheet,
  table,
  title,
} from "../../server/billing/invoices/pdf-page.ts";
import { plainFont } from "../../server/billing/invoices/sfnt.ts";
import { printStatement } from "../../server/billing/invoices/statement-pdf.ts";
import { lowestText, pdfText } from "../helpers/pdf.ts";
import { freshFolder } from "../helpers/store.ts";

const woff = readFileSync(
  createRequire(import.meta.url).resolve("@fontsource/noto-sans-thai/files/noto-sans-thai-thai-400-normal.woff"),
);

const warnings: string[] = [];
const warn = (message: string) => void warnings.push(message);

/** A font collection with one font: each table's offset grows by the length of the collection's header. */
function collectionOf(font: Buffer): Buffer {
  const header = Buffer.from("ttcf\0\u0001\0\0\0\0\0\u0001\0\0\0\u0010", "latin1");
  const moved = Buffer.from(font);
  for (let entry = 12; entry < 12 + font.readUInt16BE(4) * 16; entry += 16)
    moved.writeUInt32BE(font.readUInt32BE(entry + 8) + header.length, entry + 8);
  return Buffer.concat([header, moved]);
}

it("invoice fonts: a font collection gives its first font", () => {
  const font = plainFont(woff);
  expect(plainFont(collectionOf(font)).equals(font)).toBe(true);
  expect(plainFont(font)).toBe(font);
});

it("invoice fonts: the operator's come before the system's, and those before the plain one that has every character", () => {
  const folder = freshFolder();
  const system = join(folder, "system.ttc");
  writeFileSync(system, collectionOf(plainFont(woff)));
  const fonts = createFonts(["/own.ttf"], warn, [
    [join(folder, "none.ttc"), system, "/never.ttf"],
    [join(folder, "neither.ttf")],
  ]);
  expect(fonts.text.map(({ name }) => name)).toEqual(["regular", "/own.ttf", "devanagari", "thai", system, "every"]);
  expect(fonts.text[4]!.load()!.equals(plainFont(woff))).toBe(true);
});

it("invoice fonts: one that has gone since the start is left out, with a warning", async () => {
  warnings.length = 0;
  const fonts = createFonts(["/gone.ttf"], warn, []);
  const pdf = await printPages({ title: "株", author: "a", createdAt: 0 }, { fonts, logo: null }, (sheet) =>
    paragraph(sheet, "株"),
  );
  expect([pdfText(pdf).split("\n")[0], warnings]).toEqual(["株", [expect.stringMatching(/^The font \/gone.ttf .*: ENOENT/)]]);
});

it.each([
  ["/gone.ttf", "cannot be read: ENOENT"],
  [import.meta.filename, "is not a TrueType, OpenType or WOFF font"],
])("invoice fonts: the server does not start with %s", (path, refusal) => {
  expect(() => requireFonts([path])).toThrow(`invoices.fonts: ${path} ${refusal}`);
});

it("documents: nothing is drawn below the last line of a page", async () => {
  const words = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);
  const long = (name: string) => words(name, 120).join(" ");
  const address = (name: string) => ({ name, lines: words(name, 60) });
  const draw = (sheet: Sheet) => {
    title(sheet, "Long");
    parties(sheet, ["From", address("seller")], ["To", address("buyer")]);
    facts(sheet, [["Fact", long("fact")]]);
    const rows = Array.from({ length: 12 }, (_, at) => ({ label: `Row${at}`, detail: long(`detail${at}x`), amount: "$1.00" }));
    table(sheet, { title: "Description", unit: "USD" }, rows);
    heading(sheet, long("heading"));
    paragraph(sheet, words("paragraph", 1500).join(" "), "https://example.com/");
  };
  const print = (of: typeof draw) =>
    printPages({ title: "Long", author: "a", createdAt: 0 }, { fonts: createFonts([], warn, []), logo: null }, of);
  const [pdf, short] = [await print(draw), await print(() => {})];
  expect(lowestText(pdf)).toBe(lowestText(short));
  const text = pdfText(pdf);
  for (const word of ["seller59", "buyer59", "fact119", "Row11", "detail11x119", "heading119", "paragraph1499"])
    expect(text).toContain(word);
});

it("statements: take as many pages as they need, and say when their period has not ended", async () => {
  const games = Array.from({ length: 45 }, (_, at) => ({ id: `g${at}`, name: `Game ${at}`, slots: at, amountCents: 1000 }));
  const made = { kind: "made", at: "2026-04-10T12:00:00.000Z", paidTo: "IBAN NL ••••4300" } as const;
  const payouts = [{ ...made, payoutId: "p1", reference: "PO-7017FDCF7974", amountCents: 500 }];
  const [from, to] = ["2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"];
  const amounts = {
    beginCents: 0,
    earnedCents: 45_000,
    paidCents: 0,
    returnedCents: 500,
    endCents: 45_500,
    heldCents: 700,
    payouts,
  };
  const document = {
    statement: { period: "2026", from, to, ...amounts, games },
    issuedAt: Date.UTC(2026, 5, 1),
    payer: { name: "Lantern Markets", lines: ["1 Quay Street"] },
    playtester: { name: "株式会社", lines: ["pim@example.com"] },
  };
  const pdf = await printStatement(document, { fonts: createFonts([], warn), logo: null });
  expect(pdf.toString("latin1").match(/\/Type \/Page\b/g)).toHaveLength(3);
  const lines = pdfText(pdf).split("\n");
  for (const { name, slots } of games) expect(lines).toContain(`${name}: ${slots} ${slots === 1 ? "playtest" : "playtests"}`);
  expect(lines.filter((line) => line === "Earned by game")).toHaveLength(3);
  expect(lines).toContain("2026-06-01, before the period has ended");
  expect(await printStatement(document, { fonts: createFonts([], warn), logo: null })).toEqual(pdf);
  if (process.env.PLAYTEST_SCREENSHOTS) writeFileSync(join(process.env.PLAYTEST_SCREENSHOTS, "statement.pdf"), pdf);
});
