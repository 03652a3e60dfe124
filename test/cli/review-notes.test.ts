import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { isMpv } from "../../src/io/player.ts";
import { testFolder } from "../helpers/cli.ts";
import { order, ownerWithGame, type Person, play, registerPlaytester } from "../helpers/factories.ts";
import { startFlakyNetwork } from "../helpers/flaky-network.ts";
import { ownServer } from "../helpers/own-server.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import type { TestServer } from "../helpers/server.ts";
import { leaveAll, sitDown } from "../helpers/terminal.ts";

/** Notes that are made during a review, at a real terminal, while a player runs. */
let server: TestServer;
let owner: Person;
let gameId: string;
const players: number[] = [];

beforeAll(async () => {
  server = await ownServer();
  ({ owner, gameId } = await ownerWithGame(server, 100_000, "Ada"));
  return server.close;
});
afterEach(async () => {
  leaveAll();
  await killLeftovers();
  for (const pid of players.splice(0)) process.kill(pid);
  const { submissions } = (await owner.get("/submissions?status=submitted")).body.data;
  for (const { slot } of submissions) await owner.post(`/slots/${slot.id}/accept`);
});

const submitted = async () => play(server, await registerPlaytester(server), await order(owner, gameId));
const moments = async (slotId: string) => (await owner.get(`/slots/${slotId}/moments`)).body.data.moments;

/** A folder with a program called `mpv` in it. */
function withMpv(): string {
  const folder = testFolder();
  const fake = fileURLToPath(new URL("../fixtures/mpv.mjs", import.meta.url));
  writeFileSync(join(folder, "mpv"), `#!/bin/sh\nexec '${process.execPath}' '${fake}' "$@"\n`, { mode: 0o755 });
  return folder;
}

/** Sits down to a review; `listening` resolves with how mpv was started, once it takes questions. */
function review(folder: string, env: Record<string, string>, flags: readonly string[] = []) {
  const base = { PLAYTEST_BASE_URL: server.baseUrl, PLAYTEST_API_KEY: owner.key, FAKE_MPV_FOLDER: folder };
  const session = sitDown(folder, ["review", "next", ...flags], { ...base, ...env });
  const file = join(folder, "mpv.json");
  async function listening(): Promise<{ args: string[]; socketPath: string; mode: string; pid: number }> {
    await expect.poll(() => existsSync(file)).toBe(true);
    const started = JSON.parse(readFileSync(file, "utf8"));
    players.push(started.pid);
    return started;
  }
  return { session, listening };
}

describe("review next: a note", () => {
  it.each([
    ["the configured mpv", (folder: string) => ({ PLAYTEST_PLAYER: `${join(folder, "mpv")} --fs` }), ["--fs"]],
    ["an mpv that is installed", (folder: string) => ({ PATH: `${folder}:${process.env.PATH}` }), []],
  ])("is at the position of %s", async (_, env, options) => {
    const id = await submitted();
    const folder = withMpv();
    const { session, listening } = review(folder, { FAKE_MPV_POSITION: "761.25", ...env(folder) });
    await session.see("What do you want to do?", "p");
    await session.see("Opening the video.");
    const { args, socketPath, mode } = await listening();
    expect([args.slice(0, -2), mode, existsSync(socketPath)]).toEqual([options, "700", true]);
    // Other users of the computer see the arguments, so the link is in a file that only this user reads.
    const playlist = args.at(-1)!.replace("--playlist=", "");
    expect([readFileSync(playlist, "utf8"), statSync(playlist).mode & 0o777]).toEqual([
      expect.stringMatching(/token=\S+\n$/),
      0o600,
    ]);
    expect(args.join(" ")).not.toContain("token=");
    await session.see("What do you want to do?", "n");
    await session.see("Note at 12:41", "Lost in the tutorial\r");
    await session.see("Kind:", "xc");
    await session.see("Noted at 12:41.");
    await session.see("What do you want to do?", "q");
    expect([await session.ended, session.restored()]).toEqual([0, true]);
    expect([dirname(socketPath), dirname(playlist)].filter(existsSync)).toEqual([]);
    expect(await moments(id)).toMatchObject([{ atMs: 761_250, text: "Lost in the tutorial", kind: "confusion", endMs: null }]);
  });

  it("asks for the position if mpv plays nothing yet or was closed, and again after one that is none", async () => {
    const id = await submitted();
    const folder = withMpv();
    const { session, listening } = review(folder, { PLAYTEST_PLAYER: join(folder, "mpv") });
    await session.see("What do you want to do?", "p");
    const { pid } = await listening();
    await session.see("What do you want to do?", "n");
    await session.see("Position in the video", "noon\r");
    await session.see('"noon" is not a position in a video.');
    process.kill(players.pop()!);
    await expect.poll(() => isRunning(pid)).toBe(false);
    await session.see("What do you want to do?", "n");
    await session.see("Position in the video", "1:02:41\r");
    await session.see("Note at 1:02:41", "The map is upside down\r");
    await session.see("Kind:", "b");
    await session.see("Noted at 1:02:41.");
    await session.see("What do you want to do?", "q");
    expect(await session.ended).toBe(0);
    expect(await moments(id)).toMatchObject([{ atMs: 3_761_000, kind: "bug" }]);
  });

  it("is kept on this computer when the server cannot be reached, and uploaded once", async () => {
    const id = await submitted();
    const down = { now: false };
    const network = await startFlakyNetwork(
      server.baseUrl,
      () => false,
      ({ url }) => down.now && url!.endsWith("/moments"),
    );
    const folder = testFolder();
    const { session } = review(folder, { PLAYTEST_BASE_URL: network.baseUrl, PLAYTEST_PLAYER: "true" }, ["--retries", "0"]);
    await session.see("What do you want to do?", "n");
    await session.see("Position in the video", "90\r");
    down.now = true;
    await session.see("Note at 1:30", "The door is stuck\r");
    await session.see("Kind:", "b");
    await session.see("`playtest review notes push`");
    down.now = false;
    await session.see("What do you want to do?", "q");
    expect(await session.ended).toBe(0);
    expect(await moments(id)).toEqual([]);
    const env = { PLAYTEST_BASE_URL: network.baseUrl, PLAYTEST_API_KEY: owner.key };
    expect(await spawnPlaytest(folder, ["review", "notes", "push"], env).ended).toMatchObject({ code: 0 });
    expect(await moments(id)).toMatchObject([{ atMs: 90_000, text: "The door is stuck", kind: "bug" }]);
    await network.close();
  });

  it("is not made when its position, its text or its kind is left out", async () => {
    const id = await submitted();
    const { session } = review(testFolder(), { PLAYTEST_PLAYER: "true" });
    await session.see("What do you want to do?", "n");
    await session.see("Position in the video", "\r");
    await session.see("What do you want to do?", "n");
    await session.see("Position in the video", "90\r");
    await session.see("Note at 1:30", "\r");
    await session.see("What do you want to do?", "n");
    await session.see("Position in the video", "90\r");
    await session.see("Note at 1:30", "Nothing much\r");
    await session.see("Kind:", "\u001b");
    await session.see("What do you want to do?", "q");
    expect(await session.ended).toBe(0);
    expect(await moments(id)).toEqual([]);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each([
  ["mpv", true],
  ["/usr/local/bin/mpv --fs", true],
  ["C:\\tools\\mpv.exe", true],
  ["vlc", false],
  ["/opt/mpv/play", false],
])("%s is mpv: %s", (command, expected) => expect(isMpv(command)).toBe(expected));
