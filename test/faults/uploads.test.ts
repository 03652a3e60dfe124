import { createHash, randomFillSync } from "node:crypto";
import { createReadStream, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterEach, expect, it } from "vitest";
import { startProcess } from "../helpers/cluster.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { freshFolder } from "../helpers/store.ts";

afterEach(killLeftovers);

const mib = 2 ** 20;

/** SHA-256 in hex. */
async function sha256(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(bytes, hash);
  return hash.digest("hex");
}

it("upload: resumes where it stopped after the command is killed, and again after the server is killed", {
  timeout: 600_000,
}, async () => {
  const folder = freshFolder();
  const build = join(folder, "build.bin");
  const block = randomFillSync(Buffer.alloc(mib));
  writeFileSync(build, Buffer.concat(Array.from({ length: 200 }, () => block)));

  const unfinished = () => readdirSync(join(folder, "uploads")).map((id) => ({ id, ...statSync(join(folder, "uploads", id)) }));
  const arrived = (bytes: number) => expect.poll(() => unfinished()[0]?.size ?? 0, { interval: 2 }).toBeGreaterThan(bytes);

  const first = await startProcess(folder, undefined, ["--seed", "minimal"]);
  const { baseUrl, ownerKey, gameId } = first;
  const env = { PLAYTEST_BASE_URL: baseUrl, PLAYTEST_API_KEY: ownerKey! };
  // A server takes longer to start from the sources than the default retries wait.
  const push = () => spawnPlaytest(folder, ["games", "push", build, gameId!, "--json", "--retries", "5"], env);

  const killed = push();
  await arrived(20 * mib);
  killed.child.kill("SIGKILL");
  await killed.ended;
  const [left] = unfinished();
  expect(left!.size).toBeLessThan(200 * mib);

  const again = push();
  await arrived(left!.size + 20 * mib);
  first.child.kill("SIGKILL");
  await first.ended;
  expect(unfinished()).toMatchObject([{ id: left!.id }]);
  expect(unfinished()[0]!.size).toBeLessThan(200 * mib);
  await startProcess(folder, undefined, ["--port", new URL(baseUrl).port]);

  const pushed = await again.ended;
  expect(pushed).toMatchObject({ code: 0 });
  const expected = await sha256(createReadStream(build));
  expect(JSON.parse(pushed.stdout).result).toMatchObject({ sha256: expected, size: 200 * mib });
  // The same upload from beginning to end: it was not started again.
  expect([unfinished(), readdirSync(join(folder, "blobs/builds"))]).toEqual([[], [left!.id]]);
  expect(await sha256(createReadStream(join(folder, "blobs/builds", left!.id)))).toBe(expected);
});
