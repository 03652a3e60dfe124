import { createHash } from "node:crypto";
import { Database } from "../../helpers/sqlite.ts";

/** What the `read` peers do, all the same: hash the key, look it up, look up the game and its relations, serialise. */
export function createReadWork(
  file: string,
): (authorization: string | undefined, gameId: string) => { status: number; body: string } {
  const db = new Database(file, { readonly: true });
  const findKey = db.prepare("SELECT k.id, k.user_id, k.scopes, k.expires_at, k.revoked_at FROM api_keys k WHERE k.hash = ?");
  const findUser = db.prepare("SELECT id, role, email_verified_at, suspended_at FROM users WHERE id = ?");
  const findGame = db.prepare("SELECT * FROM games WHERE id = ? AND owner_id = ?");
  const findCategories = db.prepare(
    "SELECT c.id, c.name, c.slug FROM game_categories gc JOIN categories c ON c.id = gc.category_id WHERE gc.game_id = ? ORDER BY c.name",
  );
  type Row = Record<string, string | number | null>;
  const iso = (ms: unknown) => new Date(Number(ms)).toISOString();

  return (authorization, gameId) => {
    const hash = createHash("sha256")
      .update(authorization?.slice(7) ?? "")
      .digest("hex");
    const key = findKey.get(hash) as Row | undefined;
    const user = key && (findUser.get(key.user_id) as Row | undefined);
    if (!key || !user || key.revoked_at !== null || !JSON.parse(String(key.scopes)).includes("game_owner"))
      return { status: 401, body: "{}" };
    const game = findGame.get(gameId, key.user_id) as Row | undefined;
    if (!game) return { status: 404, body: "{}" };
    const data = {
      game: {
        id: game.id,
        ownerId: game.owner_id,
        name: game.name,
        description: game.description,
        instructions: game.instructions,
        buildUrl: game.build_url,
        coverImageUrl: game.cover_image_url,
        externalUrl: game.external_url,
        status: game.status,
        createdAt: iso(game.created_at),
        updatedAt: iso(game.updated_at),
        categories: findCategories.all(gameId),
        devices: JSON.parse(String(game.devices)),
        platforms: JSON.parse(String(game.platforms)),
      },
    };
    return {
      status: 200,
      body: JSON.stringify({ data, meta: { requestId: "req_00000000000000000000", timestamp: iso(Date.now()) } }),
    };
  };
}
