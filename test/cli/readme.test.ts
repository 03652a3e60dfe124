import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkout, shellPath, startDemo } from "../helpers/checkout.ts";
import { playtest } from "../helpers/cli.ts";
import { documents } from "../helpers/documents.ts";
import { killLeftovers } from "../helpers/process.ts";
import { leaveAll, sitAt } from "../helpers/terminal.ts";

const root = join(import.meta.dirname, "../..");
const readme = documents.get("README")!;

let server: Awaited<ReturnType<typeof startDemo>>;
beforeAll(async () => {
  server = await startDemo();
});
afterAll(killLeftovers);
afterEach(leaveAll);

/** Text without what differs from run to run: ids, sizes, the port, the simulated playtester's name. */
const comparable = (text: string) =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replace(/\b[0-9a-f]{8}\b/g, "SHORT")
    .replace(/127\.0\.0\.1:\d+/g, "SERVER")
    .replace(/\d+ B as/g, "SIZE as")
    .replace(/and paid .+ \$/, "and paid NAME $")
    .trim();

describe("the README's session", () => {
  const session = /```console\n([\s\S]*?)```/.exec(readme)![1]!;
  const steps = session
    .trim()
    .split(/^\$ playtest /m)
    .slice(1);

  it("has three commands, and prints what they print", async () => {
    const folder = checkout();
    mkdirSync(join(folder, "build"), { recursive: true });
    const env = { PLAYTEST_API_KEY: server.ownerKey!, NO_COLOR: "1", PLAYTEST_CONFIG_DIR: join(folder, "config") };
    const options = { env, baseUrl: server.baseUrl, cwd: folder, tty: { stdout: true }, columns: 80, now: Date.now() };
    const run = async (words: readonly string[]) => {
      const { code, stdout, stderr } = await playtest(words, options);
      return code === 0 ? stdout : stderr;
    };
    await run(["games", "use", server.gameId!]);
    expect(steps.length).toBe(3);
    for (const step of steps) {
      const [line = "", ...output] = step.split("\n");
      const words = line.split(" ");
      if (words[0] === "review") {
        const playtestId = JSON.parse(await run(["playtests", "list", "--json"])).playtests[0].id;
        const slotId = JSON.parse(await run(["playtests", "slots", playtestId, "--json"])).slots[0].id;
        await run(["api", "POST", `sandbox/slots/${slotId}/play`]);
        words[2] = slotId;
      }
      expect(comparable(await run(words))).toBe(comparable(output.join("\n")));
    }
  });
});

it("every file that the README and the README files of folders link to exists", () => {
  const files = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "server/README.md", "server/ledger/README.md", "src/README.md"];
  const dead = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !existsSync(join(root, file, "..", target)))
      .map((target) => `${file}: ${target}`),
  );
  expect(dead).toEqual([]);
});

it("review next: the videos are on the disk, then one submission after the other", async () => {
  const folder = checkout();
  const env = {
    PATH: shellPath(folder),
    PLAYTEST_API_KEY: server.ownerKey!,
    PLAYTEST_BASE_URL: server.baseUrl,
    PLAYTEST_PLAYER: "player",
  };
  writeFileSync(join(folder, "bin/player"), `#!/bin/sh\nprintf %s "$1" > played\n`, { mode: 0o755 });
  const script = [
    `playtest games use ${server.gameId}`,
    "PLAYTEST=$(playtest order --quantity 1 --yes --jq .playtest.id)",
    `SLOT=$(playtest playtests slots "$PLAYTEST" --jq '.slots[0].id')`,
    "playtest api POST sandbox/slots/$SLOT/play > slot.json",
    "playtest review download --all --dir videos",
    "playtest review next",
  ];
  const session = sitAt(folder, ["sh", "-ec", script.join("\n")], env);
  await session.see("What do you want to do?", "p\r");
  await session.see("Opening the video.");
  expect(readdirSync(join(folder, "videos"))).toContainEqual(expect.stringMatching(/^Lantern Deep-.*\.mp4$/));
  await session.see("What do you want to do?", "a\r");
  await session.see("Rating", "5\r");
  await session.see("Comment", "\r");
  await session.see("1 accepted, 0 rejected, 0 skipped.");
  expect(await session.ended).toBe(0);
  await expect.poll(() => existsSync(join(folder, "played"))).toBe(true);
});
