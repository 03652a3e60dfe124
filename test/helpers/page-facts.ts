import { describe, expect, it } from "vitest";
import { createGame, giveCredit, type Person, registerOwner, registerPlaytester } from "./factories.ts";
import { signedIn, type Visitor } from "./portal.ts";
import type { TestServer } from "./server.ts";

/** What a page says, how to see it, and that it is so. */
export interface Fact<Scene> {
  says: string;
  /** Returns the page that says it: its path, or its text. */
  see(scene: Scene): Promise<string>;
  holds(scene: Scene): Promise<void>;
}

/** An owner with $200.00 and a game, a playtester, and the browser of one of them. */
export interface Market {
  server: TestServer;
  owner: Person;
  gameId: string;
  playtester: Person;
  browser: Visitor;
}

/** The owner is signed in to `/studio`, or the playtester to `/play`. */
export async function market(server: TestServer, base: "/play" | "/studio"): Promise<Market> {
  const [owner, playtester] = [await registerOwner(server), await registerPlaytester(server, "Pia")];
  await giveCredit(server, owner, 20_000);
  const browser = await signedIn(server, base === "/studio" ? owner : playtester, base);
  return { server, owner, gameId: await createGame(owner), playtester, browser };
}

export const creditOf = async ({ owner }: Market): Promise<number> =>
  (await owner.get("/billing/balance")).body.data.balanceCents;
export const earnedBy = async ({ playtester }: Market): Promise<number> =>
  (await playtester.get("/playtester/earnings")).body.data.balanceCents;
export const slotsOf = async ({ playtester }: Market) => (await playtester.get("/playtester/slots")).body.data.slots;
export const noticesOf = async (person: Person): Promise<string[]> =>
  (await person.get("/notifications")).body.data.notifications.map(({ type }: { type: string }) => type);

/** One test for each fact: the page says it, and then it is checked by another way than the page. */
export function pageFacts<Scene extends { browser: Visitor }>(
  facts: readonly Fact<Scene>[],
  newScene: () => Promise<Scene>,
): void {
  describe("is so", () => {
    it.each(facts)("$says", async ({ says, see, holds }) => {
      const scene = await newScene();
      const seen = await see(scene);
      const html = seen.startsWith("/") ? (await scene.browser.get(seen)).html : seen;
      expect(html.replace(/\s+/g, " ")).toContain(says);
      await holds(scene);
    });
  });
}
