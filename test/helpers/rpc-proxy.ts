import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a JSON-RPC call is answered with: a `result`, or an `error`. */
export type RpcAnswer = { result: unknown } | { error: { code: number; message: string } };

/** How a node can fail to answer. */
export const troubles = {
  refuses: (response: ServerResponse) => void response.socket?.destroy(),
  fails: (response: ServerResponse) => void response.writeHead(500).end("{}"),
  babbles: (response: ServerResponse) => void response.writeHead(200).end("<html>"),
  hangs: () => {},
  errs: (response: ServerResponse) =>
    void response.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32005, message: "limit" } })),
  confuses: (response: ServerResponse) => void response.writeHead(200).end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: 7 })),
} as const;

export type Trouble = keyof typeof troubles;

/** How long (ms) a server of a test waits for a node: on a busy machine an answer may take long, and what hangs never answers. */
export const patience = (trouble?: Trouble) => (trouble === "hangs" ? 2_000 : 60_000);

/** A node that answers calls by `answer`, and GET by `get`, until told to be in trouble. */
export async function startRpc(
  answer: (method: string, params: unknown[]) => Promise<RpcAnswer> | RpcAnswer,
  get: () => unknown = () => null,
) {
  let trouble: Trouble | undefined;
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    paths.push(request.url!);
    if (trouble) return troubles[trouble](response);
    if (request.method === "GET") return void response.end(JSON.stringify(get()));
    const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: unknown[] };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(await answer(method, params)) }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was asked for, in order. */
    paths,
    fail: (how: Trouble | undefined) => {
      trouble = how;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
