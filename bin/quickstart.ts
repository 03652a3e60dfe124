/**
 * Demonstrates the complete workflow: starts a sandbox server in a temporary directory and runs the `playtest` commands of a game
 * owner and a playtester. Prints each command and its real output.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const root = join(import.meta.dirname, "..");
const cli = join(root, "bin/playtest.js");
const video = join(root, "server/sandbox/sample.mp4");
const folder = mkdtempSync(join(tmpdir(), "playtest-quickstart-"));
const dataDir = join(folder, "data");
const settings = { PLAYTEST_CONFIG_DIR: join(folder, "config"), PLAYTEST_BUILT: "1", CI: "" };
const env: NodeJS.ProcessEnv = { ...process.env, ...settings };
for (const name of ["PLAYTEST_API_KEY", "PLAYTEST_BASE_URL", "PLAYTEST_PROFILE"]) delete env[name];

const say = (text: string) => process.stdout.write(`${text}\n`);
const quote = (word: string) => (/^[\w./:=@,-]+$/.test(word) ? word : `'${word}'`);
const short = (word: string) => (word.startsWith(root) ? relative(root, word) : word);

/** Runs one command with the output passed through. Throws if it fails. */
function run(args: string[], input = ""): void {
  say(`\n$ playtest ${args.map(short).map(quote).join(" ")}`);
  const { status } = spawnSync(process.execPath, [cli, ...args], {
    cwd: folder,
    env,
    input,
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (status !== 0) throw new Error(`the command failed with exit code ${status}`);
}

/** Runs a command and returns one value of its JSON output, such as an id. */
function query(args: string[], expression: string): string {
  const { stdout } = spawnSync(process.execPath, [cli, ...args, "--jq", expression], { cwd: folder, env, encoding: "utf8" });
  return stdout.trim();
}

async function startServer(): Promise<{ child: ChildProcess; baseUrl: string }> {
  const readyFile = join(folder, "ready.json");
  const args = ["serve", "run", "--sandbox", "--port", "0", "--data", dataDir, "--ready-file", readyFile];
  say(`$ playtest ${args.map(quote).join(" ")} &`);
  const child = spawn(process.execPath, [cli, ...args, "--log", "json"], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    log = (log + text).slice(-4000);
  });
  while (!existsSync(readyFile)) {
    if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}:\n${log}`);
    await sleep(25);
  }
  const { baseUrl } = JSON.parse(readFileSync(readyFile, "utf8"));
  say(`  Listening on ${baseUrl}`);
  return { child, baseUrl };
}

function stop(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null) return Promise.resolve();
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  return ended;
}

function makeBuild(): string {
  const build = join(folder, "build");
  mkdirSync(build);
  writeFileSync(
    join(build, "index.html"),
    "<!doctype html><title>Lantern Deep</title><h1>Lantern Deep</h1><p>Press any key.</p>\n",
  );
  writeFileSync(join(build, "version.txt"), "0.9.1\n");
  return build;
}

function demonstrate(baseUrl: string): void {
  say("\n— The owner registers, uploads a build, buys credit and orders two playtests.");
  const owner = ["-P", "owner"];
  run(
    [
      ...owner,
      "auth",
      "register",
      "--email",
      "ada@example.com",
      "--role",
      "game_owner",
      "--company-name",
      "Lantern Works",
      "--password-file",
      "-",
      "--base-url",
      baseUrl,
    ],
    "correct horse\n",
  );
  run([
    ...owner,
    "games",
    "create",
    "--name",
    "Lantern Deep",
    "--build-url",
    "https://example.com/soon.zip",
    "--instructions",
    "Press any key to start.",
    "--devices",
    "PC",
  ]);
  const game = query([...owner, "games", "list"], ".games[0].id");
  run([...owner, "games", "push", makeBuild(), game, "--version-label", "0.9.1"]);
  run([...owner, "billing", "credit", "add", "--amount", "50", "--sandbox"]);
  run([...owner, "playtests", "quote", game, "--quantity", "2"]);
  run([...owner, "playtests", "order", game, "--quantity", "2", "--notes-for-testers", "Think aloud, please.", "--yes"]);
  const playtest = query([...owner, "playtests", "list", game], ".playtests[0].id");

  say("\n— A playtester finds the playtest, claims a slot, plays and submits a video.");
  const tester = ["-P", "tess"];
  run(
    [
      ...tester,
      "auth",
      "register",
      "--email",
      "tess@example.com",
      "--role",
      "playtester",
      "--name",
      "Tess",
      "--password-file",
      "-",
      "--base-url",
      baseUrl,
    ],
    "battery staple\n",
  );
  run([...tester, "tester", "browse"]);
  run([...tester, "tester", "claim", playtest]);
  const slot = query([...tester, "tester", "slots"], ".slots[0].id");
  run([...tester, "tester", "show", slot]);
  // The sample lasts three seconds, which is less than the playtest is booked for: --yes submits it as it is.
  run([...tester, "tester", "submit", video, slot, "--notes", "The lantern never went out.", "--yes"]);

  say("\n— The owner reviews, downloads and accepts the video; the playtester is paid.");
  run([...owner, "review", "list"]);
  run([...owner, "review", "show", slot]);
  run([...owner, "review", "download", slot, "--dir", join(folder, "videos")]);
  run([...owner, "review", "accept", slot, "--rating", "5", "--comment", "Exactly what we needed."]);
  run([...tester, "tester", "earnings"]);

  say("\n— The owner cancels the second slot: its price is refunded, and the ledger balances.");
  const open = query([...owner, "playtests", "slots", playtest], '.slots[] | select(.status == "open") | .id');
  run([...owner, "playtests", "cancel-slot", open, "--yes"]);
  run([...owner, "billing", "balance"]);
  run([...owner, "billing", "payments", "list"]);
  run(["serve", "doctor", "--ledger", "--data", dataDir]);
}

const started = performance.now();
const { child, baseUrl } = await startServer();
try {
  demonstrate(baseUrl);
} finally {
  await stop(child);
}
say(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s. To continue with the same data:`);
say(`  export PLAYTEST_CONFIG_DIR=${join(folder, "config")}`);
say(`  npx playtest serve run --sandbox --port ${new URL(baseUrl).port} --data ${dataDir}`);
say("Then, in another terminal with the same export: npx playtest -P owner status");
