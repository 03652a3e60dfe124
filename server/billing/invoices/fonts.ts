import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { plainFont } from "./sfnt.ts";

const require = createRequire(import.meta.url);

/**
 * The fonts of invoices, in order of preference: one for Latin, Greek, Cyrillic, Arabic, Hebrew, Armenian, Georgian and more; those for
 * scripts that need their own shaping; and last a plain one that has a glyph for every character.
 */
const builtIn = {
  regular: "@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff",
  devanagari: "@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-400-normal.woff",
  thai: "@fontsource/noto-sans-thai/files/noto-sans-thai-thai-400-normal.woff",
  every: "@fontsource/unifontex/files/unifontex-latin-400-normal.woff",
};
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

const bold = "@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff";

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
 * The fonts to use. Files are read when first needed and kept in memory. `own` are the paths of the operator's fonts, `system` those of
 * fonts that the system may have.
 */
export function createFonts(own: readonly string[], system = ofSystem): Fonts {
  const packaged = (name: string, path: string) => once(name, () => require.resolve(path));
  const { regular, devanagari, thai, every } = builtIn;
  const found = system.map((row) => row.find((path) => existsSync(path))).filter((path) => path !== undefined);
  return {
    text: [
      packaged("regular", regular),
      ...own.map((path) => once(path, () => path)),
      packaged("devanagari", devanagari),
      packaged("thai", thai),
      ...found.map((path) => once(path, () => path)),
      packaged("every", every),
    ],
    bold: packaged("bold", bold),
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
