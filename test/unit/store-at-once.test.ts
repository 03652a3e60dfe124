import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { openStore } from "../../src/config/store.ts";
import { freshFolder } from "../helpers/store.ts";

const baseUrl = "https://playtest.example";
const names = ["a", "b", "c", "d"];

test("logins that are saved at once keep every key, and leave no lock", async () => {
  const folder = freshFolder();
  await Promise.all(names.map((profile) => openStore(folder, { now: Date.now }).saveKey({ baseUrl, profile }, `key ${profile}`)));
  const store = openStore(folder);
  expect(names.map((profile) => store.key({ baseUrl, profile }))).toEqual(names.map((profile) => `key ${profile}`));
  expect(readdirSync(folder)).toEqual(["keys.json"]);
});

test("settings that are saved at once keep every profile, and so do removed keys", async () => {
  const folder = freshFolder();
  const open = () => openStore(folder, { now: Date.now });
  await Promise.all(
    names.map((profile) => open().saveConfig(({ profiles }) => void Object.assign(profiles, { [profile]: { retries: 1 } }))),
  );
  expect(Object.keys(open().config().profiles).sort()).toEqual(names);
  for (const profile of names) await open().saveKey({ baseUrl, profile }, "key");
  await Promise.all(["a", "b"].map((profile) => open().removeKey({ baseUrl, profile })));
  expect(
    open()
      .logins()
      .map(({ profile }) => profile),
  ).toEqual(["c", "d"]);
});
