import { once } from "node:events";
import { get } from "node:http";
import type { Readable } from "node:stream";
import { expect } from "vitest";
import { signedUrl } from "../../server/lib/signed-links.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";
import { sha256, upload } from "../helpers/tus.ts";

const hour = 3_600_000;
const size = 4096;

/** A submitted video and the signed link to it. */
async function submitted(server: TestServer) {
  const owner = await factories.registerOwner(server);
  const gameId = await factories.createGame(owner);
  await factories.giveCredit(server, owner, 10_000);
  const playtestId = await factories.order(owner, gameId, { quantity: 2 });
  const player = await factories.registerPlaytester(server);
  const slotId = await factories.play(server, player, playtestId);
  const { downloadUrl, expiresAt } = await owner.getSlotDownloadUrl({ params: { id: slotId } });
  return { owner, gameId, playtestId, player, slotId, url: downloadUrl as string, expiresAt };
}

async function addBuild(server: TestServer, owner: { key: string }, gameId: string, bytes: Buffer) {
  const metadata = { filename: `build-${bytes.length}.zip`, sha256: sha256(bytes) };
  await upload(server, owner as never, `/games/${gameId}/builds`, bytes, { metadata });
}

const fetchBytes = async (url: string, headers: Record<string, string> = {}) => {
  const reply = await fetch(url, { headers, redirect: "manual" });
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) };
};

