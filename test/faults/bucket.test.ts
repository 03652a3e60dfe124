import { createHash, randomFillSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { backup } from "../../server/operations/archive/backup.ts";
import { restore } from "../../server/operations/archive/restore.ts";
import { doctor } from "../../server/operations/doctor.ts";
import { moveBlobs } from "../../server/operations/move-blobs.ts";
import { findStrays } from "../../server/operations/strays.ts";
import type { Bucket } from "../../server/uploads/s3/bucket.ts";
import { openBucket } from "../../server/uploads/s3/open.ts";
import { startProcess } from "../helpers/cluster.ts";
import { dataDirFixture, withBuild } from "../helpers/data-dir-fixture.ts";
import * as factories from "../helpers/factories.ts";
import { type FaultyBucket, startFaultyBucket } from "../helpers/faulty-bucket.ts";
import { freePort } from "../helpers/free-port.ts";
import { startMemoryBucket } from "../helpers/memory-bucket.ts";
import { freshDatabase } from "../helpers/postgres.ts";
import { killLeftovers } from "../helpers/process.ts";
import { hasRadosgw, type S3Server, startRadosgw } from "../helpers/radosgw.ts";
import { nodeAt, startTestServer, type TestServer, type TestServerOptions } from "../helpers/server.ts";
import { drivers, freshFolder, sqlite } from "../helpers/store.ts";
import { begin, patch, raw, sha256 } from "../helpers/tus.ts";

const mib = 2 ** 20;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await killLeftovers();
  for (const close of closing.splice(0).reverse()) await close();
});

const bytesOf = (size: number) => randomFillSync(Buffer.alloc(size));

async function collected(bytes: AsyncIterable<Uint8Array> | undefined): Promise<Buffer | undefined> {
  if (!bytes) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

it("a bucket that nobody answers for is away, and nothing is said about its files", async () => {
  const env = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  const address = `s3://files?endpoint=http://127.0.0.1:${await freePort()}&path-style`;
  const bucket = await openBucket(address, { env, now: Date.now, attempts: 1 });
  await expect(bucket.find(`videos/${idOf(1)}`)).rejects.toThrow("does not answer right now. Nothing was changed.");
});

it("a bucket that takes no bytes does not keep whoever is impatient waiting, however much there is to send", async () => {
  const sockets: Socket[] = [];
  const stalled = createServer((socket) => void sockets.push(socket.pause()));
  await once(stalled.listen(0, "127.0.0.1"), "listening");
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    stalled.close();
  });
  const env = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  const address = `s3://files?endpoint=http://127.0.0.1:${(stalled.address() as AddressInfo).port}&path-style`;
  const { client } = await openBucket(address, { env, now: Date.now });
  const sent = client.impatient(100).text({ method: "PUT", key: "unfinished/1", body: bytesOf(8 * mib) });
  await expect(sent).rejects.toMatchObject({ status: 503, cause: new Error("the bucket took too long") });
});

it("an archive is restored into PostgreSQL though the bucket takes longer to list than a transaction may be idle", async () => {
  const [bucket, database] = [await startMemoryBucket(), await freshDatabase({ empty: true })];
  closing.push(bucket.close, database.drop);
  const data = await withBuild(100);
  writeFileSync(join(data, "config.json"), JSON.stringify({ blobs: { address: bucket.address } }), { mode: 0o600 });
  const [archive, env, now] = [join(freshFolder(), "backup.tar"), bucket.env, Date.now()];
  const quiet = { env, now, dryRun: false, onProgress: () => {} };
  await backup({ ...quiet, data, target: archive, portable: true, force: false, version: "1" });
  bucket.setListTime(100);
  const databaseUrl = `${database.unrestrictedUrl}?options=-c%20idle_in_transaction_session_timeout=300ms`;
  const where = { data: join(freshFolder(), "restored"), databaseUrl };
  const { signal } = new AbortController();
  expect(await restore({ ...quiet, ...where, archive, replace: false, programs: [], signal })).toMatchObject({ missing: [] });
});

it("files are not moved from one bucket to another, which would leave them where they are", async () => {
  const data = dataDirFixture();
  writeFileSync(join(data, "config.json"), JSON.stringify({ blobs: { address: "s3://old" } }), { mode: 0o600 });
  const env = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  const { signal } = new AbortController();
  await expect(moveBlobs({ data, env, to: "s3://new", now: Date.now, signal, onProgress() {} })).rejects.toThrow(
    "The server keeps its files in s3://old, and --to is another address. Nothing was moved. Move the files to the disk first (--to disk), or copy the bucket with a tool of its own and then set blobs.address.",
  );
});

