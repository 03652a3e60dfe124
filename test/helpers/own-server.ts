import { reusedStore } from "./reused-store.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "./server.ts";

/** A server on an SQLite store of its own, which goes when the server is closed. Return its `close` from the hook that opens it. */
export async function ownServer(options: Omit<TestServerOptions, "store"> = {}): Promise<TestServer> {
  const store = await reusedStore();
  const server = await startTestServer({ ...options, store });
  async function close() {
    await server.close();
    await store.remove();
  }
  return { ...server, close };
}
