import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { removeLeftovers } from "../../server/operations/leftovers.ts";
import { missingBlobs } from "../../server/operations/missing-blobs.ts";
import { createGame, giveCredit, registerOwner } from "../helpers/factories.ts";
import { startMemoryBucket } from "../helpers/memory-bucket.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";
import { begin, octets, patch, raw, sha256, upload } from "../helpers/tus.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const mib = 2 ** 20;
const build = randomFillSync(Buffer.alloc(3 * mib));
const first = build.subarray(0, mib);

/** Two servers that share a database and a bucket but no folder, and an upload that began at the first. */
async function apart() {
  const bucket = await startMemoryBucket();
  closing.push(() => bucket.close());
  const location = await drivers.find(({ name }) => name === "postgres")!.location();
  closing.push(() => location.remove());
  const open = async (instance: string, here: Pick<TestServerOptions, "dataDir" | "clock"> = {}) => {
    const store = await openStore(location.options);
    const server = await startTestServer({ store, instance, bucket: await bucket.open(), ...here });
    closing.push(() => server.close());
    return server;
  };
  const [one, other] = [await open("one"), await open("two")];
  const owner = await registerOwner(one);
  await giveCredit(one, owner, 100_000);
  const gameId = await createGame(owner);
  const url = await begin(one, owner, `/games/${gameId}/builds`, build.length, { filename: "a.zip", sha256: sha256(build) });
  const { pathname } = new URL(url);
  const id = pathname.split("/").at(-1)!;
  return { bucket, open, one, other, owner, gameId, url, id, there: other.baseUrl + pathname };
}

type Market = Awaited<ReturnType<typeof apart>>;

const offsetAt = async ({ owner }: Market, server: TestServer, url: string) => {
  const { status, headers } = await raw(server, owner, "HEAD", url);
  return [status, headers.get("upload-offset")];
};

/** A connection to the first server that sent the first bytes of the build, and keeps the upload. */
async function stalledAtFirst({ one, owner, url, id }: Market) {
  const headers = { ...octets, authorization: `Bearer ${owner.key}`, "upload-offset": 0, "content-length": build.length };
  const call: ClientRequest = httpRequest(url, { method: "PATCH", headers });
  const outcome = once(call, "response").then(
    ([reply]) => (reply as IncomingMessage).resume().statusCode,
    () => "closed",
  );
  call.write(first);
  const file = join(one.deps.dataDir, "uploads", id);
  await expect.poll(() => statSync(file).size, { interval: 5 }).toBe(first.length);
  return { call, outcome, file };
}

/** As it is when the process that holds an upload was silent for a while. */
const loseLease = ({ one }: Market) =>
  one.deps.store.write((tx) => tx.run("UPDATE upload_writers SET lease_until = 1, token = 'another process'"));

/** What the bucket has once nothing is on its way: the build under its key, once, and nothing else. */
async function expectStored({ bucket, one, other, id }: Market): Promise<void> {
  for (const { deps } of [one, other]) await deps.blobs.remote!.idle();
  const contents = bucket.contents();
  expect(Object.keys(contents)).toEqual([`builds/${id}`]);
  expect(sha256(contents[`builds/${id}`]!)).toBe(sha256(build));
}

