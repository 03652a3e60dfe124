import { afterEach, describe, type TestAPI } from "vitest";
import { ledgerFaults } from "./factories.ts";
import { mailProblems } from "./mail-structure.ts";
import { type Market, marketOn } from "./market.ts";
import { reusedStore } from "./reused-store.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "./server.ts";
import { drivers } from "./store.ts";

/**
 * Runs a suite once per database. `serve()` starts the real server on a store without rows; after each test it is closed, which
 * fails on unexpected server errors, the ledger must balance, and every email must have what all emails have. The tests of `it` get a server and who is on it by naming them.
 */
export function onBothDatabases(
  name: string,
  suite: (serve: (options?: Omit<TestServerOptions, "store">) => Promise<TestServer>, it: TestAPI<Market>) => void,
): void {
  describe.each(drivers)(`${name} ($name)`, (driver) => {
    const running: { server: TestServer; remove(): Promise<unknown> }[] = [];

    afterEach(async () => {
      for (const { server, remove } of running.splice(0)) {
        try {
          const faults = [...(await ledgerFaults(server)), ...server.mails.flatMap(mailProblems)];
          await server.close();
          if (faults.length > 0) throw new Error(faults.join("; "));
        } finally {
          await remove();
        }
      }
    });

    const serve = async (options?: Omit<TestServerOptions, "store">) => {
      const store = await reusedStore(driver);
      const server = await startTestServer({ ...options, store }).catch(async (error) => {
        await store.remove();
        throw error;
      });
      running.push({ server, remove: store.remove });
      return server;
    };
    suite(serve, marketOn(serve));
  });
}
