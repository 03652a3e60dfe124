import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { tree } from "../../src/cli/tree.ts";
import { checkout, shellPath, startDemo } from "../helpers/checkout.ts";
import { playtest } from "../helpers/cli.ts";
import { exampleWords, flagWords, spelledOut } from "../helpers/lines.ts";
import { killLeftovers } from "../helpers/process.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { leaveAll, sitAt } from "../helpers/terminal.ts";

/** What the README tells people to type works as it stands there. */
const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
const lines = (block: string) => block.trim().split("\n");
const between = (start: string, end: string) => readme.split(start)[1]!.split(end)[0]!;
const workflows = new Map(
  [...between("## Six workflows\n", "\n## ").matchAll(/### (.+)\n\n```sh\n([^`]*)```/g)].map(([, name, block]) => [
    name!,
    lines(block!),
  ]),
);
const week = /```js\n(import assert[\s\S]*?)```/.exec(readme)![1]!;

let server: Awaited<ReturnType<typeof startDemo>>;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startDemo();
});
afterAll(killLeftovers);
afterEach(leaveAll);

/** A repository whose game is known, with what the README's lines read. */
function begin() {
  folder = checkout();
  env = {
    PATH: shellPath(folder),
    HOME: folder,
    PLAYTEST_CONFIG_DIR: join(folder, "config"),
    PLAYTEST_API_KEY: server.ownerKey!,
    PLAYTEST_BASE_URL: server.baseUrl,
  };
  writeFileSync(join(folder, "order.yaml"), "quantity: 1\ndurationMinutes: 30\n");
  writeFileSync(join(folder, "orders.csv"), "quantity,durationMinutes,ref\n1,60,a\n2,30,b\n");
  expect(shell([`playtest games use ${server.gameId}`]).status).toBe(0);
}

/** Runs lines as a person's shell does; the first that fails ends it. */
function shell(script: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("sh", ["-ec", script.join("\n")], { cwd: folder, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

const linesOf = (name: string): readonly string[] => {
  begin();
  return workflows.get(name)!;
};
const slots = `$(playtest playtests slots "$PLAYTEST" --jq '.slots[].id')`;
const playEach = `for slot in ${slots}; do playtest api POST sandbox/slots/$slot/play; done`;

it("has six workflows of one or two lines", () => {
  expect([...workflows].map(([name, { length }]) => [name, length])).toEqual([
    ["Nightly push and order from CI", 1],
    ["Bulk order of a spreadsheet", 2],
    ["Gate on results", 2],
    ["Monday review session", 2],
    ["Webhook development on a laptop", 2],
    ["Integration test against an ephemeral server", 1],
  ]);
});

it("first steps: the demo's game is ordered for, played and accepted without a warning", () => {
  begin();
  const order = "PLAYTEST=$(playtest order --quantity 2 --max-cost 40 --jq .playtest.id)";
  const ran = shell([
    order,
    `SLOT=$(playtest playtests slots "$PLAYTEST" --jq '.slots[0].id')`,
    "playtest api POST sandbox/slots/$SLOT/play >played",
    "playtest accept $SLOT --rating 5",
  ]);
  expect(ran).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(/\$10\.00\n$/) });
});

it("nightly push and order from CI: a new build is ordered for, the same one is not", () => {
  const push = linesOf("Nightly push and order from CI");
  Object.assign(env, { CI: "true" });
  expect(shell(push)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Pushed .*\nOrdered .* for \$15\.00: active\./),
  });
  expect(shell(push)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Nothing to do/) });
});

it("bulk order of a spreadsheet: a plan, the orders, and none twice", () => {
  const [plan = "", order = ""] = linesOf("Bulk order of a spreadsheet");
  expect(shell([plan])).toMatchObject({ status: 0, stderr: expect.stringContaining("2 orders, 3 slots: $50.00") });
  expect(shell([order])).toMatchObject({ status: 0, stderr: expect.stringContaining("2 playtests ordered for $50.00") });
  expect(shell([order])).toMatchObject({ status: 0, stderr: expect.stringContaining("2 already ordered") });
});

