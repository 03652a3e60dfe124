import { once } from "node:events";
import { readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";
import { begin, metadataHeader, octets, patch, raw, sha256, tus, upload, uploadWithCuts } from "../helpers/tus.ts";

const day = 86_400_000;
const named = { filename: "play.mp4", filetype: "video/mp4" };
const bytes = factories.videoBytes(5_000);

async function market(server: TestServer) {
  const owner = await factories.registerOwner(server);
  const gameId = await factories.createGame(owner);
  await factories.giveCredit(server, owner, 10_000);
  const playtestId = await factories.order(owner, gameId, { quantity: 2 });
  const player = await factories.registerPlaytester(server);
  const slotId = await factories.claim(player, playtestId);
  const video = `/playtester/slots/${slotId}/video`;
  return { owner, gameId, builds: `/games/${gameId}/builds`, player, playtestId, slotId, video };
}

const filesIn = (server: TestServer) =>
  (readdirSync(server.deps.dataDir, { recursive: true, withFileTypes: true }) as { isFile(): boolean; name: string }[])
    .filter((entry) => entry.isFile() && /^[0-9a-f-]{36}$/.test(entry.name))
    .map((entry) => entry.name);

const idOf = (url: string) => url.split("/").at(-1)!;
const submit = (player: factories.Person, slotId: string) => player.post(`/playtester/slots/${slotId}/submit`, {});
const head = (server: TestServer, person: factories.Person, url: string) => raw(server, person, "HEAD", url);

/** A PATCH that has sent only the first of its bytes, and waits. Without `length` it does not say how many there will be. */
async function stalled(server: TestServer, person: factories.Person, url: string, offset: number, sent: Buffer, length?: number) {
  const size = length === undefined ? { "transfer-encoding": "chunked" } : { "content-length": length };
  const headers = { ...octets, authorization: `Bearer ${person.key}`, "upload-offset": offset, ...size };
  const call = httpRequest(url, { method: "PATCH", headers });
  const response = once(call, "response").then(([reply]) => reply.resume().statusCode as number);
  const outcome = response.catch((error: NodeJS.ErrnoException) => error.code ?? "");
  call.write(sent);
  // The bytes are there when the file has them.
  const file = join(server.deps.dataDir, "uploads", idOf(url));
  await expect.poll(() => statSync(file).size, { interval: 5 }).toBe(offset + sent.length);
  return { call, outcome };
}

onBothDatabases("uploads", (serve, it) => {
  it("tus-js-client: uploads a build and a video", async ({ server }) => {
    const { owner, builds, gameId, player, video, slotId } = await market(server);
    const build = Buffer.alloc(300_000, 5);
    const metadata = { filename: "a.zip", sha256: sha256(build), version: "1.2.0", channel: "beta", notes: "First." };
    const url = await upload(server, owner, builds, build, { metadata, chunkSize: 100_000 });
    expect(url.startsWith(`${server.baseUrl}/api/v1/uploads/`)).toBe(true);
    const [hosted] = (await owner.get(builds)).body.data.builds;
    expect(hosted).toMatchObject({ ...metadata, size: 300_000, buildUrl: `${server.baseUrl}/builds/${hosted.id}` });
    expect((await owner.get(`/games/${gameId}`)).body.data.game.buildUrl).toBe(hosted.buildUrl);

    await upload(server, player, video, bytes, { metadata: named });
    const reply = await submit(player, slotId);
    expect(reply.status).toBe(200);
    expect(reply.body.data.slot.submission.videoFileSize).toBe(bytes.length);
  });

  it("resume: the file is the same after 20 cuts at random", async ({ server }) => {
    const { owner, builds } = await market(server);
    const build = Buffer.alloc(24_000_000, "a build that is cut again and again ");
    const cuts = await uploadWithCuts(server, owner, builds, build, { filename: "big.zip", sha256: sha256(build) }, 20);
    expect(cuts).toBe(20);
    const [hosted] = (await owner.get(builds)).body.data.builds;
    const link = (await owner.get(`${builds}/${hosted.id}/download-url`)).body.data.downloadUrl;
    expect(sha256(new Uint8Array(await (await fetch(link)).arrayBuffer()))).toBe(sha256(build));
  });

  it("file modes: only the server's user can read", async ({ server }) => {
    const { player, video, slotId } = await market(server);
    const url = await begin(server, player, video, bytes.length, named);
    const modes = (path: string) =>
      [dirname(path), path].map((name) => (statSync(join(server.deps.dataDir, name)).mode & 0o777).toString(8));
    expect(modes(`uploads/${idOf(url)}`)).toEqual(["700", "600"]);
    await patch(server, player, url, 0, bytes);
    expect((await submit(player, slotId)).status).toBe(200);
    expect(modes(`blobs/videos/${idOf(url)}`)).toEqual(["700", "600"]);
  });

  it("same build twice: both are stored", async ({ server }) => {
    const { owner, builds } = await market(server);
    const metadata = { filename: "a.zip", sha256: sha256(bytes) };
    await upload(server, owner, builds, bytes, { metadata });
    await upload(server, owner, builds, bytes, { metadata });
    const [second, first] = (await owner.get(builds)).body.data.builds;
    expect([second.sha256, first.sha256]).toEqual([metadata.sha256, metadata.sha256]);
    expect(second.id).not.toBe(first.id);
  });

  describe("creation", () => {
    const good = {
      ...tus,
      "upload-length": "5000",
      "upload-metadata": metadataHeader({ filename: "a.zip", sha256: sha256(bytes) }),
    };
    const meta = (metadata: Record<string, string>) => ({ ...good, "upload-metadata": metadataHeader(metadata) });
    const rows: [name: string, headers: Record<string, string>, status: number, code: string][] = [
      ["no version", { ...good, "tus-resumable": "" }, 412, "BAD_REQUEST"],
      ["another version", { ...good, "tus-resumable": "0.2.2" }, 412, "BAD_REQUEST"],
      ["no length", { ...good, "upload-length": "" }, 400, "BAD_REQUEST"],
      ["a length that is none", { ...good, "upload-length": "-5" }, 400, "BAD_REQUEST"],
      ["an empty file", { ...good, "upload-length": "0" }, 422, "VALIDATION_ERROR"],
      ["too much", { ...good, "upload-length": "1000001" }, 413, "PAYLOAD_TOO_LARGE"],
      ["concatenation", { ...good, "upload-concat": "partial" }, 400, "BAD_REQUEST"],
      ["broken metadata", { ...good, "upload-metadata": "filename !!!" }, 400, "BAD_REQUEST"],
      ["no metadata", { ...good, "upload-metadata": "" }, 422, "VALIDATION_ERROR"],
      ["no filename", meta({ sha256: sha256(bytes) }), 422, "VALIDATION_ERROR"],
      ["a name with NUL", meta({ filename: "a\0b", sha256: sha256(bytes) }), 422, "VALIDATION_ERROR"],
      ["too long a name", meta({ filename: "x".repeat(256), sha256: sha256(bytes) }), 422, "VALIDATION_ERROR"],
      ["no sha256", meta({ filename: "a.zip" }), 422, "VALIDATION_ERROR"],
      ["no hexadecimal sha256", meta({ filename: "a.zip", sha256: "g".repeat(64) }), 422, "VALIDATION_ERROR"],
      ["a checksum of a kind unknown", { ...good, ...octets, "upload-checksum": "md5 eA==" }, 400, "BAD_REQUEST"],
    ];

    it("malformed: is refused, and nothing is kept", async () => {
      const server = await serve({ config: ({ uploads }) => Object.assign(uploads, { buildMaxBytes: 1_000_000 }) });
      const { owner, builds } = await market(server);
      for (const [name, headers, status, code] of rows) {
        const reply = await raw(server, owner, "POST", builds, headers);
        expect([name, reply.status, reply.body.error.code]).toEqual([name, status, code]);
        expect([name, reply.headers.get("tus-resumable")]).toEqual([name, "1.0.0"]);
      }
      expect(filesIn(server)).toEqual([]);
      expect((await raw(server, owner, "POST", builds, good)).status).toBe(201);
    });

    it("access: only the game's owner and the slot's playtester", async ({ server }) => {
      const { builds, video, owner } = await market(server);
      const [otherOwner, otherPlayer] = [await factories.registerOwner(server), await factories.registerPlaytester(server)];
      expect((await raw(server, otherOwner, "POST", builds, good)).status).toBe(404);
      expect((await raw(server, otherPlayer, "POST", video, good)).status).toBe(404);
      expect((await raw(server, owner, "POST", video, good)).status).toBe(403);
      expect((await raw(server, undefined, "POST", video, good)).status).toBe(401);
    });

    it("of a video: refused when the reservation has ended, to the millisecond", async ({ server }) => {
      const { player, video } = await market(server);
      server.clock.set(server.clock.now() + day - 1);
      expect((await raw(server, player, "POST", video, good)).status).toBe(201);
      server.clock.set(server.clock.now() + 1);
      expect((await raw(server, player, "POST", video, good)).status).toBe(409);
    });
  });

  describe("transfer", () => {
    it("PATCH at a wrong offset: refused, and the upload continues from the right one", async ({ server }) => {
      const { player, video, owner } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      expect((await patch(server, player, url, 0, bytes.subarray(0, 2_000))).status).toBe(204);
      const other = await factories.registerPlaytester(server);
      const rest = bytes.subarray(2_000);
      const rows: [name: string, person: factories.Person | undefined, headers: Record<string, string>, status: number][] = [
        ["wrong offset", player, { "upload-offset": "1999" }, 409],
        ["offset ahead", player, { "upload-offset": "2001" }, 409],
        ["no offset", player, { "upload-offset": "" }, 400],
        ["wrong type", player, { "content-type": "video/mp4" }, 415],
        ["wrong version", player, { "tus-resumable": "2.0.0" }, 412],
        ["bad checksum", player, { "upload-checksum": `sha1 ${Buffer.alloc(20).toString("base64")}` }, 460],
        ["other playtester", other, {}, 404],
        ["the game's owner", owner, {}, 404],
        ["no key", undefined, {}, 401],
      ];
      for (const [name, person, headers, status] of rows) {
        const reply = await raw(server, person, "PATCH", url, { ...octets, "upload-offset": "2000", ...headers }, rest);
        expect([name, reply.status]).toEqual([name, status]);
        expect(reply.body.meta.requestId).toBe(reply.headers.get("x-request-id"));
      }
      const tooMuch = await patch(server, player, url, 2_000, Buffer.alloc(3_001));
      expect(tooMuch.status).toBe(413);
      const endless = await stalled(server, player, url, 2_000, bytes.subarray(2_000, 4_999));
      endless.call.end("xx");
      expect(await endless.outcome).toBe(413);

      const state = await head(server, player, url);
      expect(Object.fromEntries(state.headers)).toMatchObject({
        "upload-offset": "2000",
        "upload-length": "5000",
        "cache-control": "no-store",
        "upload-metadata": metadataHeader(named),
        "upload-expires": new Date(server.clock.now() + 7 * day).toUTCString(),
      });
      const checksum = { "upload-checksum": `sha256 ${Buffer.from(sha256(rest), "hex").toString("base64")}` };
      expect((await patch(server, player, url, 2_000, rest, checksum)).status).toBe(204);
      expect((await head(server, player, url)).headers.get("upload-offset")).toBe("5000");
      expect((await patch(server, player, url, 5_000, Buffer.alloc(0))).status).toBe(409);
    });

    it("concurrent requests: one at a time can send", async ({ server }) => {
      const { player, video } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      const first = await stalled(server, player, url, 0, bytes.subarray(0, 1_000), 5_000);
      const second = await patch(server, player, url, 1_000, bytes.subarray(1_000));
      expect([second.status, second.body.error.code]).toEqual([423, "CONFLICT"]);
      first.call.end(bytes.subarray(1_000));
      expect(await first.outcome).toBe(204);
    });

    it("a key that is revoked while the bytes arrive: nothing is recorded, and another key of the account finishes the upload", async ({
      server,
    }) => {
      const { owner, player, builds, video, slotId } = await market(server);
      const build = await begin(server, owner, builds, bytes.length, { filename: "a.zip", sha256: sha256(bytes) });
      for (const [person, url] of [
        [player, await begin(server, player, video, bytes.length, named)],
        [owner, build],
      ] as const) {
        const { key, apiKey } = (await person.post("/auth/api-keys", { name: "ci" })).body.data;
        const slow = await stalled(server, { ...person, key: apiKey }, url, 0, bytes.subarray(0, 1_000), bytes.length);
        expect((await person.delete(`/auth/api-keys/${key.id}`)).status).toBe(200);
        slow.call.end(bytes.subarray(1_000));
        expect(await slow.outcome).toBe(401);
      }
      expect((await owner.get(builds)).body.data.builds).toHaveLength(1);
      expect((await submit(player, slotId)).status).toBe(409);
      expect((await head(server, owner, build)).headers.get("upload-offset")).toBe(String(bytes.length));
      expect((await owner.get(builds)).body.data.builds).toHaveLength(2);
    });

    it("connection that hangs: what arrived is kept, and HEAD takes over", async ({ server }) => {
      const { player, video, slotId } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      const hung = await stalled(server, player, url, 0, bytes.subarray(0, 1_234), 5_000);
      expect((await head(server, player, url)).headers.get("upload-offset")).toBe("1234");
      expect(await hung.outcome).toBe("ECONNRESET");
      expect((await patch(server, player, url, 1_234, bytes.subarray(1_234))).status).toBe(204);
      expect((await submit(player, slotId)).status).toBe(200);
    });

    it("silent connection: is closed", async () => {
      const server = await serve({ config: ({ uploads }) => Object.assign(uploads, { idleMs: 40 }) });
      const { player, video } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      const silent = await stalled(server, player, url, 0, bytes.subarray(0, 1_234), 5_000);
      expect(await silent.outcome).toBe("ECONNRESET");
      expect((await head(server, player, url)).headers.get("upload-offset")).toBe("1234");
    });

    it("HEAD of another account: does not stop an upload", async ({ server }) => {
      const { player, video } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      const first = await stalled(server, player, url, 0, bytes.subarray(0, 1_000), 5_000);
      expect((await head(server, await factories.registerPlaytester(server), url)).status).toBe(404);
      first.call.end(bytes.subarray(1_000));
      expect(await first.outcome).toBe(204);
    });

    it("OPTIONS: describes the protocol", async ({ server }) => {
      const { player, video } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      const reply = await raw(server, player, "OPTIONS", url, {});
      expect(reply.status).toBe(204);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        "tus-version": "1.0.0",
        "tus-max-size": String(8 * 1024 ** 3),
        "tus-extension": "creation,creation-with-upload,termination,expiration,checksum",
        "tus-checksum-algorithm": "sha1,sha256",
      });
    });
  });

  describe("content", () => {
    const program = Buffer.concat([Buffer.from("MZ\x90\0", "latin1"), Buffer.alloc(4_996, 1)]);

    it.each([5_000, 64, 40, 1])("a program named as a video: refused, %d bytes at a time", async (step) => {
      const server = await serve();
      const { player, video } = await market(server);
      const url = await begin(server, player, video, program.length, named);
      let [at, status, code] = [0, 204, ""];
      while (status === 204 && at < program.length) {
        const reply = await patch(server, player, url, at, program.subarray(at, at + step));
        [at, status, code] = [at + step, reply.status, reply.body?.error.code];
      }
      expect([status, code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
      expect(at).toBeLessThan(step + 64);
      expect(filesIn(server)).toEqual([]);
      expect((await head(server, player, url)).status).toBe(410);
    });

    it("a program sent with the creation: refused", async ({ server }) => {
      const { player, video } = await market(server);
      const headers = { ...octets, "upload-length": "5000", "upload-metadata": metadataHeader(named) };
      expect((await raw(server, player, "POST", video, headers, program)).status).toBe(415);
      expect(filesIn(server)).toEqual([]);
    });

    it("a large program: refused after its first bytes", async ({ server }) => {
      const { player, video } = await market(server);
      const large = Buffer.alloc(20_000_000, 1);
      const failed = upload(server, player, video, large, { metadata: named, retryDelays: [] });
      await expect(failed).rejects.toMatchObject({ originalResponse: { _response: { statusCode: 415 } } });
      expect(filesIn(server)).toEqual([]);
    });

    it("refused content: answered before all of it arrived, and the rest is discarded", async ({ server }) => {
      const { player, video } = await market(server);
      const url = await begin(server, player, video, program.length, named);
      const headers = { ...octets, authorization: `Bearer ${player.key}`, "upload-offset": 0, "content-length": program.length };
      const call = httpRequest(url, { method: "PATCH", headers, agent: new Agent({ keepAlive: true }) });
      call.write(program.subarray(0, 100));
      const [reply] = await once(call, "response");
      expect([reply.statusCode, reply.headers.connection]).toEqual([415, "keep-alive"]);
      call.end(program.subarray(100));
      await once(reply.resume(), "end");
      expect(filesIn(server)).toEqual([]);
    });

    it("a build with another SHA-256 than declared: refused", async ({ server }) => {
      const { owner, builds, gameId } = await market(server);
      const url = await begin(server, owner, builds, bytes.length, { filename: "a.zip", sha256: sha256(program) });
      const reply = await patch(server, owner, url, 0, bytes);
      expect([reply.status, reply.body.error.code, reply.body.error.details[0].field]).toEqual([
        460,
        "VALIDATION_ERROR",
        "sha256",
      ]);
      expect(filesIn(server)).toEqual([]);
      expect((await owner.get(builds)).body.data.builds).toHaveLength(1);
      expect((await owner.get(`/games/${gameId}`)).body.data.game.buildUrl).toBe("https://example.com/build.zip");
    });

    it("a hostile file name: stored under an id", async ({ server }) => {
      const { player, video, slotId, owner } = await market(server);
      const url = await begin(server, player, video, bytes.length, { filename: '../../x"\r\n', filetype: "text/html" });
      await patch(server, player, url, 0, bytes);
      expect(filesIn(server)).toEqual([idOf(url)]);
      await submit(player, slotId);
      const link = (await owner.get(`/slots/${slotId}/download-url`)).body.data.downloadUrl;
      const reply = await fetch(link);
      expect(reply.headers.get("content-disposition")).toBe(`attachment; filename="x_.mp4"; filename*=UTF-8''x%22.mp4`);
      expect(reply.headers.get("content-type")).toBe("video/mp4");
      await reply.arrayBuffer();
    });
  });

  describe("life", () => {
    it("incomplete video: cannot be submitted", async ({ server }) => {
      const { player, video, slotId } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      await patch(server, player, url, 0, bytes.subarray(0, 4_999));
      expect((await submit(player, slotId)).status).toBe(409);
      await patch(server, player, url, 4_999, bytes.subarray(4_999));
      expect((await submit(player, slotId)).status).toBe(200);
    });

    it("last byte after the deadline: nothing of the video is kept", async ({ server }) => {
      const { player, video } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      const slow = await stalled(server, player, url, 0, bytes.subarray(0, 1_000), 5_000);
      server.clock.set(server.clock.now() + day);
      slow.call.end(bytes.subarray(1_000));
      expect(await slow.outcome).toBe(409);
      expect(filesIn(server)).toEqual([]);
    });

    it("expiry: deletes the file", async ({ server }) => {
      const { owner, builds } = await market(server);
      const url = await begin(server, owner, builds, bytes.length, { filename: "a.zip", sha256: sha256(bytes) });
      await patch(server, owner, url, 0, bytes.subarray(0, 100));
      server.clock.set(server.clock.now() + 7 * day - 1);
      expect((await head(server, owner, url)).status).toBe(200);
      server.clock.set(server.clock.now() + 1);
      expect((await head(server, owner, url)).status).toBe(410);
      expect((await patch(server, owner, url, 100, bytes.subarray(100))).status).toBe(410);
      await server.advance(0);
      expect(filesIn(server)).toEqual([]);
    });

    it("next upload of a slot: replaces the one before", async ({ server }) => {
      const { player, video, slotId, owner } = await market(server);
      const first = await begin(server, player, video, bytes.length, named);
      const second = await begin(server, player, video, bytes.length, named);
      expect((await patch(server, player, first, 0, bytes)).status).toBe(410);
      await patch(server, player, second, 0, bytes);
      const better = factories.videoBytes(6_000);
      const third = await begin(server, player, video, better.length, named);
      await server.advance(0);
      expect(filesIn(server).sort()).toEqual([idOf(second), idOf(third)].sort());
      await patch(server, player, third, 0, better);
      await server.advance(0);
      expect(filesIn(server)).toEqual([idOf(third)]);
      expect((await submit(player, slotId)).body.data.slot.submission.videoFileSize).toBe(6_000);
      expect((await raw(server, player, "POST", video, { ...tus, "upload-length": "5" })).status).not.toBe(201);
      await server.advance(30 * day);
      const link = (await owner.get(`/slots/${slotId}/download-url`)).body.data.downloadUrl;
      expect((await (await fetch(link)).arrayBuffer()).byteLength).toBe(6_000);
    });

    it("next upload of a slot, while bytes of the one before still arrive: that one is gone", async ({ server }) => {
      const { player, video } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      const slow = await stalled(server, player, url, 0, bytes.subarray(0, 1_000), 5_000);
      const next = await begin(server, player, video, bytes.length, named);
      await server.advance(0);
      slow.call.end(bytes.subarray(1_000));
      expect(await slow.outcome).toBe(410);
      expect((await patch(server, player, next, 0, bytes)).status).toBe(204);
    });

    it("slot that ends without a submission: deletes the file", async ({ server }) => {
      const { player, video, slotId } = await market(server);
      await upload(server, player, video, bytes, { metadata: named });
      await player.post(`/playtester/slots/${slotId}/release`);
      expect(filesIn(server)).toHaveLength(1);
      await server.advance(7 * day);
      expect(filesIn(server)).toEqual([]);
    });

    it("DELETE: ends an incomplete upload", async ({ server }) => {
      const { player, video, owner } = await market(server);
      const url = await begin(server, player, video, bytes.length, named);
      expect((await raw(server, owner, "DELETE", url)).status).toBe(404);
      expect((await raw(server, player, "DELETE", url)).status).toBe(204);
      expect(filesIn(server)).toEqual([]);
      expect((await raw(server, player, "DELETE", url)).status).toBe(410);
      const done = await upload(server, player, video, bytes, { metadata: named });
      expect((await raw(server, player, "DELETE", done)).status).toBe(409);
    });

    it.each(["the file is here", "the file has moved"])("crash: the upload is finished afterwards when %s", async (crash) => {
      const server = await serve();
      const { owner, builds, gameId } = await market(server);
      const url = await begin(server, owner, builds, bytes.length, { filename: "a.zip", sha256: sha256(bytes) });
      const file = join(server.deps.dataDir, "uploads", idOf(url));
      writeFileSync(file, bytes);
      if (crash === "the file has moved") await server.deps.blobs.put(`builds/${idOf(url)}`, file);
      expect((await head(server, owner, url)).headers.get("upload-offset")).toBe("5000");
      const [hosted] = (await owner.get(builds)).body.data.builds;
      expect((await owner.get(`/games/${gameId}`)).body.data.game.buildUrl).toBe(hosted.buildUrl);
      expect(hosted.sha256).toBe(sha256(bytes));
    });

    it("missing file: the upload is gone", async ({ server }) => {
      const { owner, builds } = await market(server);
      const url = await begin(server, owner, builds, bytes.length, { filename: "a.zip", sha256: sha256(bytes) });
      const file = join(server.deps.dataDir, "uploads", idOf(url));
      renameSync(file, `${file}.lost`);
      expect((await head(server, owner, url)).status).toBe(410);
      expect((await patch(server, owner, url, 0, bytes)).status).toBe(410);
    });
  });
});

onBothDatabases("storage limits of uploads", (serve, it) => {
  const create = (server: TestServer, person: factories.Person, path: string, size: number, metadata: Record<string, string>) =>
    raw(server, person, "POST", path, { ...tus, "upload-length": String(size), "upload-metadata": metadataHeader(metadata) });
  const build = (content: Buffer) => ({ filename: "a.zip", sha256: sha256(content) });

  it("refuse what is more than an account may store, before a byte is sent; what ended counts no more", async () => {
    const server = await serve({ config: (config) => (config.uploads.accountMaxBytes = 12_000) });
    const { owner, builds } = await market(server);
    await upload(server, owner, builds, bytes, { metadata: build(bytes) });
    const declared = await begin(server, owner, builds, 6_000, build(bytes));
    const refused = await create(server, owner, builds, 1_001, build(bytes));
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "An account can store at most 12000 bytes, and this one uses 11000. Nothing was stored. Ask the operator of this server for more.",
    ]);
    const other = await market(server);
    expect((await create(server, other.owner, other.builds, 12_000, build(bytes))).status).toBe(201);
    expect((await raw(server, owner, "DELETE", declared)).status).toBe(204);
    expect((await create(server, owner, builds, 7_000, build(bytes))).status).toBe(201);
    server.clock.set(server.clock.now() + 8 * day);
    expect((await create(server, owner, builds, 7_000, build(bytes))).status).toBe(201);
  });

  it("refuse more unfinished uploads than an account may have", async () => {
    const server = await serve({ config: (config) => (config.uploads.maxOpenPerAccount = 2) });
    const { owner, builds } = await market(server);
    const first = await begin(server, owner, builds, bytes.length, build(bytes));
    await begin(server, owner, builds, bytes.length, build(bytes));
    const refused = await create(server, owner, builds, bytes.length, build(bytes));
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "An account can have at most 2 unfinished uploads. Nothing was stored. Finish or end one first.",
    ]);
    expect((await patch(server, owner, first, 0, bytes)).status).toBe(204);
    expect((await create(server, owner, builds, bytes.length, build(bytes))).status).toBe(201);
  });

  it("count a slot's video once however often it is sent, and not when it is submitted", async () => {
    const server = await serve({
      config: (config) => Object.assign(config.uploads, { maxOpenPerAccount: 1, accountMaxBytes: 9_000 }),
    });
    const { owner, gameId, player, video, slotId } = await market(server);
    await begin(server, player, video, bytes.length, named);
    await upload(server, player, video, bytes, { metadata: named });
    await upload(server, player, video, bytes, { metadata: named });
    const second = `/playtester/slots/${await factories.claim(player, await factories.order(owner, gameId))}/video`;
    expect((await create(server, player, second, bytes.length, named)).status).toBe(409);
    expect((await submit(player, slotId)).status).toBe(200);
    expect((await create(server, player, second, bytes.length, named)).status).toBe(201);
  });

  it("leave free space on the disk: nothing begins that does not fit, and nothing goes on", async ({ server }) => {
    const { owner, builds } = await market(server);
    const begun = await begin(server, owner, builds, bytes.length, build(bytes));
    server.deps.config.uploads.minFreeBytes = 2 ** 50;
    const message = "The server has too little free disk space for this upload. Nothing was stored; try again later.";
    for (const reply of [
      await create(server, owner, builds, bytes.length, build(bytes)),
      await patch(server, owner, begun, 0, bytes),
    ])
      expect([reply.status, reply.body.error.message, reply.headers.get("retry-after")]).toEqual([503, message, "300"]);
    expect((await head(server, owner, begun)).headers.get("upload-offset")).toBe("0");
    server.deps.config.uploads.minFreeBytes = 0;
    expect((await create(server, owner, builds, bytes.length, build(bytes))).status).toBe(201);
    expect((await patch(server, owner, begun, 0, bytes)).status).toBe(204);
  });
});
