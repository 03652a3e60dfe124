import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { playtest } from "../helpers/cli.ts";
import { buildId, dataDirFixture, withBuild } from "../helpers/data-dir-fixture.ts";
import { startMemoryBucket } from "../helpers/memory-bucket.ts";
import { freshFolder } from "../helpers/store.ts";

let bucket: Awaited<ReturnType<typeof startMemoryBucket>>;
let data: string;
let config: string;
let folder: string;
const stored = () => join(data, "blobs/builds", buildId);

/** A server with a build in a bucket, whose configuration file is not in its data directory. */
beforeEach(async () => {
  bucket = await startMemoryBucket();
  data = await withBuild(1_000);
  folder = freshFolder();
  config = join(folder, "settings.json");
  writeFileSync(config, JSON.stringify({ blobs: { address: bucket.address } }));
  const { code, stderr } = await serve("move-files", "--to", bucket.address, "--data", data, "--config", config);
  expect([code, stderr, existsSync(stored())]).toEqual([0, "", false]);
  // As a server with a bucket makes it.
  mkdirSync(join(data, "storing"));
  writeFileSync(join(data, "storing/id"), "id");
});

afterEach(() => bucket.close());

const serve = (...argv: string[]) => playtest(["serve", ...argv], { env: bucket.env });
const json = async (...argv: string[]) => {
  const { code, stdout, stderr } = await serve(...argv, "--json");
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(warning: .*\n)?$/)]);
  return JSON.parse(stdout).result;
};

describe("server whose configuration file is elsewhere", () => {
  it("is not backed up without its files, nor are older backups removed", async () => {
    for (const more of [[], ["--dry-run"], ["--keep", "1"]]) {
      const { code, stderr } = await serve("backup", join(folder, "backups"), "--data", data, ...more);
      expect([code, stderr]).toEqual([
        2,
        `error: The server of ${data} has used a bucket, no setting names one, and 1 of its files is not on this disk. Nothing was written. Pass the server's configuration with --config, or set PLAYTEST_BLOBS. If it uses no bucket any more, remove the file ${join(data, "storing/id")} to back up what is left.\n`,
      ]);
    }
    expect(existsSync(join(folder, "backups"))).toBe(false);
    rmSync(join(data, "storing/id"));
    expect((await serve("backup", join(folder, "backups"), "--data", data)).code).toBe(11);
  });

  it("is backed up with what waits for the bucket, which is most of its files", async () => {
    mkdirSync(join(data, "storing/builds"));
    writeFileSync(join(data, "storing/builds", buildId), "x".repeat(1_000));
    const made = await json("backup", join(folder, "copy.tar"), "--data", data);
    expect(made).toMatchObject({ missing: [] });
  });

  it("is restored over with the same programs without being asked", async () => {
    const command = [process.execPath, "-e", "0"];
    writeFileSync(config, JSON.stringify({ blobs: { address: bucket.address }, clips: { ffmpeg: command } }));
    const target = join(folder, "copy.tar");
    await json("backup", target, "--data", data, "--config", config);
    const restored = join(folder, "restored");
    const refused = await serve("restore", target, "--data", restored, "--yes");
    expect([refused.code, refused.stderr]).toEqual([expect.any(Number), expect.stringContaining("pass --allow-programs")]);
    const { stderr } = await serve("restore", target, "--data", restored, "--yes", "--config", config, "--json");
    expect([stderr, existsSync(restored)]).toEqual(["", true]);
  });

  it.each(["backup", "export"])("is copied by %s with that file as its configuration, and restored by it", async (command) => {
    const target = join(folder, "copy.tar");
    const made = await json(command, target, "--data", data, "--config", config);
    expect([made.inBucket, made.missing]).toEqual([1, []]);
    const restored = join(folder, "restored");
    expect(await json("restore", target, "--data", restored, "--yes")).toMatchObject({ missing: [] });
    expect(readFileSync(join(restored, "config.json"), "utf8")).toBe(readFileSync(config, "utf8"));
  });

  it("is restored and checked with that file when the backup has no settings", async () => {
    const target = join(folder, "copy.tar");
    const env = { ...bucket.env, PLAYTEST_BLOBS: bucket.address };
    expect((await playtest(["serve", "backup", target, "--data", data], { env })).code).toBe(0);
    const restored = join(folder, "restored");
    const refused = await serve("restore", target, "--data", restored, "--yes");
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `error: ${target} was not restored: its database failed the checks (the files that it names are in s3://files/, and no setting names a bucket: pass the server's configuration with --config, or set PLAYTEST_BLOBS). Nothing was changed.\n`,
    ]);
    expect(await json("restore", target, "--data", restored, "--config", config, "--yes")).toMatchObject({ missing: [] });
    const verified = await serve("backup", "verify", target, "--config", config);
    expect(verified.stderr).not.toContain("was not restored");
  });

  it("is told to set the bucket only where no setting names it", async () => {
    const again = ["move-files", "--to", bucket.address, "--data", data];
    const told = "Set blobs.address to this bucket and restart the server";
    expect((await serve(...again)).stdout).toContain(told);
    const { code, stdout } = await serve(...again, "--config", config);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Copied and verified 0 files /)]);
    expect(stdout).not.toContain(told);
  });

  it("gets its files back on the disk", async () => {
    const refused = await serve("move-files", "--to", "disk", "--data", data);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      "error: No setting names a bucket, so the files are on the disk already. Nothing was moved. If the server has its configuration elsewhere, pass it with --config.\n",
    ]);
    expect(await json("move-files", "--to", "disk", "--data", data, "--config", config)).toMatchObject({ files: 1 });
    expect(readdirSync(dirname(stored()))).toEqual([buildId]);
    expect((await serve("backup", join(folder, "backups"), "--data", data)).code).toBe(0);
  });
});

describe("configuration file that does not exist", () => {
  it.each([
    ["backup", "copy.tar"],
    ["export", "copy.tar"],
    ["move-files", "--to", "disk"],
    ["reset-factor", "a@example.com", "--yes"],
    ["top", "--once"],
  ])("ends serve %s, and nothing was changed", async (...argv) => {
    const { code, stderr } = await serve(...argv, "--data", dataDirFixture(), "--config", "/nowhere/config.json");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: The configuration file \/nowhere\/config\.json cannot be read:/),
    ]);
  });

  it("is what serve doctor says", async () => {
    const { code, stderr } = await serve("doctor", "--data", dataDirFixture(), "--config", "/nowhere/config.json");
    expect([code, stderr]).toEqual([1, expect.stringContaining("configuration: The configuration file /nowhere/config.json")]);
  });
});