describe("upload that goes on at a server with a folder of its own", () => {
  it("begins there at 0 when nothing was sent yet", async () => {
    const market = await apart();
    const { other, owner, there } = market;
    expect(await offsetAt(market, other, there)).toEqual([200, "0"]);
    expect((await patch(other, owner, there, 0, build)).status).toBe(204);
    await expectStored(market);
  });

  it("takes its first bytes there without being asked how far it is", async () => {
    const market = await apart();
    const { other, owner, there } = market;
    expect((await patch(other, owner, there, 0, build)).status).toBe(204);
    await expectStored(market);
  });

  it("says 409 for an offset that only the other server had, so that the client asks and resumes", async () => {
    const market = await apart();
    const { bucket, one, other, owner, url, there } = market;
    bucket.setAway(true);
    expect((await patch(one, owner, url, 0, first)).status).toBe(204);
    bucket.setAway(false);
    const early = await patch(other, owner, there, first.length, build.subarray(first.length));
    expect([early.status, early.body.error.message]).toEqual([
      409,
      "Upload-Offset is not the current offset of this upload. Get the offset with HEAD, then resume from there.",
    ]);
    expect(await offsetAt(market, other, there)).toEqual([200, "0"]);
    expect((await patch(other, owner, there, 0, build.subarray(0, 2 * mib))).status).toBe(204);
    expect(await offsetAt(market, one, url)).toEqual([200, String(2 * mib)]);
    expect((await patch(one, owner, url, 2 * mib, build.subarray(2 * mib))).status).toBe(204);
    await expectStored(market);
  });

  it("is resumed there by tus-js-client", async () => {
    const market = await apart();
    const { one, other, owner, gameId, url, there } = market;
    expect((await patch(one, owner, url, 0, first)).status).toBe(204);
    const uploaded = await upload(other, owner, `/games/${gameId}/builds`, build, { uploadUrl: there });
    expect(uploaded).toBe(there);
    await expectStored(market);
  });

  it("asks for a later attempt while the bucket, which may have the file, does not answer", async () => {
    const market = await apart();
    const { bucket, other, owner, there } = market;
    bucket.setAway(true);
    const asked = await raw(other, owner, "HEAD", there);
    expect([asked.status, asked.headers.get("retry-after")]).toEqual([503, "30"]);
    bucket.setAway(false);
    expect(await offsetAt(market, other, there)).toEqual([200, "0"]);
  });

  it("is recorded there, and not sent again, when the first server had stored the file and then hung", async () => {
    const market = await apart();
    const { one, other, owner, id, url, there } = market;
    const { blobs } = one.deps;
    const put = blobs.put;
    blobs.put = async (key, path) => {
      await put.call(blobs, key, path);
      throw new Error("killed");
    };
    expect((await patch(one, owner, url, 0, build)).status).toBe(500);
    one.errors.length = 0;
    await blobs.remote!.idle();
    expect(await offsetAt(market, other, there)).toEqual([200, String(build.length)]);
    expect(existsSync(join(other.deps.dataDir, "uploads", id))).toBe(false);
    await expectStored(market);
  });
});

describe("upload whose server stored the file and died before it was recorded", () => {
  /** The build waits on the disk of the first server, which no longer runs. */
  async function died() {
    const market = await apart();
    const { bucket, one, owner, url } = market;
    const { blobs } = one.deps;
    const put = blobs.put;
    bucket.setAway(true);
    blobs.put = async (key, path) => {
      await put.call(blobs, key, path);
      throw new Error("killed");
    };
    expect((await patch(one, owner, url, 0, build)).status).toBe(500);
    one.errors.length = 0;
    blobs.put = put;
    await blobs.remote!.stop();
    bucket.setAway(false);
    return market;
  }
  const silentFor = ({ other: { deps } }: Market, ms: number) =>
    deps.store.write((tx) => tx.run("UPDATE storing_folders SET lease_until = CAST(? AS BIGINT)", Date.now() - ms));

  it("asks for a later attempt for two minutes, and is then sent again", async () => {
    const market = await died();
    const { other, owner, there } = market;
    await silentFor(market, 60_000);
    const asked = await raw(other, owner, "HEAD", there);
    expect([asked.status, asked.headers.get("retry-after")]).toEqual([503, "10"]);
    await silentFor(market, 130_000);
    expect(await offsetAt(market, other, there)).toEqual([200, "0"]);
    expect((await patch(other, owner, there, 0, build)).status).toBe(204);
    await other.deps.blobs.remote!.idle();
    expect(Object.keys(market.bucket.contents())).toEqual([`builds/${market.id}`]);
  });

  it("is stored once when that server comes back later", async () => {
    const market = await died();
    const { open, one, other, owner, there } = market;
    await silentFor(market, 130_000);
    expect(await offsetAt(market, other, there)).toEqual([200, "0"]);
    expect((await patch(other, owner, there, 0, build)).status).toBe(204);
    await other.deps.blobs.remote!.idle();
    await expectStored({ ...market, one: await open("back", { dataDir: one.deps.dataDir, clock: one.clock }) });
  });
});

describe("server that lost an upload to one with a folder of its own", () => {
  it("stores nothing of what arrives later, and keeps nothing of it", async () => {
    const market = await apart();
    const { bucket, one, other, owner, url, id, there } = market;
    const stalled = await stalledAtFirst(market);
    await loseLease(market);
    expect(await offsetAt(market, other, there)).toEqual([200, "0"]);
    expect((await patch(other, owner, there, 0, build.subarray(0, 2 * mib))).status).toBe(204);
    const saved = bucket.contents();
    stalled.call.end(Buffer.alloc(build.length - first.length, "something else"));
    expect([423, "closed"]).toContain(await stalled.outcome);
    await expect.poll(() => existsSync(stalled.file), { interval: 5 }).toBe(false);
    expect(bucket.contents()).toEqual(saved);
    await expect.poll(() => offsetAt(market, one, url)).toEqual([200, String(2 * mib)]);
    expect((await patch(one, owner, url, 2 * mib, build.subarray(2 * mib))).status).toBe(204);
    await expectStored(market);
    const { builds } = (await owner.get(`/games/${market.gameId}/builds`)).body.data;
    expect(builds.filter(({ size }: { size: number }) => size === build.length)).toHaveLength(1);
    expect(existsSync(join(other.deps.dataDir, "storing/builds", id))).toBe(false);
  });
});

