import { type TestAPI, it as vitestIt } from "vitest";
import { createGame, type Person, registerOwner, registerPlaytester } from "./factories.ts";
import type { TestServer } from "./server.ts";

/** What most tests begin with: each is made only for a test that names it, the server with the settings of every test. */
export interface Market {
  server: TestServer;
  /** Without credit. */
  owner: Person;
  playtester: Person;
  /** A game of the owner. */
  gameId: string;
}

/** `it`, whose tests can name what they need: `it("title", async ({ server, owner, gameId }) => …)`. */
export const marketOn = (serve: () => Promise<TestServer>): TestAPI<Market> =>
  vitestIt.extend<Market>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of what is needed from the pattern
    server: async ({}, use) => use(await serve()),
    owner: async ({ server }, use) => use(await registerOwner(server)),
    playtester: async ({ server }, use) => use(await registerPlaytester(server)),
    gameId: async ({ owner }, use) => use(await createGame(owner)),
  });
