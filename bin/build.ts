import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** Bundles the program into dist/: the command line whole and split for a quick start, the server's third parties left outside. */

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

/** Third parties of the command line. Everything else stays a package of its own. */
const bundled = ["commander", "conf", "ora", "cli-table3", "@inquirer", "undici", "yaml", "csv-parse", "yazl", "tus-js-client"];

/**
 * Modules that are data: evaluated now, shipped as JSON, so that starting loads neither the contract's zod nor every command, and the
 * sample video needs no file beside the program.
 */
const data = /\/(src\/(contract\/static|version|tree)|server\/assets\/sample)\.ts$/;
const inlineData: Plugin = {
  name: "inline-data",
  setup({ onLoad }) {
    onLoad({ filter: data }, async ({ path }) => {
      const values = Object.entries((await import(pathToFileURL(path).href)) as object);
      const constants = values.map(
        ([name, value]) => `export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))});`,
      );
      return { contents: constants.join("\n"), loader: "js" };
    });
  },
};

/** conf loads a JSON Schema validator even where no schema is given; none is given here. */
const withoutValidator: Plugin = {
  name: "without-validator",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ajv(-formats)?(\/|$)/ }, ({ path }) => ({ path, namespace: "no-validator" }));
    onLoad({ filter: /.*/, namespace: "no-validator" }, () => ({
      contents: "export class Ajv2020 {}\nexport default () => {};",
      loader: "js",
    }));
  },
};

const packageOf = (path: string) => path.split("/")[0]!;
const outside: Plugin = {
  name: "outside",
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path, importer }) => {
      const ours = !importer.includes("/node_modules/");
      return ours && !path.startsWith("node:") && !bundled.includes(packageOf(path)) ? { path, external: true } : undefined;
    });
  },
};

const entries = { main: "src/main.ts", index: "src/index.ts", server: "server/main.ts" };
const present = Object.entries(entries).filter(([, path]) => existsSync(join(root, path)));

rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(present),
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minifyWhitespace: true,
  minifySyntax: true,
  chunkNames: "chunks/[name]-[hash]",
  // Bundled CommonJS packages ask for node's own modules by require.
  banner: { js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);' },
  plugins: [inlineData, withoutValidator, outside],
  logLevel: "warning",
});

const typescript = JSON.parse(readFileSync(join(root, "node_modules/typescript/package.json"), "utf8")) as {
  bin: { tsc: string };
};
const tsc = join(root, "node_modules/typescript", typescript.bin.tsc);
execFileSync(process.execPath, [tsc, "-p", join(root, "bin/types.json"), "--outDir", join(dist, "types")], { stdio: "inherit" });
