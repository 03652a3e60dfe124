import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFonts } from "../../server/billing/invoices/fonts.ts";
import { plainFont } from "../../server/billing/invoices/sfnt.ts";
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
