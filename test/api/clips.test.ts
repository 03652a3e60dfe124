import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { erase } from "../../server/personal/erase-store.ts";
import { removeClipsOf } from "../../server/sharing/clips/service.ts";
import { referencedBlobs } from "../../server/uploads/blob-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import {
  createGame,
  firstAdmin,
  giveCredit,
  order,
  play,
  registerOwner,
  registerPlaytester,
  videoBytes,
} from "../helpers/factories.ts";
import { gate } from "../helpers/gate.ts";
import { holdCutter } from "../helpers/held-cutter.ts";
import type { TestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

const script = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
const using = (mode: string, ...args: string[]) => ({
  config: ({ clips }: TestServer["deps"]["config"]) => {
    Object.assign(clips, { ffmpeg: [process.execPath, script, mode, ...args], maxBytes: 1024 * 1024 });
  },
});

async function market(server: TestServer) {
  const owner = await registerOwner(server);
  await giveCredit(server, owner, 100_000);
  const playtestId = await order(owner, await createGame(owner), { quantity: 2 });
  const slotId = await play(server, await registerPlaytester(server), playtestId);
  const clips = `/slots/${slotId}/clips`;
  const cut = async (body: object = { atMs: 750_000, endMs: 775_500 }) => (await owner.post(clips, body)).body.data.clip;
  const shown = async (id: string) => (await owner.get(`/clips/${id}`)).body.data.clip;
  return { owner, playtestId, slotId, clips, cut, shown };
}

onBothDatabases("clips", (serve) => {
  it("are cut by ffmpeg, which sees a copy of the video and none of the server's environment, and downloaded by a signed link", async () => {
    const server = await serve(using("cut"));
    const { owner, slotId, clips, cut, shown } = await market(server);
    const made = await cut();
    const named = await cut({ atMs: 0, endMs: 1000, name: '../../etc/a"\r\nX-Evil: 1\u202e' });
    expect(made).toMatchObject({ slotId, name: "12:30-12:55", status: "pending", size: null, downloadUrl: null });
    await server.advance(0);
    const ready = await shown(made.id);
    const download = await fetch(ready.downloadUrl);
    const { args, env, inputBytes } = JSON.parse(await download.text());
    expect(args.slice(0, 13)).toEqual([
      ...["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-protocol_whitelist", "file"],
      ...["-filter_threads", "1", "-f", "mov", "-ss", "750.000"],
    ]);
    expect(args.join(" ")).toMatch(/ -max_pixels 16777216 -threads 2 -i \S+ -t 25\.500 /);
    // Neither the playtester's file name nor what the file says about its maker.
    expect(args.join(" ")).not.toContain("play.mp4");
    expect(args.join(" ")).toContain(" -map_metadata -1 -map_chapters -1 ");
    // The shell that limits the program sets PWD.
    expect([env.filter((name: string) => name !== "PWD"), inputBytes]).toEqual([["LANG", "PATH"], videoBytes().length]);
    expect(ready).toMatchObject({ status: "ready", size: Number(download.headers.get("content-length")) });
    expect([download.headers.get("content-type"), download.headers.get("content-disposition")]).toEqual([
      "video/mp4",
      expect.stringContaining(".mp4"),
    ]);
    const other = await fetch((await shown(named.id)).downloadUrl);
    expect(JSON.parse(await other.text()).args.join(" ")).not.toContain("etc");
    expect([other.headers.get("content-disposition"), other.headers.get("x-evil")]).toEqual([
      "attachment; filename=\"a_X-Evil: 1.mp4\"; filename*=UTF-8''a%22X-Evil%3A%201.mp4",
      null,
    ]);
    const ids = (await owner.get(clips)).body.data.clips.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual([made.id, named.id].sort());
    expect(await server.deps.store.read(referencedBlobs)).toContain(`clips/${made.id}`);
    expect(readdirSync(join(server.deps.dataDir, "clipping"))).toEqual([]);
  });

  it.each([
    ["fails", "fail", /moov atom not found/, null],
    ["writes an empty file", "empty", /0 bytes/, null],
    ["writes no file", "nothing", /0 bytes/, null],
    ["writes too much", "huge", /2097152 bytes/, "size"],
    ["takes too long", "gate", /longer than 200 ms/, "time"],
  ])("fail when ffmpeg %s, and take no room", async (_, mode, because, limit) => {
    const server = await serve({
      config: (config) => {
        using(mode, join(freshFolder(), "never")).config(config);
        if (limit === "time") Object.assign(config.clips, { timeoutMs: 200, stillTimeoutMs: 200, measureTimeoutMs: 200 });
      },
    });
    const { cut, shown } = await market(server);
    const { id } = await cut();
    await server.advance(0);
    expect(await shown(id)).toMatchObject({ status: "failed", limit, size: null, downloadUrl: null });
    const row = await server.deps.store.read((q) => q.one<{ error: string; size: number }>("SELECT error, size FROM clips"));
    expect(row).toEqual({ error: expect.stringMatching(because), size: 0 });
  });

  it("fail when the file of the video is missing", async () => {
    const server = await serve(using("cut"));
    const { cut, shown } = await market(server);
    const { deps } = server;
    const video = await deps.store.read((q) => q.one<{ blob_key: string }>("SELECT blob_key FROM submissions"));
    await deps.blobs.remove(video!.blob_key);
    const { id } = await cut();
    await server.advance(0);
    expect(await shown(id)).toMatchObject({ status: "failed", size: null, downloadUrl: null });
  });

  it("fail with the last try, whatever the reason", async () => {
    const server = await serve(using("cut"));
    const { cut, shown } = await market(server);
    await server.advance(0);
    const { blobs } = server.deps;
    const offer = blobs.offer.bind(blobs);
    blobs.offer = async () => {
      throw new Error("The disk is broken.");
    };
    const { id } = await cut();
    await server.advance(5 * 86_400_000);
    expect(await shown(id)).toMatchObject({ status: "failed", limit: null, size: null });
    // Of the clip and of its poster.
    expect(server.errors.splice(0)).toHaveLength(50);
    blobs.offer = offer;
    const admin = await firstAdmin(server);
    const { jobs } = await admin.listFailedJobs();
    for (const job of jobs) await admin.retryJob({ params: { id: job.id } });
    await server.advance(0);
    expect(await shown(id)).toMatchObject({ status: "ready", size: expect.any(Number) });
  });

  it("are deleted with their file, also while they are being cut, and with their owner's account", async () => {
    const gate = join(freshFolder(), "open");
    const server = await serve(using("gate", gate));
    const { owner, cut } = await market(server);
    const blob = ({ id }: { id: string }) => join(server.deps.dataDir, "blobs", "clips", id);
    const early = await cut();
    const advanced = server.advance(0);
    await owner.delete(`/clips/${early.id}`);
    writeFileSync(gate, "");
    await advanced;
    await server.advance(0);
    expect([existsSync(blob(early)), (await owner.get(`/clips/${early.id}`)).status]).toEqual([false, 404]);

    const [late, last] = [await cut(), await cut()];
    await server.advance(0);
    expect([late, last].map((one) => existsSync(blob(one)))).toEqual([true, true]);
    await owner.delete(`/clips/${late.id}`);
    await server.advance(0);
    expect([late, last].map((one) => existsSync(blob(one)))).toEqual([false, true]);
    await server.deps.store.write(async (tx) => {
      await removeClipsOf(tx, owner.id);
      await erase(
        tx,
        { id: owner.id, role: "game_owner", email: "", displayName: "Owner", companyName: "Owner" },
        server.clock.now(),
      );
    });
    await server.advance(0);
    expect(existsSync(blob(last))).toBe(false);
  });

  it("and images wait for their turn up to a number for each account; whoever wants more is refused until some are cut", async () => {
    const server = await serve({
      config: (config) => {
        using("cut").config(config);
        config.clips.maxPendingPerAccount = 2;
      },
    });
    const [{ owner, slotId, clips, cut, shown }, other] = [await market(server), await market(server)];
    const letCut = holdCutter(server);
    const { id } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 1000, text: "Stuck" })).body.data.moment;
    const still = () => server.request("PUT", `/moments/${id}/still`, { key: owner.key });
    const first = await cut();
    expect((await still()).status).toBe(200);
    const full = await owner.post(clips, { atMs: 0, endMs: 1000 });
    expect([full.status, full.body.error.message]).toEqual([
      409,
      "2 clips and images of this account are waiting to be cut, which is the most that this server allows. Nothing was made. Try again when some are ready.",
    ]);
    expect((await owner.get(clips)).body.data.clips).toHaveLength(1);
    expect((await other.owner.post(other.clips, { atMs: 0, endMs: 1000 })).status).toBe(201);
    letCut();
    await server.advance(0);
    expect((await shown(first.id)).status).toBe("ready");
    expect((await owner.post(clips, { atMs: 0, endMs: 1000 })).status).toBe(201);
    await server.advance(0);
  });

  it("of one account delay those of another by one at most, and posters not at all", async () => {
    const server = await serve(using("cut"));
    const [{ owner, cut }, other] = [await market(server), await market(server)];
    const { clip, ...others } = server.deps.cutter!;
    const held = gate();
    const begun: number[] = [];
    server.deps.cutter = {
      ...others,
      async clip(from, part, ...rest) {
        begun.push(part.atMs);
        await held.passed;
        return clip(from, part, ...rest);
      },
    };
    const first = await Promise.all(Array.from({ length: 12 }, (_, at) => cut({ atMs: at, endMs: at + 1000 })));
    await vi.waitUntil(() => begun.length === 1);
    await other.cut({ atMs: 500, endMs: 1500 });
    const poster = async () => (await owner.get(`/clips/${first.at(-1)!.id}`)).body.data.clip.posterUrl;
    // All twelve posters are cut while the first of the clips still is.
    await vi.waitUntil(poster, { timeout: 60_000 });
    expect(begun).toHaveLength(1);
    held.open();
    await vi.waitUntil(() => begun.length === 13, { timeout: 60_000 });
    expect(begun.indexOf(500)).toBe(1);
    await server.advance(0);
  });

  it("are refused outside of the video, beyond 5 minutes, without a video, room or ffmpeg, and to others", async () => {
    const server = await serve(using("cut"));
    const { owner, playtestId, slotId, clips } = await market(server);
    const status = async (atMs: number, endMs: number) => (await owner.post(clips, { atMs, endMs })).status;
    expect(await status(5000, 5000)).toBe(422);
    expect(await status(0, 300_001)).toBe(422);
    const stranger = await registerOwner(server);
    const { id } = (await owner.post(clips, { atMs: 0, endMs: 300_000 })).body.data.clip;
    expect([
      (await stranger.post(clips, { atMs: 0, endMs: 1000 })).status,
      (await stranger.get(clips)).status,
      (await stranger.get(`/clips/${id}`)).status,
      (await stranger.delete(`/clips/${id}`)).status,
    ]).toEqual([404, 404, 404, 404]);
    const open = (await owner.get(`/playtests/${playtestId}/slots`)).body.data.slots.find(
      (one: { id: string }) => one.id !== slotId,
    );
    expect((await owner.post(`/slots/${open.id}/clips`, { atMs: 0, endMs: 1000 })).status).toBe(409);
    server.deps.config.uploads.accountMaxBytes = 1024 * 1024;
    expect((await owner.post(clips, { atMs: 0, endMs: 1000 })).body.error.message).toMatch(
      /An account can store at most 1048576 bytes/,
    );
    server.deps.cutter = null;
    expect((await owner.post(clips, { atMs: 0, endMs: 1000 })).body.error).toMatchObject({
      code: "NOT_CONFIGURED",
      message: expect.stringContaining('install ffmpeg and set `clips.ffmpeg` to ["ffmpeg"]'),
    });
  });
});
