import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startPosters } from "../../server/sharing/stills/jobs.ts";
import { removeStillsOf } from "../../server/sharing/stills/service.ts";
import { referencedBlobs } from "../../server/uploads/blob-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { holdCutter } from "../helpers/held-cutter.ts";
import { signedIn } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const script = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
const using = (mode: string) => ({
  config: ({ clips }: TestServer["deps"]["config"]) => {
    clips.ffmpeg = [process.execPath, script, mode];
  },
});

interface Moment {
  id: string;
  still: { status: string; downloadUrl: string | null; thumbnailUrl: string | null } | null;
}

async function market(server: TestServer) {
  const owner = await registerOwner(server);
  await giveCredit(server, owner, 100_000);
  const playtestId = await order(owner, await createGame(owner), { quantity: 3 });
  const slotId = await play(server, await registerPlaytester(server), playtestId);
  const note = async (atMs = 12_500): Promise<Moment> =>
    (await owner.post(`/slots/${slotId}/moments`, { atMs, text: "Lost" })).body.data.moment;
  const shown = async (id: string): Promise<Moment> =>
    (await owner.get(`/slots/${slotId}/moments`)).body.data.moments.find((one: Moment) => one.id === id);
  const put = (id: string, key = owner.key) => server.request("PUT", `/moments/${id}/still`, { key });
  const slot = async () => (await owner.get(`/slots/${slotId}`)).body.data.slot;
  const files = async () => (await server.deps.store.read(referencedBlobs)).filter((key) => /^(stills|thumbnails)\//.test(key));
  const exists = (key: string) => existsSync(join(server.deps.dataDir, "blobs", key));
  return { owner, playtestId, slotId, note, shown, put, slot, files, exists };
}

/** What the stand-in for ffmpeg was called with: it writes that into the file. */
const calledWith = async (url: string): Promise<string> => JSON.parse(await (await fetch(url)).text()).args.join(" ");

onBothDatabases("still images", (serve) => {
  it("are cut at a moment when its owner asks, shown with it, and downloaded by a signed link", async () => {
    const server = await serve(using("cut"));
    const { slotId, note, shown, put } = await market(server);
    const { id, still } = await note();
    expect(still).toBeNull();
    const cut = holdCutter(server);
    const made = await put(id);
    expect(made.body.data.still).toEqual({
      ...{ momentId: id, slotId, atMs: 12_500, status: "pending" },
      ...{ size: null, limit: null, downloadUrl: null, thumbnailUrl: null },
    });
    expect((await put(id)).body.data.still.status).toBe("pending");
    cut();
    await server.advance(0);
    const { still: ready } = await shown(id);
    const file = await fetch(ready!.downloadUrl!);
    expect([ready!.status, file.headers.get("content-type"), file.headers.get("content-disposition")]).toEqual([
      "ready",
      "image/jpeg",
      expect.stringContaining("still-12s.jpg"),
    ]);
    const args = await calledWith(ready!.downloadUrl!);
    expect(args).toContain("-protocol_whitelist file -filter_threads 1 -f mov -ss 12.500 -max_pixels 16777216 -threads 2 -i ");
    expect(args).toContain(" -frames:v 1 ");
    expect((await put(id)).body.data.still).toMatchObject({ status: "ready", size: expect.any(Number) });
    // Beside it a small copy for lists, from the same process. Both take room.
    const [, whole, small] = args.split("-frames:v 1");
    expect([whole, small]).toEqual([expect.stringContaining("min(1280,iw)"), expect.stringContaining("min(512,iw)")]);
    const copy = await fetch(ready!.thumbnailUrl!);
    expect([copy.status, copy.headers.get("content-disposition")]).toEqual([200, expect.stringContaining("inline")]);
  });

  it("are cut again when their moment moves, and go with the image, the moment and the account", async () => {
    const server = await serve(using("cut"));
    const { owner, note, shown, put, files, exists } = await market(server);
    const [first, second, third] = [await note(), await note(), await note()];
    for (const { id } of [first, second, third]) await put(id);
    await server.advance(0);
    // One of them is the poster; each has a small copy.
    const before = await files();
    expect(before).toHaveLength(8);
    await server.request("PATCH", `/moments/${first.id}`, { key: owner.key, body: { atMs: 20_000 } });
    await server.request("PATCH", `/moments/${second.id}`, { key: owner.key, body: { text: "Found" } });
    await server.advance(0);
    const moved = (await shown(first.id)).still!;
    expect([moved.status, await calledWith(moved.downloadUrl!)]).toEqual(["ready", expect.stringContaining("-ss 20.000 ")]);
    const gone = before.filter((key) => !exists(key));
    expect([gone.length, (await files()).filter((key) => gone.includes(key))]).toEqual([2, []]);

    expect((await owner.delete(`/moments/${second.id}/still`)).status).toBe(200);
    expect([(await shown(second.id)).still, (await owner.delete(`/moments/${second.id}/still`)).status]).toEqual([null, 404]);
    expect((await owner.delete(`/moments/${third.id}`)).status).toBe(200);
    await server.advance(0);
    const left = await files();
    expect([left.length, before.filter(exists).length]).toEqual([4, 2]);
    await server.deps.store.write((tx) => removeStillsOf(tx, owner.id));
    await server.advance(0);
    expect([await files(), left.filter(exists)]).toEqual([[], []]);
  });

  it("that cannot be cut are failed, take no room, and can be asked for again", async () => {
    const server = await serve(using("fail"));
    const { note, shown, put } = await market(server);
    const { id } = await note();
    await put(id);
    await server.advance(0);
    expect((await shown(id)).still).toEqual({ status: "failed", limit: null, downloadUrl: null, thumbnailUrl: null });
    const sql = "SELECT error, size FROM stills WHERE moment_id IS NOT NULL";
    expect(await server.deps.store.read((q) => q.one(sql))).toEqual({
      error: expect.stringContaining("moov atom not found"),
      size: 0,
    });
    expect((await put(id)).body.data.still.status).toBe("pending");
  });

  it("are refused to others, without room, and without ffmpeg, where nothing else changes", async () => {
    const server = await serve(using("cut"));
    const { owner, note, shown, put } = await market(server);
    const { id } = await note();
    const stranger = await registerOwner(server);
    expect([
      (await put(id, stranger.key)).status,
      (await stranger.get(`/moments/${id}/still`)).status,
      (await stranger.delete(`/moments/${id}/still`)).status,
      (await owner.get(`/moments/${id}/still`)).status,
    ]).toEqual([404, 404, 404, 404]);
    server.deps.config.uploads.accountMaxBytes = 1024 * 1024;
    expect((await put(id)).body.error.message).toMatch(/An account can store at most 1048576 bytes/);
    server.deps.cutter = null;
    expect((await put(id)).body.error).toMatchObject({
      code: "NOT_CONFIGURED",
      message: expect.stringContaining('install ffmpeg and set `clips.ffmpeg` to ["ffmpeg"]'),
    });
    expect((await shown(id)).still).toBeNull();
  });

  it("that were cut before there were small copies are shown whole, also in Studio", async () => {
    const server = await serve(using("cut"));
    const { owner, slotId, note, shown, put, files, exists } = await market(server);
    const { id } = await note();
    await put(id);
    const clip = async () => (await owner.get(`/slots/${slotId}/clips`)).body.data.clips[0];
    await owner.post(`/slots/${slotId}/clips`, { atMs: 20_000, endMs: 25_000 });
    await server.advance(0);
    const copiesNow = async () => (await files()).filter((key) => key.startsWith("thumbnails/"));
    const copies = await copiesNow();
    for (const key of copies) await server.deps.blobs.remove(key);
    const browser = await signedIn(server, owner, "/studio");
    const path = `/studio/slots/${slotId}`;
    const statuses = async () => {
      const urls = [(await shown(id)).still!.thumbnailUrl!, (await clip()).thumbnailUrl];
      const images = /<img src="([^"]+)" alt="The clip/.exec((await browser.get(path)).html)!;
      const pages = [`${path}/thumbnails/${id}`, images[1]!];
      return [
        ...(await Promise.all(urls.map(async (url) => (await fetch(url)).status))),
        ...(await Promise.all(pages.map(async (page) => (await browser.get(page)).status))),
      ];
    };
    expect([copies.length, await statuses()]).toEqual([3, [404, 404, 404, 404]]);
    await server.deps.store.write((tx) => tx.run("UPDATE stills SET thumbnail_size = NULL"));
    expect([await copiesNow(), await statuses()]).toEqual([[], [200, 200, 200, 200]]);
    expect(await (await fetch((await shown(id)).still!.thumbnailUrl!)).text()).toBe(
      await (await fetch((await shown(id)).still!.downloadUrl!)).text(),
    );
    await owner.delete(`/moments/${id}`);
    await owner.delete(`/clips/${(await clip()).id}`);
    await server.advance(0);
    const left = await files();
    expect([left.length, left.every(exists)]).toEqual([1, true]);
  });

  it("the poster of a clip is cut with it, out of its part of the video, and goes with it", async () => {
    const server = await serve(using("cut"));
    const { owner, slotId, slot, files, exists } = await market(server);
    await server.advance(0);
    const before = await files();
    const cut = async () => (await owner.post(`/slots/${slotId}/clips`, { atMs: 20_000, endMs: 25_000 })).body.data.clip;
    const listed = async () => (await owner.get(`/slots/${slotId}/clips`)).body.data.clips;
    const { id, posterUrl, thumbnailUrl } = await cut();
    expect([posterUrl, thumbnailUrl]).toEqual([null, null]);
    await server.advance(0);
    const [ready] = await listed();
    expect(await calledWith(ready.posterUrl)).toContain("-ss 20.500 ");
    expect((await fetch(ready.thumbnailUrl)).headers.get("content-type")).toBe("image/jpeg");
    expect(await calledWith((await slot()).posterUrl)).not.toContain("-ss 20.500 ");
    const added = (await files()).filter((key) => !before.includes(key));
    expect(added.map(exists)).toEqual([true, true]);
    expect((await owner.delete(`/clips/${id}`)).status).toBe(200);
    await server.advance(0);
    expect([await files(), added.map(exists)]).toEqual([before, [false, false]]);

    // One of a video, and one that was cut, before there were posters.
    await cut();
    await server.advance(0);
    const remove = (which: string) => server.deps.store.write((tx) => tx.run(`DELETE FROM stills WHERE ${which}`));
    await remove("clip_id IS NULL");
    expect([(await slot()).posterUrl, (await listed())[0].posterUrl]).toEqual([null, expect.any(String)]);
    await remove("clip_id IS NOT NULL");
    expect((await listed())[0].posterUrl).toBeNull();
    await startPosters(server.deps);
    await server.advance(0);
    expect(await calledWith((await listed())[0].posterUrl)).toContain("-ss 20.500 ");
    expect(await calledWith((await slot()).posterUrl)).not.toContain("-ss 20.500 ");
  });

  it("the poster of a video is cut when it is submitted, and those of older videos when the server starts with ffmpeg", async () => {
    const server = await serve(using("cut"));
    const { cutter } = server.deps;
    server.deps.cutter = null;
    const { playtestId, slot, slotId, files } = await market(server);
    const later = await play(server, await registerPlaytester(server), playtestId);
    await server.advance(0);
    expect([(await slot()).posterUrl, await files()]).toEqual([null, []]);

    server.deps.cutter = cutter;
    const { blobs } = server.deps;
    const offer = blobs.offer.bind(blobs);
    let away: string | undefined;
    blobs.offer = async (key, path) => {
      away ??= key;
      if (key !== away) return offer(key, path);
      throw new Error("The newest video is on a disk that is away.");
    };
    await startPosters(server.deps);
    await server.advance(0);
    expect([(await slot()).posterUrl, (await files()).length]).toEqual([expect.any(String), 2]);
    blobs.offer = offer;
    await server.advance(3_600_000);
    expect(await files()).toHaveLength(4);
    expect(await calledWith((await slot()).posterUrl)).toContain("-frames:v 1");
    const newest = await play(server, await registerPlaytester(server), playtestId);
    await server.advance(0);
    const rows = await server.deps.store.read((q) =>
      q.all<{ slot_id: string }>("SELECT slot_id FROM stills WHERE moment_id IS NULL AND status = 'ready'"),
    );
    expect(new Set(rows.map(({ slot_id }) => slot_id))).toEqual(new Set([slotId, later, newest]));
  });
});
