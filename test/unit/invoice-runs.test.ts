import { expect, it } from "vitest";
import { isolated, runsOf } from "../../server/billing/invoices/runs.ts";

/** As a font draws it: from right to left where it has letters of such a script. */
const drawn = (text: string) => (/[א-ת]/u.test(text) ? [...text].reverse().join("") : text);
const shown = (line: string) =>
  runsOf(line, ["letters", "other"], (font, cluster) => font === "other" || !/\p{Extended_Pictographic}/u.test(cluster))
    .map(({ text }) => drawn(text))
    .join("");

it.each([
  ["Lantern (Deep) Ltd.", "Lantern (Deep) Ltd."],
  ["שלום 42", "42 םולש"],
  ["חברת (משחקים) בעמ", "מעב (םיקחשמ) תרבח"],
  ["חברה (משחקים)", "(םיקחשמ) הרבח"],
  ["חברה (Games) בעמ", "מעב (Games) הרבח"],
  ["חברה (משחקים) Ltd", "Ltd (םיקחשמ) הרבח"],
  ["Games «שם [אלף]» Ltd.", "Games «[ףלא] םש» Ltd."],
  ["שלום 🎮 (🎲)", "(🎲) 🎮 םולש"],
  [`${isolated("שם (אלף)")}: 1 playtest`, "(ףלא) םש: 1 playtest"],
])("invoice text: %s is drawn as %s", (line, expected) => {
  expect(shown(line)).toBe(expected);
});
