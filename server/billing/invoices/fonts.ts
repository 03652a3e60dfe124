import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { ConfigError } from "../../config/read.ts";
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
  /** Null for a file outside of the package that cannot be read. */
  load(): Buffer | null;
}

export interface Fonts {
  /** In order of preference. The operator's fonts are the first fallbacks. */
  text: FontFile[];
  bold: FontFile;
}

type Warn = (message: string) => void;

/** How files begin that hold a font which can be printed: TrueType, OpenType, WOFF, or a collection. */
const signatures = ["\0\u0001\0\0", "true", "OTTO", "wOFF", "ttcf"];

/** Throws ConfigError where one of the operator's fonts cannot be read, or is no font. */
export function requireFonts(paths: readonly string[]): void {
  for (const path of paths)
    if (!signatures.includes(beginningOf(path)))
      throw new ConfigError(
        `invoices.fonts: ${path} is not a TrueType, OpenType or WOFF font. The server was not started. Convert it, or remove it from the setting.`,
      );
}

function beginningOf(path: string): string {
  const bytes = Buffer.alloc(4);
  try {
    const file = openSync(path, "r");
    try {
      readSync(file, bytes);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new ConfigError(
      `invoices.fonts: ${path} cannot be read: ${(error as Error).message}. The server was not started. Correct the path, or remove it from the setting.`,
    );
  }
  return bytes.toString("latin1");
}

/**
 * The fonts to use, in order of preference. Files are read when first needed and kept in memory. `own` are the paths of the operator's
 * fonts, `system` those of fonts that the system may have. `warn` is called once for each that cannot be read.
 */
export function createFonts(own: readonly string[], warn: Warn, system = ofSystem): Fonts {
  const packaged = (name: BuiltInFont) => once(name, () => plainFont(readFileSync(builtInFont(name))));
  const outside = (path: string) => once(path, () => readOutside(path, warn));
  const found = system.map((row) => row.find((path) => existsSync(path))).filter((path) => path !== undefined);
  return {
    text: [
      packaged("regular"),
      ...own.map(outside),
      packaged("devanagari"),
      packaged("thai"),
      ...found.map(outside),
      packaged("every"),
    ],
    bold: packaged("bold"),
  };
}

/** Such a file may be gone since the server was started: the next font takes its place. */
function readOutside(path: string, warn: Warn): Buffer | null {
  try {
    return plainFont(readFileSync(path));
  } catch (error) {
    warn(`The font ${path} cannot be read and is not used: ${(error as Error).message}.`);
    return null;
  }
}

function once(name: string, read: () => Buffer | null): FontFile {
  let bytes: Buffer | null | undefined;
  return {
    name,
    load() {
      if (bytes === undefined) bytes = read();
      return bytes;
    },
  };
}
