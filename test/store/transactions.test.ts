import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Query } from "../../server/store/db.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

const put = (tx: Query, name: string, value: string) => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", name, value);
const names = async (store: TestStore) =>
  (await store.read((q) => q.all<{ name: string }>("SELECT name FROM settings ORDER BY name"))).map(({ name }) => name);

describe.each(drivers)("$name", ({ open }) => {
  let store: TestStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.remove());

  it("keeps what a write did", async () => {
    await store.write((tx) => put(tx, "a", "1"));
    expect(await names(store)).toEqual(["a"]);
  });
});
