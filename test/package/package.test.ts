import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "playtest-package-"));
const bin = join(folder, "node_modules/.bin/playtest");
const clean = { PATH: process.env.PATH, HOME: folder, npm_config_cache: process.env.npm_config_cache };
let server: ChildProcess | undefined;

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

const playtest = (args: string[], env: Record<string, string> = {}): Ran => {
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd: folder, encoding: "utf8", env: { ...clean, ...env } });
  return { status, stdout, stderr };
};

beforeAll(() => {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).replace(/^[^[]*(?=\[)/s, ""),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, allowScripts: { "better-sqlite3": true } }));
  // As the documentation says: only on Node.js 20 is there something to build.
  const scripts = Number(process.versions.node.split(".")[0]) >= 22 ? ["--ignore-scripts"] : [];
  const args = ["install", "--no-audit", "--no-fund", ...scripts, join(folder, packed.filename)];
  execFileSync("npm", args, { cwd: folder, stdio: "pipe" });
});

afterAll(async () => {
  if (server?.exitCode === null) {
    server.kill("SIGKILL");
    await new Promise((resolve) => server!.once("exit", resolve));
  }
  rmSync(folder, { recursive: true, force: true });
});

it("ships what it needs and nothing else", () => {
  const installed = join(folder, "node_modules/playtest-cli");
  for (const file of ["README.md", "LICENSE", "CHANGELOG.md", "bin/playtest.js", "dist", "dist/man/playtest-games.1"])
    expect([file, existsSync(join(installed, file))]).toEqual([file, true]);
  for (const file of ["src", "server", "test", "tsconfig.json"])
    expect([file, existsSync(join(installed, file))]).toEqual([file, false]);
});

it("says its version and explains itself", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(playtest(["--version"])).toMatchObject({ status: 0, stdout: `${version}\n` });
  expect(playtest(["--help"]).stdout).toContain("playtests");
  expect(playtest(["nonsense"])).toMatchObject({ status: 2, stdout: "" });
});

/** Commands that load a part of the program, or a package, that the others do not. */
const parts = (gameId: string, paymentId: string) => [
  ["games", "list", "--jq", ".games[].name"],
  ["games", "push", join(folder, "node_modules/playtest-cli/bin"), gameId],
  ["billing", "invoice", paymentId, "--dir", folder],
  ["playtests", "order", gameId, "-f", join(folder, "order.yaml"), "--dry-run"],
  ["playtests", "bulk", join(folder, "orders.csv"), "--plan"],
  ["completion", "bash"],
];

it("serves, takes an order and ends on SIGTERM with 0", async () => {
  const readyFile = join(folder, "ready.json");
  mkdirSync(join(folder, "data"));
  server = spawn(
    bin,
    ["serve", "run", "--seed", "minimal", "--port", "0", "--data", join(folder, "data"), "--ready-file", readyFile],
    { env: clean, stdio: "ignore" },
  );
  while (!existsSync(readyFile)) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    await sleep(50);
  }
  const ready = JSON.parse(readFileSync(readyFile, "utf8"));
  const env = { PLAYTEST_BASE_URL: ready.baseUrl, PLAYTEST_API_KEY: ready.ownerKey };
  const games = playtest(["games", "list", "--json"], env);
  expect([games.status, games.stderr]).toEqual([0, ""]);
  expect(JSON.parse(games.stdout).games[0].id).toBe(ready.gameId);
  const order = playtest(["playtests", "order", ready.gameId, "--quantity", "2", "--yes", "--json"], env);
  expect([order.status, order.stderr]).toEqual([0, expect.any(String)]);
  expect(JSON.parse(order.stdout)).toMatchObject({ paidWithCredit: true, totalCents: 4000 });
  writeFileSync(join(folder, "order.yaml"), "quantity: 1\n");
  writeFileSync(join(folder, "orders.csv"), `game\n${ready.gameId}\n`);
  for (const args of parts(ready.gameId, JSON.parse(order.stdout).paymentId)) {
    const { status, stderr } = playtest(args, env);
    expect([args.join(" "), status, status === 0 ? "" : stderr]).toEqual([args.join(" "), 0, ""]);
  }
  // Nothing takes a delivery there: that it was refused says that it was sent.
  const hook = playtest(["webhooks", "create", `${ready.baseUrl}/nowhere`, "--events", "*", "--json"], env);
  const sent = playtest(["webhooks", "test", JSON.parse(hook.stdout).webhook.id, "--json"], env);
  expect(JSON.parse(sent.stdout)).toMatchObject({ success: false, delivery: { statusCode: 404 } });
  // Somebody without a checkout installs the command from the server.
  const other = join(folder, "other");
  const address = `${ready.baseUrl}/playtest-cli.tgz`;
  expect(await (await fetch(ready.baseUrl)).text()).toContain(`npm install --global ${address}\n`);
  const flags = ["--global", "--prefix", other, "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  execFileSync("npm", ["install", ...flags, address], { cwd: folder, env: clean, stdio: "pipe" });
  const there = spawnSync(join(other, "bin/playtest"), ["games", "list", "--json"], {
    encoding: "utf8",
    env: { ...clean, ...env },
  });
  expect(there).toMatchObject({ status: 0, stdout: playtest(["games", "list", "--json"], env).stdout });
  server.kill("SIGTERM");
  expect(await new Promise((resolve) => server!.once("exit", (code) => resolve(code)))).toBe(0);
});

it("names a limit of 24 open files with its remedy, and reports no bug", () => {
  const command = ["-c", 'ulimit -n 24; exec "$@"', "sh", bin, "serve", "run", "--port", "0", "--ephemeral"];
  const { status, stderr } = spawnSync("sh", command, { cwd: folder, encoding: "utf8", env: clean });
  expect(stderr).toContain("Raise the limit of open files");
  expect(stderr).not.toMatch(/bug|\n {4}at /);
  expect(status).toBe(1);
});

it("is a typed library too", () => {
  const script = `import { createClient } from "playtest-cli"; console.log(typeof createClient);`;
  expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8" })).toBe(
    "function\n",
  );
  const { exports } = JSON.parse(readFileSync(join(folder, "node_modules/playtest-cli/package.json"), "utf8"));
  expect(existsSync(join(folder, "node_modules/playtest-cli", exports["."].types))).toBe(true);
});
