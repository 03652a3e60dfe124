import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import { onBothDatabases } from "../helpers/each.ts";
import {
  claim,
  createGame,
  giveCredit,
  order,
  type Person,
  play,
  registerOwner,
  registerPlaytester,
} from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

/** Every route with an id answers somebody else's like one that does not exist, and changes nothing. */
const unknown = "01900000-0000-7000-8000-000000000000";

/** Everything an owner and a playtester can have an id of, by the path it stands in. */
async function belongings(server: TestServer, owner: Person, playtester: Person): Promise<Record<string, string>> {
  await giveCredit(server, owner, 100_000);
  const game = await createGame(owner);
  const submitted = await play(server, playtester, await order(owner, game));
  await owner.post(`/slots/${await play(server, playtester, await order(owner, game))}/accept`);
  const manual = await order(owner, game, { selectionMode: "manual" });
  const applied = await playtester.post(`/playtester/playtests/${manual}/applications`);
  const application = applied.body.data.application.id;
  const opened = await owner.post("/chat/conversations", { contactId: playtester.id });
  const hook = (await owner.post("/webhooks", { url: "http://127.0.0.1:9/", events: ["*"] })).body.data.webhook.id;
  await owner.post(`/webhooks/${hook}/test`);
  const first = async (path: string, list: string) => (await owner.get(path)).body.data[list][0].id as string;
  return {
    "/games/:id": game,
    "/games/:gameId": game,
    ":buildId": await first(`/games/${game}/builds`, "builds"),
    "/playtests/:id": await order(owner, game),
    "/playtests/slots/:id": submitted,
    // Its video is not published, so nobody may know of it by the route that needs no key.
    "/slots/:id": submitted,
    "/playtests/playtest-applications/:id": application,
    "/billing/payments/:id": await first("/billing/payments", "payments"),
    "/chat/conversations/:id": opened.body.data.conversation.id,
    "/webhooks/:id": hook,
    ":deliveryId": await first(`/webhooks/${hook}/deliveries`, "deliveries"),
    "/auth/api-keys/:id": await first("/auth/api-keys", "keys"),
    // Everybody may know of what is offered; a trial that waits for approval is not.
    "/playtester/playtests/:id": await order(owner, game, { isFreePublicTrial: true }),
    "/playtester/applications/:id": application,
    "/playtester/slots/:id": await claim(playtester, await order(owner, game)),
  };
}

function fill(path: string, ids: Record<string, string>): string {
  const [place] = /^.*?\/:(id|gameId)/.exec(path)!;
  if (ids[place] === undefined) throw new Error(`whose is the id in ${path}? Add it to what this test makes.`);
  return path.replace(place, place.replace(/:\w+$/, ids[place])).replace(/:(buildId|deliveryId)/, (name) => ids[name]!);
}

const bodies: Record<string, unknown> = {
  updateGame: { name: "Mine" },
  createPlaytest: { visibility: "public" },
  updatePlaytest: { notesForTesters: "Mine." },
  payPlaytest: { method: "credit" },
  sendMessage: { content: "Hello." },
  updateWebhook: { events: ["slot.submitted"] },
  redeliverSince: { since: "2026-01-01T00:00:00.000Z" },
  reportSlot: { reasonCode: "crash" },
};
const tus = {
  "tus-resumable": "1.0.0",
  "upload-length": "12",
  "upload-metadata": `filename ${btoa("a.mp4")},filetype ${btoa("video/mp4")},sha256 ${btoa("0".repeat(64))}`,
};
const migrations = join(import.meta.dirname, "../../server/database/migrations");
const tables = readdirSync(migrations).flatMap((file) =>
  [...readFileSync(join(migrations, file), "utf8").matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name!),
);

const mine = (Object.entries(contract) as [string, Endpoint][]).filter(
  ([, { path, only, access }]) => path.includes("/:") && only !== "sandbox" && !(Array.isArray(access) && access[0] === "admin"),
);

onBothDatabases("somebody else's id", (serve) => {
  it("is like an unknown one on every route, and nothing changes", async () => {
    const server = await serve();
    const [owner, playtester] = [await registerOwner(server), await registerPlaytester(server)];
    const [otherOwner, otherPlaytester] = [await registerOwner(server), await registerPlaytester(server)];
    // Noted once a minute, so not again while the clock stands still.
    for (const { get } of [otherOwner, otherPlaytester]) await get("/auth/me");
    const ids = await belongings(server, owner, playtester);
    await server.advance(0);
    const everything = () => server.deps.store.read((q) => Promise.all(tables.map((table) => q.all(`SELECT * FROM ${table}`))));
    const before = await everything();
    const nothing = Object.fromEntries(Object.keys(ids).map((place) => [place, unknown]));
    for (const [operation, { method, path, media }] of mine) {
      const { key } = path.startsWith("/playtester/") ? otherPlaytester : otherOwner;
      const options = media === "tus" ? { key, headers: tus } : { key, body: bodies[operation] };
      const [foreign, absent] = [
        await server.request(method, fill(path, ids), options),
        await server.request(method, fill(path, nothing), options),
      ];
      expect([operation, foreign.status, foreign.body.error]).toEqual([operation, 404, absent.body.error]);
    }
    expect(await everything()).toEqual(before);
  });
});
