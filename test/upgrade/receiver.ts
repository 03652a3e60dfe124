import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { certificatesFor } from "../helpers/tls.ts";

/** One in so many events is refused the first time, so that its delivery is tried again by whichever process comes first. */
const refusedOf = 7;

/** Receives webhooks as their owner does. */
export async function startReceiver() {
  const { ca, cert, key } = certificatesFor(["localhost"]);
  const arrived = new Map<string, number>();
  let seen = 0;
  const refused = new Set<string>();
  const server = createServer({ cert, key }, (request, response) => {
    const id = String(request.headers["webhook-id"]);
    request.resume().on("end", () => {
      if (!arrived.has(id) && !refused.has(id) && seen++ % refusedOf === 0) {
        refused.add(id);
        return void response.writeHead(503).end();
      }
      arrived.set(id, (arrived.get(id) ?? 0) + 1);
      response.writeHead(204).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    ca,
    url: `https://localhost:${(server.address() as AddressInfo).port}/hook`,
    /** How often each event arrived, by its id. */
    arrived,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
