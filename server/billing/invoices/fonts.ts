import { existsSync, readFileSync } from "node:fs";
import { type BuiltInFont, builtInFont } from "../../lib/built-in-fonts.ts";
import { plainFont } from "./sfnt.ts";

/**
 * The paths of fonts for Chinese, Japanese and Korean on common systems. Such fonts are too large to include in the package, but look
 * better than the plain one.
 */
const eastAsian = [
  "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
  "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
  "/usr/share/fonts/google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc",
  "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
  "/usr/share/fonts/noto/NotoSansCJK-Regular.ttc",
  "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
  "/usr/share/fonts/wqy-zenhei/wqy-zenhei.ttc",
  "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
  "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
  "/Library/Fonts/Arial Unicode.ttf",
  "C:\\Windows\\Fonts\\msyh.ttc",
];

const notoFolders = ["/usr/share/fonts/truetype/noto", "/usr/share/fonts/noto", "/usr/share/fonts/google-noto"];
const notoScripts =
  "Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Lao Myanmar Ethiopic Khmer Tibetan".split(" ");

/** Fonts of the system, in order of preference. The first existing file of each row is used. */
const ofSystem: readonly (readonly string[])[] = [
  eastAsian,
  ...notoScripts.map((script) => notoFolders.map((folder) => `${folder}/NotoSans${script}-Regular.ttf`)),
];

export interface FontFile {
  name: string;
  load(): Buffer;
}

export interface Fonts {
  /** In order of preference. The operator's fonts are the first fallbacks. */
  text: FontFile[];
  bold: FontFile;
}

/**
 * The fonts to use, in order of preference. Files are read when first needed and kept in memory. `own` are the paths of the operator's fonts, `system` those of
 * fonts that the system may have.
 */
export function createFonts(own: readonly string[], system = ofSystem): Fonts {
  const packaged = (name: BuiltInFont) => once(name, () => builtInFont(name));
  const found = system.map((row) => row.find((path) => existsSync(path))).filter((path) => path !== undefined);
  return {
    text: [
      packaged("regular"),
      ...own.map((path) => once(path, () => path)),
      packaged("devanagari"),
      packaged("thai"),
      ...found.map((path) => once(path, () => path)),
      packaged("every"),
    ],
    bold: packaged("bold"),
  };
}

function once(name: string, path: () => string): FontFile {
  let bytes: Buffer | undefined;
  return {
    name,
    load() {
      bytes ??= plainFont(readFileSync(path()));
      return bytes;
    },
  };
}
