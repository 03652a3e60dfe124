import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { plainFont } from "./sfnt.ts";

const require = createRequire(import.meta.url);

/**
 * The fonts an invoice is set in, by preference: Latin, Greek, Cyrillic, Arabic, Hebrew, Armenian, Georgian and more;
 * scripts that need shaping of their own; and last a plain one that has every character there is.
 */
const builtIn = {
  regular: "@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff",
  devanagari: "@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-400-normal.woff",
  thai: "@fontsource/noto-sans-thai/files/noto-sans-thai-thai-400-normal.woff",
  every: "@fontsource/unifontex/files/unifontex-latin-400-normal.woff",
};
/**
 * Where systems keep a font for Chinese, Japanese and Korean: such a font is too large to ship, and looks better than the
 * plain one.
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

/** Fonts of this system, in order of preference; of each row the first that is there is used. */
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
  /** In order of preference; an operator's own come first among the fallbacks. */
  text: FontFile[];
  bold: FontFile;
}

/**
 * The fonts to use; files are read when first needed, and kept. `own` are paths of the operator's fonts, `system` of those
 * that this system may have.
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
