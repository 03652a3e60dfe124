import { scryptSync } from "node:crypto";
import { expect, it } from "vitest";
import { createHashPool, type HashTask } from "../../server/lib/threads/hash-pool.ts";

const task = (password: string, logN = 10): HashTask => ({ password, salt: Buffer.from("salt"), logN, keyBytes: 32 });

it("hash pool: gives the same keys as scrypt", async () => {
  const pool = createHashPool({ threads: 2, queuedWork: 2 ** 20 });
  const keys = await Promise.all(["one", "two", "three"].map((password) => pool.run(task(password))));
  expect(keys).toEqual(["one", "two", "three"].map((password) => scryptSync(password, "salt", 32, { N: 1024, r: 8, p: 1 })));
});

it("hash pool: a task that would wait too long is refused at once with 503 and Retry-After; the others are done", async () => {
  const pool = createHashPool({ threads: 1, queuedWork: 2 * 2 ** 10 });
  const runs = ["runs", "waits", "waits too", "refused"].map((password) => pool.run(task(password)));
  await expect(runs[3]).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
  expect(await Promise.all(runs.slice(0, 3))).toHaveLength(3);
});

it("hash pool: a caller that disconnects while waiting makes room for another", async () => {
  const pool = createHashPool({ threads: 1, queuedWork: 2 ** 10 });
  const gone = new AbortController();
  const running = pool.run(task("runs"));
  const waiting = pool.run(task("goes away"), gone.signal);
  gone.abort(new Error("disconnected"));
  await expect(waiting).rejects.toThrow("disconnected");
  const next = pool.run(task("takes its turn"));
  expect([(await running).length, (await next).length]).toEqual([32, 32]);
  await expect(pool.run(task("too late"), AbortSignal.abort(new Error("gone before")))).rejects.toThrow("gone before");
});

it("hash pool: a task that fails rejects, and the pool continues with a new thread", async () => {
  const pool = createHashPool({ threads: 1, queuedWork: 2 ** 30 });
  await expect(pool.run(task("beyond memory", 29))).rejects.toThrow();
  expect(await pool.run(task("after"))).toHaveLength(32);
});
