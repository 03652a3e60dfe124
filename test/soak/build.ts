/**
 * Pushes a build of many gigabytes, downloads it as its playtester does, and compares what each program unpacks with what was pushed:
 * `npm run soak:build`. `--gigabytes 2 --files 5000` say how large it is.
 */
import { randomFillSync } from "node:crypto";
import { appendFileSync, createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { peakMemory, playtest } from "../bench/command.ts";
import { api } from "../bench/order.ts";
import { type Served, serveDemo } from "../bench/serve.ts";
import { builtAt, exportedBuilds, heldInFolder, installedUnpackers, unpacked, writeParts } from "../helpers/builds.ts";

const { values } = parseArgs({
  options: { gigabytes: { type: "string", default: "2" }, files: { type: "string", default: "5000" } },
});
const [gigabytes, files] = [Number(values.gigabytes), Number(values.files)];
if (!(gigabytes > 0 && files >= 0)) throw new Error("--gigabytes and --files must be numbers.");

const mib = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), "playtest-soak-build-"));
const lap = (what: string, started: number, more = "") =>
  console.log(`${what.padEnd(28)} ${((performance.now() - started) / 1e3).toFixed(1).padStart(7)} s  ${more}`);

/** Two large files, half of which can be compressed, many small ones, and what engines export. */
function makeBuild(): string {
  const build = join(folder, "build");
  mkdirSync(build);
  for (const parts of Object.values(exportedBuilds)) writeParts(parts, build);
  const noise = Buffer.alloc(8 * mib);
  const text = Buffer.alloc(8 * mib, "position 0.25 0.5 0.75\n");
  for (const name of ["Game_Data/sharedassets0.resource", "game.big.pck"]) {
    for (let size = 0; size < (gigabytes / 2) * 1024; size += 16)
      appendFileSync(join(build, name), Buffer.concat([randomFillSync(noise), text]));
    utimesSync(join(build, name), builtAt, builtAt);
  }
  for (let i = 0; i < files; i++) writeParts({ [`Game_Data/Levels/${i % 100}/${i}.json`]: JSON.stringify({ level: i }) }, build);
  return build;
}

/** What the replies that are read here have. */
interface Replies {
  playtest: { id: string };
  slot: { id: string; buildUrl: string };
}

/** Orders a playtest, claims its slot and downloads the build from there. */
async function download(served: Served): Promise<string> {
  const ask = async (key: string, method: string, path: string): Promise<Replies> =>
    (await api(served, key, method, path, method === "POST" ? {} : undefined)).data;
  const [tester = ""] = served.testerKeys;
  const ordered = await ask(served.ownerKey, "POST", `/games/${served.gameId}/playtests`);
  const { slot } = await ask(tester, "POST", `/playtester/playtests/${ordered.playtest.id}/claim`);
  const held = await ask(tester, "GET", `/playtester/slots/${slot.id}`);
  const reply = await fetch(held.slot.buildUrl);
  if (!reply.ok || !reply.body) throw new Error(`the download returned ${reply.status}`);
  const file = join(folder, "downloaded.zip");
  await pipeline(Readable.fromWeb(reply.body as ReadableStream), createWriteStream(file));
  return file;
}

const served = await serveDemo();
try {
  let started = performance.now();
  const build = makeBuild();
  const expected = await heldInFolder(build);
  lap("made", started, `${Object.keys(expected).length} files, links and empty folders`);

  started = performance.now();
  const pushed = await playtest(served, served.ownerKey, ["games", "push", build, served.gameId, "--json"]);
  const { size } = JSON.parse(pushed.stdout).result;
  const memory = `${Math.round(pushed.peakMemory / mib)} MiB here, ${Math.round((peakMemory(served.pid) ?? 0) / mib)} MiB on the server`;
  lap("pushed", started, `${Math.round(size / mib)} MiB; peak memory ${memory}`);

  started = performance.now();
  const again = await playtest(served, served.ownerKey, ["games", "push", build, served.gameId, "--if-changed", "--json"]);
  if (!JSON.parse(again.stdout).result.skipped) throw new Error("--if-changed pushed the same build again");
  lap("pushed with --if-changed", started, "skipped");

  started = performance.now();
  const file = await download(served);
  lap("downloaded", started, `${Math.round(statSync(file).size / mib)} MiB`);

  for (const program of installedUnpackers()) {
    started = performance.now();
    const to = join(folder, program);
    const same = isDeepStrictEqual(await unpacked(program, file, to), expected);
    lap(`unpacked by ${program}`, started, same ? "equal: bytes, links, modes and times" : "DIFFERENT");
    if (!same) process.exitCode = 1;
    rmSync(to, { recursive: true });
  }
} finally {
  await served.stop();
  rmSync(folder, { recursive: true, force: true });
}
