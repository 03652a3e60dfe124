import { writeFileSync } from "node:fs";
import { mkdir, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { openLocal } from "../../src/config/local-notes.ts";
import { openStore } from "../../src/config/store.ts";
import { freshFolder } from "../helpers/store.ts";

it("notes of many commands at once are all kept when a killed command left its lock", async () => {
  const lost: number[] = [];
  for (let round = 0; round < 12; round++) {
    const where = { baseUrl: "https://example.com", profile: "default" };
    const open = () => openLocal<number>("notes", openStore(folder), where, Date.now);
    const folder = freshFolder();
    const lock = `${open().path}.lock`;
    await mkdir(dirname(lock), { recursive: true });
    writeFileSync(lock, "");
    await utimes(lock, 0, 0);
    const all = Array.from({ length: 8 }, (_, number) => number);
    await Promise.all(all.map((number) => open().update((notes) => [...notes, number])));
    lost.push(...all.filter((number) => !open().read().includes(number)));
  }
  expect(lost).toEqual([]);
});
