import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Host } from "../host.ts";
import { createServer } from "./server.ts";

/** Serves one client over a pair of streams until it closes them, or until the signal aborts. */
export async function serveStreams(host: Host, input: Readable, output: Writable, signal: AbortSignal): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    input.once("end", resolve).once("close", resolve);
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const serving = serveStdio(() => createServer(host), {
    transport: new StdioServerTransport(input, output),
    onerror: () => {},
  });
  await ended;
  await serving.close();
}
