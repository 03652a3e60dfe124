import { once } from "node:events";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sendFile, stallMs } from "../../src/api/send-file.ts";
import { NetworkError } from "../../src/api/transport.ts";
import type { HttpRequest } from "../../src/api/types.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

const minute = 60_000;
/** That make the limit for the answer an hour. */
const total = 55 * minute * 100;

/** Sends three blocks to a receiver that takes `taken` of them, one every four minutes, and never answers: how it is `afterMs` later. */
async function sending(taken: number, afterMs: number) {
  const body = Readable.from([1, 2, 3].map(() => Buffer.alloc(2 ** 20)));
  let blocks!: AsyncIterator<Buffer>;
  async function send({ body: counted, signal }: HttpRequest): Promise<never> {
    blocks = (counted as Readable)[Symbol.asyncIterator]();
    await once(signal!, "abort");
    throw signal!.reason;
  }
  let outcome: unknown = "goes on";
  const request = { method: "PUT", url: new URL("https://files.example.com/a"), headers: {}, body, total, progress: () => {} };
  sendFile(send, request).catch((error: unknown) => {
    outcome = error;
  });
  for (let block = 0; block < taken; block++) {
    await pass(stallMs - minute);
    expect([(await blocks.next()).done, outcome]).toEqual([false, "goes on"]);
  }
  if (taken === 3) expect((await blocks.next()).done).toBe(true);
  await pass(afterMs);
  return outcome;
}

const stalled = new NetworkError("https://files.example.com took no more of the file for 5 minutes.", true);
const silent = new NetworkError("https://files.example.com took the file and did not answer for 60 minutes.", true);

it.each([
  ["nothing", 0, stallMs, stalled],
  ["two blocks, slowly", 2, stallMs, stalled],
  ["all, and verifies it for long", 3, 59 * minute, "goes on"],
  ["all, and never answers", 3, 60 * minute, silent],
])("send-file: the receiver takes %s", async (_, taken, afterMs, expected) => {
  expect(await sending(taken, afterMs)).toEqual(expected);
});
