import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { discardRest, readBytes } from "../../server/http/body.ts";

const incoming = () =>
  Object.assign(new PassThrough(), { headers: {}, complete: false }) as unknown as PassThrough & IncomingMessage;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

it.each([
  ["is too large", { bytes: 1000, withinMs: 60_000 }, 413],
  ["takes too long", { bytes: 100_000, withinMs: 1 }, 408],
] as const)("request body: what came of one that %s is let go at once, and the rest is dropped", async (_, limits, status) => {
  const request = incoming();
  const came = new WeakRef(request);
  const chunk = () => {
    const bytes = Buffer.alloc(900, "x");
    request.write(bytes);
    return new WeakRef(bytes);
  };
  const first = chunk();
  const read = readBytes(request, limits).catch((problem) => problem);
  await turn();
  if (status === 413) chunk();
  expect((await read).status).toBe(status);
  await turn();
  collectGarbage();
  expect([first.deref(), came.deref()]).toEqual([undefined, request]);
  discardRest(request);
  const more = Array.from({ length: 100 }, chunk);
  await turn();
  expect([more.length, request.readableLength]).toEqual([100, 0]);
  request.destroy();
});
