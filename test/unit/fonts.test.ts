import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFonts } from "../../server/billing/invoices/fonts.ts";
import { plainFont } from "../../server/billing/invoices/sfnt.ts";
import { printStatement } from "../../server/billing/invoices/statement-pdf.ts";
import { pdfText } from "../helpers/pdf.ts";
import { freshFolder } from "../helpers/store.ts";

const woff = readFileSync(
  createRequire(import.meta.url).resolve("@fontsource/noto-sans-thai/files/noto-sans-thai-thai-400-normal.woff"),
);

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
  const fonts = createFonts(["/own.ttf"], [[join(folder, "none.ttc"), system, "/never.ttf"], [join(folder, "neither.ttf")]]);
  expect(fonts.text.map(({ name }) => name)).toEqual(["regular", "/own.ttf", "devanagari", "thai", system, "every"]);
  expect(fonts.text[4]!.load().equals(plainFont(woff))).toBe(true);
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
  const pdf = await printStatement(document, { fonts: createFonts([]), logo: null });
  expect(pdf.toString("latin1").match(/\/Type \/Page\b/g)).toHaveLength(3);
  const lines = pdfText(pdf).split("\n");
  for (const { name, slots } of games) expect(lines).toContain(`${name}: ${slots} ${slots === 1 ? "playtest" : "playtests"}`);
  expect(lines.filter((line) => line === "Earned by game")).toHaveLength(3);
  expect(lines).toContain("2026-06-01, before the period has ended");
  expect(await printStatement(document, { fonts: createFonts([]), logo: null })).toEqual(pdf);
  if (process.env.PLAYTEST_SCREENSHOTS) writeFileSync(join(process.env.PLAYTEST_SCREENSHOTS, "statement.pdf"), pdf);
});