it.each([
  ["accept", `playtest review accept ${slots} --yes`, 0, "2 accepted"],
  ["reject", `playtest review reject ${slots} --reason 'No sound.' --yes`, 13, "rejected>1 is met. Current state: 2 rejected"],
])("gate on results: %s two", (_, judge, status, shown) => {
  const [order = "", wait = ""] = linesOf("Gate on results");
  writeFileSync(join(folder, "order.yaml"), "quantity: 2\ndurationMinutes: 30\n");
  const ended = shell([order, playEach, judge, wait]);
  expect([ended.status, ended.stdout + ended.stderr]).toEqual([status, expect.stringContaining(shown)]);
});

it("Monday review session: the videos on the disk, then one submission after the other", async () => {
  const [download = "", review = ""] = linesOf("Monday review session");
  shell(["PLAYTEST=$(playtest order -f order.yaml --yes --jq .playtest.id)", playEach]);
  expect(shell([download]).status).toBe(0);
  expect(readdirSync(join(folder, "videos"))).toContainEqual(expect.stringMatching(/^Lantern Deep-.*\.mp4$/));
  writeFileSync(join(folder, "bin/player"), `#!/bin/sh\nprintf %s "$1" > played\n`, { mode: 0o755 });
  const session = sitAt(folder, ["sh", "-c", review], { ...env, PLAYTEST_PLAYER: "player" });
  await session.see("What do you want to do?", "p\r");
  await session.see("Opening the video.");
  await session.see("What do you want to do?", "a\r");
  await session.see("Rating", "5\r");
  await session.see("Comment", "\r");
  await session.see("1 accepted, 0 rejected, 0 skipped.");
  expect(await session.ended).toBe(0);
  await expect.poll(() => existsSync(join(folder, "played"))).toBe(true);
});

it("webhook development on a laptop: an event reaches the receiver", async () => {
  const receiver = await startReceiver();
  const [listen = "", trigger = ""] = linesOf("Webhook development on a laptop");
  expect(listen).toContain(":3000/");
  const line = `exec ${listen.replace(":3000/", `:${receiver.port}/`)}`;
  const listener = spawn("sh", ["-c", line], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(listener, "close");
  try {
    await once(listener.stderr, "data");
    expect(shell([trigger]).status).toBe(0);
    await receiver.until(1);
    expect(receiver.received[0]).toMatchObject({ path: "/webhook", body: expect.stringContaining("slot.submitted") });
  } finally {
    listener.kill("SIGTERM");
    await ended;
    await receiver.close();
  }
});

it("integration test against an ephemeral server: the week in a test passes, and a failure is the exit code", () => {
  const serve = linesOf("Integration test against an ephemeral server");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "node --test" } }));
  writeFileSync(join(folder, "week.test.mjs"), week);
  const passed = shell(serve);
  expect([passed.status, passed.stdout]).toEqual([0, expect.stringMatching(/pass 1\n/)]);
  writeFileSync(join(folder, "week.test.mjs"), week.replace('"completed"', '"cancelled"'));
  expect(shell(serve).status).toBe(1);
});

const commands = new Map(tree.commands.map(({ path, flags }) => [path.join(" "), flags]));
const typed = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block]) => lines(block!))
  .filter((line) => /\bplaytest [a-z]/.test(line));

it.each(typed)("%s", async (line) => {
  const words = exampleWords(line);
  const spelled = spelledOut(words).split(" ");
  const path = [3, 2, 1].map((count) => spelled.slice(0, count).join(" ")).find((one) => commands.has(one));
  expect(path).toBeDefined();
  const globals = (await playtest(["help", "flags"])).stdout;
  const known = commands.get(path!)!.flatMap(({ name, short }) => [`--${name}`, `-${short}`]);
  expect(flagWords(words).filter((word) => !known.includes(word) && !globals.includes(word))).toEqual([]);
});
