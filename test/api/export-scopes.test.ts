import { expect, it } from "vitest";
import type { Scope } from "../../src/contract/endpoint.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin, type Person, personWith, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

onBothDatabases("an export", (serve) => {
  const narrow = async (server: TestServer, person: Person, scopes: Scope[]): Promise<Person> => {
    const { apiKey } = await person.createApiKey({ body: { name: scopes.join(" "), scopes, readOnly: true } });
    return personWith(server, apiKey, person.id);
  };
  const refusal = (lacks: string) =>
    `This takes an API key with every scope of the account, and this key lacks ${lacks}. Nothing was done. Use an API key that has these scopes too.`;

  it("takes a key with every scope of its account, and names those that are missing", async () => {
    const server = await serve();
    const [owner, tess] = [await registerOwner(server), await registerPlaytester(server)];
    const games = await narrow(server, owner, ["game_owner", "chat"]);
    const refused = await games.get("/auth/export");
    expect([refused.status, refused.body.error.message]).toEqual([403, refusal("`billing` and `webhooks` and `notifications`")]);
    const whole = await games.post("/auth/export", { password: "correct horse" });
    expect([whole.status, whole.body.error.message]).toEqual([403, refused.body.error.message]);
    const playing = await (await narrow(server, tess, ["playtester", "notifications"])).get("/auth/export");
    expect([playing.status, playing.body.error.message]).toEqual([403, refusal("`chat`")]);
    const reader = await narrow(server, owner, ["game_owner", "billing", "chat", "webhooks", "notifications"]);
    expect((await reader.exportAccount()).account).toMatchObject({ id: owner.id });
  });

  it("takes those that an administrator with some scopes has", async () => {
    const server = await serve();
    const first = await firstAdmin(server);
    const { admin, apiKey } = await first.createAdmin({ body: { name: "Ada", scopes: ["approve", "money"] } });
    const ada = personWith(server, apiKey, admin.id);
    expect((await ada.exportAccount()).account).toMatchObject({ id: ada.id });
    const payouts = await narrow(server, first, ["money"]);
    const refused = await payouts.get("/auth/export");
    expect([refused.status, refused.body.error.message]).toEqual([403, refusal("`admin` and `approve` and `accounts`")]);
  });

  it("shows nothing of the billing details to a key that may not read them", async () => {
    const server = await serve();
    const owner = await registerOwner(server);
    await owner.updateBillingDetails({ body: { name: "Moon Games GmbH" } });
    const { apiKey } = await owner.createApiKey({ body: { name: "games", scopes: ["game_owner"] } });
    const refused = await personWith(server, apiKey, owner.id).patch("/billing/details", {});
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      "The API key does not have the required scope: `game_owner` and `billing`.",
    ]);
  });
});
