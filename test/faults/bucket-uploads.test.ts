import { createHash, randomFillSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { findStrays } from "../../server/operations/strays.ts";
import type { Bucket } from "../../server/uploads/s3/bucket.ts";
import { openBucket } from "../../server/uploads/s3/open.ts";
import { startProcess } from "../helpers/cluster.ts";
import * as factories from "../helpers/factories.ts";
import { type BucketFault, type FaultyBucket, startFaultyBucket } from "../helpers/faulty-bucket.ts";
import { killLeftovers } from "../helpers/process.ts";
import { hasRadosgw, type S3Server, startRadosgw } from "../helpers/radosgw.ts";
import { createTestRandom, nodeAt, startTestServer } from "../helpers/server.ts";
import { drivers, freshFolder } from "../helpers/store.ts";
import { begin, patch, raw, sha256 } from "../helpers/tus.ts";

/**
 * Many uploads to two processes that share a database and a bucket and no folder, while all three fail at random. What is stored is read and
 * then removed from the bucket, which is in memory.
 */

const mib = 2 ** 20;
const uploads = Number(process.env.PLAYTEST_BUCKET_UPLOADS ?? 4);
const size = Number(process.env.PLAYTEST_BUCKET_MIB ?? 20) * mib;
const seed = process.env.PLAYTEST_SEED ?? "bucket";
/** Uploads at the same time. */
const atOnce = 4;
/** A process is killed once in so many pieces. An upload that it was receiving waits for its lease, so that each kill takes some seconds. */
const piecesPerKill = Number(process.env.PLAYTEST_BUCKET_PIECES_PER_KILL ?? 5);

const kinds: readonly BucketFault[] = [
  { method: "PUT", kind: "503" },
  { method: "PUT", kind: "away" },
  { method: "PUT", kind: "reply lost" },
  { method: "POST", kind: "reply lost" },
  { method: "POST", kind: "503" },
  { method: "GET", kind: "cut" },
  { method: "GET", kind: "fewer" },
  { kind: "slow", times: 3 },
  { kind: "away", times: 5 },
];

afterEach(killLeftovers);

describe.each(hasRadosgw ? ["radosgw"] : [])("uploads to a bucket of %s", () => {
  let s3: S3Server;
  let way: FaultyBucket;

  beforeAll(async () => {
    s3 = await startRadosgw();
    way = await startFaultyBucket(s3.endpoint);
  }, 300_000);
  afterAll(async () => {
    await way?.close();
    await s3?.stop();
  });

  it(`${uploads} of ${size / mib} MiB are stored whole and once while the bucket and the processes fail (seed ${seed})`, {
    timeout: 240_000 + uploads * 60_000,
  }, async () => {
    const bytes = createTestRandom(seed);
    const random = (below: number) => bytes(4).readUInt32BE() % below;
    const address = `s3://uploads/files?endpoint=${way.endpoint}&path-style`;
    const bucket = await openBucket(address, { env: s3.env, now: Date.now });
    await bucket.client.text({ method: "PUT" });
    const location = await drivers.find(({ name }) => name === "postgres")!.location();
    const folders = [freshFolder(), freshFolder()] as const;
    const start = (at: number, flags: string[] = []) =>
      startProcess(folders[at]!, location, flags, { ...s3.env, PLAYTEST_BLOBS: address });
    const first = await start(0, ["--seed", "minimal"]);
    writeFileSync(join(folders[1], "instance.key"), readFileSync(join(folders[0], "instance.key")), { mode: 0o600 });
    const processes = [first, await start(1)];
    const { ownerKey, gameId } = first as Required<typeof first>;
    const owner = factories.personWith(nodeAt(first.baseUrl), ownerKey, "");

    let [pieces, kills, starting] = [0, 0, Promise.resolve()];
    const fail = () => {
      if (random(2) === 0) way.faults.push({ ...kinds[random(kinds.length)]! });
      if (++pieces % piecesPerKill > 0) return;
      // One after the other, so that a process is there to go on with.
      starting = starting.then(async () => {
        const at = random(2);
        processes[at]!.child.kill("SIGKILL");
        await processes[at]!.ended;
        processes[at] = await start(at);
        kills++;
      });
    };

    const waits = (id: string) => folders.some((folder) => existsSync(join(folder, "storing/builds", id)));
    /** Sends a file, each piece to either process, from the offset that this process tells. Returns its hash in the bucket. */
    async function send(name: string): Promise<string> {
      const file = randomFillSync(Buffer.alloc(size));
      const hash = sha256(file);
      const trying = async <T>(act: () => Promise<T | undefined>): Promise<T> => {
        for (;;) {
          const result = await act().catch(() => undefined);
          if (result !== undefined) return result;
          await pause(50);
        }
      };
      const pick = () => nodeAt(processes[random(2)]!.baseUrl);
      const url = await trying(() => begin(pick(), owner, `/games/${gameId}/builds`, size, { filename: name, sha256: hash }));
      const { pathname } = new URL(url);
      await trying(async () => {
        const node = pick();
        const there = node.baseUrl + pathname;
        const asked = await raw(node, owner, "HEAD", there);
        if (asked.status !== 200) return undefined;
        const offset = Number(asked.headers.get("upload-offset"));
        if (offset === size) return true;
        fail();
        await patch(node, owner, there, offset, file.subarray(offset, offset + (1 + random(16)) * mib));
        return undefined;
      });
      const id = pathname.split("/").at(-1)!;
      await trying(async () => (!waits(id) && (await bucket.find(`builds/${id}`)) ? true : undefined));
      expect(await trying(() => hashOf(bucket, `builds/${id}`))).toBe(hash);
      await trying(async () => bucket.remove(`builds/${id}`).then(() => true));
      return hash;
    }

    const names = Array.from({ length: uploads }, (_, number) => `build-${number}.zip`);
    const sent: string[] = [];
    const worker = async () => {
      for (let name = names.pop(); name; name = names.pop()) sent.push(await send(name));
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    await starting;
    expect(kills).toBeGreaterThan(0);

    way.faults.length = 0;
    for (const one of processes) expect((await one.stop()).code).toBe(0);

    // As after some days: what belongs to nothing is removed.
    const server = await startTestServer({ store: await openStore(location.options), instance: "sweep", bucket });
    const { blobs, store } = server.deps;
    const { found } = await store.read((q) => findStrays(q, server.deps, Date.now() + 9 * 86_400_000));
    for (const { path } of found) await blobs.remove(path.replace(/^blobs\//, ""));
    await blobs.remote!.idle();
    await blobs.remote!.tidy(Date.now() + 1000, async () => new Set());
    await bucket.endUnfinished(Infinity);
    const keys: string[] = [];
    for await (const { key } of bucket.list(["builds", "unfinished"])) keys.push(key);
    expect(keys).toEqual([]);
    const recorded = await store.read((q) => q.all<{ sha256: string }>("SELECT sha256 FROM builds WHERE sha256 IS NOT NULL"));
    expect(recorded.map(({ sha256: one }) => one).sort()).toEqual(sent.sort());
    await server.close();
    await location.remove();
  });
});

/** The hash of what is stored; undefined without the object. */
async function hashOf(bucket: Bucket, key: string): Promise<string | undefined> {
  const bytes = await bucket.read(key);
  if (!bytes) return undefined;
  const hash = createHash("sha256");
  for await (const part of bytes) hash.update(part);
  return hash.digest("hex");
}
