import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { freePort } from "../helpers/free-port.ts";
import { type Relay, startRelay } from "../helpers/postgres-relay.ts";
import { createDatabase, type Database, dropDatabase } from "../helpers/postgres-server.ts";
import { killLeftovers, readyFile, spawnPlaytest } from "../helpers/process.ts";
import { freshFolder } from "../helpers/store.ts";

let database: Database;
let relay: Relay | undefined;
let ready: string;
beforeEach(async () => {
  database = await createDatabase(inject("postgresUrl"));
});
afterEach(async () => {
  await killLeftovers();
  await relay?.close();
  relay = undefined;
  await dropDatabase(inject("postgresUrl"), database.name);
});

/** A server whose database is on a port where nobody listens. */
async function start(...flags: string[]) {
  const [folder, port] = [freshFolder(), await freePort()];
  const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${port}` }).href;
  ready = join(folder, "ready.json");
  const where = ["--port", "0", "--data", folder, "--ready-file", ready, "--log", "json"];
  const server = spawnPlaytest(folder, ["serve", "run", ...where, ...flags], { PLAYTEST_DATABASE_URL: url });
  return { ...server, port };
}

const waits = async ({ child }: Awaited<ReturnType<typeof start>>) => {
  for (let text = ""; !text.includes("waiting up to 60 seconds for the database"); )
    text += String((await once(child.stderr!, "data"))[0]);
};

it("a server waits for a database that starts later", async () => {
  const server = await start("--wait-for-database", "60s");
  await waits(server);
  relay = await startRelay(
    database.url,
    (near, far) => {
      near.pipe(far);
      far.pipe(near);
    },
    server.port,
  );
  const { baseUrl } = await readyFile(ready);
  expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
});

it.each([
  ["at once, by default", []],
  ["when the time is over", ["--wait-for-database", "1s"]],
])("a server says that the database does not answer, %s", async (_when, flags) => {
  const { code, stderr } = await (await start(...flags)).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: PostgreSQL is not available right now \(.*ECONNREFUSED.*\)/m);
  expect(existsSync(ready)).toBe(false);
});

it("a signal ends the wait", async () => {
  const server = await start("--wait-for-database", "60s");
  await waits(server);
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(143);
  expect(existsSync(ready)).toBe(false);
});
