import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import type { Store } from "../../server/database/port.ts";
import { createGame, giveCredit, giveVideo, type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { startWire, type Trip, type Wire } from "../helpers/wire.ts";

let database: FreshDatabase;
let wire: Wire;
let store: Store;
let server: TestServer;
let owner: Person;
let gameId: string;

beforeEach(async () => {
  database = await freshDatabase();
  wire = await startWire(database.url);
  store = await openStore({ databaseUrl: wire.url });
  server = await startTestServer({ store });
  owner = await registerOwner(server);
  gameId = await createGame(owner);
  await giveCredit(server, owner, 100_000);
  // Background work would be counted too.
  await server.deps.jobs.stop();
});
afterEach(async () => {
  await server.close();
  await wire.close();
  await database.drop();
});

async function tripsOf(request: () => Promise<{ status: number; text: string }>): Promise<Trip[]> {
  await server.deps.audit.idle();
  wire.taken();
  expect(await request()).toMatchObject({ status: expect.toBeOneOf([200, 201]) });
  return wire.taken();
}

describe("round trips to PostgreSQL", () => {
  it("stay few for an order, a claim, a submission and a review", async () => {
    const trips: Record<string, number> = {};
    const note = async (name: string, request: () => Promise<{ status: number; text: string }>) => {
      const taken = await tripsOf(request);
      if (process.env.PLAYTEST_TRIPS) console.log(name, taken.length, "round trips,", taken.flat().length, "statements", taken);
      trips[name] = taken.length;
    };
    for (let turn = 0; turn < 2; turn++) {
      let playtestId = "";
      await note("order", async () => {
        const reply = await owner.post(`/games/${gameId}/playtests`, { quantity: 1 }, { "idempotency-key": `order-${turn}` });
        playtestId = reply.body.data.playtest.id;
        return reply;
      });
      const worker = await registerPlaytester(server);
      let slotId = "";
      await note("claim", async () => {
        const reply = await worker.post(`/playtester/playtests/${playtestId}/claim`);
        slotId = reply.body.data.slot.id;
        return reply;
      });
      await giveVideo(server, slotId, worker);
      await note("submit", () => worker.post(`/playtester/slots/${slotId}/submit`, {}));
      await note("accept", () => owner.post(`/slots/${slotId}/accept`, {}));
    }
    for (const [name, limit] of Object.entries({ order: 5, claim: 7, submit: 10, accept: 13 }))
      expect({ name, trips: trips[name] }).toEqual({ name, trips: expect.toSatisfy((taken: number) => taken <= limit) });
  });
});
