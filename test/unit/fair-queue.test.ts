import { expect, it } from "vitest";
import { FairQueue } from "../../server/uploads/videos/fair-queue.ts";

it("the work of one account waits for its own, not for that of others; what waits too long is never begun", async () => {
  const queue = new FairQueue(2);
  const begun: string[] = [];
  const end = new Map<string, () => void>();
  const run = (account: string, name: string, gaveUp?: AbortSignal) =>
    queue.run(
      account,
      () => {
        begun.push(name);
        return new Promise<string>((done) => end.set(name, () => done(name)));
      },
      gaveUp,
    );
  const first = run("mallory", "m1");
  void run("mallory", "m2");
  void run("mallory", "m3");
  const honest = run("ann", "a1");
  const impatience = new AbortController();
  const impatient = run("bob", "b1", impatience.signal);
  expect(begun).toEqual(["m1", "a1"]);
  impatience.abort();
  expect(await impatient).toBeUndefined();
  end.get("m1")!();
  expect(await first).toBe("m1");
  await expect.poll(() => begun).toEqual(["m1", "a1", "m2"]);
  end.get("a1")!();
  expect(await honest).toBe("a1");
  // Its place stays free: the rest is all of one account.
  expect(begun).toEqual(["m1", "a1", "m2"]);
});

it("work that fails frees its place", async () => {
  const queue = new FairQueue(1);
  await expect(queue.run("ann", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await queue.run("ann", async () => "next")).toBe("next");
});