onBothDatabases("downloads", (_serve, it) => {
  it("gives a video the extension of what it is, whatever the playtester called it", async ({ server, owner, gameId }) => {
    await factories.giveCredit(server, owner, 10_000);
    const playtestId = await factories.order(owner, gameId);
    const player = await factories.registerPlaytester(server);
    const slotId = await factories.claim(player, playtestId);
    const metadata = { filename: "playtest.hta", filetype: "application/hta" };
    await upload(server, player, `/playtester/slots/${slotId}/video`, factories.videoBytes(), { metadata });
    await player.submitSlot({ params: { id: slotId } });
    const { downloadUrl } = await owner.getSlotDownloadUrl({ params: { id: slotId } });
    expect((await fetchBytes(downloadUrl)).headers.get("content-disposition")).toBe('attachment; filename="playtest.mp4"');
  });

  it("a file that is removed while its download begins is not found, and nothing of it is sent", async ({ server }) => {
    const { url } = await submitted(server);
    const { blobs } = server.deps;
    const size = blobs.size.bind(blobs);
    blobs.size = async (key) => {
      const bytes = await size(key);
      await blobs.remove(key);
      return bytes;
    };
    expect((await fetchBytes(url)).status).toBe(404);
  });

  it("video: whole, or the requested range", async ({ server }) => {
    const { url } = await submitted(server);
    const bytes = factories.videoBytes();
    const whole = await fetchBytes(url);
    expect(whole.bytes.equals(bytes)).toBe(true);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "video/mp4",
      "content-length": String(size),
      "accept-ranges": "bytes",
      "content-disposition": 'attachment; filename="play.mp4"',
      "content-security-policy": "sandbox allow-same-origin; default-src 'none'; media-src 'self'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    const etag = whole.headers.get("etag")!;
    const rows: [headers: Record<string, string>, status: number, contentRange: string | null, part: Buffer | undefined][] = [
      [{ range: "bytes=0-3" }, 206, `bytes 0-3/${size}`, bytes.subarray(0, 4)],
      [{ range: "bytes=4000-" }, 206, `bytes 4000-4095/${size}`, bytes.subarray(4000)],
      [{ range: "bytes=-1" }, 206, `bytes 4095-4095/${size}`, bytes.subarray(4095)],
      [{ range: "bytes=4000-9999" }, 206, `bytes 4000-4095/${size}`, bytes.subarray(4000)],
      [{ range: "bytes=0-3", "if-range": etag }, 206, `bytes 0-3/${size}`, bytes.subarray(0, 4)],
      [{ range: "bytes=0-3", "if-range": '"other"' }, 200, null, bytes],
      [{ range: "bytes=0-3", "if-range": `W/${etag}` }, 200, null, bytes],
      [{ range: "bytes=0-3", "if-range": "Sun, 01 Mar 2026 12:00:00 GMT" }, 200, null, bytes],
      [{ range: "" }, 200, null, bytes],
      [{ range: "bytes=0-1,4-5" }, 200, null, bytes],
      [{ range: `bytes=${"0-1,".repeat(1000)}0-1` }, 200, null, bytes],
      [{ range: "bytes=9-1" }, 200, null, bytes],
      [{ range: "bytes=4096-" }, 416, `bytes */${size}`, undefined],
      [{ range: "bytes=-0" }, 416, `bytes */${size}`, undefined],
    ];
    for (const [headers, status, contentRange, part] of rows) {
      const reply = await fetchBytes(url, headers);
      expect([headers, reply.status, reply.headers.get("content-range")]).toEqual([headers, status, contentRange]);
      if (part) expect(reply.bytes.equals(part)).toBe(true);
    }
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), head.headers.get("etag")]).toEqual([200, String(size), etag]);
    const post = await fetch(url, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("link: valid for an hour, to the millisecond", async ({ server }) => {
    const { url, expiresAt } = await submitted(server);
    expect(expiresAt).toBe(new Date(server.clock.now() + hour).toISOString());
    server.clock.set(server.clock.now() + hour - 1);
    expect((await fetchBytes(url)).status).toBe(200);
    server.clock.set(server.clock.now() + 1);
    expect((await fetchBytes(url)).status).toBe(403);
  });

  it("link: an altered token is refused", async ({ server }) => {
    const { url } = await submitted(server);
    const address = new URL(url);
    const [payload = "", mac = ""] = address.searchParams.get("token")!.split(".");
    const target = JSON.parse(Buffer.from(payload, "base64url").toString());
    const forge = (change: object) => Buffer.from(JSON.stringify({ ...target, ...change })).toString("base64url");
    const flipped = `${mac.slice(0, -1)}${mac.endsWith("A") ? "B" : "A"}`;
    const rows: [name: string, token: string][] = [
      ["none", ""],
      ["no signature", payload],
      ["empty signature", `${payload}.`],
      ["flipped signature", `${payload}.${flipped}`],
      ["later expiry", `${forge({ expiresAt: target.expiresAt + 1 })}.${mac}`],
      ["another file", `${forge({ file: { ...target.file, blobKey: "videos/0" } })}.${mac}`],
      ["more behind it", `${payload}.${mac}.x`],
      ["padded payload", `${payload}=.${mac}`],
      ["nonsense", "."],
    ];
    for (const [name, token] of rows) {
      address.searchParams.set("token", token);
      expect([name, (await fetchBytes(address.href)).status]).toEqual([name, 403]);
    }
    expect((await fetchBytes(url)).status).toBe(200);
  });

  it("link: only for the slot's owner, once there is a video", async ({ server }) => {
    const { slotId, playtestId, owner, player } = await submitted(server);
    const other = await factories.registerOwner(server);
    expect((await other.get(`/slots/${slotId}/download-url`)).status).toBe(404);
    expect((await player.get(`/slots/${slotId}/download-url`)).status).toBe(403);
    const second = await factories.registerPlaytester(server);
    const waiting = await factories.claim(second, playtestId);
    await factories.giveVideo(server, waiting, second);
    expect((await owner.get(`/slots/${waiting}/download-url`)).status).toBe(404);
  });

  it("link: 404 when the file is gone", async ({ server }) => {
    const { url } = await submitted(server);
    const target = JSON.parse(Buffer.from(new URL(url).searchParams.get("token")!.split(".")[0]!, "base64url").toString());
    await server.deps.blobs.remove(target.file.blobKey);
    expect((await fetchBytes(url)).status).toBe(404);
  });

  it("build: a link resumes, and leads to an address however it is spelled", async ({ server }) => {
    const { owner, gameId, playtestId } = await submitted(server);
    const player = await factories.registerPlaytester(server);
    await addBuild(server, owner, gameId, Buffer.alloc(1_000, 1));
    const held = await factories.claim(player, playtestId);
    const buildUrl = async () => (await player.getHeldSlot({ params: { id: held } })).slot.buildUrl!;
    const link = await buildUrl();
    const first = await fetchBytes(link, { range: "bytes=0-9" });
    expect([first.status, first.headers.get("content-range")]).toEqual([206, "bytes 0-9/1000"]);
    expect(first.headers.get("content-type")).toBe("application/octet-stream");

    await server.advance(1);
    await addBuild(server, owner, gameId, Buffer.alloc(2_000, 2));
    const resumed = await fetchBytes(link, { range: "bytes=10-", "if-range": first.headers.get("etag")! });
    expect([resumed.status, resumed.bytes]).toEqual([206, Buffer.alloc(990, 1)]);

    // A link as earlier versions made them names no build: it leads to the current one.
    await owner.updateGame({ params: { id: gameId }, body: { buildUrl: "https://例え.example/ゲーム%20.zip?für=ß" } });
    const spelled = "https://xn--r8jz45g.example/%E3%82%B2%E3%83%BC%E3%83%A0%20.zip?f%C3%BCr=%C3%9F";
    const target = { gameId, holder: player.id, expiresAt: server.clock.now() + hour };
    const payload = Buffer.from(JSON.stringify(target)).toString("base64url");
    const old = `${server.baseUrl}/downloads?token=${payload}.${server.deps.secrets.mac("download GET", payload)}`;
    const moved = await fetchBytes(old);
    expect([moved.status, moved.headers.get("location")]).toEqual([303, spelled]);
    expect((await fetchBytes(link)).bytes).toEqual(Buffer.alloc(1_000, 1));
  });

  it("build: the address of an earlier one makes that one current again; one of another game is refused", async ({ server }) => {
    const { owner, gameId, playtestId } = await submitted(server);
    const player = await factories.registerPlaytester(server);
    const builds = async () => (await owner.listBuilds({ params: { id: gameId } })).builds;
    await addBuild(server, owner, gameId, Buffer.alloc(1_000, 1));
    const [first] = await builds();
    await server.advance(1000);
    await addBuild(server, owner, gameId, Buffer.alloc(2_000, 2));
    await server.advance(1000);
    const { game } = await owner.updateGame({ params: { id: gameId }, body: { buildUrl: first!.buildUrl } });
    expect(game.buildUrl).toBe(first!.buildUrl);
    const held = await factories.claim(player, playtestId);
    const link = (await player.getHeldSlot({ params: { id: held } })).slot.buildUrl!;
    expect((await fetchBytes(link)).bytes).toEqual(Buffer.alloc(1_000, 1));
    const [current] = await builds();
    expect(current).toMatchObject({ sha256: first!.sha256, size: 1_000, buildUrl: first!.buildUrl });
    const again = await owner.getBuildDownloadUrl({ params: { id: gameId, buildId: current!.id } });
    expect((await fetchBytes(again.downloadUrl)).bytes.length).toBe(1_000);
    const other = await factories.createGame(owner);
    const refused = await owner.patch(`/games/${other}`, { buildUrl: first!.buildUrl });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, "buildUrl"]);
  });

  it("build: its URL without a token is refused, and its owner gets a link", async ({ server }) => {
    const { owner, gameId } = await submitted(server);
    const [external] = (await owner.listBuilds({ params: { id: gameId } })).builds;
    await addBuild(server, owner, gameId, Buffer.alloc(1_000, 1));
    const [build] = (await owner.listBuilds({ params: { id: gameId } })).builds;
    expect((await fetchBytes(build!.buildUrl)).status).toBe(403);
    const link = await owner.getBuildDownloadUrl({ params: { id: gameId, buildId: build!.id } });
    expect((await fetchBytes(link.downloadUrl)).bytes.length).toBe(1_000);
    expect((await owner.get(`/games/${gameId}/builds/${external!.id}/download-url`)).status).toBe(404);
    const other = await factories.registerOwner(server);
    expect((await other.get(`/games/${gameId}/builds/${build!.id}/download-url`)).status).toBe(404);
  });

  it("log: never has a token", async ({ server }) => {
    const { url } = await submitted(server);
    await fetchBytes(url);
    const [, mac] = new URL(url).searchParams.get("token")!.split(".");
    await expect.poll(() => server.lines.filter((line) => line.includes("/downloads"))).toHaveLength(1);
    expect(server.lines.join("\n")).not.toContain(mac);
  });

  it("slow client: the file is read no faster than the client does, and closed when it leaves", async ({ server }) => {
    const { owner, gameId } = await submitted(server);
    const bytes = Buffer.alloc(40_000_000, 1);
    await addBuild(server, owner, gameId, bytes);
    const { build_id } = (await server.deps.store.read((q) => q.one<{ build_id: string }>("SELECT build_id FROM games")))!;
    const { blob_key } = (await server.deps.store.read((q) =>
      q.one<{ blob_key: string }>("SELECT blob_key FROM builds WHERE id = ?", build_id),
    ))!;
    const { blobs } = server.deps;
    let file: (Readable & { bytesRead: number }) | undefined;
    server.deps.blobs = {
      ...blobs,
      read: async (...given) => {
        file = (await blobs.read(...given)) as Readable & { bytesRead: number };
        return file;
      },
    };
    const link = signedUrl(server.deps, {
      blobKey: blob_key,
      filename: "a.zip",
      contentType: "application/octet-stream",
      disposition: "attachment",
    });
    const call = get(link.url);
    const [reply] = await once(call, "response");
    reply.pause();
    await expect.poll(() => file!.isPaused()).toBe(true);
    expect(file!.bytesRead).toBeLessThan(bytes.length);
    call.destroy();
    await expect.poll(() => file!.closed).toBe(true);
  });
});