describe.each(hasRadosgw ? ["radosgw"] : [])("bucket of %s", () => {
  let s3: S3Server;
  let way: FaultyBucket;
  let bucketCount = 0;

  beforeAll(async () => {
    s3 = await startRadosgw();
    way = await startFaultyBucket(s3.endpoint);
  }, 300_000);

  afterAll(async () => {
    await way?.close();
    await s3?.stop();
  });

  afterEach(() => {
    way.faults.length = 0;
    way.requests.length = 0;
  });

  /** A new bucket, and its address over the way on which things go wrong. */
  async function newBucket(patience: { silenceMs?: number; attempts?: number } = {}) {
    const address = `s3://test-${++bucketCount}/files?endpoint=${way.endpoint}&path-style`;
    const bucket = await openBucket(address, { env: s3.env, now: Date.now, ...patience });
    await bucket.client.text({ method: "PUT" });
    way.requests.length = 0;
    return { address, bucket };
  }

  async function serve(bucket: Bucket, options: Partial<TestServerOptions> = {}): Promise<TestServer> {
    const store = await sqlite.open();
    const server = await startTestServer({ store, bucket, ...options });
    closing.push(
      () => server.close(),
      () => store.remove(),
    );
    closing.reverse();
    return server;
  }

  const listed = async (bucket: Bucket) => {
    const keys: string[] = [];
    for await (const { key } of bucket.list([""])) keys.push(key);
    return keys.sort();
  };

  it.each([
    { method: "PUT", kind: "503", times: 2 },
    { method: "PUT", query: "partNumber=2", kind: "away" },
    { method: "PUT", query: "partNumber=3", kind: "reply lost" },
    { method: "POST", query: "uploadId", kind: "reply lost" },
    { method: "POST", query: "uploads", kind: "503" },
    { method: "HEAD", kind: "slow" },
  ] as const)("stores a file in parts when a reply is $kind ($method $query)", async (fault) => {
    const { bucket } = await newBucket();
    const path = join(freshFolder(), "file");
    const bytes = bytesOf(17 * mib + 5);
    writeFileSync(path, bytes);
    way.faults.push({ ...fault });
    await bucket.store(`videos/${idOf(1)}`, path, sha256(bytes));
    expect(way.faults).toEqual([]);
    expect(await bucket.find(`videos/${idOf(1)}`)).toEqual({ size: bytes.length, sha256: sha256(bytes) });
    expect(await bucket.endUnfinished(Infinity)).toBe(0);
  });

  it.each(["503", "away", "cut", "slow", "fewer", "more", "other range"] as const)(
    "reads exactly what is stored when a reply is %s",
    async (kind) => {
      const { bucket } = await newBucket();
      const bytes = bytesOf(3 * mib);
      await bucket.put(`videos/${idOf(1)}`, bytes);
      way.faults.push({ method: "GET", kind });
      expect((await collected(await bucket.read(`videos/${idOf(1)}`)))?.equals(bytes)).toBe(true);
      way.faults.push({ method: "GET", kind });
      const part = await collected(await bucket.read(`videos/${idOf(1)}`, { start: 1000, end: 2 * mib }));
      expect(part?.equals(bytes.subarray(1000, 2 * mib + 1))).toBe(true);
      expect(await bucket.read(`videos/${idOf(2)}`)).toBeUndefined();
    },
  );

  it("a video is stored, played by parts, cut without being fetched, and gone with its slot", async () => {
    const { bucket } = await newBucket();
    const script = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
    const server = await serve(bucket, {
      config: ({ clips }) => void Object.assign(clips, { ffmpeg: [process.execPath, script, "part"], maxBytes: mib }),
    });
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const playtestId = await factories.order(owner, await factories.createGame(owner), { quantity: 2 });
    const player = await factories.registerPlaytester(server);
    const slotId = await factories.claim(player, playtestId);
    const video = factories.videoBytes(32 * mib);
    await factories.giveVideo(server, slotId, player, video);
    await player.post(`/playtester/slots/${slotId}/submit`, { notes: "It was fun." });
    await server.deps.blobs.remote!.idle();
    const [key] = await listed(bucket);
    expect(await bucket.find(key!)).toEqual({ size: video.length, sha256: sha256(video) });
    expect(existsSync(join(server.deps.dataDir, "storing", key!))).toBe(false);

    const { downloadUrl } = (await owner.get(`/playtests/slots/${slotId}/download-url`)).body.data;
    const part = await fetch(downloadUrl, { headers: { range: "bytes=5000000-5000099" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 5000000-5000099/${video.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(video.subarray(5_000_000, 5_000_100))).toBe(true);
    way.faults.push({ method: "GET", kind: "cut", times: 2 });
    const whole = createHash("sha256");
    for await (const chunk of (await fetch(downloadUrl)).body!) whole.update(chunk);
    expect(whole.digest("hex")).toBe(sha256(video));

    const before = way.sent;
    await owner.post(`/slots/${slotId}/clips`, { atMs: 0, endMs: 10_000 });
    await server.advance(0);
    const { clips } = (await owner.get(`/slots/${slotId}/clips`)).body.data;
    expect(clips[0]).toMatchObject({ status: "ready" });
    const cut = JSON.parse(await (await fetch(clips[0].downloadUrl)).text());
    expect(cut).toMatchObject({ head: 65_536, size: video.length });
    expect(cut.args.join(" ")).toMatch(/-protocol_whitelist http,tcp .* -i http:\/\/127\.0\.0\.1:\d+\/[\w-]{32} /);
    // For a clip, a poster and a measurement some pieces, and what their connections hold, however long the video is.
    expect(way.sent - before).toBeLessThan(16 * mib);

    await server.deps.blobs.remote!.idle();
    const kinds = (await listed(bucket)).map((each) => each.split("/")[0]);
    expect(kinds).toEqual(["clips", "stills", "thumbnails", "videos"]);
    for (const each of await listed(bucket)) await server.deps.blobs.remove(each);
    expect(await server.deps.blobs.read(key!)).toBeUndefined();
    await server.deps.blobs.remote!.idle();
    expect(await listed(bucket)).toEqual([]);
  });

  it("uploads wait on the disk while the bucket is away, up to a limit, and are stored when it is back", async () => {
    const { bucket } = await newBucket({ attempts: 1 });
    const server = await serve(bucket, { config: ({ blobs }) => void Object.assign(blobs, { spoolMaxBytes: 10_000 }) });
    const owner = await factories.registerOwner(server);
    await factories.giveCredit(server, owner, 100_000);
    const playtestId = await factories.order(owner, await factories.createGame(owner), { quantity: 2 });
    way.faults.push({ kind: "away", times: Infinity });
    const slotId = await factories.play(server, await factories.registerPlaytester(server), playtestId);
    const { downloadUrl } = (await owner.get(`/playtests/slots/${slotId}/download-url`)).body.data;
    expect(Buffer.from(await (await fetch(downloadUrl)).arrayBuffer()).equals(factories.videoBytes())).toBe(true);
    expect(await server.deps.blobs.remote!.waiting()).toEqual({ files: 1, bytes: 4096, removals: 0 });

    const player = await factories.registerPlaytester(server);
    const next = `/playtester/slots/${await factories.claim(player, playtestId)}/video`;
    const headers = { "tus-resumable": "1.0.0", "upload-length": "9000", "upload-metadata": "filename YQ==,filetype YQ==" };
    const refused = await raw(server, player, "POST", next, headers);
    expect([refused.status, refused.headers.get("retry-after"), refused.body.error.message]).toEqual([
      503,
      "300",
      "The storage of files does not keep up, and too many uploads wait for it. Nothing was stored; try again later.",
    ]);
    expect(server.lines.filter((line) => line.includes("files cannot be moved"))).toHaveLength(1);
    way.faults.length = 0;
    await server.deps.blobs.remote!.idle();
    expect(await listed(bucket)).toHaveLength(1);
    expect((await raw(server, player, "POST", next, headers)).status).toBe(201);
  });

  it("kill -9 in the middle of a file: the next process sends only what is missing", async () => {
    const { address, bucket } = await newBucket();
    const folder = freshFolder();
    writeFileSync(join(folder, "config.json"), JSON.stringify({ blobs: { address } }), { mode: 0o600 });
    const first = await startProcess(folder, undefined, ["--seed", "minimal"], s3.env);
    const owner = factories.personWith(nodeAt(first.baseUrl), first.ownerKey!, "");
    const build = bytesOf(26 * mib);
    way.faults.push({ method: "PUT", query: "partNumber=4", kind: "503", times: Infinity });
    const url = await begin(nodeAt(first.baseUrl), owner, `/games/${first.gameId}/builds`, build.length, {
      filename: "a.zip",
      sha256: sha256(build),
    });
    expect((await patch(nodeAt(first.baseUrl), owner, url, 0, build)).status).toBe(204);
    await vi.waitUntil(() => way.requests.some((line) => line.includes("partNumber=4")), { timeout: 60_000 });
    first.child.kill("SIGKILL");
    await first.ended;
    way.faults.length = 0;
    way.requests.length = 0;
    const second = await startProcess(folder, undefined, [], s3.env);
    const key = `builds/${url.split("/").at(-1)}`;
    await vi.waitUntil(() => bucket.find(key), { timeout: 60_000, interval: 100 });
    expect(await bucket.find(key)).toEqual({ size: build.length, sha256: sha256(build) });
    expect(way.requests.filter((line) => /partNumber=/.test(line)).length).toBeLessThan(4);
    await vi.waitUntil(() => !existsSync(join(folder, "storing", key)), { timeout: 60_000 });
    await second.stop();
    expect([await listed(bucket), await bucket.endUnfinished(Infinity)]).toEqual([[key], 0]);
  });

  it("an upload that began at one process goes on at another with a folder of its own, which also reads it", async () => {
    const { address, bucket } = await newBucket();
    const location = await drivers.find(({ name }) => name === "postgres")!.location();
    closing.push(() => location.remove());
    const folders = [freshFolder(), freshFolder()] as const;
    for (const folder of folders)
      writeFileSync(join(folder, "config.json"), JSON.stringify({ blobs: { address } }), { mode: 0o600 });
    const one = await startProcess(folders[0], location, ["--seed", "minimal"], s3.env);
    writeFileSync(join(folders[1], "instance.key"), readFileSync(join(folders[0], "instance.key")), { mode: 0o600 });
    const other = await startProcess(folders[1], location, [], s3.env);
    const [here, there] = [nodeAt(one.baseUrl), nodeAt(other.baseUrl)];
    const owner = factories.personWith(here, one.ownerKey!, "");
    const build = bytesOf(30 * mib);
    const named = { filename: "a.zip", sha256: sha256(build) };
    const url = await begin(here, owner, `/games/${one.gameId}/builds`, build.length, named);
    const elsewhere = url.replace(one.baseUrl, other.baseUrl);
    expect((await patch(here, owner, url, 0, build.subarray(0, 20 * mib))).status).toBe(204);
    expect((await raw(there, owner, "HEAD", elsewhere)).headers.get("upload-offset")).toBe(String(20 * mib));
    expect((await patch(there, owner, elsewhere, 20 * mib, build.subarray(20 * mib, 25 * mib))).status).toBe(204);
    expect((await raw(here, owner, "HEAD", url)).headers.get("upload-offset")).toBe(String(25 * mib));
    expect((await patch(here, owner, url, 25 * mib, build.subarray(25 * mib))).status).toBe(204);
    const { builds } = (await owner.get(`/games/${one.gameId}/builds`)).body.data;
    const made = builds.find(({ size }: { size: number }) => size === build.length);
    const linked = await factories
      .personWith(there, one.ownerKey!, "")
      .get(`/games/${one.gameId}/builds/${made.id}/download-url`);
    const download = linked.body.data.downloadUrl.replace(one.baseUrl, other.baseUrl);
    let reply = await fetch(download);
    while (reply.status === 503) {
      expect(reply.headers.get("retry-after")).toBe("10");
      reply = await fetch(download);
    }
    expect(sha256(Buffer.from(await reply.arrayBuffer()))).toBe(named.sha256);
    await vi.waitUntil(async () => (await listed(bucket)).length === 1, { timeout: 60_000, interval: 100 });
    expect((await one.stop()).code).toBe(0);
    expect((await other.stop()).code).toBe(0);
  });

  it("doctor finds it whole, a backup names its files, and a restore checks that they are there", async () => {
    const { address, bucket } = await newBucket();
    const folder = freshFolder();
    writeFileSync(join(folder, "config.json"), JSON.stringify({ blobs: { address } }), { mode: 0o600 });
    const running = await startProcess(folder, undefined, ["--seed", "demo"], s3.env);
    await vi.waitUntil(
      () =>
        !readdirSync(join(folder, "storing")).some(
          (kind) => kind === "videos" && readdirSync(join(folder, "storing", kind)).length > 0,
        ),
      { timeout: 20_000, interval: 50 },
    );
    await running.stop();
    const env = { ...s3.env, HOME: folder };
    const options = { data: folder, env, now: Date.now() };
    const checks = await doctor({ ...options, ledger: false, fix: false });
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.find(({ name }) => name === "storage")?.detail).toContain("can be written, read, listed and cleared");
    const file = join(freshFolder(), "backup.tar");
    const made = await backup({
      ...options,
      target: file,
      portable: false,
      force: false,
      dryRun: false,
      version: "1",
      onProgress: () => {},
    });
    expect([made.missing, made.inBucket]).toEqual([[], (await listed(bucket)).length]);
    expect(statSync(file).size).toBeLessThan(20 * mib);
    const again = { data: join(freshFolder(), "restored"), env, now: Date.now() };
    const restoring = {
      ...again,
      archive: file,
      replace: false,
      programs: [],
      dryRun: false,
      signal: new AbortController().signal,
      onProgress: () => {},
    };
    expect(await restore(restoring)).toMatchObject({ missing: [] });
    const [lost] = await listed(bucket);
    await bucket.remove(lost!);
    await expect(restore({ ...restoring, data: join(freshFolder(), "other") })).rejects.toThrow(`the file ${lost} is missing`);
    const wrong = await doctor({ ...options, env: { ...env, AWS_SECRET_ACCESS_KEY: "wrong" }, ledger: false, fix: false });
    expect(wrong.find(({ name }) => name === "storage")).toMatchObject({
      ok: false,
      detail: expect.stringContaining("cannot write an object"),
      help: expect.stringContaining("The secret does not belong to the access key"),
    });
  });

  it("files move from the disk to the bucket and back, and go on where a move stopped", async () => {
    const { address, bucket } = await newBucket();
    const folder = freshFolder();
    const plain = await startProcess(folder, undefined, ["--seed", "demo"]);
    await plain.stop();
    const env = { ...s3.env, HOME: folder };
    const options = { data: folder, env, now: Date.now, signal: new AbortController().signal, onProgress: () => {} };
    const onDisk = () =>
      readdirSync(join(folder, "blobs"), { recursive: true, encoding: "utf8" }).filter((name) => /[0-9a-f-]{36}$/.test(name));
    const all = onDisk().sort();
    const stopped = new AbortController();
    const onProgress = () => stopped.abort(new Error("stopped"));
    await expect(moveBlobs({ ...options, to: address, signal: stopped.signal, onProgress })).rejects.toThrow("stopped");
    expect(await listed(bucket)).toHaveLength(1);
    expect(await moveBlobs({ ...options, to: address })).toMatchObject({ files: all.length - 1, there: 1, removed: 0 });
    expect([await listed(bucket), onDisk().sort()]).toEqual([all, all]);
    writeFileSync(join(folder, "config.json"), JSON.stringify({ blobs: { address } }), { mode: 0o600 });
    expect(await moveBlobs({ ...options, to: address })).toMatchObject({ files: 0, there: all.length, removed: all.length });
    expect(onDisk()).toEqual([]);
    const found = await doctor({ data: folder, env, now: Date.now(), ledger: false, fix: false });
    expect(found.filter(({ ok }) => !ok)).toEqual([]);
    // One file did not reach the bucket before the server was stopped, and another was not removed there yet.
    const [waits, [removed, ...others]] = [`videos/${idOf(7)}`, all as [string, ...string[]]];
    for (const path of [waits, join("removed", removed)]) {
      mkdirSync(join(folder, "storing", dirname(path)), { recursive: true });
      writeFileSync(join(folder, "storing", path), "waits");
    }
    expect(await moveBlobs({ ...options, to: "disk" })).toMatchObject({ files: all.length, there: 0, removed: 0 });
    expect(onDisk().sort()).toEqual([...others, waits].sort());
  });

  it("what belongs to nothing is removed by the sweep, also uploads that were never completed", async () => {
    const { bucket } = await newBucket();
    const server = await serve(bucket);
    const [orphan, kept] = [`videos/${idOf(1)}`, `unfinished/${idOf(2)}/0000000000000000`];
    await bucket.put(orphan, bytesOf(10));
    await bucket.put(kept, bytesOf(10));
    await bucket.client.text({ method: "POST", key: `videos/${idOf(3)}`, query: { uploads: "" } });
    const { blobs, store } = server.deps;
    const { found } = await store.read((q) => findStrays(q, server.deps, Date.now() + 9 * 86_400_000));
    expect(found).toMatchObject([{ path: `blobs/${orphan}`, bytes: 10 }]);
    await blobs.remove(orphan);
    await blobs.remote!.idle();
    expect(await blobs.remote!.tidy(Date.now() + 1000, async () => new Set([idOf(2)]))).toBe(1);
    expect(await listed(bucket)).toEqual([kept]);
    expect(await blobs.remote!.tidy(Date.now() + 1000, async () => new Set())).toBe(1);
    expect([await listed(bucket), await bucket.endUnfinished(Infinity)]).toEqual([[], 0]);
  });
});
