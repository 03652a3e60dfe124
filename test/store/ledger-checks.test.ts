import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import type { Query } from "../../server/database/port.ts";
import { checkLedger, repairBalances } from "../../server/ledger/checks.ts";
import { goodwillTransfer } from "../../server/ledger/rules.ts";
import { post } from "../../server/ledger/store.ts";
import { corrupt, corruptions } from "../helpers/corruptions.ts";
import { createHistory } from "../helpers/history.ts";
import { createDatabase, dropDatabase, sql } from "../helpers/postgres-server.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { stamped } from "../helpers/stamped.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

const undo = new Error("undo");

describe.each(drivers)("ledger checks ($name)", (driver) => {
  let store: TestStore;
  let server: TestServer;
  beforeAll(async () => {
    store = await driver.open();
    server = await startTestServer({ store });
    await createHistory(server);
  });
  afterAll(async () => {
    await server.close();
    await store.remove();
  });

  const failing = async (q: Query) => (await checkLedger(q)).filter(({ ok }) => !ok);
  /** Runs `act` in a transaction that is rolled back. */
  const during = async (act: (tx: Query) => Promise<void>) => {
    const undone = store.write(async (tx) => {
      await act(tx);
      throw undo;
    });
    await expect(undone).rejects.toBe(undo);
  };

  it("all fourteen checks pass after a long history", async () => {
    expect(await store.read(failing)).toEqual([]);
    expect((await store.read(checkLedger)).length).toBe(14);
  });

  it.each(corruptions)("detect $name", async (corruption) => {
    await during(async (tx) => {
      await corrupt(tx, store.dialect, corruption);
      const failed = await failing(tx);
      expect(failed.map(({ name }) => name).sort()).toEqual([corruption.rule, ...(corruption.also ?? [])].sort());
      const { detail, help } = failed.find(({ name }) => name === corruption.rule)!;
      expect(detail).toMatch(corruption.says);
      expect(help).toMatch(/^Violated invariant: .*\. .*(Stop|stop) the server/);
    });
  });

  it("repairBalances restores all balances from the postings", async () => {
    await during(async (tx) => {
      await tx.run("UPDATE ledger_accounts SET balance = balance - 5");
      expect((await failing(tx)).map(({ name }) => name)).toEqual(["ledger_2_balances"]);
      expect(await repairBalances(tx)).toBeGreaterThan(3);
      expect(await failing(tx)).toEqual([]);
    });
  });
});

it("ledger on PostgreSQL: an account that owns the database can add postings but not change or delete them", async () => {
  const postgres = inject("postgresUrl");
  const database = await createDatabase(postgres);
  const role = `own_${database.name}`;
  await sql(postgres, `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  await sql(postgres, `ALTER DATABASE ${database.name} OWNER TO ${role}`);
  await sql(database.url, `ALTER SCHEMA public OWNER TO ${role}`);
  const url = Object.assign(new URL(database.url), { username: role, password: "secret" }).href;
  const store = await openStore({ databaseUrl: url });
  await store.write((tx) =>
    post(stamped(tx, { now: 1, newId: randomUUID }), goodwillTransfer({ grantId: "g", ownerId: "o", cents: 5, note: "Thanks." })),
  );
  const run = (text: string) => store.write((tx) => tx.run(text));
  await expect(run("UPDATE ledger_postings SET amount = 0")).rejects.toThrow("permission denied");
  await expect(run("DELETE FROM ledger_postings")).rejects.toThrow("permission denied");
  await expect(run("UPDATE audit_entries SET action = ''")).rejects.toThrow("permission denied");
  await expect(run("DELETE FROM audit_entries")).rejects.toThrow("permission denied");
  await expect(run("UPDATE audit_links SET hash = ''")).rejects.toThrow("permission denied");
  await expect(run("DELETE FROM audit_links")).rejects.toThrow("permission denied");
  const guard = async () => (await store.check({ thorough: true })).find(({ name }) => name === "append_only");
  expect(await guard()).toMatchObject({ ok: true });
  await sql(url, `GRANT UPDATE ON ledger_postings TO ${role}`);
  expect(await guard()).toMatchObject({
    ok: false,
    detail: "the database role of this server has UPDATE on ledger_postings",
  });
  await sql(url, `REVOKE UPDATE ON ledger_postings FROM ${role}`);
  await sql(url, `GRANT DELETE, UPDATE ON audit_links TO ${role}`);
  expect(await guard()).toMatchObject({
    ok: false,
    detail: "the database role of this server has DELETE, UPDATE on audit_links",
  });
  await store.close();
  await dropDatabase(postgres, database.name);
  await sql(postgres, `DROP ROLE ${role}`);
});
