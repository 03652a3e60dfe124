import { roleScopes } from "../../src/contract/endpoint.ts";
import { portal } from "../../src/contract/pages/addresses.ts";
import { createKey, createUser, noPassword } from "../accounts/service.ts";
import { callWith, callWithoutKey, type Seeding } from "./seeding.ts";

const creditCents = 50_000;
const testers = 3;

export interface Seeded {
  ownerKey: string;
  testerKeys: string[];
  gameId: string;
}

/** The data of `--seed minimal`: an owner with credit and a game, and playtesters. Nobody can sign in with a password. */
export async function seedMinimal(seeding: Seeding): Promise<Seeded> {
  const { ownerKey, ownerId } = await createOwner(seeding, noPassword);
  const call = callWithoutKey(seeding);
  const created = (await call("createTesters", { body: { count: testers } })).data.testers;
  await grant(seeding, ownerId, creditCents);
  return { ownerKey, testerKeys: created.map(({ apiKey }) => apiKey), gameId: await createGame(seeding, ownerKey) };
}

export const createOwner = ({ deps }: Seeding, passwordHash: string) =>
  deps.store.write(async (tx) => {
    const account = { email: "owner@playtest.invalid", role: "game_owner", name: "Demo Studio" } as const;
    const owner = await createUser(tx, { ...account, passwordHash, verified: true });
    const { secret } = await createKey(tx, { userId: owner.id, name: "Demo", scopes: roleScopes.game_owner });
    return { ownerKey: secret, ownerId: owner.id };
  });

/** Does nothing on a server without payments, where orders are free. */
export async function grant(seeding: Seeding, ownerId: string, amountCents: number): Promise<void> {
  if (!seeding.deps.config.payments.enabled) return;
  const call = await callWith(seeding, seeding.adminKey);
  await call("grantCredit", { params: { id: ownerId }, body: { amountCents, note: "Demo credit" } });
}

export async function createGame(seeding: Seeding, ownerKey: string): Promise<string> {
  const call = await callWith(seeding, ownerKey);
  const { categories } = (await call("listCategories")).data;
  const tags = categories.filter(({ slug }) => ["roguelike", "pixel-art"].includes(slug)).map(({ id }) => id);
  const reply = await call("createGame", {
    body: {
      name: "Lantern Deep",
      description: "A roguelike about a diver, a lantern and what lives below.",
      instructions: "Play the first three depths and say what you think, out loud, as you go.",
      // A URL that responds, so that a first order shows no warning about the build.
      buildUrl: `${seeding.deps.config.baseUrl}${portal.offers()}`,
      devices: ["PC"],
      platforms: ["Web"],
      tags,
    },
  });
  return reply.data.game.id;
}
