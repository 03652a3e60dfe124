import type { Socket } from "node:net";

/** More than the HTTP client accepts of one head, and enough for interim responses before it. */
const maxBytes = 64 * 1024;

/**
 * Lets the HTTP client, which is strict, read what common receivers send: leaves out interim responses (`100 Continue`), says a length
 * once that is given twice, and ends lines with CR LF. What is no HTTP, or has two different lengths, passes unchanged, and fails there.
 * Returns the function to call before each further request.
 */
export function mendReplies(socket: Pick<Socket, "push">): () => void {
  const push = socket.push.bind(socket);
  /** What arrived of the head; undefined behind it. */
  let head: Buffer | undefined = Buffer.alloc(0);
  let dropped = 0;

  function pass(bytes: Buffer): boolean {
    head = undefined;
    return bytes.length === 0 || push(bytes);
  }

  function readHead(): boolean {
    for (;;) {
      const text = head!.toString("latin1");
      const end = /\r?\n\r?\n/.exec(text);
      if (!end) return head!.length + dropped > maxBytes || !couldBeHttp(text) ? pass(head!) : true;
      const length = end.index + end[0].length;
      const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(text)?.[1]);
      if (status === 101 || !(status >= 100 && status < 200)) {
        const mended = status ? mendHead(text.slice(0, end.index)) : undefined;
        return pass(mended === undefined ? head! : Buffer.concat([Buffer.from(mended, "latin1"), head!.subarray(length)]));
      }
      dropped += length;
      head = head!.subarray(length);
    }
  }

  socket.push = (chunk: Buffer | null) => {
    if (head === undefined) return push(chunk);
    if (chunk !== null) {
      head = Buffer.concat([head, chunk]);
      return readHead();
    }
    pass(head);
    return push(null);
  };
  return () => {
    head = Buffer.alloc(0);
    dropped = 0;
  };
}

const start = "HTTP/1.";
const couldBeHttp = (text: string) => text.startsWith(start) || start.startsWith(text);

/** Undefined for two different lengths. */
function mendHead(text: string): string | undefined {
  const [first, ...lines] = text.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  const kept: string[] = [];
  let known: string | undefined;
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]*?)[ \t]*:(.*)$/.exec(line) ?? [];
    if (name.toLowerCase() !== "content-length") {
      kept.push(name === "" ? line : `${name}:${value}`);
      continue;
    }
    const lengths = new Set(value.split(",").map((length) => length.trim()));
    if (known !== undefined) lengths.add(known);
    if (lengths.size > 1) return undefined;
    if (known === undefined) kept.push(`${name}: ${[...lengths][0]}`);
    [known] = lengths;
  }
  return `${[first, ...kept].join("\r\n")}\r\n\r\n`;
}
