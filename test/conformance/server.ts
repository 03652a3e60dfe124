import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Running } from "../../server/app/start.ts";
import type { Principal } from "../../server/http/call.ts";
import { targetOf } from "../../server/http/target.ts";
import { mcpPage } from "../../server/mcp/page.ts";
import { answerMessage, answerWith } from "../../server/mcp/protocol/http.ts";
import { fixtureServer } from "./fixtures.ts";

/** The product's own tools, or the fixtures of the suite. */
export type Served = "product" | "fixtures";
const answers = { product: answerMessage, fixtures: answerWith(fixtureServer) };

/**
 * `/mcp` of a running server on a port of its own. The suite sends no API key, so this adds one; everything else reaches the layer as it
 * was sent.
 */
export async function serveMcp({ deps, app }: Running, key: string, served: Served): Promise<{ url: string; server: Server }> {
  const page = mcpPage(deps, app.callAs, async () => answers[served]);
  const server = createServer((request, response) => {
    request.headers.authorization = `Bearer ${key}`;
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    const client = { address: "127.0.0.1", agent: null, signal: closed.signal };
    void page(request, response, targetOf(request), { requestId: "conformance", client, onPrincipal: (_: Principal) => {} });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}
