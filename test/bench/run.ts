import type { Figure } from "./measure.ts";

/** `npm run bench` measures everything; `npm run bench -- start read` only what is named. One file a benchmark, one line here. */
const benchmarks: Record<string, () => Promise<Figure[]>> = {
  start: async () => (await import("./start.ts")).start(),
  "start-call": async () => (await import("./start.ts")).startCall(),
  read: async () => (await import("./read.ts")).read(),
  mixed: async () => (await import("./mixed.ts")).mixed(),
  order: async () => (await import("./order.ts")).order(),
  claim: async () => (await import("./claim.ts")).claim(),
  growth: async () => (await import("./data-size/growth.ts")).growth(),
  depth: async () => (await import("./data-size/depth.ts")).depth(),
  boot: async () => (await import("./data-size/boot.ts")).boot(),
  idle: async () => (await import("./idle.ts")).idle(),
  storage: async () => (await import("./data-size/storage.ts")).storage(),
  bulk: async () => (await import("./bulk.ts")).bulk(),
  upload: async () => (await import("./transfer.ts")).upload(),
  download: async () => (await import("./transfer.ts")).download(),
  webhooks: async () => (await import("./webhooks.ts")).webhooks(),
  processes: async () => (await import("./processes.ts")).processes(),
  search: async () => (await import("./search.ts")).search(),
  studio: async () => (await import("./studio.ts")).studio(),
  hostile: async () => (await import("./hostile.ts")).hostile(),
  install: async () => (await import("./install.ts")).install(),
};

const row = (cells: readonly string[], widths: readonly number[]) =>
  `${cells
    .map((cell, i) => cell.padEnd(widths[i]!))
    .join("  ")
    .trimEnd()}\n`;

function table(figures: readonly Figure[]): string {
  const head = ["benchmark", "what", "ratio", "goal", "", "figures"];
  const rows = figures.map(({ name, what, ratio, goal, met, raw }) => [
    name,
    what,
    `${ratio.toFixed(2)}×`,
    goal,
    met ? "met" : "MISSED",
    raw,
  ]);
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((cells) => cells[i]!.length)));
  return [head, ...rows].map((cells) => row(cells, widths)).join("");
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  process.stderr.write(`No benchmark ${unknown.join(", ")}. There are: ${Object.keys(benchmarks).join(", ")}.\n`);
  process.exitCode = 2;
} else {
  const figures: Figure[] = [];
  for (const name of asked.length > 0 ? asked : Object.keys(benchmarks)) {
    process.stderr.write(`${name} …\n`);
    figures.push(...(await benchmarks[name]!()));
  }
  process.stdout.write(table(figures));
}
