import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import type { Host } from "../host.ts";
import { createServer } from "./server.ts";

/** Answers one message over HTTP. `ended`: aborts when whoever asked is gone, or the server is about to stop. */
export type AnswerMessage = (host: Host, request: Request, body: unknown, ended: AbortSignal) => Promise<Response>;

/**
 * Answers messages with the server that `factory` makes for a host. Every request stands alone in both revisions: the older one has no
 * session here, so nobody can be asked in it.
 */
export const answerWith =
  (factory: (host: Host) => ReturnType<McpServerFactory>): AnswerMessage =>
  (host, request, body, ended) => {
    const { fetch: answer, close } = createMcpHandler(() => factory(host), { onerror: () => {} });
    ended.addEventListener("abort", () => void close(), { once: true });
    return answer(request, { parsedBody: body });
  };

export const answerMessage = answerWith(createServer);
