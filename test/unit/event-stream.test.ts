import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readEventStream, type StreamBlock } from "../../src/api/event-stream.ts";

const read = async (chunks: readonly string[]) => {
  const blocks: StreamBlock[] = [];
  for await (const block of readEventStream(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))) blocks.push(block);
  return blocks;
};

const text = 'retry: 1000\nid: 1\n\n:\n\nid: 2\ndata: {"a":\ndata: "é"}\n\nid: 3\ndata: half';
const blocks = [
  { id: "1", data: undefined },
  { id: "2", data: '{"a":\n"é"}' },
];

it.each([
  ["line feeds", text],
  ["carriage returns and line feeds", text.replaceAll("\n", "\r\n")],
  ["carriage returns", text.replaceAll("\n", "\r")],
])("readEventStream: reads blocks that end in %s, however they are split into chunks", async (_, stream) => {
  expect(await read([stream])).toEqual(blocks);
  for (let at = 1; at < stream.length; at++) expect(await read([stream.slice(0, at), stream.slice(at)])).toEqual(blocks);
  expect(await read([...stream])).toEqual(blocks);
});

it("readEventStream: keeps the line and paragraph separators of Unicode in an event", async () => {
  expect(await read(["id: 1\ndata: a\u2028b\u2029c\n\n"])).toEqual([{ id: "1", data: "a\u2028b\u2029c" }]);
});
