import { find } from "../../server/playtests/store.ts";
import { approveTrial } from "../../server/playtests/trials.ts";
import { claim, order, type Person, play } from "./factories.ts";
import type { TestServer } from "./server.ts";

/** A free trial that an admin let through; its id. */
export async function orderTrial(server: TestServer, owner: Person, gameId: string, quantity = 1): Promise<string> {
  const id = await order(owner, gameId, { isFreePublicTrial: true, quantity });
  await server.deps.store.write(async (tx) => approveTrial(tx, (await find(tx, id))!));
  return id;
}

const firstSlot = async (owner: Person, playtestId: string) =>
  (await owner.listSlots({ params: { id: playtestId } })).slots[0]!.id as string;

/** One way into each status; each makes a slot of a playtest of its own and answers its id. */
export const slotIn: Record<string, (server: TestServer, owner: Person, playtester: Person, gameId: string) => Promise<string>> =
  {
    open: async (_server, owner, _playtester, gameId) => firstSlot(owner, await order(owner, gameId)),
    reserved: async (_server, owner, playtester, gameId) => claim(playtester, await order(owner, gameId)),
    submitted: async (server, owner, playtester, gameId) => play(server, playtester, await order(owner, gameId)),
    async blocked(_server, owner, playtester, gameId) {
      const id = await claim(playtester, await order(owner, gameId));
      await playtester.reportSlot({ params: { id }, body: { reasonCode: "crash" } });
      return id;
    },
    async cancelled(_server, owner, playtester, gameId) {
      const id = await claim(playtester, await order(owner, gameId));
      await playtester.releaseSlot({ params: { id } });
      return id;
    },
    async expired(server, owner, playtester, gameId) {
      const id = await claim(playtester, await order(owner, gameId));
      await server.advance(24 * 3_600_000);
      return id;
    },
    async accepted(server, owner, playtester, gameId) {
      const id = await play(server, playtester, await order(owner, gameId));
      await owner.post(`/slots/${id}/accept`);
      return id;
    },
    async rejected(server, owner, playtester, gameId) {
      const id = await play(server, playtester, await order(owner, gameId));
      await owner.post(`/slots/${id}/reject`);
      return id;
    },
    // A trial's video waits for an admin, so this one stays where it is.
    async publishing(server, owner, playtester, gameId) {
      const id = await play(server, playtester, await orderTrial(server, owner, gameId));
      await owner.post(`/slots/${id}/accept`);
      return id;
    },
  };
