import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { plainFont } from "./woff.ts";

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

/** The fonts to use; files are read when first needed, and kept. `own` are paths of the operator's fonts. */
export function createFonts(own: readonly string[]): Fonts {
  const packaged = (name: string, path: string) => once(name, () => require.resolve(path));
  const { regular, ...others } = builtIn;
  return {
    text: [
      packaged("regular", regular),
      ...own.map((path) => once(path, () => path)),
      ...Object.entries(others).map(([name, path]) => packaged(name, path)),
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
