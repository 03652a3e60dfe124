import { once } from "node:events";
import { createServer } from "node:net";

/** A port of the loopback address on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (typeof address !== "object" || address === null) throw new Error("No free port on the loopback address.");
  return address.port;
}
