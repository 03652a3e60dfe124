import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkAudit } from "../../server/audit/checks.ts";
import * as audit from "../../server/audit/store.ts";
import { migrate } from "../../server/database/migrate.ts";
import { drivers, openBefore, sqlite, type TestStore } from "../helpers/store.ts";

const entry = {
  ...{ id: "e", created_at: 1, actor_id: null, key_id: null, session_id: null, address: null, request_id: null },
  ...{ action: "user.create", target_kind: "user", target_id: "u", details: "{}", state_before: null, state_after: "{}" },
};

describe.each(drivers)("the migration of the audit log ($name)", (driver) => {
  let store: TestStore;
  beforeEach(async () => {
    store = await openBefore(driver, "005-audit");
  });
  afterEach(() => store.remove());

  it("a database in use gets an empty log that is intact", async () => {
    await migrate(store);
    expect(await store.read(checkAudit)).toEqual({ name: "audit_chain", ok: true, detail: "no entries" });
  });
});

// On PostgreSQL the tests are superusers, whom no privilege stops: see ledger-checks.test.ts for an ordinary role.
it("SQLite refuses to change or remove audit entries and links", async () => {
  const store = await sqlite.open();
  await store.write(async (tx) => {
    await audit.insert(tx, entry);
    await audit.insertLinks(tx, [{ seq: 1, entry_id: "e", hash: "h" }]);
  });
  const run = (text: string) => store.write((tx) => tx.run(text));
  await expect(run("UPDATE audit_entries SET action = 'x'")).rejects.toThrow("an audit entry is never changed");
  await expect(run("DELETE FROM audit_entries")).rejects.toThrow("an audit entry is never removed");
  await expect(run("UPDATE audit_links SET hash = 'x'")).rejects.toThrow("a link of the audit log is never changed");
  await expect(run("DELETE FROM audit_links")).rejects.toThrow("a link of the audit log is never removed");
  await store.remove();
});
