import { roleScopes } from "../../src/contract/endpoint.ts";
import { createKey, createUser, noPassword } from "../accounts/service.ts";
import type { Deps } from "../app/deps.ts";
import * as payments from "../billing/store.ts";
import type { Query } from "../database/port.ts";
import * as games from "../games/store.ts";
import { accounts, topUpTransfers } from "../ledger/rules.ts";
import * as ledger from "../ledger/store.ts";
import { createTesterWithKey } from "./testers.ts";

const creditCents = 50_000;
const testers = 3;

export interface Demo {
  ownerKey: string;
  testerKeys: string[];
  gameId: string;
}

/** Creates the data of `--seed demo` in a new database. 409 when it was seeded before. */
export const seedDemo = (deps: Deps): Promise<Demo> =>
  deps.store.write(async (tx) => {
    const account = { email: "owner@playtest.invalid", role: "game_owner", name: "Demo Studio" } as const;
    const owner = await createUser(deps, tx, { ...account, passwordHash: noPassword, verified: true });
    const { secret } = await createKey(deps, tx, { userId: owner.id, name: "Demo", scopes: roleScopes.game_owner });
    await topUp(deps, tx, owner.id);
    const gameId = await createGame(deps, tx, owner.id);
    const testerKeys: string[] = [];
    while (testerKeys.length < testers) testerKeys.push((await createTesterWithKey(deps, tx)).apiKey);
    return { ownerKey: secret, testerKeys, gameId };
  });

async function topUp(deps: Deps, tx: Query, ownerId: string): Promise<void> {
  const [id, now] = [deps.newId(), deps.clock.now()];
  payments.insert(tx, {
    id,
    owner_id: ownerId,
    amount_cents: creditCents,
    status: "completed",
    provider: "sandbox",
    external_id: `demo_${id}`,
    purpose: "credit",
    description: "Account credit",
    completed_at: now,
    created_at: now,
    updated_at: now,
  });
  const from = accounts.processor("sandbox");
  const transfers = topUpTransfers({ eventKey: `topup:${id}`, from, ownerId, paymentId: id, cents: creditCents, settles: 0 });
  await ledger.postAll(tx, transfers, { now, newId: deps.newId });
}

async function createGame(deps: Deps, tx: Query, ownerId: string): Promise<string> {
  const [id, now] = [deps.newId(), deps.clock.now()];
  // A URL that responds, so that a first order shows no warning about the build.
  const buildUrl = `${deps.config.baseUrl}/play`;
  await games.insert(tx, {
    id,
    owner_id: ownerId,
    name: "Lantern Deep",
    description: "A roguelike about a diver, a lantern and what lives below.",
    instructions: "Play the first three depths and say what you think, out loud, as you go.",
    build_url: buildUrl,
    build_id: null,
    cover_image_url: null,
    external_url: null,
    status: "active",
    devices: JSON.stringify(["PC"]),
    platforms: JSON.stringify(["Web"]),
    created_at: now,
    updated_at: now,
  });
  const categories = (await games.allCategories(tx)).filter((category) => ["roguelike", "pixel-art"].includes(category.slug));
  await games.setCategories(
    tx,
    id,
    categories.map((category) => category.id),
  );
  await games.insertBuild(tx, {
    id: deps.newId(),
    game_id: id,
    build_url: buildUrl,
    blob_key: null,
    filename: null,
    size: null,
    sha256: null,
    content_sha256: null,
    version: null,
    channel: null,
    notes: null,
    created_at: now,
  });
  return id;
}
