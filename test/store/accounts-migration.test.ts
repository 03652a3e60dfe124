import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "../../server/database/migrate.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { drivers, openBefore, type TestStore } from "../helpers/store.ts";

const user = {
  ...{ id: "u", email: "ada@example.com", email_key: "ada@example.com", password_hash: "!", role: "game_owner" },
  ...{ display_name: "Ada", company_name: "Ada", simulated: 0, created_at: 1, updated_at: 1 },
};
const session = (hash: string) => ({ hash, user_id: "u", csrf: "c", created_at: 1, expires_at: 2 });
const mail = (id: string, subject: string, sent: number | null) => ({
  ...{ id, recipient: "ada@example.com", subject, text_body: `token of ${id}`, html_body: "<p>token</p>" },
  ...{ created_at: 1, sent_at: sent },
});

describe.each(drivers)("the migration of accounts ($name)", (driver) => {
  let store: TestStore;
  beforeEach(async () => {
    store = await openBefore(driver, "004-accounts");
  });
  afterEach(() => store.remove());

  it("gives open sessions ids of their own, and keys no parent", async () => {
    await store.write(async (tx) => {
      await insertRow(tx, "users", user);
      for (const hash of ["a", "b"]) await insertRow(tx, "sessions", session(hash));
      const key = { id: "k", user_id: "u", name: "k", prefix: "p", hash: "h", scopes: "[]", created_at: 1 };
      await insertRow(tx, "api_keys", key);
    });
    await migrate(store);
    const ids = await store.read((q) => q.all<{ id: string }>("SELECT id FROM sessions"));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
    for (const { id } of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(await store.read((q) => q.all("SELECT parent_id FROM api_keys"))).toEqual([{ parent_id: null }]);
  });

  it("removes one-time links from mails that were sent, and from no other", async () => {
    await store.write(async (tx) => {
      await insertRow(tx, "mails", mail("a", "Reset your password", 2));
      await insertRow(tx, "mails", mail("b", "Reset your password", null));
      await insertRow(tx, "mails", mail("c", "Receipt for $5.00", 2));
    });
    await migrate(store);
    expect(await store.read((q) => q.all("SELECT id, text_body, html_body FROM mails ORDER BY id"))).toEqual([
      { id: "a", text_body: "", html_body: null },
      { id: "b", text_body: "token of b", html_body: "<p>token</p>" },
      { id: "c", text_body: "token of c", html_body: "<p>token</p>" },
    ]);
  });
});