describe("disk of a server where an upload began that another one ended", () => {
  it("keeps its bytes while the upload is open, and none after it was completed", async () => {
    const market = await apart();
    const { one, other, owner, url, id, there } = market;
    const file = join(one.deps.dataDir, "uploads", id);
    expect((await patch(one, owner, url, 0, first)).status).toBe(204);
    expect(await offsetAt(market, other, there)).toEqual([200, String(first.length)]);
    await removeLeftovers(one.deps);
    expect(statSync(file).size).toBe(first.length);
    expect((await patch(other, owner, there, first.length, build.subarray(first.length))).status).toBe(204);
    expect(existsSync(file)).toBe(true);
    await removeLeftovers(one.deps);
    expect(existsSync(file)).toBe(false);
    await expectStored(market);
  });

  it("keeps none after the upload was terminated", async () => {
    const market = await apart();
    const { one, other, owner, url, id, there } = market;
    expect((await patch(one, owner, url, 0, first)).status).toBe(204);
    expect((await raw(other, owner, "DELETE", there)).status).toBe(204);
    await removeLeftovers(one.deps);
    expect(existsSync(join(one.deps.dataDir, "uploads", id))).toBe(false);
  });
});

describe("file that waits at a server which does not come back", () => {
  /** The build waits on the disk of the first server, which is stopped. */
  async function lost() {
    const market = await apart();
    const { bucket, one, owner, url, id } = market;
    bucket.setAway(true);
    expect((await patch(one, owner, url, 0, build)).status).toBe(204);
    await one.deps.blobs.remote!.stop();
    bucket.setAway(false);
    return { ...market, key: `builds/${id}` };
  }
  const day = 86_400_000;
  const set = ({ other: { deps } }: Market, change: string, daysAgo: number) =>
    deps.store.write((tx) => tx.run(`UPDATE ${change} = CAST(? AS BIGINT)`, Date.now() - daysAgo * day));
  const stored = "storing_blobs SET created_at";
  const missing = ({ other: { deps } }: Market) => deps.store.read((q) => missingBlobs(q, deps.blobs));

  it("waits as long as that was there within the last day", async () => {
    const market = await lost();
    const { blobs } = market.other.deps;
    await set(market, stored, 2);
    await blobs.remote!.forgetLost();
    await expect(blobs.size(market.key)).rejects.toThrow("still being stored by another process");
    expect(await missing(market)).toEqual([]);
  });

  it("is missing a day later, and can be removed", async () => {
    const market = await lost();
    const { bucket, other, key } = market;
    const { blobs } = other.deps;
    await bucket.open().then((opened) => opened.put(key, build));
    await set(market, stored, 0);
    await set(market, "storing_folders SET lease_until", 2);
    await blobs.remote!.forgetLost();
    await blobs.remove(key);
    expect(await missing(market)).toEqual([]);
    await set(market, stored, 2);
    await blobs.remote!.forgetLost();
    await blobs.remote!.idle();
    expect([bucket.contents(), await blobs.size(key), await missing(market)]).toEqual([{}, undefined, [key]]);
  });

  it("is forgotten at once where no other process can have it", async () => {
    const bucket = await startMemoryBucket();
    closing.push(() => bucket.close());
    const location = await drivers.find(({ name }) => name === "sqlite")!.location();
    const server = await startTestServer({ store: await openStore(location.options), bucket: await bucket.open() });
    closing.push(() => server.close());
    const { blobs, store } = server.deps;
    const key = "builds/01900000-0000-7000-8000-000000000000";
    await store.write((tx) =>
      tx.run("INSERT INTO storing_blobs (blob_key, folder, size, created_at) VALUES (?, 'before', 1, 1)", key),
    );
    await expect(blobs.size(key)).rejects.toThrow("still being stored by another process");
    await blobs.remote!.forgetLost();
    expect(await blobs.size(key)).toBeUndefined();
  });
});

it("a file that is to be removed and still waits at another server is no outage of the bucket", async () => {
  const market = await apart();
  const { bucket, one, other, owner, url, id } = market;
  const warned: unknown[] = [];
  other.deps.log.warn = (about) => void warned.push(about);
  bucket.setAway(true);
  expect((await patch(one, owner, url, 0, build)).status).toBe(204);
  await other.deps.blobs.remove(`builds/${id}`);
  bucket.setAway(false);
  await one.deps.blobs.remote!.idle();
  await other.deps.blobs.remote!.idle();
  expect(bucket.contents()).toEqual({});
  expect(warned).toEqual([]);
});
