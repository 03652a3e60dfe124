import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { heldInZip } from "../helpers/builds.ts";
import { playtest } from "../helpers/cli.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";
import { newId } from "../helpers/walk.ts";

const script = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));

describe("clips", () => {
  let server: TestServer;
  let owner: Person;
  let slotId: string;
  beforeAll(async () => {
    server = await ownServer({
      config: ({ clips }) => void Object.assign(clips, { ffmpeg: [process.execPath, script, "cut"] }),
    });
    owner = await registerOwner(server);
    await giveCredit(server, owner, 20_000);
    slotId = await play(server, await registerPlaytester(server), await order(owner, await createGame(owner)));
    return server.close;
  });
  const run = (words: string[], cwd = freshFolder()) =>
    playtest(["review", ...words], {
      baseUrl: server.baseUrl,
      key: owner.key,
      cwd,
      outside: { newId, sleep: () => server.advance(0) },
    });

  it("are cut, saved, listed and deleted", async () => {
    const cwd = freshFolder();
    // What an interrupted run left of another span is no part of this one.
    writeFileSync(join(cwd, "door.part"), "another");
    const { code, stdout, stderr } = await run(
      ["clip", slotId, "12:30-12:55", "--name", "The first door", "--save", "door.mp4", "--json"],
      cwd,
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Saved ${join(cwd, "door.mp4")}`)]);
    const { clip } = JSON.parse(stdout);
    expect(clip).toMatchObject({ name: "The first door", atMs: 750_000, endMs: 775_000, status: "ready" });
    expect(JSON.parse(readFileSync(join(cwd, "door.mp4"), "utf8")).args).toContain("750.000");
    const listed = (await run(["clips", slotId, "--tsv"])).stdout.split("\n")[1];
    expect(listed).toMatch(/\tThe first door\t12:30-12:55\tready\t/);
    expect((await run(["clips", "delete", clip.id, "--yes"])).code).toBe(0);
    expect(JSON.parse((await run(["clips", slotId, "--json"])).stdout).clips).toEqual([]);
    expect(readdirSync(cwd)).toEqual(["door.mp4"]);
  });

  it("of a reel are of a finding or of notes of a kind, and are saved as one file or in a zip file", async () => {
    const cwd = freshFolder();
    const gameId = (await owner.get(`/slots/${slotId}`)).body.data.slot.game.id;
    const { finding } = (await owner.post(`/games/${gameId}/findings`, { title: "Nobody finds the lantern" })).body.data;
    expect((await run(["reel", finding.id])).code).toBe(3);
    await owner.post(`/findings/${finding.id}/evidence`, { slotId, fromMs: 5000 });
    const { code, stdout, stderr } = await run(["reel", "1", "--game", gameId, "--save", "reel.mp4", "--json"], cwd);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Saved ${join(cwd, "reel.mp4")}`)]);
    const { clip } = JSON.parse(stdout);
    expect(clip).toMatchObject({ name: "#1 Nobody finds the lantern", status: "ready" });
    expect(clip.parts).toMatchObject([{ slotId, atMs: 1000, endMs: 13_000, title: "Nobody finds the lantern" }]);

    const playtestId = (await owner.get(`/slots/${slotId}`)).body.data.slot.requestId;
    const note = { atMs: 60_000, kind: "confusion", text: "Where is the door?" };
    const { moment } = (await owner.post(`/slots/${slotId}/moments`, note)).body.data;
    const noted = JSON.parse((await run(["reel", playtestId, "--kind", "confusion", "--json"])).stdout).clip;
    expect(noted.parts).toMatchObject([{ atMs: 56_000, endMs: 68_000, title: "Where is the door?" }]);
    const highlights = JSON.parse((await run(["reel", playtestId, "--json"])).stdout).clip;
    expect(highlights.parts).toMatchObject([{ title: "your note" }]);
    expect((await run(["reel", finding.id, "--kind", "bug"])).code).toBe(2);

    const zipped = await run(["reel", finding.id, "--zip", "clips.zip"], cwd);
    expect([zipped.code, zipped.stdout]).toEqual([0, "Saved 1 clip to clips.zip\n"]);
    const names = Object.keys(await heldInZip(readFileSync(join(cwd, "clips.zip"))));
    expect(names).toEqual([`01-${slotId.slice(-8)}-1s.mp4`]);
    const again = await run(["reel", finding.id, "--zip", "clips.zip"], cwd);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("exists already")]);
    await owner.delete(`/moments/${moment.id}`);
  });

  it("of a reel are named by whole characters of a long title, game or note", async () => {
    const { requestId, game } = (await owner.get(`/slots/${slotId}`)).body.data.slot;
    const long = (before: number, after: number) => `${"x".repeat(before)}😀${"y".repeat(after)}`;
    const evidence = [{ slotId, fromMs: 5000 }];
    const { finding } = (await owner.post(`/games/${game.id}/findings`, { title: long(96, 50), evidence })).body.data;
    const { moment } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 60_000, kind: "bug", text: long(199, 50) })).body
      .data;
    const reelOf = async (...words: string[]) => {
      const { code, stdout, stderr } = await run(["reel", ...words, "--json"]);
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout).clip;
    };
    expect((await reelOf(finding.id)).name).toBe(`#${finding.number} ${long(96, 0)}`);
    expect((await reelOf(requestId, "--kind", "bug")).parts).toMatchObject([{ title: long(199, 0) }]);
    await owner.delete(`/findings/${finding.id}`);
    await owner.delete(`/moments/${moment.id}`);
  });

  it("are shared by their id, and still images of notes are taken, saved and deleted", async () => {
    const cwd = freshFolder();
    const clip = JSON.parse((await run(["clip", slotId, "0:01-0:02", "--save", "short.mp4", "--json"], cwd)).stdout).clip;
    const { share } = JSON.parse((await run(["share", clip.id, "--json"])).stdout);
    expect(share).toMatchObject({ kind: "clip", clipId: clip.id, slotId });
    expect((await run(["clips", "delete", clip.id, "--yes"])).code).toBe(0);

    const { moment } = JSON.parse((await run(["note", slotId, "12:41", "The door", "--json"])).stdout);
    const { code, stdout, stderr } = await run(["still", moment.id, "--save", "door", "--json"], cwd);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Saved ${join(cwd, "door.jpg")}`)]);
    expect(JSON.parse(stdout).still).toMatchObject({ momentId: moment.id, atMs: 761_000, status: "ready" });
    expect(JSON.parse(readFileSync(join(cwd, "door.jpg"), "utf8")).args).toContain("761.000");
    expect((await run(["still", "delete", moment.id])).stderr).toContain("Delete this image? The note stays.");
    expect((await run(["still", "delete", moment.id, "--yes"])).code).toBe(0);
    expect(JSON.parse((await run(["notes", slotId, "--json"])).stdout).moments).toMatchObject([{ still: null }]);
  });

  it("a note is taken together with an image, and is saved where that cannot be taken", async () => {
    const { code, stdout } = await run(["note", slotId, "12:41", "The door", "--still", "--json"]);
    const { moment } = JSON.parse(stdout);
    expect([code, moment.still]).toEqual([0, { status: "pending", limit: null, downloadUrl: null, thumbnailUrl: null }]);
    await server.advance(0);
    expect(JSON.parse((await run(["still", moment.id, "--json"])).stdout).still.status).toBe("ready");

    const { cutter } = server.deps;
    server.deps.cutter = null;
    const without = await run(["note", slotId, "12:42", "The lock", "--still", "--json"]);
    server.deps.cutter = cutter;
    const noted = JSON.parse(without.stdout).moment;
    expect([without.code, noted.still]).toEqual([11, null]);
    expect(without.stderr.replaceAll("\n", " ")).toContain(
      "The note is saved. Its image was not taken: This server cannot cut clips and still images.",
    );
    expect(without.stderr).toContain(`playtest review still ${noted.id}`);
    expect(JSON.parse((await run(["notes", slotId, "--text", "lock", "--json"])).stdout).moments).toHaveLength(1);
  });

  it.each([
    ["noon", '"noon" is not a part of a video.'],
    ["12:55-12:30", "The end must be after the start. Nothing was made."],
    ["1:00-6:01", "A clip can be at most 5 minutes long. Nothing was made."],
  ])("refuse %s before anything is sent", async (time, message) => {
    const { code, stderr } = await run(["clip", slotId, time]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each([
    ["clip", ["40:00:00-40:01:00"]],
    ["note", ["40:00:00", "too late"]],
  ])("%s names its own argument where the server refuses a position", async (command, words) => {
    const { code, stderr } = await run([command, slotId, ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("<time>: ")]);
    expect(stderr).not.toContain("-ms");
  });

  it("say where the reason is when one cannot be cut, and the log of the server has it", async () => {
    const { cutter, log } = server.deps;
    const reasons: string[] = [];
    server.deps.cutter = createFfmpegCutter({ ...server.deps.config.clips, ffmpeg: [process.execPath, script, "fail"] });
    server.deps.log = { ...log, warn: ({ err }) => void reasons.push(String(err)) };
    const { code, stderr } = await run(["clip", slotId, "0:01-0:02", "--save", "door.mp4"]);
    Object.assign(server.deps, { cutter, log });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Clip \S+ could not be cut\./)]);
    expect(stderr).toContain("The log of the server says why: ask its operator.");
    expect(reasons.join()).toContain("moov atom not found");
  });

  it("say what is missing on a server without ffmpeg", async () => {
    const { cutter } = server.deps;
    server.deps.cutter = null;
    const { code, stderr } = await run(["clip", slotId, "0:01-0:02"]);
    server.deps.cutter = cutter;
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining("This server cannot cut clips and still images. Nothing was made."),
    ]);
  });
});
