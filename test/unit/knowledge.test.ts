import { expect, it } from "vitest";
import { Knowledge } from "../../src/api/knowledge.ts";
import type { HttpReply } from "../../src/api/types.ts";

const reply = (status: number, body: object): HttpReply => ({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) });
const able = { extensions: ["GET /inbox"], honorsKeys: true };
const ableReply = reply(200, { data: { extensions: ["GET /inbox"], features: { idempotency: true } } });
const plain = { extensions: [], honorsKeys: false };

it.each([
  ["502 of a proxy", 502, able],
  ["429", 429, able],
  ["404 of a server without the route", 404, plain],
  ["501 of a server without the route", 501, plain],
  ["401 of a server that wants a sign-in for it", 401, plain],
  ["403 of a proxy that refuses its path", 403, plain],
  ["200 that says nothing", 200, plain],
])("knowledge: after a %s, it is known what the server has: only where that says it", async (_, status, expected) => {
  const replies = [reply(status, {}), ableReply];
  const knowledge = new Knowledge(async () => replies.shift()!);
  expect(await knowledge.capabilities()).toEqual(expected === plain ? plain : undefined);
  expect(await knowledge.capabilities()).toEqual(expected);
});

it.each([
  ["404 of a server without the route", 404, true],
  ["403 of a proxy that refuses its path", 403, undefined],
])("knowledge: what a %s says is kept for later commands only if it says that there is no route", async (_, status, kept) => {
  let lack: boolean | undefined;
  const memory = {
    lacksExtensions: () => lack === true,
    rememberLack(lacks: boolean) {
      lack = lacks;
    },
  };
  await new Knowledge(async () => reply(status, {}), memory).capabilities();
  expect(lack).toBe(kept);
});
