/**
 * Draws the README's picture: a review on a terminal, as a sandbox server really answered it. Needs `script` of util-linux:
 * `npx tsx bin/docs/picture.ts`.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const root = join(import.meta.dirname, "../..");
const program = `${process.execPath} ${join(root, "bin/playtest.js")}`;
const folder = mkdtempSync(join(tmpdir(), "playtest-picture-"));
const columns = 84;
const base = { ...process.env, HOME: folder, PLAYTEST_CONFIG_DIR: join(folder, "config"), TERM: "xterm", NO_COLOR: "", CI: "" };

const run = (command: string, env: NodeJS.ProcessEnv) =>
  spawnSync("sh", ["-c", `${program} ${command}`], { cwd: folder, env, encoding: "utf8" }).stdout.trim();
/** What a command prints on a terminal. */
const shown = (command: string, env: NodeJS.ProcessEnv) =>
  spawnSync("script", ["-qec", `stty cols ${columns}; ${program} ${command}`, "/dev/null"], {
    cwd: folder,
    env,
    encoding: "utf8",
  })
    .stdout.replaceAll("\r", "")
    .trimEnd()
    .split("\n");

interface Part {
  text: string;
  style: string;
  column: number;
}

const styles: Record<string, string> = { "1": "bold", "2": "dim", "32": "green", "33": "yellow", "36": "cyan" };

/** A line's parts, each with the style that an escape sequence before it set. */
function partsOf(line: string): Part[] {
  const parts: Part[] = [];
  let [style, column] = ["", 0];
  for (const piece of line.split(new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`))) {
    const code = /\[([\d;]*)m$/.exec(piece)?.[1];
    if (code !== undefined) style = styles[code] ?? "";
    else if (piece !== "") {
      // SVG takes out spaces, but not those that do not break.
      parts.push({ text: piece.replaceAll(" ", "\u00a0"), style, column });
      column += [...piece].length;
    }
  }
  return parts;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const [cell, height, margin, bar] = [8.4, 21, 20, 34];

function svg(lines: readonly string[]): string {
  const text = lines.flatMap((line, i) =>
    partsOf(line).map(
      ({ text: words, style, column }) =>
        `<text x="${(margin + column * cell).toFixed(1)}" y="${bar + 22 + i * height}"${style && ` class="${style}"`}>${escaped(words)}</text>`,
    ),
  );
  const [width, tall] = [Math.ceil(margin * 2 + columns * cell), bar + 22 + lines.length * height];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${tall}" role="img" aria-label="A review in a terminal">
<style>text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #d6deeb; } .bold { font-weight: 700; fill: #fff; } .dim { fill: #8291a5; } .green { fill: #7ddc9f; } .yellow { fill: #f5c86a; } .cyan { fill: #7cc7ff; }</style>
<rect width="${width}" height="${tall}" rx="10" fill="#12161c"/>
<circle cx="22" cy="18" r="5.5" fill="#ff6b5e"/><circle cx="41" cy="18" r="5.5" fill="#f5c04f"/><circle cx="60" cy="18" r="5.5" fill="#5cc26a"/>
${text.join("\n")}
</svg>
`;
}

const ready = join(folder, "ready.json");
const server = spawn("sh", ["-c", `exec ${program} serve run --ephemeral --seed minimal --port 0 --ready-file ${ready}`], {
  env: base,
  stdio: "ignore",
});
try {
  while (!existsSync(ready)) await sleep(50);
  const { baseUrl, ownerKey, gameId } = JSON.parse(readFileSync(ready, "utf8")) as Record<string, string>;
  const env = { ...base, PLAYTEST_BASE_URL: baseUrl, PLAYTEST_API_KEY: ownerKey };
  run(`games use ${gameId}`, env);
  run("order --quantity 3 --max-cost 60", env);
  const playtest = run("playtests list --jq '.playtests[0].id'", env);
  const slots = run(`playtests slots ${playtest} --jq '.slots[].id'`, env).split("\n");
  for (const slot of slots) run(`api POST sandbox/slots/${slot}/play`, env);
  const lines = ["$ playtest review list", ...shown("review list", env), ""];
  const short = slots[0]!.slice(-8);
  lines.push(`$ playtest review accept ${short} --rating 5`, ...shown(`review accept ${short} --rating 5`, env), "");
  lines.push("$ playtest status", ...shown("status", env));
  writeFileSync(join(root, "src/help/review.svg"), svg(lines));
} finally {
  server.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
