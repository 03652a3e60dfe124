import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { manPages } from "./man.ts";

/**
 * Bundles the program into dist/. Loading many files is slow, and so is parsing all commands: what every command needs is one file,
 * the commands of each noun are another, and so is each third-party package, which is loaded on demand. The packages of the server are
 * not bundled. With a folder as argument, the program is bundled there, without the types of the client.
 */

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [folder] = process.argv.slice(2);
const dist = folder ?? join(root, "dist");

/** Third-party packages that are bundled, each as a file of its own. The others are installed as dependencies. */
const shipped = [
  "conf",
  "jq-web",
  "ora",
  "cli-table3",
  "@inquirer",
  "yaml",
  "csv-parse",
  "@zip.js",
  "ignore",
  "tar",
  "tus-js-client",
  "@tus",
  "@fastify",
  "uqr",
  "zod",
  "pino",
  "marked",
  "prom-client",
  "uuid",
];

/**
 * Modules that only export data. They are evaluated at build time and shipped as JSON, so that starting loads neither zod nor every
 * command, and the sample video, the scripts of the pages and the help topics need no separate files.
 */
const data =
  /\/(src\/(contract\/(static|openapi\/shapes)|help\/topics|cli\/(version|tree|help\/overview))|server\/(config\/defaults|sandbox\/sample-video|web\/scripts))\.ts$/;
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

/** Replaces the JSON Schema validator that conf loads even without a schema. We use no schema. */
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

/** The scripts of the pages are in one file, which both the server and `playtest studio` load. */
const scripts = "server/web/scripts.ts";
const scriptsApart: Plugin = {
  name: "scripts-apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/scripts\.ts$/ }, () => ({ path: "./scripts.js", external: true }));
  },
};

const slug = (path: string) =>
  path
    .replace(/\.[jt]s$/, "")
    .replace(/[^a-z0-9]+/gi, "-")
    .replace(/^-/, "");
const noun = /^src\/commands\/\w+\/index\.ts$/;
const latePart = /^((server|src\/contract|src\/help)\/(?!openapi\/shapes)|src\/cli\/tree\.ts$)/;
/** What becomes a file of its own when it is imported on demand. */
const ownFile = new RegExp(`${noun.source}|${latePart.source}|^src/cli/quick\\.ts$`);
const vendored = new Set<string>();
const parts = new Set<string>();

const tooEarly = (path: string) => ({
  errors: [{ text: `${path} would be loaded at every start; load it with import() where it is used` }],
});

const isShipped = (path: string) => shipped.includes(path.split("/")[0]!);

const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
const isInstalled = (path: string) => installed.some((name) => path === name || path.startsWith(`${name}/`));

const notThere = (path: string) => ({
  errors: [{ text: `${path} is neither bundled nor a dependency; add it to dependencies in package.json` }],
});

/** Packages that are not bundled stay external imports. */
const packages: Plugin = {
  name: "packages",
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind, importer }) => {
      if (kind === "entry-point" || path.startsWith("node:") || path === "commander" || isShipped(path)) return undefined;
      if (importer.includes("/node_modules/")) return undefined;
      return isInstalled(path) ? { path, external: true } : notThere(path);
    });
  },
};

/** Each third-party package of the command line becomes a file that is loaded on demand. */
const vendorFiles: Plugin = {
  name: "vendor-files",
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind }) => {
      if (kind === "entry-point" || !isShipped(path)) return undefined;
      vendored.add(path);
      return { path: `./vendor/${slug(path)}.js`, external: true };
    });
  },
};

/** Parts that commands must load on demand: the server, the contract's validation, the help topics, third-party packages. */
const lateParts: Plugin = {
  name: "late-parts",
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ path, kind, resolveDir }) => {
      const file = relative(root, join(resolveDir, path));
      if (kind !== "dynamic-import") return undefined;
      const entry = Object.entries(entries).find(([, one]) => one === file);
      if (entry) return { path: `./${entry[0]}.js`, external: true };
      if (!latePart.test(file)) return undefined;
      parts.add(file);
      return { path: `./parts/${slug(file)}.js`, external: true };
    });
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind }) =>
      kind === "import-statement" && !path.startsWith("node:") && path !== "commander" ? tooEarly(path) : undefined,
    );
  },
};

/**
 * Divides the command line into the program and the commands of each noun. Every noun imports the program and what nouns share, so that
 * all of these become one file each. What the program imports on demand stays in its file too, and is evaluated on demand.
 */
