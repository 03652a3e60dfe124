import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playtest } from "../helpers/cli.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers, freshFolder } from "../helpers/store.ts";
import { newId } from "../helpers/walk.ts";

const script = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));

describe("clips", () => {
  let server: TestServer;
  let owner: Person;
  let slotId: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const store = await drivers[0]!.open();
    server = await startTestServer({
      store,
      config: ({ clips }) => void Object.assign(clips, { ffmpeg: [process.execPath, script, "cut"] }),
    });
    owner = await registerOwner(server);
    await giveCredit(server, owner, 20_000);
    slotId = await play(server, await registerPlaytester(server), await order(owner, await createGame(owner)));
    stop = async () => {
      await server.close();
      await store.remove();
    };
  });
  afterAll(() => stop());
  const run = (words: string[], cwd = freshFolder()) =>
    playtest(["review", ...words], {
      baseUrl: server.baseUrl,
      key: owner.key,
      cwd,
      outside: { newId, sleep: () => server.advance(0) },
    });

  it("are cut, saved, listed and deleted", async () => {
    const cwd = freshFolder();
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
    expect(existsSync(join(cwd, "door.mp4.part"))).toBe(false);
  });

  it.each([
    ["noon", 'TIME: "noon" is not a part of a video.'],
    ["12:55-12:30", "TIME: the end must be after the start. Nothing was made."],
    ["1:00-6:01", "TIME: a clip can be at most 5 minutes long. Nothing was made."],
  ])("refuse %s before anything is sent", async (time, message) => {
    const { code, stderr } = await run(["clip", slotId, time]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("say what is missing on a server without ffmpeg", async () => {
    const { cutter } = server.deps;
    server.deps.cutter = null;
    const { code, stderr } = await run(["clip", slotId, "0:01-0:02"]);
    server.deps.cutter = cutter;
    expect([code, stderr]).toEqual([3, expect.stringContaining("This server cannot cut clips. Nothing was made.")]);
  });
});
