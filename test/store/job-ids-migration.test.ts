import { expect, it } from "vitest";
import { migrate } from "../../server/database/migrate.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { drivers, openBefore } from "../helpers/store.ts";

it.each(drivers)("jobs that migrations queued get ids by which they can be retried ($name)", async (driver) => {
  const store = await openBefore(driver, "072-job-ids");
  const [game, own] = ["01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"];
  const job = { kind: "fetch-cover", payload: "{}", run_at: 1, attempts: 25, state: "dead", lease_until: 0, created_at: 1 };
  await store.write(async (tx) => {
    await insertRow(tx, "jobs", { ...job, id: `fetch-cover:${game}`, unique_key: "1" });
    await insertRow(tx, "jobs", { ...job, id: own, unique_key: "2" });
  });
  await migrate(store);
  const rows = await store.read((q) => q.all("SELECT id, unique_key FROM jobs ORDER BY id"));
  expect(rows).toEqual([
    { id: game, unique_key: "1" },
    { id: own, unique_key: "2" },
  ]);
  await store.remove();
});
