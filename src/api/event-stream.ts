import type { Readable } from "node:stream";

/** One block of a `text/event-stream`. A block may carry an id without data: where to resume. */
export interface StreamBlock {
  id: string | undefined;
  data: string | undefined;
}

const maxBlockLength = 16 * 2 ** 20;

function parseBlock(text: string): StreamBlock {
  const block: { id: string | undefined; data: string[] } = { id: undefined, data: [] };
  for (const line of text.split("\n")) {
    const [, field, value = ""] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "id") block.id = value;
    if (field === "data") block.data.push(value);
  }
  return { id: block.id, data: block.data.length > 0 ? block.data.join("\n") : undefined };
}

/** The blocks of an event stream, as they arrive; comments are skipped. */
export async function* readEventStream(stream: Readable): AsyncGenerator<StreamBlock> {
  const decoder = new TextDecoder();
  let text = "";
  let heldBack = "";
  for await (const chunk of stream) {
    const received = heldBack + decoder.decode(chunk as Buffer, { stream: true });
    // The next chunk may start with the second half of this line break.
    heldBack = received.endsWith("\r") ? "\r" : "";
    text += received.slice(0, received.length - heldBack.length).replace(/\r\n?/g, "\n");
    if (text.length > maxBlockLength) throw new Error("An event is larger than 16 MiB.");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const block = parseBlock(text.slice(0, end));
      text = text.slice(end + 2);
      if (block.id !== undefined || block.data !== undefined) yield block;
    }
  }
}
