import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";

const folder = join(import.meta.dirname, "assets");

const bundled = (file: string): string =>
  buildSync({
    entryPoints: [join(folder, file)],
    outdir: folder,
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    // What a script loads on demand is a file of its own.
    external: [join(folder, "*.js")],
  }).outputFiles[0]!.text;

const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? bundled(file);
  texts.set(file, text);
  return text;
}

/**
 * The scripts of the pages by their names: each file of `assets/` with what it imports. A checkout bundles one when it is first asked for.
 * The build of the package evaluates this, and ships the texts.
 */
export const scripts: Readonly<Record<string, string>> = Object.defineProperties(
  {},
  Object.fromEntries(
    readdirSync(folder)
      .filter((file) => file.endsWith(".ts"))
      .map((file) => [`${basename(file, ".ts")}.js`, { enumerable: true, get: () => textOf(file) }]),
  ),
);
