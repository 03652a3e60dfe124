import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { billingRoutes, talkRoutes } from "./account.ts";
import { gameRoutes } from "./games.ts";
import { serve } from "./http.ts";
import { playtestRoutes } from "./playtests.ts";
import { State } from "./state.ts";

/** The files that links of replies lead to: another host, as it is with any storage. */
async function serveFiles() {
  const keysSeen: string[] = [];
  const stored = { video: Buffer.from("twelve bytes") };
  const server = createServer((request, response) => {
    if (request.headers.authorization) keysSeen.push(request.headers.authorization);
    if (request.url!.startsWith("/transcript")) return response.end("WEBVTT\n\nThe door is hard to see.\n");
    if (request.url!.startsWith("/video")) response.setHeader("content-type", "video/mp4");
    response.end(stored.video);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  async function close() {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
  return Object.assign(stored, { origin, keysSeen, close });
}

/**
 * A server of this API that was written from its specification alone and shares no code with the project's own: idempotency on two
 * routes, no extensions, its own prices, and 404 for everything else.
 */
export async function startSpecificationServer() {
  const state = new State();
  const files = await serveFiles();
  state.files = files.origin;
  const key = "owner-key-of-another-server";
  const keys = new Set([key]);
  const routes = { ...gameRoutes(state), ...playtestRoutes(state), ...billingRoutes(state), ...talkRoutes(state, keys) };
  const server = await serve({ keys, routes, now: state.now });
  return {
    ...server,
    state,
    key,
    files,
    async close() {
      await server.close();
      await files.close();
    },
  };
}

export type SpecificationServer = Awaited<ReturnType<typeof startSpecificationServer>>;