const nouns: Plugin = {
  name: "nouns",
  setup({ onLoad }) {
    const shared = readdirSync(join(root, "src/commands/shared"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `../shared/${name.replaceAll("\\", "/")}`);
    const program = ["../../cli/program.ts", "../../io/ci.ts", "../../io/meter.ts", ...shared]
      .map((path) => `import ${JSON.stringify(path)};`)
      .join("");
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      if (data.test(path)) return undefined;
      const text = readFileSync(path, "utf8").replace(/(?<!typeof )\bimport\(("\.[^"]+")\)/g, (written, imported) =>
        ownFile.test(relative(root, join(dirname(path), JSON.parse(imported))))
          ? written
          : `Promise.resolve(require(${imported}))`,
      );
      return { contents: noun.test(relative(root, path)) ? program + text : text, loader: "ts" };
    });
  },
};

/** The file of a third-party package: re-exports its exports, whether it is CommonJS or ESM. */
const vendorEntry: Plugin = {
  name: "vendor-entry",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vendor:/ }, ({ path }) => ({ path: path.slice("vendor:".length), namespace: "vendor" }));
    onLoad({ filter: /.*/, namespace: "vendor" }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
      const named = names.filter((name) => name !== "default" && name !== "module.exports");
      const lines = [
        `import * as all from ${JSON.stringify(path)};`,
        ...named.map((name, i) => `const e${i} = all.${name}; export { e${i} as ${name} };`),
        ...(names.includes("default") ? ["export default all.default;"] : []),
      ];
      return { contents: lines.join("\n"), loader: "js", resolveDir: root };
    });
  },
};

const common: BuildOptions = {
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
};
// Bundled CommonJS packages need `require`, for Node.js modules, and their own directory.
const requireBanner = [
  'import{createRequire as __createRequire}from"node:module"',
  "const require=__createRequire(import.meta.url)",
  "const __filename=import.meta.filename,__dirname=import.meta.dirname;",
].join(";");

const entries = { main: "src/main.ts", quick: "src/cli/quick.ts", complete: "src/cli/complete.ts", index: "src/index.ts" };
const { main, ...small } = entries;
const plugins = [inlineData, lateParts, vendorFiles, packages];

rmSync(dist, { recursive: true, force: true });
await build({ ...common, entryPoints: small, plugins });
const program = await build({
  ...common,
  entryPoints: { main },
  splitting: true,
  chunkNames: "command-[name]-[hash]",
  metafile: true,
  banner: { js: requireBanner },
  plugins: [nouns, ...plugins],
});
const buildParts = (files: readonly string[]) =>
  build({
    ...common,
    outdir: join(dist, "parts"),
    entryPoints: Object.fromEntries(files.map((file) => [slug(file), file])),
    splitting: true,
    chunkNames: "shared-[hash]",
    metafile: true,
    banner: { js: requireBanner },
    plugins: [inlineData, scriptsApart, packages],
  });
// The server shares no files with the other parts: it would be in fifty instead of fifteen, each of which takes time to find and link.
const server = "server/main.ts";
const serving = await buildParts([server]);
// Threads are programs of their own, beside the server that starts them.
const threads = readdirSync(join(root, "server"), { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith("-thread.ts"),
);
const besideServer = [scripts, ...threads.map((name) => join("server", name))];
await build({
  ...common,
  outdir: join(dist, "parts"),
  entryPoints: Object.fromEntries(besideServer.map((file) => [basename(file, ".ts"), file])),
  plugins: [inlineData, packages],
});
const others = await buildParts([...parts].filter((file) => file !== server));
const vendor = await build({
  ...common,
  metafile: true,
  outdir: join(dist, "vendor"),
  entryPoints: Object.fromEntries([...vendored].map((specifier) => [slug(specifier), `vendor:${specifier}`])),
  splitting: true,
  chunkNames: "shared-[hash]",
  banner: { js: requireBanner },
  plugins: [vendorEntry, withoutValidator],
});

copyFileSync(join(root, "node_modules/jq-web/jq.wasm"), join(dist, "vendor/jq.wasm"));

/** The license of each bundled package, including packages nested in others. */
function licenses(inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []));
  const texts = [...folders].map((path) => {
    const folder = join(root, path);
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.|$)/i.test(one));
    return `${name}\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : "See its package."}\n`;
  });
  return texts.sort().join(`\n${"-".repeat(80)}\n\n`);
}
const bundled = [program, serving, others, vendor].flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
// The scripts of the pages bundle this too, and otherwise only what is in these.
const inputs = [...bundled, "node_modules/mediabunny/package.json"];
writeFileSync(join(dist, "LICENSES.txt"), licenses(inputs));

mkdirSync(join(dist, "man"));
for (const [name, text] of await manPages()) writeFileSync(join(dist, "man", name), text);

if (folder === undefined) {
  const typescript = JSON.parse(readFileSync(join(root, "node_modules/typescript/package.json"), "utf8")) as {
    bin: { tsc: string };
  };
  const tsc = join(root, "node_modules/typescript", typescript.bin.tsc);
  execFileSync(process.execPath, [tsc, "-p", join(root, "bin/types.json"), "--outDir", join(dist, "types")], {
    stdio: "inherit",
  });
}
