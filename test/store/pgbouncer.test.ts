import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { migrate } from "../../server/database/migrate.ts";
import type { Query } from "../../server/database/port.ts";
import { openPostgres } from "../../server/database/postgres/postgres.ts";
import { createGame, registerOwner } from "../helpers/factories.ts";
import { freshDatabase } from "../helpers/postgres.ts";
import type { Relay } from "../helpers/postgres-relay.ts";
import { startTestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";
import { startTransactionPooler } from "../helpers/transaction-pooler.ts";

const program = "/usr/sbin/pgbouncer";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A pgbouncer that gives each transaction another of two sessions of the database. */
async function startBouncer(databaseUrl: string) {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = freshFolder();
  const [own, users, settings] = [await freePort(), join(folder, "users.txt"), join(folder, "pgbouncer.ini")];
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
unix_socket_dir =
`,
  );
  for (const path of [folder, users, settings]) chmodSync(path, 0o755);
  const child = spawn(program, [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), settings], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of child.stderr) if (String(line).includes("process up")) break;
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`,
    async close() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** pgbouncer itself where it is installed. */
const poolers: { name: string; start(databaseUrl: string): Promise<Relay> }[] = [
  { name: "a pooler of transactions", start: (databaseUrl) => startTransactionPooler(databaseUrl, 2) },
];
if (existsSync(program)) poolers.push({ name: "pgbouncer in transaction mode", start: startBouncer });

describe.each(poolers)("PostgreSQL behind $name", ({ start }) => {
  it("migrates, writes concurrently and serves the API, although every transaction has another session", async () => {
    const database = await freshDatabase({ empty: true });
    const bouncer = await start(database.url);
    const store = await openPostgres(bouncer.url);
    await migrate(store);
    const put = (n: number) => store.write((tx) => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", `k${n}`, "v"));
    await Promise.all(Array.from({ length: 30 }, (_, n) => put(n)));
    const sum = () => store.read((q) => q.one<{ n: number }>("SELECT COUNT(*) AS n FROM settings WHERE name LIKE 'k%'"));
    expect((await Promise.all(Array.from({ length: 30 }, sum))).map((row) => row?.n)).toEqual(Array(30).fill(30));
    await expect(put(1)).rejects.toMatchObject({ name: "UniqueViolation" });
    const limit = (tx: Query) => tx.one<{ limit: string }>("SELECT current_setting('lock_timeout') AS \"limit\"");
    expect(await store.write(limit)).toEqual({ limit: "5s" });
    const shared = (n: number) =>
      store.write((tx) => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", `s${n}`, "v"), {
        isolation: "rows",
        locks: [`${n}`],
      });
    expect(await Promise.all(Array.from({ length: 30 }, (_, n) => shared(n)))).toEqual(Array(30).fill(1));
    const session = () => store.read((q) => q.one<{ pid: number }>("SELECT pg_backend_pid() AS pid, pg_sleep(0.05)"));
    expect(new Set((await Promise.all([session(), session()])).map((row) => row?.pid)).size).toBe(2);

    const server = await startTestServer({ store });
    const owner = await registerOwner(server);
    const games = await Promise.all(["One", "Two", "Three", "Four"].map((name) => createGame(owner, { name })));
    expect(new Set(games).size).toBe(4);
    await server.close();
    await bouncer.close();
    await database.drop();
  });
});
