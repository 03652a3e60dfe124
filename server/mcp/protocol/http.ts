import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Host } from "../host.ts";
import { createServer } from "./server.ts";

/**
 * Answers one message over HTTP as `host`. Every request stands alone in both revisions: the older one has no session here, so nobody
 * can be asked in it.
 */
export function answerMessage(host: Host, request: Request, body: unknown): Promise<Response> {
  // Nothing here ever changes while somebody listens, and a stream would hold a connection without end.
  const options = { maxSubscriptions: 0, onerror: () => {} };
  const { fetch: answer } = createMcpHandler(() => createServer(host), options);
  return answer(request, { parsedBody: body });
}
