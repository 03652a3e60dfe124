import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { RunningHashes } from "../../server/uploads/hashes.ts";

const whole = Buffer.from("a build of a game");
const sha256 = createHash("sha256").update(whole).digest("hex");

it.each<[string, [before: number, from: number, to: number][], string | undefined]>([
  ["sent in one request", [[0, 0, 17]], sha256],
  [
    "sent in three requests",
    [
      [0, 0, 5],
      [5, 5, 9],
      [9, 9, 17],
    ],
    sha256,
  ],
  [
    "whose first request was stored only in part",
    [
      [0, 0, 9],
      [5, 5, 17],
    ],
    undefined,
  ],
  ["begun in another process", [[5, 5, 17]], undefined],
  [
    "restarted from the beginning",
    [
      [0, 0, 3],
      [0, 0, 17],
    ],
    undefined,
  ],
  ["that is incomplete", [[0, 0, 9]], undefined],
])("upload hash: for an upload %s", (_, requests, expected) => {
  const hashes = new RunningHashes();
  for (const [before, from, to] of requests) hashes.follow("upload", before)(whole.subarray(from, to));
  expect(hashes.take("upload", whole.length)).toBe(expected);
});

it("upload hash: uploads have separate hashes, at most 200 of them", () => {
  const hashes = new RunningHashes();
  for (let index = 0; index <= 200; index++) hashes.follow(`upload ${index}`, 0)(whole);
  expect(hashes.take("upload 0", whole.length)).toBeUndefined();
  expect(hashes.take("upload 1", whole.length)).toBe(sha256);
  expect(hashes.take("upload 1", whole.length)).toBeUndefined();
});
