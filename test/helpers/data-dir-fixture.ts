import { copyFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { insertRow } from "./raw-rows.ts";
import { createTestRandom } from "./server.ts";
import { freshFolder } from "./store.ts";

/** The key of test servers, as `instance.key` holds it. */
export const keyText = () => `${createTestRandom("instance key")(32).toString("hex")}\n`;

/** The data folder of a server nobody used yet. */
export function dataDirFixture(): string {
  const dataDir = freshFolder();
  copyFileSync(dataFile(inject("sqliteTemplate")), dataFile(dataDir));
  writeFileSync(join(dataDir, "instance.key"), keyText(), { mode: 0o600 });
  return dataDir;
}

export const buildId = "019a0000-0000-7000-8000-000000000001";

/** A data directory with a build of this size, a sparse file. */
export async function withBuild(size: number): Promise<string> {
  const dataDir = dataDirFixture();
  const id = buildId;
  const store = await openStore({ dataDir });
  await store.write(async (tx) => {
    const times = { created_at: 1, updated_at: 1 };
    const person = { email: "a", email_key: "a", password_hash: "", role: "game_owner", display_name: "A", company_name: "A" };
    await insertRow(tx, "users", { id, ...person, ...times });
    const game = { id, owner_id: id, name: "G", build_url: "u", status: "active", devices: "[]", platforms: "[]" };
    await insertRow(tx, "games", { ...game, ...times });
  });
  await store.close();
  await addBuild(dataDir, id, size);
  return dataDir;
}

/** Adds a build to the game of `withBuild`. */
export async function addBuild(dataDir: string, id: string, size: number): Promise<void> {
  const store = await openStore({ dataDir });
  await store.write((tx) =>
    insertRow(tx, "builds", { id, game_id: buildId, build_url: "u", blob_key: `builds/${id}`, size, created_at: 1 }),
  );
  await store.close();
  mkdirSync(join(dataDir, "blobs/builds"), { recursive: true });
  writeFileSync(join(dataDir, "blobs/builds", id), "");
  truncateSync(join(dataDir, "blobs/builds", id), size);
}
