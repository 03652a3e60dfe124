import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { dataFile } from "../../server/database/sqlite/driver.ts";
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
