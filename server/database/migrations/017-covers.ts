/** Cover images, fetched from the address that the owner gave. Those of games that exist are fetched by jobs. */
export const covers = {
  name: "017-covers",
  statements: [
    `CREATE TABLE covers (
      game_id TEXT PRIMARY KEY REFERENCES games (id), url TEXT NOT NULL, content_type TEXT NOT NULL, hash TEXT NOT NULL,
      bytes {blob} NOT NULL, fetched_at {int} NOT NULL) {strict}`,
    `INSERT INTO jobs (id, kind, unique_key, payload, run_at, attempts, failures, state, lease_until, created_at)
      SELECT 'fetch-cover:' || id, 'fetch-cover', 'fetch-cover:' || id, '{"gameId":"' || id || '"}', 0, 0, 0, 'queued', 0, 0
      FROM games WHERE cover_image_url IS NOT NULL`,
  ],
};
