import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startHostedWorld } from "../helpers/hosted-world.ts";
import { ownServer } from "../helpers/own-server.ts";
import { newId } from "../helpers/walk.ts";

const program = fileURLToPath(new URL("../fixtures/transcriber.mjs", import.meta.url));
const vtt = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello there.\n";
const mode = (name: string) => `${process.execPath} ${program} ${name}`;
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("playtest-transcript-"));

describe("review transcript --make", () => {
  let owner: Person;
  let baseUrl: string;
  let slotId: string;
  beforeAll(async () => {
    const server = await ownServer();
    owner = await registerOwner(server);
    await giveCredit(server, owner, 20_000);
    slotId = await play(server, await registerPlaytester(server, "Ann"), await order(owner, await createGame(owner)));
    ({ baseUrl } = server);
    return server.close;
  });
  const run = (words: string[], options: RunOptions = {}) =>
    playtest(["review", "transcript", slotId, ...words], { baseUrl, key: owner.key, outside: { newId }, ...options });
  const make = (command: string, ...more: string[]) => run(["--make", "--with", command, ...more]);

  it("runs the program on the video and saves what it prints; nothing stays behind", async () => {
    const before = folders();
    expect(await make(mode("vtt"))).toMatchObject({ code: 0, stdout: "Saved the transcript.\n" });
    expect((await run([])).stdout).toBe(vtt);
    expect(folders()).toEqual(before);
  });

  it("without a program says which ones there are, and changes nothing", async () => {
    const { code, stderr } = await run(["--make"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/whisper-cli.*generate-subtitles\.py/s)]);
    expect((await run(["--with", "x"])).stderr).toContain("--with and --within belong to --make.");
    expect((await make("   ")).code).toBe(2);
  });

  it.each([
    ["fails", mode("fail"), /ended with code 3\. Nothing was changed\. It said:\s+no such model/],
    ["prints no transcript", mode("garbage"), /must be WebVTT/],
    ["prints nothing", mode("nothing"), /must be WebVTT/],
    ["prints without end", mode("huge"), /printed more than \d+ bytes/],
    ["is not there", "/nowhere/transcriber", /Cannot start \/nowhere\/transcriber: .*ENOENT/],
    ["would need a shell", `${mode("vtt")};touch /tmp/owned {video}`, /ended with code 1/],
  ])("a program that %s leaves the transcript as it is", async (_, command, said) => {
    const before = (await run([])).stdout;
    const { code, stderr } = await make(command);
    expect([code, stderr]).toEqual([1, expect.stringMatching(said)]);
    expect((await run([])).stdout).toBe(before);
  });

  it("a program gets neither the API key nor other settings of this command, and may leave a process behind", async () => {
    const script = join(testFolder(), "says.mjs");
    const cue = "WEBVTT\\n\\n00:00.000 --> 00:02.000\\n";
    writeFileSync(
      script,
      `console.log("${cue}" + Object.keys(process.env).filter((name) => /PLAYTEST/.test(name)).length + " names");`,
    );
    expect(await make(`${process.execPath} ${script}`)).toMatchObject({ code: 0 });
    expect((await run([])).stdout).toContain("\n0 names");
    expect(await make(`${mode("orphan")} ${testFolder()}/pid {video}`)).toMatchObject({ code: 0 });
  });

  it("a program that does not end is ended, with what it started", async () => {
    const { code, stderr } = await make(`${mode("hang")} ${testFolder()}/pids {video}`, "--within", "1s");
    expect([code, stderr]).toEqual([1, expect.stringContaining("did not end within 1 seconds. Nothing was changed.")]);
  });
});

it("a server that takes no transcripts leaves it on this computer, where it is shown and deleted", async () => {
  const world = await startHostedWorld();
  const slotId = await world.submitted();
  const env = { PLAYTEST_CONFIG_DIR: testFolder() };
  const run = (...words: string[]) =>
    playtest(["review", "transcript", slotId, ...words], { baseUrl: world.hosted.baseUrl, key: world.owner.key, env });
  // The server has not made its own yet.
  expect((await run()).code).toBe(8);
  const made = await run("--make", "--with", mode("vtt"));
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining("kept on this computer") });
  expect(await run()).toMatchObject({ code: 0, stdout: vtt });
  expect(JSON.parse((await run("--json")).stdout)).toMatchObject({ slotId, vtt });
  expect((await run("--revert", "--yes")).stdout).toContain("Deleted the transcript on this computer.");
  expect((await run()).stderr).not.toContain("made on this computer");
});
