import { once } from "node:events";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sendFile, stallMs } from "../../src/api/send-file.ts";
import { NetworkError } from "../../src/api/transport.ts";
import type { HttpRequest } from "../../src/api/types.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Sends three blocks to a receiver that takes `taken` of them, one every four minutes, and never answers: how it is after that hour. */
async function sending(taken: number, isLast: boolean) {
  const body = Readable.from([1, 2, 3].map(() => Buffer.alloc(2 ** 20)));
  let blocks!: AsyncIterator<Buffer>;
  async function send({ body: counted, signal }: HttpRequest): Promise<never> {
    blocks = (counted as Readable)[Symbol.asyncIterator]();
    await once(signal!, "abort");
    throw signal!.reason;
  }
  let outcome: unknown = "goes on";
  const request = { method: "PUT", url: new URL("https://files.example.com/a"), headers: {}, body, isLast, progress: () => {} };
  sendFile(send, request).catch((error: unknown) => {
    outcome = error;
  });
  for (let block = 0; block < taken; block++) {
    await pass(stallMs - 60_000);
    expect([(await blocks.next()).done, outcome]).toEqual([false, "goes on"]);
  }
  if (taken === 3) expect((await blocks.next()).done).toBe(true);
  await pass(60 * 60_000);
  return outcome;
}

const stalled = new NetworkError("https://files.example.com took no more of the file for 5 minutes.", true);

it.each([
  ["nothing of the last part", 0, true, stalled],
  ["two blocks of the last part, slowly", 2, true, stalled],
  ["all of the last part, and verifies it for long", 3, true, "goes on"],
  ["all of another part, and never answers", 3, false, stalled],
])("send-file: the receiver takes %s", async (_, taken, isLast, expected) => {
  expect(await sending(taken, isLast)).toEqual(expected);
});
