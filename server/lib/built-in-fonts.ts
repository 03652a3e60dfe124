import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * The fonts of the package: one for Latin, Greek, Cyrillic, Arabic, Hebrew, Armenian, Georgian and more, those for scripts that need their
 * own shaping, and a plain one that has a glyph for every character.
 */
const files = {
  regular: "@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff",
  bold: "@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff",
  devanagari: "@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-400-normal.woff",
  thai: "@fontsource/noto-sans-thai/files/noto-sans-thai-thai-400-normal.woff",
  every: "@fontsource/unifontex/files/unifontex-latin-400-normal.woff",
};

export type BuiltInFont = keyof typeof files;

/** The path of a font of the package, a WOFF file. */
export const builtInFont = (name: BuiltInFont): string => require.resolve(files[name]);
