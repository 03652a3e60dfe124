import { createRequire } from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, type WorkerOptions } from "node:worker_threads";
import type * as esbuild from "esbuild";

/** Programs of threads, by the addresses of their sources. */
const bundled = new Map<string, string>();

/** The program of a thread in a checkout. A loader for TypeScript would start with every thread, and take longer than most of them. */
function fromSources(file: URL): string {
  const known = bundled.get(file.href);
  if (known !== undefined) return known;
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(file)],
    bundle: true,
    write: false,
    platform: "node",
    packages: "external",
    define: { "import.meta.url": JSON.stringify(file.href) },
  });
  const { text } = outputFiles[0]!;
  bundled.set(file.href, text);
  return text;
}

/**
 * Starts the file `name` beside a module as a thread; `module` is the module's `import.meta.url`. In a checkout it is TypeScript. The build
 * makes each `*-thread.ts` a file beside the program.
 */
export function startThread(module: string, name: string, options: WorkerOptions = {}): Worker {
  const extension = extname(module);
  const file = new URL(`${name}${extension}`, module);
  return extension === ".ts" ? new Worker(fromSources(file), { ...options, eval: true }) : new Worker(file, options);
}
