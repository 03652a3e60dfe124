import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { playtest, testFolder } from "../helpers/cli.ts";
import { dataDirFixture } from "../helpers/data-dir-fixture.ts";
import { insertDeadJob, insertRow } from "../helpers/raw-rows.ts";
import { freshFolder } from "../helpers/store.ts";

let dataDir: string;
let folder: string;
let temp: string;
beforeEach(() => {
  dataDir = dataDirFixture();
  folder = join(testFolder(), "backups");
  temp = freshFolder();
});

const at = (time: string) => ({ now: Date.parse(time) });
const backup = async (time: string, ...argv: string[]) => {
  const { code, stderr } = await playtest(["serve", "backup", folder, "--keep", "9", "--data", dataDir, ...argv], at(time));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
};
const verify = (...argv: string[]) =>
  playtest(["serve", "backup", "verify", ...argv, "--temp", temp], at("2026-03-03T12:00:00Z"));

describe("serve backup verify", () => {
  it("restores the newest backup of a folder, checks it, and leaves nothing behind", async () => {
    await backup("2026-03-01T12:00:00Z");
    await backup("2026-03-02T12:00:00Z");
    const { code, stdout, stderr } = await verify(folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /playtest-20260302T120000Z of 2026-03-02T12:00:00\.000Z was restored: \d+ files, [\d.]+ \w+\. \d+ checks passed\.\n$/,
    );
    expect([readdirSync(temp), readdirSync(folder)]).toEqual([[], ["playtest-20260301T120000Z", "playtest-20260302T120000Z"]]);
  });

  it("does not mind what the server knew of its backups while it was made", async () => {
    const store = await openStore({ dataDir });
    const state = { to: "/backups", everyMs: 3_600_000, since: 0, failedAt: 1, error: "the disk is full" };
    await store.write((tx) => insertRow(tx, "settings", { name: "backup", value: JSON.stringify(state) }));
    await store.close();
    await backup("2026-03-01T12:00:00Z");
    const { code, stdout } = await verify(folder, "--json");
    const { checks } = JSON.parse(stdout).result as { checks: { name: string; ok: boolean }[] };
    expect([code, checks.filter(({ ok, name }) => !ok || name === "backups")]).toEqual([0, []]);
  });

  it("checks the ledger too, of an export as of a backup", async () => {
    await playtest(["serve", "export", join(folder, "..", "export.tar"), "--data", dataDir], at("2026-03-01T12:00:00Z"));
    const { code, stdout } = await verify(join(folder, "..", "export.tar"), "--json");
    const { checks } = JSON.parse(stdout).result as { checks: { name: string; ok: boolean }[] };
    expect(code).toBe(0);
    expect(checks.filter(({ name }) => name.startsWith("ledger_"))).toHaveLength(14);
  });

  it("leaves the database of the server in the environment alone", async () => {
    await backup("2026-03-01T12:00:00Z");
    const env = { PLAYTEST_DATABASE_URL: "postgres://127.0.0.1:1/nowhere" };
    expect((await playtest(["serve", "backup", "verify", folder, "--temp", temp], { env })).code).toBe(0);
  });

  it("fails for a file that was changed since", async () => {
    await backup("2026-03-01T12:00:00Z");
    const made = join(folder, "playtest-20260301T120000Z");
    const file = join(made, "playtest.db");
    const bytes = readFileSync(file);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(file, bytes);
    const { code, stderr } = await verify(made);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: ${made} was not restored: playtest.db does not match its checksum. Nothing was changed.`);
    expect(readdirSync(temp)).toEqual([]);
  });

  it("fails for what was wrong on the server already", async () => {
    await backup("2026-03-01T12:00:00Z");
    const store = await openStore({ dataDir });
    await store.write((tx) => insertDeadJob(tx, "send-mail", "Error: no route"));
    await store.close();
    await backup("2026-03-02T12:00:00Z");
    const { code, stderr } = await verify(folder);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "error: 1 check of the restored server failed.\njobs: 1 × send-mail failed (Error: no route)\n",
    });
  });

  it("says so where a folder has no backups", async () => {
    const { code, stderr } = await verify(temp);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: ${temp} has no backup that \`playtest serve backup\` named. Nothing was checked. Pass its path.\n`,
    });
  });
});
